"""Hints: every legal move with its verdict, or with its chance where cards are not known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, overload

from engine.errors import BadInput
from thoughtful.positions import Position, position
from thoughtful.reading import entry_of, seconds_of, whole
from thoughtful.solutions import Solution
from thoughtful.solving import Given

if TYPE_CHECKING:
    import pandas as pd

    from engine.game import Rules


@dataclass(frozen=True, slots=True)
class Hint:
    """A legal move and what it leads to.

    Attributes:
        move: the move.
        verdict: of the position after it: ``winnable``, ``unwinnable`` or ``undecided``.
        length: moves of the shortest win found that begins with it; None without one.
        after: the position after it.
    """

    move: str
    verdict: str
    length: int | None
    after: Position


@dataclass(frozen=True, slots=True)
class Hints(Sequence[Hint]):
    """The hints on a position, the best first.

    Attributes:
        verdict: of the position itself.
        hints: one for each legal move.
        solution: a win from here, if one was found.
    """

    verdict: str
    hints: tuple[Hint, ...]
    solution: Solution | None

    @overload
    def __getitem__(self, at: int) -> Hint: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Hint, ...]: ...
    def __getitem__(self, at: int | slice) -> Hint | tuple[Hint, ...]:
        return self.hints[at]

    def __iter__(self) -> Iterator[Hint]:
        return iter(self.hints)

    def __len__(self) -> int:
        return len(self.hints)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(each.move)}</td><td>{each.verdict}</td>"
            f"<td>{'' if each.length is None else each.length}</td></tr>"
            for each in self.hints
        )
        head = "<tr><th>move</th><th>after it</th><th>moves to the win</th></tr>"
        return f"<p>{self.verdict}</p><table>{head}{rows}</table>"


def hint(given: Given, rules: str | None = None, seconds: float = 1.0) -> Hints:
    """Every legal move of a deal or a position with its verdict, within about that time.

    All cards must be known.

    Args:
        given: a deal or a position, see `position`.
        rules: the ruleset; by default that of what is given, see `position`.
        seconds: after which no further question is asked; the moves left are undecided.

    Raises:
        BadInput: it is no position, or none that a table could show.
    """
    from catalogue.asking import marked_moves
    from solvers.deciding import Budget

    start = position(given, rules)
    found = marked_moves(start.referee, Budget(1000 * seconds_of(seconds)))
    return Hints(
        found.verdict.value,
        tuple(
            Hint(str(each.move), each.verdict.value, each.length, Position(each.after))
            for each in found.moves
        ),
        None if found.win is None else Solution(start, found.win),
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
        samples: most times that the unknown cards are dealt.
        player: who plays on; by default the strongest of the ruleset's players that are quick.
        seed: of all random numbers.

    Returns:
        One row a play, the best first: ``moves`` up to the first card that turns up, ``chance``,
        the ends ``low`` and ``high`` of its 95 % interval, which holds whenever the games are
        stopped, ``wins`` and ``games``.

    Raises:
        BadInput: what is seen is impossible, or no player plays on from there.
    """
    from catalogue.chances import advice_on
    from catalogue.chances import chances as played
    from solvers.registry import ladder, parse_solver
    from thoughtful.frames import LIST, REAL, WHOLE, frame

    whole(samples, "samples", 1, 1_000_000)
    whole(seed, "seed", 0, 2**31 - 1)
    ruleset, observation = _seen(given, rules)
    if player is not None:
        by = parse_solver(player)
        by.check_plays(ruleset)
    elif strengths := ladder(ruleset):
        by = strengths[-1]
    else:
        raise BadInput(f"no player plays on from positions under {ruleset.slug}")
    if by.method.sees != "observation":
        raise BadInput(f"{by} sees face-down cards: expected a player")
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
            "chance": each.chance,
            "low": each.interval.low,
            "high": each.interval.high,
            "wins": each.wins,
            "games": each.games,
        }
        for each in plays
    ]
    types = {"moves": LIST, "chance": REAL, "low": REAL, "high": REAL}
    return frame(rows, types | {"wins": WHOLE, "games": WHOLE})


def _seen(given: Given, rules: str | None) -> "tuple[Rules, Mapping[str, Any]]":
    """The ruleset, and what a person sees of a position."""
    if isinstance(given, str | dict):
        entry = entry_of(given, rules)
        return entry.rules, entry.observation or entry.position.observation()
    start = position(given, rules)
    return start.referee.rules, start.observation()
