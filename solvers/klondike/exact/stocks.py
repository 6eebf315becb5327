"""Which stocks a position was entered with, place by place, for the dominance of stocks at draw 1.

Two positions with the same `place` (see `solvers.klondike.exact.position`) differ only in which
cards of the stock have been brought down. At draw 1 the one with more cards left offers at least as
much, so a position is closed by any that was entered with the same place and a stock that contains
its own [stock dominance].

A store is three arrays of int64. ``slots``: open addressing with linear probing over places, the
table of `size` slots (a power of two) being ``slots[size : 2 * size]``, a slot ``place + 1 << 32``
with the number of the latest entry plus 1 below, 0 marking a free slot. ``pool[2 * n]``, entry n:
the number of the entry before it at the same place plus 1, shifted by 32, and the set of cards
*not* in the stock; ``pool[2 * n + 1]``, its place. ``meta``: size,
used slots, entries.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels import fetch, search_kernel

STOCK_MASK = (1 << 24) - 1
SMALLEST_STORE = 1 << 9
FULL = -2

_SIZE, _USED, _COUNT = range(3)
_LOW_32 = (1 << 32) - 1


@search_kernel
def clear_store(slots, meta):
    """Empty the store."""
    meta[_SIZE] = SMALLEST_STORE
    meta[_USED] = 0
    meta[_COUNT] = 0
    slots[SMALLEST_STORE : 2 * SMALLEST_STORE] = 0


@search_kernel
def _hash(place):
    """A scattered number."""
    mixed = (place * 0x9E3779B1) >> 3
    return mixed ^ (mixed >> 29)


@search_kernel
def expect_place(slots, meta, place):
    """Begin to fetch what there is of a place that is to be looked up soon."""
    size = meta[_SIZE]
    fetch(slots, size + (_hash(place) & (size - 1)))


@search_kernel
def _slot(slots, size, place):
    """Where the place is, or would be put."""
    slot = _hash(place) & (size - 1)
    while True:
        entry = slots[size + slot]
        if entry == 0 or entry >> 32 == place + 1:
            return size + slot
        slot = (slot + 1) & (size - 1)


@search_kernel
def closed(slots, pool, meta, place, stock_mask):
    """Whether the position was entered with this stock or one that contains it."""
    at = slots[_slot(slots, meta[_SIZE], place)] & _LOW_32
    while at != 0:
        entry = pool[2 * at - 2]
        if entry & stock_mask == 0:
            return True
        at = entry >> 32
    return False


@search_kernel
def add_stock(slots, pool, meta, place, stock_mask):
    """Enter a position; the number of its entry, or FULL."""
    size = meta[_SIZE]
    if 3 * meta[_USED] > 2 * size:
        if 4 * size > slots.shape[0]:
            return FULL
        slots[2 * size : 4 * size] = 0
        for at in range(size, 2 * size):
            entry = slots[at]
            if entry != 0:
                slots[_slot(slots, 2 * size, (entry >> 32) - 1)] = entry
        size *= 2
        meta[_SIZE] = size
    number = meta[_COUNT]
    if 2 * number + 2 > pool.shape[0]:
        return FULL
    slot = _slot(slots, size, place)
    if slots[slot] == 0:
        meta[_USED] += 1
    pool[2 * number] = (slots[slot] & _LOW_32) << 32 | (STOCK_MASK & ~stock_mask)
    pool[2 * number + 1] = place
    slots[slot] = (place + 1) << 32 | (number + 1)
    meta[_COUNT] = number + 1
    return number


@search_kernel
def roll_back(slots, pool, meta, count):
    """Take out all but the first `count` entries."""
    size = meta[_SIZE]
    for number in range(meta[_COUNT] - 1, count - 1, -1):
        slot = _slot(slots, size, pool[2 * number + 1])
        slots[slot] = (slots[slot] >> 32) << 32 | pool[2 * number] >> 32
    meta[_COUNT] = count
