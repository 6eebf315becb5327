"""Lower bounds on the moves that a board still takes; the proofs are in `docs/shortest.md`.

The bound is the sum of three numbers of different moves:

* each card that is not up goes up: one move each [cards up];
* each locked card leaves its place once. `reveals` is the least number of these that must leave to
  the tableau rather than to a foundation, or have their runs thinned first [reveals];
* the cards of the stock must be turned [turns].
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import EVEN, KINGS, both_of_pairs, highest, popcount
from engine.kernels.decorators import inlined_kernel, search_kernel
from solvers.klondike.shortest.board import COLUMN_DIGIT, CONFIGURATIONS, HEIGHTS

LOST = 100  # no number of moves is enough
_UNKNOWN = -1
_FLAGS = 128


class Reveals(NamedTuple):
    """Memory of `reveals`.

    known: int8[CONFIGURATIONS * 128], values by configuration of locked counts and set of flagged
        columns, -1 where not yet known.
    stack: int64[64].
    """

    known: NDArray[np.int8]
    stack: NDArray[np.int64]


def new_reveals() -> Reveals:
    """Allocate the memory of `reveals`."""
    return Reveals(
        np.full(CONFIGURATIONS * _FLAGS, _UNKNOWN, dtype=np.int8), np.zeros(64, dtype=np.int64)
    )


@search_kernel
def bound(board, draw, start, reveals_known):
    """Return a lower bound on the moves from a board to a win, redeals not counted, or LOST."""
    configuration = board.place // HEIGHTS
    counts = configuration
    flags = 0
    for column in range(7):
        count = counts % (column + 2)
        counts //= column + 2
        if count > 0:
            blocked = start.above[8 * column + count] & board.loose
            if blocked != 0 and _carries(start.head[8 * column + count], blocked, board):
                flags |= 1 << column
    entry = configuration * _FLAGS + flags
    least = reveals_known.known[entry]
    if least == _UNKNOWN:
        least = reveals(entry, start, reveals_known)
    if least >= LOST:
        return LOST
    left = popcount(board.mask)
    return 52 - popcount(board.up) + least + (left - board.waste + draw - 1) // draw


@inlined_kernel
def _carries(card, wanted, board):
    """Return whether one of the wanted cards lies, directly or not, on a card."""
    loose, crossed = board.loose, board.crossed
    bit = highest(card)
    while bit >= 4:
        bit -= 4
        bit ^= (crossed >> (bit & 62)) & 1
        if (loose >> bit) & 1 == 0:
            return False
        if (wanted >> bit) & 1:
            return True
    return False


@search_kernel
def reveals(entry, start, memory):
    """Return the value of an entry and write it, with those it needs, to the memory."""
    known, stack = memory.known, memory.stack
    depth = 0
    stack[0] = entry
    while depth >= 0:
        at = stack[depth]
        configuration, flags = at // _FLAGS, at % _FLAGS
        locked = heads = 0
        empty = 0
        counts = configuration
        for column in range(7):
            count = counts % (column + 2)
            counts //= column + 2
            locked |= start.locked[8 * column + count]
            heads |= start.head[8 * column + count]
            empty += count == 0
        least = 0
        ready = True
        if locked != 0:
            buried = locked & ~heads
            # Both parents of these are buried.
            stuck = both_of_pairs((buried & (buried >> 1)) & EVEN) >> 4
            kings = start.kings[0] & ~locked
            lower = 0
            for suit in range(4):
                own = locked & start.suits[suit]
                if own == 0:
                    kings &= ~start.suits[suit]
                else:
                    lower |= own & -own
            if popcount(kings) >= empty:
                stuck |= KINGS
            least = LOST
            counts = configuration
            for column in range(7):
                count = counts % (column + 2)
                counts //= column + 2
                if count == 0:
                    continue
                head = start.head[8 * column + count]
                cost = LOST
                if head & lower:
                    cost = (flags >> column) & 1
                if cost > 1 and head & stuck == 0:
                    cost = 1
                if cost == LOST:
                    continue
                less = count - 1
                if less == 1 and start.floor[column]:
                    less = 0
                after = configuration - (count - less) * COLUMN_DIGIT[column]
                following = after * _FLAGS + (flags & ~(1 << column))
                value = known[following]
                if value == _UNKNOWN:
                    depth += 1
                    stack[depth] = following
                    ready = False
                    break
                least = min(least, value + cost)
        if ready:
            known[at] = least
            depth -= 1
    return known[entry]
