"""Turn the steps of the exact search into standard moves.

The search does not say which loose card lies where, nor how often the stock was turned; this plays
its steps on real piles and makes the shifts and turns they need. It only ever appends moves that
are legal; the referee judges the result like any other solution.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from numba import njit

from engine.bits import CARD_OF_BIT
from engine.whole_runs import (
    COLUMN,
    DEPTH,
    DOWN_FROM,
    DRAW,
    HEIGHT,
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
from solvers.exact_kernel import HEAD_UP, LOOSE_UP, MAX_LINE, STOCK_DOWN, STOCK_UP

# A step is at most a shift and a play, and for each of the 24 stock cards at most the rest of one
# pass, a redeal and another pass.
LONGEST = 2 * MAX_LINE + 24 * (2 * 24 + 1)

_KING = 12
_NOWHERE = -1


@njit(cache=True, nogil=True)
def unfold(flat, line, length, column_of, moves):
    """Play steps from a position, in place, and write the standard moves they take.

    Args:
        flat: int64[POSITION], a position as `engine.whole_runs` lays it out; its face-down cards
            are not told from the face-up ones here.
        line: int64[MAX_LINE], steps, each ``kind << 6 | bit of the card``.
        length: how many steps.
        column_of: int64[52], scratch: the column of a card.
        moves: uint8[LONGEST], out: moves as the bytes of `engine.moves`.

    Returns:
        How many moves were written, or -1 if a card of the stock cannot be turned up or a card has
        no place to go to, which no line of the search brings about.
    """
    column_of[:] = _NOWHERE
    for column in range(7):
        for at in range(flat[SIZE + column]):
            column_of[flat[COLUMN + DEPTH * column + at]] = column
    count = 0
    for number in range(length):
        kind = line[number] >> 6
        card = CARD_OF_BIT[line[number] & 63]
        if kind in (STOCK_UP, STOCK_DOWN):
            count = _turn_to(flat, card, moves, count)
            if count < 0:
                return -1
        if kind in (HEAD_UP, LOOSE_UP):
            column = column_of[card]
            if flat[COLUMN + DEPTH * column + flat[SIZE + column] - 1] != card:
                # What lies on it goes to its twin.
                target = column_of[card ^ 2]
                if target == _NOWHERE:
                    return -1
                _shift(flat, column, _level(flat, column, card) + 1, target, column_of)
                moves[count] = RUN + 7 * column + target
                count += 1
            flat[SIZE + column] -= 1
            flat[HEIGHT + (card & 3)] += 1
            column_of[card] = _NOWHERE
            moves[count] = UP + column
        elif kind == STOCK_UP:
            _take_from_waste(flat)
            flat[HEIGHT + (card & 3)] += 1
            moves[count] = WASTE_UP
        else:
            target = _place_for(flat, card)
            if target == _NOWHERE:
                return -1
            source = column_of[card]
            if source != _NOWHERE:
                _shift(flat, source, _level(flat, source, card), target, column_of)
                moves[count] = RUN + 7 * source + target
            else:
                if kind == STOCK_DOWN:
                    _take_from_waste(flat)
                    moves[count] = WASTE_DOWN + target
                else:
                    flat[HEIGHT + (card & 3)] -= 1
                    moves[count] = DOWN_FROM + 7 * (card & 3) + target
                flat[COLUMN + DEPTH * target + flat[SIZE + target]] = card
                flat[SIZE + target] += 1
                column_of[card] = target
        count += 1
    return count


@njit(cache=True, nogil=True)
def _turn_to(flat, card, moves, count):
    """Turn the stock, and the waste over if need be, until `card` can be played; the new count."""
    redeals = 0
    while flat[WASTE] == 0 or flat[STOCK + flat[WASTE] - 1] != card:
        if flat[WASTE] == flat[UNPLAYED]:
            redeals += 1
            if redeals == 2:
                return -1
            flat[WASTE] = 0
            moves[count] = REDEAL
            count += 1
        flat[WASTE] = min(flat[WASTE] + flat[DRAW], flat[UNPLAYED])
        moves[count] = TURN
        count += 1
    return count


@njit(cache=True, nogil=True)
def _take_from_waste(flat):
    for at in range(flat[WASTE], flat[UNPLAYED]):
        flat[STOCK + at - 1] = flat[STOCK + at]
    flat[WASTE] -= 1
    flat[UNPLAYED] -= 1


@njit(cache=True, nogil=True)
def _place_for(flat, card):
    """The first column with a bare parent of the card on top, or empty for a king."""
    for column in range(7):
        size = flat[SIZE + column]
        if card >> 2 == _KING:
            if size == 0:
                return column
        elif size > 0:
            top = flat[COLUMN + DEPTH * column + size - 1]
            if top >> 2 == (card >> 2) + 1 and (top ^ card) & 1 == 1:
                return column
    return _NOWHERE


@njit(cache=True, nogil=True)
def _level(flat, column, card):
    """How many cards of the column lie under the card."""
    level = flat[SIZE + column] - 1
    while flat[COLUMN + DEPTH * column + level] != card:
        level -= 1
    return level


@njit(cache=True, nogil=True)
def _shift(flat, source, level, target, column_of):
    """Move the cards of `source` from `level` upwards to `target`."""
    size = flat[SIZE + target]
    for at in range(level, flat[SIZE + source]):
        card = flat[COLUMN + DEPTH * source + at]
        flat[COLUMN + DEPTH * target + size] = card
        column_of[card] = target
        size += 1
    flat[SIZE + target] = size
    flat[SIZE + source] = level
