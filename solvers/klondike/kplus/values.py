"""Heuristics H1 and H2 of states of K+: Bjarnason, Tadepalli, Fern 2007, Table 1.

| feature of a card x                                                | H1          | H2        |
|--------------------------------------------------------------------|-------------|-----------|
| 1. on its foundation                                               | 5 − rank    | 5         |
| 2. face down in the tableau                                        | rank − 13   | rank − 13 |
| 3. available to be moved from the K+ talon                         | 0           | 1         |
| 4. face down as is the other card of its rank and colour (a pair counts once) | −5 | −1      |
| 5. blocking a card of its suit and of lesser rank (each counts)    | −5          | −1        |
| 6. blocking one of the two cards it can be built on (each counts)  | −10         | −5        |

Ranks are 0 for an ace to 12 for a king. A card *blocks* those under it in its column if it does not
rest on a face-up card: face-down cards and bases block.

So all but 1 and 3 depend on the face-down cards alone: the base above a face-down card is the one
that was dealt there. The change of value when a card turns up is stored for each card.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np

from engine.cardset import BIT_OF_CARD, lowest, popcount, swap_twins
from engine.kernels.decorators import kernel, search_kernel
from engine.klondike.stock_turns import within_reach

H1, H2 = range(2)
# value(state) for H1, H2.
_FOUNDATION = np.array([[5 - rank for rank in range(13)], [5] * 13], dtype=np.int64)
TALON = np.array([0, 1], dtype=np.int64)
PAIR = np.array([-5, -1], dtype=np.int64)
_LESSER = np.array([-5, -1], dtype=np.int64)
_BUILD = np.array([-10, -5], dtype=np.int64)
# By heuristic and bit of the card: the value of its going up.
RISE = _FOUNDATION[:, np.arange(52) // 4]

LOSS = -1_000_000
WIN = 1_000_000


@search_kernel
def blocking(card, under, which):
    """Value by H1 (`which` = 0) or H2 (1) of a card blocking one under it."""
    if (under ^ card) & 3 == 0 and under < card:
        return _LESSER[which]
    if under >> 2 == (card >> 2) + 1 and (under ^ card) & 1 == 1:
        return _BUILD[which]
    return 0


@kernel
def weigh(cards, turning):
    """Compute the gain of value when each face-down card of a deal turns up, without feature 4.

    Args:
        cards: uint8[52], the deal in flat order.
        turning: int64[2, 52], out: by heuristic and bit of the card.

    The value of the start is minus all of it, plus feature 4's and the talon's part.
    """
    turning[:] = 0
    place = 0
    for column in range(7):
        for level in range(column):
            # Turned up when the card above it leaves, which then no longer blocks anything; all
            # cards further up have left before.
            own = np.int64(cards[place + level])
            above = np.int64(cards[place + level + 1])
            bit = BIT_OF_CARD[own]
            for which in range(2):
                turning[which, bit] = 13 - (own >> 2)
                for under in range(level + 1):
                    other = np.int64(cards[place + under])
                    turning[which, bit] -= blocking(above, other, which)
        place += column + 1


@search_kernel
def value(state, table, turning, which):
    """The value of a state by H1 (`which` = 0) or H2 (1)."""
    total = TALON[which] * popcount(within_reach(state.stock, table.rules[0], table.every))
    up = state.up
    while up != 0:
        total += RISE[which, lowest(up)]
        up &= up - 1
    down = state.down
    total += PAIR[which] * popcount(down & swap_twins(down)) // 2
    while down != 0:
        total -= turning[which, lowest(down)]
        down &= down - 1
    return total
