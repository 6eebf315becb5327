"""Kernels that play the decisions of the Spider players that look ahead.

Lines hold moves as `solvers.spider.monkey_game` has them.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.kernels.decorators import search_kernel
from engine.spider.board import COMPLETED, ROWS_LEFT, deal_row, has_empty, shift, turn_all_up
from engine.spider.deal import COLUMNS, RUNS
from solvers.spider.monkey_game import DEAL_ROW, code

LOST, WON, NO_ROOM, GOES_ON = range(4)

# Maximal number of moves of `deal_next`.
MOST_TO_DEAL = COLUMNS + 1


@search_kernel
def parts(move):
    """Unpack a move of a line: source, target and number of cards."""
    columns = move >> 4
    return columns // COLUMNS, columns % COLUMNS, move & 15


@search_kernel
def fill(board):
    """A move onto the last empty column from one that stays occupied; −1 if there is none.

    It serves rules that do not deal onto empty columns: the first of the shortest runs.
    """
    target = 0
    for column in range(COLUMNS):
        if board.size[column] == 0:
            target = column
    best = -1
    for column in range(COLUMNS):
        if board.size[column] > 1 and (best < 0 or board.run[column] < board.run[best]):
            best = column
    if best < 0:
        return -1
    return code(best, target, min(board.run[best], board.size[best] - 1))


@search_kernel
def deal_next(board, deal, onto_empty, line, length):
    """Deal a row, after filling empty columns if the rules require it.

    Args:
        board: of `engine.spider.board`, with rows left.
        deal: uint8[104] in flat order, as its cards count.
        onto_empty: whether a row may be dealt while a column is empty.
        line: int64[…], out, with room for MOST_TO_DEAL moves from `length` on.
        length: how many moves it holds.

    Returns:
        The new length, and whether the row was dealt: there may be too few cards for the columns.
    """
    while not onto_empty and has_empty(board):
        move = fill(board)
        if move < 0:
            return length, False
        source, target, cards = parts(move)
        shift(board, source, target, cards)
        turn_all_up(board, deal)
        line[length] = move
        length += 1
    deal_row(board, deal)
    turn_all_up(board, deal)
    line[length] = DEAL_ROW
    return length + 1, True


@search_kernel
def follow(board, deal, moves, count, line, length):
    """Play a sequence up to the first card that turns up; returns the new length of the line.

    `moves` has the sequence of `count` moves; the other arguments are those of `deal_next`.
    """
    for at in range(count):
        source, target, cards = parts(moves[at])
        shift(board, source, target, cards)
        line[length] = moves[at]
        length += 1
        if turn_all_up(board, deal) > 0:
            break
    return length


@search_kernel
def take_step(board, deal, onto_empty, moves, count, line, length):
    """Play a decision: a sequence up to the first card that turns up, or else a row.

    Args:
        board: of `engine.spider.board`, in play.
        deal: uint8[104] in flat order, as its cards count; only the croupier looks at it.
        onto_empty: whether a row may be dealt while a column is empty.
        moves: the sequence.
        count: its number of moves; with 0 a row is dealt.
        line: int64[…], out: the moves, as `solvers.spider.monkey_game` has them.
        length: how many moves it holds.

    Returns:
        GOES_ON, WON, LOST (there is no row to deal) or NO_ROOM; and the line's new length.
    """
    if length + count + MOST_TO_DEAL > line.shape[0]:
        return NO_ROOM, length
    if count > 0:
        length = follow(board, deal, moves, count, line, length)
    elif board.meta[ROWS_LEFT] == 0:
        return LOST, length
    else:
        length, dealt = deal_next(board, deal, onto_empty, line, length)
        if not dealt:
            return LOST, length
    return WON if board.meta[COMPLETED] == RUNS else GOES_ON, length
