"""Exact count of the guaranteed turnovers of a Spider starting position.

A turnover is *guaranteed* if moves achieve it whatever cards turn up. At the start ten cards lie
face up, one on each column. The number of guaranteed turnovers is the number of cards that can lie
on another of the ten at the same time:

    sum over ranks r below king of min(cards of rank r, cards of rank r + 1)

*Lower bound*: go from high ranks to low, and move as many cards of rank r as possible onto
cards of rank r + 1, each onto another one. Those are still uppermost then, wherever they lie, since
only cards of rank r go onto them; and each card moved leaves its column, alone on it, for good.
*Upper bound*: when the last card has been turned up, each column turned has lost its first
card. Nothing can be planned onto an unknown card, and no column becomes empty, since four or more
cards lie face down on each. So that first card lies on one of the ten, of the next rank, and two
such cards do not lie on the same one.

*Suited* turnovers are those of moves in suit alone: the same sum over cards of each suit.
"""

# mypy: allow-untyped-calls

import numpy as np
from numpy.typing import NDArray

from engine.spider.deal import COLUMNS

# Not all ten columns can be left, as the highest card stays.
MOST = COLUMNS - 1


def guaranteed_turnovers(face_up: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Number of guaranteed turnovers of each row of face-up cards uint8[n, 10]; int64[n]."""
    ranks = (face_up >> 2).astype(np.int64)
    return _hosted(_counts(ranks, 13))


def suited_turnovers(face_up: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Number of those by moves in suit alone; rows of face-up cards uint8[n, 10] as they count."""
    suits, ranks = (face_up & 3).astype(np.int64), (face_up >> 2).astype(np.int64)
    # An empty rank between suits, so that no king takes an ace of the next one.
    return _hosted(_counts(14 * suits + ranks, 56))


def _counts(kinds: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Counts of the values 0..most − 1 in each row of int64[n, 10]: int64[n, most]."""
    rows = len(kinds)
    flat = (np.arange(rows)[:, None] * most + kinds).ravel()
    return np.bincount(flat, minlength=rows * most).reshape(rows, most)


def _hosted(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    hosted: NDArray[np.int64] = np.minimum(counts[:, :-1], counts[:, 1:]).sum(axis=1)
    return hosted
