"""Lists of made-up grades, for tests of their formats: headers, grades, and what is in a list."""

import io
from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from catalogue.lists.grades import (
    CATEGORIES,
    Grades,
    Levels,
    ListedSeed,
    listed,
    undecided,
)
from catalogue.lists.header import ListHeader
from catalogue.lists.spool import Spool


def header(first: int, count: int, levels: Levels = None, dealer: str = "pysolfc") -> ListHeader:
    """The header of a list that nobody has made."""
    cards = "9S AC 8C"
    solvers = ("exact(nodes=5) v6", "dead-end v2")
    return ListHeader(
        "spider-1", dealer, "pysol-cards 0.24.0", first, count, levels, solvers, cards, "us 1"
    )


def as_bytes(
    write: Callable[[ListHeader, Spool, io.BytesIO], None], answer: ListHeader, grades: Grades
) -> bytes:
    """What a format writes."""
    out = io.BytesIO()
    with Spool(answer.first_seed, answer.seeds) as spool:
        spool.put(answer.first_seed, grades)
        write(answer, spool, out)
    return out.getvalue()


def named(answer: ListHeader, grades: Grades) -> list[ListedSeed]:
    """The seeds that a list names, in order."""
    chosen = listed(grades, answer.levels) | undecided(grades)
    places = np.flatnonzero(chosen).tolist()
    return [ListedSeed(answer.first_seed + at, int(grades[at])) for at in places]


@st.composite
def lists(draw: st.DrawFn, largest: int = 10**20 - 1000) -> tuple[ListHeader, Grades]:
    """A header and grades that fit together."""
    grades = draw(st.lists(st.sampled_from(sorted(CATEGORIES)), min_size=1, max_size=300))
    first = draw(st.integers(1, largest) | st.integers(31_800, 32_100))
    low = draw(st.integers(1, 10))
    levels = draw(st.none() | st.tuples(st.just(low), st.integers(low, 10)))
    return header(first, len(grades), levels), np.array(grades, np.uint8)
