"""Tests of the e-value: mean 1 under an honest shuffle, growth where a server cheats."""

from fractions import Fraction
from math import log

import numpy as np
import pytest
from scipy.stats import binomtest

from catalogue.spider.assessment import Share, examine
from catalogue.spider.honest_hands import honest_hands, seeded
from catalogue.spider.power import sum_chances
from catalogue.spider.turnover_chances import floats, guaranteed_chances, suited_chances
from catalogue.spider.watch import (
    LOST,
    RATIOS,
    THRESHOLD,
    UNKNOWN,
    WON,
    alternatives,
    kind_from,
    log_evidence,
    log_processes,
    redealt,
    tilted,
)
from catalogue.spider.words import conclusions
from engine.spider.turnovers import guaranteed_turnovers, suited_turnovers
from spider_servers import honest, redealing


def test_the_sum_of_games_is_exact() -> None:
    chances = guaranteed_chances()
    two = [Fraction(0)] * 21
    for a, p in enumerate(chances):
        for b, q in enumerate(chances):
            two[a + b] += p * q
    assert sum_chances(chances, 2) == pytest.approx([float(p) for p in two], abs=1e-14)


@pytest.mark.parametrize("chances", [guaranteed_chances(), suited_chances(2), suited_chances(4)])
def test_each_factor_has_the_mean_one_exactly(chances: tuple[Fraction, ...]) -> None:
    mixed = alternatives(chances)
    assert sum(each.weight for each in mixed) == 1
    for each in mixed:
        assert sum(p * f for p, f in zip(chances, each.factors, strict=True)) == 1
        assert min(each.factors) > 0
    assert sum(redealt(chances, kind_from(chances))) == 1


def test_the_mean_e_value_of_three_games_is_one() -> None:
    chances = guaranteed_chances()
    games = np.stack(np.meshgrid(*[np.arange(10)] * 3), axis=-1).reshape(-1, 3)
    weights = floats(chances)[games].prod(axis=1)
    values = np.exp(log_evidence(games, games, 1))
    assert (weights[:, None] * values).sum(axis=0) == pytest.approx([1, 1, 1], abs=1e-12)


def test_the_e_value_is_the_mean_of_mixed_products() -> None:
    guaranteed, suited = np.array([4, 2, 7, 3]), np.array([1, 0, 3, 1])
    expected = []
    for n in range(1, 5):
        both = []
        for turned, chances in ((guaranteed, guaranteed_chances()), (suited, suited_chances(4))):
            total = Fraction(0)
            for each in alternatives(chances):
                product = each.weight
                for g in turned[:n]:
                    product *= each.factors[g]
                total += product
            both.append(total)
        expected.append(float(sum(both) / 2))
    assert np.exp(log_evidence(guaranteed, suited, 4)) == pytest.approx(expected)


def test_honest_servers_are_seldom_suspected_however_long_they_are_watched() -> None:
    hands = honest(3, 400 * 500)
    logs = log_evidence(
        guaranteed_turnovers(hands).reshape(400, 500), suited_turnovers(hands).reshape(400, 500), 4
    )
    reached = int((logs >= log(THRESHOLD)).any(axis=1).sum())
    # More than 5 % by chance alone is what this refuses.
    assert binomtest(reached, 400, 1 / THRESHOLD, "greater").pvalue > 0.001


def test_a_server_that_redeals_kind_hands_is_caught() -> None:
    hands = redealing(1, 100 * 500)
    logs = log_evidence(
        guaranteed_turnovers(hands).reshape(100, 500), suited_turnovers(hands).reshape(100, 500), 4
    )
    there = logs >= log(THRESHOLD)
    assert there.any(axis=1).mean() > 0.9
    assert np.median(np.where(there.any(axis=1), there.argmax(axis=1), 500)) < 200
    report = examine(hands[:600], 4, simulations=499)
    assert {"guaranteed", "distribution"} <= {question.slug for question in report.odd}
    assert report.questions[0].side == "fewer"
    assert report.caught_at is not None
    assert report.grown(100)[-1][0] == 600
    at = report.caught_at
    assert report.log_evidence[at - 1] >= log(THRESHOLD) > report.log_evidence[: at - 1].max()
    assert any("Inconsistent with an honest shuffle" in each for each in conclusions(report))


def test_outcomes_are_asked_about_by_what_came_before() -> None:
    guaranteed = np.array([4, 2, 7, 3, 5])
    won = np.array([WON, LOST, UNKNOWN, WON, LOST], dtype=np.int8)
    chances = guaranteed_chances()
    expected = []
    for n in range(1, 6):
        total = Fraction(0)
        for ratio in RATIOS:
            for after_loss in (Fraction(1), 1 / ratio):
                product = Fraction(1)
                for at in range(1, n):
                    tilt = {WON: ratio, LOST: after_loss}.get(int(won[at - 1]), Fraction(1))
                    product *= tilted(chances, tilt)[guaranteed[at]] / chances[guaranteed[at]]
                total += product
        expected.append(float(total / (2 * len(RATIOS))))
    parts = log_processes(guaranteed, guaranteed, 4, won)
    assert list(parts) == ["guaranteed", "suited", "outcomes"]
    assert np.exp(parts["outcomes"]) == pytest.approx(expected)
    mean_of_three = np.mean([np.exp(part) for part in parts.values()], axis=0)
    assert np.exp(log_evidence(guaranteed, guaranteed, 4, won)) == pytest.approx(mean_of_three)


def test_outcomes_that_hang_on_the_hand_leave_the_mean_at_one() -> None:
    chances = guaranteed_chances()
    games = np.stack(np.meshgrid(*[np.arange(10)] * 3), axis=-1).reshape(-1, 3)
    # Kind hands are won, as a good player does.
    won = (games >= 4).astype(np.int8)
    weights = floats(chances)[games].prod(axis=1)
    values = np.exp(log_evidence(games, games, 1, won))
    assert (weights[:, None] * values).sum(axis=0) == pytest.approx([1, 1, 1], abs=1e-12)


def test_a_server_that_turns_unkind_after_wins_is_caught() -> None:
    generator = seeded(9)
    hands, others = honest_hands(generator, 600), honest_hands(generator, 600)
    won = (generator.random(600) < 0.5).astype(np.int8)
    kind = guaranteed_turnovers(hands) >= 5
    after_win = np.concatenate([[False], won[:-1] == WON])
    hands[kind & after_win] = others[kind & after_win]
    report = examine(hands, 4, won=won, simulations=99)
    assert report.parts["outcomes"] > THRESHOLD > 1
    assert report.won == Share(int(won.sum()), 600)
    assert any("after wins and after losses" in each for each in conclusions(report))
    assert "outcomes" not in examine(hands, 4, simulations=99).parts
