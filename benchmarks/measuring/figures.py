"""Intervals of times and of ratios of times, and how they print.

All are at 99 %. Times of deals have a long tail, so their means and ratios are bootstrapped
(percentile, seeded: the same times give the same interval); ratios of whole runs are few and alike,
so the logarithms have Student's interval.

SciPy is imported where it is used: it takes longer to load than a small run.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catalogue import statistics
from catalogue.statistics import Interval

LEVEL = 0.99
# Deals of a block: what is compared takes turns after so many, so that a noisy minute of the
# machine hits all alike, and intervals of ratios resample whole blocks.
BLOCK = 10
FEWEST_BLOCKS = 5


def blocks(count: int) -> list[tuple[int, int]]:
    """The deals 0..count-1 in blocks: first and stop of each. Twenty at least, if there are."""
    size = max(1, min(BLOCK, count // 20))
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def mean_interval(values: NDArray[np.float64]) -> Interval | None:
    """Of the mean of what the values are a sample of; None for less than two."""
    return statistics.mean_interval(values, LEVEL)


def ratio_interval(above: NDArray[np.float64], below: NDArray[np.float64]) -> Interval | None:
    """Of the ratio of two sums over the same deals, which lie in `blocks`.

    Whole blocks are resampled, because what disturbs one deal disturbs its neighbours. Deals that
    do not belong have zeros; None if too few blocks have others.
    """
    starts = [first for first, _ in blocks(len(above))]
    sums = np.add.reduceat(above, starts), np.add.reduceat(below, starts)
    there = sums[1] > 0
    if there.sum() < FEWEST_BLOCKS:
        return None
    return statistics.bootstrapped((sums[0][there], sums[1][there]), _ratio, LEVEL)


def runs_interval(ratios: Sequence[float]) -> tuple[float, Interval | None]:
    """The geometric mean of ratios of whole runs, and its interval; None for a single one."""
    from scipy.stats import ttest_1samp

    logs = np.log(ratios)
    mean = float(np.exp(logs.mean()))
    if len(logs) < 2:
        return mean, None
    interval = ttest_1samp(logs, 0).confidence_interval(LEVEL)
    return mean, Interval(float(np.exp(interval.low)), float(np.exp(interval.high)))


def geometric_mean(values: NDArray[np.float64]) -> float:
    """Of positive values."""
    return float(np.exp(np.log(values).mean()))


def share_of_slowest(values: NDArray[np.float64]) -> float:
    """The share of the sum that the highest hundredth of the values has; of 100 values or more."""
    slowest = np.sort(values)[-round(len(values) / 100) :]
    return float(slowest.sum() / values.sum())


def from_to(interval: Interval | None, digits: int = 3) -> str:
    """An interval in parentheses; a dash where there is none."""
    if interval is None:
        return "–"
    return f"({interval.low:.{digits}f} to {interval.high:.{digits}f})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns set flush right, the first one flush left."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def kept(interval: Interval | None) -> list[float] | None:
    """An interval for JSON."""
    return None if interval is None else [interval.low, interval.high]


def _ratio(
    above: NDArray[np.float64], below: NDArray[np.float64], axis: int = -1
) -> NDArray[np.float64]:
    return np.asarray(above.sum(axis=axis) / below.sum(axis=axis))


def gain(now: NDArray[np.bool_], before: NDArray[np.bool_], level: float = LEVEL) -> str:
    """What changed in the share won of the same deals, in points, with its interval."""
    both = int((now & before).sum())
    new, lost = int(now.sum()) - both, int(before.sum()) - both
    change = statistics.paired(both, new, lost, len(now) - both - new - lost, level)
    low, high = 100 * change.interval.low, 100 * change.interval.high
    return f"{100 * change.difference:+.2f} ({low:+.2f} to {high:+.2f})"
