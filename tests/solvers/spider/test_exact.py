"""Tests of `spider-exact` against exhaustive search, and of its kernels against the referee."""

from collections import Counter
from itertools import permutations
from random import Random

import numpy as np
import pytest

from engine.dealing.dealers import get_dealer
from engine.replay import positions, replay
from engine.spider import GAME as SPIDER
from engine.spider.deal import COLUMNS, ROWS, SpiderDeal
from engine.spider.moves import DEAL, SpiderMove, unpack_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import PRESETS, SpiderRules
from samples import sizes
from solvers.outcome import Result
from solvers.solver import parse_solver
from solvers.spider import plain
from solvers.spider.exact import value as values
from solvers.spider.exact.beam import NOT_FOUND, WON, new_beam, search_beam, trace
from solvers.spider.exact.dead_ends import Stuck, is_dead
from solvers.spider.exact.method import METHOD
from solvers.spider.exact.shorter import is_legal, new_work, shorten
from solvers.spider.exact.table import (
    DONE,
    EMPTY,
    SIGN,
    VALUE,
    column_sum,
    lay_position,
    new_tables,
    play,
    sign,
)
from solvers.spider.exact.value import apply_change, change, points_of, table_value
from solvers.spider.games import packed
from solvers.spider.monkey_game import DEAL_ROW
from solvers.spider.monkey_game import code as line_code
from spider_listing import listed, unlisted
from spider_positions import late_position, naive_stuck

RULES = list(PRESETS.values())
BUDGET = {"nodes": 200_000, "memory_mib": 64}


def code(move: SpiderMove) -> int:
    """A move as the kernels write it."""
    return DEAL_ROW if move == DEAL else line_code(move.source, move.target, move.cards)


def start(seed: int, rules: SpiderRules) -> SpiderPosition:
    (cards,) = get_dealer("thoughtful-1").deal_block(seed, 1, SPIDER)
    return SpiderPosition.start(SpiderDeal.of(cards), rules)


def rows_of() -> "np.ndarray[tuple[int, int], np.dtype[np.int8]]":
    return np.zeros((ROWS, COLUMNS), dtype=np.int8)


def some_game(chooser: Random, rules: SpiderRules) -> tuple[SpiderPosition, list[SpiderMove]]:
    """A position, of a deal or late, and a game of random moves from it."""
    first = late_position(rules, chooser)
    if chooser.random() < 0.5:
        first = start(chooser.randrange(10_000), rules)
    moves: list[SpiderMove] = []
    here = first
    for _ in range(chooser.randint(1, 60)):
        legal = here.legal_moves()
        if not legal or here.is_won:
            break
        # Whole runs stay together more often than by chance, so that some are completed.
        in_suit = [move for move in legal if _joins(here, move)]
        moves.append(chooser.choice(in_suit or legal))
        here = here.play(moves[-1])
    return first, moves


def _joins(position: SpiderPosition, move: SpiderMove) -> bool:
    if move == DEAL or not position.up[move.target]:
        return False
    card = position.up[move.source][-move.cards]
    return position.up[move.target][-1] == card + 4


@pytest.mark.parametrize("count", sizes(60, 1_000))
def test_kernels_play_as_the_referee_does(count: int) -> None:
    """Cards, runs, what is completed, values and signatures, kept and counted anew."""
    chooser = Random("spider tables")
    points = points_of()
    met = Counter[str]()
    kinds: dict[int, object] = {}
    for number in range(count):
        rules = RULES[number % len(RULES)]
        first, moves = some_game(chooser, rules)
        tables, other, rows = new_tables(1), new_tables(1), rows_of()
        lay_position(first, tables, rows)
        changed = np.zeros(5, dtype=np.int64)
        game = list(positions(first, moves))
        for here, move in zip(game, [*moves, None], strict=True):
            fixed = bool(here.stock)
            row = points[ROWS - len(here.stock)]
            lay_position(here, other, rows_of())
            sign(other, 0, fixed)
            assert tables.size[0].tolist() == other.size[0].tolist()
            assert tables.down[0].tolist() == [len(down) for down in here.down]
            assert tables.run[0].tolist() == [here.run_length(at) for at in range(COLUMNS)]
            for at in range(COLUMNS):
                cards = (*here.down[at], *here.up[at])
                assert tuple(tables.cards[0, at, : len(cards)]) == cards
            assert tables.counts[0, DONE] == sum(here.completed)
            assert tables.counts[0, EMPTY] == sum(not up for up in here.up)
            piles = list(zip(here.down, here.up, strict=True))
            kind = fixed, tuple(piles if fixed else sorted(piles))
            assert kinds.setdefault(int(other.counts[0, SIGN]), kind) == kind
            if move is None:
                break
            assert is_legal(tables, 0, rules.deal_onto_empty, code(move))
            if move == DEAL:
                play(tables, 0, rows, DEAL_ROW)
                met["row"] += 1
                continue
            sign(tables, 0, fixed)
            tables.counts[0, VALUE] = table_value(tables, 0, row)
            change(tables, 0, move.source, move.target, move.cards, row, fixed, changed)
            play(tables, 0, rows, code(move))
            apply_change(tables, 0, move.source, move.target, changed)
            kept, empty = tables.counts[0].tolist(), changed[values.EMPTIES]
            sign(tables, 0, fixed)
            assert kept[SIGN] == tables.counts[0, SIGN]
            assert kept[VALUE] == table_value(tables, 0, row)
            assert empty == tables.counts[0, EMPTY]
            met["completed"] += sum(here.play(move).completed) - sum(here.completed)
            met["turned"] += sum(map(len, here.down)) - sum(map(len, here.play(move).down))
    assert min(met["row"], met["completed"], met["turned"]) > count // 20, met


def test_columns_of_the_same_cards_differ_in_their_sums() -> None:
    """With two decks A B B A and B A A B are two columns; sums by level would make them one."""
    tables = new_tables(1)
    orders = set(permutations((1, 1, 2, 2, 7, 7)))
    tables.size[0, 3] = 6
    sums = set()
    for order in orders:
        tables.cards[0, 3, :6] = order
        sums.add(int(column_sum(tables, 0, 3, False)))
    assert len(sums) == len(orders) == 90


@pytest.mark.parametrize("count", sizes(200, 4_000))
def test_legal_moves_are_those_of_the_referee(count: int) -> None:
    chooser = Random("spider moves")
    for number in range(count):
        rules = RULES[number % len(RULES)]
        first, moves = some_game(chooser, rules)
        here = replay(first, moves)
        tables = new_tables(1)
        lay_position(here, tables, rows_of())
        every = [0, *range(16, 1600)]
        legal = {move for move in every if is_legal(tables, 0, rules.deal_onto_empty, move)}
        assert legal == {code(move) for move in here.legal_moves()}


@pytest.mark.parametrize("count", sizes(400, 10_000))
def test_every_move_is_tried_but_to_the_same_position(count: int) -> None:
    chooser = Random("listed")
    met = Counter[str]()
    for number in range(count):
        position, moves = some_game(chooser, RULES[number % len(RULES)])
        here = replay(position, moves[: chooser.randint(0, len(moves))])
        assert unlisted(here) == set(), here.to_json()
        legal = here.legal_moves()
        tried = listed(here)
        assert set(tried) <= set(legal)
        left_out = len(legal) - len(tried)
        met["left out, row to come" if here.stock else "left out"] += 0 < left_out < len(legal)
        met["all"] += left_out == 0 < len(legal)
    assert min(met["left out"], met["all"]) > count // 20, met
    # As long as a row is to come only what is the same position is left out, as good as never.
    assert met["left out, row to come"] <= count // 100, met


@pytest.mark.parametrize(("count", "nodes"), sizes((90, 250), (3_000, 300)))
def test_agrees_with_exhaustive_search(count: int, nodes: int) -> None:
    """Late positions under all rulesets; wins are replayed."""
    chooser = Random("late spider")
    met = Counter[tuple[str, bool]]()
    for number in range(count):
        position = late_position(RULES[number % len(RULES)], chooser)
        known = plain.solve_position(position, {"nodes": nodes})
        if known.result is Result.GAVE_UP:
            continue
        assert METHOD.solve_position is not None
        found = METHOD.solve_position(position, BUDGET)
        assert found.result is known.result, position.to_json()
        if found.result is Result.WON:
            assert found.moves is not None
            assert replay(position, unpack_solution(found.moves)).is_won
        met[found.result.value, bool(position.stock)] += 1
    assert min(met["won", False], met["unwinnable", False], met["unwinnable", True]) > count // 60


@pytest.mark.parametrize("count", sizes(300, 6_000))
def test_dead_ends_are_those_of_the_naive_rules_and_cannot_be_won(count: int) -> None:
    chooser = Random("dead ends of spider")
    stuck = Stuck.new()
    dead = proved = 0
    for number in range(count):
        position = late_position(RULES[number % len(RULES)], chooser)
        tables, rows = new_tables(1), rows_of()
        lay_position(position, tables, rows)
        naive = naive_stuck(position)
        assert is_dead(tables, 0, rows, stuck) == (naive is not None), position.to_json()
        if naive is None:
            continue
        assert stuck.left.tolist() == naive
        dead += 1
        known = plain.solve_position(position, {"nodes": 300})
        assert known.result is not Result.WON
        proved += known.result is Result.UNWINNABLE
    assert dead > proved > count // 60


@pytest.mark.parametrize("count", sizes(3, 40))
def test_no_position_on_the_way_to_a_win_is_a_dead_end(count: int) -> None:
    """Whole hands: a rule that sees too many dead ends would see one here."""
    stuck, solver = Stuck.new(), parse_solver("spider-exact")
    for seed in range(count):
        for rules in RULES:
            position = start(seed, rules)
            outcome = solver.solve_position(position)
            assert outcome.moves is not None
            for here in positions(position, unpack_solution(outcome.moves)):
                tables, rows = new_tables(1), rows_of()
                lay_position(here, tables, rows)
                assert not is_dead(tables, 0, rows, stuck)


@pytest.mark.parametrize("count", sizes(4, 60))
def test_shorter_lines_win(count: int) -> None:
    """Lines of a narrow beam, with moves there and back put in."""
    chooser = Random("longer lines")
    shorter = tried = 0
    for number in range(count * len(RULES)):
        rules = RULES[number % len(RULES)]
        position, rows = start(1_000 + number, rules), rows_of()
        beam = new_beam(60)
        lay_position(position, beam.tables, rows)
        ending, node, _ = search_beam(beam, rows, rules.deal_onto_empty, 1, 10**9)
        assert ending in (WON, NOT_FOUND)
        if ending == NOT_FOUND:
            continue
        line = np.zeros(4096, dtype=np.int64)
        length = trace(beam.nodes, node, line)
        moves = _with_detours(position, unpack_solution(packed(line[:length])), chooser)
        line[: len(moves)] = [code(move) for move in moves]
        work = new_work(len(moves))
        lay_position(position, work.tables, rows)
        count = shorten(work, rows, rules.deal_onto_empty, line, len(moves))
        assert replay(position, unpack_solution(packed(line[:count]))).is_won
        assert count <= length
        tried += 1
        shorter += count < length
    assert tried > 0 < shorter


def _with_detours(
    position: SpiderPosition, moves: tuple[SpiderMove, ...], chooser: Random
) -> list[SpiderMove]:
    """A line with some moves that are taken back at once."""
    longer = []
    for move in moves:
        if chooser.random() < 0.2:
            for other in position.legal_moves():
                if other == DEAL:
                    continue
                back = SpiderMove(other.kind, other.target, other.source, other.cards)
                after = position.play(other)
                if after.why_illegal(back) is None and after.play(back) == position:
                    longer += [other, back]
                    break
        longer.append(move)
        position = position.play(move)
    return longer


def test_budgets_are_kept_and_outcomes_repeat() -> None:
    assert METHOD.solve_position is not None
    position = start(1, PRESETS["spider-4"])
    for nodes in (1, 10, 300, 5_000):
        found = METHOD.solve_position(position, {"nodes": nodes, "memory_mib": 8})
        assert found.result is Result.GAVE_UP
        # A beam ends with the level in which it has spent its budget.
        assert nodes <= found.nodes <= nodes + 1_100
    once, again = (METHOD.solve_position(position, BUDGET) for _ in range(2))
    assert (once.result, once.nodes, once.moves) == (again.result, again.nodes, again.moves)


def test_a_hand_that_is_blocked_is_proved_unwinnable() -> None:
    """A constructed hand: every row brings two ranks that do not fit, so nothing ever moves."""
    by_rank = {each: [each * 4 + at % 4 for at in range(8)] for each in range(13)}
    tops = [*by_rank[0], *by_rank[2][:2]]
    rows = [
        [*by_rank[2][2:], *by_rank[4][:4]],
        [*by_rank[4][4:], *by_rank[6][:6]],
        [*by_rank[6][6:], *by_rank[8]],
        [*by_rank[10], *by_rank[12][:2]],
        [*by_rank[12][2:], *by_rank[1][:4]],
    ]
    others = [card for each in by_rank.values() for card in each]
    for card in (*tops, *(card for row in rows for card in row)):
        others.remove(card)
    columns = [[others.pop() for _ in range(5 if at < 4 else 4)] + [tops[at]] for at in range(10)]
    deal = SpiderDeal.from_piles(columns, rows)
    for rules in (PRESETS["spider-4"], PRESETS["spider-4-relaxed"]):
        position = SpiderPosition.start(deal, rules)
        assert METHOD.solve_position is not None
        found = METHOD.solve_position(position, BUDGET)
        assert found.result is Result.UNWINNABLE
        assert found.nodes < 10
        assert plain.solve_position(position, {"nodes": 20_000}).result is Result.UNWINNABLE
