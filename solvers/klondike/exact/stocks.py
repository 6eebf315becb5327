"""Store of the stocks that positions were entered with, place by place: dominance at draw 1.

Two positions with the same `place` (see `solvers.klondike.exact.position`) differ only in which
cards of the stock have been brought down. At draw 1 the one with more cards left offers at least as
much, so a position is dominated by any that was entered with the same place and a stock that
contains its own [stock dominance].
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import prefetch, search_kernel, small_kernel
from engine.kernels.filling import fill_part
from engine.kernels.records import new_record, record_in, record_type
from engine.klondike.stock_turns import STOCK_MASK
from solvers.klondike.exact.table import FULL

SMALLEST_STORE = 1 << 9

COUNTS = (
    "capacity",  # of the table of slots
    "used",  # its slots that are taken
    "entries",
)
_COUNTS = record_type(COUNTS)

_LOW_32 = (1 << 32) - 1


class StockStore(NamedTuple):
    """Stocks of each place, as a list from the latest to the first.

    slots: int64[2 ** k], open addressing with linear probing over places; the table of n slots, n
        the capacity (a power of two), is ``slots[n : 2 * n]``; a slot is ``place + 1 << 32`` with
        the number of the latest entry plus 1 below; 0 marks a free slot.
    pool: int64[2 * n]; ``pool[2 * i]``, of entry i: the number of the entry before it at the same
        place plus 1, shifted by 32, and the set of cards *not* in the stock; ``pool[2 * i + 1]``,
        its place.
    counts: a record of COUNTS.
    """

    slots: NDArray[np.int64]
    pool: NDArray[np.int64]
    counts: Any


def new_store(slots: int, pool: int) -> StockStore:
    """Make a store with arrays of these lengths; `clear_store` makes it ready."""
    return StockStore(
        np.zeros(slots, dtype=np.int64),
        np.zeros(pool, dtype=np.int64),
        new_record(COUNTS),
    )


# Arrays of words, see `engine.kernels.records`.
STORE_WORDS = 3


@small_kernel
def store_in(words, at):
    """The store whose three words begin at some place, see `engine.kernels.records`."""
    return StockStore(words[at], words[at + 1], record_in(words[at + 2], _COUNTS))


@search_kernel
def clear_store(store):
    """Empty the store."""
    store.counts.capacity = SMALLEST_STORE
    store.counts.used = 0
    store.counts.entries = 0
    fill_part(store.slots, SMALLEST_STORE, 2 * SMALLEST_STORE, 0)


@search_kernel
def is_dominated(store, place, stock_mask):
    """Whether the position was entered with this stock or one that contains it."""
    number = store.slots[_probe(store.slots, store.counts.capacity, place)] & _LOW_32
    while number != 0:
        entry = store.pool[2 * number - 2]
        if entry & stock_mask == 0:
            return True
        number = entry >> 32
    return False


@search_kernel
def save_stock(store, place, stock_mask):
    """Save a position; return the number of its entry, or FULL."""
    slots, pool, counts = store
    size = counts.capacity
    if 3 * counts.used > 2 * size:
        if 4 * size > slots.shape[0]:
            return FULL
        _grow(slots, size)
        size *= 2
        counts.capacity = size
    number = counts.entries
    if 2 * number + 2 > pool.shape[0]:
        return FULL
    slot = _probe(slots, size, place)
    if slots[slot] == 0:
        counts.used += 1
    pool[2 * number] = (slots[slot] & _LOW_32) << 32 | (STOCK_MASK & ~stock_mask)
    pool[2 * number + 1] = place
    slots[slot] = (place + 1) << 32 | (number + 1)
    counts.entries = number + 1
    return number


@search_kernel
def roll_back(store, count):
    """Remove all but the first `count` entries."""
    slots, pool, counts = store
    for number in range(counts.entries - 1, count - 1, -1):
        slot = _probe(slots, counts.capacity, pool[2 * number + 1])
        slots[slot] = (slots[slot] >> 32) << 32 | pool[2 * number] >> 32
    counts.entries = count


@search_kernel
def prefetch_place(store, place):
    """Prefetch the slot of a place that is to be probed soon."""
    size = store.counts.capacity
    prefetch(store.slots, size + (_hash(place) & (size - 1)))


@search_kernel
def _hash(place):
    """Return the hash of a place."""
    mixed = (place * 0x9E3779B1) >> 3
    return mixed ^ (mixed >> 29)


@search_kernel
def _probe(slots, size, place):
    """Return the slot where the place is, or would be put."""
    slot = _hash(place) & (size - 1)
    while True:
        entry = slots[size + slot]
        if entry == 0 or entry >> 32 == place + 1:
            return size + slot
        slot = (slot + 1) & (size - 1)


@search_kernel
def _grow(slots, size):
    """Move all slots to the table of twice the size, which lies right behind."""
    fill_part(slots, 2 * size, 4 * size, 0)
    for at in range(size, 2 * size):
        entry = slots[at]
        if entry != 0:
            slots[_probe(slots, 2 * size, (entry >> 32) - 1)] = entry
