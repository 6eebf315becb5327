"""Complete search of Spider positions, depth first: what it exhausts without a win has none.

Every legal move is tried, best value first, but for those that lead to a position that was entered.
Once no row is left columns may change places: then positions that differ in their order are one, of
the empty columns one is enough, and a column that moves onto an empty one is no move. As long as a
row is to come none of this holds, since the row tells columns apart.

A search goes on where it stopped, so that more positions cost no repetition.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.kernels.rng import mix_bits
from engine.spider.board import WHOLE_RUN
from engine.spider.deal import COLUMNS, ROWS, RUNS
from solvers.spider.beam_value import LOW_BITS
from solvers.spider.exact.dead_ends import Stuck, is_dead
from solvers.spider.exact.table import (
    DEALT,
    DONE,
    EMPTY,
    SIGN,
    Tables,
    copy_table,
    deal_row,
    new_tables,
    shift,
    sign,
)
from solvers.spider.exact.value import MORE, SIGNED, apply_change, change, points_of
from solvers.spider.monkey_game import DEAL_ROW, code
from solvers.spider.play import parts

# Moves of a position: a top run of some cards to each of nine columns, and a row.
_MOST_MOVES = COLUMNS * (COLUMNS - 1) * WHOLE_RUN + 1
# Places of `state`: number of positions on the path, moves listed, positions entered.
PATH, LISTED, ENTERED = range(3)
# Endings of a stretch of the search; FULL asks for more room.
WON, UNWINNABLE, SPENT, FULL = range(4)


class Depth(NamedTuple):
    """Workspace of a search.

    points: int64[6, …], see `solvers.spider.exact.value`.
    tables: the positions of the path.
    moves: int64[…], moves still to be tried, those of the last position at the end.
    worth: int64[…], of each, in ascending order for each position.
    first: int64[…], of each position of the path, where its moves begin.
    path: int64[…], the move that led to each.
    seen: int64[2**k], signatures of positions entered; 0 is free.
    state: int64[3], see PATH.
    changed: int64[5], scratch of `change`.
    stuck: scratch of `is_dead`.
    """

    points: NDArray[np.int64]
    tables: Tables
    moves: NDArray[np.int64]
    worth: NDArray[np.int64]
    first: NDArray[np.int64]
    path: NDArray[np.int64]
    seen: NDArray[np.int64]
    state: NDArray[np.int64]
    changed: NDArray[np.int64]
    stuck: Stuck


def new_depth(positions: int) -> Depth:
    """Allocate a search for about a number of positions."""
    length = 64

    def some(count: int) -> NDArray[np.int64]:
        return np.zeros(count, dtype=np.int64)

    return Depth(
        points_of(),
        new_tables(length),
        some(16 * length + _MOST_MOVES),
        some(16 * length + _MOST_MOVES),
        some(length),
        some(length),
        some(1 << (2 * positions).bit_length()),
        some(3),
        some(5),
        Stuck.new(),
    )


def with_more_room(depth: Depth) -> Depth:
    """The same search, with twice the room for what has none left: positions, or its path."""

    def grown(array: NDArray[Any]) -> NDArray[Any]:
        more = np.zeros((2 * len(array), *array.shape[1:]), dtype=array.dtype)
        more[: len(array)] = array
        return more

    if _is_table_full(depth):
        seen = np.zeros(2 * len(depth.seen), dtype=np.int64)
        enter_all(depth.seen, seen)
        return depth._replace(seen=seen)
    return depth._replace(
        tables=Tables(*[grown(array) for array in depth.tables]),
        moves=grown(depth.moves),
        worth=grown(depth.worth),
        first=grown(depth.first),
        path=grown(depth.path),
    )


def _is_table_full(depth: Depth) -> bool:
    return 4 * int(depth.state[ENTERED]) >= 3 * len(depth.seen)


@search_kernel
def _slot_of(signature, seen):
    """The slot of a signature in the table, or the free one where it belongs."""
    mask = len(seen) - 1
    slot = mix_bits((signature & LOW_BITS) ^ (signature >> 29 & LOW_BITS)) & mask
    while seen[slot] != 0 and seen[slot] != signature:
        slot = (slot + 1) & mask
    return slot


@search_kernel
def enter_all(source, target):
    """Enter the signatures of a table in a larger one."""
    for slot in range(len(source)):
        if source[slot] != 0:
            target[_slot_of(source[slot], target)] = source[slot]


@search_kernel
def _add(depth, first, worth, move):
    """Add a move to those of the last position, which begin at `first`."""
    at = depth.state[LISTED]
    while at > first and depth.worth[at - 1] > worth:
        depth.worth[at], depth.moves[at] = depth.worth[at - 1], depth.moves[at - 1]
        at -= 1
    depth.worth[at], depth.moves[at] = worth, move
    depth.state[LISTED] += 1


@search_kernel
def _list_runs(depth, at, source, target, first):
    """List the moves from one column to another that lead to positions not yet entered."""
    tables, changed = depth.tables, depth.changed
    rows_left = tables.counts[at, DEALT] < ROWS
    points = depth.points[tables.counts[at, DEALT]]
    run, size = int(tables.run[at, source]), int(tables.size[at, target])
    least, most = 1, run
    if size > 0:
        top = int(tables.cards[at, target, size - 1])
        last = int(tables.cards[at, source, tables.size[at, source] - 1])
        least = most = (top >> 2) - (last >> 2)
        if least < 1 or most > run:
            return
    elif not rows_left and most == tables.size[at, source]:
        most -= 1
    for count in range(least, most + 1):
        change(tables, at, source, target, count, points, rows_left, changed)
        if depth.seen[_slot_of(changed[SIGNED], depth.seen)] == 0:
            _add(depth, first, changed[MORE], code(source, target, count))


@search_kernel
def _list_moves(depth, at, rows, onto_empty):
    """List the moves of the last position."""
    tables = depth.tables
    first = depth.first[at] = depth.state[LISTED]
    rows_left = tables.counts[at, DEALT] < ROWS
    if is_dead(tables, at, rows, depth.stuck):
        return
    if rows_left and (onto_empty or tables.counts[at, EMPTY] == 0):
        depth.moves[first], depth.worth[first] = DEAL_ROW, -(1 << 40)
        depth.state[LISTED] += 1
    for source in range(COLUMNS):
        if tables.size[at, source] == 0:
            continue
        met_empty = False
        for target in range(COLUMNS):
            if target == source or (tables.size[at, target] == 0 and met_empty):
                continue
            _list_runs(depth, at, source, target, first)
            met_empty |= tables.size[at, target] == 0 and not rows_left


@search_kernel
def begin(depth, rows, onto_empty):
    """Begin a search at the first place of its tables."""
    sign(depth.tables, 0, depth.tables.counts[0, DEALT] < ROWS)
    depth.seen[:] = 0
    depth.seen[_slot_of(depth.tables.counts[0, SIGN], depth.seen)] = depth.tables.counts[0, SIGN]
    depth.state[PATH] = depth.state[ENTERED] = 1
    depth.state[LISTED] = 0
    _list_moves(depth, 0, rows, onto_empty)


@search_kernel
def _step(depth, at, rows, move):
    """Make the position after a move the next of the path; whether it is a new one."""
    tables, changed = depth.tables, depth.changed
    copy_table(tables, at, tables, at + 1)
    if move == DEAL_ROW:
        deal_row(tables, at + 1, rows)
        sign(tables, at + 1, tables.counts[at + 1, DEALT] < ROWS)
    else:
        source, target, count = parts(move)
        fixed = tables.counts[at, DEALT] < ROWS
        points = depth.points[tables.counts[at, DEALT]]
        change(tables, at, source, target, count, points, fixed, changed)
        slot = _slot_of(changed[SIGNED], depth.seen)
        if depth.seen[slot] != 0:
            return False
        shift(tables, at + 1, source, target, count)
        apply_change(tables, at + 1, source, target, changed)
    slot = _slot_of(tables.counts[at + 1, SIGN], depth.seen)
    if depth.seen[slot] != 0:
        return False
    depth.seen[slot] = tables.counts[at + 1, SIGN]
    return True


@search_kernel
def go_on(depth, rows, onto_empty, most):
    """Go on with a search until `most` positions are entered; returns WON or another ending."""
    state = depth.state
    while state[PATH] > 0:
        at = state[PATH] - 1
        if depth.tables.counts[at, DONE] == RUNS:
            return WON
        if state[LISTED] == depth.first[at]:
            state[PATH] -= 1
            continue
        if state[ENTERED] >= most:
            return SPENT
        if (
            4 * state[ENTERED] >= 3 * len(depth.seen)
            or at + 1 == len(depth.first)
            or state[LISTED] + _MOST_MOVES > len(depth.moves)
        ):
            return FULL
        state[LISTED] -= 1
        move = depth.moves[state[LISTED]]
        if _step(depth, at, rows, move):
            state[PATH] += 1
            state[ENTERED] += 1
            depth.path[at + 1] = move
            _list_moves(depth, at + 1, rows, onto_empty)
    return UNWINNABLE


def size_of(depth: Depth) -> int:
    """The number of bytes of a search."""
    own = (*depth.tables, depth.moves, depth.worth, depth.first, depth.path, depth.seen)
    return sum(array.nbytes for array in own)
