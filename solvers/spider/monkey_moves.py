"""Moves of the Monkey, by level.

Introduction to the Monkey Algorithm: a move is named by two columns, since at most one number of
cards fits onto a card, and onto an empty column the whole run goes. A run is not split onto an
empty column, and a whole column does not move to an empty one.

Improved Monkey Algorithm: a move *gains* if there are more connectors after it, those of completed
runs included, *keeps* if as many, and *breaks* if fewer. Level 1 takes any move; 2 any that does
not break; 3 those that gain, if there are any, else those that keep.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import lowest, popcount
from engine.kernels.decorators import search_kernel
from engine.kernels.rng import random_below
from engine.spider.board import top_of
from engine.spider.deal import COLUMNS

_RANKS = 13


@search_kernel
def choices(board, level, wants, targets):
    """Find the moves of a level.

    Args:
        board: of `engine.spider.board`.
        level: 1, 2 or 3.
        wants: int64[14], scratch.
        targets: int64[10], out: the columns that each column may move to, as bits.

    Returns:
        The number of moves.
    """
    for rank in range(_RANKS + 1):
        wants[rank] = 0
    suits = 0  # ten bits for each suit: the columns with a top card of the suit
    empty = 0
    for column in range(COLUMNS):
        size = board.size[column]
        if size == 0:
            empty |= 1 << column
        elif board.run[column] > 0:
            top = top_of(board, column)
            wants[top >> 2] |= 1 << column
            suits |= 1 << (COLUMNS * (top & 3) + column)
    gains = keeps = 0
    for column in range(COLUMNS):
        run = board.run[column]
        targets[column] = 0
        if run == 0:
            continue
        top = top_of(board, column)
        own = suits >> (COLUMNS * (top & 3))
        # A card of rank r goes onto one of rank r + 1.
        last = (top >> 2) + run
        onto_others = 0
        for rank in range((top >> 2) + 1, last):
            onto_others |= wants[rank]
        whole = wants[last]
        gain = whole & own
        keep = whole & ~own | (onto_others if level == 1 else onto_others & own)
        if board.size[column] > run:
            keep |= empty
        if level == 3:
            # The two kinds are kept apart until it is known whether any move gains.
            targets[column] = gain << COLUMNS | keep
            gains += popcount(gain)
            keeps += popcount(keep)
        else:
            targets[column] = gain | keep
            keeps += popcount(gain | keep)
    if level < 3:
        return keeps
    gaining = COLUMNS if gains > 0 else 0
    for column in range(COLUMNS):
        targets[column] = (targets[column] >> gaining) & ((1 << COLUMNS) - 1)
    return gains if gains > 0 else keeps


@search_kernel
def draw_level(level, percent, rng):
    """Level at which a move is chosen: 4 is 3 with a chance in percent, else 2."""
    if level < 4:
        return level
    return 3 if random_below(rng, 100) < percent else 2


@search_kernel
def draw_move(count, targets, rng):
    """A uniformly random one of `count` moves of `choices`: source and target."""
    left = random_below(rng, count)
    for source in range(COLUMNS):
        here = targets[source]
        number = popcount(here)
        if left < number:
            for _ in range(left):
                here &= here - 1
            return source, lowest(here)
        left -= number
    return -1, -1


@search_kernel
def cards_of(board, source, target):
    """Number of cards of the Monkey's move from a column to another."""
    if board.size[target] == 0:
        return board.run[source]
    return (top_of(board, target) >> 2) - (top_of(board, source) >> 2)
