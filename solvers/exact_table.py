"""The transposition table of the exact search: which positions were entered, with which wastes.

Open addressing with linear probing over exact keys; see "Table" and "Waste" in `docs/search.md`.
A position is known here by its `place` (foundation heights and locked cards, below 2³¹) and its
`stock` (bits 0…23 the cards left, bits 24…28 the waste), as in `solvers.exact_kernel`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from numba import njit

STOCK_MASK = (1 << 24) - 1
SMALLEST_TABLE = 1 << 12
SEEN, NEW = -2, -1  # besides fields, what entering a position finds

_AFTER_DOWN = 0x90  # field values from here on mark entries of positions just after a DOWN
_HASH_LOW = 0x5851F42D
_HASH_HIGH = 0x4C957F2D
_LOW_32 = (1 << 32) - 1


@njit(cache=True, nogil=True)
def _hash(place, stock_mask):
    """A scattered number of 63 bits; products of 32 and 31 bits never reach the sign."""
    mixed = ((place * _HASH_LOW) ^ (((stock_mask << 8) ^ (place >> 7)) * _HASH_HIGH)) & (
        (1 << 62) - 1
    )
    mixed ^= mixed >> 31
    mixed = ((mixed & _LOW_32) * _HASH_LOW) ^ (mixed >> 29)
    return mixed ^ (mixed >> 27)


@njit(cache=True, nogil=True)
def _exact_field(stock, last_down_suit, draw):
    """The field that an entry for this position must have, or -1 for any that is no DOWN's."""
    if last_down_suit >= 0:
        return _AFTER_DOWN + 4 * (stock >> 24) + last_down_suit
    return stock >> 24 if draw > 3 else -1


@njit(cache=True, nogil=True)
def _slot(table, size, place, stock, exact_field):
    """Where in the table the position's entry is, or would be put.

    The table of `size` entries (a power of two) is ``table[size : 2 * size]``; 0 marks a free
    entry. An entry is ``place << 32 | stock mask << 8 | field``, exact, with no hash in it. Its
    field says for which wastes the position was entered [waste]:

    * up to draw 3, the smallest waste w with w mod draw = 1 in the low four bits and with
      w mod draw = 2 in the high four (w // draw + 1, or 0 for none), because a larger waste of the
      same remainder, and a waste of 0, offers no more;
    * above draw 3, the waste itself;
    * for a position just after a DOWN, `_AFTER_DOWN` + 4 · waste + suit of the card: what is tried
      there depends on the card.
    """
    key = place << 24 | (stock & STOCK_MASK)
    slot = _hash(place, stock & STOCK_MASK) & (size - 1)
    while True:
        entry = table[size + slot]
        if entry == 0:
            return slot
        if entry >> 8 == key:
            field = entry & 255
            if field == exact_field or (exact_field < 0 and field < _AFTER_DOWN):
                return slot
        slot = (slot + 1) & (size - 1)


@njit(cache=True, nogil=True)
def enter(table, size, place, stock, last_down_suit, draw):
    """Enter a position: SEEN if it was, NEW if it was not, else the field that was widened."""
    exact_field = _exact_field(stock, last_down_suit, draw)
    slot = _slot(table, size, place, stock, exact_field)
    entry = table[size + slot]
    waste = stock >> 24
    if entry == 0:
        field = exact_field
        if field < 0:
            field = (waste // draw + 1) << (4 * (waste % draw - 1)) if waste > 0 else 0
        table[size + slot] = place << 32 | (stock & STOCK_MASK) << 8 | field
        return NEW
    if exact_field >= 0 or waste == 0:
        return SEEN
    shift = 4 * (waste % draw - 1)
    smallest = (entry >> shift) & 15
    offered = waste // draw + 1
    if 0 < smallest <= offered:
        return SEEN
    table[size + slot] = entry + ((offered - smallest) << shift)
    return entry & 255


@njit(cache=True, nogil=True)
def forget(table, size, place, stock, last_down_suit, draw, entered):
    """Take back what `enter` did when it returned `entered`."""
    slot = _slot(table, size, place, stock, _exact_field(stock, last_down_suit, draw))
    if entered != NEW:
        table[size + slot] = place << 32 | (stock & STOCK_MASK) << 8 | entered
        return
    # Entries behind the gap move up unless they stand at or after their own first slot.
    gap = at = slot
    while True:
        at = (at + 1) & (size - 1)
        entry = table[size + at]
        if entry == 0:
            break
        first = _hash(entry >> 32, (entry >> 8) & STOCK_MASK) & (size - 1)
        if (at - first) & (size - 1) >= (at - gap) & (size - 1):
            table[size + gap] = entry
            gap = at
    table[size + gap] = 0


@njit(cache=True, nogil=True)
def grow(table, size):
    """Move all entries to the table of twice the size, which lies right behind."""
    bigger = 2 * size
    table[bigger : 2 * bigger] = 0
    for at in range(size, 2 * size):
        entry = table[at]
        if entry != 0:
            slot = _hash(entry >> 32, (entry >> 8) & STOCK_MASK) & (bigger - 1)
            while table[bigger + slot] != 0:
                slot = (slot + 1) & (bigger - 1)
            table[bigger + slot] = entry
    return bigger
