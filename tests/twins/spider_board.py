"""Spider boards derived from the referee: observations and counts of a position.

A card that nobody knows is UNKNOWN to the referee, of a rank that nothing fits. So `covered` makes
of a position what a player knows of it; moving the last face-up card off a face-down one then turns
up an UNKNOWN. The referee would let it go onto an empty column; whoever asks must not.
"""

from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cards import make_card, parse_card, rank, suit
from engine.spider.board import (
    COMPLETED,
    CONNECTORS,
    HIDDEN,
    ROWS_LEFT,
    TURNED,
    Board,
    is_blocked,
    new_board,
)
from engine.spider.deal import CARDS, COLUMN_SIZES, COLUMN_START, COLUMNS, TABLEAU_CARDS
from engine.spider.moves import SpiderKind, SpiderMove
from engine.spider.referee import SpiderPosition, completed_run
from engine.spider.rules import SpiderRules

UNKNOWN = make_card(-2, 0)
HIDDEN_AT_START = TABLEAU_CARDS - len(COLUMN_SIZES)


class Table(NamedTuple):
    """What lies face up, how many cards face down, and what a board counts."""

    up: tuple[tuple[int, ...], ...]
    down: tuple[int, ...]
    runs: tuple[int, ...]
    blocked: tuple[int, ...]
    rows_left: int
    gone: int
    turned: int
    connectors: int


def connectors(position: SpiderPosition) -> int:
    """Pairs of face-up neighbours that go down in one suit."""
    return sum(
        rank(below) == rank(above) + 1 and suit(below) == suit(above)
        for column in position.up
        for below, above in pairwise(column)
    )


def is_unknown(position: SpiderPosition, column: int) -> bool:
    """Whether a column of a covered position has lost its last known card."""
    return position.up[column][-1:] == (UNKNOWN,)


def table_of_position(position: SpiderPosition) -> Table:
    blocked = tuple(column for column in range(COLUMNS) if is_unknown(position, column))
    return Table(
        up=tuple(() if n in blocked else up for n, up in enumerate(position.up)),
        down=tuple(len(down) + (n in blocked) for n, down in enumerate(position.down)),
        runs=tuple(0 if n in blocked else position.run_length(n) for n in range(COLUMNS)),
        blocked=blocked,
        rows_left=len(position.stock),
        gone=sum(position.completed),
        turned=HIDDEN_AT_START - sum(map(len, position.down)),
        connectors=connectors(position),
    )


def table_of_board(board: Board) -> Table:
    return Table(
        up=tuple(
            tuple(board.cards[column, board.down[column] : board.size[column]].tolist())
            for column in range(COLUMNS)
        ),
        down=tuple(board.down.tolist()),
        runs=tuple(board.run.tolist()),
        blocked=tuple(column for column in range(COLUMNS) if is_blocked(board, column)),
        rows_left=int(board.meta[ROWS_LEFT]),
        gone=int(board.meta[COMPLETED]),
        turned=int(board.meta[TURNED]),
        connectors=int(board.meta[CONNECTORS]),
    )


def board_of(position: SpiderPosition, board: Board | None = None) -> Board:
    """The board of a position, covered or not."""
    board = board or new_board()
    table = table_of_position(position)
    board.cards[:] = HIDDEN
    for column in range(COLUMNS):
        down, up = table.down[column], table.up[column]
        board.cards[column, down : down + len(up)] = up
        board.size[column] = down + len(up)
    board.down[:] = table.down
    board.run[:] = table.runs
    board.meta[[ROWS_LEFT, COMPLETED, TURNED, CONNECTORS]] = (
        table.rows_left,
        table.gone,
        table.turned,
        table.connectors,
    )
    return board


def covered(position: SpiderPosition) -> SpiderPosition:
    """A position as its player sees it."""
    return replace(
        position,
        down=tuple((UNKNOWN,) * len(column) for column in position.down),
        stock=((UNKNOWN,) * COLUMNS,) * len(position.stock),
    )


def runs_allowed(position: SpiderPosition) -> list[SpiderMove]:
    """Every legal move of known cards, by source, target and number of cards."""
    return [
        move
        for move in position.legal_moves()
        if move.kind is SpiderKind.RUN and not is_unknown(position, move.source)
    ]


def position_of(columns: list[str], suits: int = 4, gone: int = 0) -> SpiderPosition:
    """A position of columns as text, ``[KS] 5H 4H``: face-down cards in brackets."""
    down, up = [], []
    for text in columns + [""] * (COLUMNS - len(columns)):
        words = text.split()
        hidden = [word for word in words if word.startswith("[")]
        assert hidden == words[: len(hidden)]
        down.append(tuple(parse_card(word[1:-1]) for word in hidden))
        up.append(tuple(parse_card(word) for word in words[len(hidden) :]))
    return SpiderPosition(SpiderRules(suits), tuple(down), tuple(up), (0, 0, gone, 0), ())


def some_position(
    chooser: Random, rules: SpiderRules, left: int = 8, rows: int = 0
) -> SpiderPosition:
    """A position with runs of all lengths, empty columns, face-down cards, and rows to come.

    So many whole suits are left; they are cut at random, and the pieces laid onto columns.
    """
    while True:
        pieces: list[tuple[int, ...]] = []
        most_cuts = chooser.choice([1, 3, 12])
        for of in range(left):
            whole = tuple(rules.shown(make_card(r, of % 4)) for r in reversed(range(13)))
            cuts = sorted(chooser.sample(range(1, 13), chooser.randint(1, most_cuts)))
            pieces.extend(whole[i:j] for i, j in pairwise([0, *cuts, 13]))
        chooser.shuffle(pieces)
        stock: tuple[int, ...] = ()
        while len(stock) < COLUMNS * rows:
            stock += pieces.pop()
        if len(stock) > COLUMNS * rows:
            pieces.append(stock[COLUMNS * rows :])
        columns: list[tuple[int, ...]] = [()] * COLUMNS
        used = chooser.sample(range(COLUMNS), COLUMNS - chooser.choice([0, 0, 1, 2, 5]))
        for piece in pieces:
            columns[chooser.choice(used)] += piece
        hidden = [
            chooser.choice([0, 0, min(size - 1, chooser.randint(0, len(column) - 1))])
            if column
            else 0
            for column, size in zip(columns, COLUMN_SIZES, strict=True)
        ]
        position = SpiderPosition(
            rules,
            tuple(column[:n] for column, n in zip(columns, hidden, strict=True)),
            tuple(column[n:] for column, n in zip(columns, hidden, strict=True)),
            (0, 0, 8 - left, 0),
            tuple(stock[COLUMNS * n : COLUMNS * (n + 1)] for n in range(rows)),
        )
        # No play leaves a whole run lying, not even under other cards.
        if all(
            completed_run(up[:size]) is None
            for up in position.up
            for size in range(13, len(up) + 1)
        ):
            return position


def deal_of(position: SpiderPosition) -> NDArray[np.uint8]:
    """A deal uint8[104] whose face-down cards and rows to come are those of a position."""
    deal = np.full(CARDS, make_card(12, 3), dtype=np.uint8)
    for column, down in enumerate(position.down):
        assert len(down) < COLUMN_SIZES[column]
        deal[COLUMN_START[column] : COLUMN_START[column] + len(down)] = down
    stock = [card for row in position.stock for card in row]
    deal[CARDS - len(stock) :] = stock
    return deal


def built(position: SpiderPosition) -> int:
    """Connectors, those of the runs that are gone included."""
    return connectors(position) + 12 * sum(position.completed)


def any_run(chooser: Random, position: SpiderPosition, gains: float = 0.5) -> SpiderMove | None:
    """A legal move of known cards; with this chance one that builds in suit or turns up a card."""

    def progress(state: SpiderPosition) -> int:
        return built(state) - 2 * sum(map(len, state.down))

    moves = runs_allowed(position)
    if not moves:
        return None
    chooser.shuffle(moves)
    if chooser.random() < gains:
        before = progress(position)
        for move in moves:
            if progress(position.play(move)) > before:
                return move
    return moves[0]
