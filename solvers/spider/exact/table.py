"""Positions of Spider with all cards known, many in one set of arrays, and their moves.

A move is a number, as `solvers.spider.monkey_game` has them. A completed run leaves and an
uncovered card turns up as part of it.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.spider.board import WHOLE_RUN
from engine.spider.deal import CARDS, COLUMNS, ROWS
from engine.spider.referee import SpiderPosition
from solvers.spider.beam_value import mixed
from solvers.spider.monkey_game import DEAL_ROW
from solvers.spider.play import parts

# Columns of `counts`: completed runs, rows dealt, empty columns, value, signature.
DONE, DEALT, EMPTY, VALUE, SIGN = range(5)
# Random numbers of 54 bits for cards at levels, and for columns that cannot change places. Those of
# levels must not follow from one another: with two decks, columns such as A B B A and B A A B would
# have one sum.
_random = np.random.default_rng(20_261_129)
_KEYS = _random.integers(1, 1 << 54, (CARDS, 52))
COLUMN_KEYS = _random.integers(1, 1 << 54, COLUMNS)


class Tables(NamedTuple):
    """Positions; each array has [n] before its own axes.

    cards: int8[n, 10, 104], the cards of each column as they count, bottom to top.
    size: int16[n, 10], cards of each column.
    down: int16[n, 10], face-down cards of each column.
    run: int16[n, 10], length of the top run in suit, 0 for an empty column.
    sums: int64[n, 10], of each column, see `column_sum`.
    counts: int64[n, 5], see DONE.
    """

    cards: NDArray[np.int8]
    size: NDArray[np.int16]
    down: NDArray[np.int16]
    run: NDArray[np.int16]
    sums: NDArray[np.int64]
    counts: NDArray[np.int64]


def new_tables(count: int) -> Tables:
    """Allocate positions."""
    return Tables(
        np.zeros((count, COLUMNS, CARDS), dtype=np.int8),
        np.zeros((count, COLUMNS), dtype=np.int16),
        np.zeros((count, COLUMNS), dtype=np.int16),
        np.zeros((count, COLUMNS), dtype=np.int16),
        np.zeros((count, COLUMNS), dtype=np.int64),
        np.zeros((count, 5), dtype=np.int64),
    )


def lay_position(position: SpiderPosition, tables: Tables, rows: NDArray[np.int8]) -> None:
    """Write a position to the first place of tables, and its stock to rows int8[5, 10].

    Rows stand in the order of the deal, those that were dealt are left as they are. Values and
    signatures are not counted.
    """
    dealt = ROWS - len(position.stock)
    for row, cards in enumerate(position.stock, start=dealt):
        rows[row] = cards
    tables.counts[0] = sum(position.completed), dealt, 0, 0, 0
    for column, (down, up) in enumerate(zip(position.down, position.up, strict=True)):
        cards = (*down, *up)
        tables.cards[0, column, : len(cards)] = cards
        tables.size[0, column], tables.down[0, column] = len(cards), len(down)
        tables.counts[0, EMPTY] += not cards
        count_run(tables, 0, column)


@search_kernel
def key(card, level):
    """Term of a card at a level of its column in the column's sum, less than 2**54."""
    return _KEYS[level, card]


@search_kernel
def column_sum(tables, at, column, fixed):
    """The sum of a column: its face-up cards' keys.

    Face-down cards are those of their column, so a column that has some has a key of its own, and
    with `fixed` every column has: those that a row is still to be dealt to.
    """
    total = 0
    down = int(tables.down[at, column])
    if down > 0 or fixed:
        total = COLUMN_KEYS[column]
    for level in range(down, tables.size[at, column]):
        total += key(int(tables.cards[at, column, level]), level)
    return total


@search_kernel
def count_run(tables, at, column):
    """Count the length of the top run of a column."""
    cards = tables.cards[at, column]
    top, down = int(tables.size[at, column]) - 1, int(tables.down[at, column])
    level = top
    while level > down and cards[level - 1] == cards[level] + 4:
        level -= 1
    tables.run[at, column] = top - level + 1 if top >= down else 0


@search_kernel
def copy_table(source, at, target, to):
    """Copy a position."""
    for column in range(COLUMNS):
        size = source.size[at, column]
        target.size[to, column] = size
        target.down[to, column] = source.down[at, column]
        target.run[to, column] = source.run[at, column]
        target.sums[to, column] = source.sums[at, column]
        for level in range(size):
            target.cards[to, column, level] = source.cards[at, column, level]
    for count in range(5):
        target.counts[to, count] = source.counts[at, count]


@search_kernel
def _settle(tables, at, column):
    """Have a completed run leave a column, and its last card turn up."""
    if tables.run[at, column] >= WHOLE_RUN:
        tables.size[at, column] -= WHOLE_RUN
        tables.counts[at, DONE] += 1
    size = tables.size[at, column]
    if size == tables.down[at, column] > 0:
        tables.down[at, column] = size - 1
    count_run(tables, at, column)


@search_kernel
def _count_empty(tables, at):
    empty = 0
    for column in range(COLUMNS):
        empty += tables.size[at, column] == 0
    tables.counts[at, EMPTY] = empty


@search_kernel
def shift(tables, at, source, target, count):
    """Move cards from one column to another, which is legal."""
    cards = tables.cards[at]
    first, size = int(tables.size[at, source]) - count, int(tables.size[at, target])
    joins = size > 0 and cards[target, size - 1] == cards[source, first] + 4
    for place in range(count):
        cards[target, size + place] = cards[source, first + place]
    tables.size[at, source] = first
    tables.size[at, target] = size + count
    tables.run[at, target] = tables.run[at, target] + count if joins else count
    if count < tables.run[at, source]:
        tables.run[at, source] -= count
    else:
        _settle(tables, at, source)
    if tables.run[at, target] >= WHOLE_RUN:
        _settle(tables, at, target)
    _count_empty(tables, at)


@search_kernel
def deal_row(tables, at, rows):
    """Deal the next row; whether columns are empty is not asked."""
    row = tables.counts[at, DEALT]
    for column in range(COLUMNS):
        card, size = rows[row, column], int(tables.size[at, column])
        joins = size > 0 and tables.cards[at, column, size - 1] == card + 4
        tables.cards[at, column, size] = card
        tables.size[at, column] = size + 1
        tables.run[at, column] = tables.run[at, column] + 1 if joins else 1
        if tables.run[at, column] >= WHOLE_RUN:
            _settle(tables, at, column)
    tables.counts[at, DEALT] = row + 1
    _count_empty(tables, at)


@search_kernel
def play(tables, at, rows, move):
    """Play a legal move."""
    if move == DEAL_ROW:
        deal_row(tables, at, rows)
    else:
        source, target, count = parts(move)
        shift(tables, at, source, target, count)


@search_kernel
def sign(tables, at, fixed):
    """Count the sums and the signature of a position; for `fixed` see `column_sum`."""
    signature = 0
    for column in range(COLUMNS):
        total = column_sum(tables, at, column, fixed)
        tables.sums[at, column] = total
        signature += mixed(total)
    tables.counts[at, SIGN] = signature
