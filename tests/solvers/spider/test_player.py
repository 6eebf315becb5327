"""Tests of `spider-player` against its twin and against a search of all reachable positions."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.dealing.dealers import get_dealer
from engine.spider import GAME as SPIDER
from engine.spider.board import lay_out, new_board, shift
from engine.spider.deal import COLUMNS, SpiderDeal
from engine.spider.moves import DEAL, SpiderMove, unpack_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import PRESETS as SPIDER_PRESETS
from engine.spider.rules import SpiderRules
from solvers.outcome import Result
from solvers.solver import parse_solver
from solvers.spider import beam as spider_beam
from solvers.spider import player as spider_player
from solvers.spider.beam import Beam, look, new_beam
from solvers.spider.beam_value import column_sum, gains, mixed, squares_of, sums_after
from solvers.spider.games import packed
from solvers.spider.play import LOST, NO_ROOM, WON
from twins.spider_beam import NaiveBeam, empty, known, signature, squares
from twins.spider_board import board_of, covered, deal_of, position_of, some_position
from twins.spider_players import line_of, naive_row, positions, rng_of
from twins.yan import NaiveRng

THOUGHTFUL = get_dealer("thoughtful-1")
RULES = list(SPIDER_PRESETS.values())
POINTS = (100, 10, 1000, 1, 200, 30)


def rows(first: int, count: int) -> NDArray[np.uint8]:
    return THOUGHTFUL.deal_block(first, count, SPIDER)


def chosen(
    position: SpiderPosition, beam: Beam, rng: NDArray[np.int64]
) -> tuple[list[SpiderMove], int]:
    """What `look` finds."""
    count, held = look(board_of(covered(position)), beam, rng)
    assert count >= 0
    return list(unpack_solution(packed(beam.best[:count]))), int(held)


def spread(position: SpiderPosition) -> int:
    """The kernel's signature, from the sums of its columns."""
    board = board_of(covered(position))
    return sum(int(mixed(column_sum(board, column))) for column in range(COLUMNS))


def test_what_a_move_changes_is_counted() -> None:
    """Points, squares, empty columns and sums, as after the move."""
    chooser = Random("changes")
    weights = np.array((7, 5, 300, 2, 11, 1), dtype=np.int64)
    twin = NaiveBeam((7, 5, 300, 2, 11, 1), 1, 1)
    met: Counter[str] = Counter()
    for number in range(300):
        position = covered(some_position(chooser, RULES[number % 3], chooser.choice([1, 2, 5, 8])))
        board = board_of(position)
        sums = np.array([column_sum(board, column) for column in range(COLUMNS)])
        assert squares_of(board) == squares(position)
        assert spread(position) == signature(position)
        for move in twin.options(position):
            after = position.play(move)
            source, target, cards = move.source, move.target, move.cards
            guide, more, emptied = gains(board, source, target, cards, weights)
            assert guide == twin.guide(after) - twin.guide(position)
            assert more == squares(after) - squares(position)
            assert emptied == len(empty(after)) - len(empty(position))
            moved = board_of(position)
            shift(moved, source, target, cards)
            pair = sums_after(board, sums, source, target, cards)
            assert list(pair) == [
                column_sum(moved, source),
                column_sum(moved, target),
            ]
            met["gone"] += sum(after.completed) > sum(position.completed)
            met["turned"] += twin.guide(after) - twin.guide(position) >= 7
            met["emptied"] += emptied > 0
            met["filled"] += emptied < 0
            met["split"] += cards < position.run_length(source)
            met["blocked by a run gone"] += (
                sum(after.completed) > sum(position.completed) and position.down[target] != ()
            )
    assert min(met.values()) > 5, met
    assert len(met) == 6


def test_signatures_tell_positions_apart() -> None:
    """Those that differ, and not those whose columns without face-down cards change places."""
    chooser = Random("signatures")
    signatures: dict[int, object] = {}
    same = 0
    for number in range(400):
        position = some_position(chooser, RULES[number % 3], chooser.choice([1, 4, 8]))
        free = [n for n in range(COLUMNS) if not position.down[n]]
        places = free.copy()
        chooser.shuffle(places)
        order = dict(zip(free, places, strict=True))
        other = SpiderPosition(
            position.rules,
            position.down,
            tuple(position.up[order.get(n, n)] for n in range(COLUMNS)),
            position.completed,
            position.stock,
        )
        assert known(covered(other)) == known(covered(position))
        assert spread(other) == spread(position)
        same += other != position
        # The same card elsewhere, in the column or beside it.
        for move in NaiveBeam(POINTS, 1, 1).options(covered(position)):
            after = covered(position).play(move)
            assert signatures.setdefault(signature(after), known(after)) == known(after)
    assert same > 100
    assert len(signatures) > 1000
    one, other = (position_of([text]) for text in ("5H 9S 2C", "2C 9S 5H"))
    assert spread(one) != spread(other)


@pytest.mark.parametrize("width", [1, 3, 12])
def test_sequences_agree(width: int) -> None:
    """With the same draws: sequence, positions held, and what is left of the draws."""
    chooser = Random(f"beams {width}")
    found = 0
    for number in range(14):
        position = some_position(chooser, RULES[number % 3], chooser.choice([2, 5, 8]))
        points = chooser.choice(
            [POINTS, (100, 10, 1000, 0, 0, 1), (0, 1, 0, 3, 5, 900), (0, 0, 0, 0, 9, 1)]
        )
        moves = chooser.choice([1, 3, 7])
        twin = NaiveBeam(points, width, moves)
        rng, naive = np.array([width, number]), NaiveRng(width, number)
        beam = new_beam(points, width, moves)
        result = chosen(position, beam, rng)
        assert result == twin.look(position, naive)
        assert rng.tolist() == [naive.shifted, naive.counter]
        # What an earlier search left in the tables does not matter.
        assert chosen(position, beam, np.array([width, number])) == result
        found += len(result[0]) > 1
        assert points[:4] != (0, 0, 0, 0) or result[0] == []
    assert found > 2


@pytest.mark.thorough
def test_a_wide_beam_finds_the_best_of_all() -> None:
    """What a search through all that can be reached finds; a beam of one finds no more."""
    chooser = Random("exhaustive")
    checked = raised = short = number = 0
    while checked < 40:
        number += 1
        rules = RULES[number % 3]
        position = covered(some_position(chooser, rules, 1 + number % 2))
        points = chooser.choice([POINTS, (100, 10, 1000, 0, 0, 1), (0, 10, 0, 1, 7, 3)])
        twin = NaiveBeam(points, 1, 1)
        every = twin.reachable(position, 150)
        if every is None or len(every) < 4:
            continue
        better = [each for each in every if twin.guide(each) > twin.guide(position)]
        line, held = chosen(position, new_beam(points, 200, 150), np.array([1, number]))
        # The last positions have no others after them.
        assert held == len(every)
        if better:
            *_, last = positions(position, line)
            assert twin.choice(last) == max(map(twin.choice, better))
            assert known(last) in map(known, better)
        else:
            assert line == []
        few, _ = chosen(position, new_beam(points, 1, 2), np.array([1, number]))
        *_, reached = positions(position, few)
        short += bool(better) and twin.choice(reached) < max(map(twin.choice, better))
        assert len(few) <= 2
        raised += bool(better)
        checked += 1
    assert min(raised, short) > 8


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_games_agree(rules: SpiderRules) -> None:
    """From the start, with the same draws: same line, same result."""
    number = RULES.index(rules)
    cards = rows(340_000 + number, 1)
    text = f"spider-player(width=2, moves=4, random_seed={number}, gone={900 + number})"
    (outcome,) = parse_solver(text).solve(cards, rules)
    deal = SpiderDeal.of(cards[0])
    twin = NaiveBeam((100, 10, 900 + number, 1, 200, 30), 2, 4)
    won, line, held = twin.game(SpiderPosition.start(deal, rules), rng_of(deal, rules, number))
    assert (outcome.result is Result.WON, line_of(outcome)) == (won, line)
    assert outcome.nodes == held
    assert len(line) > 20


def test_late_games_agree() -> None:
    """Games won, and columns filled for a row, or too few cards for it."""
    chooser = Random("late beams")
    met: Counter[str] = Counter()
    for number in range(24):
        rules = RULES[number % 6]
        left = 1 + number % 3
        position = some_position(chooser, rules, left, min(left - 1, number % 2))
        points = chooser.choice([POINTS, (0, 0, 1, 0, 0, 1), (0, 0, 0, 0, 0, 1)])
        width, moves = chooser.choice([(1, 5), (4, 9)])
        rng, naive = np.array([5, number]), NaiveRng(5, number)
        line = np.zeros(4096, dtype=np.int64)
        ended, length, held = spider_beam.play(
            deal_of(position), board_of(covered(position)), rules.deal_onto_empty,
            new_beam(points, width, moves), rng, line,
        )  # fmt: skip
        assert ended in (WON, LOST)
        played = list(unpack_solution(packed(line[:length])))
        won, expected, total = NaiveBeam(points, width, moves).game(position, naive)
        assert (ended == WON, played, held) == (won, expected, total)
        assert rng.tolist() == [naive.shifted, naive.counter]
        *_, last = positions(position, played)
        assert last.is_won == won
        met["won" if won else "lost"] += 1
        met["rows"] += DEAL in played
        met["filled"] += any(
            here.stock and here.why_illegal(DEAL) and [move] == naive_row(here)[:1]
            for here, move in zip(positions(position, played), played, strict=False)
        )
    assert min(met[word] for word in ("won", "lost", "rows", "filled")) > 2, met


def test_searches_without_room_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small table changes nothing of what is played."""
    cards = rows(342_000, 3)
    solver = parse_solver("spider-player(width=30, moves=20)")
    expected = [(o.result, o.nodes, o.moves, o.played) for o in solver.solve(cards, RULES[2])]
    grown: list[int] = []

    def small(points: tuple[int, ...], width: int, moves: int) -> Beam:
        return new_beam(points, width, moves)._replace(
            signatures=np.zeros(64, dtype=np.int64), stamps=np.zeros(64, dtype=np.int64)
        )

    def with_more_room(beam: Beam) -> Beam:
        grown.append(len(beam.stamps))
        return spider_beam.with_more_room(beam)

    monkeypatch.setattr(spider_player, "new_beam", small)
    monkeypatch.setattr(spider_player, "with_more_room", with_more_room)
    again = [(o.result, o.nodes, o.moves, o.played) for o in solver.solve(cards, RULES[2])]
    assert again == expected
    assert grown[:2] == [64, 128]
    board = new_board()
    lay_out(cards[0], board)
    ended, length, _ = spider_beam.play(
        cards[0], board, False, new_beam(POINTS, 5, 9), np.array([1, 1]), np.zeros(30, np.int64)
    )
    assert ended == NO_ROOM
    assert 0 <= length <= 30


def test_cards_that_turn_up_are_not_looked_at() -> None:
    """`look` finds the same whatever lies face down."""
    found = []
    for junk in (-1, 0, 51, 7):
        board = new_board()
        lay_out(rows(343_000, 1)[0], board)
        for column in range(COLUMNS):
            board.cards[column, : board.down[column]] = junk
        beam = new_beam(POINTS, 40, 20)
        beam.boards.cards[:] = junk
        count, held = look(board, beam, np.array([3, 4]))
        found.append((beam.best[:count].tolist(), int(held)))
    assert found == found[:1] * 4
    assert len(found[0][0]) > 3
