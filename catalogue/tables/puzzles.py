"""Puzzles: the shortest solution of a winnable deal, its level and its themes."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from catalogue.difficulty.grading import DifficultyModel
from catalogue.tables.solving import StoredSolution

# The first critical moment comes before this move in deals of the theme for it.
_EARLY = 20
# What a theme beside the options of rulesets says.
THEMES = {
    "no-critical-moment": "no position of the solution has just one play that keeps the win",
    "early-critical-moment": f"the first such position comes before move {_EARLY}",
    "no-losing-play": "no play along the solution loses the win",
    "played": "players of graded strength have played the deal",
}


def shortest(solutions: Iterable[StoredSolution]) -> list[StoredSolution]:
    """The shortest solution of each deal, the first of those, in the order of the deals."""
    best: dict[int, StoredSolution] = {}
    for each in solutions:
        if each.place not in best or each.length < best[each.place].length:
            best[each.place] = each
    return list(best.values())


def level_error(row: Any, model: DifficultyModel | None) -> float | None:
    """Half of the levels within one standard error of the difficulty in a row of features."""
    if row is None or model is None or row.difficulty is None:
        return None
    ends = np.array([row.difficulty - row.deviation, row.difficulty + row.deviation])
    low, high = model.level(ends).tolist()
    return float(high - low) / 2


def themes(row: Any) -> Iterator[str]:
    """The themes of a row of features: what the deal needs, then words of `THEMES`."""
    yield from row.needs.split()
    if row.critical == 0:
        yield "no-critical-moment"
    elif row.first_critical is not None and row.first_critical < _EARLY:
        yield "early-critical-moment"
    if row.choices == 0:
        yield "no-losing-play"
    if row.games:
        yield "played"
