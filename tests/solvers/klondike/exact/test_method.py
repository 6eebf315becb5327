"""Tests of `exact` against known verdicts and against exhaustive search."""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.cards import DECK
from engine.checkers import WINS
from engine.dealing.dealers import deal_by_id, get_dealer
from engine.kernels.compiler import COMPILED
from engine.klondike.checker import check
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import TURN, unpack_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS, KlondikeRules, parse_klondike
from engine.replay import replay
from engine.rulesets import parse_ruleset
from known_verdicts import decided_positions, known_deals
from paths import TESTS
from position_text import parse_position, position_text
from samples import sizes
from solvers.klondike.exact import method as exact
from solvers.klondike.exact.searching import BY_HAND, BY_STOCKS
from solvers.outcome import Result
from solvers.solver import parse_solver
from twins.search import naive_verdict, random_late_position


@pytest.mark.parametrize("count", sizes(300, 1_500))
@pytest.mark.parametrize(
    ("ruleset", "name", "nodes"),
    [
        ("klondike-draw3", "klondike-draw3.jsonl.gz", 2_000_000),
        ("klondike-draw1", "klondike-draw1.jsonl.gz", 2_000_000),
    ],
)
def test_known_verdicts(ruleset: str, name: str, nodes: int, count: int) -> None:
    deals, verdicts = (known[:count] for known in known_deals(name))
    rules = PRESETS[ruleset]
    solver = parse_solver(f"exact(nodes={nodes})")
    outcomes = solver.solve(np.array([deal.cards for deal in deals], dtype=np.uint8), rules)
    undecided = 0
    for number, (deal, verdict, outcome) in enumerate(zip(deals, verdicts, outcomes, strict=True)):
        if outcome.result == Result.GAVE_UP:
            undecided += 1
        elif outcome.result == Result.WON:
            assert verdict == "winnable", number
            assert outcome.moves is not None
            assert proves_win(deal, rules, unpack_solution(outcome.moves)), number
        else:
            assert outcome.result == Result.UNWINNABLE
            assert verdict == "unwinnable", number
    assert undecided <= 0.05 * len(deals)


def random_start(random_state: random.Random) -> KlondikePosition:
    """A deal after some random moves; with many cards turned at once, few positions follow."""
    rules = KlondikeRules(draw=random_state.choice([3, 4, 6, 8, 12, 24]))
    cards = list(DECK)
    random_state.shuffle(cards)
    position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
    for _ in range(random_state.randint(0, 60)):
        position = position.play(random_state.choice(position.legal_moves()))
    return position


def late_position(random_state: random.Random) -> KlondikePosition:
    rules = KlondikeRules(draw=random_state.choice([1, 2, 3, 3, 3, 4, 5, 7]))
    return random_late_position(random_state, rules, random_state.randint(4, 30))


def agreement(kind: str, count: int, most: int, seed: int) -> tuple[int, int]:
    """Compare `exact` with exhaustive search on `count` positions; wins and losses compared."""
    solver = parse_solver("exact(nodes=200000)")
    random_state = random.Random(f"{kind} {seed}")
    wins = losses = 0
    for _ in range(count):
        position = {"late": late_position, "start": random_start}[kind](random_state)
        verdict = naive_verdict(position, most)
        if verdict is None:
            continue
        outcome = solver.solve_position(position)
        assert outcome.result == (Result.WON if verdict else Result.UNWINNABLE), str(position)
        if verdict:
            assert outcome.moves is not None
            assert replay(position, unpack_solution(outcome.moves)).is_won
            wins += 1
        else:
            losses += 1
    return wins, losses


@pytest.mark.parametrize("count", sizes(200, 500))
def test_agrees_with_exhaustive_search_on_late_positions(count: int) -> None:
    wins, losses = agreement("late", count if COMPILED else 30, 300, 1)
    assert wins >= (0.3 * count if COMPILED else 8)
    assert losses >= (1 if COMPILED else 0)


@pytest.mark.parametrize("count", sizes(50, 150))
def test_agrees_with_exhaustive_search_on_positions_without_hope(count: int) -> None:
    _, losses = agreement("start", count if COMPILED else 10, 400, 2)
    assert losses >= (0.4 * count if COMPILED else 3)


@pytest.mark.parametrize("draw", [1, 2, 3, 4, 5, 7, 12, 24])
def test_agrees_with_another_solver_on_late_positions(draw: int) -> None:
    """More and larger positions than exhaustive search can decide, and more lost ones."""
    count = 200
    solver = parse_solver("exact(nodes=200000, memory_mib=64)")
    lost = 0
    for position, verdict in decided_positions(draw, count if COMPILED else 8):
        outcome = solver.solve_position(position)
        expected = Result.WON if verdict == "winnable" else Result.UNWINNABLE
        assert outcome.result == expected, position_text(position)
        if verdict == "winnable":
            assert outcome.moves is not None
            assert replay(position, unpack_solution(outcome.moves)).is_won, position_text(position)
        lost += verdict == "unwinnable"
    assert lost >= (count / 40 if COMPILED else 0)


# Small positions decided by exhaustive search; each catches a slip in at least one pruning
# rule: draw, foundation heights, face-down|face-up cards of each column, waste|stock.
SHARP = [
    ("7 12,8,13,13 |/|/|/|/|/|/| QDKD9DTD|JDKC", True),
    ("2 10,12,12,12 |/|/|/|KC/|/|/| JCKSKHKDQC|", True),
    ("6 11,12,11,11 |/|/|/|/|/|/| |KCKSKHQSKDQCQH", True),
    ("5 13,10,11,10 |/|/|/|/|/|/| JDKSJHKDQHKH|QDQS", True),
    ("5 4,13,13,13 |/|TC/|/JC|QC/|8C/|5C/|7C |9CKC6C", True),
    ("7 4,13,11,13 |/|KC/|/7C|QC/|8C/|6C/|TC KS|5CQSJC9C", True),
    ("3 7,13,11,10 |9C/8C|QS/|/|/|KC/|/KSKHJHQCQH|JC |TC", True),
    ("5 10,13,6,12 |/7S|KC/|/|KH/|/|/9SJSJCTSQS|QC KS|8S", True),
    ("5 11,13,12,2 |5H/|7H/TH|JH/KS9H|3H/6H|QH/8H|QC/4H|KH KC|", True),
    ("5 11,12,12,2 |5H/|7H/TH|QC/3HKS|9H/KH|8H/KC|JH/4H|QH KD|6H", True),
]


@pytest.mark.parametrize(("text", "winnable"), SHARP)
def test_sharp_positions(text: str, winnable: bool) -> None:
    position = parse_position(text)
    outcome = parse_solver("exact").solve_position(position)
    assert outcome.result == (Result.WON if winnable else Result.UNWINNABLE)
    if winnable:
        assert outcome.moves is not None
        assert replay(position, unpack_solution(outcome.moves)).is_won


def test_the_same_without_the_compiler() -> None:
    """Verdicts, nodes and solutions must not depend on the compiler."""
    script = """
import json, sys
from test_method import fingerprints
print(json.dumps(fingerprints()))
"""
    environment = dict(
        os.environ, NUMBA_DISABLE_JIT="1", PYTHONPATH=f"{Path(__file__).parent}:{TESTS}"
    )
    plain = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert plain.returncode == 0, plain.stderr
    assert json.loads(plain.stdout) == fingerprints()


def fingerprints() -> list[list[object]]:
    found: list[list[object]] = []
    random_state = random.Random(7)
    positions = [late_position(random_state) for _ in range(40)]
    positions += [random_start(random_state) for _ in range(10)]
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    positions += [KlondikePosition.start(deal, PRESETS["klondike-draw3"]) for deal in deals[:12]]
    positions += [KlondikePosition.start(deal, PRESETS["klondike-draw1"]) for deal in deals[12:20]]
    for position in positions:
        outcome = parse_solver("exact(nodes=1500)").solve_position(position)
        moves = outcome.moves.hex() if outcome.moves else None
        found.append([outcome.result.value, outcome.nodes, moves])
    return found


def test_side_by_side_in_threads() -> None:
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    cards = np.array([deal.cards for deal in deals[:80]], dtype=np.uint8)
    rules = PRESETS["klondike-draw3"]
    solver = parse_solver("exact(nodes=20000)")
    alone = [(o.result, o.nodes, o.moves) for o in solver.solve(cards, rules)]
    with ThreadPoolExecutor(4) as pool:
        parts = pool.map(lambda k: solver.solve(cards[k : k + 1], rules)[0], range(len(cards)))
        assert [(o.result, o.nodes, o.moves) for o in parts] == alone


def test_a_deal_and_its_start_are_the_same() -> None:
    deals, _ = known_deals("klondike-draw1.jsonl.gz")
    solver = parse_solver("exact(nodes=5000)")
    for deal in deals[:30]:
        for slug in ("klondike-draw1", "klondike-draw3"):
            from_deal = solver.solve(deal.as_array()[None], PRESETS[slug])[0]
            from_start = solver.solve_position(KlondikePosition.start(deal, PRESETS[slug]))
            assert from_deal.result == from_start.result
            assert from_deal.nodes == from_start.nodes
            assert from_deal.moves == from_start.moves


def test_budgets_end_the_search() -> None:
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    hard = deals[1525].as_array()[None]  # takes some hundred thousand nodes
    rules = PRESETS["klondike-draw3"]
    outcome = parse_solver("exact(nodes=10)").solve(hard, rules)[0]
    assert outcome.result == Result.GAVE_UP
    assert outcome.nodes == 10
    assert outcome.moves is None
    small = parse_solver("exact(nodes=100000000, memory_mib=1)").solve(hard, rules)[0]
    large = parse_solver("exact(nodes=100000000)").solve(hard, rules)[0]
    assert small.result == Result.GAVE_UP
    assert small.nodes < large.nodes
    assert large.result == Result.WON


def test_a_won_position_is_won_at_once() -> None:
    rules = PRESETS["klondike-draw3"]
    empty: tuple[tuple[int, ...], ...] = ((),) * 7
    won = KlondikePosition(rules, empty, empty, (13, 13, 13, 13), ())
    outcome = parse_solver("exact").solve_position(won)
    assert outcome.result == Result.WON
    assert outcome.moves == b""


@pytest.mark.parametrize("slug", ["klondike-yan", "klondike-draw3-no-worrying-back"])
def test_other_rulesets_are_those_of_the_search_by_hand(slug: str) -> None:
    deals, _ = known_deals("klondike-draw1.jsonl.gz")
    cards, rules = deals[0].as_array()[None], parse_ruleset(slug)
    values = {"nodes": 20_000, "memory_mib": 64}
    (outcome,) = parse_solver("exact(nodes=20000, memory_mib=64)").solve(cards, rules)
    (other,) = BY_HAND.solve(cards, rules, values)
    assert (outcome.result, outcome.nodes) == (other.result, other.nodes)
    assert set(BY_HAND.parts(rules)) < set(parse_solver("exact").parts(rules))


def test_pairs_of_facts_show_a_hard_deal_lost() -> None:
    """Such a deal, whether it comes as a deal or as a position."""
    deal = get_dealer("thoughtful-1").deal(1_005_069)  # millions of nodes without
    rules = PRESETS["klondike-draw3"]
    position = KlondikePosition.start(deal, rules)
    nodes = 5000
    for outcome in (
        parse_solver(f"exact(nodes={nodes})").solve(deal.as_array()[None], rules)[0],
        parse_solver(f"exact(nodes={nodes})").solve_position(position),
    ):
        assert outcome.result == Result.UNWINNABLE
    turned = parse_solver(f"exact(nodes={nodes})").solve_position(position.play(TURN))
    assert turned.result == Result.GAVE_UP
    values = {"nodes": nodes, "memory_mib": 64}
    without = BY_STOCKS.solve(deal.as_array()[None], rules, values, off=BY_STOCKS.RULES["pairs"])[0]
    assert without.result == Result.GAVE_UP


@pytest.mark.parametrize("slug", ["klondike-draw1", "klondike-draw3", "klondike-yan"])
def test_its_parts_are_all_that_it_compiles(slug: str) -> None:
    """What the parts leave out would be compiled within the time of a deal, and told to nobody."""
    rules = parse_ruleset(slug)
    parts = parse_solver("exact").parts(rules)
    for part in parts:
        part.need()
    roots = [root for part in parts for root in part.roots]
    before = [len(getattr(root, "overloads", ())) for root in roots]
    results = set()
    for name in ("thoughtful-1:42", "pysolfc:12"):
        cards = np.array([deal_by_id(name).as_array()])
        (outcome,) = exact.METHOD.solve(cards, rules, {"nodes": 1_000_000, "memory_mib": 64})
        results.add(outcome.result)
        if outcome.moves is not None:
            assert check(cards, rules, [outcome.moves]).tolist() == [WINS]
    assert results == {Result.WON, Result.UNWINNABLE}
    assert [len(getattr(root, "overloads", ())) for root in roots] == before


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled: NUMBA_DISABLE_JIT=1")
def test_a_compiled_search_serves_its_own_family_of_rulesets_alone() -> None:
    """One kernel serves all families, compiled for each by itself."""
    compiled = {}
    for slug in ("klondike-draw3", "klondike-yan"):
        search = BY_HAND.parts(parse_klondike(slug))[0]
        search.need()
        assert search.is_for is not None
        kernel = search.roots[-1]
        served = [types for types in kernel.overloads if search.is_for(kernel, types)]
        assert len(served) == 1
        compiled[slug] = served[0]
        assert all(search.is_for(root, served[0]) for root in search.roots)
        # What is kept is looked through anew by a part that has loaded nothing.
        assert not replace(search, _loaded=[]).is_missing
        # Without what serves it, the part is missing, whatever else is kept.
        assert replace(search, is_for=lambda *_: False, _loaded=[]).is_missing
    assert len({str(types) for types in compiled.values()}) == 2


@pytest.mark.parametrize("slug", ["klondike-draw1", "klondike-draw3", "klondike-yan"])
def test_a_verdict_alone_is_that_of_the_solution(slug: str) -> None:
    solver = parse_solver("exact(nodes=1000)")
    found = set()
    rules = parse_ruleset(slug)
    cards = get_dealer("thoughtful-1").deal_block(0, 60)
    for seed, verdict in enumerate(solver.decide(cards, rules)):
        position = KlondikePosition.start(deal_by_id(f"thoughtful-1:{seed}"), rules)
        result = solver.decide_position(position)
        outcome = solver.solve_position(position)
        assert result == verdict.result == outcome.result
        (solved,) = solver.solve(cards[seed : seed + 1], rules)
        assert replace(solved, moves=None, cpu_ms=None) == replace(verdict, cpu_ms=None)
        assert (solved.moves is None) == (result is not Result.WON)
        assert verdict.cpu_ms is not None
        assert verdict.cpu_ms >= 0
        # What loading kernels took while somebody asked for the verdict alone is nobody's time.
        assert outcome.cpu_ms is not None
        assert outcome.cpu_ms >= 0
        found.add(result)
    assert found == {Result.WON, Result.UNWINNABLE, Result.GAVE_UP}


def test_at_draw_1_two_searches_take_turns() -> None:
    """Deals that are hard for the first: each is decided by some turn, within the nodes given."""
    rules = PRESETS["klondike-draw1"]
    cards = get_dealer("thoughtful-1").deal_block(0, 400 if COMPILED else 12)
    first = BY_STOCKS.solve(cards, rules, {"nodes": 2_000, "memory_mib": 64})
    hard = cards[[outcome.result == Result.GAVE_UP for outcome in first]]
    values = {"nodes": 30_000, "memory_mib": 16}
    second = BY_HAND.solve(hard, rules, values)
    alone = BY_STOCKS.solve(hard, rules, {"nodes": 1_000_000, "memory_mib": 64})
    outcomes = parse_solver("exact(nodes=1000000, memory_mib=64)").solve(hard, rules)
    turns = Counter()
    for row, other, last, outcome in zip(hard, second, alone, outcomes, strict=True):
        assert last.result in (outcome.result, Result.GAVE_UP)
        is_last = other.result == Result.GAVE_UP
        assert outcome.nodes == 2_000 + other.nodes + (last.nodes if is_last else 0)
        turns[is_last] += 1
        if outcome.moves is not None:
            deal = KlondikeDeal.of(row)
            assert proves_win(deal, rules, unpack_solution(outcome.moves))
            start = KlondikePosition.start(deal, rules)
            assert parse_solver("exact").solve_position(start).moves == outcome.moves
    if COMPILED:
        assert turns[False] > 5
        assert turns[True] > 0
    for nodes in (1, 1_999, 2_000, 2_001, 2_500):
        for outcome in parse_solver(f"exact(nodes={nodes})").solve(hard[:2], rules):
            assert outcome.result != Result.GAVE_UP or outcome.nodes >= nodes


@pytest.mark.parametrize("draw", [3, 1])
def test_a_win_brings_cards_back_only_where_none_that_does_not_is_as_short(draw: int) -> None:
    cards = get_dealer("thoughtful-1").deal_block(7000, 80 if COMPILED else 4)
    rules, nodes = KlondikeRules(draw=draw), "nodes=20000, memory_mib=16"
    first = parse_solver(f"exact({nodes}, returns=1)").solve(cards, rules)
    found = parse_solver(f"exact({nodes})").solve(cards, rules)
    before = after = 0
    for row, old, new in zip(cards, first, found, strict=True):
        assert (new.result, new.nodes) == (old.result, old.nodes)
        if old.moves is None or new.moves is None:
            assert old.moves is new.moves is None
            continue
        start = KlondikePosition.start(KlondikeDeal.of(row), rules)
        assert parse_solver(f"exact({nodes})").solve_position(start).moves == new.moves
        assert check(row[None], rules, [new.moves]).tolist() == [WINS]
        back = [any(17 <= move < 45 for move in moves) for moves in (old.moves, new.moves)]
        assert len(new.moves) <= len(old.moves)
        assert new.moves == old.moves or back == [True, False]
        before, after = before + back[0], after + back[1]
    if COMPILED:
        assert before > 8
        assert after < 0.6 * before
