"""Intervals of times and of ratios of times, and tables of figures.

All intervals are at 99 %. Times of deals have a long tail, so their means and ratios are
bootstrapped (percentile bootstrap, seeded: the same times give the same interval); ratios of whole
runs are few and similar, so their logarithms get Student's interval.

SciPy is imported where it is used: it takes longer to load than a small run takes.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catalogue import statistics
from catalogue.statistics import Interval

LEVEL = 0.99
# Deals per block: variants take turns after each block, so that a noisy minute of the machine
# affects all alike, and intervals of ratios resample whole blocks.
BLOCK = 10
FEWEST_BLOCKS = 5


def blocks(count: int) -> list[tuple[int, int]]:
    """Split the deals 0..count-1 into blocks (first, stop), at least twenty if there are enough."""
    size = max(1, min(BLOCK, count // 20))
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def mean_interval(values: NDArray[np.float64]) -> Interval | None:
    """The interval of the mean of a sample; None for fewer than two values."""
    return statistics.mean_interval(values, LEVEL)


def ratio_interval(above: NDArray[np.float64], below: NDArray[np.float64]) -> Interval | None:
    """The interval of the ratio of two sums over the same deals, in `blocks`.

    Whole blocks are resampled, because a disturbance of one deal affects its neighbours too. Deals
    that are left out have zeros; None if too few blocks have other values.
    """
    starts = [first for first, _ in blocks(len(above))]
    sums = np.add.reduceat(above, starts), np.add.reduceat(below, starts)
    there = sums[1] > 0
    if there.sum() < FEWEST_BLOCKS:
        return None
    return statistics.bootstrapped((sums[0][there], sums[1][there]), _ratio, LEVEL)


def runs_interval(ratios: Sequence[float]) -> tuple[float, Interval | None]:
    """The geometric mean of ratios of whole runs, and its interval; None for a single run."""
    from scipy.stats import ttest_1samp

    logs = np.log(ratios)
    mean = float(np.exp(logs.mean()))
    if len(logs) < 2:
        return mean, None
    interval = ttest_1samp(logs, 0).confidence_interval(LEVEL)
    return mean, Interval(float(np.exp(interval.low)), float(np.exp(interval.high)))


def geometric_mean(values: NDArray[np.float64]) -> float:
    """The geometric mean of positive values."""
    return float(np.exp(np.log(values).mean()))


def share_of_slowest(values: NDArray[np.float64]) -> float:
    """The share of the sum held by the highest hundredth of at least 100 values."""
    slowest = np.sort(values)[-round(len(values) / 100) :]
    return float(slowest.sum() / values.sum())


def from_to(interval: Interval | None, digits: int = 3) -> str:
    """An interval in parentheses, as text; a dash for None."""
    if interval is None:
        return "–"
    return f"({interval.low:.{digits}f} to {interval.high:.{digits}f})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as text, with its columns aligned right except the first."""
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
    """An interval as JSON data."""
    return None if interval is None else [interval.low, interval.high]


def _ratio(
    above: NDArray[np.float64], below: NDArray[np.float64], axis: int = -1
) -> NDArray[np.float64]:
    return np.asarray(above.sum(axis=axis) / below.sum(axis=axis))


def gain(now: NDArray[np.bool_], before: NDArray[np.bool_], level: float = LEVEL) -> str:
    """The change of the share won on the same deals, in points, with its interval, as text."""
    both = int((now & before).sum())
    new, lost = int(now.sum()) - both, int(before.sum()) - both
    change = statistics.paired(both, new, lost, len(now) - both - new - lost, level)
    low, high = 100 * change.interval.low, 100 * change.interval.high
    return f"{100 * change.difference:+.2f} ({low:+.2f} to {high:+.2f})"
