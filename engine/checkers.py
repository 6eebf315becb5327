"""Verdicts and arrays that checkers, the compiled referees of games, share.

A game's checker is `engine.game.Game.load_checker`; `engine.proof` asks it, and has the plain
referee judge a share of the same solutions.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Verdicts of a checker on a solution. Those above zero are the number, counted from 1, of the first
# move that is illegal, or whose bytes are no move.
WINS = 0  # every move is legal, and the last one wins
NO_WIN = -1  # every move is legal, but they do not end in a win
NO_DEAL = -2  # the cards are no deal of the game

# Deals uint8[n, cards] in flat order, rules, n packed solutions of any bytes -> verdicts int64[n].
Checker = Callable[[NDArray[np.uint8], Any, Sequence[bytes]], NDArray[np.int64]]


def side_by_side(
    cards: NDArray[np.uint8], solutions: Sequence[bytes], width: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]:
    """Deals and solutions as arrays for a kernel, which checks no bounds of its own.

    Args:
        cards: uint8[n, width].
        solutions: n packed solutions.
        width: cards of a deal.

    Returns:
        The deals, contiguous and writable; all bytes of the solutions, uint8; int64[n + 1], where
        in them each solution starts, and where the last one ends.

    Raises:
        ValueError: the deals have another shape or type.
    """
    if cards.shape != (len(solutions), width) or cards.dtype != np.uint8:
        raise ValueError(
            f"{len(solutions)} solutions need deals uint8[{len(solutions)}, {width}], "
            f"not {cards.dtype}{cards.shape}"
        )
    # From a bytearray, because an array over bytes cannot be written to, and for such arrays Numba
    # would compile every kernel again.
    moves = np.frombuffer(bytearray(b"".join(solutions)), dtype=np.uint8)
    starts = np.fromiter(
        accumulate(map(len, solutions), initial=0), dtype=np.int64, count=len(solutions) + 1
    )
    return np.require(cards, requirements=("C", "W")), moves, starts
