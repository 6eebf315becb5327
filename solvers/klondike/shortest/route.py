"""Routes: solutions as the boards that they pass.

A route is int64[MOST_STEPS, 4]. Each row is a board: its two keys, the moves made until then, and
the play of the step that leads there, as `solvers.klondike.shortest.steps` has it. The first row is
the start, before anything goes up by itself.

Which column a card lies in is not part of a board. So what follows a board of a route can be played
from that board however it was reached.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import CARD_OF_BIT
from engine.kernels.decorators import search_kernel
from engine.kernels.filling import copy_into
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
from solvers.klondike.shortest import steps
from solvers.klondike.shortest.board import HEIGHTS, first_key, second_key, unpack
from solvers.klondike.shortest.steps import COST, FIRST, NO_TARGET, PLAY, SECOND, SPLIT, follow
from solvers.klondike.solution.plays import MOST_PLAYS, read_plays, workspace_in

# Columns of a route: FIRST and SECOND, then these.
MADE, STEP = 2, 3
MOST_STEPS = MOST_PLAYS + 1


@search_kernel
def read_route(start, board, moves, count, setting, scratch, route):
    """Write the route of a line that wins; return its number of rows, or -1 if it is too long.

    What the line does in vain is left out: rounds from a board back to itself, and what `follow`
    leaves out. So it makes no more moves than the line.

    Args:
        start: int64[POSITION], the start.
        board: the same as a board.
        moves: uint8[≥ count], a legal line that wins, in the bytes of `engine.klondike.moves`.
        count: number of moves.
        setting: of the search.
        scratch: of `new_scratch`.
        route: int64[MOST_STEPS, 4], out.
    """
    work = workspace_in(scratch)
    length = read_plays(start, moves, count, work)
    if length < 0:
        return -1
    plays = work.plays
    child = setting.children[0]
    route[0, FIRST], route[0, SECOND], route[0, MADE], route[0, STEP] = (
        first_key(board),
        second_key(board),
        0,
        0,
    )
    rows = 1
    for at in range(1, length + 1):
        made = follow(board, plays[at], setting)
        if made < 0:
            return -1
        if made == 0:
            continue
        board = unpack(child[FIRST], child[SECOND], setting.start)
        again = 0
        while again < rows and (
            route[again, FIRST] != child[FIRST] or route[again, SECOND] != child[SECOND]
        ):
            again += 1
        if again == rows:
            route[rows, FIRST], route[rows, SECOND] = child[FIRST], child[SECOND]
            route[rows, MADE] = route[rows - 1, MADE] + child[COST]
            route[rows, STEP] = child[PLAY]
        rows = again + 1
    return rows


@search_kernel
def write_route(start, route, rows, piles, column_of, moves):
    """Write the standard moves of a route.

    Args:
        start: int64[POSITION], the position of the first board.
        route: the route.
        rows: their number.
        piles: int64[POSITION], scratch.
        column_of: int64[52], scratch.
        moves: uint8[…], out: moves as the bytes of `engine.klondike.moves`.

    Returns:
        The number of moves.
    """
    copy_into(piles, start)
    find_columns(piles, column_of)
    count = 0
    for row in range(1, rows):
        play = route[row, STEP]
        kind, card, target = play >> 12, CARD_OF_BIT[(play >> 6) & 63], play & 63
        column = NOWHERE
        if kind != steps.UP and kind != steps.STOCK_UP:
            column = _column_of_target(piles, target, column_of)
        if kind == steps.STOCK_UP or kind == steps.STOCK_DOWN:
            count = turn_to(piles, card, moves, count)
            take_from_waste(piles)
            if kind == steps.STOCK_UP:
                piles[HEIGHT + (card & 3)] += 1
                moves[count] = WASTE_UP
            else:
                lay(piles, column, card, column_of)
                moves[count] = WASTE_DOWN + column
            count += 1
        elif kind == steps.DOWN:
            piles[HEIGHT + (card & 3)] -= 1
            lay(piles, column, card, column_of)
            moves[count] = DOWN_FROM + 7 * (card & 3) + column
            count += 1
        elif kind == steps.UP:
            count = _send_up(piles, column_of[card], moves, count)
        else:
            origin = column_of[card]
            shift(piles, origin, level_of(piles, origin, card), column, column_of)
            moves[count] = RUN + 7 * origin + column
            count += 1
            if kind == SPLIT:
                count = _send_up(piles, column_of[CARD_OF_BIT[target ^ 1]], moves, count)
        count = _send_settled_up(piles, (route[row, FIRST] >> 29) % HEIGHTS, moves, count)
    return count


@search_kernel
def _column_of_target(piles, target, column_of):
    """The column of a card, or the first empty one."""
    if target != NO_TARGET:
        return column_of[CARD_OF_BIT[target]]
    column = 0
    while piles[SIZE + column] > 0:
        column += 1
    return column


@search_kernel
def _send_up(piles, column, moves, count):
    """Send the last card of a column to its foundation; return the new count."""
    piles[SIZE + column] -= 1
    card = piles[COLUMN + DEPTH * column + piles[SIZE + column]]
    piles[HEIGHT + (card & 3)] += 1
    moves[count] = UP + column
    return count + 1


@search_kernel
def _send_settled_up(piles, heights, moves, count):
    """Send up the cards by which the foundations are lower than after the step."""
    column = 0
    while column < 7:
        size = piles[SIZE + column]
        column += 1
        if size == 0:
            continue
        card = piles[COLUMN + DEPTH * (column - 1) + size - 1]
        suit, rank = card & 3, card >> 2
        if piles[HEIGHT + suit] == rank and heights // 14**suit % 14 > rank:
            count = _send_up(piles, column - 1, moves, count)
            column = 0
    return count
