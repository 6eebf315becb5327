"""Beam-search kernel of `spider-player`, which never sees the cards that it turns up.

A *beam* holds the best positions after a number of moves, at most `width` of them. All their moves
are tried, and the best of the resulting positions, without those that a beam has held before, are
the next beam. The evaluation of a position for the beam, its *guide*, has points for cards turned
up, connectors, completed runs, and for each run the square of its connectors. Each position also
has a random part, which keeps a beam diverse.

The final choice has another evaluation: of all positions met whose guide is above that of the
start, whether or not a beam had room for them, the one with the most points, where empty columns
count, too. If these guided the beam, it would not use them.

Moves are those of the Monkey that break no run (level 2 of `solvers.spider.monkey_moves`), and only
the first empty column is used.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import lowest
from engine.kernels.decorators import search_kernel
from engine.kernels.rng import random_below
from engine.spider.board import Board, copy_board, shift
from engine.spider.deal import CARDS, COLUMNS
from solvers.spider.beam_entries import MOVE, PARENT, SLOT, find, move_entry, rise, sink, was_held
from solvers.spider.beam_value import (
    P_EMPTY,
    P_NOISE,
    column_sum,
    empty_columns,
    gains,
    guide_of,
    mixed,
    shade,
    squares_of,
    sums_after,
)
from solvers.spider.monkey_game import code
from solvers.spider.monkey_moves import cards_of, choices
from solvers.spider.play import GOES_ON, NO_ROOM, parts, take_step

# Columns of the chosen position: its points, its number of moves less one, its worth to a beam, the
# node of its parent, and the last move.
CHOICE, LEVEL, WORTH, NODE, LAST = range(5)


class Beam(NamedTuple):
    """Workspace and settings of a search.

    points: int64[6], see `solvers.spider.beam_value`.
    width: maximal number of positions of a beam.
    moves: maximal number of moves of a sequence.
    boards: two alternating beams; each array of `Board` with [2, width] before its own axes.
    squares: int64[2, width]: of each board, the sum of its runs' connectors squared.
    sums: int64[2, width, 10]: of each column, see `mixed`.
    worth: int64[width]: of the next beam, a heap with the minimum at its root.
    entries: int64[width, 3]: parallel to worth, see PARENT.
    nodes: int64[…, 2]: the parent and the move of all positions that beams held.
    signatures, stamps: int64[2**k]: the table of positions met, and the time.
    clock: int64[1], the first stamp of the next search.
    mixes: int64[10], scratch: of each column of a position, see `mixed`.
    chosen: int64[5], see CHOICE.
    wants, targets: scratch of `choices`.
    best: int64[moves], the sequence chosen.
    """

    points: NDArray[np.int64]
    width: int
    moves: int
    boards: Board
    squares: NDArray[np.int64]
    sums: NDArray[np.int64]
    worth: NDArray[np.int64]
    entries: NDArray[np.int64]
    nodes: NDArray[np.int64]
    signatures: NDArray[np.int64]
    stamps: NDArray[np.int64]
    clock: NDArray[np.int64]
    mixes: NDArray[np.int64]
    chosen: NDArray[np.int64]
    wants: NDArray[np.int64]
    targets: NDArray[np.int64]
    best: NDArray[np.int64]


def new_beam(points: tuple[int, ...], width: int, moves: int) -> Beam:
    """Allocate a `Beam`."""

    def some(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    # Many more positions enter the next beam than stay in it.
    slots = 1 << (8 * width * min(moves, 32) + 64).bit_length()
    return Beam(
        np.array(points, dtype=np.int64),
        width,
        moves,
        Board(
            np.zeros((2, width, COLUMNS, CARDS), dtype=np.int8),
            some(2, width, COLUMNS),
            some(2, width, COLUMNS),
            some(2, width, COLUMNS),
            some(2, width, 4),
        ),
        some(2, width),
        some(2, width, COLUMNS),
        some(width),
        some(width, 3),
        some(width * moves + 1, 2),
        some(slots),
        some(slots),
        np.ones(1, dtype=np.int64),
        some(COLUMNS),
        some(5),
        some(14),
        some(COLUMNS),
        some(moves),
    )


def with_more_room(beam: Beam) -> Beam:
    """Double the size of the table."""
    slots = 2 * len(beam.stamps)
    return beam._replace(
        signatures=np.zeros(slots, dtype=np.int64), stamps=np.zeros(slots, dtype=np.int64)
    )


@search_kernel
def _board(beam, side, number):
    """A board of a beam."""
    boards = beam.boards
    return Board(
        boards.cards[side, number],
        boards.size[side, number],
        boards.down[side, number],
        boards.run[side, number],
        boards.meta[side, number],
    )


@search_kernel
def _sort(beam, held):
    """Sort the entries by worth, the best first."""
    heap, entries = beam.worth, beam.entries
    for last in range(held - 1, 0, -1):
        worth, parent, move, slot = (
            heap[last],
            entries[last, PARENT],
            entries[last, MOVE],
            entries[last, SLOT],
        )
        move_entry(beam, 0, last)
        sink(beam, worth, parent, move, slot, last)


@search_kernel
def _all_but_later_empty(board):
    """The columns without the empty ones after the first, as bits."""
    columns = 0
    empty = False
    for column in range(COLUMNS):
        if board.size[column] > 0 or not empty:
            columns |= 1 << column
        empty |= board.size[column] == 0
    return columns


@search_kernel
def _begin(board, beam, since):
    """Start a beam with one board; returns its guide."""
    copy_board(board, _board(beam, 0, 0))
    beam.squares[0, 0] = squares_of(board)
    signature = 0
    for column in range(COLUMNS):
        beam.sums[0, 0, column] = column_sum(board, column)
        signature += mixed(beam.sums[0, 0, column])
    slot = find(signature, beam, since)
    beam.signatures[slot], beam.stamps[slot] = signature, since
    beam.nodes[0, 0], beam.nodes[0, 1] = -1, 0
    beam.chosen[CHOICE] = -1
    return guide_of(board, beam.squares[0, 0], beam.points)


@search_kernel
def _choose(beam, choice, level, worth, parent, move):
    """Choose a position if it is better than the chosen one; of equals, the one with fewer moves.

    Of those with equal numbers of moves, the one of higher worth to a beam.
    """
    chosen = beam.chosen
    if choice > chosen[CHOICE] or (
        choice == chosen[CHOICE] and level == chosen[LEVEL] and worth > chosen[WORTH]
    ):
        chosen[CHOICE], chosen[LEVEL], chosen[WORTH] = choice, level, worth
        chosen[NODE], chosen[LAST] = parent, move


@search_kernel
def _offer(beam, side, number, first, level, root, since, salt, held):
    """Try all moves of a position of the beam for the next one.

    Args:
        beam: `Beam`.
        side: which of its two beams.
        number: index of the position.
        first: number of positions held before those of the beam.
        level: moves made so far.
        root: the guide of the start.
        since: the first stamp of the search.
        salt: salt of the random parts.
        held: positions in the next beam so far.

    Returns:
        The new number of positions in the next beam; −1 without room.
    """
    points = beam.points
    here = _board(beam, side, number)
    sums = beam.sums[side, number]
    now = since + 1 + 2 * level
    signature = 0
    for column in range(COLUMNS):
        beam.mixes[column] = mixed(sums[column])
        signature += beam.mixes[column]
    guide = guide_of(here, beam.squares[side, number], points)
    empties = empty_columns(here)
    choices(here, 2, beam.wants, beam.targets)
    useful = _all_but_later_empty(here)
    for source in range(COLUMNS):
        targets = beam.targets[source] & useful
        while targets != 0:
            target = lowest(targets)
            targets &= targets - 1
            cards = cards_of(here, source, target)
            move = code(source, target, cards)
            more, _, emptied = gains(here, source, target, cards, points)
            lower, upper = sums_after(here, sums, source, target, cards)
            after = signature + mixed(lower) + mixed(upper)
            after -= beam.mixes[source] + beam.mixes[target]
            worth = (guide + more << 32) + points[P_NOISE] * shade(after, salt)
            if guide + more > root:
                choice = guide + more + points[P_EMPTY] * (empties + emptied)
                _choose(beam, choice, level, worth, first + number, move)
            if held == beam.width and worth <= beam.worth[0]:
                continue
            slot = find(after, beam, since)
            if slot < 0:
                return -1
            stamp = beam.stamps[slot]
            if stamp == now or (stamp >= since and was_held(stamp, since)):
                continue
            beam.signatures[slot], beam.stamps[slot] = after, now
            if held < beam.width:
                rise(beam, worth, number, move, slot, held)
                held += 1
            else:
                sink(beam, worth, number, move, slot, held)
    return held


@search_kernel
def _advance(beam, side, held, first, total, now):
    """Make the next beam from its entries.

    Args:
        beam: `Beam`.
        side: which of its two beams is the current one.
        held: positions of the next beam.
        first: number of positions held before those of the current beam.
        total: number including them.
        now: the stamp of the entries.
    """
    _sort(beam, held)
    for number in range(held):
        parent, move = beam.entries[number, PARENT], beam.entries[number, MOVE]
        source, target, cards = parts(move)
        before, here = _board(beam, side, parent), _board(beam, 1 - side, number)
        _, squares, _ = gains(before, source, target, cards, beam.points)
        beam.squares[1 - side, number] = beam.squares[side, parent] + squares
        sums = beam.sums[1 - side, number]
        for column in range(COLUMNS):
            sums[column] = beam.sums[side, parent, column]
        sums[source], sums[target] = sums_after(before, sums, source, target, cards)
        copy_board(before, here)
        shift(here, source, target, cards)
        beam.nodes[total + number, 0], beam.nodes[total + number, 1] = first + parent, move
        beam.stamps[beam.entries[number, SLOT]] = now + 1


@search_kernel
def _trace(beam):
    """Write the sequence to the chosen position to `beam.best`; returns its number of moves."""
    if beam.chosen[CHOICE] < 0:
        return 0
    length = 1
    node = beam.chosen[NODE]
    while node > 0:
        length += 1
        node = beam.nodes[node, 0]
    node, move = beam.chosen[NODE], beam.chosen[LAST]
    for at in range(length - 1, -1, -1):
        beam.best[at] = move
        if node >= 0:
            node, move = beam.nodes[node, 0], beam.nodes[node, 1]
    return length


@search_kernel
def look(board, beam, rng):
    """Search from a board; `beam.best` begins with the chosen sequence.

    Returns:
        Its number of moves, 0 if nothing raises the guide, or −1 without room; the number of
        positions that beams held.
    """
    salt = random_below(rng, 1 << 31)
    since = beam.clock[0]
    beam.clock[0] += 2 * beam.moves + 2
    root = _begin(board, beam, since)
    side, first, count, total = 0, 0, 1, 1
    for level in range(beam.moves):
        held = 0
        for number in range(count):
            held = _offer(beam, side, number, first, level, root, since, salt, held)
            if held < 0:
                return -1, total
        if held == 0:
            break
        _advance(beam, side, held, first, total, since + 1 + 2 * level)
        side, first, count = 1 - side, total, held
        total += held
    return _trace(beam), total


@search_kernel
def play(deal, board, onto_empty, beam, rng, line):
    """Play a game from a position: a chosen sequence or a row at each step; see `take_step`.

    Args:
        deal: uint8[104] in flat order, as its cards count; only the croupier looks at it.
        board: of `engine.spider.board`.
        onto_empty: whether a row may be dealt while a column is empty.
        beam: `Beam`.
        rng: int64[2], state of the generator.
        line: int64[…], out: the moves.

    Returns:
        WON, LOST or NO_ROOM; the number of moves; the number of positions that beams held. NO_ROOM
        means the line, or with −1 moves the beam.
    """
    ended, length, positions = GOES_ON, 0, 0
    while ended == GOES_ON:
        count, held = look(board, beam, rng)
        positions += held
        if count < 0:
            return NO_ROOM, -1, positions
        ended, length = take_step(board, deal, onto_empty, beam.best, count, line, length)
    return ended, length, positions
