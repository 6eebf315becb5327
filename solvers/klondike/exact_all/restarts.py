"""Restarts of the exact search, and the order of steps after them [restarts].

The search restarts after FIRST_RESTART nodes, then after a quarter more, and so on.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels import search_kernel
from solvers.klondike.exact.restarts import shuffle_steps
from solvers.klondike.exact_all.entries import forget_node, reach_of
from solvers.klondike.exact_all.path import add_steps, node_of


@search_kernel
def restart(mode, layout, workspace):
    """Forget the path but for the start, and start over."""
    progress, frames = workspace.progress, workspace.frames
    for depth in range(progress.depth, 0, -1):
        frame = frames[depth]
        forget_node(node_of(frame), frame.entered, mode, layout, workspace)
    progress.depth = 0
    progress.period += progress.period // 4
    progress.next_restart = progress.nodes + progress.period

    start = node_of(frames[0])
    frames[0].tried = 0
    progress.top = frames[0].top
    reach = reach_of(start.stock, mode, workspace)
    add_steps(start, reach, 0, mode, layout, workspace)
    shuffle_steps(workspace.moves, frames[0].top, progress)
