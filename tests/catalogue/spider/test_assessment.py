"""Tests of a server's assessment: uniform p-values, multiple testing, and conclusions."""

from collections import Counter
from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare, kstest
from statsmodels.stats.multitest import multipletests

from catalogue.spider.assessment import (
    ALPHA,
    FEWEST,
    MOST,
    REFERENCE,
    Share,
    examine,
    holm,
    likeliest_hand,
    monte_carlo_p,
    places_statistic,
    repeats_bound,
    seed_of,
)
from catalogue.spider.honest_hands import seeded
from catalogue.spider.power import games_for_power, redealing_power, sum_chances
from catalogue.spider.turnover_chances import guaranteed_chances, mean
from catalogue.spider.words import conclusions, limits
from engine.errors import BadInput
from engine.spider.turnovers import guaranteed_turnovers
from samples import sizes
from spider_servers import honest, redealing


def test_a_rank_among_the_simulated_is_uniform_and_ties_are_split() -> None:
    generator = seeded(5)
    none, some = np.zeros(9), np.arange(9.0)
    assert monte_carlo_p(10.0, some, generator) == 0.1
    assert monte_carlo_p(-1.0, some, generator) == 1.0
    assert monte_carlo_p(4.5, some, generator) == 0.5
    tied = [monte_carlo_p(0.0, none, generator) for _ in range(4000)]
    assert set(np.round(np.array(tied) * 10)) == set(range(1, 11))
    assert chisquare(np.bincount(np.round(np.array(tied) * 10).astype(int))[1:]).pvalue > 0.001


@pytest.mark.parametrize("servers", sizes(400, 1000))
def test_p_values_of_honest_servers_are_uniform(servers: int) -> None:
    simulations = 99
    found: dict[str, list[float]] = {}
    odd = 0
    for number in range(servers):
        report = examine(honest(number, 12), 4, simulations=simulations, random_seed=number)
        odd += bool(report.odd)
        for question in report.questions:
            found.setdefault(question.slug, []).append(question.p_value)
    assert set(found.pop("repeats")) == {1.0}
    assert set(found) == {"guaranteed", "suited", "distribution", "places"}
    splitter = np.random.default_rng(1)
    for slug, values in found.items():
        spread = np.array(values) - splitter.random(servers) / (simulations + 1)
        assert kstest(spread, "uniform").pvalue > 0.001, slug
    assert binomtest(odd, servers, ALPHA, "greater").pvalue > 0.001


@pytest.mark.thorough
def test_holm_is_that_of_statsmodels() -> None:
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([]) == []
    generator = np.random.default_rng(1)
    for _ in range(10):
        p_values = np.round(generator.random(generator.integers(1, 8)), 1) ** 2
        expected = multipletests(p_values, method="holm")[1]
        assert holm(p_values.tolist()) == pytest.approx(expected.tolist())


def test_each_question_answers_the_same_whatever_else_is_asked() -> None:
    hands = honest(1, 50)
    alone = examine(hands, 4, simulations=199)
    more = examine(hands, 4, simulations=199, hard=Share(3, 9), reference=Share(50, 100))
    assert [q.p_value for q in alone.questions] == [q.p_value for q in more.questions[:-1]]
    assert [q.slug for q in more.questions][-1] == "hard"
    assert min(q.adjusted - q.p_value for q in more.questions) >= 0
    other = examine(hands, 4, simulations=199, random_seed=1)
    assert [q.p_value for q in alone.questions] != [q.p_value for q in other.questions]


def test_one_suit_leaves_suits_out() -> None:
    report = examine(honest(1, 40, 1), 1, simulations=99)
    assert [q.slug for q in report.questions] == ["guaranteed", "distribution", "places", "repeats"]
    assert any("With one suit" in each for each in limits(report))


def test_hands_dealt_again_are_noticed() -> None:
    hands = honest(1, 40)
    report = examine(np.concatenate([hands, hands[:1]]), 4, simulations=99)
    (repeats,) = [q for q in report.questions if q.slug == "repeats"]
    assert repeats.found == 1
    assert repeats.odd
    # And the bound is one: honest chances of a small "deck" are below it.
    assert repeats_bound(41, 1, 4) == pytest.approx(820 * likeliest_hand(4))
    assert repeats_bound(41, 0, 4) == 1
    assert repeats_bound(41, 2, 4) < repeats_bound(41, 1, 4) ** 2
    assert likeliest_hand(4) == pytest.approx(np.prod([2 / (104 - step) for step in range(10)]))


def test_cards_that_favour_a_column_are_noticed() -> None:
    hands = honest(2, 300)
    assert examine(hands, 4, simulations=199).odd == []
    # Every third hand has its highest rank first: the same cards, other columns.
    for row in hands[::3]:
        at = int(np.argmax(row))
        row[0], row[at] = row[at], row[0]
    report = examine(hands, 4, simulations=199)
    assert [q.slug for q in report.odd] == ["places"]


def test_places_statistic_is_pearsons() -> None:
    hands = honest(1, 30)
    expected = 0.0
    for column in range(10):
        found = Counter(hands[:, column].tolist())
        expected += sum((found[card] - 30 / 52) ** 2 / (30 / 52) for card in range(52))
    assert places_statistic(hands[None], 4)[0] == pytest.approx(expected)


def test_hard_hands_are_compared_with_fishers_test() -> None:
    report = examine(None, 4, hard=Share(40, 40), reference=Share(50, 100))
    (question,) = report.questions
    # 90 of 140 are hard; which 40 are the server's? All choices at most as likely as this one.
    ways = [comb(90, hard) * comb(50, 40 - hard) for hard in range(41)]
    rare = sum(way for way in ways if way <= ways[40])
    assert question.p_value == pytest.approx(rare / comb(140, 40))
    assert question.side == "more"
    assert report.games == 0
    assert report.e_value == report.highest == 1
    assert report.grown(10) == []


def test_four_suits_have_a_reference_of_their_own() -> None:
    report = examine(None, 4, hard=Share(40, 40))
    assert report.reference == REFERENCE[4]
    assert report.odd
    assert examine(None, 4, hard=Share(40, 40), reference=Share(40, 40)).reference == Share(40, 40)
    assert not examine(None, 4, hard=REFERENCE[4]).odd


def test_too_few_games_are_called_so() -> None:
    none = examine(honest(1, FEWEST - 1), 4)
    assert none.questions == ()
    assert none.power is None
    assert conclusions(none)[0].startswith("Too few games: 9 games")
    few = examine(honest(1, 20), 4, simulations=99)
    assert few.power is not None
    assert few.power < 0.2
    assert conclusions(few)[0].startswith("Few games: with 20")
    many = examine(honest(1, 500), 4, simulations=99)
    assert not any("ew games" in each for each in conclusions(many))


def test_power_is_that_of_simulated_cheats() -> None:
    games, runs, level = 150, 4000, 0.05
    hands = redealing(2, runs * games)
    sums = guaranteed_turnovers(hands).reshape(runs, games).sum(axis=1)
    honest_sums = sum_chances(guaranteed_chances(), games)
    distance = np.abs(np.arange(len(honest_sums)) - games * float(mean(guaranteed_chances())))
    p = np.array([honest_sums[distance >= distance[total] - 1e-9].sum() for total in sums])
    power = redealing_power(games, level)
    assert binomtest(int((p <= level).sum()), runs, power).pvalue > 0.001
    needed = games_for_power(0.9, 0.05)
    assert redealing_power(needed, 0.05) >= 0.9
    assert redealing_power(needed - 30, 0.05) < 0.9


def test_what_cannot_be_examined() -> None:
    for arguments, words in (
        ((None, 4), "no hands"),
        ((honest(1, 20), 3), "1, 2 or 4 suits, not 3"),
        ((np.zeros((MOST + 1, 10), dtype=np.uint8), 4), "too many"),
    ):
        with pytest.raises(BadInput, match=words):
            examine(*arguments)
    with pytest.raises(BadInput, match="needs a reference"):
        examine(None, 2, hard=Share(1, 2))
    for count, total in ((3, 2), (-1, 2), (0, 0)):
        with pytest.raises(BadInput, match="not a share"):
            Share(count, total)


def test_the_simulation_follows_from_the_hands() -> None:
    """So that the same hands get the same answer, and no two servers the same comparison."""
    hands = honest(5, 20)
    report = examine(hands, 4, simulations=199)
    again = examine(hands.copy(), 4, simulations=199)
    assert again.questions == report.questions
    assert again.random_seed == report.random_seed == seed_of(hands)
    other = hands.copy()
    other[0] = hands[1]
    assert seed_of(other) != seed_of(hands)
    seeds = [seed_of(honest(number, 2)) for number in range(400)]
    assert len(set(seeds)) == 400
    assert 0 <= min(seeds) < 2**28 < 2**31 - 2**28 < max(seeds) < 2**31


def test_too_much_to_simulate_is_refused() -> None:
    with pytest.raises(BadInput, match="1,000,000 simulated servers of 1,001 hands are too many"):
        examine(np.tile(honest(1, 1), (1001, 1)), 4, simulations=1_000_000)
