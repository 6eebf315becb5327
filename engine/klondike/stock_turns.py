"""Stock of K+: the cards that turns and redeals can bring to the top of the waste.

A stock is one integer. Bit i is set while card i, in drawing order, is in the stock or the waste.
Bits 24…28 are the *edge*: e if the remaining cards before card e lie in the waste, or 0 if the
waste offers no card that a fresh pass does not. Two stocks are equivalent under unlimited turns and
redeals if and only if their `least_edge` forms are equal.

Where redeals are limited, bits 29…33 count those that are left, and the edge is e as soon as a card
before card e lies in the waste: what has been passed is not to be had without a redeal.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np
from numpy.typing import NDArray

from engine.cardset import BIT_OF_CARD, highest, popcount
from engine.kernels.decorators import kernel, search_kernel

STOCK_MASK = (1 << 24) - 1


def every_table(draw: int) -> NDArray[np.int64]:
    """Lookup table for `every`, of the cards at every draw-th place: int64[draw * 257 + 8].

    Entry ``phase * 256 + byte`` has each bit of the byte at which the number of bits up to and
    including it, plus `phase`, is a multiple of `draw`. The last draw + 8 entries are n mod draw.
    """
    table = np.zeros(draw * 257 + 8, dtype=np.int64)
    for phase in range(draw):
        for byte in range(256):
            count = phase
            for bit in range(8):
                if byte >> bit & 1:
                    count += 1
                    if count % draw == 0:
                        table[phase * 256 + byte] |= 1 << bit
    table[draw * 256 :] = np.arange(draw + 8) % draw
    return table


@kernel
def index_stock(cards, count, sets, index):
    """Fill the tables of `card_set` and of its inverse from the first `count` of cards [24].

    Args:
        cards: the stock in drawing order.
        count: number of cards, 0..24.
        sets: int64[768], out: entry ``256 · k + b`` is the set of those cards at places
            8k…8k + 7 whose bits are set in byte b.
        index: int64[52], out: by bit, the card's place in the stock or −1.
    """
    index[:] = -1
    for at in range(24):
        card = 0
        if at < count:
            bit = BIT_OF_CARD[cards[at]]
            index[bit] = at
            card = 1 << bit
        # The sets of which this place is the last, from those without it.
        first = 256 * (at // 8)
        own = 1 << (at % 8)
        if own == 1:
            sets[first] = 0
        for lower in range(own):
            sets[first + own + lower] = sets[first + lower] | card


@search_kernel
def every(cards, phase, draw, table):
    """Every `draw`-th card of a stock mask, counting `phase` cards before the first."""
    low, middle, high = cards & 255, (cards >> 8) & 255, cards >> 16
    remainders = draw * 256
    after_low = table[remainders + phase + popcount(low)]
    after_middle = table[remainders + after_low + popcount(middle)]
    return (
        table[phase * 256 + low]
        | table[after_low * 256 + middle] << 8
        | table[after_middle * 256 + high] << 16
    )


@search_kernel
def within_reach(stock, draw, table):
    """Mask of the cards of the stock that turns and redeals alone can bring up."""
    cards = stock & STOCK_MASK
    if draw == 1 or cards == 0:
        return cards
    reach = every(cards, 0, draw, table) | 1 << highest(cards)
    edge = stock >> 24
    if edge > 0:
        waste = cards & ((1 << edge) - 1)
        reach |= 1 << highest(waste) | every(cards & ~waste, 0, draw, table)
    return reach


@search_kernel
def take_from_stock(stock, index, draw):
    """The stock after its card `index` was played."""
    cards = stock & STOCK_MASK & ~(1 << index)
    under = popcount(cards & ((1 << index) - 1))
    if under % draw == 0 or under == popcount(cards):
        return cards
    return cards | index << 24


@search_kernel
def least_edge(stock):
    """The same stock with its edge right after the last card of the waste."""
    edge = stock >> 24
    if edge == 0:
        return stock
    cards = stock & STOCK_MASK
    return cards | (highest(cards & ((1 << edge) - 1)) + 1) << 24


@search_kernel
def further_reach(cards, reach, taken, draw, table):
    """The places that may come within reach once some of the cards within reach are taken.

    In the relaxation, where cards taken remain available: enough cards below a card may go to bring
    it to a place that is turned up, or the card after it may go, which shows it on the waste.

    Args:
        cards: places of the cards that were there.
        reach: those of them within reach.
        taken: those of them taken.
        draw: cards turned at once.
        table: of `every_table`.
    """
    more = 0
    rest = taken
    gone = 1
    while rest != 0 and gone < draw:
        first = rest & -rest
        rest ^= first
        above = cards & ~(first | (first - 1))
        more |= above & every(cards, draw - gone, draw, table)
        below = cards & (first - 1)
        if below != 0:
            more |= 1 << highest(below)
        gone += 1
    return more & ~reach


@search_kernel
def card_set(places, sets):
    """The set of cards at these places of the stock; `sets` as of `index_stock`."""
    return sets[places & 255] | sets[256 + ((places >> 8) & 255)] | sets[512 + (places >> 16)]


# More redeals than this are never of use: between two of them a card is taken, or the second one
# leads to what the first did.
MOST_REDEALS = 24


@search_kernel
def limited_stock(cards, waste, redeals):
    """The stock of `cards` cards, in drawing order, of which `waste` lie in the waste."""
    return ((1 << cards) - 1) | waste << 24 | redeals << 29


@search_kernel
def passed(stock):
    """Mask of the places before the edge: of the cards there, the last one shows on the waste."""
    return (1 << ((stock >> 24) & 31)) - 1


@search_kernel
def redeals_left(stock):
    """Number of redeals left in a limited stock."""
    return stock >> 29


@search_kernel
def top_of(cards):
    """The last of some places as a mask, 0 if there is none."""
    return 0 if cards == 0 else 1 << highest(cards)


@search_kernel
def next_shown(ahead, draw, table):
    """The place that the next turn shows, as a mask; `ahead` are those not yet turned, not 0."""
    shown = every(ahead, 0, draw, table)
    return shown & -shown if shown != 0 else top_of(ahead)


@search_kernel
def _reach_of_pass(cards, waste, draw, table):
    """Mask of the cards that turns alone can bring up; `waste` are those that lie in the waste."""
    return every(cards & ~waste, 0, draw, table) | top_of(cards) | top_of(waste)


@search_kernel
def limited_reach(stock, draw, table):
    """Mask of the cards of a limited stock that can be the next one taken."""
    cards = stock & STOCK_MASK
    reach = _reach_of_pass(cards, cards & passed(stock), draw, table)
    if redeals_left(stock) != 0:
        reach |= _reach_of_pass(cards, 0, draw, table)
    return reach


@search_kernel
def take_with_limit(stock, index, draw, table):
    """A limited stock after its card `index`, which is within reach, was played."""
    cards = stock & STOCK_MASK
    redeals = redeals_left(stock)
    now = _reach_of_pass(cards, cards & passed(stock), draw, table)
    if (now >> index) & 1 == 0:
        redeals -= 1
    cards ^= 1 << index
    if cards == 0:
        return 0
    edge = index if cards & ((1 << index) - 1) != 0 else 0
    return cards | edge << 24 | redeals << 29
