"""Tests of `exact` under every ruleset, against exhaustive search and other solvers."""

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.dealing.dealers import deal_by_id, get_dealer
from engine.kernels.compiler import COMPILED
from engine.klondike.moves import TURN, unpack_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS, KlondikeRules, parse_klondike
from engine.replay import replay
from klondike_rulesets import COVERING_SLUGS, ruled_position
from known_verdicts import decided_positions, known_deals
from paths import TESTS
from position_text import position_text
from samples import sizes
from solvers.klondike.exact.by_stocks import PAUSE
from solvers.klondike.exact.searching import BY_HAND
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver
from twins.search import naive_verdict

VERDICT = {Result.WON: "winnable", Result.UNWINNABLE: "unwinnable"}
_VALUES = {"nodes": 100_000, "memory_mib": 16}


def disagreement(position: KlondikePosition, verdict: bool, outcome: Outcome) -> str | None:
    """What is wrong with an outcome of a position of known verdict; None if nothing."""
    if outcome.result is not (Result.WON if verdict else Result.UNWINNABLE):
        return f"{outcome.result} in place of {verdict}: {json.dumps(position.to_json())}"
    if outcome.moves is not None and not replay(position, unpack_solution(outcome.moves)).is_won:
        return f"its moves do not win: {json.dumps(position.to_json())}"
    return None


def faults(slug: str, count: int, seed: int) -> tuple[list[str], int, int]:
    """Compare with exhaustive search on late positions, with rules switched off in a third of them.

    Returns:
        What is wrong, and how many positions were won and lost.
    """
    rules = parse_klondike(slug)
    chooser = random.Random(f"{slug} {seed}")
    wrong: list[str] = []
    won = lost = 0
    while won + lost < count:
        position = ruled_position(chooser, rules, chooser.randint(3, 20))
        verdict = naive_verdict(position, 200)
        if verdict is None:
            continue
        off = 0
        if chooser.random() >= 0.7:
            off = sum(rule for rule in BY_HAND.RULES.values() if chooser.random() < 0.5)
        found = disagreement(position, verdict, BY_HAND.solve_position(position, _VALUES, off))
        if found is not None:
            wrong.append(f"{found} with rules {off} off")
        won += verdict
        lost += not verdict
    return wrong, won, lost


def by_python(expression: str) -> Any:
    """What an expression of this module's names is without the compiler: as JSON."""
    ran = subprocess.run(
        [sys.executable, "-c", f"from test_by_hand import *\nprint(json.dumps({expression}))"],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": f"{Path(__file__).parent}:{TESTS}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.slow
def test_a_long_search_of_a_position_pauses_and_goes_on_as_if_it_had_not() -> None:
    """It pauses to look at pairs of cards, which only the start of a deal has."""
    longest = 0
    for seed in (4, 5, 13, 36) if COMPILED else (4,):
        deal = deal_by_id(f"thoughtful-1:{seed}")
        turned = KlondikePosition.start(deal, PRESETS["klondike-draw3"]).play(TURN)
        paused, whole = (
            replace(BY_HAND.solve_position(turned, _VALUES, off), cpu_ms=None)
            for off in (0, BY_HAND.RULES["pairs"])
        )
        assert paused == whole
        longest = max(longest, paused.nodes)
    assert longest > PAUSE


@pytest.mark.slow
@pytest.mark.parametrize("count", sizes(4, 12))
def test_every_ruleset_agrees_with_exhaustive_search(count: int) -> None:
    """By Python itself: sixteen families of rulesets would take minutes to compile."""
    found = by_python(f"[faults(slug, {count}, 1) for slug in COVERING_SLUGS]")
    assert [wrong for wrong, _, _ in found if wrong] == []
    assert sum(won for _, won, _ in found) >= len(COVERING_SLUGS) * count // 3
    assert sum(lost for _, _, lost in found) >= len(COVERING_SLUGS) * count // 20


@pytest.mark.slow
@pytest.mark.parametrize("count", sizes(150, 400))
@pytest.mark.parametrize("slug", ["klondike-draw3", "klondike-draw1"])
def test_known_verdicts(slug: str, count: int) -> None:
    deals, verdicts = known_deals(f"{slug}.jsonl.gz")
    rules, count = PRESETS[slug], count if COMPILED else 4
    cards = np.array([deal.cards for deal in deals[:count]], dtype=np.uint8)
    outcomes = BY_HAND.solve(cards, rules, {"nodes": 2_000_000, "memory_mib": 768})
    decided = 0
    for deal, verdict, outcome in zip(deals, verdicts, outcomes, strict=False):
        assert VERDICT.get(outcome.result, verdict) == verdict, str(deal)
        decided += outcome.result is not Result.GAVE_UP
        if outcome.moves is not None:
            assert proves_win(deal, rules, unpack_solution(outcome.moves)), str(deal)
    assert decided >= 0.95 * len(cards)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [*BY_HAND.RULES, "none of them"])
@pytest.mark.parametrize("draw", [1, 3, 5])
def test_late_positions_without_one_rule(draw: int, rule: str) -> None:
    """Without each rule, and without any."""
    off = BY_HAND.RULES.get(rule, sum(BY_HAND.RULES.values()))
    decided = count = 30 if COMPILED else 4
    for position, verdict in decided_positions(draw, count):
        outcome = BY_HAND.solve_position(position, {"nodes": 20_000, "memory_mib": 16}, off)
        decided -= outcome.result is Result.GAVE_UP
        assert VERDICT.get(outcome.result, verdict) == verdict, position_text(position)
        if outcome.moves is not None:
            assert replay(position, unpack_solution(outcome.moves)).is_won, position_text(position)
    assert decided >= 0.5 * count


@pytest.mark.thorough  # compiles for a quarter of a minute what nothing else plays
def test_all_families_at_once_compiled() -> None:
    """General building, no way back, limited redeals and whole runs, all in one compiled search."""
    slug = "klondike-draw3-redeals1-whole-runs-no-worrying-back-build-any-suit-spaces-none"
    wrong, won, lost = faults(slug, 60 if COMPILED else 5, 2)
    assert wrong == []
    assert won > 0
    assert lost > 0


def test_starts_of_deals_that_the_other_solver_decides() -> None:
    """Small draws give few hopeless starts, large ones many."""
    count = 6 if COMPILED else 1
    cards = get_dealer("thoughtful-1").deal_block(5_000, count)
    for rules in (KlondikeRules(draw=8), KlondikeRules(draw=5)):
        plain = parse_solver("exact-plain(nodes=100000)").solve(cards, rules)
        found = BY_HAND.solve(cards, rules, _VALUES)
        for one, other in zip(plain, found, strict=True):
            assert one.result in (other.result, Result.GAVE_UP)
        assert any(one.result is not Result.GAVE_UP for one in plain)


def test_budgets_end_the_search() -> None:
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    hard = deals[198].as_array()[None]  # takes some hundred thousand nodes
    outcome = BY_HAND.solve(hard, PRESETS["klondike-draw3"], {**_VALUES, "nodes": 10})[0]
    assert (outcome.result, outcome.nodes, outcome.moves) == (Result.GAVE_UP, 10, None)
    small = BY_HAND.solve(hard, PRESETS["klondike-draw3"], {"nodes": 10**9, "memory_mib": 1})[0]
    assert (small.result, small.moves) == (Result.GAVE_UP, None)
    assert small.nodes > 10_000


def with_redeals(redeals: int | None) -> list[Result]:
    """What is found of late positions at draw 3 with so many redeals."""
    chooser = random.Random(4)
    positions = [ruled_position(chooser, KlondikeRules(draw=3), 32) for _ in range(20)]
    rules = KlondikeRules(draw=3, redeals=redeals)
    return [
        BY_HAND.solve_position(replace(position, rules=rules), _VALUES).result
        for position in positions
    ]


@pytest.mark.slow
def test_more_redeals_than_cards_are_as_good_as_any_number() -> None:
    """By Python itself, see above."""
    limited, unlimited = by_python("[with_redeals(1000), with_redeals(None)]")
    assert limited == unlimited
    assert {Result.WON, Result.UNWINNABLE} <= set(limited)


def test_a_won_position_is_won_at_once() -> None:
    empty: tuple[tuple[int, ...], ...] = ((),) * 7
    won = KlondikePosition(PRESETS["klondike-draw3"], empty, empty, (13, 13, 13, 13), ())
    outcome = BY_HAND.solve_position(won, _VALUES)
    assert (outcome.result, outcome.moves) == (Result.WON, b"")
