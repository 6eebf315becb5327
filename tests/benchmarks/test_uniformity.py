"""Tests of the card × place test, and of `thoughtful-1` with it."""

from itertools import permutations

import numba
import numpy as np
import pytest

from engine.dealing.dealers import get_dealer
from measuring.uniformity import card_by_place, uniformity


def test_counts_are_cards_by_places() -> None:
    deals = np.array([[2, 0, 1], [2, 1, 0]], dtype=np.uint8)
    assert card_by_place(deals).tolist() == [[0, 1, 1], [0, 1, 1], [2, 0, 0]]


@pytest.mark.parametrize("cards", [2, 3, 4, 5, 6])
def test_the_covariance_of_the_docstring_is_exact(cards: int) -> None:
    everyone = np.array(list(permutations(range(cards))), dtype=np.uint8)
    cells = np.array([card_by_place(row[None, :]).ravel() for row in everyone])
    centred = np.eye(cards) - np.full((cards, cards), 1 / cards)
    projection = np.kron(centred, centred)
    assert np.allclose(np.cov(cells.T, bias=True), projection / (cards - 1))
    assert np.linalg.matrix_rank(projection) == (cards - 1) ** 2


def test_simulated_statistics_have_the_moments_of_chi_squared() -> None:
    generator = np.random.default_rng(20_041)
    decks = np.tile(np.arange(52, dtype=np.uint8), (500, 1))
    results = [uniformity(card_by_place(generator.permuted(decks, axis=1))) for _ in range(200)]
    statistics = np.array([result.statistic for result in results])
    degrees = results[0].degrees
    assert degrees == 2601
    # Five standard errors of the mean and of the variance of 200 chi-squared values. Without the
    # factor 51/52 the mean would be 51 too large, ten of these standard errors.
    assert abs(statistics.mean() - degrees) < 5 * np.sqrt(2 * degrees / 200)
    assert abs(statistics.var() / (2 * degrees) - 1) < 5 * np.sqrt(2 / 200)


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="80,000 deals take minutes without the compiler"
)
@pytest.mark.parametrize("first", [0, 10**6, 2**32 - 10_000, 2**63 - 20_000])
def test_thoughtful_1_is_uniform(first: int) -> None:
    result = uniformity(card_by_place(get_dealer("thoughtful-1").deal_block(first, 20_000)))
    assert result.deals == 20_000
    # Seeds and shuffle are frozen, so this is one fixed number for each sample; an honest shuffle
    # falls outside on one sample in 500.
    assert 0.001 < result.p_value < 0.999


def test_a_biased_shuffle_is_caught() -> None:
    generator = np.random.default_rng(1)
    deals = np.empty((20_000, 52), dtype=np.uint8)
    for row in deals:
        # The classic slip: every place changes cards with any place.
        row[:] = np.arange(52)
        for place, other in enumerate(generator.integers(0, 52, 52)):
            row[place], row[other] = row[other], row[place]
    assert uniformity(card_by_place(deals)).p_value < 1e-9
