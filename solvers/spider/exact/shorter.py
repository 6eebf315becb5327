"""Shortening of winning lines of Spider.

Two changes are made in turn until neither helps: *jump*, from a position of the line by one move to
a later one than the line's own move leads to; and *drop*, a move that the win does not need, with
those after it that only undo it. Both keep what they find only if it wins by the same rules.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.spider.deal import COLUMNS, ROWS, RUNS
from solvers.spider.exact.table import (
    DEALT,
    DONE,
    EMPTY,
    SIGN,
    Tables,
    copy_table,
    new_tables,
    play,
    sign,
)
from solvers.spider.exact.value import SIGNED, change, points_of
from solvers.spider.monkey_game import DEAL_ROW, code
from solvers.spider.play import parts


class LineWork(NamedTuple):
    """Workspace for a line.

    points: int64[6, …], see `solvers.spider.exact.value`.
    tables: the positions of the line, and one more.
    next_move, next_place, steps: int64[…], of each position of the line the best next move, the
        position that it leads to, and how many moves it is from there to the end.
    other: int64[…], another line.
    changed: int64[5], scratch of `change`.
    """

    points: NDArray[np.int64]
    tables: Tables
    next_move: NDArray[np.int64]
    next_place: NDArray[np.int64]
    steps: NDArray[np.int64]
    other: NDArray[np.int64]
    changed: NDArray[np.int64]


def new_work(length: int) -> LineWork:
    """Allocate a workspace for a line of a number of moves."""

    def some() -> NDArray[np.int64]:
        return np.zeros(length + 2, dtype=np.int64)

    tables = new_tables(length + 2)
    changed = np.zeros(5, dtype=np.int64)
    return LineWork(points_of(), tables, some(), some(), some(), some(), changed)


@search_kernel
def is_legal(tables, at, onto_empty, move):
    """Whether a move is legal."""
    if move == DEAL_ROW:
        return tables.counts[at, DEALT] < ROWS and (onto_empty or tables.counts[at, EMPTY] == 0)
    source, target, count = parts(move)
    if source == target or count < 1 or count > tables.run[at, source]:
        return False
    size = int(tables.size[at, target])
    if size == 0:
        return True
    card = int(tables.cards[at, source, int(tables.size[at, source]) - count])
    return int(tables.cards[at, target, size - 1]) >> 2 == (card >> 2) + 1


@search_kernel
def _consider(work, at, signature, move, length):
    """Take a move from a position of the line if it leads nearer to the end."""
    tables = work.tables
    for place in range(length, at, -1):
        if tables.counts[place, SIGN] == signature:
            if work.steps[place] + 1 < work.steps[at]:
                work.steps[at] = work.steps[place] + 1
                work.next_move[at], work.next_place[at] = move, place
            return


@search_kernel
def _jump(work, rows, line, length):
    """Replace a line by the shortest way along its positions; returns its number of moves."""
    tables = work.tables
    sign(tables, 0, True)
    for at in range(length):
        copy_table(tables, at, tables, at + 1)
        play(tables, at + 1, rows, line[at])
        sign(tables, at + 1, True)
    work.steps[length] = 0
    for at in range(length - 1, -1, -1):
        work.steps[at] = work.steps[at + 1] + 1
        work.next_move[at], work.next_place[at] = line[at], at + 1
        points = work.points[tables.counts[at, DEALT]]
        for source in range(COLUMNS):
            for target in range(COLUMNS):
                for count in range(1, int(tables.run[at, source]) + 1):
                    move = code(source, target, count)
                    if is_legal(tables, at, True, move):
                        change(tables, at, source, target, count, points, True, work.changed)
                        _consider(work, at, work.changed[SIGNED], move, length)
    at = count = 0
    while at < length:
        line[count] = work.next_move[at]
        at = work.next_place[at]
        count += 1
    return count


@search_kernel
def _drop(work, rows, onto_empty, line, length, left_out):
    """Play a line without a move, and without those that are then illegal.

    Returns:
        The number of moves of the other line, or −1 if it does not win.
    """
    tables = work.tables
    at = len(tables.size) - 1
    copy_table(tables, 0, tables, at)
    count = 0
    for place in range(length):
        if place != left_out and is_legal(tables, at, onto_empty, line[place]):
            play(tables, at, rows, line[place])
            work.other[count] = line[place]
            count += 1
            if tables.counts[at, DONE] == RUNS:
                return count
    return -1


@search_kernel
def shorten(work, rows, onto_empty, line, length):
    """Shorten a winning line from the position at the first place; returns its number of moves.

    Args:
        work: `LineWork` for it.
        rows: int8[5, 10], the stock.
        onto_empty: whether a row may be dealt while a column is empty.
        line: int64[…], in and out.
        length: its number of moves.
    """
    while True:
        before = length
        length = _jump(work, rows, line, length)
        place = 0
        while place < length:
            count = _drop(work, rows, onto_empty, line, length, place)
            if 0 <= count < length:
                for number in range(count):
                    line[number] = work.other[number]
                length = count
            else:
                place += 1
        if length == before:
            return length
