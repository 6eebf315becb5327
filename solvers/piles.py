"""Small kernels on the piles of a flat position, for rules where any part of a run may move.

The layout is that of `engine.whole_runs`; which cards lie face down is not looked at here.
"""

# Kernels carry no annotations.
# mypy: allow-untyped-defs, allow-untyped-calls

from numba import njit

from engine.whole_runs import COLUMN, DEPTH, DRAW, REDEAL, SIZE, STOCK, TURN, UNPLAYED, WASTE

NOWHERE = -1


@njit(cache=True, nogil=True)
def find_columns(piles, column_of):
    """Write the column of each card to int64[52], NOWHERE for cards that lie in none."""
    column_of[:] = NOWHERE
    for column in range(7):
        for at in range(piles[SIZE + column]):
            column_of[piles[COLUMN + DEPTH * column + at]] = column


@njit(cache=True, nogil=True)
def turn_to(piles, card, moves, count):
    """Turn the stock, and the waste over if need be, until the waste shows a card.

    Writes the turns to moves uint8[…] from `count` on; returns the new count, or -1 if the card
    never shows.
    """
    redeals = 0
    while piles[WASTE] == 0 or piles[STOCK + piles[WASTE] - 1] != card:
        if piles[WASTE] == piles[UNPLAYED]:
            redeals += 1
            if redeals == 2:
                return -1
            piles[WASTE] = 0
            moves[count] = REDEAL
            count += 1
        piles[WASTE] = min(piles[WASTE] + piles[DRAW], piles[UNPLAYED])
        moves[count] = TURN
        count += 1
    return count


@njit(cache=True, nogil=True)
def take_from_waste(piles):
    """Take the card that the waste shows; returns it."""
    card = piles[STOCK + piles[WASTE] - 1]
    for at in range(piles[WASTE], piles[UNPLAYED]):
        piles[STOCK + at - 1] = piles[STOCK + at]
    piles[WASTE] -= 1
    piles[UNPLAYED] -= 1
    return card


@njit(cache=True, nogil=True)
def level_of(piles, column, card):
    """How many cards of the column lie under a card of it."""
    level = piles[SIZE + column] - 1
    while piles[COLUMN + DEPTH * column + level] != card:
        level -= 1
    return level


@njit(cache=True, nogil=True)
def lay(piles, column, card, column_of):
    """Put a card on a column."""
    piles[COLUMN + DEPTH * column + piles[SIZE + column]] = card
    piles[SIZE + column] += 1
    column_of[card] = column


@njit(cache=True, nogil=True)
def shift(piles, source, level, target, column_of):
    """Move the cards of column `source` from `level` upwards to column `target`."""
    size = piles[SIZE + target]
    for at in range(level, piles[SIZE + source]):
        card = piles[COLUMN + DEPTH * source + at]
        piles[COLUMN + DEPTH * target + size] = card
        column_of[card] = target
        size += 1
    piles[SIZE + target] = size
    piles[SIZE + source] = level
