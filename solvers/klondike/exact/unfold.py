"""Conversion of the steps of the exact search to standard moves, under every ruleset.

Where parts of runs may move, the search does not say which loose card lies where; nowhere does it
say how often the stock was turned. `unfold` plays its steps on real piles and makes the shifts and
turns they need. `unfold_and_shorten` makes plays of them, which know no turns, and has these
shortened. The referee judges the result like any other solution.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.cardset import BIT_OF_CARD, CARD_OF_BIT
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.kernels.filling import copy_into, fill, fill_part
from engine.klondike.flat import (
    COLUMN,
    DEPTH,
    DOWN,
    DOWN_FROM,
    HEIGHT,
    MOVES,
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
from solvers.klondike.exact.arrangement import TO_COLUMN
from solvers.klondike.exact.position import DOWN as BROUGHT_DOWN
from solvers.klondike.exact.position import HEAD_UP, LOOSE_UP, STOCK_DOWN, STOCK_UP
from solvers.klondike.exact.rules import ANY_CARD, ANY_SUIT, KINGS_ONLY, SAME_SUIT
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

# A step is at most two shifts and a play, and for each of the 24 stock cards at most the rest of
# one pass, a redeal and another pass.
LONGEST = 3 * MAX_LINE + 24 * (2 * 24 + 1)

_KING = 12
_PART = MOVES  # the first byte of moves of parts to empty columns
_MOST_IN_PART = 12


@search_kernel
def unfold_and_shorten(
    start, piles, line, length, building, spaces, whole, column_of, rounds, scratch, moves
):
    """Write standard moves of the steps of a win: those of `unfold`, or fewer.

    Args:
        start: int64[POSITION], where the steps begin.
        piles: int64[POSITION], scratch.
        line: int64[MAX_LINE], steps, see `solvers.klondike.exact.position`.
        length: how many steps.
        building: as for `unfold`.
        spaces: as for `unfold`.
        whole: as for `unfold`.
        column_of: int64[52], scratch.
        rounds: of `solvers.klondike.solution.shorten`; 0 unless it knows the rules. With 0, and if
            there are too many plays, the moves are those of `unfold`.
        scratch: of `solvers.klondike.solution.plays.new_scratch`.
        moves: uint8[LONGEST], out: moves as the bytes of `engine.klondike.moves`.

    Returns:
        As `unfold`.
    """
    count = shorten_steps(start, line, length, rounds, scratch, moves)
    if count < 0:
        copy_into(piles, start)
        count = unfold(piles, line, length, building, spaces, whole, column_of, moves)
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
    "Arrangement" in `docs/search/positions.md`. On what a card lies is all that this has to
    know: there are no columns, and the stock is not turned.

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
            source = FOUNDATION if kind == BROUGHT_DOWN else TALON
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
def unfold(piles, line, length, building, spaces, whole, column_of, moves):
    """Play steps from a position, in place, and write the standard moves they take.

    Args:
        piles: int64[POSITION], a position as `engine.klondike.flat` lays it out.
        line: int64[MAX_LINE], steps, see `solvers.klondike.exact.position`.
        length: how many steps.
        building: what may be built on what, of `solvers.klondike.exact.rules`.
        spaces: what may go into an empty column, of the same.
        whole: whether only whole runs move; then steps say where cards go.
        column_of: int64[52], scratch: the column of a card.
        moves: uint8[LONGEST], out: moves as the bytes of `engine.klondike.moves`.

    Returns:
        How many moves were written, or -1 if a card of the stock cannot be turned up or a card has
        no place to go to, which no line of the search brings about.
    """
    find_columns(piles, column_of)
    count = 0
    for number in range(length):
        kind = (line[number] >> 6) & 7
        card = CARD_OF_BIT[line[number] & 63]
        if kind in (STOCK_UP, STOCK_DOWN):
            count = turn_to(piles, card, moves, count)
            if count < 0:
                return -1
        if kind in (HEAD_UP, LOOSE_UP):
            column = column_of[card]
            level = level_of(piles, column, card) + 1
            if level < piles[SIZE + column]:
                # What lies on it goes elsewhere.
                child = piles[COLUMN + DEPTH * column + level]
                target, count = _make_place(piles, child, building, spaces, column_of, moves, count)
                if target == NOWHERE or whole:
                    return -1
                # To make the place, the card may have been shifted itself.
                column = column_of[card]
                level = level_of(piles, column, card) + 1
                count = _move(piles, column, level, target, spaces, column_of, moves, count)
                if count < 0:
                    return -1
            piles[SIZE + column] -= 1
            _turn_up(piles, column)
            piles[HEIGHT + (card & 3)] += 1
            column_of[card] = NOWHERE
            moves[count] = UP + column
        elif kind == STOCK_UP:
            take_from_waste(piles)
            piles[HEIGHT + (card & 3)] += 1
            moves[count] = WASTE_UP
        else:
            if whole:
                target = _place_named(piles, card, line[number] >> 9, building)
            else:
                target, count = _make_place(piles, card, building, spaces, column_of, moves, count)
            if target == NOWHERE:
                return -1
            source = column_of[card]
            if source != NOWHERE:
                level = level_of(piles, source, card)
                count = _move(piles, source, level, target, spaces, column_of, moves, count)
                if count < 0:
                    return -1
                continue
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
def _move(piles, source, level, target, spaces, column_of, moves, count):
    """Move the cards from `level` of a column to another; return the new count, or -1."""
    cards = piles[SIZE + source] - level
    if spaces == ANY_CARD and piles[SIZE + target] == 0:
        if cards > _MOST_IN_PART:
            return -1
        moves[count] = _PART + 12 * source + cards - 1
    else:
        moves[count] = RUN + 7 * source + target
    shift(piles, source, level, target, column_of)
    _turn_up(piles, source)
    return count + 1


@search_kernel
def _turn_up(piles, column):
    if piles[DOWN + column] > 0 and piles[DOWN + column] == piles[SIZE + column]:
        piles[DOWN + column] -= 1


@search_kernel
def _make_place(piles, card, building, spaces, column_of, moves, count):
    """Find a column for a card, clearing one if need be; return it and the new count.

    Where any card may go to an empty column, what lies in one may have found a bare parent since:
    it is shifted there.
    """
    target = _place_for(piles, card, building, spaces)
    if target == NOWHERE and spaces == ANY_CARD:
        for column in range(7):
            if piles[SIZE + column] == 0 or piles[DOWN + column] > 0:
                continue
            other = _parent_for(piles, piles[COLUMN + DEPTH * column], building)
            if other != NOWHERE:
                count = _move(piles, column, 0, other, spaces, column_of, moves, count)
                return column, count
    return target, count


@search_kernel
def _place_for(piles, card, building, spaces):
    """Return the first column with a bare parent of the card on top, or an empty one for it."""
    target = _parent_for(piles, card, building)
    if target == NOWHERE and (spaces == ANY_CARD or (spaces == KINGS_ONLY and card >> 2 == _KING)):
        for column in range(7):
            if piles[SIZE + column] == 0:
                return column
    return target


@search_kernel
def _parent_for(piles, card, building):
    """Return the first column with a bare parent of the card on top."""
    for column in range(7):
        size = piles[SIZE + column]
        if size > 0:
            top = piles[COLUMN + DEPTH * column + size - 1]
            if top >> 2 == (card >> 2) + 1 and (
                building == ANY_SUIT
                or (building == SAME_SUIT and (top ^ card) & 3 == 0)
                or (building != SAME_SUIT and (top ^ card) & 1 == 1)
            ):
                return column
    return NOWHERE


@search_kernel
def _place_named(piles, card, where, building):
    """Return the column of the parent with a number, or an empty one."""
    for column in range(7):
        size = piles[SIZE + column]
        if where == TO_COLUMN:
            if size == 0:
                return column
        elif size > 0:
            top = piles[COLUMN + DEPTH * column + size - 1]
            if top >> 2 != (card >> 2) + 1:
                continue
            number = BIT_OF_CARD[top]
            if building == SAME_SUIT:
                fits = (top ^ card) & 3 == 0
            elif building == ANY_SUIT:
                fits = number & 3 == where
            else:
                fits = (top ^ card) & 1 == 1 and number & 1 == where
            if fits:
                return column
    return NOWHERE
