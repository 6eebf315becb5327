"""Hints: every legal move with its verdict, the best first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import overload

from thoughtful.positions import Position, position
from thoughtful.reading import seconds_of
from thoughtful.solutions import Solution
from thoughtful.solving import CATEGORIES, Given


@dataclass(frozen=True, slots=True)
class Hint:
    """A legal move and what it leads to.

    Attributes:
        move: the move.
        category: of the position after it: ``winnable``, ``unwinnable`` or ``undecided``.
        length: moves of the shortest win found that begins with it; None without one.
        after: the position after it.
    """

    move: str
    category: str
    length: int | None
    after: Position


@dataclass(frozen=True, slots=True)
class Hints(Sequence[Hint]):
    """The hints on a position, the best first.

    Attributes:
        category: of the position itself.
        hints: one for each legal move.
        solution: a win from here, if one was found.
    """

    category: str
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
            f"<tr><td>{escape(each.move)}</td><td>{each.category}</td>"
            f"<td>{'' if each.length is None else each.length}</td></tr>"
            for each in self.hints
        )
        head = "<tr><th>move</th><th>after it</th><th>moves to the win</th></tr>"
        return f"<p>{self.category}</p><table>{head}{rows}</table>"


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
    from solvers.analysis import analyse

    start = position(given, rules)
    found = analyse(start.referee, 1000 * seconds_of(seconds))
    return Hints(
        CATEGORIES[found.verdict.value],
        tuple(
            Hint(str(each.move), CATEGORIES[each.verdict.value], each.length, Position(each.after))
            for each in found.moves
        ),
        None if found.win is None else Solution(start, found.win),
    )
