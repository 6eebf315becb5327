"""Nodes of the exact search: positions, and what steps and the rise of cards make of them.

Words, kinds of steps and the six integers of a position: `solvers.klondike.exact.position`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

from engine.cardset import ACES, lowest, next_in_suit, popcount
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.stock_turns import take_from_stock
from solvers.klondike.exact.position import (
    COLUMN_WEIGHT,
    DOWN,
    FROM_STOCK,
    HEAD_UP,
    HEIGHT_WEIGHT,
    LOOSE_UP,
    REVEAL,
    STOCK_DOWN,
    STOCK_UP,
    bare_cards,
    safe_cards,
)
from solvers.klondike.exact.rules import RISE, SAFE


class Node(NamedTuple):
    """A position, and the card just brought (its bit, plus FROM_STOCK from the stock) or -1."""

    up: int
    loose: int
    heads: int
    columns: int
    stock: int
    place: int
    brought: int


@inlined_kernel
def waste_of(stock):
    """Count the cards in the waste; 0 where it offers no more than a fresh pass."""
    return popcount(stock & ((1 << (stock >> 24)) - 1))


@inlined_kernel
def suit_brought(brought, layout):
    """Return the suit of a card brought from a foundation, or -1, as the table stores it."""
    return -1 if brought < 0 else layout.suit_of[brought]


@search_kernel
def rising_cards(position, draw, off, layout):
    """Return the cards that rise: loose ones, and heads and (draw 1) stock cards if safe."""
    up, loose, heads = position.up, position.loose, position.heads
    following = (next_in_suit(up) | ACES) & ~up
    bare = bare_cards(loose | heads, loose)
    if off & RISE == 0:
        rising = following & loose & bare
        if rising != 0:
            return rising
    if off & SAFE != 0:
        return 0
    rising = following & safe_cards(up)
    if rising == 0:
        return 0
    drawable = 0
    if draw == 1:
        rest = rising & ~(loose | heads)
        while rest != 0:
            bit = lowest(rest)
            rest &= rest - 1
            index = layout.stock_index[bit]
            if index >= 0 and (position.stock >> index) & 1:
                drawable |= 1 << bit
    return rising & ((heads & bare) | drawable)


@inlined_kernel
def rise(node, line, length, mode, layout):
    """Raise cards until none rises, appending the steps to the line; return node and length."""
    while True:
        rising = rising_cards(node, mode.draw, mode.off, layout)
        if rising == 0:
            return node, length
        bit = lowest(rising)
        if (node.loose >> bit) & 1:
            kind = LOOSE_UP
        elif (node.heads >> bit) & 1:
            kind = HEAD_UP
        else:
            kind = STOCK_UP
        step = kind << 6 | bit
        node = after_step(node, step, mode, layout)
        line[length] = step
        length += 1


@inlined_kernel
def after_step(node, step, mode, layout):
    """Return the node that a step leads to."""
    up, loose, heads, columns, stock, place, _ = node
    kind = step >> 6
    bit = step & 63
    card = 1 << bit
    brought = -1
    if kind in (HEAD_UP, REVEAL):
        column = layout.column_of[bit]
        heads = heads ^ card | layout.below[bit]
        columns -= 1 << (4 * column)
        place -= COLUMN_WEIGHT[column]
    elif kind in (STOCK_UP, STOCK_DOWN):
        stock = take_from_stock(stock, layout.stock_index[bit], mode.draw)
    if kind in (HEAD_UP, STOCK_UP, LOOSE_UP):
        up |= card
        place += HEIGHT_WEIGHT[layout.suit_of[bit]]
        if kind == LOOSE_UP:
            loose ^= card
    else:
        loose |= card
        if kind == DOWN:
            up ^= card
            place -= HEIGHT_WEIGHT[layout.suit_of[bit]]
            brought = bit
        elif kind == STOCK_DOWN and mode.brings_stock:
            brought = bit + FROM_STOCK
    return Node(up, loose, heads, columns, stock, place, brought)
