"""Tests of the exact distribution of turnovers and of simulated honest hands."""

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import chisquare

from catalogue.spider.assessment import pooled
from catalogue.spider.honest_hands import kind_of
from catalogue.spider.turnover_chances import (
    guaranteed_chances,
    mean,
    suited_chances,
    turnover_ways,
)
from engine.cards import card_name
from engine.dealing.dealers import get_dealer
from engine.spider import GAME as SPIDER
from engine.spider.deal import SpiderDeal, as_counted
from engine.spider.turnovers import guaranteed_turnovers, suited_turnovers
from spider_servers import honest


@pytest.mark.parametrize(
    ("ranks", "copies", "chains", "cards"),
    [(4, 2, 2, 4), (4, 4, 1, 4), (3, 2, 2, 5), (5, 2, 1, 6), (3, 1, 4, 5), (2, 8, 1, 3)],
)
def test_ways_are_those_counted_one_by_one(
    ranks: int, copies: int, chains: int, cards: int
) -> None:
    deck = [(c, r) for c in range(chains) for r in range(ranks) for _ in range(copies)]
    counted_ways = [0] * (cards + 1)
    for chosen in combinations(deck, cards):
        held = Counter(chosen)
        counted_ways[sum(min(held[c, r], held[c, r + 1]) for c, r in deck[::copies])] += 1
    assert turnover_ways(ranks, copies, chains, cards) == tuple(counted_ways)
    assert sum(counted_ways) == comb(ranks * copies * chains, cards)


def test_chances_add_up_to_one_and_all_ten_cannot_be_turned() -> None:
    for chances in (guaranteed_chances(), suited_chances(2), suited_chances(4)):
        assert sum(chances) == 1
        assert chances[10] == 0 < chances[9]
    assert suited_chances(1) == guaranteed_chances()
    assert float(mean(guaranteed_chances())) == pytest.approx(3.966965, abs=1e-6)


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_chances_are_those_of_dealt_hands(suits: int) -> None:
    # Not our simulation: the deals of a frozen dealer, and the turnovers of the engine.
    deals = get_dealer("thoughtful-1").deal_block(0, 40_000, SPIDER)
    hands = deals[:, [5, 11, 17, 23, 28, 33, 38, 43, 48, 53]]
    assert card_name(int(hands[0, 3])) == card_name(SpiderDeal.of(deals[0]).tableau[3][-1])
    for turnovers, chances in (
        (guaranteed_turnovers(hands), guaranteed_chances()),
        (suited_turnovers(as_counted(hands, suits)), suited_chances(suits)),
    ):
        cell, shares = pooled(chances)
        found = np.bincount(cell[turnovers], minlength=len(shares))
        assert chisquare(found, len(hands) * shares).pvalue > 0.001


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_honest_hands_are_ten_different_cards_of_two_decks(suits: int) -> None:
    hands = honest(1, 30_000, suits)
    most = max(Counter(row.tolist()).most_common(1)[0][1] for row in hands[:5000])
    assert most <= 8 // suits
    kinds = kind_of(hands, suits)
    assert set(kinds.ravel().tolist()) == set(range(13 * suits))
    for column in (0, 4, 9):
        assert chisquare(np.bincount(kinds[:, column])).pvalue > 0.001
    # A pair of one kind among ten: 104 cards, each of which has 8 / suits − 1 fellows.
    pairs = sum(sum(comb(n, 2) for n in Counter(row.tolist()).values()) for row in hands[:20_000])
    expected = 20_000 * 45 * (8 // suits - 1) / 103
    assert pairs == pytest.approx(expected, rel=0.03)
