"""Deliberate slips in the pruning rules of `exact`, and the positions that catch them.

Each slip makes the condition of a rule weaker than its proof in `docs/search.md` needs, or leaves
out what the rule must not. The positions, in `tests/data/exact-slips.json`, were found by running
programs with and without the slip on random late positions, deals and positions in mid-game; what
is left of them here are those decided in the fewest nodes.
"""

import json
from typing import NamedTuple

from paths import DATA


class Mutation(NamedTuple):
    """A slip in the source.

    Attributes:
        name: what goes wrong, in few words; also the key of its positions.
        rule: of `solvers.klondike.exact.rules.RULES`, or the section of `docs/search.md`.
        file: in `solvers/klondike/exact/`.
        old: the source text, which occurs there once.
        new: what stands there instead.
        nodes: budget of the mutated search.
    """

    name: str
    rule: str
    file: str
    old: str
    new: str
    nodes: int = 3000

    @property
    def positions(self) -> tuple[tuple[str, str], ...]:
        """Positions, as in `position_text`, each with the right verdict."""
        return tuple((text, verdict) for text, verdict in _POSITIONS[self.name])


_POSITIONS: dict[str, list[list[str]]] = json.loads((DATA / "exact-slips.json").read_text())

MUTATIONS = [
    Mutation(
        "two bare cards taken for one",
        "arrangement",
        "position.py",
        "both_of_pairs((one & ~one_child) | (two & ~two_children))",
        "both_of_pairs(one & ~one_child)",
    ),
    Mutation(
        "a pair with two children taken for bare",
        "arrangement",
        "position.py",
        "(two & ~two_children))",
        "two)",
    ),
    Mutation(
        "a free column overlooked",
        "arrangement",
        "position.py",
        "return 7 - popcount(locked)",
        "return 6 - popcount(locked)",
    ),
    Mutation(
        "kings in columns overlooked",
        "arrangement",
        "position.py",
        " - popcount(loose & KINGS)",
        "",
    ),
    Mutation(
        "safe whatever the twin needs",
        "safe",
        "position.py",
        "(both_children | ACES) & (twin_of_two_below | LOW_TWO_RANKS)",
        "both_children | ACES",
    ),
    Mutation(
        "safe with one child up",
        "safe",
        "position.py",
        "both_of_pairs(((ready & (ready >> 1)) & EVEN) << 4)",
        "both_of_pairs(((ready | (ready >> 1)) & EVEN) << 4)",
    ),
    Mutation(
        "a card just brought rises again",
        "rise",
        "search.py",
        "    if node.brought < 0:\n        before",
        "    if True:\n        before",
    ),
    Mutation(
        "heads rise too",
        "rise",
        "nodes.py",
        "rising = following & loose & bare",
        "rising = following & (loose | heads) & bare",
    ),
    Mutation(
        "any waste stands for any other",
        "waste",
        "table.py",
        "if exact_field >= 0 or waste == 0:",
        "if exact_field >= 0 or waste >= 0:",
    ),
    Mutation(
        "a smaller waste is closed by a larger one",
        "waste",
        "table.py",
        "if 0 < smallest <= offered:",
        "if smallest >= offered:",
    ),
    Mutation(
        "everything was shown before",
        "extra reach",
        "entries.py",
        "reach &= ~_reach_of_entered(entered, mask, mode.draw, workspace.every)",
        "reach = 0",
    ),
    Mutation(
        "DOWNs in one order even where one needs the other",
        "worrying back",
        "steps.py",
        "downs &= higher | ~(tops_before & placeable_before)",
        "downs &= higher",
    ),
    Mutation(
        "cards already on their foundation before",
        "worrying back",
        "steps.py",
        "downs &= higher | ~(tops_before & placeable_before)",
        "downs &= higher | ~placeable_before",
    ),
    Mutation(
        "one DOWN at a time",
        "worrying back",
        "steps.py",
        "downs &= higher | ~(tops_before & placeable_before)",
        "downs = 0",
    ),
    Mutation(
        "the brought card counts as there before",
        "worrying back",
        "steps.py",
        "bare_before = bare_cards(visible & ~card, loose & ~card)",
        "bare_before = bare_cards(visible, loose & ~card)",
    ),
    Mutation(
        "no card goes up in exchange for its twin",
        "worrying back",
        "steps.py",
        "top = _write(moves, top, LOOSE_UP, loose & following & bare & ~card)",
        "top = top",
    ),
    Mutation(
        "after a DOWN only stock cards that need it",
        "bringing",
        "steps.py",
        "(placeable if brought >= FROM_STOCK else can_be_placed)",
        "placeable",
    ),
    Mutation(
        "no DOWN after a stock card",
        "bringing",
        "steps.py",
        "downs &= placeable\n",
        "downs &= 0\n",
    ),
    Mutation(
        "stock cards brought for their twins only",
        "use",
        "steps.py",
        "coming = (heads & ~(following & can_be_bare)) | can_come",
        "coming = 0",
    ),
    Mutation(
        "no stock card brought for its twin",
        "use",
        "steps.py",
        "needed = drawable & swap_twins(waiting)",
        "needed = 0",
    ),
    Mutation(
        "not brought for cards of the foundations",
        "use",
        "steps.py",
        "coming = (heads & ~(following & can_be_bare)) | can_come",
        "coming = heads & ~(following & can_be_bare)",
    ),
    Mutation(
        "not brought for heads",
        "use",
        "steps.py",
        "coming = (heads & ~(following & can_be_bare)) | can_come",
        "coming = can_come",
    ),
    Mutation(
        "not brought for other stock cards",
        "use",
        "steps.py",
        "        needed |= more\n        coming = more\n",
        "        return needed | more\n",
    ),
    Mutation(
        "no place for a card that its twin needs",
        "use",
        "steps.py",
        "    coming |= needed\n",
        "",
    ),
    Mutation(
        "no DOWN to reach the card below",
        "use",
        "steps.py",
        "(parents_of(coming) | (next_in_suit(needed & up) & up))",
        "parents_of(coming)",
    ),
    Mutation(
        "no DOWN for the twin's way up",
        "use",
        "steps.py",
        "    needed = swap_twins(waiting)\n    while True:\n        more = (parents_of",
        "    needed = 0\n    while True:\n        more = (parents_of",
    ),
    Mutation(
        "no DOWN for stock cards",
        "use",
        "steps.py",
        "coming = heads | (0 if brings else drawable)",
        "coming = heads",
    ),
    Mutation(
        "no DOWN for heads",
        "use",
        "steps.py",
        "coming = heads | (0 if brings else drawable)",
        "coming = 0 if brings else drawable",
    ),
    Mutation(
        "no DOWN for another DOWN",
        "use",
        "steps.py",
        "coming = needed & (up | drawable)",
        "coming = needed & drawable",
    ),
    Mutation(
        "no DOWN for a stock card to be brought",
        "use",
        "steps.py",
        "coming = needed & (up | drawable)",
        "coming = needed & up",
    ),
    Mutation(
        "stocks compared the wrong way round",
        "stock dominance",
        "stocks.py",
        "if entry & stock_mask == 0:",
        "if (entry | stock_mask) & STOCK_MASK == STOCK_MASK:",
    ),
    Mutation(
        "any stock closes any other",
        "stock dominance",
        "stocks.py",
        "if entry & stock_mask == 0:",
        "if True:",
    ),
    Mutation(
        "what an open question entered stays",
        "stock dominance",
        "search.py",
        "            roll_back(workspace.store, entries)\n",
        "",
    ),
    Mutation(
        "a place that was just uncovered counts as there before",
        "reveals",
        "path.py",
        "tried &= ~children_of(layout.below[step & 63])",
        "tried &= ~0",
    ),
    Mutation(
        "the card under a stock card never shows",
        "relaxation",
        "relaxation.py",
        "more |= 1 << highest(below)",
        "more |= 0",
    ),
    Mutation(
        "taking cards shifts nothing",
        "relaxation",
        "relaxation.py",
        "more |= above & every(cards, draw - gone, draw, table)",
        "more |= 0",
    ),
    Mutation(
        "a child sits even if it can go up",
        "relaxation",
        "relaxation.py",
        "sitting = (loose & ~can_up) << 4",
        "sitting = loose << 4",
    ),
    Mutation(
        "a child sits on both places",
        "relaxation",
        "relaxation.py",
        "both_of_pairs((one & ~sitting) | two)",
        "both_of_pairs(one & ~sitting)",
    ),
    Mutation(
        "what is not decided is lost",
        "draw one",
        "search.py",
        "        if ended != UNWINNABLE:\n            roll",
        "        if ended == WON:\n            roll",
        nodes=300,
    ),
    Mutation(
        "the path is not forgotten",
        "restarts",
        "restarts.py",
        "for depth in range(progress.depth, 0, -1):",
        "for depth in range(0):",
    ),
    Mutation(
        "the stocks of the path are not forgotten",
        "restarts",
        "restarts.py",
        "        clear_store(workspace.store)\n",
        "",
    ),
]
