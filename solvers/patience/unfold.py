"""Standard moves of a solution of `patience-exact`, from its steps."""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import search_kernel
from engine.patience.layout import CELL, STOCK, WASTE
from solvers.patience import plan as at
from solvers.patience.plan import NONE
from solvers.patience.row import make, settle, step_of
from solvers.patience.search import FROM, NODE, STEP

# Bytes of a move.
MOVE = 3


@search_kernel
def unfold(rows, plan, nodes, end, last_step, path, line, moves):
    """Write the moves from the first row, which is not settled yet, along a path.

    Args:
        rows: int8[...]: the first row changes.
        plan: int64[PLAN].
        nodes: of `solvers.patience.search.search`.
        end: the row of the last position that was expanded, or -1 for none.
        last_step: the step from there.
        path: int64[...], room for the steps.
        line: int64[256].
        moves: uint8[...], for the moves.

    Returns:
        The number of bytes written, or -1 where there is no room.
    """
    _, forced = settle(rows, 0, plan, 0, line, 0)
    written = 0
    for number in range(forced):
        written = _write_step(moves, written, line[number])
    steps = 0
    if end >= 0:
        path[0] = last_step
        steps = 1
        # The first position was reached by no step.
        while nodes[NODE * end + FROM] >= 0:
            if steps == path.shape[0]:
                return -1
            path[steps] = nodes[NODE * end + STEP]
            steps += 1
            end = nodes[NODE * end + FROM]
    for number in range(steps - 1, -1, -1):
        step = path[number]
        if written + MOVE * 1024 > moves.shape[0]:
            return -1
        if plan[at.GROUPS] == at.SINGLE and step >> 16 & 255 > 1 and step >> 8 & 255 < CELL:
            written = _carry(rows, plan, step, moves, written)
        else:
            written = _write_step(moves, written, step)
        make(rows, 0, plan, step)
        _, forced = settle(rows, 0, plan, 0, line, 0)
        for other in range(forced):
            written = _write_step(moves, written, line[other])
    return written


@search_kernel
def _write_step(moves, written, step):
    """Write a move and the turns of the stock before it; return the number of bytes then."""
    for _ in range(step >> 24):
        written = _write(moves, written, step_of(STOCK, WASTE, 1, 0))
    return _write(moves, written, step)


@search_kernel
def _write(moves, written, step):
    """Write a move; return the number of bytes then."""
    moves[written] = step & 255
    moves[written + 1] = step >> 8 & 255
    moves[written + 2] = step >> 16 & 255
    return written + MOVE


@search_kernel
def _carry(rows, plan, step, moves, written):
    """Write the moves of a group of which each card moves by itself, by cells and empty columns.

    Each empty column but the target takes as many cards as cells are free and one more, then the
    target the others; then the columns empty again, the last one filled first.
    """
    source, target, cards = step & 255, step >> 8 & 255, step >> 16 & 255
    free = 0
    for cell in range(plan[at.CELLS_COUNT]):
        free += rows[plan[at.CELLS] + cell] == NONE
    part = free + 1
    stops = (cards - 1) // part
    column = -1
    for _ in range(stops):
        column = _next_stop(rows, plan, column, target)
        written = _pass(rows, plan, source, column, part, moves, written)
    written = _pass(rows, plan, source, target, cards - stops * part, moves, written)
    for stop in range(stops - 1, -1, -1):
        column = -1
        for _ in range(stop + 1):
            column = _next_stop(rows, plan, column, target)
        written = _pass(rows, plan, column, target, part, moves, written)
    return written


@search_kernel
def _next_stop(rows, plan, column, target):
    """The next empty column after one that is not the target."""
    column += 1
    while rows[plan[at.TOP] + column] != NONE or column == target:
        column += 1
    return column


@search_kernel
def _pass(rows, plan, source, target, cards, moves, written):
    """Write the moves of cards that pass by free cells from one column to another."""
    used = 0
    for cell in range(plan[at.CELLS_COUNT]):
        if used < cards - 1 and rows[plan[at.CELLS] + cell] == NONE:
            written = _write(moves, written, step_of(source, CELL + cell, 1, 0))
            used += 1
    written = _write(moves, written, step_of(source, target, 1, 0))
    for cell in range(plan[at.CELLS_COUNT] - 1, -1, -1):
        if (
            used > 0
            and rows[plan[at.CELLS] + cell] == NONE
            and _is_among(rows, plan, cell, cards - 1)
        ):
            written = _write(moves, written, step_of(CELL + cell, target, 1, 0))
            used -= 1
    return written


@search_kernel
def _is_among(rows, plan, cell, count):
    """Whether a free cell is one of the first `count` free ones."""
    before = 0
    for other in range(cell):
        before += rows[plan[at.CELLS] + other] == NONE
    return before < count
