"""A program that says what `patience-exact` makes of positions with one slip in its source.

It is run by Python itself, which is quicker here than compiling: ``NUMBA_DISABLE_JIT=1``. For each
line of standard input, a JSON list of the path of a file of the source, the text there, what stands
instead of it, and lists of rules as `engine.patience.language` writes them and of a position, it
prints a JSON list of verdicts; ``no play`` where the moves of a win do not win, or the search
fails.
"""

from typing import Any

from mutations.mutation import Slip

VALUES = {"nodes": 3_000, "memory_mib": 4}


SLIPS = (
    Slip(
        "a card goes up though what builds on it cannot follow",
        "row.py",
        "return rule == at.LOOSE and others >= rank - 1",
        "return rule == at.LOOSE and others >= rank - 2",
    ),
    Slip(
        "a card goes up though its colour's other suit is low",
        "row.py",
        "and own >= rank - 2",
        "and own >= rank - 9",
    ),
    Slip(
        "the stricter condition where cards come back",
        "row.py",
        "if others >= rank and not plan[at.REMOVABLE]:",
        "if others >= rank:",
    ),
    Slip(
        "any suit taken for alternating colours",
        "row.py",
        "if building == at.ANY_SUIT:",
        "if building == at.NO_BUILD:",
    ),
    Slip(
        "a card goes up from a column that is filled by force",
        "row.py",
        "covered = plan[at.SAFE] & at.COVERED != 0",
        "covered = False",
    ),
    Slip(
        "a card goes up from a waste of several cards a turn",
        "row.py",
        "        if plan[at.STOCK_TO] == at.TO_WASTE and plan[at.DEAL_COUNT] == 1:\n"
        "            waste, left",
        "        if plan[at.STOCK_TO] == at.TO_WASTE:\n            waste, left",
    ),
    Slip(
        "groups in any order as those that build",
        "plan.py",
        "(STRICT if loose_groups else LOOSE)",
        "LOOSE",
    ),
    Slip(
        "a column that becomes empty keeps a row from being dealt",
        "plan.py",
        "loose_groups or not o.deal_onto_empty or",
        "loose_groups or",
    ),
    Slip(
        "twins on foundations",
        "plan.py",
        "if o.two_decks or o.complete_runs or",
        "if o.complete_runs or",
    ),
    Slip(
        "a card is laid onto its next one that must go to a cell",
        "plan.py",
        "        or o.cells\n",
        "",
    ),
    Slip(
        "a single card keeps another one from moving",
        "plan.py",
        'return KING_BUILDS if o.groups == "no"',
        'return ALL_BUILDS if o.groups == "no"',
    ),
    Slip(
        "columns have no order while rows are dealt",
        "row.py",
        "(1 + column if ordered else 0)",
        "0",
    ),
    Slip(
        "a column does not move as a whole while rows are dealt",
        "steps.py",
        "    if under != NONE:\n        return True\n    counts",
        "    if True:\n        return under != NONE\n    counts",
    ),
    Slip(
        "every waste is a whole number of draws",
        "row.py",
        "waste % plan[at.DEAL_COUNT] == 0):",
        "waste % 1 == 0):",
    ),
    Slip(
        "cards of the second pass taken for those of the first",
        "steps.py",
        "(shown - waste) % draw == 0",
        "(shown - waste) % 1 == 0",
    ),
    Slip(
        "turns are put off though the waste fills columns",
        "plan.py",
        "JUMPS: int(stock_to == TO_WASTE and not automatic)",
        "JUMPS: int(stock_to == TO_WASTE)",
    ),
    Slip(
        "a face-down card is one face up in the key",
        "row.py",
        "    return _mixed(plan[at.KEY_DOWN + card] ^ plan[at.PLACE_KEY + place])",
        "    return _mixed(plan[at.KEY + card] ^ plan[at.PLACE_KEY + place])",
    ),
    Slip(
        "a card that cannot follow does not come back",
        "steps.py",
        "not is_safe(rows, b, plan, pile, height - 1)",
        "not is_safe(rows, b, plan, pile, height - 3)",
    ),
    Slip(
        "more cards pass by cells than there are",
        "steps.py",
        "most = (free + 1) * (empties",
        "most = (free + 2) * (empties",
    ),
    Slip(
        "a group goes to an empty column by way of itself",
        "steps.py",
        "(empties if plan[at.SPACES] == at.ANY else 1)",
        "(empties + 1 if plan[at.SPACES] == at.ANY else 1)",
    ),
)


def verdict(rules: Any, data: Any) -> str:
    """The verdict on one position."""
    from engine.errors import BadInput, IllegalMove
    from engine.patience.language import read_options
    from engine.patience.moves import PatienceMove
    from engine.patience.positions import position_from_json
    from engine.patience.rules import PatienceRules
    from solvers.outcome import Result
    from solvers.patience.searching import solve_position

    ruleset = PatienceRules(read_options(rules), "random", "Random", "random")
    position: Any = position_from_json(data, ruleset)
    try:
        outcome = solve_position(position, VALUES)
        if outcome.result is not Result.WON:
            return outcome.result.value
        moves = outcome.moves or b""
        for at in range(0, len(moves), 3):
            position = position.play(PatienceMove(*moves[at : at + 3]))
    except (AssertionError, IndexError, BadInput, IllegalMove):
        return "no play"
    return "won" if position.is_won else "no play"


def main() -> None:
    """Answer every line."""
    from mutations.slipped import answer_each, verdicts_by

    answer_each(verdicts_by(verdict), "engine.patience.language", "engine.patience.positions")


if __name__ == "__main__":
    main()
