"""Beam search of Gaps where no row has its suit: finds most wins before the complete search begins.

Every layer holds positions after as many moves, the best of all that follow from the layer before:
those with the most cards in their last places and the most pairs of neighbours in order. It proves
nothing: a layer has no room for all positions, and takes two with the same hash for one.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.kernels.filling import fill
from solvers.patience.gaps_relaxation import freedom
from solvers.patience.table import DEPTH, NODES, RESTART, WON

LAYERS = 300
_MOST_MOVES = 16
_HASHES = 256  # slots of hashes for each position of a layer
_HOME, _PAIR, _TIES = 16, 8, 8
_SCORES = 48 * (_HOME + _PAIR) + _TIES


class GapsBeam(NamedTuple):
    """Memory of a beam search of a width.

    Attributes:
        where, next_where: int8[width, 4 · ranks], the place of each card.
        gaps, next_gaps: int8[width, 4], the gaps.
        hashes, next_hashes: int64[width], hashes of the positions.
        numbers: int64[4 · ranks, 4 · ranks], the random number of each card at each place.
        seen: int64[2ⁿ], the hashes of all positions.
        parents, moves, scores, keys: int64[16 · width], what follows from a layer.
        line_parents, line_moves: int32[LAYERS, width], how each position was reached.
        histogram: int64[scores], positions of each score.
    """

    where: NDArray[np.int8]
    next_where: NDArray[np.int8]
    gaps: NDArray[np.int8]
    next_gaps: NDArray[np.int8]
    hashes: NDArray[np.int64]
    next_hashes: NDArray[np.int64]
    numbers: NDArray[np.int64]
    seen: NDArray[np.int64]
    parents: NDArray[np.int64]
    moves: NDArray[np.int64]
    scores: NDArray[np.int64]
    keys: NDArray[np.int64]
    line_parents: NDArray[np.int32]
    line_moves: NDArray[np.int32]
    histogram: NDArray[np.int64]


def new_beam(width: int, cards: int) -> GapsBeam:
    """Memory of a beam of a width."""
    slots = 1 << (_HASHES * width - 1).bit_length()
    follow = width * _MOST_MOVES
    numbers = np.random.default_rng(1).integers(1, 1 << 62, (cards, cards), dtype=np.int64)
    return GapsBeam(
        where=np.zeros((width, cards), dtype=np.int8),
        next_where=np.zeros((width, cards), dtype=np.int8),
        gaps=np.zeros((width, 4), dtype=np.int8),
        next_gaps=np.zeros((width, 4), dtype=np.int8),
        hashes=np.zeros(width, dtype=np.int64),
        next_hashes=np.zeros(width, dtype=np.int64),
        numbers=numbers,
        seen=np.zeros(slots, dtype=np.int64),
        parents=np.zeros(follow, dtype=np.int64),
        moves=np.zeros(follow, dtype=np.int64),
        scores=np.zeros(follow, dtype=np.int64),
        keys=np.zeros(follow, dtype=np.int64),
        line_parents=np.zeros((LAYERS, width), dtype=np.int32),
        line_moves=np.zeros((LAYERS, width), dtype=np.int32),
        histogram=np.zeros(_SCORES, dtype=np.int64),
    )


@inlined_kernel
def _is_new(seen, key):
    """Whether a hash was not seen before; it is now."""
    last = seen.shape[0] - 1
    slot = (key ^ key >> 31) & last
    while seen[slot] != 0:
        if seen[slot] == key:
            return False
        slot = slot + 1 & last
    seen[slot] = key
    return True


@inlined_kernel
def _score(card_at, ranks, key):
    """The score of a position, or -1 of a win."""
    home = pairs = 0
    for row in range(4):
        first = row * ranks
        is_home = True
        for place in range(first, first + ranks - 1):
            card = card_at[place]
            if place == first:
                is_home = 4 <= card < 8
            elif card >= 4 and card_at[place - 1] == card - 4:
                pairs += 1
            else:
                is_home = False
            home += is_home
    if home == 4 * (ranks - 1):
        return -1  # a win
    return _HOME * home + _PAIR * pairs + key % _TIES


@search_kernel
def _follow(count, ranks, starts, where, gaps, card_at, beam, state):
    """Write all new positions that follow from a layer; return their number, or -1 of a win.

    A win is written to place 0. `where`, `gaps` and `card_at` are of one position.
    """
    fill(beam.histogram, 0)
    cards = 4 * ranks
    top = 0
    for parent in range(count):
        fill(card_at, -1)
        for card in range(4, cards):
            where[card] = beam.where[parent, card]
            card_at[where[card]] = card
        for number in range(4):
            gaps[number] = beam.gaps[parent, number]
        for number in range(4):
            gap = gaps[number]
            low, high = 4, 8
            if gap % ranks > 0:
                low = card_at[gap - 1] + 4
                high = low + 1
                if low < 4 or high > cards:
                    continue
            for card in range(low, high):
                source = where[card]
                numbers = beam.numbers[card]
                key = beam.hashes[parent] ^ numbers[source] ^ numbers[gap]
                if not _is_new(beam.seen, key):
                    continue
                state[NODES] += 1
                where[card], gaps[number] = gap, source
                card_at[gap], card_at[source] = card, -1
                score = _score(card_at, ranks, key)
                if score < 0:
                    top = 0
                if score < 0 or freedom(where, gaps, starts, ranks) >= 0:
                    beam.parents[top] = parent
                    beam.moves[top] = card << 8 | number
                    beam.keys[top] = key
                    beam.scores[top] = score
                    if score < 0:
                        return -1
                    beam.histogram[score] += 1
                    top += 1
                where[card], gaps[number] = source, gap
                card_at[gap], card_at[source] = -1, card
    return top


@search_kernel
def _keep(layer, top, beam):
    """Make the best of what follows from a layer the next one; return their number."""
    width = beam.where.shape[0]
    lowest, kept = beam.histogram.shape[0] - 1, 0
    while lowest > 0 and kept + beam.histogram[lowest] <= width:
        kept += beam.histogram[lowest]
        lowest -= 1
    # Of the lowest score that is kept there may be too many.
    spare, count = width - kept, 0
    for at in range(top):
        score = beam.scores[at]
        if score < lowest or (score == lowest and spare == 0):
            continue
        if score == lowest:
            spare -= 1
        parent, card, number = beam.parents[at], beam.moves[at] >> 8, beam.moves[at] & 255
        for other in range(beam.where.shape[1]):
            beam.next_where[count, other] = beam.where[parent, other]
        for other in range(4):
            beam.next_gaps[count, other] = beam.gaps[parent, other]
        beam.next_gaps[count, number] = beam.where[parent, card]
        beam.next_where[count, card] = beam.gaps[parent, number]
        beam.next_hashes[count] = beam.keys[at]
        beam.line_parents[layer, count] = parent
        beam.line_moves[layer, count] = beam.moves[at]
        count += 1
    for at in range(count):
        for other in range(beam.where.shape[1]):
            beam.where[at, other] = beam.next_where[at, other]
        for other in range(4):
            beam.gaps[at, other] = beam.next_gaps[at, other]
        beam.hashes[at] = beam.next_hashes[at]
    return count


@search_kernel
def search_beam(limit, ranks, starts, where, gaps, card_at, made, beam, state):
    """Search from a position; its arrays are changed.

    Returns:
        WON, with the moves in ``made[:DEPTH]``, or RESTART when it found no win.
    """
    for card in range(4 * ranks):
        beam.where[0, card] = where[card]
    for number in range(4):
        beam.gaps[0, number] = gaps[number]
    beam.hashes[0] = 1
    status, count, layer = RESTART, 1, 0
    room = beam.seen.shape[0] * 3 // 4 - beam.parents.shape[0]
    limit = min(limit, state[NODES] + room)
    while layer < LAYERS and count > 0 and state[NODES] < limit:
        top = _follow(count, ranks, starts, where, gaps, card_at, beam, state)
        if top < 0:
            status = WON
            move, at = beam.moves[0], beam.parents[0]
            state[DEPTH] = layer + 1
            while layer >= 0:
                made[layer] = move
                layer -= 1
                if layer >= 0:
                    move, at = beam.line_moves[layer, at], beam.line_parents[layer, at]
            break
        count = _keep(layer, top, beam)
        layer += 1
    return status
