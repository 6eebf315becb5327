"""Sets of loose cards by the locked cards that they belong to: what the game by hand has decided.

Each combination of locked counts has a list of sets that are lost, with those not yet decided, and
one of sets that are won, both from the latest to the first. Where `arranged` is not None, a set
only compares with one whose cards lie on the same ones, by the planes of
`solvers.klondike.exact.arrangement`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import inlined_kernel, search_kernel, small_kernel
from engine.kernels.filling import fill_part
from engine.kernels.records import new_record, record_in, record_type
from solvers.klondike.exact.position import COLUMNS

# How many sets of a list are looked at, the latest ones.
RECENT = 24
LOST, WON = 0, COLUMNS
_SMALLEST = 256  # table

COUNTS = (
    "epoch",  # which lists are those of the search at hand
    "entries",
    "capacity",  # of the table of lost sets in use
)

_COUNTS = record_type(COUNTS)

_LOW_32 = (1 << 32) - 1
_VOID = -1


class SetLists(NamedTuple):
    """Lists of sets.

    slots: int64[2 * COLUMNS], by `LOST` or `WON` + combination of locked counts: the epoch shifted
        by 32, and the number of the latest entry plus 1.
    pool: int64[3 * n], of entry i the number of the entry before it plus 1, the combination, and
        the set, or `_VOID`.
    planes: int64[2 * n], of entry i the two planes of its set.
    table: int64[4 * n or more], numbers of the lost sets' entries plus 1, by open addressing with
        linear probing; of the size k in use it is words k…2k.
    counts: a record of COUNTS.
    """

    slots: NDArray[np.int64]
    pool: NDArray[np.int64]
    planes: NDArray[np.int64]
    table: NDArray[np.int64]
    counts: Any


def new_lists(entries: int, arranged: bool) -> SetLists:
    """Make lists with room for a number of sets, whose cards lie on certain others or not."""
    lying = entries if arranged else 0
    return SetLists(
        np.zeros(2 * COLUMNS, dtype=np.int64),
        np.zeros(3 * entries, dtype=np.int64),
        np.zeros(2 * lying, dtype=np.int64),
        np.zeros(max(2 * _SMALLEST, 4 << lying.bit_length()), dtype=np.int64),
        new_record(COUNTS),
    )


# Arrays of words, see `engine.kernels.records`.
LISTS_WORDS = 5


@small_kernel
def lists_in(words, at):
    """The lists whose words begin at some place."""
    return SetLists(
        words[at],
        words[at + 1],
        words[at + 2],
        words[at + 3],
        record_in(words[at + 4], _COUNTS),
    )


@search_kernel
def clear_lists(lists):
    """Empty all lists."""
    lists.counts.epoch += 1
    lists.counts.entries = 0
    lists.counts.capacity = _SMALLEST
    fill_part(lists.table, _SMALLEST, 2 * _SMALLEST, 0)


@search_kernel
def add_set(lists, which, columns, loose, low, high, arranged):
    """Add a set to a list; return the number of its entry, or -1 if there is no room."""
    number = lists.counts.entries
    if 3 * number + 3 > lists.pool.shape[0]:
        return -1
    lists.pool[3 * number] = _latest(lists, which, columns)
    lists.pool[3 * number + 1] = columns
    lists.pool[3 * number + 2] = loose
    if arranged is not None:
        lists.planes[2 * number] = low
        lists.planes[2 * number + 1] = high
    lists.slots[which + columns] = lists.counts.epoch << 32 | (number + 1)
    lists.counts.entries = number + 1
    if arranged is not None and which == LOST:
        if 2 * number >= lists.counts.capacity:
            _grow(lists)
        _put(lists, number)
    return number


@search_kernel
def _put(lists, number):
    """Enter a lost set in the table."""
    size, table, pool = lists.counts.capacity, lists.table, lists.pool
    planes = lists.planes
    mixed = _hash(pool[3 * number + 1], pool[3 * number + 2])
    mixed = _hash(_hash(mixed, planes[2 * number]), planes[2 * number + 1])
    at = mixed & (size - 1)
    while table[size + at] != 0 and pool[3 * table[size + at] - 1] != _VOID:
        at = (at + 1) & (size - 1)
    table[size + at] = number + 1


@search_kernel
def _grow(lists):
    """Move the lost sets to the table of twice the size, right behind, without those made void."""
    small = lists.counts.capacity
    fill_part(lists.table, 2 * small, 4 * small, 0)
    lists.counts.capacity = 2 * small
    for at in range(small, 2 * small):
        number = lists.table[at]
        if number != 0 and lists.pool[3 * number - 1] != _VOID:
            _put(lists, number - 1)


@search_kernel
def _is_lost(lists, columns, loose, low, high):
    """Whether this very set is among the lost ones."""
    size, table, pool = lists.counts.capacity, lists.table, lists.pool
    at = _hash(_hash(_hash(columns, loose), low), high) & (size - 1)
    while table[size + at] != 0:
        number = table[size + at]
        if (
            pool[3 * number - 1] == loose
            and pool[3 * number - 2] == columns
            and _lies_alike(lists, number, loose, low, high, 1)
        ):
            return True
        at = (at + 1) & (size - 1)
    return False


@search_kernel
def _hash(mixed, word):
    """Mix a word of up to 62 bits into a hash of 62 bits."""
    mixed ^= (word & _LOW_32) * 0x5851F42D ^ (word >> 32) * 0x4C957F2D
    mixed = (mixed * 0x2545F491) & ((1 << 62) - 1)
    return mixed ^ (mixed >> 29)


@search_kernel
def has_subset(lists, columns, loose, low, high, arranged):
    """Whether one of the latest lost sets lies within a set, or if arranged any is this one."""
    if arranged is not None and _is_lost(lists, columns, loose, low, high):
        return True
    number = _latest(lists, LOST, columns)
    for _ in range(RECENT):
        if number == 0:
            return False
        entry = lists.pool[3 * number - 1]
        if entry & ~loose == 0 and _lies_alike(lists, number, entry, low, high, arranged):
            return True
        number = lists.pool[3 * number - 3]
    return False


@search_kernel
def has_superset(lists, columns, loose, low, high, arranged):
    """Whether one of the latest won sets contains a set."""
    number = _latest(lists, WON, columns)
    for _ in range(RECENT):
        if number == 0:
            return False
        if loose & ~lists.pool[3 * number - 1] == 0 and _lies_alike(
            lists, number, loose, low, high, arranged
        ):
            return True
        number = lists.pool[3 * number - 3]
    return False


@inlined_kernel
def _lies_alike(lists, number, cards, low, high, arranged):
    """Whether cards lie on the same ones as in an entry, of which the number plus 1 is given."""
    if arranged is None:
        return True
    differing = (lists.planes[2 * number - 2] ^ low) | (lists.planes[2 * number - 1] ^ high)
    return differing & cards == 0


@search_kernel
def void_entry(lists, number):
    """Take the latest lost set of its list out again."""
    pool = lists.pool
    lists.slots[LOST + pool[3 * number + 1]] = lists.counts.epoch << 32 | pool[3 * number]
    pool[3 * number + 2] = _VOID


@search_kernel
def _latest(lists, which, columns):
    slot = lists.slots[which + columns]
    return slot & _LOW_32 if slot >> 32 == lists.counts.epoch else 0
