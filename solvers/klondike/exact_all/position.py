"""Positions and steps of the exact search.

The proofs of everything that is left out stand in `docs/search.md`; the names in brackets below,
such as [arrangement], are its sections.

**Position.** A card is *up* (on its foundation), *locked* (in its column where it was dealt or,
in a mid-game start, where nothing can lie between it and the face-down cards), *loose* (face up
on another card, or in a column without locked cards) or in the stock. The topmost locked card of a
column is its *head*; heads and loose cards are *visible*. Which loose card lies where need not be
known [arrangement], so these six integers are the whole position:

=======  ==========================================================================================
up       set of cards on the foundations (sets as in `engine.cardset`)
loose    set of loose cards
heads    set of heads
columns  how many locked cards each column has, 4 bits each
stock    bit i: card i of the stock is still in stock or waste; bits 24…28: the *edge*, e where the
         cards left of those before card e lie in the waste, or 0 where the waste offers nothing
         beyond a fresh pass [waste]; bits 29…33: redeals left, where they are limited
place    foundation heights and locked counts in mixed radix, below 2³¹: the table key without
         the stock
=======  ==========================================================================================

The last locked card of a column is loose as soon as it is the last one, if such a card may lie in
an empty column: all columns without locked cards are alike.

**Steps.** HEAD_UP, REVEAL (a head with all that lies on it moves to a parent or an empty column),
STOCK_UP, STOCK_DOWN (one card of the stock within reach, to foundation or tableau), DOWN
(foundation to tableau) and LOOSE_UP. A step is ``kind << 6 | bit of the card``.

A DOWN only *brings* a card: what follows it must need the card [worrying back]. `brought` is the
bit of the card just brought, or -1.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HEAD_UP, REVEAL, STOCK_UP, STOCK_DOWN, DOWN, LOOSE_UP, BASE = range(7)

# Weights of `place`: four heights 0..13, then columns of at most 1, 2, … 7 locked cards.
HEIGHT_WEIGHT = np.array([14**suit for suit in range(4)], dtype=np.int64)
COLUMN_WEIGHT = np.array([14**4 * f for f in (1, 2, 6, 24, 120, 720, 5040)], dtype=np.int64)
HEIGHTS = 14**4
COLUMNS = 40320  # combinations of locked counts


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
