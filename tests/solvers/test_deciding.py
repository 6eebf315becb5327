"""Tests of deciding within a budget: the verdict is that of the solver, or the limit is named."""

import pytest

from engine.dealing.dealers import deal_by_id
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from known_verdicts import judged_positions
from solvers.analysis import Verdict
from solvers.deciding import Spent, decide_within
from solvers.outcome import Result
from solvers.registry import parse_solver

RULES = parse_ruleset("klondike-draw3")
GAME = game_of(RULES)
VERDICTS = {"winnable": Verdict.WIN, "unwinnable": Verdict.LOSS}


def test_verdicts_of_deals_are_those_of_the_solver() -> None:
    solver = parse_solver("exact(nodes=20000)")
    seen = set()
    for seed in range(150):
        deal = deal_by_id(f"thoughtful-1:{seed}")
        start = GAME.start(deal, RULES)
        (outcome,) = solver.solve(deal.as_array()[None], RULES)
        for given in (deal, None):
            found = decide_within(start, 20_000, 60_000.0, 16, given, first_nodes=500)
            seen.add(found.spent)
            if outcome.result == Result.GAVE_UP:
                assert (found.verdict, found.moves) == (Verdict.UNKNOWN, None)
                assert found.spent == Spent.NODES
                continue
            assert found.spent is None
            assert (found.verdict == Verdict.WIN) == (outcome.result == Result.WON)
            if found.moves is not None:
                assert replay(start, GAME.unpack(found.moves)).is_won
    assert seen == {None, Spent.NODES}


def test_verdicts_of_positions() -> None:
    for position, verdict in judged_positions(3, 60):
        found = decide_within(position, 1_000_000, 60_000.0, 16)
        assert found.verdict == VERDICTS[verdict]


def test_each_limit_is_named() -> None:
    hard = next(
        start
        for start in (GAME.start(deal_by_id(f"thoughtful-1:{seed}"), RULES) for seed in range(99))
        if decide_within(start, 8_000, 60_000.0, 16).spent == Spent.NODES
    )
    assert decide_within(hard, 10**9, 0.0, 16).spent == Spent.TIME
    spider = parse_ruleset("spider-4")
    start = game_of(spider).start(deal_by_id("thoughtful-1:1", game_of(spider)), spider)
    assert decide_within(start, 10**6, 1_000.0, 16).spent == Spent.NO_JUDGE


@pytest.mark.thorough
def test_spent_memory_is_named() -> None:
    found = set()
    for seed in range(400):
        start = GAME.start(deal_by_id(f"thoughtful-1:{seed}"), RULES)
        found.add(decide_within(start, 10**8, 60_000.0, 1).spent)
        if found >= {None, Spent.MEMORY}:
            return
    pytest.fail(f"only {found}")
