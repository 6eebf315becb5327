"""Tests of the deal of the day, and of the winnable deals of a key."""

from datetime import date, timedelta

import pytest
from scipy.stats import chisquare

from catalogue.difficulty import deal_of_day as days
from catalogue.difficulty.deal_of_day import LEVELS, VERSION, deal_of_day, winnable_deals
from engine import replay
from engine.dealing.dealers import Dealer, deal_by_id, get_dealer
from engine.errors import BadInput
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.outcome import Result
from solvers.solver import parse_solver

MONDAY = date(2026, 11, 23)
# Of version 1. Where one of these changes, so do the deals of all days: raise `VERSION`.
KNOWN = {
    "klondike-draw3": [407448943, 731933891, 143425810, 888060306, 166419721, 482287804, 46225136],
    "klondike-draw1": [157548120, 250619002, 430782702, 300368389, 138457318, 260007018, 604667663],
    "spider-1": [221928444, 227229643],
    "spider-4": [964048693],
}


@pytest.mark.parametrize("ruleset", KNOWN)
def test_the_deals_of_days_stay_what_they_are(ruleset: str) -> None:
    assert VERSION == 1
    for number, seed in enumerate(KNOWN[ruleset]):
        found = deal_of_day(MONDAY + timedelta(number), ruleset)
        assert found.deal == f"thoughtful-1:{seed}"
        decided = ruleset.startswith("klondike")
        assert found.weekday_level == (number + 1 if decided else None)


def test_the_days_of_a_week_have_its_deals_from_the_easiest_to_the_hardest() -> None:
    """Written out: the first seven winnable deals, by the games that random play wins."""
    rules = parse_ruleset("klondike-draw1")
    key = f"week {VERSION} 2026-W48 {rules.slug}"
    deals = winnable_deals(rules, get_dealer("thoughtful-1"), key, 10**9)
    seven = [next(deals) for _ in range(LEVELS)]
    measured = []
    for seed, deal, outcome in seven:
        assert outcome.moves is not None
        start = game_of(rules).start(deal, rules)
        assert replay.wins(start, game_of(rules).unpack(outcome.moves))
        games = [
            parse_solver(f"random(random_seed={number})").solve(deal.as_array()[None], rules)[0]
            for number in range(200)
        ]
        wins = sum(game.result == Result.WON for game in games)
        measured.append((-wins, outcome.nodes, seed))
    days_of_week = [deal_of_day(MONDAY + timedelta(day), rules.slug).deal for day in range(LEVELS)]
    assert days_of_week == [f"thoughtful-1:{seed}" for _, _, seed in sorted(measured)]
    assert len({wins for wins, _, _ in measured}) > 2


def test_winnable_deals_are_drawn_evenly_from_a_dealer() -> None:
    """Of a dealer with few seeds, each that can be won as often as any other."""
    rules = parse_ruleset("klondike-draw1")
    dealer = get_dealer("thoughtful-1")
    seeds = range(dealer.min_seed, dealer.min_seed + 12)
    won = [seed for seed in seeds if _is_won(dealer, seed)]
    assert 5 < len(won) < 12
    found = [next(winnable_deals(rules, dealer, f"key {key}", 12)).seed for key in range(400)]
    assert set(found) == set(won)
    assert chisquare([found.count(seed) for seed in won]).pvalue > 0.001


def _is_won(dealer: Dealer, seed: int) -> bool:
    rules = parse_ruleset("klondike-draw1")
    deal = deal_by_id(f"{dealer.slug}:{seed}", game_of(rules))
    (outcome,) = parse_solver("exact(nodes=200000)").solve(deal.as_array()[None], rules)
    return outcome.result == Result.WON


def test_a_ruleset_without_deals_of_days_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(days, "_TRIED_MOST", 5)
    with pytest.raises(BadInput, match="won none of 5 deals in a row under klondike-draw13"):
        deal_of_day(MONDAY, "klondike-draw13-redeals0")
    with pytest.raises(BadInput, match="whist"):
        deal_of_day(MONDAY, "whist")
