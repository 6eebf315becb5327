"""Compiled state machine of Spider on observations, completed from the deal by the croupier.

A *board* is an observation: unseen cards are HIDDEN. Moving the last face-up card off a face-down
one leaves a *blocked* column, on which no move is legal until the croupier turns the card up. So a
player that looks ahead on a copy of its board counts the cards that would turn up but never sees
them; only `turn_up` and `deal_row`, which the croupier calls, take cards from the deal.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.spider.deal import CARDS, COLUMN_SIZES, COLUMN_START, COLUMNS, ROWS, TABLEAU_CARDS
from engine.spider.referee import SpiderPosition

HIDDEN = -1
WHOLE_RUN = 13
# Columns of a board's `meta`: rows left to deal, completed runs, cards turned up or, on a copy,
# uncovered, and pairs of face-up neighbours that go down in one suit (*connectors*).
ROWS_LEFT, COMPLETED, TURNED, CONNECTORS = range(4)

_START = np.array(COLUMN_START, dtype=np.int64)
_SIZES = np.array(COLUMN_SIZES, dtype=np.int64)


class Board(NamedTuple):
    """Observation of a game.

    cards: int8[10, 104], each column bottom to top; HIDDEN for unseen cards.
    size: int64[10], cards of each column.
    down: int64[10], face-down cards of each column.
    run: int64[10], length of the top run in suit; 0 for an empty or blocked column.
    meta: int64[4], see ROWS_LEFT.
    """

    cards: NDArray[np.int8]
    size: NDArray[np.int64]
    down: NDArray[np.int64]
    run: NDArray[np.int64]
    meta: NDArray[np.int64]


def new_board() -> Board:
    """Allocate a board for `lay_out`."""
    return Board(
        np.zeros((COLUMNS, CARDS), dtype=np.int8),
        np.zeros(COLUMNS, dtype=np.int64),
        np.zeros(COLUMNS, dtype=np.int64),
        np.zeros(COLUMNS, dtype=np.int64),
        np.zeros(4, dtype=np.int64),
    )


@search_kernel
def lay_out(deal, board):
    """Set a board to the start of a deal uint8[104] in flat order, its suits as they count."""
    for column in range(COLUMNS):
        size = _SIZES[column]
        for level in range(size - 1):
            board.cards[column, level] = HIDDEN
        board.cards[column, size - 1] = deal[_START[column] + size - 1]
        board.size[column] = size
        board.down[column] = size - 1
        board.run[column] = 1
    board.meta[ROWS_LEFT] = ROWS
    board.meta[COMPLETED] = board.meta[TURNED] = board.meta[CONNECTORS] = 0


def lay_position(position: SpiderPosition, board: Board) -> None:
    """Set a board to what is seen of a position, as if its cards had come from the start."""
    board.meta[:] = 0
    board.meta[ROWS_LEFT] = len(position.stock)
    board.meta[COMPLETED] = sum(position.completed)
    board.meta[TURNED] = TABLEAU_CARDS - COLUMNS - sum(map(len, position.down))
    for column, (down, up) in enumerate(zip(position.down, position.up, strict=True)):
        board.cards[column, : len(down)] = HIDDEN
        board.cards[column, len(down) : len(down) + len(up)] = up
        board.size[column] = len(down) + len(up)
        board.down[column] = len(down)
        board.meta[CONNECTORS] += sum(one == other + 4 for one, other in pairwise(up))
        count_run(board, column)


@search_kernel
def copy_board(board, other):
    """Copy a board to another."""
    for column in range(COLUMNS):
        size = board.size[column]
        other.size[column] = size
        other.down[column] = board.down[column]
        other.run[column] = board.run[column]
        for level in range(board.down[column], size):
            other.cards[column, level] = board.cards[column, level]
    for number in range(4):
        other.meta[number] = board.meta[number]


@search_kernel
def card_at(board, column, level):
    """A card of a column, as an int64."""
    return int(board.cards[column, level])


@search_kernel
def top_of(board, column):
    """The uppermost card of a column that is not empty."""
    return int(board.cards[column, board.size[column] - 1])


@search_kernel
def is_blocked(board, column):
    """Whether the column waits for a card to be turned up."""
    return board.size[column] > 0 and board.size[column] == board.down[column]


@search_kernel
def count_run(board, column):
    """Update the length of the top run of a column."""
    top = board.size[column] - 1
    if top < board.down[column]:
        board.run[column] = 0
        return
    level = top
    while level > board.down[column] and (
        card_at(board, column, level - 1) == card_at(board, column, level) + 4
    ):
        level -= 1
    board.run[column] = top - level + 1


@search_kernel
def _uncover(board, column):
    """Update a column that lost its uppermost cards."""
    if is_blocked(board, column):
        board.meta[TURNED] += 1
    count_run(board, column)


@search_kernel
def _clear(board, column):
    """Remove a completed run from a column, if there is one."""
    if board.run[column] >= WHOLE_RUN:
        board.size[column] -= WHOLE_RUN
        board.meta[COMPLETED] += 1
        board.meta[CONNECTORS] -= WHOLE_RUN - 1
        _uncover(board, column)


@search_kernel
def shift(board, source, target, count):
    """Play a legal move of cards from one column to another."""
    first = board.size[source] - count
    base = card_at(board, source, first)
    size = board.size[target]
    joins = size > 0 and card_at(board, target, size - 1) == base + 4
    for at in range(count):
        board.cards[target, size + at] = board.cards[source, first + at]
    board.size[source] = first
    board.size[target] = size + count
    if joins:
        board.run[target] += count
        board.meta[CONNECTORS] += 1
    else:
        board.run[target] = count
    if count < board.run[source]:
        board.run[source] -= count
        board.meta[CONNECTORS] -= 1
    else:
        _uncover(board, source)
    _clear(board, target)


@search_kernel
def turn_up(board, column, deal):
    """Turn up the top card of a blocked column, from the deal."""
    level = board.size[column] - 1
    board.cards[column, level] = deal[_START[column] + level]
    board.down[column] = level
    board.run[column] = 1


@search_kernel
def turn_all_up(board, deal):
    """Turn up the top card of each blocked column; returns their number."""
    count = 0
    for column in range(COLUMNS):
        if is_blocked(board, column):
            turn_up(board, column, deal)
            count += 1
    return count


@search_kernel
def deal_row(board, deal):
    """Deal a row of the stock; whether columns are empty is not checked."""
    first = TABLEAU_CARDS + COLUMNS * (ROWS - board.meta[ROWS_LEFT])
    board.meta[ROWS_LEFT] -= 1
    for column in range(COLUMNS):
        card = int(deal[first + column])
        size = board.size[column]
        joins = size > 0 and card_at(board, column, size - 1) == card + 4
        board.cards[column, size] = card
        board.size[column] = size + 1
        board.run[column] = board.run[column] + 1 if joins else 1
        board.meta[CONNECTORS] += joins
        _clear(board, column)


@search_kernel
def has_empty(board):
    """Whether any column is empty."""
    empty = False
    for column in range(COLUMNS):
        empty |= board.size[column] == 0
    return empty
