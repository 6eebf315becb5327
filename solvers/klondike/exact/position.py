"""Positions and steps of the exact search, and questions about sets of their cards.

The proofs of everything that is left out stand in `docs/search.md`; the names in brackets below,
such as [arrangement], are its sections.

**Position.** A card is *up* (on its foundation), *locked* (in its column where it was dealt or,
in a mid-game start, where nothing can lie between it and the face-down cards), *loose* (face up
on another card, or a king alone in a column) or in the stock. The topmost locked card of a column
is its *head*; heads and loose cards are *visible*. Which loose card lies where need not be known
[arrangement], so these six integers are the whole position:

=======  ==========================================================================================
up       set of cards on the foundations (sets as in `engine.cardset`)
loose    set of loose cards
heads    set of heads
columns  how many locked cards each column has, 4 bits each
stock    bit i: card i of the stock is still in stock or waste; bits 24…28: the *edge*, e where the
         cards left of those before card e lie in the waste, or 0 where the waste offers nothing
         beyond a fresh pass [waste]
place    foundation heights and locked counts in mixed radix, below 2³¹: the table key without
         the stock
=======  ==========================================================================================

**Steps.** HEAD_UP, REVEAL (a head with all that lies on it moves to a parent or a king's column),
STOCK_UP, STOCK_DOWN (one card of the stock within reach, to foundation or tableau), DOWN
(foundation to tableau) and LOOSE_UP. A step is ``kind << 6 | bit of the card``.

A DOWN, and with draw 1 a STOCK_DOWN, only *brings* a card: what follows it must need the card
[worrying back, bringing]. `brought` is the bit of the card just brought, plus FROM_STOCK where it
came from the stock, or -1.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import (
    ACES,
    ALL,
    EVEN,
    KINGS,
    LOW_TWO_RANKS,
    both_of_pairs,
    next_in_suit,
    popcount,
    swap_twins,
)
from engine.kernels import search_kernel, small_kernel

HEAD_UP, REVEAL, STOCK_UP, STOCK_DOWN, DOWN, LOOSE_UP = range(6)
FROM_STOCK = 64

_SPREAD = 0x1111111  # the lowest bit of each column's count

# Weights of `place`: four heights 0..13, then columns of at most 1, 2, … 7 locked cards.
HEIGHT_WEIGHT = np.array([14**suit for suit in range(4)], dtype=np.int64)
COLUMN_WEIGHT = np.array([14**4 * f for f in (1, 2, 6, 24, 120, 720, 5040)], dtype=np.int64)


class Layout(NamedTuple):
    """Locked cards and stock of the start, the same throughout a search. Arrays of int64.

    below: [52], the locked card under a locked card, as a set, or no card, by bit.
    stock_sets: [768], ``[256 · k + b]`` the cards at places 8k…8k + 7 of the stock of which byte b
        has the bits.
    stock_index: [52], index of a card in the stock or -1, by bit.
    column_of: [52], the column in which a card is locked or -1, by bit.
    suit_of: [52], suit by bit.
    """

    below: NDArray[np.int64]
    stock_sets: NDArray[np.int64]
    stock_index: NDArray[np.int64]
    column_of: NDArray[np.int64]
    suit_of: NDArray[np.int64]


@small_kernel
def layout_in(words):
    """The layout of these words, see `engine.records`."""
    return Layout(words[0], words[1], words[2], words[3], words[4])


@search_kernel
def bare_cards(visible, loose):
    """Return the pairs of which one visible card can be made to carry nothing.

    The loose cards that can lie on a pair only lie on its visible cards, one each, and may be
    exchanged between them; so one can be bare exactly if they are fewer. A card can go up if it is
    in the result, and one can be placed if the pair four bits above it is.
    """
    one = (visible | (visible >> 1)) & EVEN
    two = (visible & (visible >> 1)) & EVEN
    children = loose << 4
    one_child = (children | (children >> 1)) & EVEN
    two_children = (children & (children >> 1)) & EVEN
    return both_of_pairs((one & ~one_child) | (two & ~two_children))


@search_kernel
def safe_cards(up):
    """Return the cards that are never needed as a parent once they are up [safe]."""
    ready = next_in_suit(up) | ACES  # up, or will be as soon as they are free to
    both_children = both_of_pairs(((ready & (ready >> 1)) & EVEN) << 4) & ALL
    twin_of_two_below = swap_twins((ready << 8) & ALL)
    return (both_children | ACES) & (twin_of_two_below | LOW_TWO_RANKS)


@search_kernel
def free_columns(columns, loose):
    """Count the columns that are open to a king."""
    locked = (columns | (columns >> 1) | (columns >> 2) | (columns >> 3)) & _SPREAD
    return 7 - popcount(locked) - popcount(loose & KINGS)


@search_kernel
def parents_of(cards):
    """Return the cards on which these can lie."""
    return both_of_pairs((cards | (cards >> 1)) & EVEN) << 4


@search_kernel
def children_of(cards):
    """Return the cards that can lie on these."""
    return both_of_pairs((cards | (cards >> 1)) & EVEN) >> 4
