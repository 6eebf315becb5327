"""The grade of a seed: one byte that says whether its deal can be won, and how hard it is.

======  ==================================================================
grade   meaning
======  ==================================================================
0       proved unwinnable
1–10    proved winnable, of that level of difficulty
128     proved winnable, without a level
129     unresolved: solvers gave up
130     unattempted: nobody has tried, or stored what came of it
131     contradicted: one solver won the deal, another proved it unwinnable
======  ==================================================================

A deal of the grades from 129 on is *undecided*. These numbers are part of the binary format
(`docs/lists.md`) and never change.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Grades = NDArray[np.uint8]
Chosen = NDArray[np.bool_]
# Smallest and largest level, both included; None for every winnable deal.
Levels = tuple[int, int] | None

UNWINNABLE, UNGRADED, UNRESOLVED, UNATTEMPTED, CONTRADICTED = 0, 128, 129, 130, 131
HARDEST = 10
CATEGORIES = {
    UNWINNABLE: "unwinnable",
    **dict.fromkeys(range(1, HARDEST + 1), "winnable"),
    UNGRADED: "winnable",
    UNRESOLVED: "unresolved",
    UNATTEMPTED: "unattempted",
    CONTRADICTED: "contradicted",
}
# The categories of undecided deals, with their grades.
UNDECIDED = {CATEGORIES[grade]: grade for grade in (UNRESOLVED, UNATTEMPTED, CONTRADICTED)}


class ListedSeed(NamedTuple):
    """A seed that a list names: a listed deal, or an undecided one, by its grade."""

    seed: int
    grade: int

    @property
    def level(self) -> int | None:
        """The level; None without one."""
        return self.grade if 1 <= self.grade <= HARDEST else None

    @property
    def category(self) -> str:
        """The category of the deal: ``winnable`` or why it is undecided."""
        return CATEGORIES[self.grade]


def winnable(grades: Grades) -> Chosen:
    """Which deals are proved winnable, whatever their level."""
    found: Chosen = graded(grades) | (grades == UNGRADED)
    return found


def graded(grades: Grades) -> Chosen:
    """Which deals have a level."""
    return (grades >= 1) & (grades <= HARDEST)


def listed(grades: Grades, levels: Levels) -> Chosen:
    """Which deals a list has: proved winnable and, if levels are asked for, of one of them."""
    if levels is None:
        return winnable(grades)
    found: Chosen = (grades >= levels[0]) & (grades <= levels[1])
    return found


def undecided(grades: Grades) -> Chosen:
    """Which deals are neither proved winnable nor proved unwinnable."""
    return grades > UNGRADED


def totals(chunks: Iterable[tuple[int, Grades]], levels: Levels) -> tuple[int, int]:
    """How many deals a list has, and how many are undecided, given the grades of its seeds."""
    listed_count = undecided_count = 0
    for _, grades in chunks:
        listed_count += int(listed(grades, levels).sum())
        undecided_count += int(undecided(grades).sum())
    return listed_count, undecided_count


def valid(grades: Grades) -> bool:
    """Whether every byte is a grade."""
    return bool(np.all((grades <= HARDEST) | ((grades >= UNGRADED) & (grades <= CONTRADICTED))))


def grade_of(level: int | None) -> int:
    """The grade of a winnable deal."""
    return UNGRADED if level is None else level


def spans(
    chunks: Iterable[tuple[int, Grades]], choose: Callable[[Grades], Chosen]
) -> Iterator[tuple[int, int]]:
    """The first and the last seed of each run of chosen deals, in order.

    Args:
        chunks: the grades of consecutive seeds, some at a time, each with its first seed.
        choose: which deals of some grades are chosen.
    """
    open_run: tuple[int, int] | None = None
    for first, grades in chunks:
        edges = np.diff(np.concatenate(([False], choose(grades), [False])).astype(np.int8))
        for start, end in np.flatnonzero(edges).reshape(-1, 2).tolist():
            run = first + start, first + end - 1
            if open_run is not None and open_run[1] + 1 == run[0]:
                open_run = open_run[0], run[1]
                continue
            if open_run is not None:
                yield open_run
            open_run = run
    if open_run is not None:
        yield open_run
