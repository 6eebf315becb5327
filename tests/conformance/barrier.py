"""Check of the information barrier: deals that look alike must be played alike."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.game import Rules
from solvers.outcome import Outcome
from solvers.solver import Solver


def permuted(
    cards: NDArray[np.uint8], places: Sequence[int], chooser: random.Random, count: int
) -> NDArray[np.uint8]:
    """A deal in which so many of the cards at these places lie elsewhere among them."""
    chosen = chooser.sample(places, count)
    others = cards.copy()
    others[chosen] = cards[chosen[1:] + chosen[:1]]
    return others


def compare_games(
    solver: Solver,
    rules: Rules,
    cards: NDArray[np.uint8],
    others: NDArray[np.uint8],
    line_of: Callable[[Outcome], Sequence[Any]],
    views: Callable[[NDArray[np.uint8], Sequence[Any]], Iterator[Any]],
) -> tuple[int, int]:
    """Play each deal and another that looks like it; fail if anything tells them apart too soon.

    Args:
        solver: the player.
        rules: it plays these.
        cards: deals uint8[n, cards].
        others: the same, with other cards where they cannot be seen.
        line_of: the moves of an outcome.
        views: what can be seen in each position of a deal along moves.

    Returns:
        In how many positions two games looked the same, in all of which the moves were equal; and
        in how many pairs they looked different in the end.
    """
    compared = parted = 0
    for one, other, first, second in zip(
        cards, others, solver.solve(cards, rules), solver.solve(others, rules), strict=True
    ):
        lines = line_of(first), line_of(second)
        same = 0
        for seen, also_seen in zip(views(one, lines[0]), views(other, lines[1]), strict=False):
            if seen != also_seen:
                parted += 1
                break
            assert lines[0][same : same + 1] == lines[1][same : same + 1]
            same += 1
        else:
            assert lines[0] == lines[1]
            assert first.nodes == second.nodes
            assert first.result == second.result
        compared += same
    return compared, parted
