"""Tests of intervals against brute force and simulation, and of comparisons of known cases."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from catalogue.statistics import (
    METHODS,
    Interval,
    agreeing_shares,
    agrees,
    clopper_pearson,
    confidence_sequence,
    digits_for,
    interval,
    intervals,
    mean_interval,
    most_wrong,
    paired,
    wilson,
)
from engine.errors import BadInput
from samples import thorough_case


@pytest.mark.parametrize("n", [10**k * j for k in range(4, 10) for j in (1, 2, 3, 5)])
def test_percentages_have_the_digits_that_their_intervals_need(n: int) -> None:
    """The width of the widest interval has two digits, or more where there are two decimals."""
    digits = digits_for(n)
    width = 100 * clopper_pearson(n // 2, n, 0.95).width
    assert digits >= 2
    assert width * 10**digits > 9.9
    assert digits == 2 or width * 10**digits < 101


def test_few_deals_have_two_decimals() -> None:
    assert [digits_for(n) for n in (0, 1, 1000, 10**6, 10**7, 10**9)] == [2, 2, 2, 2, 3, 4]


def brute_sequence(k: int, n: int, alpha: float) -> Interval:
    """The shares that the mixture does not reject, found on a grid and then by halving."""

    def rejected(p: float) -> bool:
        return bool((n + 1) * binom.pmf(k, n, p) < alpha)

    def edge(inside: float, outside: float) -> float:
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if rejected(middle) else (middle, outside)
        return inside

    low = edge(k / n, 0.0) if k else 0.0
    high = edge(k / n, 1.0) if k < n else 1.0
    return Interval(low, high)


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (3, 7), (0, 40), (40, 40), (817, 1000)])
def test_the_sequence_is_what_the_mixture_does_not_reject(k: int, n: int, level: float) -> None:
    found, expected = confidence_sequence(k, n, level), brute_sequence(k, n, 1 - level)
    assert found.low == pytest.approx(expected.low, abs=1e-9)
    assert found.high == pytest.approx(expected.high, abs=1e-9)


@pytest.mark.parametrize("share", [0.82, *map(thorough_case, (0.02, 0.5))])
def test_the_sequence_holds_the_share_at_all_times_at_once(share: float) -> None:
    """Watching 400 samples grow to 1,000 games, misses at any time stay within α = 10 %."""
    rng = np.random.default_rng(1970)
    k = np.cumsum(rng.random((400, 1000)) < share, axis=1)
    n = np.broadcast_to(np.arange(1, 1001), k.shape)
    low, high = intervals(k, n, 0.90, "sequence")
    missed = ((low > share) | (high < share)).any(axis=1).sum()
    assert missed / 400 <= 0.10
    assert missed > 0
    # The same watch shows why the fixed-sample interval will not do.
    low, high = intervals(k, n, 0.90, "wilson")
    assert ((low > share) | (high < share)).any(axis=1).mean() > 0.3


@pytest.mark.parametrize("share", [0.005, 0.13, 0.82])
def test_clopper_pearson_holds_the_share_of_a_fixed_sample(share: float) -> None:
    """Exactly: the probabilities of the counts whose interval misses add up to at most α."""
    n = 200
    k = np.arange(n + 1)
    low, high = intervals(k, np.full_like(k, n), 0.99, "clopper-pearson")
    for missed in (low > share, high < share):
        assert binom.pmf(k, n, share)[missed].sum() <= 0.005


@pytest.mark.parametrize(
    ("name", "function", "theirs"),
    [("clopper-pearson", clopper_pearson, "exact"), ("wilson", wilson, "wilson")],
)
@given(data=st.data())
def test_fixed_sample_intervals_are_scipys(
    name: str, function: object, theirs: str, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, 10**6))
    k = data.draw(st.integers(0, n))
    level = data.draw(st.sampled_from([0.95, 0.99]))
    expected = binomtest(k, n).proportion_ci(level, method=theirs)
    assert callable(function)
    for found in (function(k, n, level), interval(k, n, level, name)):
        assert found.low == pytest.approx(expected.low, abs=1e-9)
        assert found.high == pytest.approx(expected.high, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@given(n=st.integers(1, 10**9), data=st.data())
def test_every_interval_holds_its_own_share_and_mirrors(
    method: str, n: int, data: st.DataObject
) -> None:
    k = data.draw(st.integers(0, n))
    found, mirrored = interval(k, n, 0.99, method), interval(n - k, n, 0.99, method)
    assert 0 <= found.low <= k / n <= found.high <= 1
    assert k / n in found
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-9)
    assert found.width > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 5, 37, 400])
def test_ends_never_fall_as_successes_are_added(method: str, n: int) -> None:
    """The property on which the span of a bound is based."""
    k = np.arange(n + 1)
    for ends in intervals(k, np.full_like(k, n), 0.99, method):
        assert (np.diff(ends) > -1e-12).all()


def test_the_price_of_watching() -> None:
    at_once, watched = clopper_pearson(8195, 10_000), confidence_sequence(8195, 10_000)
    assert watched.low < at_once.low < at_once.high < watched.high
    assert watched.width < 2 * at_once.width


@pytest.mark.parametrize("method", METHODS)
def test_nothing_attempted_says_nothing(method: str) -> None:
    assert interval(0, 0, 0.99, method) == Interval(0.0, 1.0)
    low, high = intervals([0, 0, 3], [0, 5, 3], 0.99, method)
    assert (low[0], high[0], low[1], high[2]) == (0.0, 1.0, 0.0, 1.0)
    assert high[1] < 1
    assert low[2] > 0


def test_zero_and_all_successes_have_closed_forms() -> None:
    # (n + 1) (1 − p)^n = α
    edge = 1 - (0.01 / 51) ** (1 / 50)
    assert confidence_sequence(0, 50).high == pytest.approx(edge, rel=1e-12)
    assert confidence_sequence(50, 50).low == pytest.approx(1 - edge, rel=1e-12)
    # (1 − p)^n = α / 2
    assert clopper_pearson(0, 50).high == pytest.approx(1 - 0.005 ** (1 / 50), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_chart_of_thousands_of_points_is_quick(method: str) -> None:
    n = np.arange(1, 20_001)
    k = np.round(n * 0.82).astype(int)
    started = time.perf_counter()
    low, high = intervals(k, n, 0.99, method)
    assert time.perf_counter() - started < 2
    for at in (0, 1, 777, 19_999):
        assert interval(int(k[at]), int(n[at]), 0.99, method) == Interval(low[at], high[at])


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (1, 0)])
def test_impossible_counts_are_refused(k: int, n: int) -> None:
    with pytest.raises(BadInput, match="between 0 and the size"):
        clopper_pearson(k, n)


def test_impossible_levels_and_methods_are_refused() -> None:
    for level in (0.0, 1.0, 99.0):
        with pytest.raises(BadInput, match="level"):
            confidence_sequence(1, 2, level)
        with pytest.raises(BadInput, match="level"):
            paired(1, 2, 3, 4, level)
    with pytest.raises(BadInput, match="unknown interval 'wald'"):
        interval(1, 2, 0.99, "wald")


def test_figures_agree_when_they_can_be_of_one_share() -> None:
    published = {"games": 1_000_000}
    would = agreeing_shares(8190, 1790, 10_000, 1_000_000)
    for share, agree in (
        (would.low + 0.0002, True),
        (would.low - 0.0002, False),
        (would.high - 0.0002, True),
        (would.high + 0.0002, False),
    ):
        assert agrees(share, 8190, 1790, 10_000, games=1_000_000).agrees is agree
    inside = agrees(0.81945, 8190, 1790, 10_000, **published)
    assert inside.agrees
    assert inside.difference == 0
    near = agrees(0.81945, 8120, 1880, 10_000, **published)
    assert near.agrees
    assert near.difference == pytest.approx(-0.00745)
    far = agrees(0.81945, 8050, 1950, 10_000, **published)
    assert not far.agrees
    assert far.interval.high < 0


def test_unresolved_deals_leave_room_for_agreement() -> None:
    assert agrees(0.9, 500, 20, 1000, games=10_000).agrees
    assert not agrees(0.99, 500, 20, 1000, games=10_000).agrees
    assert not agrees(0.45, 500, 20, 1000, games=10_000).agrees


def test_deals_that_a_publication_left_undecided_leave_room_too() -> None:
    """24,068 of a million won and 974,798 undecided: everything from 2.4 to 99.9 % agrees."""
    published = {"high": 0.998866, "games": 1_000_000}
    assert agrees(0.024068, 157_135, 725_499, 1_000_000, **published).agrees
    for won in (300, 9_980):
        inside = agrees(0.024068, won, 10_000 - won, 10_000, **published)
        assert (inside.agrees, inside.difference) == (True, 0)
    below = agrees(0.024068, 100, 9_900, 10_000, **published)
    assert not below.agrees
    assert below.difference == pytest.approx(0.01 - 0.024068)
    above = agrees(0.1, 5_000, 5_000, 10_000, high=0.2, games=10_000)
    assert above.difference == pytest.approx(0.3)
    assert above.interval.low > 0


def test_a_half_width_stands_for_the_number_of_games() -> None:
    """13.05 % ± 0.882 at 99 % is of 10,000 games, to rounding."""
    by_width = agrees(0.1305, 1400, 8600, 10_000, half_width=0.00882, published_level=0.99)
    by_games = agrees(0.1305, 1400, 8600, 10_000, games=10_000)
    assert by_width.interval.low == pytest.approx(by_games.interval.low, abs=2e-4)
    assert by_width.agrees == by_games.agrees


def test_a_bare_figure_must_lie_in_our_interval() -> None:
    ours = clopper_pearson(850, 10_000)
    assert agrees(ours.low + 1e-6, 850, 9150, 10_000).agrees
    assert not agrees(ours.low - 1e-6, 850, 9150, 10_000).agrees


def test_two_samples_of_one_share_agree_99_times_of_100() -> None:
    rng = np.random.default_rng(1998)
    ours, theirs = rng.binomial(500, 0.82, 400), rng.binomial(3000, 0.82, 400)
    refused = sum(
        not agrees(t / 3000, int(k), 500 - int(k), 500, games=3000).agrees
        for k, t in zip(ours, theirs, strict=True)
    )
    assert refused <= 12  # P(more than 12 of 400 at 1 %) < 0.001


def test_a_comparison_needs_a_sample() -> None:
    for counts in ((0, 0, 0), (5, 6, 10), (-1, 0, 10)):
        with pytest.raises(BadInput, match="cannot compare"):
            agrees(0.5, *counts)


def test_mcnemars_exact_test_is_binomial_on_the_disagreements() -> None:
    found = paired(500, 30, 10, 460)
    assert found.n == 1000
    assert found.difference == pytest.approx(0.02)
    assert found.p_value == pytest.approx(binomtest(10, 40).pvalue)
    assert found.difference in found.interval
    assert 0 not in found.interval
    turned = paired(500, 10, 30, 460)
    assert turned.interval.low == pytest.approx(-found.interval.high)


def test_pairs_without_disagreement_or_without_deals() -> None:
    same = paired(70, 0, 0, 30)
    assert (same.difference, same.p_value) == (0.0, 1.0)
    assert 0 in same.interval
    assert same.interval.width < 0.1
    assert paired(0, 0, 0, 0).interval == Interval(-1.0, 1.0)
    assert paired(0, 0, 0, 0).difference == 0
    with pytest.raises(BadInput, match="negative"):
        paired(1, -1, 0, 0)


@pytest.mark.parametrize("n", [40, 400])
def test_the_paired_interval_holds_the_difference(n: int) -> None:
    """Coverage of 95 % intervals over 3,000 simulated comparisons, within its noise."""
    rng = np.random.default_rng(2005)
    chances = [0.55, 0.2, 0.1, 0.15]
    held = sum(
        0.1 in paired(int(a), int(b), int(c), int(d), 0.95).interval
        for a, b, c, d in rng.multinomial(n, chances, 3000)
    )
    noise = 4 * math.sqrt(0.95 * 0.05 / 3000)
    assert held / 3000 > 0.95 - noise


def test_no_p_value_is_told_as_zero() -> None:
    assert paired(50, 9, 1, 40, 0.99).p_text == "p = 0.0215"
    assert paired(0, 8000, 0, 0, 0.99).p_text == "p < 1 in 1,000,000,000,000,000"


def test_the_interval_of_a_mean() -> None:
    """Near Student's where that is right, wider above than below where the tail is long."""
    rng = np.random.default_rng(99)
    even = rng.normal(10, 2, 2000)
    found = mean_interval(even)
    assert found is not None
    reach = 2.5758 * even.std() / math.sqrt(len(even))
    assert found.low == pytest.approx(even.mean() - reach, abs=0.1 * reach)
    assert found.high == pytest.approx(even.mean() + reach, abs=0.1 * reach)
    assert mean_interval(even) == found
    assert mean_interval(even, 0.95).width < 0.9 * found.width  # type: ignore[union-attr]

    tailed = rng.lognormal(0, 2, 300)
    found = mean_interval(tailed)
    assert found is not None
    assert found.high - tailed.mean() > 1.1 * (tailed.mean() - found.low)
    assert mean_interval(np.array([3.0])) is None
    assert mean_interval(np.array([3.0, 3.0])) == Interval(3.0, 3.0)


@pytest.mark.parametrize("of", [1, 7, 40])
def test_most_wrong_is_the_largest_share_that_is_not_unlikely(of: int) -> None:
    """By its definition: counted over all draws, with exact fractions."""
    for checked in range(1, of + 1):
        for wrong in range(min(checked, 4) + 1):
            likely = [
                among
                for among in range(wrong, of - (checked - wrong) + 1)
                if sum(
                    Fraction(math.comb(among, k) * math.comb(of - among, checked - k))
                    for k in range(wrong + 1)
                )
                / math.comb(of, checked)
                > Fraction(1, 100)
            ]
            expected = wrong if checked == of else max(likely)
            assert most_wrong(wrong, checked, of) == expected / of


def test_most_wrong_of_many_is_the_binomial_bound() -> None:
    none = most_wrong(0, 1_000, 10**9)
    assert none == pytest.approx(1 - 0.01 ** (1 / 1_000))
    assert most_wrong(0, 1_000, 10**6) <= none
    assert most_wrong(3, 1_000, 10**9) > none
    assert most_wrong(5, 5, 10**9) == 1.0
    with pytest.raises(BadInput, match="cannot be"):
        most_wrong(3, 2, 10)
