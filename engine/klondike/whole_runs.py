"""Compiled game of Klondike in which all face-up cards of a column move together.

Standard moves, one at a time, on flat positions (`engine.klondike.flat`). Rules: any number of
cards drawn at once, unlimited redeals, whole runs only, cards may return from the foundations (Yan
et al. 2004, section 2): those of the referee with `partial_runs` off. The tests compare the two.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.kernels.decorators import kernel
from engine.klondike.flat import (
    COLUMN,
    DEPTH,
    DOWN,
    DOWN_FROM,
    DRAW,
    HEIGHT,
    PLAYED,
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
    take_from_waste,
)

_KING = 12


@kernel
def is_won(position):
    """Whether all 52 cards are on the foundations."""
    return (
        position[HEIGHT] + position[HEIGHT + 1] + position[HEIGHT + 2] + position[HEIGHT + 3] == 52
    )


@kernel
def top_card(position, column):
    """The uppermost card of a column that is not empty."""
    return position[COLUMN + DEPTH * column + position[SIZE + column] - 1]


@kernel
def run_card(position, column):
    """The lowest face-up card of a column that is not empty."""
    return position[COLUMN + DEPTH * column + position[DOWN + column]]


@kernel
def goes_up(position, card):
    """Whether a card is the next of its foundation."""
    return position[HEIGHT + (card & 3)] == card >> 2


@kernel
def accepts(position, column, card):
    """Whether a column accepts a card, or a run that begins with it."""
    if position[SIZE + column] == 0:
        return card >> 2 == _KING
    top = top_card(position, column)
    return top >> 2 == (card >> 2) + 1 and (top ^ card) & 1 == 1


@kernel
def legal_moves(position, moves):
    """Write the legal moves to moves int64[MOVES], in byte order; returns their number."""
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


@kernel
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
        card = take_from_waste(position)
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


@kernel
def _lay(position, column, card):
    position[COLUMN + DEPTH * column + position[SIZE + column]] = card
    position[SIZE + column] += 1


@kernel
def _turn_up(position, column):
    """Turn the uppermost card of a column face up if it is not."""
    if position[DOWN + column] > 0 and position[DOWN + column] == position[SIZE + column]:
        position[DOWN + column] -= 1
