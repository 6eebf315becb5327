"""Bound on `yan-rollout`: positions that no random choices can win, whose simulation is skipped.

A *stray* is a move that the heuristic h of Yan et al. (2004) would not make: one that is not among
the best by score and priority. A simulation of the strategy after j rollouts, h⁽ʲ⁾, follows h
except for the moves that it tries: one by itself, the next by the strategy h⁽ʲ⁻¹⁾ that it then
simulates, and so on. A line by which h⁽ʲ⁾ wins therefore has at most j strays:

    h⁽⁰⁾ is h and has none. h⁽ʲ⁾ wins by following h for a while, trying one move and winning by
    h⁽ⁱ⁾ with i < j from there, which by induction adds at most i ≤ j − 1 strays; or by following
    h all the way.

So if no line with at most j strays wins, h⁽ʲ⁾ loses with any random choices, and its simulation can
be skipped. `can_win` decides this for all random choices at once by depth-first search, in which
the moves that h might choose cost nothing and every other move costs a stray. A transposition table
keeps bounds for each position: a number of strays that is necessary and one that is sufficient.
Lines without strays never return to a position: no card leaves a foundation, no king goes from one
empty column to another, and a redeal is legal only once a card has moved (which is part of the
position here). So the search ends.

The key of a position has 63 bits (Zobrist hashing). Columns have no order in it, as h and the rules
depend only on the contents of columns. It combines random numbers for each card that has left its
place: for the foundation, for an empty column, or for which of the two cards it can lie on; for the
size of the waste; and for whether a card has moved since the last redeal. The face-down cards
follow from these. The table compares 57 bits of a key. The chance of a collision is about 1 in ten
million over a mean deal of three iterations (50,000 positions), and 1 in a hundred over the
largest that was met (24 million, at five); at worst it costs a simulation that might have won.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.klondike.flat import (
    COLUMN,
    DEPTH,
    DOWN,
    DOWN_FROM,
    DRAW,
    HEIGHT,
    MOVES,
    PLAYED,
    POSITION,
    REDEAL,
    RUN,
    SIZE,
    STOCK,
    TURN,
    UNPLAYED,
    UP,
    WASTE,
    WASTE_DOWN,
    WASTE_UP,
)
from engine.klondike.whole_runs import is_won, legal_moves, play, run_card, top_card
from solvers.klondike.yan.heuristic import LONGEST, favourites

# More strays than this are never searched, and 7 in an entry means "unknown".
MOST_STRAYS = 5
_UNKNOWN = 7

# A line of the heuristic, then a stray and another line, and so on.
_ROWS = (MOST_STRAYS + 1) * LONGEST

# Bits of the table's size, at first and at most (128 MiB, beside a quarter of that, the old table).
_SMALLEST = 12
_LARGEST = 24
_BUCKET = 8  # entries of a bucket: a line of the cache

_KING = 12


def _random_numbers() -> NDArray[np.int64]:
    """The 63-bit numbers of the keys, by splitmix64 (Steele, Lea, Flood 2014)."""
    state, numbers = 2004, []
    for _ in range(4 * 52 + 25 + 1):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        numbers.append((mixed ^ mixed >> 31) >> 1)
    return np.array(numbers, dtype=np.int64)


# Offset of each kind of number: by card for the first four, then by size of the waste.
_RISEN = 0
_ON_FLOOR = 52
_ON_CARD = 104  # + 52 for a card of spades or hearts
_WASTE = 208
_SINCE_REDEAL = 233
_NUMBERS = _random_numbers()

# Columns of `ReachWorkspace.counts`.
_HALF, _BITS, _USED, ENTERED = range(4)


class ReachWorkspace(NamedTuple):
    """Workspace of a search, with the transposition table of one deal.

    table: int64[2, 2 ** _LARGEST]; one of the two in use, the other to grow into.
    counts: int64[4]: which of the two, bits of its size, entries in use, positions entered.
    positions: [_ROWS, POSITION], those of the current line.
    keys: int64[_ROWS].
    frames: int64[_ROWS, 4]: strays left, next move, moves, number of them that the heuristic makes.
    moves: int64[_ROWS, MOVES].
    scratch: int64[MOVES].
    """

    table: NDArray[np.int64]
    counts: NDArray[np.int64]
    positions: NDArray[np.int64]
    keys: NDArray[np.int64]
    frames: NDArray[np.int64]
    moves: NDArray[np.int64]
    scratch: NDArray[np.int64]


def new_reach_workspace() -> ReachWorkspace:
    """Allocate a workspace; its pages cost nothing until they are first touched."""
    return ReachWorkspace(
        np.zeros((2, 1 << _LARGEST), dtype=np.int64),
        np.zeros(4, dtype=np.int64),
        np.zeros((_ROWS, POSITION), dtype=np.int64),
        np.zeros(_ROWS, dtype=np.int64),
        np.zeros((_ROWS, 4), dtype=np.int64),
        np.zeros((_ROWS, MOVES), dtype=np.int64),
        np.zeros(MOVES, dtype=np.int64),
    )


@search_kernel
def clear_table(work):
    """Empty the table, for another deal."""
    work.counts[:] = 0
    work.counts[_BITS] = _SMALLEST
    for slot in range(1 << _SMALLEST):
        work.table[0, slot] = 0


@inlined_kernel
def copy(position, other):
    """Copy a position to another."""
    for at in range(POSITION):
        other[at] = position[at]


@search_kernel
def tries(position, reading, moves):
    """Write the moves that a rollout tries to moves, in byte order; returns their number.

    These are the legal moves without those of a king from one empty column to another and without
    a redeal that loses; see `solvers.klondike.yan.rollout`.
    """
    tried = 0
    for at in range(legal_moves(position, moves)):
        move = moves[at]
        if move == REDEAL and position[PLAYED] == 0:
            continue
        if DOWN_FROM <= move < RUN and not reading.tries_down:
            continue
        if move >= RUN:
            source = (move - RUN) // 7
            if position[DOWN + source] == 0 and run_card(position, source) >> 2 == _KING:
                continue
        moves[tried] = move
        tried += 1
    return tried


@search_kernel
def can_win(position, key, strays, reading, work):
    """Whether a position can be won with at most a number of strays."""
    needed, enough = _known(work, key)
    while needed <= strays:
        if enough <= strays:
            return True
        copy(position, work.positions[0])
        work.keys[0] = key
        if _search(needed, reading, work):
            return True
        needed += 1
    return False


@search_kernel
def _search(strays, reading, work):
    """`can_win` for the position in row 0; saves the bounds of each position on its way."""
    frames = work.frames
    row = 0
    _open(0, strays, reading, work)
    while row >= 0:
        left, at, count = frames[row, 0], frames[row, 1], frames[row, 2]
        if at == count:
            _note(work, work.keys[row], left + 1, _UNKNOWN)
            row -= 1
            continue
        frames[row, 1] = at + 1
        if at >= frames[row, 3]:
            left -= 1
        position = work.positions[row]
        move = work.moves[row, at]
        key = key_after(position, work.keys[row], move)
        needed, enough = _known(work, key)
        if needed > left:
            continue
        if enough > left:
            follower = work.positions[row + 1]
            copy(position, follower)
            play(follower, move)
            if not is_won(follower):
                row += 1
                work.keys[row] = key
                _open(row, left, reading, work)
                continue
        for above in range(row + 1):
            _note(work, work.keys[above], 0, frames[above, 0])
        return True
    return False


@search_kernel
def _open(row, strays, reading, work):
    """Prepare the moves of a row: those of the heuristic, then all others if strays are left."""
    position = work.positions[row]
    moves = work.moves[row]
    count = 0
    for at in range(favourites(position, reading, work.scratch)):
        move = work.scratch[at]
        if move != REDEAL or position[PLAYED] == 1:
            moves[count] = move
            count += 1
    best = count
    if strays > 0:
        for at in range(tries(position, reading, work.scratch)):
            move = work.scratch[at]
            new = True
            for other in range(best):
                if moves[other] == move:
                    new = False
            if new:
                moves[count] = move
                count += 1
    frame = work.frames[row]
    frame[0] = strays
    frame[1] = 0
    frame[2] = count
    frame[3] = best
    work.counts[ENTERED] += 1


@search_kernel
def start_key(position):
    """The key of a starting deal, relative to which `key_after` works."""
    card = top_card(position, 0)
    return _NUMBERS[_WASTE] ^ (_NUMBERS[_ON_FLOOR + card] if card >> 2 == _KING else 0)


@search_kernel
def key_after(position, key, move):
    """The key after a legal move from a position with this key."""
    waste = position[WASTE]
    if move == TURN:
        turned = min(waste + position[DRAW], position[UNPLAYED])
        return key ^ _NUMBERS[_WASTE + waste] ^ _NUMBERS[_WASTE + turned]
    if move == REDEAL:
        if position[PLAYED] == 1:
            key ^= _NUMBERS[_SINCE_REDEAL]
        return key ^ _NUMBERS[_WASTE + waste] ^ _NUMBERS[_WASTE]
    if position[PLAYED] == 0:
        key ^= _NUMBERS[_SINCE_REDEAL]
    if move < UP:
        card = position[STOCK + waste - 1]
        key ^= _NUMBERS[_WASTE + waste] ^ _NUMBERS[_WASTE + waste - 1]
        if move == WASTE_UP:
            return key ^ _NUMBERS[_RISEN + card]
        return key ^ _landing(position, move - WASTE_DOWN, card)
    if move < DOWN_FROM:
        column = move - UP
        at = position[SIZE + column] - 1
        return (
            key
            ^ _lying(position, column, at)
            ^ _NUMBERS[_RISEN + position[COLUMN + DEPTH * column + at]]
        )
    if move < RUN:
        suit = (move - DOWN_FROM) // 7
        card = 4 * (position[HEIGHT + suit] - 1) + suit
        return key ^ _NUMBERS[_RISEN + card] ^ _landing(position, (move - DOWN_FROM) % 7, card)
    source = (move - RUN) // 7
    target = (move - RUN) % 7
    at = position[DOWN + source]
    card = position[COLUMN + DEPTH * source + at]
    return key ^ _lying(position, source, at) ^ _landing(position, target, card)


@inlined_kernel
def _landing(position, column, card):
    """The number of a card, or of the lowest of a run, that is laid on a column."""
    if position[SIZE + column] == 0:
        return _NUMBERS[_ON_FLOOR + card]
    return _NUMBERS[_ON_CARD + 52 * (top_card(position, column) >> 1 & 1) + card]


@inlined_kernel
def _lying(position, column, at):
    """The number of a face-up card that leaves its column, with the change below it."""
    place = COLUMN + DEPTH * column + at
    card = position[place]
    down = position[DOWN + column]
    if at > down:
        return _NUMBERS[_ON_CARD + 52 * (position[place - 1] >> 1 & 1) + card]
    if down == 0:
        # A king dealt to the bottom is equivalent to one that moved there.
        return _NUMBERS[_ON_FLOOR + card] if card >> 2 == _KING else 0
    if down == 1 and position[place - 1] >> 2 == _KING:
        return _NUMBERS[_ON_FLOOR + position[place - 1]]
    return 0


@inlined_kernel
def _slot(table, half, mask, key):
    """Slot of a key in the table, or −1."""
    bucket = (key >> 6) & mask & -_BUCKET
    for slot in range(bucket, bucket + _BUCKET):
        if (table[half, slot] ^ key) >> 6 == 0:
            return slot
    return -1


@search_kernel
def _known(work, key):
    """Probe the table: the necessary and the sufficient number of strays of a position."""
    half = work.counts[_HALF]
    slot = _slot(work.table, half, (1 << work.counts[_BITS]) - 1, key)
    if slot < 0:
        return 0, _UNKNOWN
    entry = work.table[half, slot]
    return entry & 7, entry >> 3 & 7


@search_kernel
def _note(work, key, needed, enough):
    """Save the bounds of a position in the table."""
    half = work.counts[_HALF]
    mask = (1 << work.counts[_BITS]) - 1
    slot = _slot(work.table, half, mask, key)
    if slot >= 0:
        entry = work.table[half, slot]
        needed = max(needed, entry & 7)
        enough = min(enough, entry >> 3 & 7)
    else:
        slot = _free_slot(work.table, half, mask, key)
        if work.table[half, slot] == 0:
            work.counts[_USED] += 1
    work.table[half, slot] = (key & -64) | enough << 3 | needed
    if 2 * work.counts[_USED] > mask and work.counts[_BITS] < _LARGEST:
        _grow(work)


@inlined_kernel
def _free_slot(table, half, mask, key):
    """Slot for a new key: an empty one of its bucket, or one to overwrite."""
    bucket = (key >> 6) & mask & -_BUCKET
    for slot in range(bucket, bucket + _BUCKET):
        if table[half, slot] == 0:
            return slot
    return bucket + (key >> 50) % _BUCKET


@search_kernel
def _grow(work):
    """Move all entries to a table four times as large."""
    old = work.counts[_HALF]
    new = 1 - old
    size = 1 << work.counts[_BITS]
    work.counts[_HALF] = new
    work.counts[_BITS] += 2
    work.counts[_USED] = 0
    for slot in range(4 * size):
        work.table[new, slot] = 0
    for at in range(size):
        entry = work.table[old, at]
        if entry != 0:
            slot = _free_slot(work.table, new, 4 * size - 1, entry)
            if work.table[new, slot] == 0:
                work.counts[_USED] += 1
            work.table[new, slot] = entry
