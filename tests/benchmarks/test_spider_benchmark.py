"""Tests of `benchmarks/spider.py`: its counts against the referee and against games played here."""

import numpy as np
import pytest
from scipy.stats import binomtest

import spider
from catalogue.outcomes.chunk import UnprovedWin
from engine.dealing.dealers import get_dealer
from engine.spider import GAME as SPIDER
from engine.spider.deal import SpiderDeal
from engine.spider.moves import unpack_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from solvers.outcome import Result
from solvers.solver import parse_solver

RULES = SpiderRules(1, deal_onto_empty=True)
MONKEY = "monkey(level=3, period=50)"


def test_completed_runs_are_those_of_the_referee() -> None:
    deals = get_dealer("thoughtful-1").deal_block(350_000, 6, SPIDER)
    games = spider.play((spider.ONE, MONKEY, deals, True))
    outcomes = parse_solver(MONKEY).solve(deals, RULES)
    for row, (won, seconds, gone), outcome in zip(deals, games, outcomes, strict=True):
        position = SpiderPosition.start(SpiderDeal.of(row), RULES)
        for move in unpack_solution(outcome.moves or outcome.played or b""):
            position = position.play(move)
        assert gone == sum(position.completed)
        assert won == position.is_won == (outcome.result is Result.WON)
        assert seconds > 0
    assert 0 < games[:, 0].sum() < 6


def test_a_hand_is_tried_until_it_is_won(capsys: pytest.CaptureFixture[str]) -> None:
    deals = get_dealer("thoughtful-1").deal_block(350_000, 6, SPIDER)
    left, games = list(range(6)), 0
    for seed in range(3):
        games += len(left)
        solver = parse_solver(f"monkey(level=3, period=50, random_seed={seed})")
        outcomes = solver.solve(deals[left], RULES)
        left = [n for n, o in zip(left, outcomes, strict=True) if o.result is Result.LOST]
    command = ["tries", "--deals", "6", "--tries", "3", "--first", "350000", "--workers", "1"]
    assert spider.main([*command, "--player", MONKEY, "--ruleset", spider.ONE]) == 0
    printed = capsys.readouterr().out
    assert f"never won: {len(left)} hands" in printed
    assert f"games: {games};" in printed
    assert 6 < games < 18


def test_easy_hands_are_tried_again(capsys: pytest.CaptureFixture[str]) -> None:
    deals = get_dealer("thoughtful-1").deal_block(350_000, 6, SPIDER)
    wins = np.array(
        [
            [
                each.result is Result.WON
                for each in parse_solver(f"monkey(level=3, period=50, random_seed={seed})").solve(
                    deals, RULES
                )
            ]
            for seed in range(10)
        ]
    )
    others = wins[1:4, wins[0]].sum(axis=0)
    command = ["easy", "--deals", "6", "--tries", "3", "--first", "350000", "--workers", "1"]
    assert spider.main([*command, "--player", MONKEY, "--ruleset", spider.ONE]) == 0
    printed = capsys.readouterr().out
    assert f"{wins[0].sum()} of 6 hands" in printed
    each = ", ".join(map(str, sorted(others.tolist())))
    assert f"wins of each in 3 further tries: {each}" in printed
    assert f"on average {100 * others.mean() / 3:.3g} " in printed
    again = wins[4:, wins[0]][:, others.argmax()].sum()
    assert f"won most often: {again} of 6 more" in printed
    assert 0 < len(others) < 6


def test_a_win_that_is_none_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    deals = get_dealer("thoughtful-1").deal_block(350_000, 6, SPIDER)
    monkeypatch.setattr(spider, "wins", lambda _start, _moves: False)
    spider.play((spider.ONE, MONKEY, deals, False))
    with pytest.raises(UnprovedWin, match="does not accept a win of monkey"):
        spider.play((spider.ONE, MONKEY, deals, True))


def test_players_are_compared_on_the_same_hands(capsys: pytest.CaptureFixture[str]) -> None:
    deals = get_dealer("thoughtful-1").deal_block(350_000, 12, SPIDER)
    names = ["monkey(level=3, period=50)", "monkey(level=1, period=50)"]
    won = [spider.play((spider.ONE, name, deals, True))[:, 0] > 0 for name in names]
    command = ["players", *names, "--deals", "12", "--first", "350000", "--workers", "1"]
    assert spider.main([*command, "--ruleset", spider.ONE]) == 0
    printed = capsys.readouterr().out
    more, fewer = (won[1] & ~won[0]).sum(), (won[0] & ~won[1]).sum()
    assert more != fewer
    p_value = binomtest(int(more), int(more + fewer)).pvalue
    assert f"| {100 * (more - fewer) / 12:+.2f} (" in printed
    assert f"p = {p_value:.3g} |" in printed


def test_a_player_of_klondike_gets_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert spider.main(["players", "greedy"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
