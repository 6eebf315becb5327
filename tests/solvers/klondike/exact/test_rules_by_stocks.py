"""Tests of the rules of the search by stocks: no result changes without them, slips are caught.

Each rule is switched off in turn, on known verdicts and on positions decided by exhaustive search.
Then slips are made on purpose, one at a time (`mutations.by_stocks`): each must get a verdict wrong
on at least one of its positions, on which the program itself is right.
"""

import numpy as np
import pytest

from engine.kernels.compiler import COMPILED
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS
from engine.replay import replay
from known_verdicts import decided_positions, known_deals
from mutations.by_stocks import MUTATIONS, POSITIONS
from mutations.mutation import Mutation
from mutations.slipping import said_with, wrong
from position_text import parse_position, position_text
from solvers.klondike.exact.searching import BY_STOCKS
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver

VERDICT = {Result.WON: "winnable", Result.UNWINNABLE: "unwinnable", Result.GAVE_UP: None}


def solve(position: KlondikePosition, off: int, nodes: int) -> Outcome:
    """A search by stocks with rules switched off."""
    return BY_STOCKS.solve_position(position, {"nodes": nodes, "memory_mib": 64}, off)


@pytest.mark.parametrize("rule", BY_STOCKS.RULES)
@pytest.mark.parametrize("ruleset", ["klondike-draw1", "klondike-draw3"])
def test_known_verdicts_without_one_rule(ruleset: str, rule: str) -> None:
    deals, verdicts = known_deals(f"{ruleset}.jsonl.gz")
    count, nodes = (40, 30_000) if COMPILED else (6, 600)
    rules = PRESETS[ruleset]
    cards = np.array([deal.cards for deal in deals[:count]], dtype=np.uint8)
    values = {"nodes": nodes, "memory_mib": 64}
    outcomes = BY_STOCKS.solve(cards, rules, values, off=BY_STOCKS.RULES[rule])
    decided = 0
    for deal, verdict, outcome in zip(deals, verdicts, outcomes, strict=False):
        assert VERDICT[outcome.result] in (verdict, None), str(deal)
        if outcome.result == Result.WON:
            assert outcome.moves is not None
            assert proves_win(deal, rules, unpack_solution(outcome.moves)), str(deal)
        decided += outcome.result != Result.GAVE_UP
    assert decided >= (0.6 * count if COMPILED else 1)


@pytest.mark.parametrize("rule", [*BY_STOCKS.RULES, "none of them"])
@pytest.mark.parametrize("draw", [1, 2, 3, 5])
def test_late_positions_without_one_rule(draw: int, rule: str) -> None:
    """Without each rule, and without any."""
    off = BY_STOCKS.RULES.get(rule, sum(BY_STOCKS.RULES.values()))
    decided = count = 100 if COMPILED else 8
    for position, verdict in decided_positions(draw, count):
        outcome = solve(position, off, 20_000)
        decided -= outcome.result == Result.GAVE_UP
        assert VERDICT[outcome.result] in (verdict, None), position_text(position)
        if outcome.result == Result.WON:
            assert outcome.moves is not None
            assert replay(position, unpack_solution(outcome.moves)).is_won, position_text(position)
    assert decided >= (0.9 if COMPILED else 0.5) * count


@pytest.mark.parametrize(
    ("text", "verdict"), sorted({sharp for positions in POSITIONS.values() for sharp in positions})
)
def test_sharp_positions(text: str, verdict: str) -> None:
    position = parse_position(text)
    outcome = parse_solver("exact(memory_mib=64)").solve_position(position)
    assert VERDICT[outcome.result] == verdict
    if outcome.result == Result.WON:
        assert outcome.moves is not None
        assert replay(position, unpack_solution(outcome.moves)).is_won


def wrong_ones(slips: list[Mutation]) -> dict[str, list[str]]:
    """By the names of slips, the positions of which the slipped program says what is wrong."""
    lines = [(slip, [text for text, _ in POSITIONS[slip.name]]) for slip in slips]
    return {
        slip.name: [
            text
            for found, (text, verdict) in zip(said, POSITIONS[slip.name], strict=True)
            if wrong(found, verdict)
        ]
        for slip, said in zip(slips, said_with("by_stocks", lines), strict=True)
    }


@pytest.mark.thorough
def test_every_slip_is_caught() -> None:
    assert [name for name, found in wrong_ones(MUTATIONS).items() if not found] == []


@pytest.mark.thorough
def test_without_a_slip_no_verdict_is_wrong() -> None:
    """The same, but nothing is changed by what is put in."""
    none = [slip._replace(new=slip.old, nodes=3000) for slip in MUTATIONS]
    assert [name for name, found in wrong_ones(none).items() if found] == []


def test_every_slip_can_be_made() -> None:
    for slip in MUTATIONS:
        source = slip.path.read_text()
        assert source.count(slip.old) == 1, f"{slip.file} has changed: {slip.old!r}"
    assert sorted(POSITIONS) == sorted(slip.name for slip in MUTATIONS)
    assert all(POSITIONS.values())


def test_every_rule_has_a_slip() -> None:
    # Those of "pairs", a test of starting deals, stand in `test_pair_reachability`.
    assert {slip.rule for slip in MUTATIONS} >= set(BY_STOCKS.RULES) - {"pairs"}
