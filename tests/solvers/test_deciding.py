"""Tests of deciding within a budget: the verdict is that of the solver, or the limit is named."""

import pytest

from engine.dealing.dealers import deal_by_id
from engine.game import Position
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from known_verdicts import decided_positions
from solvers import deciding
from solvers.deciding import (
    Budget,
    DecisionSearch,
    Ending,
    Verdict,
    decide,
    ending_words,
    seconds_words,
)
from solvers.outcome import Outcome, Result
from solvers.solver import Solver, parse_solver

RULES = parse_ruleset("klondike-draw3")
SPIDER = parse_ruleset("spider-4")
GAME = game_of(RULES)
VERDICTS = {"winnable": Verdict.WINNABLE, "unwinnable": Verdict.UNWINNABLE}


def test_verdicts_of_deals_are_those_of_the_solver() -> None:
    solver = parse_solver("exact(nodes=20000)")
    seen = set()
    for seed in range(60):
        deal = deal_by_id(f"thoughtful-1:{seed}")
        start = GAME.start(deal, RULES)
        (outcome,) = solver.solve(deal.as_array()[None], RULES)
        for given in (deal, None):
            found = decide(start, Budget(60_000.0, 20_000, 16, 500), given)
            seen.add(found.ending)
            if outcome.result == Result.GAVE_UP:
                assert (found.verdict, found.win) == (Verdict.UNDECIDED, ())
                assert found.ending == Ending.NODES
                continue
            assert found.ending is None
            assert (found.verdict == Verdict.WINNABLE) == (outcome.result == Result.WON)
            if found.verdict == Verdict.WINNABLE:
                assert replay(start, found.win).is_won
    assert seen == {None, Ending.NODES}


def test_verdicts_of_positions() -> None:
    for position, verdict in decided_positions(3, 60):
        found = decide(position, Budget(60_000.0, 1_000_000, 16))
        assert found.verdict == VERDICTS[verdict]


def hard() -> Position:
    """A start that a million nodes do not decide."""
    return GAME.start(deal_by_id("thoughtful-1:9724"), RULES)


def test_each_limit_is_named() -> None:
    assert decide(hard(), Budget(60_000.0, 8_000)).ending == Ending.NODES
    assert decide(hard(), Budget(0.0)).ending == Ending.TIME
    # The last search has all the nodes, although it is hardly larger than the one before.
    found = decide(hard(), Budget(60_000.0, 100_000, 64, 64_000))
    assert (found.ending, found.nodes) == (Ending.NODES, 100_000)
    assert decide(hard(), Budget(60_000.0, 10**9, 1)).ending == Ending.MEMORY


def test_a_limit_is_told_in_words() -> None:
    budget = Budget(2_500.0, 1_000_000, 64)
    answer = [ending_words(each, budget, SPIDER) for each in Ending]
    assert answer == [
        "1,000,000 nodes did not suffice",
        "2.5 s did not suffice",
        "64 MiB of memory did not suffice",
        "the search was cancelled",
        "no solver decides positions under spider-4",
    ]
    assert [seconds_words(each) for each in (250.0, 1_000.0, 1_000_000.0)] == [
        "250 ms",
        "1 s",
        "1,000 s",
    ]


def test_the_clock_stands_still_while_kernels_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(deciding.time, "perf_counter", lambda: clock[0])

    def prepare(self: Solver, _rules: object) -> None:
        clock[0] += 40.0

    monkeypatch.setattr(Solver, "prepare", prepare)
    search = DecisionSearch(RULES, Budget(1_000.0, 1_000))
    assert search.decide(hard()).ending == Ending.NODES
    assert search.left == 1.0
    # By other processes, while the interpreter answers.
    monkeypatch.setattr(Solver, "is_being_compiled", lambda self, rules: True)
    asked = Solver.solve_position

    def slow(self: Solver, position: Position) -> Outcome:
        clock[0] += 20.0
        return asked(self, position)

    monkeypatch.setattr(Solver, "solve_position", slow)
    monkeypatch.setattr("solvers.solver.solve_meanwhile", lambda *given: given[-1]())
    search = DecisionSearch(RULES, Budget(1_000.0, 64_000))
    assert search.decide(hard()).ending == Ending.NODES
    assert search.left == 1.0


@pytest.mark.thorough
def test_spent_memory_is_named() -> None:
    found = set()
    for seed in range(400):
        start = GAME.start(deal_by_id(f"thoughtful-1:{seed}"), RULES)
        found.add(decide(start, Budget(60_000.0, 10**8, 1)).ending)
        if found >= {None, Ending.MEMORY}:
            return
    pytest.fail(f"only {found}")
