"""Complete search of Accordion: 52 piles, or the 18 of Late-Binding Solitaire.

A pile goes onto another at a given distance when their top cards meet. Only top cards matter, so a
position is the row of them. `docs/search/unfounded.md` proves what is left out: a position is dead
when the graph of the cards that meet is not connected [connected].
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cards import DECK, is_red, rank, suit
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.patience.rules import Options
from solvers.patience.attempts import Attempts, Piles, packed
from solvers.patience.table import (
    DEAD,
    DEPTH,
    FULL,
    HELD,
    NODES,
    OWN,
    RESTART,
    SEED,
    WON,
    probe_words,
    random_bits,
    save_words,
    sort_in,
)

# Of a longer row the moves that leave more moves are tried first.
_SCORED = 18
_CARDS_OF_WORD = 10
_PERIOD = 2000  # nodes of the first attempt


class RowWorkspace(NamedTuple):
    """A search of one deal.

    Attributes:
        meets: int64[52], the cards that a card meets, as a set.
        offsets: int64[m], how far to the right a pile goes; to the left below 0.
        rows: int64[n, n], the top cards at each depth.
        keys: int64[n, words], the key at each depth.
        moves_of, after, made: of each depth: its moves' first place and end, the move made.
        moves, scores: the moves of all depths: ``pile * 256 + pile it goes onto``.
        state: int64[OWN], the scalars.
    """

    meets: NDArray[np.int64]
    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    keys: NDArray[np.int64]
    moves_of: NDArray[np.int64]
    after: NDArray[np.int64]
    made: NDArray[np.int64]
    moves: NDArray[np.int64]
    scores: NDArray[np.int64]
    state: NDArray[np.int64]


@inlined_kernel
def _play(rows, depth, size, move):
    """Write the row after a move below it."""
    source, target = move >> 8, move & 255
    row, after = rows[depth], rows[depth + 1]
    for at in range(source):
        after[at] = row[at]
    for at in range(source + 1, size):
        after[at - 1] = row[at]
    after[target - (1 if target > source else 0)] = row[source]


@inlined_kernel
def _write_key(row, size, key):
    """Write the key of a row: ten cards a word."""
    at = 0
    for word in range(key.shape[0]):
        packed = 0
        for _ in range(_CARDS_OF_WORD):
            packed <<= 6
            if at < size:
                packed |= row[at] + 1
                at += 1
        key[word] = packed


@inlined_kernel
def _is_connected(meets, row, size):
    """Whether the graph of the cards that meet is connected [connected]."""
    present = 0
    for at in range(size):
        present |= 1 << row[at]
    reached = 1 << row[0]
    grown = True
    done = 0
    while grown:
        grown = False
        for at in range(size):
            bit = 1 << row[at]
            if reached & bit and not done & bit:
                done |= bit
                more = reached | meets[row[at]] & present
                if more == present:
                    return True
                if more != reached:
                    reached = more
                    grown = True
    return reached == present


@inlined_kernel
def _mobility(workspace, row, size):
    """The number of moves in a row."""
    meets, offsets = workspace.meets, workspace.offsets
    moves = 0
    for kind in range(offsets.shape[0]):
        offset = offsets[kind]
        for at in range(max(0, -offset), size - max(0, offset)):
            moves += meets[row[at]] >> row[at + offset] & 1
    return moves


@search_kernel
def _add_moves(depth, size, workspace):
    """Write the moves of a row in the order in which they are tried, the last first."""
    meets, offsets, rows = workspace.meets, workspace.offsets, workspace.rows
    moves, scores, state = workspace.moves, workspace.scores, workspace.state
    first = top = workspace.moves_of[depth]
    row = rows[depth]
    for at in range(size):
        for kind in range(offsets.shape[0]):
            target = at + offsets[kind]
            if 0 <= target < size and meets[row[at]] >> row[target] & 1:
                move = at << 8 | target
                score = 0
                if size > _SCORED:
                    _play(rows, depth, size, move)
                    score = 4 * _mobility(workspace, rows[depth + 1], size - 1)
                    if state[SEED] != 0:
                        score += random_bits(state) % 12
                elif state[SEED] != 0:
                    score = random_bits(state)
                sort_in(moves, scores, first, top, move, score)
                top += 1
    workspace.after[depth] = top


@search_kernel
def search(table, limit, size, workspace):
    """Attempts from the start, ``rows[0]`` of `size` cards.

    Returns:
        WON, with the moves in ``made[:DEPTH]``; DEAD; RESTART after `limit` nodes; FULL when the
        table has no room.
    """
    state, keys, rows = workspace.state, workspace.keys, workspace.rows
    words = keys.shape[1]
    room = table.shape[0] // words * 3 // 4
    depth = 0
    if size == 1:
        state[DEPTH] = 0
        return WON
    workspace.moves_of[0] = 0
    _write_key(rows[0], size, keys[0])
    _add_moves(0, size, workspace)
    while True:
        if workspace.after[depth] == workspace.moves_of[depth]:
            if state[HELD] >= room:
                return FULL
            save_words(table, keys[depth])
            state[HELD] += 1
            if depth == 0:
                return DEAD
            depth -= 1
            continue
        workspace.after[depth] -= 1
        move = workspace.moves[workspace.after[depth]]
        workspace.made[depth] = move
        left = size - depth - 1
        _play(rows, depth, left + 1, move)
        if left == 1:
            state[DEPTH] = depth + 1
            return WON
        state[NODES] += 1
        if state[NODES] >= limit:
            return RESTART
        if not _is_connected(workspace.meets, rows[depth + 1], left):
            continue
        _write_key(rows[depth + 1], left, keys[depth + 1])
        if probe_words(table, keys[depth + 1]):
            continue
        depth += 1
        workspace.moves_of[depth] = workspace.after[depth - 1]
        _add_moves(depth, left, workspace)


def plays(options: Options) -> bool:
    """Whether the search plays a ruleset: any of one row."""
    return options.accordion > 0


def begin(piles: Piles, options: Options) -> Attempts:
    """Prepare a search."""
    row = piles.row
    size = len(row)
    words = -(-size // _CARDS_OF_WORD)
    offsets = [(-1 if move[0] == "L" else 1) * int(move[1:]) for move in options.accordion_moves]
    rows = np.zeros((size + 1, size), dtype=np.int64)
    rows[0] = row
    moves = size * size * len(offsets)
    workspace = RowWorkspace(
        meets=_meetings(options.accordion_building),
        offsets=np.array(offsets, dtype=np.int64),
        rows=rows,
        keys=np.zeros((size + 1, words), dtype=np.int64),
        moves_of=np.zeros(size + 1, dtype=np.int64),
        after=np.zeros(size + 1, dtype=np.int64),
        made=np.zeros(size + 1, dtype=np.int64),
        moves=np.zeros(moves, dtype=np.int64),
        scores=np.zeros(moves, dtype=np.int64),
        state=np.zeros(OWN, dtype=np.int64),
    )

    def attempt(table: NDArray[np.int64], limit: int, _budget: int) -> int:
        status: int = search(table, limit, size, workspace)
        return status

    def moves_made() -> bytes:
        made = workspace.made[: workspace.state[DEPTH]].tolist()
        return packed((move >> 8, move & 255) for move in made)

    return Attempts(workspace.state, words, attempt, moves_made, _PERIOD)


@lru_cache(maxsize=64)
def _meetings(building: tuple[str, ...]) -> NDArray[np.int64]:
    """The cards that each card meets, as sets: int64[52]."""
    meets = {
        "same-rank": lambda one, other: rank(one) == rank(other),
        "same-suit": lambda one, other: suit(one) == suit(other),
        "red-black": lambda one, other: is_red(one) != is_red(other),
        "any-suit": lambda one, other: True,
    }
    return np.array(
        [
            sum(1 << other for other in DECK if any(meets[by](card, other) for by in building))
            for card in DECK
        ],
        dtype=np.int64,
    )
