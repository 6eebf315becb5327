"""Tests of the pruning rules of `exact`: no result changes without them, slips are caught.

Each rule is switched off in turn, on known verdicts and on positions decided by exhaustive search.
Then slips are made on purpose, one at a time, in a copy of the program (`mutations.exact`): each
must get a verdict wrong on at least one of its positions, on which the program itself is right.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engine.compiler import COMPILED
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS
from engine.replay import replay
from known_verdicts import judged_positions, known_deals
from mutations.exact import MUTATIONS, Mutation
from paths import ROOT, TESTS
from position_text import parse_position, position_text
from samples import sizes
from solvers.klondike.exact import method as exact
from solvers.outcome import Outcome, Result
from solvers.registry import parse_solver

VERDICT = {Result.WON: "winnable", Result.UNWINNABLE: "unwinnable", Result.GAVE_UP: None}


def solve(position: KlondikePosition, off: int, nodes: int) -> Outcome:
    """`exact.solve_position` with rules switched off."""
    exact._load(position)
    ended = exact._search(position.rules.draw, {"nodes": nodes, "memory_mib": 64}, off)
    return exact._outcome(ended, 0)


@pytest.mark.parametrize("count", sizes(40, 120))
@pytest.mark.parametrize("rule", exact.RULES)
@pytest.mark.parametrize("ruleset", ["klondike-draw1", "klondike-draw3"])
def test_known_verdicts_without_one_rule(ruleset: str, rule: str, count: int) -> None:
    deals, verdicts = known_deals(f"{ruleset}.jsonl.gz")
    count, nodes = (count, 30_000) if COMPILED else (6, 600)
    rules = PRESETS[ruleset]
    cards = np.array([deal.cards for deal in deals[:count]], dtype=np.uint8)
    values = {"nodes": nodes, "memory_mib": 64}
    outcomes = exact.solve(cards, rules, values, off=exact.RULES[rule])
    decided = 0
    for deal, verdict, outcome in zip(deals, verdicts, outcomes, strict=False):
        assert VERDICT[outcome.result] in (verdict, None), str(deal)
        if outcome.result == Result.WON:
            assert outcome.moves is not None
            assert proves_win(deal, rules, unpack_solution(outcome.moves)), str(deal)
        decided += outcome.result != Result.GAVE_UP
    assert decided >= (0.6 * count if COMPILED else 1)


@pytest.mark.parametrize("count", sizes(100, 400))
@pytest.mark.parametrize("rule", [*exact.RULES, "none of them"])
@pytest.mark.parametrize("draw", [1, 2, 3, 5])
def test_late_positions_without_one_rule(draw: int, rule: str, count: int) -> None:
    """Without each rule, and without any."""
    off = exact.RULES.get(rule, sum(exact.RULES.values()))
    decided = count = count if COMPILED else 8
    for position, verdict in judged_positions(draw, count):
        outcome = solve(position, off, 20_000)
        decided -= outcome.result == Result.GAVE_UP
        assert VERDICT[outcome.result] in (verdict, None), position_text(position)
        if outcome.result == Result.WON:
            assert outcome.moves is not None
            assert replay(position, unpack_solution(outcome.moves)).is_won, position_text(position)
    assert decided >= (0.9 if COMPILED else 0.5) * count


@pytest.mark.parametrize(
    ("text", "verdict"), sorted({sharp for slip in MUTATIONS for sharp in slip.positions})
)
def test_sharp_positions(text: str, verdict: str) -> None:
    position = parse_position(text)
    outcome = parse_solver("exact(memory_mib=64)").solve_position(position)
    assert VERDICT[outcome.result] == verdict
    if outcome.result == Result.WON:
        assert outcome.moves is not None
        assert replay(position, unpack_solution(outcome.moves)).is_won


# Runs in a copy of the program, by Python itself: quicker here than compiling. How soon the search
# restarts and asks is fixed, so that positions stay sharp when these numbers are tuned.
PROGRAM = """
import json, sys
sys.path[:0] = sys.argv[1:]
from position_text import parse_position
from solvers.klondike.exact import method as exact
from solvers.klondike.exact import restarts, search
assert exact.__file__.startswith(sys.argv[1])
restarts.FIRST_RESTART, search._ASK_AFTER, search._LEAST = 300, 100, 10_000
for text, nodes in json.load(sys.stdin):
    try:
        position = parse_position(text)
        exact._load(position)
        values = {"nodes": nodes, "memory_mib": 2}
        ended = exact._search(position.rules.draw, values, 0)
        print(exact._outcome(ended, 0).result.value)
    except (AssertionError, IndexError):
        print("no play")
"""


def verdicts_of_a_copy(folder: Path, slip: Mutation | None, sharp: list[str]) -> list[str]:
    """What the program, with a slip in it, says of positions."""
    for package in ("engine", "solvers"):
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    nodes = 3000
    if slip is not None:
        file = folder / "solvers" / "klondike" / "exact" / slip.file
        source = file.read_text()
        file.write_text(source.replace(slip.old, slip.new))
        nodes = slip.nodes
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), str(TESTS)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        input=json.dumps([(text, nodes) for text in sharp]),
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.splitlines()


@pytest.fixture(scope="module")
def mutated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[list[str]]]]:
    """What each mutated program says of its positions, two programs running at a time."""
    with ThreadPoolExecutor(2) as pool:
        yield {
            slip.name: pool.submit(
                verdicts_of_a_copy,
                tmp_path_factory.mktemp("mutated"),
                slip,
                [text for text, _ in slip.positions],
            )
            for slip in MUTATIONS
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.thorough
@pytest.mark.parametrize("slip", MUTATIONS, ids=lambda slip: slip.name)
def test_a_slip_is_caught(slip: Mutation, mutated: dict[str, Future[list[str]]]) -> None:
    said = mutated[slip.name].result()
    right = [verdict for _, verdict in slip.positions]
    # Giving up is not wrong, only no answer.
    wrong = [
        found
        for found, verdict in zip(said, right, strict=True)
        if found not in ({"winnable": "won"}.get(verdict, verdict), "gave_up")
    ]
    assert wrong, f"{slip.name} goes unnoticed: {said}"


@pytest.mark.thorough
def test_the_copy_without_a_slip_is_right(tmp_path: Path) -> None:
    sharp = sorted({sharp for slip in MUTATIONS for sharp in slip.positions[:1]})
    said = verdicts_of_a_copy(tmp_path, None, [text for text, _ in sharp])
    for found, (text, verdict) in zip(said, sharp, strict=True):
        assert found in ({"winnable": "won"}.get(verdict, verdict), "gave_up"), text


def test_every_slip_can_be_made() -> None:
    for slip in MUTATIONS:
        source = (ROOT / "solvers" / "klondike" / "exact" / slip.file).read_text()
        assert source.count(slip.old) == 1, f"{slip.file} has changed: {slip.old!r}"
        assert slip.positions


def test_every_rule_has_a_slip() -> None:
    # Those of "pairs", a test of starting deals, stand in `test_pair_reachability`.
    assert {slip.rule for slip in MUTATIONS} >= set(exact.RULES) - {"pairs"}
