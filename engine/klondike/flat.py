"""Flat positions: a position of Klondike as one array of piles, and small kernels on it.

A search copies a position by copying the array. DOWN counts the face-down cards; kernels here that
ignore it serve rules under which any part of a run may move.

A position is int64[POSITION]:

| where            | what                                                              |
|------------------|-------------------------------------------------------------------|
| DRAW             | cards turned at once                                              |
| UNPLAYED         | n, how many cards stock and waste hold together                   |
| WASTE            | w, how many of them are in the waste                              |
| PLAYED           | 1 if a card has moved since the last redeal (or the start), else 0 |
| HEIGHT + suit    | cards on the foundation of the suit                               |
| DOWN + column    | face-down cards of the column                                     |
| SIZE + column    | all cards of the column                                           |
| STOCK + i        | waste from its bottom (i < w), then stock, next card first (i < n) |
| COLUMN + 19·column + i | card i of the column from the bottom                        |

Moves are the bytes of `engine.klondike.moves`.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.kernels.filling import fill

if TYPE_CHECKING:
    from engine.klondike.referee import KlondikePosition

DRAW = 0
UNPLAYED = 1
WASTE = 2
PLAYED = 3
HEIGHT = 4
DOWN = 8
SIZE = 15
STOCK = 22
COLUMN = 46
DEPTH = 19  # six face-down cards and a run from king to ace
POSITION = COLUMN + 7 * DEPTH

# The bytes of `engine.klondike.moves`: the first of each kind.
TURN = 0
REDEAL = 1
WASTE_UP = 2
WASTE_DOWN = 3
UP = 10
DOWN_FROM = 17
RUN = 45
MOVES = 94

NOWHERE = -1


def new_position() -> np.ndarray:
    """Allocate a position for `set_up`: int64[POSITION]."""
    return np.zeros(POSITION, dtype=np.int64)


def flatten(position: "KlondikePosition", flat: NDArray[np.int64]) -> None:
    """Write a position to flat int64[POSITION]."""
    row = [0] * POSITION
    row[DRAW] = position.rules.draw
    talon = position.waste + position.stock
    row[UNPLAYED] = len(talon)
    row[WASTE] = len(position.waste)
    row[HEIGHT : HEIGHT + 4] = position.foundations
    row[STOCK : STOCK + len(talon)] = talon
    for column, (down, up) in enumerate(zip(position.down, position.up, strict=True)):
        row[DOWN + column] = len(down)
        row[SIZE + column] = len(down) + len(up)
        bottom = COLUMN + DEPTH * column
        row[bottom : bottom + len(down) + len(up)] = down + up
    flat[:] = row


@search_kernel
def set_up(cards, draw, position):
    """Set position int64[POSITION] to the start of a deal uint8[52] in flat order."""
    fill(position, 0)
    position[DRAW] = draw
    position[UNPLAYED] = 24
    place = 0
    for column in range(7):
        for at in range(column + 1):
            position[COLUMN + DEPTH * column + at] = cards[place]
            place += 1
        position[DOWN + column] = column
        position[SIZE + column] = column + 1
    for at in range(24):
        position[STOCK + at] = cards[28 + at]


@search_kernel
def find_columns(piles, column_of):
    """Write the column of each card to int64[52], NOWHERE for cards that lie in none."""
    fill(column_of, NOWHERE)
    for column in range(7):
        for at in range(piles[SIZE + column]):
            column_of[piles[COLUMN + DEPTH * column + at]] = column


@search_kernel
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


@search_kernel
def take_from_waste(piles):
    """Remove the top card of the waste and return it."""
    card = piles[STOCK + piles[WASTE] - 1]
    for at in range(piles[WASTE], piles[UNPLAYED]):
        piles[STOCK + at - 1] = piles[STOCK + at]
    piles[WASTE] -= 1
    piles[UNPLAYED] -= 1
    return card


@search_kernel
def level_of(piles, column, card):
    """Number of cards under a card of a column."""
    level = piles[SIZE + column] - 1
    while piles[COLUMN + DEPTH * column + level] != card:
        level -= 1
    return level


@search_kernel
def lay(piles, column, card, column_of):
    """Put a card on a column."""
    piles[COLUMN + DEPTH * column + piles[SIZE + column]] = card
    piles[SIZE + column] += 1
    column_of[card] = column


@search_kernel
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
