"""Transposition table of the exact search: which positions were entered, with which wastes.

Open addressing with linear probing over exact keys; see `docs/search/positions.md`.
A position is known here by its `place` (foundation heights and locked cards, below 2³¹), the mask
of the cards left in its stock, how many of them lie in the waste, and, where a card of the
foundations has just been brought, its suit, else -1.

The table of `size` entries (a power of two) is ``table[:size]``; 0 marks a free entry. An
entry is ``place << 32 | stock mask << 8 | field``, exact, with no hash in it. Its field says for
which wastes the position was entered [waste]:

* up to draw 3, the smallest waste w with w mod draw = 1 in the low four bits and with
  w mod draw = 2 in the high four (w // draw + 1, or 0 for none), because a larger waste of the same
  remainder, and a waste of 0, offers no more;
* above draw 3, or with the rule switched off, the waste itself: of a position there are as many
  entries as wastes, or as remainders of them, which stand in one row of entries;
* for a position in which a card was just brought, `_BROUGHT` + 4 · waste + its suit: what is tried
  there depends on the card.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import prefetch, search_kernel
from engine.kernels.filling import fill_part
from engine.klondike.stock_turns import STOCK_MASK

SMALLEST_TABLE = 1 << 10

# What entering a position finds, if not the field of its entry, which was widened.
NEW = -1
DOMINATED = -2
NO_ENTRY = -3  # of positions that have none
FULL = -4  # there is no room for one

_BROUGHT = 0x90  # field values from here on mark positions in which a card was just brought
_HASH_LOW = 0x5851F42D
_HASH_HIGH = 0x4C957F2D
_LOW_32 = (1 << 32) - 1


@search_kernel
def enter(table, size, place, mask, waste, brought, draw, each_waste):
    """Probe for a position and save it.

    Returns:
        NEW if it had no entry, DOMINATED if it was entered with a waste that offers as much, else
        the field of its entry before that was widened.
    """
    exact_field = _exact_field(waste, brought, each_waste)
    slot = _probe(table, size, place, mask, exact_field)
    entry = table[slot]
    if entry == 0:
        field = exact_field
        if field < 0:
            field = (waste // draw + 1) << (4 * (waste % draw - 1)) if waste > 0 else 0
        table[slot] = place << 32 | mask << 8 | field
        return NEW
    if exact_field >= 0 or waste == 0:
        return DOMINATED
    shift = 4 * (waste % draw - 1)
    smallest = (entry >> shift) & 15
    offered = waste // draw + 1
    if 0 < smallest <= offered:
        return DOMINATED
    table[slot] = entry + ((offered - smallest) << shift)
    return entry & 255


@search_kernel
def enter_by_remainder(table, size, place, mask, waste, draw):
    """Probe for a position in which no card was just brought, and save it, at any draw.

    Returns:
        NEW if it had no entry for this remainder, DOMINATED if it was entered with a waste that
        offers as much, else the field of that entry, a larger waste; and the wastes that the
        position was entered with before, as a set.
    """
    key = place << 24 | mask
    slot = _hash(place, mask) & (size - 1)
    larger = -1
    wastes = 0
    while True:
        entry = table[slot]
        if entry == 0:
            break
        before = entry & 255
        if entry >> 8 == key and before < _BROUGHT:
            if waste == 0:
                return DOMINATED, 0
            wastes |= 1 << before
            if before > 0 and (before - waste) % draw == 0:
                if before <= waste:
                    return DOMINATED, 0
                larger = slot
        slot = (slot + 1) & (size - 1)
    entry = place << 32 | mask << 8 | waste
    if larger < 0:
        table[slot] = entry
        return NEW, wastes
    before = table[larger] & 255
    table[larger] = entry
    return before, wastes


@search_kernel
def forget(table, size, place, mask, waste, brought, each_waste, entered):
    """Take back what `enter` or `enter_by_remainder` did when it returned `entered`.

    After the latter `each_waste` is true. What was entered later with the same place and mask must
    have been taken back before.
    """
    slot = _probe(table, size, place, mask, _exact_field(waste, brought, each_waste))
    if entered != NEW:
        table[slot] = place << 32 | mask << 8 | entered
        return
    _empty(table, size, slot)


@search_kernel
def _empty(table, size, slot):
    """Empty a slot. Entries behind the gap move up unless they stand at or after their own first
    slot.
    """
    gap = at = slot
    while True:
        at = (at + 1) & (size - 1)
        entry = table[at]
        if entry == 0:
            break
        first = _hash(entry >> 32, (entry >> 8) & STOCK_MASK) & (size - 1)
        if (at - first) & (size - 1) >= (at - gap) & (size - 1):
            table[gap] = entry
            gap = at
    table[gap] = 0


@search_kernel
def grow(table, size, spare, free):
    """Spread all entries over twice as many slots, in place; return whether that was possible.

    An entry stands at its hash or later, with no free slot between. Entries are moved in the order
    of their slots from a free one on, so all those between an entry and its hash have moved before:
    it finds a free slot at its own or earlier, or in the new half, and passes none that is still to
    be moved. Those before the first free slot, which may belong behind the last, wait in
    `spare[free:]`; where there is no room for them nothing is done.
    """
    first = 0
    while table[first] != 0:
        first += 1
    if free + first > spare.shape[0]:
        return False
    fill_part(table, size, 2 * size, 0)
    for at in range(first):
        spare[free + at] = table[at]
        table[at] = 0
    for at in range(first, size):
        entry = table[at]
        table[at] = 0
        _settle(table, 2 * size, entry)
    for at in range(first):
        _settle(table, 2 * size, spare[free + at])
    return True


@search_kernel
def _settle(table, size, entry):
    """Write an entry, unless it is 0, to the first free slot from its hash on."""
    if entry != 0:
        slot = _hash(entry >> 32, (entry >> 8) & STOCK_MASK) & (size - 1)
        while table[slot] != 0:
            slot = (slot + 1) & (size - 1)
        table[slot] = entry


@search_kernel
def prefetch_position(table, size, place, stock_mask):
    """Prefetch the entry of a position that is to be probed soon."""
    prefetch(table, _hash(place, stock_mask) & (size - 1))


@search_kernel
def _probe(table, size, place, mask, exact_field):
    """Return the slot of the position's entry, or of a free one."""
    key = place << 24 | mask
    slot = _hash(place, mask) & (size - 1)
    while True:
        entry = table[slot]
        if entry == 0:
            return slot
        if entry >> 8 == key:
            field = entry & 255
            if field == exact_field or (exact_field < 0 and field < _BROUGHT):
                return slot
        slot = (slot + 1) & (size - 1)


@search_kernel
def _exact_field(waste, brought, each_waste):
    """Return the field that the entry must have, or -1 for any that is of no brought card.

    `each_waste` says that wastes are to be kept apart.
    """
    if brought >= 0:
        return _BROUGHT + (4 * waste + brought if waste > 0 else brought)
    return waste if each_waste else -1


@search_kernel
def _hash(place, stock_mask):
    """Return a hash of 63 bits; products of 32 and 31 bits never reach the sign."""
    mixed = ((place * _HASH_LOW) ^ (((stock_mask << 8) ^ (place >> 7)) * _HASH_HIGH)) & (
        (1 << 62) - 1
    )
    mixed ^= mixed >> 31
    mixed = ((mixed & _LOW_32) * _HASH_LOW) ^ (mixed >> 29)
    return mixed ^ (mixed >> 27)
