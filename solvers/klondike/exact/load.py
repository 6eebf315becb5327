"""Conversion of flat positions to the arrays that the exact search takes.

Positions arrive as those of `engine.klondike.flat`, so that a caller with compiled ones of its own
can use `load` directly.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np
from numpy.typing import NDArray

from engine.cardset import BIT_OF_CARD
from engine.kernels.decorators import search_kernel
from engine.kernels.filling import fill
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import (
    COLUMN,
    DEPTH,
    DOWN,
    DRAW,
    HEIGHT,
    SIZE,
    STOCK,
    UNPLAYED,
    WASTE,
    set_up,
)
from engine.klondike.referee import KlondikePosition
from engine.klondike.stock_turns import MOST_REDEALS, index_stock, limited_stock
from solvers.klondike.exact.position import COLUMN_WEIGHT, HEIGHT_WEIGHT
from solvers.klondike.exact.rules import ALTERNATING, ANY_CARD, ANY_SUIT, KINGS_ONLY, SAME_SUIT

_KING = 12

# What `load` takes for usual rules: what may be built on what, what goes into spaces, and redeals.
USUAL = ALTERNATING, KINGS_ONLY, -1


def cards_dealt(position: KlondikePosition) -> NDArray[np.uint8] | None:
    """Return the deal uint8[52] of which a position is the start, or None."""
    if len(position.stock) < 24 or any(len(up) != 1 for up in position.up):
        return None
    columns = [down + up for down, up in zip(position.down, position.up, strict=True)]
    if [len(column) for column in columns] != list(range(1, 8)):
        return None
    return KlondikeDeal.from_piles(columns, position.stock).as_array()


@search_kernel
def load_deal(
    deals,
    number,
    draw,
    flat,
    start,
    building,
    spaces,
    redeals,
    below,
    stock_sets,
    stock_index,
    column_of,
):
    """`load` of a deal at its start, of uint8[n, 52]; `flat` is written, too."""
    set_up(deals[number], draw, flat)
    load(flat, start, building, spaces, redeals, below, stock_sets, stock_index, column_of)


@search_kernel
def load(flat, start, building, spaces, redeals, below, stock_sets, stock_index, column_of):
    """Fill the arrays that a search starts from.

    Args:
        flat: int64[POSITION], the position.
        start: int64[9], out: up, loose, heads, columns, stock, place, low, high, bases.
        building: what may be built on what, of `solvers.klondike.exact.rules`.
        spaces: what may go into an empty column, of `solvers.klondike.exact.rules`.
        redeals: how many are left, or -1 where they are unlimited.
        below: int64[52], out, like the next ones: see `solvers.klondike.exact.position.Layout`.
        stock_sets: int64[768].
        stock_index: int64[52].
        column_of: int64[52].
    """
    fill(column_of, -1)
    up = loose = heads = columns = place = low = high = bases = 0
    for suit in range(4):
        height = flat[HEIGHT + suit]
        place += height * HEIGHT_WEIGHT[suit]
        for level in range(height):
            up |= 1 << BIT_OF_CARD[4 * level + suit]
    for column in range(7):
        size = flat[SIZE + column]
        locked = flat[DOWN + column]
        bottom = COLUMN + DEPTH * column
        # The last locked card is loose if it may lie in any empty column, as in the search.
        if locked < size and (locked > 0 or not _may_lie_in_space(flat[bottom], spaces)):
            locked += 1
        under = 0
        for level in range(locked):
            bit = BIT_OF_CARD[flat[bottom + level]]
            below[bit] = under
            under = 1 << bit
            column_of[bit] = column
            if level == locked - 1:
                heads |= 1 << bit
        columns |= locked << (4 * column)
        place += locked * COLUMN_WEIGHT[column]
        for level in range(locked, size):
            bit = BIT_OF_CARD[flat[bottom + level]]
            loose |= 1 << bit
            if level == 0:
                bases |= 1 << bit
            elif building != SAME_SUIT:
                under = BIT_OF_CARD[flat[bottom + level - 1]]
                low |= (under & 1) << bit
                if building == ANY_SUIT:
                    high |= ((under >> 1) & 1) << bit
    unplayed = flat[UNPLAYED]
    index_stock(flat[STOCK : STOCK + 24], unplayed, stock_sets, stock_index)
    waste = flat[WASTE]
    start[0], start[1], start[2] = up, loose, heads
    start[3], start[5] = columns, place
    if redeals >= 0:
        start[4] = limited_stock(unplayed, waste, min(redeals, MOST_REDEALS))
    else:
        if waste % flat[DRAW] == 0 or waste == unplayed:
            waste = 0
        start[4] = ((1 << unplayed) - 1) | (waste << 24)
    start[6], start[7], start[8] = low, high, bases


@search_kernel
def _may_lie_in_space(card, spaces):
    return spaces == ANY_CARD or (spaces == KINGS_ONLY and card >> 2 == _KING)
