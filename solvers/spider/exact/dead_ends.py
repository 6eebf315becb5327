"""Dead ends of Spider: positions in which every column has a card that can never leave it.

The test is a relaxation in which nothing is ever used up; its proof is in `docs/search/spider.md`.
A card is *met* if all cards above it in its column can leave, or if it comes with a row. The cards
from a face-up card to the top of the run in suit that it belongs to *can leave* once that top is
met and

- a card of the next rank is met, which takes the run from that card on, or
- a column is empty or can be emptied.

In a won game every card leaves, so a position is dead where that comes to an end with a card left
in every column. That a run may be completed changes nothing, which the proof shows: then some
column could be emptied.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.spider.deal import COLUMNS, ROWS
from solvers.spider.exact.table import DEALT, EMPTY


class Stuck(NamedTuple):
    """Workspace of the test.

    left: int64[10], the cards of each column that cannot leave so far, from the bottom.
    """

    left: NDArray[np.int64]

    @classmethod
    def new(cls) -> "Stuck":
        """Allocate it."""
        return cls(np.zeros(COLUMNS, dtype=np.int64))


@search_kernel
def _ranks_to_come(rows, dealt):
    """The ranks of the cards of rows still to come."""
    ranks = 0
    for row in range(dealt, ROWS):
        for column in range(COLUMNS):
            ranks |= 1 << (int(rows[row, column]) >> 2)
    return ranks


@search_kernel
def _leave(tables, at, column, ranks, stuck):
    """Have cards of a column leave as far as they can by the ranks met; returns the new ranks."""
    cards, down = tables.cards[at, column], tables.down[at, column]
    top = level = stuck.left[column] - 1
    ranks |= 1 << (int(cards[top]) >> 2)
    lowest = top + 1
    while True:
        if ranks >> ((int(cards[level]) >> 2) + 1) & 1:
            lowest = level
        if level <= down or cards[level - 1] != cards[level] + 4:
            break
        level -= 1
    for place in range(lowest, top):
        ranks |= 1 << (int(cards[place]) >> 2)
    stuck.left[column] = lowest
    return ranks


@search_kernel
def is_dead(tables, at, rows, stuck):
    """Whether a position is a dead end; `stuck.left` then has the cards that can never leave."""
    if tables.counts[at, EMPTY] > 0:
        return False
    ranks = _ranks_to_come(rows, tables.counts[at, DEALT])
    for column in range(COLUMNS):
        stuck.left[column] = tables.size[at, column]
    goes_on = True
    while goes_on:
        goes_on = False
        for column in range(COLUMNS):
            met, left = ranks, stuck.left[column]
            ranks = _leave(tables, at, column, ranks, stuck)
            if stuck.left[column] == 0:
                return False
            goes_on |= stuck.left[column] != left or ranks != met
    return True
