"""Positions and steps of the exact search.

The proofs of everything that is left out stand in `docs/search/`; the names in brackets below,
such as [arrangement], are its sections.

**Position.** A card is *up* (on its foundation), *locked* (in its column where it was dealt or,
in a mid-game start, where nothing can lie between it and the face-down cards), *loose* (face up
on another card, or in a column without locked cards) or in the stock. The topmost locked card of a
column is its *head*; heads and loose cards are *visible*. Which loose card lies where need not be
known [arrangement] where parts of runs may move, so these six integers are the whole position; of
whole runs `solvers.klondike.exact.arrangement` keeps more:

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

Where lost positions are found by hand, the last locked card of a column is loose as soon as it is
the last one, if such a card may lie in an empty column: all columns without locked cards are alike.
The search by stocks has it as a head that is not revealed.

**Steps.** HEAD_UP, REVEAL (a head with all that lies on it moves to a parent or an empty column),
STOCK_UP, STOCK_DOWN (one card of the stock within reach, to foundation or tableau), DOWN
(foundation to tableau), LOOSE_UP, and where only whole runs move BASE (a base with its run moves
onto a card). A step is ``where << 9 | kind << 6 | bit of the card``; `where` tells the place, only
where runs move as a whole: the number of the card, or `TO_COLUMN`, see
`solvers.klondike.exact.arrangement`.

A DOWN, and at draw 1 a STOCK_DOWN of the search by stocks, only *brings* a card: what follows it
must need the card [worrying back, bringing]. `brought` is the bit of the card just brought, plus
FROM_STOCK where it came from the stock, or -1.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import small_kernel

HEAD_UP, REVEAL, STOCK_UP, STOCK_DOWN, DOWN, LOOSE_UP, BASE = range(7)
FROM_STOCK = 64

HEIGHTS = 14**4  # combinations of foundation heights, of which `place` is a multiple and a rest
COLUMNS = 40320  # combinations of locked counts
# Weights of `place`: four heights 0..13, then columns of at most 1, 2, … 7 locked cards.
HEIGHT_WEIGHT = np.array([14**suit for suit in range(4)], dtype=np.int64)
COLUMN_WEIGHT = np.array([HEIGHTS * f for f in (1, 2, 6, 24, 120, 720, 5040)], dtype=np.int64)


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
    """The layout of these words, see `engine.kernels.records`."""
    return Layout(words[0], words[1], words[2], words[3], words[4])
