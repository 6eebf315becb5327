"""Transposition table for rulesets under which more than foundations, columns and stock matters.

A row is two words: place and stock mask; waste, redeals left and the card just brought. Where only
whole runs move it is four: the second word has the first plane of the arrangement instead of the
card, which stands beside the second plane in the third; the fourth has the bases (see
`solvers.klondike.exact.arrangement`). Open addressing with linear probing by the hash of all
but waste and redeals, so that the rows of which one may offer as much as another stand together.

A position offers at least as much as the same one with another waste and other redeals if it can
reach it by turning and redealing [limited redeals].
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import popcount
from engine.kernels.decorators import search_kernel
from engine.kernels.filling import fill_part
from engine.klondike.stock_turns import STOCK_MASK
from solvers.klondike.exact.table import DOMINATED, NEW

# Of the second word: bits of the waste and of the redeals left, and of both.
_WASTE, _OF_STOCK = 5, 10
_MASK = (1 << 5) - 1
_PLANE = 52  # bits of a plane
_GONE = -2
_MULTIPLIERS = (0x5851F42D, 0x4C957F2D)
_LOW_32 = (1 << 32) - 1


@search_kernel
def words_of(whole):
    """Return how many words a row has; None: parts of runs may move."""
    if whole is None:
        return 2
    return 4


@search_kernel
def row_of(place, mask, waste, redeals, brought, low, high, bases, whole):
    """Return the words of a position, of which the last two may not belong to its row."""
    first = (place << 24 | mask) + 1
    of_stock = waste | redeals << _WASTE
    if whole is None:
        return first, of_stock | (brought + 1) << _OF_STOCK, 0, 0
    return first, of_stock | low << _OF_STOCK, high | (brought + 1) << _PLANE, bases


@search_kernel
def enter_row(table, size, row, draw, whole):
    """Probe for a position and save it; return NEW or DOMINATED."""
    words = words_of(whole)
    at = words * (_hash(row, whole) & (size - 1))
    last = words * size
    free = -1
    while table[at] != 0:
        if table[at] == _GONE:
            if free < 0:
                free = at
        elif (
            table[at] == row[0]
            and (table[at + 1] ^ row[1]) >> _OF_STOCK == 0
            and _same_arrangement(table, at, row, whole)
            and _offers(
                table[at + 1] & _MASK,
                (table[at + 1] >> _WASTE) & _MASK,
                row[1] & _MASK,
                (row[1] >> _WASTE) & _MASK,
                popcount((row[0] - 1) & STOCK_MASK),
                draw,
            )
        ):
            return DOMINATED
        at += words
        if at == last:
            at = 0
    if free < 0:
        free = at
    _write(table, free, row, whole)
    return NEW


@search_kernel
def _same_arrangement(table, at, row, whole):
    if whole is None:
        return True
    return table[at + 2] == row[2] and table[at + 3] == row[3]


@search_kernel
def _read(table, at, whole):
    if whole is None:
        return table[at], table[at + 1], 0, 0
    return table[at], table[at + 1], table[at + 2], table[at + 3]


@search_kernel
def _write(table, at, row, whole):
    table[at] = row[0]
    table[at + 1] = row[1]
    if whole is not None:
        table[at + 2] = row[2]
        table[at + 3] = row[3]


@search_kernel
def _offers(waste, redeals, other_waste, other_redeals, cards, draw):
    """Whether a waste and redeals left can be turned into others."""
    if other_redeals > redeals:
        return False
    # A fresh pass reaches each multiple of the draw, and the end.
    at_stop = other_waste % draw == 0 or other_waste == cards
    if at_stop and (redeals > other_redeals or waste == 0 or other_waste == cards):
        return True
    if waste == other_waste:
        return True
    return waste < other_waste and (other_waste - waste) % draw == 0


@search_kernel
def forget_row(table, size, row, whole):
    """Take a position out that was entered as NEW."""
    words = words_of(whole)
    at = words * (_hash(row, whole) & (size - 1))
    last = words * size
    while table[at] != 0:
        if (
            table[at] == row[0]
            and table[at + 1] == row[1]
            and _same_arrangement(table, at, row, whole)
        ):
            table[at] = _GONE
            return
        at += words
        if at == last:
            at = 0


@search_kernel
def grow_rows(table, size, whole, spare, free):
    """Spread all rows over twice as many slots, in place; return how many there are.

    In the order of `solvers.klondike.exact.table.grow`, and for its reasons. Rows that were taken
    out are left behind. Those that must wait do so in `spare[free:]`; where there is no room for
    them nothing is done, and -1 returned.
    """
    words = words_of(whole)
    bigger = 2 * size
    first = 0
    while table[words * first] != 0:
        first += 1
    if free + words * first > spare.shape[0]:
        return -1
    fill_part(table, words * size, words * bigger, 0)
    for at in range(words * first):
        spare[free + at] = table[at]
        table[at] = 0
    used = 0
    for number in range(first, size):
        row = _read(table, words * number, whole)
        table[words * number] = 0
        used += _settle(table, bigger, row, whole)
    for number in range(first):
        used += _settle(table, bigger, _read(spare, free + words * number, whole), whole)
    return used


@search_kernel
def _settle(table, size, row, whole):
    """Write a row to the first empty slot from its hash on; returns 0 if it is none."""
    if row[0] == 0 or row[0] == _GONE:
        return 0
    words = words_of(whole)
    slot = _hash(row, whole) & (size - 1)
    while table[words * slot] != 0:
        slot = (slot + 1) & (size - 1)
    _write(table, words * slot, row, whole)
    return 1


@search_kernel
def _hash(row, whole):
    """Return a hash of 62 bits, of all but waste and redeals."""
    mixed = _mix(row[0])
    mixed = _mix(mixed ^ row[1] >> _OF_STOCK)
    if whole is None:
        return mixed
    mixed = _mix(mixed ^ row[2])
    return _mix(mixed ^ row[3])


@search_kernel
def _mix(word):
    low, high = word & _LOW_32, (word >> 32) & (_LOW_32 >> 1)
    mixed = (low * _MULTIPLIERS[0] ^ high * _MULTIPLIERS[1]) & ((1 << 62) - 1)
    return mixed ^ (mixed >> 29)
