"""Tests of the validation: against counting pairs, and on games drawn from known models."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue.difficulty import validation
from catalogue.difficulty.rasch import GameCounts
from catalogue.difficulty.validation import limits_of, validate


def naive_auc(score: list[int], won: list[int], lost: list[int]) -> float:
    """Every pair of a game won and a game lost, one by one."""
    pairs = agreeing = 0.0
    for a, wins in zip(score, won, strict=True):
        for b, losses in zip(score, lost, strict=True):
            pairs += wins * losses
            agreeing += wins * losses * (1 if b > a else 0.5 if a == b else 0)
    return agreeing / pairs if pairs else 0.5


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12
    )
)
@settings(deadline=None)
def test_auc_counts_pairs(rows: list[tuple[int, int, int]]) -> None:
    score, won, lost = (list(column) for column in zip(*rows, strict=True))
    found = validation._auc(np.array(score, dtype=float), np.array(won), np.array(lost))
    assert found == pytest.approx(naive_auc(score, won, lost))


def games(n: int, slope: float = 1.0) -> tuple[GameCounts, np.ndarray, np.ndarray]:
    """GameCounts of three players, two each on n deals, the features, and the chances to win.

    With a slope other than 1 the last player heeds difficulty otherwise than the model says.
    """
    chance = np.random.default_rng(8)
    features = chance.normal(0, 1, (n, 2))
    difficulty = features @ np.array([0.9, -0.4]) + chance.normal(0, 0.8, n)
    slopes = np.array([1.0, 1.0, slope])
    wins = 1 / (1 + np.exp(slopes * difficulty[:, None] - np.array([-0.8, 0.1, 0.6])))
    won = chance.binomial(2, wins)
    return GameCounts(won, np.full_like(won, 2)), features, wins


def test_a_model_that_holds_is_found_to_hold() -> None:
    played, features, wins = games(1200)
    chance = np.random.default_rng(3)
    found = validate(played, features, {"noise": chance.normal(size=1200), "half": features[:, 1]})
    areas = found["auc"]
    assert areas["games"] == 1200 * 6
    # What is known at best of the order: the chances themselves.
    best = np.mean(
        [validation._auc(-wins[:, at], played.won[:, at], 2 - played.won[:, at]) for at in range(3)]
    )
    assert areas["predicted"]["auc"] < areas["played"]["auc"] < best + 0.01
    assert areas["noise"]["low"] < 0.5 < areas["noise"]["high"] + 0.02
    assert areas["half"]["auc"] < areas["predicted"]["auc"]
    assert areas["half"]["behind"]["low"] > 0
    for name in ("predicted", "played", "noise", "half"):
        assert areas[name]["low"] <= areas[name]["auc"] <= areas[name]["high"]
    for kind in ("predicted", "played"):
        answer = found["calibration"][kind]
        assert answer["p"] > 0.001
        assert sum(each["games"] for each in answer["bins"]) == 1200 * 6
        shares = [each["expected"] for each in answer["bins"]]
        assert shares == sorted(shares)
    stable = found["stability"]
    assert stable["predicted"] > 0.95
    assert stable["within_one"] > stable["same_level"] > 0.4


def test_a_player_that_heeds_difficulty_otherwise_is_found_out() -> None:
    played, features, _ = games(500, slope=-1.0)
    found = validate(played, features, {})
    assert found["calibration"]["predicted"]["p"] < 1e-6


def test_a_lone_player_cannot_be_held_out() -> None:
    played, features, _ = games(60)
    found = validate(played.by(np.array([1])), features, {})
    assert "auc" not in found
    assert found["stability"]


def test_levels_are_tenths() -> None:
    limits = limits_of(np.arange(1000.0))
    assert len(limits) == 9
    counts = np.bincount(np.searchsorted(limits, np.arange(1000.0), side="right"))
    assert counts.tolist() == [100] * 10
