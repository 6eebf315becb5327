"""The table of puzzles: winnable deals with their shortest solution, level and themes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from catalogue.datasets.solving import FoundSolution
from catalogue.datasets.tables import EARLY
from catalogue.difficulty.grading import DifficultyModel


def puzzle_rows(
    slug: str,
    dealer: str,
    texts: Mapping[int, str],
    solutions: Sequence[FoundSolution],
    traits: Sequence[Any],
    model: DifficultyModel | None,
) -> list[Any]:
    """The columns of the puzzles of some deals, in the order of their seeds.

    Args:
        slug: of the ruleset.
        dealer: of the deals.
        texts: their cards, by seed.
        solutions: of the deals, by seed.
        traits: rows of traits, of which not every deal has one.
        model: of the difficulty; None if none was fitted.
    """
    best: dict[int, FoundSolution] = {}
    for each in solutions:
        if each.seed not in best or each.length < best[each.seed].length:
            best[each.seed] = each
    rows = {row.seed: row for row in traits}
    mine = [rows.get(seed) for seed in best]
    return [
        [f"{dealer}:{seed}" for seed in best],
        [slug] * len(best),
        [texts[seed] for seed in best],
        [each.moves for each in best.values()],
        [None if row is None else row.level for row in mine],
        [_deviation(row, model) for row in mine],
        ["" if row is None else " ".join(_themes(row)) for row in mine],
        [each.length for each in best.values()],
        [None if row is None else row.critical for row in mine],
    ]


def _deviation(row: Any, model: DifficultyModel | None) -> float | None:
    if row is None or model is None or row.difficulty is None:
        return None
    ends = np.array([row.difficulty - row.deviation, row.difficulty + row.deviation])
    low, high = model.level(ends).tolist()
    return float(high - low) / 2


def _themes(row: Any) -> list[str]:
    """The themes of a deal: what it needs, then words of `catalogue.datasets.tables.THEMES`."""
    words: list[str] = row.needs.split()
    if row.critical == 0:
        words.append("no-critical-moment")
    elif row.first_critical is not None and row.first_critical < EARLY:
        words.append("early-critical-moment")
    if row.choices == 0:
        words.append("no-losing-play")
    if row.games:
        words.append("played")
    return words
