"""The compiled game of Klondike in which all face-up cards of a column move together.

Standard moves, one at a time, on a position that is one flat array, so that a search copies it by
copying the array. Rules: any number of cards drawn at once, unlimited redeals, whole runs only,
cards may return from the foundations (Yan et al. 2004, section 2). The referee's rules with
`partial_runs` off, kernel by kernel; the tests compare the two.

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

Moves are the bytes of `engine.moves`.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np
from numba import njit

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

# The bytes of `engine.moves`: the first of each kind.
TURN = 0
REDEAL = 1
WASTE_UP = 2
WASTE_DOWN = 3
UP = 10
DOWN_FROM = 17
RUN = 45
MOVES = 94

_KING = 12


@njit(cache=True, nogil=True)
def set_up(cards, draw, position):
    """Lay out a deal, uint8[52] in flat order, in position int64[POSITION]."""
    position[:] = 0
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


@njit(cache=True, nogil=True)
def is_won(position):
    """Whether all 52 cards are on the foundations."""
    return (
        position[HEIGHT] + position[HEIGHT + 1] + position[HEIGHT + 2] + position[HEIGHT + 3] == 52
    )


@njit(cache=True, nogil=True)
def top_card(position, column):
    """The uppermost card of a column that is not empty."""
    return position[COLUMN + DEPTH * column + position[SIZE + column] - 1]


@njit(cache=True, nogil=True)
def run_card(position, column):
    """The lowest face-up card of a column that is not empty."""
    return position[COLUMN + DEPTH * column + position[DOWN + column]]


@njit(cache=True, nogil=True)
def goes_up(position, card):
    """Whether a card is the next of its foundation."""
    return position[HEIGHT + (card & 3)] == card >> 2


@njit(cache=True, nogil=True)
def accepts(position, column, card):
    """Whether a column takes a card, or a run that begins with it."""
    if position[SIZE + column] == 0:
        return card >> 2 == _KING
    top = top_card(position, column)
    return top >> 2 == (card >> 2) + 1 and (top ^ card) & 1 == 1


@njit(cache=True, nogil=True)
def legal_moves(position, moves):
    """Write every legal move to moves int64[MOVES], in the order of the bytes; how many."""
    count = 0
    unplayed = position[UNPLAYED]
    waste = position[WASTE]
    if waste < unplayed:
        moves[count] = TURN
        count += 1
    elif unplayed > 0:
        moves[count] = REDEAL
        count += 1
    if waste > 0:
        card = position[STOCK + waste - 1]
        if goes_up(position, card):
            moves[count] = WASTE_UP
            count += 1
        for column in range(7):
            if accepts(position, column, card):
                moves[count] = WASTE_DOWN + column
                count += 1
    for column in range(7):
        if position[SIZE + column] > 0 and goes_up(position, top_card(position, column)):
            moves[count] = UP + column
            count += 1
    for suit in range(4):
        if position[HEIGHT + suit] > 0:
            card = 4 * (position[HEIGHT + suit] - 1) + suit
            for column in range(7):
                if accepts(position, column, card):
                    moves[count] = DOWN_FROM + 7 * suit + column
                    count += 1
    for source in range(7):
        if position[SIZE + source] > 0:
            card = run_card(position, source)
            for target in range(7):
                if target != source and accepts(position, target, card):
                    moves[count] = RUN + 7 * source + target
                    count += 1
    return count


@njit(cache=True, nogil=True)
def play(position, move):
    """Play a legal move, in place."""
    if move == TURN:
        position[WASTE] = min(position[WASTE] + position[DRAW], position[UNPLAYED])
        return
    if move == REDEAL:
        position[WASTE] = 0
        position[PLAYED] = 0
        return
    position[PLAYED] = 1
    if move < UP:
        card = _take_from_waste(position)
        if move == WASTE_UP:
            position[HEIGHT + (card & 3)] += 1
        else:
            _lay(position, move - WASTE_DOWN, card)
    elif move < DOWN_FROM:
        column = move - UP
        position[HEIGHT + (top_card(position, column) & 3)] += 1
        position[SIZE + column] -= 1
        _turn_up(position, column)
    elif move < RUN:
        suit = (move - DOWN_FROM) // 7
        position[HEIGHT + suit] -= 1
        _lay(position, (move - DOWN_FROM) % 7, 4 * position[HEIGHT + suit] + suit)
    else:
        source = (move - RUN) // 7
        target = (move - RUN) % 7
        start = position[DOWN + source]
        for at in range(start, position[SIZE + source]):
            _lay(position, target, position[COLUMN + DEPTH * source + at])
        position[SIZE + source] = start
        _turn_up(position, source)


@njit(cache=True, nogil=True)
def _take_from_waste(position):
    waste = position[WASTE]
    card = position[STOCK + waste - 1]
    for at in range(waste, position[UNPLAYED]):
        position[STOCK + at - 1] = position[STOCK + at]
    position[WASTE] -= 1
    position[UNPLAYED] -= 1
    return card


@njit(cache=True, nogil=True)
def _lay(position, column, card):
    position[COLUMN + DEPTH * column + position[SIZE + column]] = card
    position[SIZE + column] += 1


@njit(cache=True, nogil=True)
def _turn_up(position, column):
    """Turn the uppermost card of a column face up if it is not."""
    if position[DOWN + column] > 0 and position[DOWN + column] == position[SIZE + column]:
        position[DOWN + column] -= 1


def new_position() -> np.ndarray:
    """An empty array for `set_up`: int64[POSITION]."""
    return np.zeros(POSITION, dtype=np.int64)
