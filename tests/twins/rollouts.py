"""Naive twin of nested rollouts in stages over K+ on the referee.

Bjarnason, Tadepalli, Fern 2007: the values of Table 1, the relaxed game of section 4.1, the actions
of section 4.4, the procedure of Figure 9. `solvers.klondike.rollouts.multistage` says how the paper
is read.

Positions here are *settled*: of all that K+ does not tell apart, one stands for all.
"""

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from engine.cards import DECK, KING, build_cards, make_card, rank, suit, twin
from engine.cardset import BIT_OF_CARD, CARD_OF_BIT
from engine.klondike.kplus import CARD, COLUMN, FOUNDATION, STRAIGHT
from engine.klondike.moves import WASTE_UP, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from solvers.klondike.kplus.actions import ANY, FIRST_MOVE, NEEDED, NONE, SECOND, SINGLE
from solvers.klondike.kplus.values import LOSS, WIN
from solvers.klondike.rollouts.multistage import RolloutReading
from solvers.klondike.rollouts.search import LEFT_OUT, LOSE, LOST_AT_ONCE, VALUED
from twins.kplus import turned

# A card, and the card, foundation or empty column that it goes to.
Macro = tuple[int, int | Literal["foundation", "column"]]
# One macro move, or the two of a pair.
Action = tuple[Macro, ...]
Pile = tuple[int, ...]

PARENTS = [build_cards(card) for card in DECK]
_NO_COLUMNS: tuple[Pile, ...] = ((),) * 7
# How many positions are kept worked out.
_KEPT = 8_000


@lru_cache(_KEPT)
def turns(rules: KlondikeRules, stock: Pile, waste: Pile) -> frozenset[tuple[Pile, Pile]]:
    """Stock and waste, and all that turns and redeals make of them."""
    alone = KlondikePosition(rules, _NO_COLUMNS, _NO_COLUMNS, (0, 0, 0, 0), stock, waste)
    return frozenset((each.stock, each.waste) for each in turned(alone))


@lru_cache(_KEPT)
def drawable(rules: KlondikeRules, stock: Pile, waste: Pile) -> dict[int, tuple[Pile, Pile]]:
    """The cards that turns and redeals bring to the top of the waste: stock and waste then."""
    found: dict[int, tuple[Pile, Pile]] = {}
    for piles in turns(rules, stock, waste):
        if piles[1]:
            assert found.setdefault(piles[1][-1], piles) == piles
    return found


@lru_cache(_KEPT)
def _settled_stock(rules: KlondikeRules, stock: Pile, waste: Pile) -> tuple[Pile, Pile]:
    # What turns lead to does not always lead back.
    here = turns(rules, stock, waste)
    return next(piles for piles in sorted(here) if turns(rules, *piles) == here)


def settled(position: KlondikePosition) -> KlondikePosition:
    """The one position that stands for all those that K+ does not tell from this one."""
    columns = sorted(zip(position.down, position.up, strict=True))
    stock, waste = _settled_stock(position.rules, position.stock, position.waste)
    return KlondikePosition(
        position.rules,
        tuple(down for down, _ in columns),
        tuple(up for _, up in columns),
        position.foundations,
        stock,
        waste,
    )


def tops(position: KlondikePosition) -> set[int]:
    """The cards on top of the foundations."""
    return {make_card(height - 1, s) for s, height in enumerate(position.foundations) if height}


def hidden(position: KlondikePosition) -> set[int]:
    return {card for down in position.down for card in down}


@lru_cache(_KEPT)
def macros(position: KlondikePosition) -> dict[Macro, KlondikePosition]:
    """Every macro move that is legal, and the settled position that it leads to."""
    found: dict[Macro, KlondikePosition] = {}

    def add(before: KlondikePosition, move: KlondikeMove, macro: Macro) -> None:
        if before.why_illegal(move) is None:
            after = settled(before.play(move))
            # Nothing has changed where a king goes from one empty column to another.
            if after != position:
                assert found.setdefault(macro, after) == after

    def lay(before: KlondikePosition, kind: KlondikeKind, source: int, card: int) -> None:
        for target, pile in enumerate(before.up):
            if pile and pile[-1] in PARENTS[card]:
                add(before, KlondikeMove(kind, source, target), (card, pile[-1]))
            if not pile and rank(card) == KING:
                add(before, KlondikeMove(kind, source, target), (card, "column"))

    for source, pile in enumerate(position.up):
        if pile:
            add(position, KlondikeMove(KlondikeKind.UP, source), (pile[-1], "foundation"))
        for card in pile:
            lay(position, KlondikeKind.RUN, source, card)
    for card in tops(position):
        lay(position, KlondikeKind.DOWN, suit(card), card)
    shown = drawable(position.rules, position.stock, position.waste)
    for card, (stock, waste) in shown.items():
        before = replace(position, stock=stock, waste=waste)
        add(before, WASTE_UP, (card, "foundation"))
        lay(before, KlondikeKind.WASTE_DOWN, 0, card)
    return found


class Weights(NamedTuple):
    """A column of Table 1; `up_less` is what a card's rank takes off feature 1."""

    up: int
    up_less: int
    talon: int
    pair: int
    blocks_suit: int
    blocks_build: int


TABLE_1 = (Weights(5, 1, 0, -5, -5, -10), Weights(5, 0, 1, -1, -1, -5))


@lru_cache(_KEPT)
def naive_value(position: KlondikePosition, heuristic: int) -> int:
    """H1 (0) or H2 (1) of a position."""
    weights = TABLE_1[heuristic]
    total = 0
    for height in position.foundations:
        for r in range(height):
            total += weights.up - weights.up_less * r
    face_down = hidden(position)
    for card in face_down:
        total += rank(card) - 13
        if twin(card) in face_down and card < twin(card):
            total += weights.pair
    total += weights.talon * len(drawable(position.rules, position.stock, position.waste))
    for down, up in zip(position.down, position.up, strict=True):
        column = down + up
        for at, above in enumerate(column):
            if at > 0 and column[at - 1] in up:
                continue  # rests on a face-up card: blocks nothing
            for under in column[:at]:
                if suit(under) == suit(above) and rank(under) < rank(above):
                    total += weights.blocks_suit
                if under in PARENTS[above]:
                    total += weights.blocks_build
    return total


def category(position: KlondikePosition, macro: Macro, after: KlondikePosition) -> int:
    """Its place in the order of section 4.4, 1 to 6."""
    card, onto = macro
    in_tableau = any(card in up for up in position.up)
    reveals = hidden(after) != hidden(position)
    if onto == "foundation":
        return 1 if in_tableau and reveals else 2
    if in_tableau:
        return 3 if reveals else 6
    return 5 if card in tops(position) else 4


@lru_cache(_KEPT)
def ordered_macros(position: KlondikePosition) -> list[tuple[int, Macro, KlondikePosition]]:
    """The macro moves but for those that foundation progression forbids: category, move, result."""

    def stays_up(card: int) -> bool:
        return rank(card) < 2 or all(height > rank(card) - 2 for height in position.foundations)

    def place(entry: tuple[int, Macro, KlondikePosition]) -> tuple[int, int, int]:
        number, (card, onto), _ = entry
        crossed = 0
        if isinstance(onto, int):
            crossed = int(BIT_OF_CARD[card] + BIT_OF_CARD[onto]) % 2
        return number, int(BIT_OF_CARD[card]), crossed

    found = [(category(position, m, after), m, after) for m, after in macros(position).items()]
    return sorted(
        (entry for entry in found if entry[0] != 5 or not stays_up(entry[1][0])), key=place
    )


@lru_cache(_KEPT)
def naive_actions(position: KlondikePosition, pairs: int) -> list[tuple[Action, KlondikePosition]]:
    """The actions to consider, in their order, and the position that each leads to."""
    found: list[tuple[Action, KlondikePosition]] = []
    for number, macro, after in ordered_macros(position):
        returns = number in (5, 6) and position in macros(after).values()
        if not returns or pairs == SINGLE:
            found.append(((macro,), after))
        elif pairs != NONE:
            assert pairs in (NEEDED, ANY)
            for _, second, end in ordered_macros(after):
                if second[0] == macro[0] or (pairs == NEEDED and second in macros(position)):
                    continue
                found.append(((macro, second), end))
    return found


@lru_cache(_KEPT)
def naive_is_dead_end(position: KlondikePosition) -> bool:
    """Whether the game in which nothing that was once possible is ever lost has no win."""
    rules = position.rules
    open_cards = {up[-1] for up in position.up if up}  # can be built upon, and can go up
    face_up = {card for up in position.up for card in up}
    left: set[int] = set()  # have left the place in the tableau where they lie now
    raised = {
        make_card(r, s) for s, height in enumerate(position.foundations) for r in range(height)
    }
    topmost = tops(position)  # tops of foundations
    shown = set(drawable(rules, position.stock, position.waste))
    taken: set[int] = set()
    empty = any(not up for up in position.up)
    order = position.waste + position.stock

    def may_be_placed(card: int) -> bool:
        if rank(card) == KING:
            return empty
        return not open_cards.isdisjoint(PARENTS[card])

    def may_rise(card: int) -> bool:
        return rank(card) == 0 or card - 4 in raised

    facts = [open_cards, face_up, left, raised, topmost, shown, taken]
    while len(raised) < 52:
        before = [*map(len, facts), empty]
        for card in sorted(open_cards | shown):
            if may_rise(card):
                raised.add(card)
                left |= {card} & open_cards
                taken |= {card} & shown
        for down, up in zip(position.down, position.up, strict=True):
            # Without partial runs only the lowest face-up card of a column moves, and each
            # face-down card is that once it has been turned up.
            movable = down + up if rules.partial_runs else down + up[:1]
            left.update(filter(may_be_placed, face_up.intersection(movable)))
            for below, above in pairwise(down + up):
                if above in left:
                    open_cards.add(below)
                    face_up.add(below)
            empty = empty or (*down, *up, None)[0] in left
        for card in list(shown):
            if may_be_placed(card):
                open_cards.add(card)
                taken.add(card)
        for card in list(topmost):
            if may_be_placed(card):
                open_cards.add(card)
                if rank(card) > 0:
                    topmost.add(card - 4)
        gone = 0  # of the cards before it
        for place, card in enumerate(order):
            if gone >= (place + 1) % rules.draw or taken.issuperset(order[place + 1 : place + 2]):
                shown.add(card)
            gone += card in taken
        if before == [*map(len, facts), empty]:
            return True
    return False


class Step(NamedTuple):
    """A position that a call begins to explore, with its value; `nodes` have been seen before."""

    nodes: int
    stage: int
    level: int
    value: int
    position: KlondikePosition


class NaiveRollouts:
    """One search of one game by the procedure of Figure 9.

    Args:
        levels: the nesting of each stage.
        first: the heuristic of the first stage; the others follow it.
        reading: of the paper.
        time_is_up: whether time is up from the start.

    Attributes:
        nodes: positions given a value or explored.
        plays: actions played in rollouts.
        trace: every position explored, in the order in which it is begun.
        cached: what each stage's cache holds: positions and the nesting they were explored at.
    """

    def __init__(
        self, levels: tuple[int, ...], first: int, reading: RolloutReading, time_is_up: bool = False
    ) -> None:
        self.levels = levels
        self.first = first
        self.reading = reading
        self.time_is_up = time_is_up
        self.nodes = 0
        self.plays = 0
        self.trace: list[Step] = []
        self.cached: list[dict[KlondikePosition, int]] = [{} for _ in levels]

    def play(self, position: KlondikePosition) -> tuple[bool, list[Action]]:
        """Whether the game is won from a settled position that is no dead end; by which actions."""
        worth, line = self.explore(position, 0, self.levels[0])
        return worth == WIN, line if worth == WIN else []

    def value(self, position: KlondikePosition, stage: int) -> int:
        return naive_value(position, self.first + stage)

    def explore(
        self, position: KlondikePosition, stage: int, level: int
    ) -> tuple[int, list[Action]]:
        """The procedure from line 4 on; the actions that win follow the value WIN."""
        if self.cached[stage].get(position, -1) < level:
            return self.roll_out(position, stage, level)
        if stage == len(self.levels) - 1:
            return self.value(position, stage), []
        return self.explore(position, stage + 1, self.levels[stage + 1])

    def roll_out(
        self, position: KlondikePosition, stage: int, level: int
    ) -> tuple[int, list[Action]]:
        """Lines 7 to 14."""
        is_last = stage == len(self.levels) - 1
        visited: list[KlondikePosition] = []
        line: list[Action] = []
        while True:
            own = self.value(position, stage)
            visited.append(position)
            self.trace.append(Step(self.nodes, stage, level, own, position))
            self.keep(position, stage, level)
            best, chosen = LOSS, None
            for action, child in naive_actions(position, self.reading.pairs):
                worth, rest = self.rate(child, stage, level, visited)
                if worth == WIN:
                    return WIN, [*line, action, *rest]
                if worth > best:
                    best, chosen = worth, (action, child)
            if chosen is None or (
                not is_last and (best < own or (best == own and self.reading.plateaus == 1))
            ):
                if is_last:
                    return own, []
                worth, rest = self.explore(position, stage + 1, self.levels[stage + 1])
                return worth, [*line, *rest]

            action, position = chosen
            line.append(action)
            self.plays += 1
            if position in visited:
                assert self.reading.loops == LOSE
                return LOSS, []
            if self.reading.dead == VALUED and naive_is_dead_end(position):
                return self.value(position, stage), []

    def keep(self, position: KlondikePosition, stage: int, level: int) -> None:
        """Note in the cache that a position is explored at a nesting."""
        cached = self.cached[stage]
        if level > 0 and (position in cached or len(cached) < self.reading.capacity):
            cached[position] = max(level, cached.get(position, 0))

    def rate(
        self, child: KlondikePosition, stage: int, level: int, visited: list[KlondikePosition]
    ) -> tuple[int, list[Action]]:
        """Lines 1 to 3 for a child, and what follows."""
        if child.is_won:
            return WIN, []
        self.nodes += 1
        if self.reading.loops == LEFT_OUT and child in visited:
            return LOSS, []
        if self.reading.dead == LOST_AT_ONCE and naive_is_dead_end(child):
            return LOSS, []
        if level == 0 or self.time_is_up:
            return self.value(child, stage), []
        if self.reading.dead == VALUED and naive_is_dead_end(child):
            return self.value(child, stage), []
        return self.explore(child, stage, level - 1)


def macro_of(move: int) -> Macro:
    """A macro move of the kernels in the referee's cards."""
    bit, destination = move & CARD, move >> 6
    card = int(CARD_OF_BIT[bit])
    if destination == FOUNDATION:
        return card, "foundation"
    if destination == COLUMN:
        return card, "column"
    lower, upper = sorted(build_cards(card), key=suit)
    return card, lower if (destination == STRAIGHT) == (suit(card) < 2) else upper


def action_of(action: int) -> Action:
    """An action of the kernels in the referee's cards."""
    first = macro_of(action & FIRST_MOVE)
    return (first, macro_of((action >> SECOND) - 1)) if action >> SECOND else (first,)
