"""Answers: verdicts of positions and of their moves; chances where cards are not known."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from engine.errors import BadInput
from thoughtful.positions import Position, position
from thoughtful.reading import entry_of, seconds_of, whole
from thoughtful.solutions import Solution
from thoughtful.solving import Given

if TYPE_CHECKING:
    import pandas as pd

    from catalogue.asking import Subject
    from engine.game import Rules


@dataclass(frozen=True, slots=True)
class Hint:
    """A legal move and what it leads to.

    Attributes:
        move: the move.
        verdict: of the position after it: ``winnable``, ``unwinnable`` or ``undecided``.
        length: moves of the shortest win found that begins with it; None without one.
        after: the position after it.
        same_as: an earlier move to the same position but for the order of cells or columns, or
            None; a table leaves such moves out.
    """

    move: str
    verdict: str
    length: int | None
    after: Position
    same_as: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a deal or a position can be won, and by which moves.

    Attributes:
        verdict: ``winnable``, ``unwinnable``, or ``undecided`` where the time did not suffice.
        solution: of a win, replayed by the referee; None if none was found.
        nodes: positions that were entered, if they are counted.
        reason: what ended the search before all was known, in words; else None.
        moves: a hint for each legal move, the best first, of `hint`; else none.
    """

    verdict: str
    solution: Solution | None
    nodes: int
    reason: str | None
    moves: tuple[Hint, ...]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(each.move)}</td><td>{each.verdict}</td>"
            f"<td>{'' if each.length is None else each.length}</td></tr>"
            for each in self.moves
            if each.same_as is None
        )
        head = "<tr><th>move</th><th>after it</th><th>moves to the win</th></tr>"
        words = f"<p>{self.verdict}</p>"
        if rows:
            return f"{words}<table>{head}{rows}</table>"
        return words if self.solution is None else words + self.solution._repr_html_()


def verdict(given: Given, rules: str | None = None, seconds: float = 1.0) -> Answer:
    """Whether a deal or a position can be won, within about that time.

    Raises:
        BadInput: it is none, or none that a table could show.
    """
    return _answer(position(given, rules), "solution", seconds)


def hint(given: Given, rules: str | None = None, seconds: float = 1.0) -> Answer:
    """Every legal move of a deal or a position with its verdict, within about that time.

    All cards must be known.

    Args:
        given: a deal or a position, see `position`.
        rules: the ruleset; by default that of what is given, see `position`.
        seconds: after which no further question is asked; the moves left are undecided.

    Raises:
        BadInput: it is no position, or none that a table could show.
    """
    return _answer(position(given, rules), "moves", seconds)


def _answer(start: Position, about: "Subject", seconds: float) -> Answer:
    from catalogue.asking import Question, answer
    from solvers.deciding import Budget

    budget = Budget(1000 * seconds_of(seconds))
    found = answer(Question(start.referee, start.referee, about=about, budget=budget))
    return Answer(
        found.verdict.value,
        Solution(start, found.win) if found.win or start.is_won else None,
        found.nodes or 0,
        found.reason,
        tuple(
            Hint(
                str(each.move),
                each.verdict.value,
                each.length,
                Position(each.after),
                None if each.same_as is None else str(each.same_as),
            )
            for each in found.moves
        ),
    )


def chances(
    given: Given,
    rules: str | None = None,
    *,
    seconds: float = 10.0,
    samples: int = 1000,
    player: str | None = None,
    seed: int = 0,
) -> "pd.DataFrame":
    """How often a player wins after each play, if face-down cards are not known.

    The unknown cards are dealt at random again and again, all ways being equally likely, and a
    player that sees no face-down card plays on, in games that are independent of each other.

    Args:
        given: a position as text or JSON with ``??`` for unknown cards; or a deal or a position,
            of which a player sees what a person would see.
        rules: the ruleset; by default that of what is given, see `position`.
        seconds: by the clock, after which no further games begin; 0 for the first ones alone.
        samples: most times that the unknown cards are dealt; 0 for the advice alone.
        player: who plays on; by default the strongest of the ruleset's players that are quick.
        seed: of all random numbers.

    Returns:
        One row a play, the best first, or the advised one if no other is clearly better: ``moves``
        up to the first card that turns up; ``advice``, the chance to win in the mind of the player
        that advises; ``chance``, the share of games won, with the ends ``low`` and ``high`` of its
        95 % interval, which holds whenever the games are stopped; ``wins`` and ``games``.

    Raises:
        BadInput: what is seen is impossible, or no player plays on from there.
    """
    from catalogue.chances import advice_on, chosen_player
    from catalogue.chances import chances as played
    from thoughtful.frames import LIST, REAL, WHOLE, frame

    whole(samples, "samples", 0, 1_000_000)
    whole(seed, "seed", 0, 2**31 - 1)
    ruleset, observation = _seen(given, rules)
    by = chosen_player(ruleset, player)
    if by is None:
        raise BadInput(f"no player plays on from positions under {ruleset.slug}")
    plays = played(
        observation,
        ruleset,
        by,
        samples=samples,
        seconds=seconds_of(seconds),
        seed=seed,
        advice=advice_on(observation, ruleset),
    )
    rows = [
        {
            "moves": list(map(str, each.moves)),
            "advice": None if each.advice is None else each.advice.chance,
            "chance": each.chance,
            "low": each.interval.low,
            "high": each.interval.high,
            "wins": each.wins,
            "games": each.games,
        }
        for each in plays
    ]
    types = {"moves": LIST, "advice": REAL, "chance": REAL, "low": REAL, "high": REAL}
    return frame(rows, types | {"wins": WHOLE, "games": WHOLE})


def _seen(given: Given, rules: str | None) -> "tuple[Rules, Mapping[str, Any]]":
    """The ruleset, and what a person sees of a position."""
    if isinstance(given, str | dict):
        entry = entry_of(given, rules)
        return entry.rules, entry.observation or entry.position.observation()
    start = position(given, rules)
    return start.referee.rules, start.observation()
