"""Search of `exact-plain`: depth first, with a table of the positions entered.

**Runs.** A depth-first search can lose itself below an early mistake. So the search runs several
times, each time from an empty table and with another order of steps, for 2,000 nodes at first and
twice as many in each run after it. Each run is a complete search by itself: when one ends, the
position is decided. The last one gets all nodes that are left, three fifths of the budget or more.

**Table.** A position is two numbers. The first has foundations, numbers of stuck cards, stock and
waste; the second has, for each loose card but kings, which of its two hosts it lies on, the card
that came down last, if any, and the redeals left. Together they tell all piles apart from those
that differ in the order of columns without stuck cards only, which are alike, and those that
`solvers.klondike.exact_plain.steps` calls the same (Hosts, Twins). Nothing is ever taken for
another. Open addressing with linear probing; a table of `size` entries begins at entry `size` of
the memory, so that the next, twice as large, lies behind it.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.kernels import search_kernel
from solvers.klondike.exact_plain.board import (
    HEIGHT,
    MADE,
    MASK,
    MERGE,
    MOST_MOVES,
    PARTIAL,
    PILE,
    REDEALS,
    SIZE,
    STUCK,
    WASTE,
    bare_column,
    take_back,
)
from solvers.klondike.exact_plain.dead_ends import is_dead_end
from solvers.klondike.exact_plain.steps import add_steps, card_brought_down, play, play_forced

MAX_DEPTH = 4096
MAX_STEPS = 1 << 16
FRAME = 4
_FIRST_SIZE = 1 << 12
_ROOM_FOR_STEPS = 200  # more than one position has
_ROOM_FOR_MOVES = 200  # more than one step makes, with what is forced by it
_FIRST_QUOTA = 2000

# Columns of a frame: moves made before the step that led to it, and where its steps begin, go on
# and end.
_MADE_BEFORE, _BEGIN, _NEXT, _END = range(FRAME)

# How a search ends.
WON = 0
UNWINNABLE = 1
NODES_SPENT = 2
MEMORY_SPENT = 3

_LOW = (1 << 31) - 1


@search_kernel
def _first_word(board):
    """Return foundations, columns, stock and waste as one number from 1."""
    word = 0
    for column in range(7):
        word = word * (column + 2) + board[STUCK + column]
    for suit in range(4):
        word = word << 4 | board[HEIGHT + suit]
    return (word << 29 | board[MASK] << 5 | board[WASTE]) + 1


@search_kernel
def _second_word(board, down):
    """Return the hosts of loose cards, what came down and redeals left as one number."""
    word = 0
    if board[PARTIAL] == 0 or board[MERGE] == 0:
        for column in range(7):
            # from level 1: a king at the bottom has no host
            for level in range(max(board[STUCK + column], 1), board[SIZE + column]):
                host = board[PILE + 20 * column + level - 1]
                if host & 2 != 0 and (board[PARTIAL] == 0 or bare_column(board, host ^ 2) < 0):
                    word |= 1 << board[PILE + 20 * column + level]
    return word | down + 1 << 48 | board[REDEALS] << 54


@search_kernel
def _enter(table, size, first, second):
    """Probe for a position and save it; return whether it is new.

    table: int64[2 * entries], a first word of 0 is no entry; size: a power of two; first, second:
    the position, at most 63 bits each. All products stay below 2^63, with or without the compiler.
    """
    mixed = (first & _LOW) * 0x5F356495 ^ (first >> 31) * 0x6C8E9CF7
    mixed ^= (second & _LOW) * 0x4F1BBCDD ^ (second >> 31) * 0x7A3D70A5
    mixed ^= mixed >> 29
    mixed = (mixed & _LOW) * 0x63D83595 ^ mixed >> 31
    slot = mixed >> 15 & size - 1
    while True:
        at = 2 * (size + slot)
        if table[at] == 0:
            table[at] = first
            table[at + 1] = second
            return True
        if table[at] == first and table[at + 1] == second:
            return False
        slot = slot + 1 & size - 1


@search_kernel
def _grow(table, size):
    """Copy the entries to a table of twice the size; return that size."""
    table[4 * size : 8 * size] = 0
    for at in range(2 * size, 4 * size, 2):
        if table[at] != 0:
            _enter(table, 2 * size, table[at], table[at + 1])
    return 2 * size


@search_kernel
def _shuffle(steps, begin, end, state):
    """Exchange some neighbouring steps; return the next state of the generator, 31 bits."""
    for i in range(begin, end - 1):
        state = (state * 1103515245 + 12345) & _LOW
        if state >> 16 & 3 == 0:
            steps[i], steps[i + 1] = steps[i + 1], steps[i]
    return state


@search_kernel
def _run(board, most, order, table, frames, steps, report):
    """Search once, in one order, for at most `most` nodes; the arguments are those of `search`."""
    size = _FIRST_SIZE
    table[2 * size : 4 * size] = 0
    nodes = 0
    depth = 0
    end = 0
    state = order
    down = -1
    frames[0, _MADE_BEFORE] = 0
    while True:
        # A position has been reached.
        if down < 0:
            play_forced(board)
        begin = end
        if _enter(table, size, _first_word(board), _second_word(board, down)):
            if nodes == most:
                report[0] += nodes
                return NODES_SPENT
            nodes += 1
            won = True
            for suit in range(4):
                won = won and board[HEIGHT + suit] == 13
            if won:
                report[0] += nodes
                return WON
            if 3 * nodes > 2 * size:
                if 8 * size > len(table):
                    report[0] += nodes
                    return MEMORY_SPENT
                size = _grow(table, size)
            if down >= 0 or not is_dead_end(board):
                end = add_steps(board, down, steps, end)
                if order > 0:
                    state = _shuffle(steps, begin, end, state)
        frames[depth, _BEGIN] = begin
        frames[depth, _NEXT] = begin
        frames[depth, _END] = end
        while frames[depth, _NEXT] == frames[depth, _END]:
            end = frames[depth, _BEGIN]
            take_back(board, frames[depth, _MADE_BEFORE])
            if depth == 0:
                report[0] += nodes
                return UNWINNABLE
            depth -= 1
        step = steps[frames[depth, _NEXT]]
        frames[depth, _NEXT] += 1
        depth += 1
        if (
            depth == MAX_DEPTH
            or end + _ROOM_FOR_STEPS > MAX_STEPS
            or board[MADE] + _ROOM_FOR_MOVES > MOST_MOVES
        ):
            report[0] += nodes
            return MEMORY_SPENT
        frames[depth, _MADE_BEFORE] = board[MADE]
        down = card_brought_down(board, step)
        play(board, step)


@search_kernel
def search(board, most, table, frames, steps, report):
    """Search from a position on the board and return how it ended; WON leaves the moves there.

    board: as in `solvers.klondike.exact_plain.board`, MADE 0; most: nodes before giving up; table:
    int64[2^n], n >= 14; frames: int64[MAX_DEPTH, FRAME]; steps: int64[MAX_STEPS]; report: int64[1],
    gets the nodes. Only the board must be filled in.
    """
    report[0] = 0
    order = 0
    quota = _FIRST_QUOTA
    while True:
        left = most - report[0]
        last = 4 * quota > left
        ended = _run(board, left if last else quota, order, table, frames, steps, report)
        if ended != NODES_SPENT or last:
            return ended
        take_back(board, 0)
        quota *= 2
        order += 1
