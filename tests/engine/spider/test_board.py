"""Tests of the compiled boards of Spider against the referee."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.cards import parse_card
from engine.dealing.dealers import get_dealer
from engine.spider import GAME as SPIDER
from engine.spider.board import (
    HIDDEN,
    TURNED,
    Board,
    copy_board,
    deal_row,
    has_empty,
    lay_out,
    new_board,
    shift,
    turn_all_up,
    turn_up,
)
from engine.spider.deal import COLUMNS, SpiderDeal, as_counted
from engine.spider.moves import DEAL, SpiderKind, SpiderMove, run
from engine.spider.referee import SpiderPosition
from engine.spider.rules import PRESETS as SPIDER_PRESETS
from engine.spider.rules import SpiderRules
from paths import TESTS
from twins.spider_board import (
    Table,
    any_run,
    board_of,
    covered,
    deal_of,
    position_of,
    runs_allowed,
    some_position,
    table_of_board,
    table_of_position,
)

THOUGHTFUL = get_dealer("thoughtful-1")
RULES = list(SPIDER_PRESETS.values())


def deals(first: int, count: int) -> list[SpiderDeal]:
    return [SpiderDeal.of(row) for row in THOUGHTFUL.deal_block(first, count, SPIDER)]


class Game:
    """A game that the kernel and the referee play side by side."""

    def __init__(self, deal: SpiderDeal, rules: SpiderRules) -> None:
        self.position = SpiderPosition.start(deal, rules)
        self.cards = as_counted(deal.as_array()[None], rules.suits)[0]
        self.board = new_board()
        lay_out(self.cards, self.board)

    def play(self, move: SpiderMove) -> None:
        self.position = self.position.play(move)
        if move.kind is SpiderKind.DEAL:
            deal_row(self.board, self.cards)
        else:
            shift(self.board, move.source, move.target, move.cards)
        turn_all_up(self.board, self.cards)

    def check(self) -> None:
        table = table_of_board(self.board)
        assert table == table_of_position(self.position)
        assert has_empty(self.board) == any(not up for up in self.position.up)
        # No card that nobody has seen is on the board.
        for column, down in enumerate(table.down):
            assert (self.board.cards[column, :down] == HIDDEN).all()

    def walk(self, chooser: Random, most: int) -> Iterator[Table]:
        """What is on the table throughout a random game, in which runs are built."""
        for _ in range(most):
            self.check()
            yield table_of_position(self.position)
            move = any_run(chooser, self.position, 0.9)
            if self.position.why_illegal(DEAL) is None and (move is None or chooser.random() < 0.1):
                move = DEAL
            if move is None:
                return
            self.play(move)


def test_cards_count_as_the_rules_say() -> None:
    rows = THOUGHTFUL.deal_block(300_000, 3, SPIDER)
    before = rows.copy()
    for suits in (1, 2, 4):
        shown = SpiderRules(suits).shown
        assert as_counted(rows, suits).tolist() == [[shown(int(c)) for c in row] for row in rows]
    assert (rows == before).all()


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_boards_are_the_referees_throughout_games(rules: SpiderRules) -> None:
    chooser = Random(f"games under {rules}")
    met: Counter[str] = Counter()
    for deal in deals(301_000, 4):
        for table in Game(deal, rules).walk(chooser, 150):
            met["runs gone"] = max(met["runs gone"], table.gone)
            met["longest run"] = max(met["longest run"], *table.runs)
            met["empty columns"] += not all(map(len, table.up))
            met["no rows left"] += not table.rows_left
            met["turned"] = max(met["turned"], table.turned)
    assert met["longest run"] >= (5 if rules.suits == 4 else 7)
    assert met["turned"] > 8
    assert met["no rows left"] > 0
    if rules.suits == 1:
        assert met["runs gone"] > 0


@pytest.mark.parametrize("suits", [1, 2, 4])
def test_any_positions_moves_do_what_the_referee_does(suits: int) -> None:
    """Positions with empty columns and long runs; every move of each."""
    chooser = Random(f"any {suits}")
    gone = empty = split = 0
    board, copy = new_board(), new_board()
    for _ in range(40):
        position = covered(some_position(chooser, SpiderRules(suits)))
        for _ in range(3):
            board_of(position, board)
            assert table_of_board(board) == table_of_position(position)
            moves = runs_allowed(position)
            for move in chooser.sample(moves, min(len(moves), 20)):
                copy_board(board, copy)
                shift(copy, move.source, move.target, move.cards)
                after = position.play(move)
                assert table_of_board(copy) == table_of_position(after)
                gone += after.completed != position.completed
                empty += not position.up[move.target]
                split += move.cards < position.run_length(move.source)
            assert table_of_board(board) == table_of_position(position)
            if moves:
                position = position.play(any_run(chooser, position, 0.9) or moves[0])
    assert min(empty, split) > 50
    assert gone > 3


def test_a_copy_is_the_same_and_apart() -> None:
    chooser = Random("copy")
    # Whatever lay on it before.
    copy = board_of(some_position(chooser, SpiderRules(1)))
    for deal in deals(302_000, 2):
        game = Game(deal, SpiderRules(2))
        for table in game.walk(chooser, 60):
            copy_board(game.board, copy)
            assert table_of_board(copy) == table
            move = any_run(chooser, game.position)
            if move is not None:
                shift(copy, move.source, move.target, move.cards)
                assert table_of_board(copy) != table
                assert table_of_board(game.board) == table


def legal_shifts(board: Board) -> list[SpiderMove]:
    """By what a board says: rules of the game, nothing of the Monkey's."""
    moves = []
    for source in range(COLUMNS):
        for target in range(COLUMNS):
            size = int(board.size[target])
            if source == target or (size and not board.run[target]):
                continue
            for count in range(1, int(board.run[source]) + 1):
                card = int(board.cards[source, board.size[source] - count])
                if not size or int(board.cards[target, size - 1]) // 4 == card // 4 + 1:
                    moves.append(run(source, target, count))
    return moves


def reached_by_kernel(start: Board, depth: int) -> list[set[Table]]:
    """What can be reached on copies, in so many moves; blocked columns stay so."""
    levels = [{table_of_board(start): start}]
    for _ in range(depth):
        further = {}
        for board in levels[-1].values():
            for move in legal_shifts(board):
                copy = new_board()
                copy_board(board, copy)
                shift(copy, move.source, move.target, move.cards)
                further[table_of_board(copy)] = copy
        levels.append(further)
    return [set(level) for level in levels]


def reached_by_referee(start: SpiderPosition, depth: int) -> list[set[Table]]:
    levels = [{start}]
    for _ in range(depth):
        levels.append({p.play(move) for p in levels[-1] for move in runs_allowed(p)})
    return [set(map(table_of_position, level)) for level in levels]


def test_as_many_positions_are_reached_as_by_the_referee() -> None:
    chooser = Random("reached")
    counts: Counter[int] = Counter()
    for number, deal in enumerate(deals(303_000, 6)):
        game = Game(deal, RULES[number % 6])
        for _ in game.walk(chooser, (1, 1, 30)[number % 3]):
            pass
        position, depth = covered(game.position), 3 - (number % 3 == 2)
        found = reached_by_kernel(game.board, depth)
        assert found == reached_by_referee(position, depth)
        counts.update({at: len(level) for at, level in enumerate(found)})
    for number in range(3):
        position = covered(some_position(chooser, SpiderRules((1, 2, 4)[number]), 1))
        found = reached_by_kernel(board_of(position), 2)
        assert found == reached_by_referee(position, 2)
        counts.update({at: len(level) for at, level in enumerate(found)})
    assert counts[0] == 9
    assert counts[2] > 100
    assert counts[3] > 100


def test_what_a_copy_uncovers_stays_blocked() -> None:
    """Until the croupier turns the card up; then all is as the referee has it."""
    chooser = Random("blocked")
    blocked = 0
    copy = new_board()
    for number, deal in enumerate(deals(304_000, 9)):
        game = Game(deal, RULES[number % 6])
        for _ in game.walk(chooser, 8 * number + 1):
            pass
        before = table_of_board(game.board)
        copy_board(game.board, copy)
        mind = covered(game.position)
        line: list[SpiderMove] = []
        while len(line) < 20 and (move := any_run(chooser, mind)) is not None:
            mind = mind.play(move)
            shift(copy, move.source, move.target, move.cards)
            line.append(move)
            table = table_of_board(copy)
            assert table == table_of_position(mind)
            for column in table.blocked:
                assert table.runs[column] == 0
                assert not [m for m in legal_shifts(copy) if column in (m.source, m.target)]
            blocked += len(table.blocked)
        assert table_of_board(game.board) == before
        # What was played in the mind can be played on the table.
        turned = 0
        for move in line:
            game.position = game.position.play(move)
            shift(game.board, move.source, move.target, move.cards)
            turned += int(turn_all_up(game.board, game.cards))
            game.check()
        assert (
            game.board.meta[TURNED] - before.turned == turned == copy.meta[TURNED] - before.turned
        )
    assert blocked > 100


SPADES = [f"{name}S" for name in "KQJT98765432A"]
FILLER = ["3H", "3D", "3C", "5H", "5D", "5C", "7H", "7D"]


@pytest.mark.parametrize(
    ("target", "source", "move", "expected"),
    [
        # A run on its own: the column is empty after it.
        ("KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", "9H AS", run(1, 0, 1), ((), 0, (), 0)),
        ("KS QS JS TS 9S", "9H 8S 7S 6S 5S 4S 3S 2S AS", run(1, 0, 8), ((), 0, (), 0)),
        # On face-up cards that go down in one suit: they can move again.
        (
            "[2D] 8H 7H KS QS JS TS 9S 8S 7S 6S 5S 4S 3S",
            "9H 2S AS",
            run(1, 0, 2),
            (("8H", "7H"), 2, (), 0),
        ),
        # On a face-down card: it is to be turned up.
        ("[2D] [4H] KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", "9H AS", run(1, 0, 1), ((), 0, (0,), 1)),
        # The source turns a card up, too.
        ("[4H] KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", "[9H] AS", run(1, 0, 1), ((), 0, (0, 1), 2)),
        # Twelve cards and an ace of another suit are no run.
        (
            "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S",
            "9H AC",
            run(1, 0, 1),
            ((*SPADES[:-1], "AC"), 1, (), 0),
        ),
        # Nor are twelve that begin with a queen.
        ("QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", "9H AS", run(1, 0, 1), ((*SPADES[1:],), 12, (), 0)),
    ],
)
def test_whole_runs_leave_when_a_run_moves(
    target: str, source: str, move: SpiderMove, expected: tuple[Any, ...]
) -> None:
    position = covered(position_of([target, source, *FILLER]))
    board = board_of(position)
    before = table_of_board(board)
    shift(board, move.source, move.target, move.cards)
    table = table_of_board(board)
    assert table == table_of_position(position.play(move))
    up, length, blocked, turned = expected
    names = position_of([" ".join(up)]).up[0]
    assert (table.up[0], table.runs[0], table.blocked) == (names, length, blocked)
    assert table.turned - before.turned == turned
    assert table.gone == (not up or up[-1] == "7H")


def test_whole_runs_leave_when_a_row_is_dealt() -> None:
    """From three columns at once, one of them with a face-down card; and onto empty ones."""
    columns = [
        " ".join(SPADES[:-1]),
        "[4D] " + " ".join(SPADES[:-1]),
        "9H 8H " + " ".join(SPADES[:-1]),
        " ".join(SPADES[:-1]),
        "4D 3H",
        "",
        "KS",
        "",
        "2H",
        "AS",
    ]
    row = ["AS", "AS", "AS", "AC", "2H", "AS", "QS", "KS", "AD", "AH"]
    stock = (tuple(parse_card(name) for name in row),) * 5
    position = replace(
        position_of(columns), stock=stock, rules=SpiderRules(4, deal_onto_empty=True)
    )
    cards = deal_of(position)
    board = board_of(position)
    gone_before = table_of_board(board)
    deal_row(board, cards)
    assert table_of_board(board).blocked == (1,)
    assert turn_all_up(board, cards) == 1
    table = table_of_board(board)
    assert table == table_of_position(position.play(DEAL))
    assert (table.gone, table.turned - gone_before.turned, table.rows_left) == (3, 1, 4)
    assert table.runs == (0, 1, 2, 1, 2, 1, 2, 1, 1, 1)
    assert table.up[0] == ()


def test_cards_that_turn_up_are_those_of_the_deal() -> None:
    (deal,) = deals(305_000, 1)
    board = new_board()
    lay_out(deal.as_array(), board)
    for column in range(COLUMNS):
        # Down to the last card, as if each one left at once.
        for card in reversed(deal.tableau[column][:-1]):
            board.size[column] -= 1
            turn_up(board, column, deal.as_array())
            table = table_of_board(board)
            assert (table.up[column], table.runs[column]) == ((card,), 1)
        assert table.down[column] == 0
    assert turn_all_up(board, deal.as_array()) == 0


def test_all_rows_of_a_deal_come_in_order() -> None:
    for rules in RULES[:3]:
        (deal,) = deals(306_000, 1)
        game = Game(deal, rules)
        for left in (4, 3, 2, 1, 0):
            game.play(DEAL)
            game.check()
            assert table_of_board(game.board).rows_left == left
            up = [column[-1] for column in game.position.up]
            assert up == [rules.shown(card) for card in deal.stock[4 - left]]


@pytest.mark.parametrize(
    ("columns", "connectors", "runs"),
    [
        ([""] * 10, 0, (0,) * 10),
        (["KS"], 0, (1,)),
        # A king covers an ace of its suit, an ace a king: nothing joins.
        (["AS KS", "KS AS", "2H 3H", "KH QH JS", "[QH] JH"], 1, (1, 1, 1, 1, 1)),
        # Two runs on each other: only the upper one moves.
        (["5S 4S 4S 3S 2S", "9C 8C 7S 6S 5S"], 6, (3, 3)),
    ],
)
def test_boards_by_hand(columns: list[str], connectors: int, runs: tuple[int, ...]) -> None:
    position = covered(position_of(columns))
    board = board_of(position)
    table = table_of_board(board)
    assert table == table_of_position(position)
    assert table.connectors == connectors
    assert table.runs == runs + (0,) * (COLUMNS - len(runs))
    assert has_empty(board) == (len(columns) < COLUMNS or not all(columns))
    moves = runs_allowed(position)
    assert legal_shifts(board) == moves
    assert [table_after(board, m) for m in moves] == [
        table_of_position(position.play(m)) for m in moves
    ]


def table_after(board: Board, move: SpiderMove) -> Table:
    copy = new_board()
    copy_board(board, copy)
    shift(copy, move.source, move.target, move.cards)
    return table_of_board(copy)


def test_the_referee_agrees_without_the_compiler() -> None:
    program = (
        "import sys\n"
        "import numba\n"
        "from test_board import RULES, Game, Random, deals\n"
        "assert numba.config.DISABLE_JIT\n"
        "tables = [\n"
        "    table\n"
        "    for number, deal in enumerate(deals(307_000, 6))\n"
        "    for table in Game(deal, RULES[number]).walk(Random(number), 40)\n"
        "]\n"
        "print(len(tables), max(table.turned for table in tables))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ
        | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{Path(__file__).parent}:{TESTS}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    tables, turned = map(int, done.stdout.split())
    assert tables > 100
    assert turned > 5
