"""Restarts of the exact search, and the order of steps after them [restarts].

The search restarts after FIRST_RESTART nodes, then after a quarter more, and so on; where the store
of stocks takes the place of the table, after three times as many and only early on.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import inlined_kernel, search_kernel
from solvers.klondike.exact.entries import clear_stocks, clear_table, forget_node, reach_of
from solvers.klondike.exact.path import add_steps, node_of
from solvers.klondike.exact.workspace import NEVER

FIRST_RESTART = 300
_LAST_BY_STOCKS = 2000
_RANDOM_START = 2463534242
_LOW_32 = (1 << 32) - 1


@inlined_kernel
def plan_restarts(wanted, progress):
    """Plan the first restart of a search, if any is wanted."""
    progress.period = FIRST_RESTART
    progress.next_restart = FIRST_RESTART if wanted else NEVER
    progress.random = _RANDOM_START


@search_kernel
def restart(mode, layout, workspace):
    """Forget the path but for the start, or everything where stocks dominate, and start over."""
    progress, frames = workspace.progress, workspace.frames
    forgets_all = mode.by_stocks is not None and mode.store_alone
    if forgets_all:
        clear_table(mode, workspace)
        clear_stocks(workspace.store)
        progress.period *= 3
    else:
        for depth in range(progress.depth, 0, -1):
            frame = frames[depth]
            forget_node(node_of(frame, mode), frame.entered, mode, layout, workspace)
    progress.depth = 0
    progress.period += progress.period // 4
    progress.next_restart = progress.nodes + progress.period
    if forgets_all and progress.next_restart >= _LAST_BY_STOCKS:
        progress.next_restart = NEVER

    start = node_of(frames[0], mode)
    frames[0].tried = 0
    progress.top = frames[0].top
    reach = reach_of(start.stock, mode, workspace)
    add_steps(start, reach, 0, mode, layout, workspace)
    shuffle_steps(workspace.moves, frames[0].top, progress)


@inlined_kernel
def vary_order(first, workspace):
    """Exchange some neighbours of the steps from `first` on, if the search has restarted."""
    progress, moves = workspace.progress, workspace.moves
    if progress.period == FIRST_RESTART:
        return
    random = progress.random
    for at in range(progress.top - 1, first, -1):
        random = _next_random(random)
        if random % 12 == 0:
            moves[at], moves[at - 1] = moves[at - 1], moves[at]
    progress.random = random


@inlined_kernel
def shuffle_steps(moves, first, progress):
    """Shuffle the steps from `first` on."""
    for at in range(progress.top - 1, first, -1):
        progress.random = _next_random(progress.random)
        other = first + progress.random % (at - first + 1)
        moves[at], moves[other] = moves[other], moves[at]


@inlined_kernel
def _next_random(state):
    """Return the next state of a xorshift generator of 32 bits (Marsaglia 2003); never 0."""
    state ^= (state << 13) & _LOW_32
    state ^= state >> 17
    return state ^ ((state << 5) & _LOW_32)
