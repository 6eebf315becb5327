"""Tests of the Monkey against its twin, which plays with the referee."""

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from engine.dealing.dealers import get_dealer
from engine.spider import GAME as SPIDER
from engine.spider.board import lay_out, new_board
from engine.spider.deal import COLUMN_START, COLUMNS, ROWS, SpiderDeal, as_counted
from engine.spider.moves import DEAL, SpiderMove, run, unpack_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import PRESETS as SPIDER_PRESETS
from engine.spider.rules import SpiderRules
from solvers.outcome import Result
from solvers.solver import parse_solver
from solvers.spider import monkey_game as monkey_kernel
from solvers.spider.games import packed
from solvers.spider.monkey_moves import cards_of, choices, draw_move
from twins.spider_board import (
    any_run,
    board_of,
    covered,
    deal_of,
    position_of,
    some_position,
)
from twins.spider_players import NaiveMonkey, line_of, positions, rng_of
from twins.yan import NaiveRng

THOUGHTFUL = get_dealer("thoughtful-1")
RULES = list(SPIDER_PRESETS.values())


def rows(first: int, count: int) -> NDArray[np.uint8]:
    return THOUGHTFUL.deal_block(first, count, SPIDER)


def chosen(position: SpiderPosition, level: int) -> tuple[int, NDArray[np.int64]]:
    """What `choices` finds."""
    targets = np.zeros(COLUMNS, dtype=np.int64)
    # Whatever was left there.
    wants = np.full(14, 1023, dtype=np.int64)
    return int(choices(board_of(position), level, wants, targets)), targets


def kernel_choices(position: SpiderPosition, level: int) -> list[SpiderMove]:
    """By source and target."""
    count, targets = chosen(position, level)
    board = board_of(position)
    moves = [
        run(source, target, int(cards_of(board, source, target)))
        for source in range(COLUMNS)
        for target in range(COLUMNS)
        if targets[source] >> target & 1
    ]
    assert count == len(moves)
    assert max(targets) >> COLUMNS == 0 <= min(targets)
    return moves


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_choices_are_those_of_the_posts(suits: int) -> None:
    """At every level, in positions of all kinds, with cards that nobody knows among them."""
    chooser = Random(f"choices {suits}")
    twin = NaiveMonkey()
    met: Counter[str] = Counter()
    for number in range(90):
        position = covered(some_position(chooser, SpiderRules(suits), chooser.choice([1, 3, 8])))
        for _ in range(number % 3):
            if move := any_run(chooser, position):
                position = position.play(move)
        found = [kernel_choices(position, level) for level in (1, 2, 3)]
        assert found == [twin.choices(position, level) for level in (1, 2, 3)]
        changes = [more for _, more in twin.moves(position)]
        met["breaks"] += -1 in changes
        met["gains"] += 1 in changes
        met["only keeps"] += bool(found[2]) and 1 not in changes
        met["none"] += not found[0]
        met["onto empty"] += any(not position.up[move.target] for move in found[0])
    assert set(met) == {"breaks", "gains", "only keeps", "none", "onto empty"}
    assert min(met[word] for word in ("gains", "only keeps", "onto empty")) > 5
    assert suits == 1 or met["breaks"] > 5


@pytest.mark.parametrize("rules", RULES[:3], ids=str)
def test_choices_throughout_games(rules: SpiderRules) -> None:
    chooser = Random(f"throughout {rules}")
    twin = NaiveMonkey()
    for row in rows(320_000, 2):
        position = SpiderPosition.start(SpiderDeal.of(row), rules)
        for at in range(40):
            for level in (1, 2, 3):
                assert kernel_choices(position, level) == twin.choices(position, level)
            move = DEAL if at % 8 == 7 else any_run(chooser, position)
            if move is None or position.why_illegal(move):
                break
            position = position.play(move)


FOURS_AND_FIVES = "4C|4D|4S|4H|5C|5D|5S|5H|JC|KD"


@pytest.mark.parametrize(
    ("columns", "level", "expected"),
    [
        # Introduction to the Monkey Algorithm: sixteen ways to move a four onto a five.
        (FOURS_AND_FIVES, 1, [(s, t, 1) for s in range(4) for t in range(4, 8)]),
        (FOURS_AND_FIVES, 2, [(s, t, 1) for s in range(4) for t in range(4, 8)]),
        (FOURS_AND_FIVES, 3, [(s, s + 4, 1) for s in range(4)]),
        # The diagram that anybody's father wins, of 105 moves to begin with.
        ("KS QS JS TS 9S|8S 7S 6S 5S 4S 3S 2S AS", 1, [(1, 0, 8)]),
        ("KS QS JS TS 9S|8S 7S 6S 5S 4S 3S 2S AS", 3, [(1, 0, 8)]),
        # The same in two suits.
        ("KS QS JS TS 9S|8H 7H 6H 5H 4H 3H 2H AH", 3, [(1, 0, 8)]),
        # Improved Monkey Algorithm: five cards, off-suit on an eight, go onto the empty column.
        ("8H 7S 6S 5S 4S 3S", 1, [(0, t, 5) for t in range(1, 10)]),
        # To break a run off onto another suit is of level 1; onto the other card of its suit
        # neither gains nor breaks.
        ("7S 6S 5S 4S 3S|6H|KH|KH|KH|KH|KH|KH|KH|KH", 1, [(0, 1, 3)]),
        ("7S 6S 5S 4S 3S|6H|KH|KH|KH|KH|KH|KH|KH|KH", 2, []),
        ("7S 6S 5S 4S 3S|6S|KH|KH|KH|KH|KH|KH|KH|KH", 2, [(0, 1, 3)]),
        ("7S 6S 5S 4S 3S|6S|KH|KH|KH|KH|KH|KH|KH|KH", 3, [(0, 1, 3)]),
        # Always in suit if possible: the jack onto its queen, not the nine onto the other ten,
        # which would be no gain.
        ("TS 9S|TS|JH|QH|KC|KC|KC|KC|KC|KC", 3, [(2, 3, 1)]),
        (
            "TS 9S|TS|JH|QH|KC|KC|KC|KC|KC|KC",
            1,
            [
                (0, 1, 1),
                (0, 2, 2),
                (1, 2, 1),
                (2, 3, 1),
                (3, 4, 1),
                (3, 5, 1),
                (3, 6, 1),
                (3, 7, 1),
                (3, 8, 1),
                (3, 9, 1),
            ],
        ),
        # Kings go nowhere but onto empty columns; aces take nothing.
        ("AS KS|AH|KH|[2S] KD|AC|AC|AC|AC|AC|", 1, [(0, 9, 1), (3, 9, 1)]),
        ("AS KS|AH|KH|[2S] KD|AC|AC|AC|AC|AC|", 3, [(0, 9, 1), (3, 9, 1)]),
        ("", 1, []),
    ],
)
def test_choices_by_hand(columns: str, level: int, expected: list[tuple[int, int, int]]) -> None:
    position = covered(position_of(columns.split("|")))
    assert kernel_choices(position, level) == [run(*move) for move in expected]
    assert NaiveMonkey().choices(position, level) == [run(*move) for move in expected]


def test_fours_and_fives_dealt() -> None:
    """The same sixteen moves at the start of a deal."""
    (up,) = zip(*position_of(FOURS_AND_FIVES.split("|")).up, strict=True)
    rest = 2 * list(range(52))
    for card in up:
        rest.remove(card)
    cards = [
        up[COLUMN_START.index(n + 1) - 1] if n + 1 in COLUMN_START else rest.pop()
        for n in range(104)
    ]
    position = SpiderPosition.start(SpiderDeal.of(cards), SpiderRules(1))
    assert [column[-1] for column in position.up] == [SpiderRules(1).shown(card) for card in up]
    board = new_board()
    lay_out(as_counted(np.array([cards], dtype=np.uint8), 1)[0], board)
    for level in (1, 2, 3):
        targets = np.zeros(COLUMNS, dtype=np.int64)
        assert choices(board, level, np.zeros(14, dtype=np.int64), targets) == 16
        assert targets.tolist() == [0b0011110000] * 4 + [0] * 6


def test_each_move_is_drawn_with_the_same_chance() -> None:
    chooser = Random("same chance")
    sizes: set[int] = set()
    while len(sizes) < 8:
        position = covered(some_position(chooser, SpiderRules(chooser.choice([1, 2, 4]))))
        level = chooser.randint(1, 3)
        count, targets = chosen(position, level)
        if count < 2 or count in sizes:
            continue
        sizes.add(count)
        moves = NaiveMonkey().choices(position, level)
        rng, twin = np.array([7, len(sizes)]), NaiveRng(7, len(sizes))
        seen: Counter[SpiderMove] = Counter()
        board = board_of(position)
        for _ in range(4000):
            source, target = map(int, draw_move(count, targets, rng))
            move = run(source, target, int(cards_of(board, source, target)))
            assert move == moves[twin.below(count)]
            seen[move] += 1
        assert chisquare([seen[move] for move in moves]).pvalue > 1e-3
    assert max(sizes) > 8


FIRST = 14


def test_first_moves_over_random_seeds() -> None:
    """Each as often as the others; and so at level 4, where one of two levels is drawn first."""
    # A deal whose levels offer different moves at once.
    position = SpiderPosition.start(SpiderDeal.of(rows(FIRST, 1)[0]), RULES[0])
    twin = NaiveMonkey()
    levels = {level: twin.choices(position, level) for level in (1, 2, 3)}
    assert len(levels[1]) > len(levels[3]) > 1
    shares = {
        1: {move: 1 / len(levels[1]) for move in levels[1]},
        3: {move: 1 / len(levels[3]) for move in levels[3]},
        4: {
            move: 0.7 / len(levels[2]) + 0.3 * (move in levels[3]) / len(levels[3])
            for move in levels[2]
        },
    }
    for level, share in shares.items():
        seen: Counter[SpiderMove] = Counter()
        for seed in range(3000):
            solver = parse_solver(f"monkey(level={level}, p=30, period=2, random_seed={seed})")
            seen[line_of(solver.solve(rows(FIRST, 1), RULES[0])[0])[0]] += 1
        assert set(seen) == set(share)
        expected = [3000 * share[move] for move in share]
        assert chisquare([seen[move] for move in share], expected).pvalue > 1e-3


def from_position(
    position: SpiderPosition, level: int, percent: int, period: int, rng: NDArray[np.int64]
) -> tuple[bool, list[SpiderMove]]:
    """The kernel's game from a position."""
    line = np.zeros(period * (ROWS + 1), dtype=np.int64)
    won, length = monkey_kernel.play(
        deal_of(position), board_of(covered(position)), position.rules.deal_onto_empty,
        level, percent, period, np.zeros(14, dtype=np.int64), np.zeros(COLUMNS, dtype=np.int64),
        rng, line,
    )  # fmt: skip
    return bool(won), list(unpack_solution(packed(line[:length])))


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_games_agree(level: int) -> None:
    """From the start, with the same draws: same line, same result."""
    twin = NaiveMonkey()
    lengths = set()
    for number, rules in enumerate(RULES):
        for period in (5, 20):
            seed = 10 * number + period
            cards = rows(321_000 + seed, 1)
            solver = parse_solver(
                f"monkey(level={level}, p={40 + seed % 50}, period={period}, random_seed={seed})"
            )
            (outcome,) = solver.solve(cards, rules)
            deal = SpiderDeal.of(cards[0])
            start = SpiderPosition.start(deal, rules)
            rng = rng_of(deal, rules, seed)
            won, line = twin.game(start, level, 40 + seed % 50, period, rng)
            assert (outcome.result is Result.WON, line_of(outcome)) == (won, line)
            assert outcome.nodes == len(line)
            lengths.add(len(line))
    assert max(lengths) > 70


def test_late_games_agree() -> None:
    """Games won; rows that wait for a column to be filled; the Monkey that passes or is stuck."""
    chooser = Random("late")
    twin = NaiveMonkey()
    for number in range(90):
        rules = RULES[number % 6]
        position = some_position(chooser, rules, chooser.choice([1, 1, 2, 3]))
        # More cards than there are, so that all rows are still to come.
        cards = chooser.choices([rules.shown(card) for card in range(52)], k=COLUMNS * ROWS)
        stock = tuple(tuple(cards[at : at + COLUMNS]) for at in range(0, len(cards), COLUMNS))
        position = replace(position, stock=stock)
        level, percent, period = number % 4 + 1, chooser.randint(0, 100), chooser.choice([1, 9, 15])
        rng, naive = np.array([5, number]), NaiveRng(5, number)
        won, line = from_position(position, level, percent, period, rng)
        assert (won, line) == twin.game(position, level, percent, period, naive)
        assert rng.tolist() == [naive.shifted, naive.counter]
        *_, last = positions(position, line)
        assert last.is_won == won
        twin.met["won"] += won
    assert min(twin.met[word] for word in ("won", "waited", "passed", "out of time")) > 1


@pytest.mark.parametrize("period", [1, 2, 9])
@pytest.mark.parametrize("level", [1, 4])
def test_a_monkey_that_cannot_move(level: int, period: int) -> None:
    """It passes until a row is due; if that cannot be dealt, or there is none, it has lost."""
    stock = (tuple(position_of(["KC"] * COLUMNS).up[n][0] for n in range(COLUMNS)),) * ROWS
    still = replace(position_of(["KS QS", "TH", "8D 7D 6D"]), stock=stock)
    rng, naive = np.array([3, 1]), NaiveRng(3, 1)
    twin = NaiveMonkey()
    assert twin.game(still, level, 50, period, naive) == (False, [])
    assert from_position(still, level, 50, period, rng) == (False, [])
    assert twin.met["stuck, due"] == 1
    dealing = replace(still, rules=SpiderRules(4, deal_onto_empty=True))
    won, line = from_position(dealing, level, 50, period, rng)
    assert (won, line) == (False, [DEAL] * ROWS)
    assert (won, line) == twin.game(dealing, level, 50, period, naive)
    assert rng.tolist() == [naive.shifted, naive.counter]
