"""Tests of the Rasch model: against quadrature written out, and on games drawn from a model."""

from collections.abc import Iterator
from itertools import product
from math import exp, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from catalogue.difficulty import rasch
from catalogue.difficulty.rasch import GameCounts, Model, fit
from engine.errors import BadInput


def drawn(
    n: int, abilities: list[float], weights: list[float], spread: float
) -> tuple[GameCounts, np.ndarray, np.ndarray]:
    """GameCounts, features and true difficulties of n deals, two games a player."""
    chance = np.random.default_rng(5)
    features = chance.normal(3.0, 2.0, (n, len(weights)))
    difficulty = (features - features.mean(axis=0)) @ np.array(weights)
    difficulty += chance.normal(0, spread, n)
    wins = 1 / (1 + np.exp(difficulty[:, None] - np.array(abilities)))
    won = chance.binomial(2, wins)
    return GameCounts(won, np.full_like(won, 2)), features, difficulty


def density(model: Model, won: list[int], played: list[int], mean: float, at: float) -> float:
    """The prior at a difficulty times the likelihood of games, one at a time."""
    total = exp(-(((at - mean) / model.spread) ** 2) / 2) / (model.spread * sqrt(2 * pi))
    for ability, wins, games in zip(model.abilities.tolist(), won, played, strict=True):
        chance = 1 / (1 + exp(at - ability))
        total *= chance**wins * (1 - chance) ** (games - wins)
    return total


def model_with(abilities: list[float], spread: float) -> Model:
    one = np.array([1.0])
    return Model(np.array(abilities), one, one * 0, one, spread, 0.0)


@given(
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
    st.floats(-3, 3),
    st.floats(0.2, 2.5),
)
@settings(max_examples=40, deadline=None)
def test_ratings_agree_with_integrals(won: list[int], mean: float, spread: float) -> None:
    model = model_with([-1.5, 0.2, 1.0], spread)
    played = [3, 3, 4]
    games = GameCounts(np.array([won]), np.array([played]))
    (found,), (deviation,) = model.rate(games, np.array([mean]))
    ends = mean - 12 * spread, mean + 12 * spread

    def weighed(at: float, k: int) -> float:
        return at**k * density(model, won, played, mean, at)

    # The density may be tiny everywhere: only a relative limit of the error means something.
    closely = {"limit": 400, "points": [mean], "epsabs": 0.0, "epsrel": 1e-9}
    moments = [quad(weighed, *ends, (k,), **closely)[0] for k in range(3)]
    average = moments[1] / moments[0]
    # The few points of `Model.rate` are off by some 1e-5 where the prior is wide. They end six
    # deviations from the mean of the prior, which games may shift by more than half of that.
    closeness = 1e-4 if abs(average - mean) < 2.5 * spread else 5e-3
    assert found == pytest.approx(average, abs=closeness)
    deviation_there = sqrt(moments[2] / moments[0] - average**2)
    assert deviation == pytest.approx(deviation_there, abs=closeness)


def test_without_games_a_rating_is_the_prediction() -> None:
    model = model_with([0.0, 1.0], 0.8)
    none = GameCounts(np.zeros((2, 2), dtype=np.int64), np.zeros((2, 2), dtype=np.int64))
    difficulty, deviation = model.rate(none, np.array([-1.0, 2.0]))
    assert difficulty == pytest.approx([-1.0, 2.0], abs=1e-9)
    assert deviation == pytest.approx([0.8, 0.8], abs=1e-6)


def test_chances_agree_with_integrals() -> None:
    model = model_with([0.0], 1.0)
    for ability, mean, deviation in product((-2.0, 0.5), (-1.0, 1.5), (0.3, 1.4)):
        (found,) = model.chance(ability, np.array([mean]), np.array([deviation]))

        def at(z: float, shift: float = mean - ability, width: float = deviation) -> float:
            return exp(-z * z / 2) / sqrt(2 * pi) / (1 + exp(shift + width * z))

        assert found == pytest.approx(quad(at, -10, 10)[0], abs=1e-6)


def test_the_likelihood_agrees_with_integrals() -> None:
    games, features, _ = drawn(12, [-1.0, 0.4], [0.3], 0.7)
    model = fit(games, features)
    expected = model.predict(features).tolist()

    def of_deal(at: float, n: int) -> float:
        return density(model, games.won[n].tolist(), games.played[n].tolist(), expected[n], at)

    total = 0.0
    for n, middle in enumerate(expected):
        reach = 12 * model.spread + 1
        ends = middle - reach, middle + reach
        total += log(quad(of_deal, *ends, (n,), limit=400, points=[middle])[0])
    assert model.likelihood == pytest.approx(total, abs=1e-4)


def test_the_gradient_is_that_of_the_likelihood() -> None:
    games, features, _ = drawn(40, [-1.0, 0.4, 1.1], [0.3, -0.2], 0.7)
    inputs = (features - features.mean(axis=0)) / features.std(axis=0)
    values = np.array([-0.8, 0.1, 0.9, 0.4, -0.3, -0.2])
    _, gradient = rasch._loss(values, games, inputs)
    for at in range(len(values)):
        ahead, behind = values.copy(), values.copy()
        ahead[at] += 1e-5
        behind[at] -= 1e-5
        slope = (
            rasch._loss(ahead, games, inputs)[0] - rasch._loss(behind, games, inputs)[0]
        ) / 2e-5
        assert gradient[at] == pytest.approx(slope, rel=1e-4, abs=1e-4)


def test_a_fit_finds_the_model_that_games_were_drawn_from() -> None:
    abilities, weights, spread = [-2.0, -0.5, 0.0, 1.0], [0.35, -0.15], 0.9
    games, features, difficulty = drawn(2500, abilities, weights, spread)
    model = fit(games, features)
    assert (np.abs(model.abilities - abilities) < 4 * model.errors).all()
    assert model.errors.max() < 0.1
    assert model.weights == pytest.approx(weights, abs=0.05)
    assert model.spread == pytest.approx(spread, abs=0.1)
    rated, deviation = model.rate(games, model.predict(features))
    # A standard error is one: the true difficulties scatter about the ratings as it says.
    assert np.std((rated - difficulty) / deviation) == pytest.approx(1, abs=0.05)
    assert deviation.mean() < 0.8 * spread


def test_without_features_it_is_the_plain_model() -> None:
    games, _, difficulty = drawn(1500, [-1.0, 0.0, 1.0], [0.0], 1.2)
    model = fit(games, np.zeros((1500, 0)))
    assert model.spread == pytest.approx(1.2, abs=0.15)
    rated, _ = model.rate(games, np.zeros(1500))
    assert np.corrcoef(rated, difficulty)[0, 1] > 0.6


def test_a_feature_that_never_differs_has_no_weight() -> None:
    games, features, _ = drawn(200, [-1.0, 0.5], [0.3], 0.5)
    both = np.hstack([features, np.full((200, 1), 7.0)])
    model = fit(games, both)
    assert model.weights[1] == pytest.approx(0, abs=1e-6)
    assert model.predict(both) == pytest.approx(fit(games, features).predict(features), abs=1e-3)


def cases() -> Iterator[GameCounts]:
    yield GameCounts(np.array([[1, 1], [1, 0]]), np.ones((2, 2), dtype=np.int64))
    yield GameCounts(np.array([[0, 1], [0, 0]]), np.ones((2, 2), dtype=np.int64))
    yield GameCounts(np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2), dtype=np.int64))


@pytest.mark.parametrize("games", list(cases()))
def test_players_whose_games_all_ended_alike_are_refused(games: GameCounts) -> None:
    with pytest.raises(BadInput, match="both won and lost"):
        fit(games, np.zeros((len(games.won), 0)))
