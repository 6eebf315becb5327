"""Critical moments of a line: the moves before which just one of several plays kept the win.

The one definition for features, pages, the board, datasets and the command line. A line is made of
plays (`solvers.forgiveness`), not of moves alone: turns of the stock belong to the play that they
prepare, and what loses nothing is no play. So a moment is before the move that makes the play.
"""

from collections.abc import Iterator, Sequence

from engine.errors import BadInput
from engine.game import Move, Position, Rules
from solvers.choice import Ability, capable
from solvers.forgiveness import Forgiveness, Plays


def forgiveness_of(rules: Rules) -> Forgiveness:
    """The search for plays that keep a win under a ruleset.

    Raises:
        BadInput: there is nothing for the ruleset.
    """
    solver = capable(rules, Ability.FORGIVE)
    found = None if solver is None else solver.method.forgiveness(rules)
    if found is None:
        raise BadInput(f"no solver tells which plays keep a win under {rules.slug}")
    return found


def plays_along(start: Position, moves: Sequence[Move]) -> Iterator[Plays | None]:
    """For each move of a line the plays before it; None where it is no moment to choose at.

    Raises:
        BadInput: no solver tells the plays of the ruleset.
    """
    return forgiveness_of(start.rules).plays_along(start, moves, 0)


def critical_moments(start: Position, moves: Sequence[Move]) -> tuple[int, ...]:
    """The number of moves before each critical moment of a line.

    Raises:
        BadInput: no solver tells the plays of the ruleset.
    """
    return tuple(at for at, plays in enumerate(plays_along(start, moves)) if _is_critical(plays))


def is_last_critical(start: Position, moves: Sequence[Move]) -> bool:
    """Whether the last move of a line is made at a critical moment; the others are not looked at.

    Raises:
        BadInput: no solver tells the plays of the ruleset.
    """
    found = forgiveness_of(start.rules).plays_along(start, moves, len(moves) - 1)
    return _is_critical(tuple(found)[-1]) if moves else False


def _is_critical(plays: Plays | None) -> bool:
    return plays is not None and plays.is_critical
