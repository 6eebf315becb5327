"""Conversion of macro moves of K+ into standard moves."""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.cardset import CARD_OF_BIT
from engine.kernels.decorators import kernel
from engine.klondike.flat import (
    DOWN_FROM,
    HEIGHT,
    NOWHERE,
    RUN,
    SIZE,
    UP,
    WASTE_DOWN,
    WASTE_UP,
    lay,
    level_of,
    shift,
    take_from_waste,
    turn_to,
)
from engine.klondike.kplus import CARD, COLUMN, FOUNDATION, STRAIGHT

# Before a card of the stock is played, at most the rest of one pass, a redeal and another pass.
MOST_TURNS = 24 * (2 * 24 + 1)


@kernel
def write_standard(piles, line, length, column_of, moves):
    """Play macro moves on piles, in place, and write the corresponding standard moves.

    Args:
        piles: int64[POSITION], a position of `engine.klondike.flat`; its number of face-down cards
            is neither used nor updated.
        line: int64[…], macro moves of `engine.klondike.kplus`, all legal.
        length: number of macro moves.
        column_of: int64[52], as `engine.klondike.flat.find_columns` writes it.
        moves: uint8[length + MOST_TURNS], out: moves as the bytes of `engine.klondike.moves`.

    Returns:
        The number of moves written, or −1 if a card of the stock cannot be turned up.
    """
    count = 0
    for number in range(length):
        bit = line[number] & CARD
        card = CARD_OF_BIT[bit]
        destination = line[number] >> 6
        source = column_of[card]
        from_foundation = source == NOWHERE and piles[HEIGHT + (card & 3)] > card >> 2
        if source == NOWHERE and not from_foundation:
            count = turn_to(piles, card, moves, count)
            if count < 0:
                return -1
            take_from_waste(piles)
        if destination == FOUNDATION:
            piles[HEIGHT + (card & 3)] += 1
            moves[count] = WASTE_UP
            if source != NOWHERE:
                piles[SIZE + source] -= 1
                column_of[card] = NOWHERE
                moves[count] = UP + source
        else:
            if destination == COLUMN:
                target = 0
                while piles[SIZE + target] != 0:
                    target += 1
            else:
                # Straight is the parent at the same place of the pair four bits up.
                parent = bit + 4 if destination == STRAIGHT else (bit ^ 1) + 4
                target = column_of[CARD_OF_BIT[parent]]
            if source != NOWHERE:
                shift(piles, source, level_of(piles, source, card), target, column_of)
                moves[count] = RUN + 7 * source + target
            else:
                if from_foundation:
                    piles[HEIGHT + (card & 3)] -= 1
                    moves[count] = DOWN_FROM + 7 * (card & 3) + target
                else:
                    moves[count] = WASTE_DOWN + target
                lay(piles, target, card, column_of)
        count += 1
    return count
