"""Transposition table for rulesets under which more than foundations, columns and stock matters.

A row is four words: place and stock mask; the first plane of the arrangement, the waste and the
card just brought; the second plane and the redeals left; the bases (see
`solvers.klondike.exact_all.arrangement`). Open addressing with linear probing by the hash of all
but waste and redeals, so that the rows of which one may offer as much as another stand together.

A position offers at least as much as the same one with another waste and other redeals if it can
reach it by turning and redealing [limited redeals].
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.filling import fill_part
from engine.kernels import search_kernel
from engine.klondike.stock_turns import STOCK_MASK
from solvers.klondike.exact.table import DOMINATED, NEW

ROW = 4
_PLANE = (1 << 52) - 1
_WASTE = 31 << 52  # of the second word
_REDEALS = 31 << 52  # of the third word
_GONE = -2
_MULTIPLIERS = (0x5851F42D, 0x4C957F2D)
_LOW_32 = (1 << 32) - 1


@search_kernel
def row_of(place, mask, waste, redeals, brought, low, high, bases):
    """The four words of a position."""
    return (
        (place << 24 | mask) + 1,
        low | waste << 52 | (brought + 1) << 57,
        high | redeals << 52,
        bases,
    )


@search_kernel
def enter_row(table, size, row, draw):
    """Probe for a position and save it; return NEW or DOMINATED."""
    at = ROW * (size + (_hash(row) & (size - 1)))
    last = ROW * (2 * size)
    free = -1
    while table[at] != 0:
        if table[at] == _GONE:
            if free < 0:
                free = at
        elif (
            table[at] == row[0]
            and (table[at + 1] ^ row[1]) & ~_WASTE == 0
            and (table[at + 2] ^ row[2]) & ~_REDEALS == 0
            and table[at + 3] == row[3]
            and _offers(
                (table[at + 1] >> 52) & 31,
                table[at + 2] >> 52,
                (row[1] >> 52) & 31,
                row[2] >> 52,
                _count(row[0]),
                draw,
            )
        ):
            return DOMINATED
        at += ROW
        if at == last:
            at = ROW * size
    if free < 0:
        free = at
    for word in range(ROW):
        table[free + word] = row[word]
    return NEW


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
def _count(word):
    cards = (word - 1) & STOCK_MASK
    count = 0
    while cards != 0:
        cards &= cards - 1
        count += 1
    return count


@search_kernel
def forget_row(table, size, row):
    """Take a position out that was entered as NEW."""
    at = ROW * (size + (_hash(row) & (size - 1)))
    last = ROW * (2 * size)
    while table[at] != 0:
        if (
            table[at] == row[0]
            and table[at + 1] == row[1]
            and table[at + 2] == row[2]
            and table[at + 3] == row[3]
        ):
            table[at] = _GONE
            return
        at += ROW
        if at == last:
            at = ROW * size


@search_kernel
def grow_rows(table, size):
    """Move all rows to the table of twice the size, right behind; return how many there are."""
    bigger = 2 * size
    fill_part(table, ROW * bigger, ROW * 2 * bigger, 0)
    used = 0
    for number in range(size, 2 * size):
        at = ROW * number
        if table[at] == 0 or table[at] == _GONE:
            continue
        row = (table[at], table[at + 1], table[at + 2], table[at + 3])
        slot = _hash(row) & (bigger - 1)
        while table[ROW * (bigger + slot)] != 0:
            slot = (slot + 1) & (bigger - 1)
        for word in range(ROW):
            table[ROW * (bigger + slot) + word] = row[word]
        used += 1
    return used


@search_kernel
def _hash(row):
    """Return a hash of 62 bits, of all but waste and redeals."""
    mixed = _mix(row[0])
    mixed = _mix(mixed ^ (row[1] & _PLANE) ^ (row[1] >> 57))
    mixed = _mix(mixed ^ (row[2] & _PLANE))
    return _mix(mixed ^ row[3])


@search_kernel
def _mix(word):
    low, high = word & _LOW_32, (word >> 32) & (_LOW_32 >> 1)
    mixed = (low * _MULTIPLIERS[0] ^ high * _MULTIPLIERS[1]) & ((1 << 62) - 1)
    return mixed ^ (mixed >> 29)
