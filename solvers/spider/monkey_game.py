"""Kernel of the Monkey: random moves, and a row whenever the counter is due."""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.kernels.decorators import search_kernel
from engine.spider.board import COMPLETED, ROWS_LEFT, deal_row, has_empty, shift, turn_all_up
from engine.spider.deal import COLUMNS, ROWS, RUNS
from solvers.spider.monkey_moves import cards_of, choices, draw_level, draw_move

# A line holds a move as 16 · (10 · source + target) + number of cards, and 0 for a row.
DEAL_ROW = 0


@search_kernel
def code(source, target, count):
    """Code of a move in a line."""
    return 16 * (COLUMNS * source + target) + count


@search_kernel
def play(deal, board, onto_empty, level, percent, period, wants, targets, rng, line):
    """Play a game.

    Args:
        deal: uint8[104] in flat order, as its cards count; only the croupier looks at it.
        board: of `engine.spider.board`, at the start of the deal.
        onto_empty: whether a row may be dealt while a column is empty.
        level: 1 to 4.
        percent: at level 4, the chance of level 3; else level 2.
        period: moves between rows.
        wants: scratch of `choices`.
        targets: the same.
        rng: int64[2], state of the generator.
        line: int64[period · 6], out: the moves.

    Returns:
        Whether it is won, and the number of moves played.
    """
    length = 0
    counter = 0
    due = False
    last = period * (ROWS + 1)
    while True:
        counter += 1
        if counter >= last:
            return False, length
        if counter % period == 0:
            due = True
        if due and (onto_empty or not has_empty(board)):
            due = False
            deal_row(board, deal)
            line[length] = DEAL_ROW
            length += 1
        else:
            now = draw_level(level, percent, rng)
            count = choices(board, now, wants, targets)
            if count == 0:
                # Nothing can move until a row is dealt: pass.
                if due or board.meta[ROWS_LEFT] == 0:
                    return False, length
                counter += period - 1 - counter % period
                continue
            source, target = draw_move(count, targets, rng)
            cards = cards_of(board, source, target)
            line[length] = code(source, target, cards)
            length += 1
            shift(board, source, target, cards)
        turn_all_up(board, deal)
        if board.meta[COMPLETED] == RUNS:
            return True, length
