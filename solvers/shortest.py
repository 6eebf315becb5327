"""The contract of a method that finds shortest solutions and proves them to be shortest."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.errors import BadInput


@dataclass(frozen=True, slots=True)
class MoveCount:
    """A way to count the moves of a solution; the first of a method is that of standard moves."""

    slug: str
    summary: str


@dataclass(frozen=True, slots=True)
class Shortest:
    """The knowledge about the shortest solution of a position after a search.

    Attributes:
        moves: the shortest solution known, None without one.
        length: its length by the count that was asked for, None without one.
        bound: no solution is shorter than this; None if it is proved that there is none at all.
        nodes: positions entered to find a first solution, and expanded to find the shortest.
        cpu_ms: milliseconds of CPU time of the thread.
        ended_by: what was spent before the search had ended, ``memory``, ``time`` or ``nodes``;
            None if nothing was, and the answer is proved.
    """

    moves: tuple[Any, ...] | None
    length: int | None
    bound: int | None
    nodes: int
    cpu_ms: float
    ended_by: str | None = None

    @property
    def is_proved(self) -> bool:
        """Whether the solution is proved to be a shortest one, or that there is none."""
        return self.bound == self.length


@dataclass(frozen=True, slots=True)
class ShortestSearch:
    """How a method finds shortest solutions.

    Attributes:
        counts: the ways to count moves that it knows.
        find: position, and by name: count (a slug), known (a solution or None), nodes, mebibytes,
            seconds (of CPU time, or None) -> what is known then.
        shorten: position and a solution of it -> one that is not longer, by a search of some 20 ms
            that proves nothing.
        measure: position, a solution of it and the slug of a count -> its length.
    """

    counts: tuple[MoveCount, ...]
    find: Callable[..., Shortest]
    shorten: Callable[[Any, tuple[Any, ...]], tuple[Any, ...]]
    measure: Callable[[Any, tuple[Any, ...], str], int]

    def check_count(self, slug: str) -> None:
        """Raise BadInput unless the method counts so."""
        known = [count.slug for count in self.counts]
        if slug not in known:
            raise BadInput(f"unknown count {slug!r}: expected one of {', '.join(known)}")
