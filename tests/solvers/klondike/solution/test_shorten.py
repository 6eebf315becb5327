"""Tests of shortening solutions, against the naive twin and the referee."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from engine.cards import parse_card
from engine.cardset import BIT_OF_CARD
from engine.dealing.dealers import get_dealer
from engine.kernels.compiler import COMPILED
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import flatten, new_position
from engine.klondike.moves import pack_solution, parse_solution, solution_text, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.replay import replay
from samples import sizes
from solvers.klondike.exact.load import USUAL
from solvers.klondike.exact.position import DOWN, LOOSE_UP
from solvers.klondike.exact.searching import BY_STOCKS
from solvers.klondike.exact.unfold import LONGEST, unfold_and_shorten
from solvers.klondike.solution.plays import MOST_PLAYS, new_scratch
from solvers.klondike.solution.shorten import shorten
from solvers.solver import parse_solver
from twins.shorten import naive_shorten, naive_solution
from winning_lines import raw_win, starts, winning_line, with_detours

SCRATCH = new_scratch()


def shortened(
    start: KlondikePosition, moves: bytes, scratch: np.ndarray = SCRATCH, rounds: int = 1
) -> bytes:
    """The line that the kernel makes of a winning one."""
    flat = new_position()
    flatten(start, flat)
    line = np.frombuffer(moves, dtype=np.uint8).copy()
    before = flat.copy()
    count = shorten(flat, line, len(line), rounds, scratch)
    assert count <= len(moves)
    assert (flat == before).all()
    return line[:count].tobytes()


def solution_of(start: KlondikePosition, line: list[int], rounds: int) -> bytes:
    """What the solver makes of the steps of a win."""
    flat, piles = new_position(), new_position()
    flatten(start, flat)
    moves = np.zeros(LONGEST, dtype=np.uint8)
    steps = np.array(line, dtype=np.int64)
    columns = np.zeros(52, dtype=np.int64)
    count = unfold_and_shorten(
        flat, piles, steps, len(line), *USUAL[:2], False, columns, rounds, SCRATCH, moves
    )
    assert count >= 0
    return moves[:count].tobytes()


@pytest.mark.parametrize("count", sizes(15, 30))
def test_shorter_lines_are_those_of_the_naive_twin_and_win(count: int) -> None:
    random_state = random.Random(21)
    compared = before = after = 0
    for number, start in enumerate(starts(count if COMPILED else 3)):
        nodes = 3000 if COMPILED else 200
        if not start.legal_moves():
            continue
        long = (
            with_detours(start, random_state, nodes) if number % 4 == 3 else raw_win(start, nodes)
        )
        if long is None:
            continue
        rounds = number % 3 + 1
        short = shortened(start, long, rounds=rounds)
        expected = naive_shorten(start, unpack_solution(long), rounds)
        assert unpack_solution(short) == expected, str(start)
        assert replay(start, unpack_solution(short)).is_won
        compared += 1
        before += len(long)
        after += len(short)
    assert compared >= (1.7 * count if COMPILED else 3)
    assert after < 0.85 * before


@pytest.mark.parametrize("count", sizes(100, 200))
def test_every_shorter_line_wins(count: int) -> None:
    """Many more lines than the twin has time for, with any draw count, and with detours."""
    random_state = random.Random(22)
    lines = 0
    for number, start in enumerate(starts(count if COMPILED else 4)):
        rules = KlondikeRules(draw=random_state.choice([1, 2, 3, 4, 5, 7, 12, 24]))
        begin = KlondikePosition(
            rules, start.down, start.up, start.foundations, start.stock, start.waste
        )
        if number % 2 or begin.is_won:
            long = raw_win(begin, 2000 if COMPILED else 200)
        else:
            long = with_detours(begin, random_state, 2000 if COMPILED else 200)
        if long is None:
            continue
        short = shortened(begin, long)
        assert replay(begin, unpack_solution(short)).is_won, str(begin)
        again = shortened(begin, short)
        assert replay(begin, unpack_solution(again)).is_won, str(begin)
        lines += 1
    assert lines >= (1.25 * count if COMPILED else 4)


def test_solutions_of_deals_become_much_shorter() -> None:
    for draw, most in ((3, 0.78), (1, 0.65)):
        rules = KlondikeRules(draw=draw)
        before = after = 0
        for cards in get_dealer("thoughtful-1").deal_block(5000, 150 if COMPILED else 4):
            start = KlondikePosition.start(KlondikeDeal.of(cards), rules)
            long = raw_win(start, 5000 if COMPILED else 400)
            if long is not None:
                before += len(long)
                after += len(shortened(start, long))
        assert after < most * before


def table(
    columns: list[str], heights: tuple[int, int, int, int], stock: str = "", draw: int = 3
) -> KlondikePosition:
    """Face-up columns, foundations and stock; nothing in the waste."""
    piles = [*columns, *[""] * (7 - len(columns))]
    return KlondikePosition(
        KlondikeRules(draw=draw),
        ((),) * 7,
        tuple(tuple(parse_card(name) for name in pile.split()) for pile in piles),
        heights,
        tuple(parse_card(name) for name in stock.split()),
    ).checked()


LAST_KINGS = table(["KD", "KH"], (13, 12, 13, 12))
KINGS_AND_A_QUEEN = table(["KC QD", "KS", "KD"], (12, 11, 12, 13))
KINGS = table(["KC", "KS"], (12, 13, 12, 13))
TWO_OF_EACH = table(["KC QH", "KS QD", "KH", "KD"], (12, 11, 12, 11))


@pytest.mark.parametrize(
    ("start", "long", "short"),
    [
        # To and fro; and up by a detour.
        (KINGS_AND_A_QUEEN, "12 21 1F 3F 1F 2F", "1F 3F 1F 2F"),
        (KINGS_AND_A_QUEEN, "12 2F 3F 1F 2F", "1F 3F 1F 2F"),
        # Down and up again, one inside the other too.
        (KINGS, "H3 D4 1F 2F 3F 4F", "1F 2F"),
        (KINGS, "H3 D4 1F 2F 4F 3F", "1F 2F"),
        # A shift that only an unlucky order called for.
        (TWO_OF_EACH, "1F 21 3F 1F 4F 2F 1F", "1F 2F 3F 4F 2F 1F"),
        # Nothing to be had.
        (KINGS, "2F 1F", "2F 1F"),
        (
            table(["KH", "KD"], (11, 12, 11, 12), "KC QC KS QS", draw=1),
            "T T WF WF 1F 2F T T WF WF",
            "T T WF WF 1F 2F T T WF WF",
        ),
        # Passes that another order saves.
        (
            table(["KH", "KD"], (11, 12, 11, 12), "KC QC KS QS", draw=1),
            "T T T T WF WF WF R T WF 1F 2F",
            "1F 2F T T T T WF WF WF WF",
        ),
        (
            table(["KH", "KD"], (11, 12, 11, 12), "KC QS QC KS", draw=2),
            "T WF T R T T WF WF WF 1F 2F",
            "1F 2F T WF T WF WF WF",
        ),
        # KD, laid in an empty column, saves the pass that QD under it would wait for.
        (
            table(["KS"], (12, 10, 12, 13), "KC QD KD JD", draw=2),
            "T T WF R T WF WF T WF 1F",
            "1F T T WF W1 WF 1F WF",
        ),
    ],
)
def test_what_becomes_of_small_lines(start: KlondikePosition, long: str, short: str) -> None:
    moves = parse_solution(long)
    assert replay(start, moves).is_won
    found = unpack_solution(shortened(start, pack_solution(moves), rounds=2))
    assert solution_text(found) == short
    assert naive_shorten(start, moves, 2) == found


def test_lines_of_too_many_plays_are_left_alone() -> None:
    shift = parse_solution("12 21")
    rest = parse_solution("1F 3F 1F 2F")
    for times in (MOST_PLAYS // 2 - 2, MOST_PLAYS // 2):
        long = pack_solution(shift * times + rest)
        short = shortened(KINGS_AND_A_QUEEN, long)
        assert short == (pack_solution(rest) if len(long) <= MOST_PLAYS else long)


def test_scratch_space_carries_nothing_over() -> None:
    random_state = random.Random(23)
    for start in starts(10 if COMPILED else 1):
        long = raw_win(start, 1000 if COMPILED else 200)
        if long is not None:
            junk = new_scratch()
            junk[:] = [random_state.randrange(24) for _ in junk]
            assert shortened(start, long, junk) == shortened(start, long)


def test_side_by_side_in_threads() -> None:
    lines = [(start, raw_win(start, 2000 if COMPILED else 200)) for start in starts(20)]
    wins = [(start, line) for start, line in lines if line is not None]
    alone = [shortened(*win) for win in wins]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda win: shortened(*win, new_scratch()), wins)) == alone


def test_the_solver_gives_the_shorter_lines() -> None:
    cards = get_dealer("thoughtful-1").deal_block(6000, 20 if COMPILED else 2)
    rules = KlondikeRules(draw=3)
    values = {"nodes": 2000, "memory_mib": 8, "returns": 1}
    outcomes = BY_STOCKS.solve(cards, rules, values)
    won = 0
    for row, outcome in zip(cards, outcomes, strict=True):
        start = KlondikePosition.start(KlondikeDeal.of(row), rules)
        line = winning_line(start, 2000)
        if line is None:
            assert outcome.moves is None
        else:
            assert outcome.moves is not None
            assert unpack_solution(outcome.moves) == naive_solution(start, line)
            won += 1
    assert won >= (12 if COMPILED else 1)


@pytest.mark.parametrize("count", sizes(60, 200))
def test_solutions_of_lines_are_those_of_the_naive_twin_and_win(count: int) -> None:
    solved = 0
    for start in starts(count if COMPILED else 3):
        line = winning_line(start, 3000 if COMPILED else 200)
        if line is None:
            continue
        for rounds in (1, 2):
            moves = unpack_solution(solution_of(start, line, rounds))
            assert moves == naive_solution(start, line, rounds), str(start)
            assert replay(start, moves).is_won
        solved += 1
    assert solved >= (1.7 * count if COMPILED else 3)


def test_lines_of_too_many_steps_are_unfolded_as_they_are() -> None:
    """The king of clubs comes down and goes up again and again."""
    king = int(BIT_OF_CARD[parse_card("KC")])
    for times in (10, MOST_PLAYS):
        line = [kind << 6 | king for kind in (DOWN, LOOSE_UP)] * times
        line += [LOOSE_UP << 6 | int(BIT_OF_CARD[parse_card(name)]) for name in ("KD", "KH")]
        moves = unpack_solution(solution_of(LAST_KINGS, line, 1))
        assert replay(LAST_KINGS, moves).is_won
        assert len(moves) == (2 if times == 10 else len(line))


def test_the_solver_gives_lines_as_found_where_it_is_asked_to() -> None:
    cards = get_dealer("thoughtful-1").deal_block(6000, 20 if COMPILED else 2)
    nodes = "nodes=2000, memory_mib=8"
    for draw in (1, 3):
        rules = KlondikeRules(draw=draw)
        short = parse_solver(f"exact({nodes})").solve(cards, rules)
        found = parse_solver(f"exact({nodes}, shorten=0)").solve(cards, rules)
        longer = 0
        for row, one, other in zip(cards, short, found, strict=True):
            assert (one.result, one.nodes) == (other.result, other.nodes)
            if one.moves is None or other.moves is None:
                assert one.moves is other.moves is None
                continue
            start = KlondikePosition.start(KlondikeDeal.of(row), rules)
            assert replay(start, unpack_solution(other.moves)).is_won
            again = parse_solver(f"exact({nodes}, shorten=0)").solve_position(start)
            assert again.moves == other.moves
            longer += len(other.moves) > len(one.moves)
        assert longer >= (10 if COMPILED else 1)


def test_the_same_without_the_compiler(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    compiled, plain = with_and_without_compiler(
        "from test_shorten import raw_win, shortened, starts\n"
        "lines = [(start, raw_win(start, 300)) for start in starts(6)]\n"
        "found = [shortened(*line).hex() for line in lines if line[1] is not None]"
    )
    assert compiled == plain
    assert len(compiled) >= 5
