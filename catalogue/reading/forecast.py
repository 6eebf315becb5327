"""How many deals, and how much time, until the interval of a bound is as narrow as wanted.

The shares of winnable, unwinnable and unresolved deals are taken to stay what they are. However
many deals are attempted, the interval is then wider than the share of unresolved ones: its two ends
are on the two sides of that gap.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select

from catalogue import statistics
from catalogue.jobs.queue import get_job
from catalogue.reading.bounds import BoundPoint
from catalogue.schema import BoundRow
from catalogue.store import Catalogue
from engine.errors import BadInput
from engine.text.numbers import significant

# Sizes beyond this are "never": at 1,000 deals a second they would take three hundred years.
MOST = 10**13
# Sizes tried in each of three passes, each between two neighbours of the one before, so that the
# size found is at most a few thousandths too large.
_PASSES, _GRID = 3, 32


@dataclass(frozen=True, slots=True)
class Rate:
    """How fast the deals of a sample are attempted.

    Attributes:
        per_second: deals per second.
        source: ``rate`` if it is that of a job that runs, ``history`` if it is the mean from the
            start of the job to its last recorded bound.
        deals: of the history, attempted in `seconds`.
        seconds: of the history.
    """

    per_second: float
    source: Literal["rate", "history"]
    deals: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """The deals and the time until an interval is narrower than `width`; shares, not percentages.

    Attributes:
        width: the width wanted.
        now: the present width.
        gap: share of the attempted deals that are unresolved, below which no interval comes.
        deals: size of the sample at which the interval is narrower; None if it never is, or not
            before `MOST`.
        further: of these, not attempted yet.
        rate: how fast they are attempted, if that is known.
    """

    width: float
    now: float
    gap: float
    deals: int | None
    further: int
    rate: Rate | None

    @property
    def seconds(self) -> float | None:
        """Time left; None if it is not known, or there is no end."""
        if self.deals is None or self.rate is None:
            return None
        return self.further / self.rate.per_second


def forecast(
    cat: Catalogue, point: BoundPoint, width: float, level: float = 0.99, method: str = "sequence"
) -> Forecast:
    """Estimate what it takes until the interval of a bound is narrower than a width.

    Args:
        cat: the catalogue.
        point: the bound.
        width: a share, above 0 and at most 1.
        level: of the interval.
        method: of the interval; a confidence sequence, because it is watched as it shrinks.

    Raises:
        BadInput: a width out of range, a bound of no deals, an unknown method or level.
    """
    if not 0 < width <= 1:
        raise BadInput(
            f"a width of {significant(100 * width)} points is out of range: above 0, at most 100"
        )
    if point.n == 0:
        raise BadInput("a bound of no deals has no shares to go on from")
    gap = point.unresolved / point.n
    counts = point.winnable, point.unwinnable, point.n
    now = float(_widths(counts, np.array([point.n]), level, method)[0])
    deals: int | None = point.n
    if now >= width:
        deals = None if gap >= width else _size(counts, width, level, method)
    further = 0 if deals is None else deals - point.n
    return Forecast(width, now, gap, deals, further, rate_of(cat, point))


def rate_of(cat: Catalogue, point: BoundPoint) -> Rate | None:
    """How fast the job of a bound attempts its deals; None if there is nothing to tell it from."""
    if point.job_id is None:
        return None
    job = get_job(cat, point.job_id)
    if job.rate:
        return Rate(job.rate / len(job.solvers), "rate", 0, 0.0)
    with cat.session() as session:
        deals, last = session.execute(
            select(func.max(BoundRow.n), func.max(BoundRow.created_at)).where(
                BoundRow.job_id == job.id
            )
        ).one()
    # A job that found everything done has measured nothing.
    if job.started_at is None or not isinstance(last, datetime) or not job.cpu_ms:
        return None
    seconds = (last - job.started_at).total_seconds()
    return Rate(deals / seconds, "history", deals, seconds) if seconds > 0 else None


@lru_cache(maxsize=1024)
def _size(counts: tuple[int, int, int], width: float, level: float, method: str) -> int | None:
    """The smallest size, nearly, of a sample with these shares and so narrow an interval.

    Args:
        counts: winnable and unwinnable deals, and all of them.
        width: wider than the gap between the shares.
        level: of the interval.
        method: of the interval.
    """
    low, high = float(counts[2]), float(MOST)
    found = None
    for _ in range(_PASSES):
        if low >= high:
            break
        sizes = np.unique(np.geomspace(low, high, _GRID).round().astype(np.int64))
        narrow = _widths(counts, sizes, level, method) < width
        if not narrow.any():
            return found
        at = int(narrow.argmax())
        low, high = float(sizes[max(at - 1, 0)]), float(sizes[at])
        found = int(sizes[at])
    return found


def _widths(
    counts: tuple[int, int, int], sizes: NDArray[np.int64], level: float, method: str
) -> NDArray[np.float64]:
    """The widths of the intervals of samples of these sizes with the shares of these counts."""
    winnable, unwinnable, n = counts
    grown = sizes / n
    known = np.floor(winnable * grown).astype(np.int64)
    lost = np.floor(unwinnable * grown).astype(np.int64)
    low, _ = statistics.intervals(known, sizes, level, method)
    _, high = statistics.intervals(sizes - lost, sizes, level, method)
    return high - low
