"""Tests of `exact-plain` against exhaustive search, known verdicts and edge cases."""

import dataclasses
import gzip
import itertools
import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from engine.cards import DECK, make_card, parse_card
from engine.errors import BadInput
from engine.kernels.compiler import COMPILED
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS, KlondikeRules
from engine.replay import replay
from engine.rulesets import parse_ruleset
from klondike_rulesets import COVERING
from klondike_rulesets import ruled_position as late_position
from paths import DATA
from samples import sizes
from solvers.klondike.exact_plain import board as at
from solvers.klondike.exact_plain import method as exact_plain
from solvers.klondike.exact_plain.dead_ends import is_dead_end
from solvers.klondike.exact_plain.steps import add_steps, card_brought_down, play
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver
from twins.search import naive_verdict

GRID = [
    KlondikeRules(*options)
    for options in itertools.product((1, 2, 3, 5), (None, 0, 1, 2), (True, False), (True, False))
]
OTHERS = [rules for rules in COVERING if not rules.has_usual_tableau]
ALL_RULES = GRID + OTHERS
EMPTY: tuple[tuple[int, ...], ...] = ((),) * 7


def known_deals(name: str) -> tuple[list[KlondikeDeal], list[str]]:
    with gzip.open(DATA / name, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [KlondikeDeal.from_json(row) for row in rows], [row["verdict"] for row in rows]


def after_random_play(random_state: random.Random, rules: KlondikeRules) -> KlondikePosition:
    """A deal after up to 60 random moves; with many cards turned at once, few positions follow."""
    cards = list(DECK)
    random_state.shuffle(cards)
    position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
    for _ in range(random_state.randint(0, 60)):
        moves = position.legal_moves()
        if not moves:
            break
        position = position.play(random_state.choice(moves))
    return position


def check(position: KlondikePosition, outcome: Outcome, winnable: bool) -> None:
    """The verdict is right, and a win replays."""
    assert outcome.result == (Result.WON if winnable else Result.UNWINNABLE), str(position)
    assert (outcome.moves is not None) == winnable
    if outcome.moves is not None:
        assert replay(position, unpack_solution(outcome.moves)).is_won, str(position)


@pytest.mark.parametrize(("late", "played"), sizes((12, 1), (20, 2)))
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_agrees_with_exhaustive_search(rules: KlondikeRules, late: int, played: int) -> None:
    random_state = random.Random(str(rules))
    positions = [late_position(random_state, rules) for _ in range(late if COMPILED else 2)]
    positions += [after_random_play(random_state, rules) for _ in range(played if COMPILED else 0)]
    compared = 0
    for position in positions:
        winnable = naive_verdict(position, 250)
        if winnable is None:
            continue
        compared += 1
        for solver in ("exact-plain", "exact-plain(merge=0)"):
            check(position, parse_solver(solver).solve_position(position), winnable)
    assert compared >= (late / 10 if COMPILED else 0)


@pytest.mark.parametrize("count", sizes(60, 200))
@pytest.mark.parametrize("solver", ["exact-plain(nodes=20000)", "exact-plain(nodes=8000, merge=0)"])
@pytest.mark.parametrize(
    ("ruleset", "name"),
    [("klondike-draw3", "klondike-draw3.jsonl.gz"), ("klondike-draw1", "klondike-draw1.jsonl.gz")],
)
def test_known_verdicts(ruleset: str, name: str, solver: str, count: int) -> None:
    deals, verdicts = known_deals(name)
    deals = deals[:count]
    rules = PRESETS[ruleset]
    cards = np.array([deal.cards for deal in deals], dtype=np.uint8)
    undecided = 0
    for deal, verdict, outcome in zip(
        deals, verdicts, parse_solver(solver).solve(cards, rules), strict=False
    ):
        if outcome.result == Result.GAVE_UP:
            undecided += 1
        else:
            check(KlondikePosition.start(deal, rules), outcome, verdict == "winnable")
    assert undecided <= 0.25 * len(deals)


@pytest.mark.thorough
@pytest.mark.parametrize("count", sizes(15, 40))
def test_rulesets_that_allow_more_win_more(count: int) -> None:
    """A deal won under some rules is never proved lost under wider ones."""
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    cards = np.array([deal.cards for deal in deals[:count]], dtype=np.uint8)
    solver = parse_solver("exact-plain(nodes=10000)")
    results = {}
    for rules in GRID:
        if rules.draw not in (1, 3):
            continue
        results[rules] = [outcome.result for outcome in solver.solve(cards, rules)]
    compared = 0
    for narrow, wide in itertools.permutations(results, 2):
        if (
            narrow.draw % wide.draw == 0  # by ones, whatever shows by threes shows as well
            and narrow.partial_runs <= wide.partial_runs
            and narrow.worrying_back <= wide.worrying_back
            and (wide.redeals is None or (narrow.redeals or 9) <= wide.redeals)
        ):
            for low, high in zip(results[narrow], results[wide], strict=True):
                assert not (low == Result.WON and high == Result.UNWINNABLE)
                compared += low == Result.WON and high != Result.GAVE_UP
    assert compared > 20 * count


def position_of(text: str) -> KlondikePosition:
    """Read a ruleset, heights C,D,S,H, down|up/… for the columns, waste|stock, redeals used."""

    def cards(names: str) -> tuple[int, ...]:
        return tuple(parse_card(names[i : i + 2]) for i in range(0, len(names), 2))

    slug, heights, columns, talon, used = text.split(" ")
    piles = [column.split("|") for column in columns.split("/")]
    waste, stock = talon.split("|")
    clubs, diamonds, spades, hearts = map(int, heights.split(","))
    return KlondikePosition(
        parse_ruleset(slug),
        tuple(cards(down) for down, _ in piles),
        tuple(cards(up) for _, up in piles),
        (clubs, diamonds, spades, hearts),
        cards(stock),
        cards(waste),
        int(used),
    ).checked()


# Winnable positions, small as a rule, each by the name of a slip in the pruning, the proofs of loss
# or the table with which it is lost: found by making the slips, on random late positions.
SLIPS: dict[str, str] = json.loads((DATA / "exact-plain-slips.json").read_text())


@pytest.mark.parametrize("slip", SLIPS)
def test_positions_that_catch_slips(slip: str) -> None:
    position = position_of(SLIPS[slip])
    for merge in (0, 1):
        solver = parse_solver(f"exact-plain(nodes=20000, merge={merge})")
        check(position, solver.solve_position(position), True)


@pytest.mark.thorough
def test_the_same_without_the_compiler(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    """Verdicts, nodes and solutions must not depend on the compiler."""
    compiled, plain = with_and_without_compiler(
        "from test_method import fingerprints\nfound = fingerprints()"
    )
    assert compiled == plain
    assert {result for result, _, _ in compiled} == {"won", "unwinnable", "gave_up"}


def fingerprints() -> list[list[object]]:
    """Result, nodes and moves for positions under every kind of ruleset."""
    random_state = random.Random(7)
    positions = [late_position(random_state, rules) for rules in ALL_RULES]
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    for number, slug in enumerate([*PRESETS, "klondike-draw3-no-worrying-back"]):
        for deal in deals[3 * number : 3 * number + 3]:
            positions.append(KlondikePosition.start(deal, parse_ruleset(slug)))
    found: list[list[object]] = []
    for number, position in enumerate(positions):
        # The second run starts at 2,000 nodes, with its own order of steps.
        nodes = 2300 if number % 20 == 0 else 500
        solver = parse_solver(f"exact-plain(nodes={nodes}, merge={number % 2})")
        outcome = solver.solve_position(position)
        moves = outcome.moves.hex() if outcome.moves else None
        found.append([outcome.result.value, outcome.nodes, moves])
    return found


def test_side_by_side_in_threads_and_again() -> None:
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    cards = np.array([deal.cards for deal in deals[:40]], dtype=np.uint8)
    rules = PRESETS["klondike-vegas"]
    solver = parse_solver("exact-plain(nodes=20000, memory_mib=16)")
    alone = [(o.result, o.nodes, o.moves) for o in solver.solve(cards, rules)]
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(lambda k: solver.solve(cards[k : k + 1], rules)[0], range(len(cards)))
        assert [(o.result, o.nodes, o.moves) for o in parts] == alone


def test_a_deal_and_its_start_are_the_same() -> None:
    deals, _ = known_deals("klondike-draw1.jsonl.gz")
    solver = parse_solver("exact-plain(nodes=3000)")
    for deal in deals[:20]:
        for rules in PRESETS.values():
            from_deal = solver.solve(deal.as_array()[None], rules)[0]
            from_start = solver.solve_position(KlondikePosition.start(deal, rules))
            assert dataclasses.replace(from_deal, cpu_ms=0) == dataclasses.replace(
                from_start, cpu_ms=0
            )
            if from_deal.moves is not None:
                assert proves_win(deal, rules, unpack_solution(from_deal.moves))


def test_budgets_end_the_search() -> None:
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    rules = PRESETS["klondike-draw3"]
    hard = deals[198].as_array()[None]  # takes more than 50,000 nodes
    for nodes in (1, 2, 10, 1999, 2000, 2001, 50_000):
        outcome = parse_solver(f"exact-plain(nodes={nodes})").solve(hard, rules)[0]
        assert outcome.result == Result.GAVE_UP
        assert outcome.nodes == nodes
        assert outcome.moves is None
    small = parse_solver("exact-plain(nodes=10000000, memory_mib=1)").solve(hard, rules)[0]
    assert small.result == Result.GAVE_UP
    assert small.nodes < 200_000


@pytest.mark.parametrize("rules", [*GRID[::7], *OTHERS[::7]], ids=str)
def test_edges(rules: KlondikeRules) -> None:
    solver = parse_solver("exact-plain(nodes=1)")
    won = KlondikePosition(rules, EMPTY, EMPTY, (13, 13, 13, 13), ())
    assert solver.solve_position(won).moves == b""
    one_left = dataclasses.replace(won, foundations=(13, 13, 12, 13))
    king = make_card(12, 2)
    in_column = dataclasses.replace(one_left, up=((), (), (king,), (), (), (), ()))
    in_stock = dataclasses.replace(one_left, stock=(king,))
    in_waste = dataclasses.replace(one_left, waste=(king,))
    for position in (in_column, in_stock, in_waste):
        check(position, parse_solver("exact-plain").solve_position(position), True)
    assert len(solver.solve_position(in_column).moves or b"") == 1
    with pytest.raises(BadInput):
        solver.solve_position(one_left)


def test_redeals_run_out() -> None:
    """All cards lie in the waste, the ace third from the bottom, in a game by threes."""
    for redeals, used, winnable in ((0, 0, False), (1, 0, True), (1, 1, False), (None, 7, True)):
        position = KlondikePosition(
            KlondikeRules(draw=3, redeals=redeals, worrying_back=False),
            EMPTY,
            EMPTY,
            (0, 13, 13, 13),
            waste=tuple(make_card(r, 0) for r in (2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 12)),
            stock=(),
            redeals_used=used,
        ).checked()
        check(position, parse_solver("exact-plain").solve_position(position), winnable)


def shown(board: Any, position: KlondikePosition) -> KlondikePosition:
    """The position on a board, for comparison with the referee's."""
    piles = [
        tuple(int(c) for c in board[at.PILE + 20 * k : at.PILE + 20 * k + board[at.SIZE + k]])
        for k in range(7)
    ]
    face_down = [max(int(board[at.STUCK + k]) - 1, 0) for k in range(7)]
    clubs, diamonds, spades, hearts = (int(h) for h in board[at.HEIGHT : at.HEIGHT + 4])
    cards = tuple(int(c) for c in board[at.STOCK : at.STOCK + board[at.LEFT]])
    return KlondikePosition(
        position.rules,
        tuple(pile[:d] for pile, d in zip(piles, face_down, strict=True)),
        tuple(pile[d:] for pile, d in zip(piles, face_down, strict=True)),
        (clubs, diamonds, spades, hearts),
        cards[board[at.WASTE] :],
        cards[: board[at.WASTE]],
    )


def test_every_step_is_legal_and_can_be_taken_back() -> None:
    """The moves that are made and taken back on the board, beside the referee's."""
    random_state = random.Random(11)
    steps = np.zeros(1000, dtype=np.int64)
    tried = 0
    for number in range(60 if COMPILED else 4):
        rules = random_state.choice(ALL_RULES)
        start = (late_position if number % 2 else after_random_play)(random_state, rules)
        board = exact_plain._load(start, number % 2)
        down = -1
        for _ in range(20):
            made = int(board[at.MADE])
            before = board[: at.MOVES].copy()
            count = int(add_steps(board, down, steps, 0))
            if count == 0:
                break
            for step in steps[:count].tolist():
                play(board, step)
                tried += 1
                position = replay(start, unpack_solution(exact_plain._solution(start)))
                # The waste may stand for another that offers the same; all else is equal.
                expected = shown(board, start)
                assert expected.waste + expected.stock == position.waste + position.stock
                assert dataclasses.replace(expected, waste=(), stock=()) == dataclasses.replace(
                    position, waste=(), stock=(), redeals_used=0
                )
                at.take_back(board, made)
                here = board[: at.MOVES].copy()
                # What lies beyond the ends of piles is of no account.
                for k in range(7):
                    end = at.PILE + 20 * k + int(board[at.SIZE + k])
                    here[end : at.PILE + 20 * k + 20] = before[end : at.PILE + 20 * k + 20]
                left = int(board[at.LEFT])
                for part in (at.STOCK, at.NUMBER):
                    here[part + left : part + 24] = before[part + left : part + 24]
                assert (here == before).all()
            step = random_state.choice(steps[:count].tolist())
            down = int(card_brought_down(board, step))
            play(board, step)
    assert tried > (1500 if COMPILED else 100)


@pytest.mark.parametrize("count", sizes(120, 400))
def test_dead_positions_are_lost(count: int) -> None:
    random_state = random.Random(13)
    dead = lost = 0
    for number in range(count if COMPILED else 40):
        rules = ALL_RULES[number % len(ALL_RULES)]
        position = (late_position, after_random_play)[number % 2](random_state, rules)
        if is_dead_end(exact_plain._load(position, 1)):
            dead += 1
            assert naive_verdict(position, 300) is not True, str(position)
        elif number % 10 == 1:
            lost += naive_verdict(position, 300) is False
    assert dead >= (count / 5 if COMPILED else 3)
