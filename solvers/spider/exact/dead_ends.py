"""Dead ends of Spider: positions in which every column has a card that can never leave it.

The test is a relaxation in which nothing is ever used up; its proof is in `docs/search/spider.md`.
A card is *met* if all cards above it in its column can leave, or if it comes with a row. The cards
from a face-up card to the top of the run in suit that it belongs to *can leave* once that top is
met and

- a card of the next rank is met, which takes the run from that card on, or
- of each rank a card of its suit is met, or lies face up in a run whose top is: a run of the suit
  may be completed, and takes all of them along, or
- a column is empty or can be emptied.

In a won game every card leaves, so a position is dead where that comes to an end with a card left
in every column.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.spider.deal import COLUMNS, ROWS
from solvers.spider.exact.table import DEALT, EMPTY

_SUITS = 4
_ALL_RANKS = (1 << 13) - 1


class Stuck(NamedTuple):
    """Workspace of the test.

    left: int64[10], the cards of each column that cannot leave so far, from the bottom.
    met: int64[4], of each suit the ranks of its cards that are met or lie in a run whose top is.
    """

    left: NDArray[np.int64]
    met: NDArray[np.int64]

    @classmethod
    def new(cls) -> "Stuck":
        """Allocate it."""
        return cls(np.zeros(COLUMNS, dtype=np.int64), np.zeros(_SUITS, dtype=np.int64))


@search_kernel
def _meet_rows(rows, dealt, stuck):
    """Meet the cards of rows still to come; returns their ranks."""
    ranks = 0
    for row in range(dealt, ROWS):
        for column in range(COLUMNS):
            card = int(rows[row, column])
            stuck.met[card & 3] |= 1 << (card >> 2)
            ranks |= 1 << (card >> 2)
    return ranks


@search_kernel
def _leave(tables, at, column, ranks, stuck):
    """Have cards of a column leave as far as they can by the ranks met; returns the new ranks."""
    cards, down = tables.cards[at, column], tables.down[at, column]
    top = level = stuck.left[column] - 1
    suit = int(cards[top]) & 3
    ranks |= 1 << (int(cards[top]) >> 2)
    lowest = top + 1
    while True:
        rank = int(cards[level]) >> 2
        stuck.met[suit] |= 1 << rank
        if ranks >> (rank + 1) & 1:
            lowest = level
        if level <= down or cards[level - 1] != cards[level] + 4:
            break
        level -= 1
    if stuck.met[suit] == _ALL_RANKS:
        lowest = level
    for place in range(lowest, top):
        ranks |= 1 << (int(cards[place]) >> 2)
    stuck.left[column] = lowest
    return ranks


@search_kernel
def is_dead(tables, at, rows, stuck):
    """Whether a position is a dead end; `stuck.left` then has the cards that can never leave."""
    if tables.counts[at, EMPTY] > 0:
        return False
    stuck.met[:] = 0
    ranks = _meet_rows(rows, tables.counts[at, DEALT], stuck)
    for column in range(COLUMNS):
        stuck.left[column] = tables.size[at, column]
    goes_on = True
    while goes_on:
        goes_on = False
        for column in range(COLUMNS):
            met, left = stuck.met.sum() + ranks, stuck.left[column]
            ranks = _leave(tables, at, column, ranks, stuck)
            if stuck.left[column] == 0:
                return False
            goes_on |= stuck.left[column] != left or stuck.met.sum() + ranks != met
    return True
