"""Search of `exact-plain`: depth first, with a table of the positions entered.

**Runs.** A depth-first search can lose itself below an early mistake. So the search runs several
times, each time from an empty table and with another order of steps, for 2,000 nodes at first and
twice as many in each run after it. Each run is a complete search by itself: when one ends, the
position is decided. The last one gets all nodes that are left, three fifths of the budget or more.

**Table.** A position is two numbers. The first has foundations, numbers of stuck cards, stock and
waste; the second has, for each loose card but kings, which of its two hosts it lies on, the card
that came down last, if any, and the redeals left. Together they tell all piles apart from those
that differ in the order of columns without stuck cards only, which are alike, and those that
`solvers.klondike.exact_plain.steps` calls the same (Hosts, Twins). In an open search there are two
numbers more: the second and third have the suit of the host of each loose card, the fourth the
loose cards that lie at the bottom of a column. Nothing is ever taken for another. Open addressing
with linear probing; a table of `size` entries begins at entry `size` of the memory, so that the
next, twice as large, lies behind it.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.kernels.decorators import search_kernel
from solvers.klondike.exact_plain.board import (
    ALTERNATING,
    ANY,
    BUILDING,
    HEIGHT,
    MADE,
    MASK,
    MERGE,
    MOST_MOVES,
    OPEN,
    PARTIAL,
    PILE,
    REDEALS,
    SIZE,
    SPACES,
    STUCK,
    WASTE,
    bare_column,
    take_back,
)
from solvers.klondike.exact_plain.dead_ends import is_dead_end
from solvers.klondike.exact_plain.steps import add_steps, card_brought_down, play, play_forced

MAX_DEPTH = 1 << 16
MAX_STEPS = 1 << 21
FRAME = 4
_FIRST_SIZE = 1 << 12
_ROOM_FOR_STEPS = 400  # more than one position has
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
def _loose_from(board, column):
    """Return the lowest level of a column at which a card is loose, as the table has it.

    A card turned up at the bottom of a column is stuck until it moves; where it may go to any empty
    column it is like a loose one.
    """
    stuck = board[STUCK + column]
    return 0 if stuck == 1 and board[SPACES] == ANY else stuck


@search_kernel
def _first_word(board):
    """Return foundations, columns, stock and waste as one number from 1."""
    word = 0
    for column in range(7):
        word = word * (column + 2) + _loose_from(board, column)
    for suit in range(4):
        word = word << 4 | board[HEIGHT + suit]
    return (word << 29 | board[MASK] << 5 | board[WASTE]) + 1


@search_kernel
def _second_word(board, down):
    """Return the hosts of loose cards, what came down and redeals left as one number."""
    word = 0
    if board[OPEN] == 1:
        word = _hosts(board, 0)
    elif board[BUILDING] == ALTERNATING and (board[PARTIAL] == 0 or board[MERGE] == 0):
        for column in range(7):
            # from level 1: a king at the bottom has no host
            for level in range(max(board[STUCK + column], 1), board[SIZE + column]):
                host = board[PILE + 20 * column + level - 1]
                if host & 2 != 0 and (board[PARTIAL] == 0 or bare_column(board, host ^ 2) < 0):
                    word |= 1 << board[PILE + 20 * column + level]
    return word | down + 1 << 48 | board[REDEALS] << 54


@search_kernel
def _hosts(board, bit):
    """Return, for each loose card that lies on a host, a bit of the number of the host's suit."""
    word = 0
    for column in range(7):
        for level in range(max(_loose_from(board, column), 1), board[SIZE + column]):
            if board[PILE + 20 * column + level - 1] >> bit & 1 == 1:
                word |= 1 << board[PILE + 20 * column + level]
    return word


@search_kernel
def _bottoms(board):
    """Return the set of loose cards at the bottom of a column."""
    word = 0
    for column in range(7):
        if board[SIZE + column] > 0 and _loose_from(board, column) == 0:
            word |= 1 << board[PILE + 20 * column]
    return word


@search_kernel
def _enter_position(board, down, table, size):
    """Probe for the position on the board and save it; return whether it is new."""
    first = _first_word(board)
    second = _second_word(board, down)
    if board[OPEN] == 1:
        return _enter_wide(table, size, first, second, _hosts(board, 1), _bottoms(board))
    return _enter(table, size, first, second)


@search_kernel
def _enter_wide(table, size, first, second, third, fourth):
    """Probe for a position of four words and save it; return whether it is new; as `_enter`."""
    mixed = (first & _LOW) * 0x5F356495 ^ (first >> 31) * 0x6C8E9CF7
    mixed ^= (second & _LOW) * 0x4F1BBCDD ^ (second >> 31) * 0x7A3D70A5
    mixed ^= mixed >> 29
    mixed ^= (third & _LOW) * 0x51ED270B ^ (third >> 31) * 0x68E31DA5
    mixed ^= mixed >> 31
    mixed ^= (fourth & _LOW) * 0x5851F42D ^ (fourth >> 31) * 0x4C957F2D
    mixed ^= mixed >> 29
    mixed = (mixed & _LOW) * 0x63D83595 ^ mixed >> 31
    slot = mixed >> 15 & size - 1
    while True:
        at = 4 * (size + slot)
        if table[at] == 0:
            table[at] = first
            table[at + 1] = second
            table[at + 2] = third
            table[at + 3] = fourth
            return True
        if (
            table[at] == first
            and table[at + 1] == second
            and table[at + 2] == third
            and table[at + 3] == fourth
        ):
            return False
        slot = slot + 1 & size - 1


@search_kernel
def _enter(table, size, first, second):
    """Probe for a position of two words and save it; return whether it is new.

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
def _grow(table, size, words):
    """Copy the entries, of `words` words each, to a table of twice the size; return that size."""
    table[2 * words * size : 4 * words * size] = 0
    for at in range(words * size, 2 * words * size, words):
        if table[at] == 0:
            continue
        if words == 2:
            _enter(table, 2 * size, table[at], table[at + 1])
        else:
            first, second, third, fourth = table[at : at + 4]
            _enter_wide(table, 2 * size, first, second, third, fourth)
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
    words = 4 if board[OPEN] == 1 else 2
    table[words * size : 2 * words * size] = 0
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
        if _enter_position(board, down, table, size):
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
                if 4 * words * size > len(table):
                    report[0] += nodes
                    return MEMORY_SPENT
                size = _grow(table, size, words)
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
        down = card_brought_down(board, step) if board[OPEN] == 0 else -1
        play(board, step)


@search_kernel
def search(board, most, table, frames, steps, report):
    """Search from a position on the board and return how it ended; WON leaves the moves there.

    board: as in `solvers.klondike.exact_plain.board`, MADE 0; most: nodes before giving up; table:
    int64[2^n], n >= 15; frames: int64[MAX_DEPTH, FRAME]; steps: int64[MAX_STEPS]; report: int64[1],
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
