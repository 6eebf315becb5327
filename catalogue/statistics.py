"""Intervals for shares and means, comparison of two shares, and agreement of two figures.

Shares run from 0 to 1, levels are probabilities such as 0.99. Three kinds of interval for a share:

- ``clopper-pearson``: exact for a sample of a size fixed beforehand; its coverage is never below
  its level.
- ``wilson``: shorter; its coverage is close to its level on average, but may be below it.
- ``sequence``: a confidence sequence, the only one of the three that is valid while a sample is
  watched as it grows: with probability `level` it contains the true share at *every* size at once.

SciPy and statsmodels are imported where they are used: loading them takes longer than starting a
runner, which only counts.

The ends of all three do not fall as the number of successes rises for the same n. Bounds rely on
that; see `catalogue.reading.bounds`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.errors import BadInput
from engine.text.numbers import p_value, per_cent

METHODS = ("clopper-pearson", "wilson", "sequence")
RESAMPLES = 5000
# Numbers drawn at once, so that memory use does not grow with the number of deals.
DRAWN_AT_ONCE = 2_000_000
# The share of undecided deals up to which a share is written by the middle of its interval.
MOST_UNDECIDED = 0.01
# Up to this number of objects `most_wrong` is exact.
_HYPERGEOMETRIC = 1_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval from `low` to `high`, both included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        return self.high - self.low

    def centred(self, digits: int) -> str:
        """Its middle and half its width in percent, such as ``81.090 ± 1.713``."""
        return f"{50 * (self.low + self.high):.{digits}f} ± {50 * self.width:.{digits}f}"


def share_text(bounds: Interval, interval: Interval, digits: int) -> str:
    """A share in percent: ``81.090 ± 1.713``, or ``4.620 to 100`` where undecided deals matter.

    Args:
        bounds: the share with every undecided deal counted as a miss, and as a hit.
        interval: the confidence interval around both.
        digits: decimals.
    """
    if bounds.width <= MOST_UNDECIDED:
        return interval.centred(digits)
    low, high = (
        f"{100 * share:.0f}" if share in (0, 1) else per_cent(share, digits)
        for share in (bounds.low, bounds.high)
    )
    return f"{low} to {high}"


def digits_for(n: int) -> int:
    """The decimals of a percentage of n deals: two, and more where its interval needs them.

    With them the interval at 95 % of a share of one half, the widest, has two digits in its width:
    196 points by the root of n.
    """
    width = 196 / math.sqrt(max(n, 1))
    return max(2, 1 + math.ceil(-math.log10(width)))


def clopper_pearson(k: int, n: int, level: float = 0.99) -> Interval:
    """The exact interval of Clopper and Pearson (1934) for k successes in n; n = 0 gives 0 to 1.

    Raises:
        BadInput: k is not in 0..n, or the level not between 0 and 1.
    """
    return interval(k, n, level, "clopper-pearson")


def most_wrong(wrong: int, checked: int, of: int, level: float = 0.99) -> float:
    """The largest share of wrong ones among `of` objects that a check of some does not contradict.

    The checked ones were drawn at random. If the share is larger than this, so few wrong ones as
    were found, or fewer, would be found with a probability of at most 1 − level. The number found
    is hypergeometric; of many objects its binomial bound is used, which is larger.

    Raises:
        BadInput: the counts are in the wrong order, or none was checked.
    """
    if not 0 <= wrong <= checked <= of or checked == 0:
        raise BadInput(f"{wrong} wrong of {checked} checked of {of} cannot be")
    if checked == of:
        return wrong / of
    from scipy.stats import beta, hypergeom

    # The one-sided bound of Clopper and Pearson.
    highest = 1.0 if wrong == checked else float(beta.ppf(level, wrong + 1, checked - wrong))
    if of > _HYPERGEOMETRIC:
        return highest
    low, high = wrong, min(of - (checked - wrong), math.ceil(highest * of))
    while low < high:
        middle = (low + high + 1) // 2
        if hypergeom.cdf(wrong, of, middle, checked) > 1 - level:
            low = middle
        else:
            high = middle - 1
    return low / of


def wilson(k: int, n: int, level: float = 0.99) -> Interval:
    """The score interval of Wilson (1927) for k successes in n; n = 0 gives 0 to 1.

    Raises:
        BadInput: k is not in 0..n, or the level not between 0 and 1.
    """
    return interval(k, n, level, "wilson")


def confidence_sequence(k: int, n: int, level: float = 0.99) -> Interval:
    """The time-uniform interval for k successes in the first n of a growing sample.

    The ratio of the beta-binomial mixture, with a uniform prior on the share, to the binomial
    likelihood of a share p is a martingale with mean 1 if p is the true share; by Ville's
    inequality it exceeds 1/α at *any* time with probability at most α (Robbins 1970, "Statistical
    methods related to the law of the iterated logarithm", section 3). The shares at which it has
    not exceeded 1/α are the interval: those with (n + 1) · C(n, k) · p^k · (1 − p)^(n − k) ≥ α.

    Raises:
        BadInput: k is not in 0..n, or the level not between 0 and 1.
    """
    return interval(k, n, level, "sequence")


@lru_cache(maxsize=4096)
def interval(k: int, n: int, level: float = 0.99, method: str = "clopper-pearson") -> Interval:
    """An interval for k successes in n, by the name of its method.

    Raises:
        BadInput: unknown method, k not in 0..n, or the level not between 0 and 1.
    """
    low, high = intervals(k, n, level, method)
    return Interval(float(low), float(high))


def intervals(
    k: ArrayLike, n: ArrayLike, level: float = 0.99, method: str = "clopper-pearson"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of many intervals at once, for charts.

    Args:
        k: successes, integers of any shape.
        n: sizes, of the same shape as k (or one that broadcasts to it).
        level: probability of containing the true share, such as 0.99.
        method: one of `METHODS`.

    Returns:
        Two arrays of the common shape; 0 and 1 where n is 0.

    Raises:
        BadInput: unknown method, a k not in 0..n, or the level not between 0 and 1.
    """
    if method not in METHODS:
        raise BadInput(f"unknown interval {method!r}: expected one of {', '.join(METHODS)}")
    if not 0 < level < 1:
        raise BadInput(f"level {level} is out of range: expected more than 0 and less than 1")
    k, n = np.broadcast_arrays(np.asarray(k, dtype=np.int64), np.asarray(n, dtype=np.int64))
    if np.any(k < 0) or np.any(k > n):
        raise BadInput("the count of a share must lie between 0 and the size of its sample")
    low, high = np.zeros(k.shape), np.ones(k.shape)
    some = n > 0
    if method == "sequence":
        low[some] = _sequence_low(k[some], n[some], 1 - level)
        # Counting failures instead of successes turns the upper end into a lower end.
        high[some] = 1 - _sequence_low(n[some] - k[some], n[some], 1 - level)
    elif some.any():
        name = "beta" if method == "clopper-pearson" else "wilson"
        from statsmodels.stats.proportion import proportion_confint

        low[some], high[some] = proportion_confint(k[some], n[some], 1 - level, name)
        # This holds exactly for both, but Wilson's formula has a rounding error.
        low[k == 0], high[k == n] = 0.0, 1.0
    return low, high


def _sequence_low(k: NDArray[np.int64], n: NDArray[np.int64], alpha: float) -> NDArray[np.float64]:
    """The lower root of log((n + 1) · C(n, k) · p^k · (1 − p)^(n − k) / α), 0 where k = 0."""
    from scipy.optimize.elementwise import find_root
    from scipy.special import betaln, xlog1py, xlogy

    low = np.zeros(k.shape)
    some = k > 0
    if not some.any():
        return low
    # Floats, since the counts only enter logarithms from here on.
    wins, size = k[some].astype(np.float64), n[some].astype(np.float64)
    constant = -betaln(wins + 1, size - wins + 1) - math.log(alpha)

    def excess(p: Any, wins: Any, size: Any, constant: Any) -> Any:
        return xlogy(wins, p) + xlog1py(size - wins, -p) + constant

    # The function rises from −∞ at p = 0 to its maximum, which is above 0, at p = k / n.
    found = find_root(excess, (np.zeros_like(wins), wins / size), args=(wins, size, constant))
    low[some] = found.x
    return low


def mean_interval(values: NDArray[np.float64], level: float = 0.99) -> Interval | None:
    """The bootstrap interval of the mean of a sample; None for fewer than two values.

    Meant for times of deals, whose distribution has too long a tail for a normal interval.
    """
    return bootstrapped((values,), _mean, level)


def bootstrapped(
    data: tuple[NDArray[np.float64], ...],
    statistic: Callable[..., NDArray[np.float64]],
    level: float = 0.99,
) -> Interval | None:
    """The percentile bootstrap interval of a statistic of paired values; None for fewer than two.

    Args:
        data: arrays of the same length, whose rows are resampled together.
        statistic: a function of these arrays, evaluated along its argument `axis`.
        level: level of the interval.

    The resampling is seeded: the same values give the same interval.
    """
    from scipy.stats import bootstrap

    if len(data[0]) < 2:
        return None
    found = bootstrap(
        data,
        statistic,
        n_resamples=RESAMPLES,
        batch=max(1, DRAWN_AT_ONCE // len(data[0])),
        vectorized=True,
        paired=True,
        confidence_level=level,
        method="percentile",
        random_state=np.random.default_rng(1),
    ).confidence_interval
    return Interval(float(found.low), float(found.high))


def _mean(values: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    return np.asarray(values.mean(axis=axis))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether a published share and a measured bound are consistent with the same true share.

    Attributes:
        agrees: whether 0 lies in the interval.
        difference: the share nearest to the published one that our bound allows, minus the
            published share; 0 if that lies between lower and upper bound, negative if we measured
            less.
        interval: the confidence interval of that difference.
    """

    agrees: bool
    difference: float
    interval: Interval


def games_behind(share: float, half_width: float, level: float) -> int:
    """The number of games for which a normal interval of a share has this half width."""
    from scipy.stats import norm

    z = float(norm.ppf((1 + level) / 2))
    return max(1, round(share * (1 - share) * (z / half_width) ** 2))


def agrees(
    share: float,
    winnable: int,
    unwinnable: int,
    n: int,
    *,
    high: float | None = None,
    games: int | None = None,
    half_width: float | None = None,
    published_level: float = 0.95,
    level: float = 0.99,
) -> Agreement:
    """Compare a published share with one of our bounds.

    Our sample allows every share from winnable / n to 1 − unwinnable / n; the published one, where
    deals were left undecided, every share from `share` to `high`. If one lies in both, the two
    agree. Otherwise the two ends that are nearest to each other are tested, as a
    difference of two independent proportions, with Newcombe's hybrid score interval (1998,
    "Interval estimation for the difference between independent proportions", method 10): they
    agree if it contains 0. A figure published without its number of games but with a half width
    gets the number for which a normal interval has that half width; one with neither is taken as
    exact and agrees if our Clopper–Pearson interval contains it.

    Args:
        share: the published share, 0 to 1, undecided deals counted as unwinnable.
        high: the same with undecided deals counted as winnable; None if there are none.
        winnable: deals of our sample known winnable (for a share of wins: won).
        unwinnable: deals known unwinnable (for a share of wins: all others).
        n: size of our sample, unresolved deals included; at least 1.
        games: number of games of the published share, if known.
        half_width: half the width of its published interval, as a share, if known.
        published_level: the level of that interval.
        level: level of this comparison.

    Raises:
        BadInput: n is 0, or the counts exceed it.
    """
    from statsmodels.stats.proportion import confint_proportions_2indep

    if n < 1 or winnable < 0 or unwinnable < 0 or winnable + unwinnable > n:
        raise BadInput(
            f"cannot compare {winnable} winnable and {unwinnable} unwinnable of {n} deals"
        )
    lowest, highest = winnable / n, 1 - unwinnable / n
    # Of those that the publication allows, the share nearest to ours.
    share = min(max(share, lowest), share if high is None else max(share, high))
    k = winnable if share <= lowest else n - unwinnable
    inside = lowest <= share <= highest
    difference = 0.0 if inside else k / n - share
    if inside:
        # The nearest allowed share is the published one itself.
        k = round(share * n)
    if games is None and half_width is not None and half_width > 0:
        games = games_behind(share, half_width, published_level)
    if games is None:
        ours = clopper_pearson(k, n, level)
        gap = Interval(ours.low - share, ours.high - share)
    else:
        low, high = confint_proportions_2indep(
            k, n, round(share * games), games, method="newcomb", compare="diff", alpha=1 - level
        )
        gap = Interval(float(low), float(high))
    return Agreement(inside or 0 in gap, difference, gap)


@lru_cache(maxsize=1024)
def agreeing_shares(
    winnable: int, unwinnable: int, n: int, games: int | None, level: float = 0.99
) -> Interval:
    """The published shares that would agree with one of our bounds: how much the sample can tell.

    Args:
        winnable: deals of our sample known winnable.
        unwinnable: deals known unwinnable.
        n: size of our sample, at least 1.
        games: number of games of the published share; None if it is taken as exact.
        level: level of the comparison.

    Raises:
        BadInput: n is 0, or the counts exceed it.
    """

    def edge(inside: float, outside: float) -> float:
        """The share nearest to `outside` that agrees, to a hundredth of a percentage point."""
        if agrees(outside, winnable, unwinnable, n, games=games, level=level).agrees:
            return outside
        while abs(outside - inside) > 1e-4:
            middle = (inside + outside) / 2
            if agrees(middle, winnable, unwinnable, n, games=games, level=level).agrees:
                inside = middle
            else:
                outside = middle
        return inside

    return Interval(edge(winnable / n, 0.0), edge(1 - unwinnable / n, 1.0))


@dataclass(frozen=True, slots=True)
class Paired:
    """Comparison of two solvers on the deals that both attempted.

    Attributes:
        both: deals won by both; `only_first`, `only_second` and `neither` likewise.
        interval: interval of the difference of the two shares of wins, first minus second.
        p_value: p-value of McNemar's test that the two win equally often.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    interval: Interval
    p_value: float

    @property
    def n(self) -> int:
        """The number of deals that both attempted."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def p_text(self) -> str:
        """The p-value, as `engine.text.numbers.p_value` writes it."""
        return p_value(self.p_value)

    @property
    def difference(self) -> float:
        """Share of wins of the first minus that of the second; 0 without deals."""
        return (self.only_first - self.only_second) / self.n if self.n else 0.0


def paired(
    both: int, only_first: int, only_second: int, neither: int, level: float = 0.99
) -> Paired:
    """Compare two solvers on common deals, given how many each won.

    The test is McNemar's (1947), exact binomial on the discordant deals. The interval is that of
    Agresti and Min (2005, "Simple improved confidence intervals for comparing matched
    proportions"): Wald's after adding half a deal to each of the four counts, truncated at ±1.

    Raises:
        BadInput: a count is negative, or the level not between 0 and 1.
    """
    from scipy.stats import norm
    from statsmodels.stats.contingency_tables import mcnemar

    counts = (both, only_first, only_second, neither)
    if min(counts) < 0:
        raise BadInput(f"counts of deals cannot be negative: {counts}")
    if not 0 < level < 1:
        raise BadInput(f"level {level} is out of range: expected more than 0 and less than 1")
    if sum(counts) == 0:
        return Paired(*counts, Interval(-1.0, 1.0), 1.0)
    size = sum(counts) + 2
    b, c = only_first + 0.5, only_second + 0.5
    centre = (b - c) / size
    error = math.sqrt((b + c) - (b - c) ** 2 / size) / size
    reach = float(norm.ppf((1 + level) / 2)) * error
    p_value = float(mcnemar([[both, only_first], [only_second, neither]], exact=True).pvalue)
    return Paired(*counts, Interval(max(-1.0, centre - reach), min(1.0, centre + reach)), p_value)
