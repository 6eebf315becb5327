"""Sets of loose cards by the locked cards that they belong to: what the game by hand has decided.

Each combination of locked counts has a list of sets that are lost, with those not yet decided, and
one of sets that are won, both from the latest to the first.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import search_kernel
from engine.records import new_record
from solvers.klondike.exact_all.position import COLUMNS

# How many sets of a list are looked at, the latest ones.
LOOKED_AT = 24
LOST, WON = 0, COLUMNS

COUNTS = (
    "epoch",  # which lists are those of the search at hand
    "entries",
)

_LOW_32 = (1 << 32) - 1
_VOID = -1


class SetLists(NamedTuple):
    """Lists of sets.

    slots: int64[2 * COLUMNS], by `LOST` or `WON` + combination of locked counts: the epoch shifted
        by 32, and the number of the latest entry plus 1.
    pool: int64[3 * n], of entry i the number of the entry before it plus 1, the combination, and
        the set, or `_VOID`.
    counts: a record of COUNTS.
    """

    slots: NDArray[np.int64]
    pool: NDArray[np.int64]
    counts: Any


def new_lists(entries: int) -> SetLists:
    """Make lists with room for so many sets."""
    return SetLists(
        np.zeros(2 * COLUMNS, dtype=np.int64),
        np.zeros(3 * entries, dtype=np.int64),
        new_record(COUNTS),
    )


@search_kernel
def clear_lists(lists):
    """Empty all lists."""
    lists.counts.epoch += 1
    lists.counts.entries = 0


@search_kernel
def add_set(lists, which, columns, loose):
    """Add a set to a list; return the number of its entry, or -1 if there is no room."""
    number = lists.counts.entries
    if 3 * number + 3 > lists.pool.shape[0]:
        return -1
    lists.pool[3 * number] = _latest(lists, which, columns)
    lists.pool[3 * number + 1] = columns
    lists.pool[3 * number + 2] = loose
    lists.slots[which + columns] = lists.counts.epoch << 32 | (number + 1)
    lists.counts.entries = number + 1
    return number


@search_kernel
def has_subset(lists, columns, loose):
    """Whether one of the latest lost sets lies within a set."""
    number = _latest(lists, LOST, columns)
    for _ in range(LOOKED_AT):
        if number == 0:
            return False
        entry = lists.pool[3 * number - 1]
        if entry != _VOID and entry & ~loose == 0:
            return True
        number = lists.pool[3 * number - 3]
    return False


@search_kernel
def has_superset(lists, columns, loose):
    """Whether one of the latest won sets contains a set."""
    number = _latest(lists, WON, columns)
    for _ in range(LOOKED_AT):
        if number == 0:
            return False
        if loose & ~lists.pool[3 * number - 1] == 0:
            return True
        number = lists.pool[3 * number - 3]
    return False


@search_kernel
def void_entry(lists, number):
    """Make an entry stand for nothing."""
    lists.pool[3 * number + 2] = _VOID


@search_kernel
def _latest(lists, which, columns):
    slot = lists.slots[which + columns]
    return slot & _LOW_32 if slot >> 32 == lists.counts.epoch else 0
