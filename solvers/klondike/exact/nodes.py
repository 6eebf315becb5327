"""Nodes of the exact search: positions, and what steps and the rise of cards make of them.

Words, kinds of steps and the integers of a position: `solvers.klondike.exact.position`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

from engine.cardset import ACES, lowest, next_in_suit, popcount
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.klondike.stock_turns import (
    card_set,
    passed,
    take_from_stock,
    take_with_limit,
    top_of,
)
from solvers.klondike.exact.arrangement import TO_COLUMN, openings_of
from solvers.klondike.exact.building import becomes_loose, safe_cards
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
)
from solvers.klondike.exact.rules import RISE, SAFE


class Node(NamedTuple):
    """A position, and the card just brought (its bit, plus FROM_STOCK from the stock) or -1.

    `low`, `high` and `bases` are those of `solvers.klondike.exact.arrangement`.
    """

    up: int
    loose: int
    heads: int
    columns: int
    stock: int
    place: int
    brought: int
    low: int
    high: int
    bases: int


@inlined_kernel
def waste_of(stock):
    """Count the cards in the waste; 0 where unlimited redeals make it offer what a pass does."""
    return popcount(stock & passed(stock))


@inlined_kernel
def suit_brought(brought, layout):
    """Return the suit of a card brought from a foundation, or -1, as the table stores it."""
    return -1 if brought < 0 else layout.suit_of[brought]


@search_kernel
def rising_cards(position, mode, layout):
    """Return the cards that rise.

    Loose ones; safe heads; of the stock, safe ones at draw 1 or what shows in the last pass.
    """
    up, loose, heads = position.up, position.loose, position.heads
    following = (next_in_suit(up) | ACES) & ~up
    bare, _ = openings_of(position, mode)
    safe_only = loose
    if mode.forward is None:
        safe_only = 0
        if mode.off & RISE == 0:
            rising = following & loose & bare
            if rising != 0:
                return rising
    if mode.off & SAFE != 0:
        return 0
    if mode.limited is not None:
        rising = following & safe_cards(up, mode) & (heads | safe_only) & bare
        if mode.last_pass:
            shown = top_of(position.stock & passed(position.stock))
            rising |= _up_when_shown(up, mode) & card_set(shown, layout.stock_sets)
        return rising
    rising = following & safe_cards(up, mode)
    if rising == 0:
        return 0
    drawable = 0
    if mode.draw == 1:
        rest = rising & ~(loose | heads)
        while rest != 0:
            bit = lowest(rest)
            rest &= rest - 1
            index = layout.stock_index[bit]
            if index >= 0 and (position.stock >> index) & 1:
                drawable |= 1 << bit
    return rising & (((heads | safe_only) & bare) | drawable)


@inlined_kernel
def _up_when_shown(up, mode):
    """Return the cards that go up at once when they show in the last pass [last pass]."""
    following = (next_in_suit(up) | ACES) & ~up
    safe = safe_cards(up, mode)
    if mode.forward is None:
        return following & (next_in_suit(safe) | ACES)
    return following & safe


@inlined_kernel
def places_to_try(node, reach, mode, layout):
    """Return the places of the stock to try: in the last pass, none after one that goes up."""
    if mode.limited is None or not mode.last_pass or mode.off & SAFE != 0:
        return reach
    ahead = reach & ~passed(node.stock)
    going = _up_when_shown(node.up, mode) & card_set(ahead, layout.stock_sets)
    while going != 0:
        first = 1 << layout.stock_index[lowest(going)]
        reach &= first | (first - 1)
        going &= going - 1
    return reach


@inlined_kernel
def rise(node, line, length, mode, layout, every):
    """Raise cards until none rises, appending the steps to the line; return node and length."""
    while True:
        rising = rising_cards(node, mode, layout)
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
        node = after_step(node, step, mode, layout, every)
        line[length] = step
        length += 1


@inlined_kernel
def head_leaves(bit, loose, heads, columns, mode, layout):
    """Take a head out of its column.

    Returns:
        loose, heads and columns after it, and by how much `place` falls.
    """
    column = layout.column_of[bit]
    below = layout.below[bit]
    heads = heads ^ (1 << bit) | below
    columns -= 1 << (4 * column)
    fall = COLUMN_WEIGHT[column]
    if below != 0 and (columns >> (4 * column)) & 15 == 1 and becomes_loose(below, mode):
        heads ^= below
        loose |= below
        columns -= 1 << (4 * column)
        fall *= 2
    return loose, heads, columns, fall


@inlined_kernel
def after_step(node, step, mode, layout, every):
    """Return the node that a step leads to; `every` is the `every_table` of the draw."""
    up, loose, heads, columns, stock, place, _, low, high, bases = node
    kind = (step >> 6) & 7
    bit = step & 63
    card = 1 << bit
    brought = -1
    if kind in (HEAD_UP, REVEAL):
        before = loose
        loose, heads, columns, fall = head_leaves(bit, loose, heads, columns, mode, layout)
        place -= fall
        if mode.whole is not None:
            bases |= loose ^ before
    elif kind in (STOCK_UP, STOCK_DOWN):
        index = layout.stock_index[bit]
        if mode.limited is None:
            stock = take_from_stock(stock, index, mode.draw)
        else:
            stock = take_with_limit(stock, index, mode.draw, every)
    if kind in (HEAD_UP, STOCK_UP, LOOSE_UP):
        up |= card
        place += HEIGHT_WEIGHT[layout.suit_of[bit]]
        if kind == LOOSE_UP:
            loose ^= card
            if mode.whole is not None:
                low &= ~card
                high &= ~card
                bases &= ~card
    else:
        loose |= card
        if mode.whole is not None:
            where = step >> 9
            if where == TO_COLUMN:
                bases |= card
            else:
                bases &= ~card
                low |= (where & 1) << bit
                high |= (where >> 1) << bit
        if kind == DOWN:
            up ^= card
            place -= HEIGHT_WEIGHT[layout.suit_of[bit]]
            brought = bit
        elif kind == STOCK_DOWN and mode.by_stocks is not None and mode.brings_stock:
            brought = bit + FROM_STOCK
    return Node(up, loose, heads, columns, stock, place, brought, low, high, bases)
