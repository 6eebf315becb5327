"""Conversion of the steps of the exact search to standard moves.

The search does not say which loose card lies where, nor how often the stock was turned. `unfold`
plays its steps on real piles and makes the shifts and turns they need. `unfold_and_shorten` makes
plays of them, which know no turns, and has these shortened. The referee judges the result like any
other solution.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.cardset import CARD_OF_BIT
from engine.filling import copy_into, fill, fill_part
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.flat import (
    COLUMN,
    DEPTH,
    DOWN_FROM,
    HEIGHT,
    NOWHERE,
    RUN,
    SIZE,
    UP,
    WASTE_DOWN,
    WASTE_UP,
    find_columns,
    lay,
    level_of,
    shift,
    take_from_waste,
    turn_to,
)
from solvers.klondike.exact.position import DOWN, HEAD_UP, LOOSE_UP, STOCK_DOWN, STOCK_UP
from solvers.klondike.exact.workspace import MAX_LINE
from solvers.klondike.solution.plays import (
    BOTTOM,
    FOUNDATION,
    MOST_PLAYS,
    TALON,
    new_play,
    number_talon,
    place_for,
    places_for,
    workspace_in,
)
from solvers.klondike.solution.shorten import shorten_plays

# A step is at most a shift and a play, and for each of the 24 stock cards at most the rest of one
# pass, a redeal and another pass.
LONGEST = 2 * MAX_LINE + 24 * (2 * 24 + 1)

_KING = 12


@search_kernel
def unfold_and_shorten(start, piles, line, length, column_of, rounds, scratch, moves):
    """Write standard moves of the steps of a win: those of `unfold`, or fewer.

    Args:
        start: int64[POSITION], where the steps begin.
        piles: int64[POSITION], scratch.
        line: int64[MAX_LINE], steps, each ``kind << 6 | bit of the card``.
        length: how many steps.
        column_of: int64[52], scratch.
        rounds: of `solvers.klondike.solution.shorten`; with 0, and if there are too many plays, the
            moves are those of `unfold`.
        scratch: of `solvers.klondike.solution.plays.new_scratch`.
        moves: uint8[LONGEST], out: moves as the bytes of `engine.klondike.moves`.

    Returns:
        As `unfold`.
    """
    count = shorten_steps(start, line, length, rounds, scratch, moves)
    if count < 0:
        copy_into(piles, start)
        count = unfold(piles, line, length, column_of, moves)
    return count


@search_kernel
def shorten_steps(start, line, length, rounds, scratch, moves):
    """Write moves of the steps of a win, made fewer; returns -1 if that is not to be, or cannot."""
    if rounds == 0:
        return -1
    work = workspace_in(scratch)
    plays = plays_of(start, line, length, work)
    if plays < 0:
        return -1
    count = shorten_plays(start, plays, LONGEST, rounds, work, moves)
    return count if count < LONGEST else -1


@search_kernel
def plays_of(start, line, length, work):
    """Write the plays of steps, as `solvers.klondike.solution.plays.read_plays` those of moves.

    A card goes to some bare place, and what lies on a card that goes up, to its twin; see
    "Arrangement" in `docs/search.md`. On what a card lies is all that this has to know: there are
    no columns, and the stock is not turned.

    Returns:
        The number of plays, or -1 if there are too many, or a card has no place to go to, which no
        line of the search brings about.
    """
    plays, under, above = work.plays, work.column_of, work.marks
    fill(under, NOWHERE)
    fill_part(above, 0, FOUNDATION, NOWHERE)
    for column in range(7):
        place = BOTTOM + column
        for level in range(start[SIZE + column]):
            card = start[COLUMN + DEPTH * column + level]
            under[card] = place
            above[place] = card
            place = card
    number_talon(start, work)
    count = 0
    for number in range(length):
        if count + 2 > MOST_PLAYS:
            return -1
        kind = (line[number] >> 6) & 7
        card = CARD_OF_BIT[line[number] & 63]
        source = under[card]
        target = FOUNDATION
        if kind in (HEAD_UP, LOOSE_UP):
            child, twin = above[card], card ^ 2
            if child != NOWHERE:
                if under[twin] == NOWHERE or above[twin] != NOWHERE:
                    return -1
                count += 1
                plays[count] = new_play(child, card, twin)
                under[child] = twin
                above[twin] = child
                above[card] = NOWHERE
        elif kind != STOCK_UP:
            target = _bare_place(card, under, above)
            if target == NOWHERE:
                return -1
        if source == NOWHERE:
            source = FOUNDATION if kind == DOWN else TALON
        else:
            above[source] = NOWHERE
        under[card] = NOWHERE
        if target != FOUNDATION:
            under[card] = target
            above[target] = card
        count += 1
        plays[count] = new_play(card, source, target)
    return count


@inlined_kernel
def _bare_place(card, under, above):
    """A bare parent of a card, or an empty column for a king."""
    for option in range(places_for(card)):
        place = place_for(card, option)
        if above[place] == NOWHERE and (place >= BOTTOM or under[place] != NOWHERE):
            return place
    return NOWHERE


@search_kernel
def unfold(piles, line, length, column_of, moves):
    """Play steps from a position, in place, and write the standard moves they take.

    Args:
        piles: int64[POSITION], a position as `engine.klondike.flat` lays it out; its
            face-down cards are not told from the face-up ones here.
        line: int64[MAX_LINE], steps, each ``kind << 6 | bit of the card``.
        length: how many steps.
        column_of: int64[52], scratch: the column of a card.
        moves: uint8[LONGEST], out: moves as the bytes of `engine.klondike.moves`.

    Returns:
        How many moves were written, or -1 if a card of the stock cannot be turned up or a card has
        no place to go to, which no line of the search brings about.
    """
    find_columns(piles, column_of)
    count = 0
    for number in range(length):
        kind = line[number] >> 6
        card = CARD_OF_BIT[line[number] & 63]
        if kind in (STOCK_UP, STOCK_DOWN):
            count = turn_to(piles, card, moves, count)
            if count < 0:
                return -1
        if kind in (HEAD_UP, LOOSE_UP):
            column = column_of[card]
            if piles[COLUMN + DEPTH * column + piles[SIZE + column] - 1] != card:
                # What lies on it goes to its twin.
                target = column_of[card ^ 2]
                if target == NOWHERE:
                    return -1
                shift(piles, column, level_of(piles, column, card) + 1, target, column_of)
                moves[count] = RUN + 7 * column + target
                count += 1
            piles[SIZE + column] -= 1
            piles[HEIGHT + (card & 3)] += 1
            column_of[card] = NOWHERE
            moves[count] = UP + column
        elif kind == STOCK_UP:
            take_from_waste(piles)
            piles[HEIGHT + (card & 3)] += 1
            moves[count] = WASTE_UP
        else:
            target = _place_for(piles, card)
            if target == NOWHERE:
                return -1
            source = column_of[card]
            if source != NOWHERE:
                shift(piles, source, level_of(piles, source, card), target, column_of)
                moves[count] = RUN + 7 * source + target
            else:
                if kind == STOCK_DOWN:
                    take_from_waste(piles)
                    moves[count] = WASTE_DOWN + target
                else:
                    piles[HEIGHT + (card & 3)] -= 1
                    moves[count] = DOWN_FROM + 7 * (card & 3) + target
                lay(piles, target, card, column_of)
        count += 1
    return count


@search_kernel
def _place_for(piles, card):
    """Return the first column with a bare parent of the card on top, or empty for a king."""
    for column in range(7):
        size = piles[SIZE + column]
        if card >> 2 == _KING:
            if size == 0:
                return column
        elif size > 0:
            top = piles[COLUMN + DEPTH * column + size - 1]
            if top >> 2 == (card >> 2) + 1 and (top ^ card) & 1 == 1:
                return column
    return NOWHERE
