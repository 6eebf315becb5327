"""Tests of `look-ahead` against its twin and against a search through all sequences."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.cards import parse_card
from engine.dealing.dealers import get_dealer
from engine.spider import GAME as SPIDER
from engine.spider.board import Board, copy_board, lay_out, new_board, shift, turn_all_up
from engine.spider.deal import COLUMN_START, COLUMNS, SpiderDeal
from engine.spider.moves import DEAL, SpiderMove, run, unpack_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import PRESETS as SPIDER_PRESETS
from engine.spider.rules import SpiderRules
from solvers.outcome import Result
from solvers.solver import parse_solver
from solvers.spider import look_ahead_search as look_ahead_kernel
from solvers.spider.games import packed
from solvers.spider.look_ahead_search import Look, guaranteed, new_look
from solvers.spider.play import LOST, NO_ROOM, WON
from twins.spider_board import (
    board_of,
    covered,
    deal_of,
    position_of,
    some_position,
    table_of_board,
)
from twins.spider_players import NaiveLookAhead, line_of, naive_row, positions, rng_of
from twins.yan import NaiveRng

THOUGHTFUL = get_dealer("thoughtful-1")
RULES = list(SPIDER_PRESETS.values())
# Look-Ahead Algorithms.
POINTS = (10, 1, 100)
JACK_OF_CLUBS, TEN, NINE, EIGHT, THREE, TWO, JACK, QUEEN, NINE_OF_HEARTS, FIVE = range(10)
FACE_UP = "JC TD 9D 8D 3C 2D JD QC 9H 5S"


def rows(first: int, count: int) -> NDArray[np.uint8]:
    return THOUGHTFUL.deal_block(first, count, SPIDER)


def best_of(board: Board, look: Look, rng: NDArray[np.int64]) -> tuple[int, list[SpiderMove]]:
    """What `guaranteed` finds."""
    highest, length = guaranteed(board, look, rng)
    return int(highest), list(unpack_solution(packed(look.best[:length])))


def of_the_post() -> tuple[NDArray[np.uint8], Board]:
    """A full deal that begins as the post's, with a five for the card it leaves out."""
    up = [parse_card(name) for name in FACE_UP.split()]
    rest = 2 * list(range(52))
    for card in up:
        rest.remove(card)
    Random("the post").shuffle(rest)
    ends = COLUMN_START[1:]
    cards = [up[ends.index(n + 1)] if n + 1 in ends else rest.pop() for n in range(104)]
    deal = SpiderDeal.of(cards).as_array()
    board = new_board()
    lay_out(deal, board)
    return deal, board


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ([], 54),
        # A good first move, and others that come to the same.
        ([(TEN, JACK)], 54),
        ([(TWO, THREE)], 54),
        ([(EIGHT, NINE_OF_HEARTS)], 54),
        ([(TEN, JACK_OF_CLUBS)], 54),
        # The jack of diamonds onto the queen of clubs, the wrong one.
        ([(JACK, QUEEN)], 53),
        # The nine of hearts onto the ten, which wants another.
        ([(NINE_OF_HEARTS, TEN)], 42),
        # What the post plays.
        ([(TEN, JACK_OF_CLUBS), (EIGHT, NINE), (TWO, THREE)], 54),
    ],
)
def test_the_example_of_the_post(moves: list[tuple[int, int]], expected: int) -> None:
    deal, board = of_the_post()
    for source, target in moves:
        shift(board, source, target, 1)
    # On the player's copy, before the croupier turns anything up.
    for seed in (1, 2, 3):
        look = new_look(POINTS, 4000, 12, 1)
        assert best_of(board, look, np.array([seed, 5]))[0] == expected
    position = SpiderPosition.start(SpiderDeal.of(deal), SpiderRules(4))
    mind = covered(position)
    for source, target in moves:
        mind = mind.play(run(source, target, 1))
    assert NaiveLookAhead(POINTS, 1, 1, 1).highest(mind, 3000) == expected


def test_the_good_enough_sequence_of_the_post() -> None:
    """Jc-0d, 9d-8d, 3c-2d, 0d-98d, Jd-098d, Qc-Jc: 54 points, of six moves."""
    deal, board = of_the_post()
    copy = new_board()
    copy_board(board, copy)
    twin = NaiveLookAhead(POINTS, 1, 1, 1)
    position = SpiderPosition.start(SpiderDeal.of(deal), SpiderRules(4))
    scores = []
    for source, target, count in [
        (TEN, JACK_OF_CLUBS, 1),
        (EIGHT, NINE, 1),
        (TWO, THREE, 1),
        (NINE, JACK_OF_CLUBS, 2),
        (JACK_OF_CLUBS, JACK, 3),
        (JACK_OF_CLUBS, QUEEN, 1),
    ]:
        shift(copy, source, target, count)
        position = position.play(run(source, target, count))
        scores.append(int(look_ahead_kernel.score(copy, np.array(POINTS))))
        assert scores[-1] == twin.score(position)
    assert scores == [10, 21, 31, 42, 43, 54]
    assert table_of_board(board).turned == 0


def small_position(chooser: Random, number: int) -> SpiderPosition:
    """Few cards, some of them face down, at times with an empty column."""
    rules = SpiderRules((1, 2, 4)[number % 3])
    if number % 4 == 0:
        deck = [rules.shown(card) for card in 2 * list(range(52))]
        names = chooser.sample(deck, COLUMNS)
        return SpiderPosition(
            rules, ((0,),) * COLUMNS, tuple((c,) for c in names), (0, 0, 0, 0), ()
        )
    position = some_position(chooser, rules, 1 + (number % 4 == 2))
    # Columns that are blocked at once, for all that are empty but one.
    empty = [column for column in range(COLUMNS) if not position.up[column]][number % 2 :]
    kings = tuple((48,) if n in empty else up for n, up in enumerate(position.up))
    down = tuple((0,) if n in empty else d for n, d in enumerate(position.down))
    return SpiderPosition(rules, down, kings, position.completed, ())


def test_enough_sequences_find_the_highest_score() -> None:
    """What a search through all sequences finds; fewer find no more."""
    chooser = Random("exhaustive")
    checked = raised = 0
    short = 0
    number = 0
    while checked < 36:
        number += 1
        position = covered(small_position(chooser, number))
        weights = chooser.choice([POINTS, POINTS, (1, 0, 0), (0, 1, 20), (1, 1, 1), (3, 2, 0)])
        level = number % 3 + 1
        twin = NaiveLookAhead(weights, 0, 0, level)
        highest = twin.highest(position, 150)
        if highest is None:
            continue
        board = board_of(position)
        before = table_of_board(board)
        found = best_of(board, new_look(weights, 6000, 30, level), np.array([1, number]))
        assert found[0] == highest
        few = best_of(board, new_look(weights, 2, 3, level), np.array([1, number]))
        assert few[0] <= highest
        assert len(few[1]) <= 3
        short += few[0] < highest
        for score, line in (found, few):
            # The moves say so themselves.
            mind = position
            for move in line:
                assert twin.score(mind) < score
                mind = mind.play(move)
            assert twin.score(mind) == score
        assert table_of_board(board) == before
        checked += 1
        raised += highest > twin.score(position)
    assert min(raised, short) > 10


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_sequences_agree(level: int) -> None:
    """With the same draws: score, moves, and what is left of the draws."""
    chooser = Random(f"sequences {level}")
    found = 0
    for number in range(16):
        position = some_position(chooser, RULES[number % 3], chooser.choice([2, 5, 8]))
        weights = chooser.choice([POINTS, (0, 1, 0), (5, 0, 1), (0, 0, 0), (0, 7, 1)])
        moves = chooser.choice([1, 4, 15])
        percent = chooser.choice([0, 40, 90, 100])
        twin = NaiveLookAhead(weights, 6, moves, level, percent)
        rng, naive = np.array([level, number]), NaiveRng(level, number)
        look = new_look(weights, 6, moves, level, percent)
        result = best_of(board_of(covered(position)), look, rng)
        assert result == twin.guaranteed(position, naive)
        assert rng.tolist() == [naive.shifted, naive.counter]
        found += bool(result[1])
        assert weights != (0, 0, 0) or result == (0, [])
    assert found > 5


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_games_agree(rules: SpiderRules) -> None:
    """From the start, with the same draws: same line, same result."""
    number = RULES.index(rules)
    cards = rows(330_000 + number, 1)
    level, weights = number % 3 + 1, (POINTS, (3, 1, 40))[number % 2]
    named = dict(zip(("turned", "connector", "gone"), weights, strict=True))
    given = ", ".join(f"{name}={value}" for name, value in named.items())
    text = f"look-ahead(iterations=3, moves=6, level={level}, random_seed={number}, {given})"
    (outcome,) = parse_solver(text).solve(cards, rules)
    deal = SpiderDeal.of(cards[0])
    twin = NaiveLookAhead(weights, 3, 6, level)
    won, line, decisions = twin.game(SpiderPosition.start(deal, rules), rng_of(deal, rules, number))
    assert (outcome.result is Result.WON, line_of(outcome)) == (won, line)
    assert outcome.nodes == 3 * decisions
    assert len(line) > 20


def test_games_of_level_4_agree() -> None:
    cards = rows(331_000, 1)
    (outcome,) = parse_solver("look-ahead(iterations=3, moves=50, level=4)").solve(cards, RULES[0])
    deal = SpiderDeal.of(cards[0])
    twin = NaiveLookAhead(POINTS, 3, 50, 4, 90)
    won, line, decisions = twin.game(
        SpiderPosition.start(deal, RULES[0]), rng_of(deal, RULES[0], 0)
    )
    assert (outcome.result is Result.WON, line_of(outcome)) == (won, line)
    assert outcome.nodes == 3 * decisions


def from_position(
    position: SpiderPosition, look: Look, rng: NDArray[np.int64]
) -> tuple[bool, list[SpiderMove], int]:
    """The kernel's game from a position."""
    line = np.zeros(4096, dtype=np.int64)
    ended, length, decisions = look_ahead_kernel.play(
        deal_of(position),
        board_of(covered(position)),
        position.rules.deal_onto_empty,
        look,
        rng,
        line,
    )
    assert ended in (WON, LOST)
    return ended == WON, list(unpack_solution(packed(line[:length]))), int(decisions)


def test_late_games_agree() -> None:
    """Games won, and columns filled for a row, or too few cards for it."""
    chooser = Random("late")
    met: Counter[str] = Counter()
    for number in range(30):
        rules = RULES[number % 6]
        left = 1 + number % 3
        position = some_position(chooser, rules, left, min(left - 1, number % 2))
        level = chooser.randint(1, 3)
        weights = chooser.choice([POINTS, (0, 0, 1), (0, 0, 0), (2, 1, 30)])
        twin = NaiveLookAhead(weights, 4, 9, level)
        rng, naive = np.array([5, number]), NaiveRng(5, number)
        found = from_position(position, new_look(weights, 4, 9, level), rng)
        assert found == twin.game(position, naive)
        assert rng.tolist() == [naive.shifted, naive.counter]
        won, line, _ = found
        *_, last = positions(position, line)
        assert last.is_won == won
        met["won" if won else "lost"] += 1
        met["rows"] += DEAL in line
        met["filled"] += any(
            here.stock and here.why_illegal(DEAL) and [move] == naive_row(here)[:1]
            for here, move in zip(positions(position, line), line, strict=False)
        )
    assert min(met[word] for word in ("won", "lost", "rows", "filled")) > 2, met


@pytest.mark.parametrize(
    ("columns", "moves"),
    [
        # The shortest run, the first such, onto the last empty column, and so on.
        (
            ["KS QS", "8H 6H", "4D", "TH", "6D 8D 8C", "2C", "KC", "KD", "", ""],
            [(1, 9, 1), (4, 8, 1)],
        ),
        # Of a column that is one run, all cards but one.
        (["KS QS", "TH", "TC", "TD", "TS", "8C", "8D", "8S", "8H", ""], [(0, 9, 1)]),
        (["KS QS JS TS", "8H", "8H", "8H", "8H", "8H", "8H", "8H", "8H", ""], [(0, 9, 3)]),
        # What lies under it turns up.
        (["KS QS", "[8H] 6H", "4D", "TH", "6D", "2C", "KC", "KD", "6D", ""], [(1, 9, 1)]),
    ],
)
def test_empty_columns_are_filled_for_a_row(
    columns: list[str], moves: list[tuple[int, int, int]]
) -> None:
    row = tuple(parse_card("KH") for _ in range(COLUMNS))
    position = position_of(columns)
    position = SpiderPosition(position.rules, position.down, position.up, (0, 0, 0, 0), (row,))
    # Nothing is worth anything, so nothing raises the score.
    look = new_look((0, 0, 0), 3, 5, 1)
    expected = [*(run(*move) for move in moves), DEAL]
    won, line, decisions = from_position(position, look, np.array([1, 1]))
    assert (won, line, decisions) == (False, expected, 2)
    for _ in positions(position, line):
        pass


def test_a_game_with_too_few_cards_for_a_row_is_lost() -> None:
    row = tuple(parse_card("KH") for _ in range(COLUMNS))
    position = position_of(["KS QS", "8H 6H", "4D"])
    position = SpiderPosition(position.rules, position.down, position.up, (0, 0, 0, 0), (row,))
    look = new_look((0, 0, 0), 3, 5, 1)
    won, line, _ = from_position(position, look, np.array([1, 1]))
    assert (won, line) == (False, [run(1, 9, 1), run(0, 8, 1)])


@pytest.mark.parametrize("slug", ["spider-4", "spider-1", "spider-2-relaxed"])
def test_it_acts_up_to_the_first_card_that_turns_up(slug: str) -> None:
    """It goes on with another decision then; and deals only where nothing raises the score."""
    rules = SPIDER_PRESETS[slug]
    cut = whole = dealt = 0
    for row in rows(331_000, 3):
        (outcome,) = parse_solver("look-ahead(iterations=60, moves=20, random_seed=8)").solve(
            row[None], rules
        )
        deal = SpiderDeal.of(row)
        position = SpiderPosition.start(deal, rules)
        naive = rng_of(deal, rules, 8)
        rng = np.array([naive.shifted, naive.counter])
        line = line_of(outcome)
        look = new_look(POINTS, 60, 20, 1)
        decisions = 0
        board = new_board()
        while not position.is_won:
            board_of(covered(position), board)
            _, best = best_of(board, look, rng)
            decisions += 1
            if not best:
                best = naive_row(position) if position.stock else []
                dealt += 1
                for move in best:
                    assert line.pop(0) == move
                    position = position.play(move)
                if not best:
                    break
                continue
            for at, move in enumerate(best, start=1):
                assert line.pop(0) == move
                down, position = position.down, position.play(move)
                if position.down != down:
                    cut += at < len(best)
                    break
            else:
                whole += 1
        assert not line
        assert outcome.nodes == 60 * decisions
        assert (outcome.result is Result.WON) == position.is_won
    assert cut > 10
    assert whole > 3
    assert dealt > 10


def test_weights_say_what_is_played() -> None:
    """The first move of the post's deal: any that turns a card up, if nothing else counts; and
    only rows where nothing does.
    """
    deal, _ = of_the_post()
    firsts: dict[str, Counter[SpiderMove]] = {}
    for weights in ("turned=10, connector=1", "turned=0, connector=1", "turned=0, connector=0"):
        seen: Counter[SpiderMove] = Counter()
        for seed in range(60):
            text = f"look-ahead(iterations=200, moves=8, gone=0, random_seed={seed}, {weights})"
            seen[line_of(parse_solver(text).solve(deal[None], RULES[0])[0])[0]] += 1
        firsts[weights] = seen
    both, connectors, nothing = firsts.values()
    assert nothing == Counter({DEAL: 60})
    assert not {run(JACK, QUEEN), run(NINE_OF_HEARTS, TEN), DEAL} & set(both)
    assert run(TEN, JACK) in both
    assert DEAL not in connectors


def test_a_line_that_is_too_short_is_said_to_be() -> None:
    cards = rows(333_000, 1)
    board = new_board()
    lay_out(cards[0], board)
    ended, length, _ = look_ahead_kernel.play(
        cards[0],
        board,
        False,
        new_look(POINTS, 5, 9, 1),
        np.array([1, 1]),
        np.zeros(30, dtype=np.int64),
    )
    assert ended == NO_ROOM
    assert length <= 30


def test_cards_that_turn_up_are_not_looked_at() -> None:
    """`guaranteed` finds the same whatever lies face down, and leaves the board as it was."""
    _, board = of_the_post()
    found = []
    for junk in (-1, 0, 51, 7):
        for column in range(COLUMNS):
            board.cards[column, : board.down[column]] = junk
        look = new_look(POINTS, 300, 12, 1)
        look.trial.cards[:] = junk
        found.append(best_of(board, look, np.array([3, 4])))
        assert turn_all_up(board, np.zeros(104, dtype=np.uint8)) == 0
    assert found == found[:1] * 4
    assert found[0][0] > 40
