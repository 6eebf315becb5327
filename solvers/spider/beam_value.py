"""Evaluation and signatures of Spider positions for a beam search.

Positions are compared by their signatures (see `mixed`), which collide with a chance of about one
in 2**57, but for columns that hold the same cards at levels of the same sums, such as A B B A and
B A A B: to a player these are one. The signature of a column without face-down cards depends on its
cards alone.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from engine.kernels.decorators import search_kernel
from engine.kernels.rng import mix_bits
from engine.spider.board import COMPLETED, CONNECTORS, TURNED, WHOLE_RUN, card_at, top_of
from engine.spider.deal import COLUMNS

# Points: for a card turned up, a connector, a completed run, the square of a run's connectors; for
# an empty column, in the final choice only; and the range of the random part.
P_TURNED, P_CONNECTOR, P_GONE, P_SQUARE, P_EMPTY, P_NOISE = range(6)

LOW_BITS = (1 << 32) - 1
# Random numbers of 46 bits for cards and, from 52 on, for columns with face-down cards.
KEYS = np.random.default_rng(20_261_121).integers(1, 1 << 46, 52 + COLUMNS)


@search_kernel
def _key(card, level):
    """Term of a card at a level of its column in the column's sum, less than 2**54."""
    return KEYS[card] * (2 * level + 1)


@search_kernel
def mixed(total):
    """Hash of the face-up cards of a column, 58 bits.

    `total` is the sum of its cards' keys, each times an odd number for its place, and the key of
    the column if cards lie face down in it. A position's signature is the sum over columns.
    """
    low = mix_bits((total & LOW_BITS) ^ 0x2545F491)
    high = mix_bits((total >> 32) ^ low)
    low = mix_bits(low ^ (high >> 7))
    return (high & 0x3FFFFFF) << 32 | low


@search_kernel
def shade(signature, salt):
    """Random part of a position, 32 bits."""
    return mix_bits(mix_bits((signature & LOW_BITS) ^ salt) ^ (signature >> 32))


@search_kernel
def column_sum(board, column):
    """The sum of a column, see `mixed`."""
    total = 0
    if board.down[column] > 0:
        total = KEYS[52 + column]
    for level in range(board.down[column], board.size[column]):
        total += _key(card_at(board, column, level), level)
    return total


@search_kernel
def squares_of(board):
    """Sum over runs of their connectors squared."""
    total = 0
    for column in range(COLUMNS):
        length = 0
        for level in range(board.down[column], board.size[column]):
            if (
                length > 0
                and card_at(board, column, level - 1) == card_at(board, column, level) + 4
            ):
                length += 1
            else:
                length = 1
            # (n − 1)² as the sum of the first n − 1 odd numbers.
            if length > 1:
                total += 2 * length - 3
    return total


@search_kernel
def guide_of(board, squares, points):
    """Guide of a board: its points for the beam."""
    meta = board.meta
    return (
        points[P_TURNED] * meta[TURNED]
        + points[P_CONNECTOR] * meta[CONNECTORS]
        + points[P_GONE] * meta[COMPLETED]
        + points[P_SQUARE] * squares
    )


@search_kernel
def empty_columns(board):
    """Number of empty columns."""
    count = 0
    for column in range(COLUMNS):
        count += board.size[column] == 0
    return count


@search_kernel
def _square(run):
    """Square of the connectors of a run."""
    return (run - 1) * (run - 1)


@search_kernel
def _blocks(board, column, left):
    """Whether a column is blocked once a number of its cards are left."""
    return left > 0 and left == board.down[column]


@search_kernel
def gains(board, source, target, cards, points):
    """Changes by a move: of the guide, the squares, and the number of empty columns."""
    run, onto, size = board.run[source], board.run[target], board.size[target]
    left = board.size[source] - cards
    joins = size > 0 and top_of(board, target) == card_at(board, source, left) + 4
    turned = 0
    connectors = 0
    gone = 0
    squares = -_square(run)
    empty = 0
    if cards < run:
        connectors -= 1
        squares += _square(run - cards)
    else:
        turned += _blocks(board, source, left)
        empty += left == 0
    empty -= size == 0
    length = cards
    if joins:
        connectors += 1
        squares -= _square(onto)
        length += onto
    if length == WHOLE_RUN:
        connectors -= WHOLE_RUN - 1
        gone = 1
        turned += _blocks(board, target, size - onto)
        empty += size == onto
    else:
        squares += _square(length)
    guide = (
        points[P_TURNED] * turned
        + points[P_CONNECTOR] * connectors
        + points[P_GONE] * gone
        + points[P_SQUARE] * squares
    )
    return guide, squares, empty


@search_kernel
def sums_after(board, sums, source, target, cards):
    """The sums of source and target after a move."""
    size, left = board.size[target], board.size[source] - cards
    lower, upper = sums[source], sums[target]
    top = card_at(board, source, left)
    onto = board.run[target]
    if size > 0 and onto + cards == WHOLE_RUN and top_of(board, target) == top + 4:
        for level in range(size - onto, size):
            upper -= _key(card_at(board, target, level), level)
        for at in range(cards):
            lower -= _key(card_at(board, source, left + at), left + at)
        return lower, upper
    for at in range(cards):
        card = card_at(board, source, left + at)
        lower -= _key(card, left + at)
        upper += _key(card, size + at)
    return lower, upper
