"""Loop of the exact search: depth first, over nodes of `solvers.klondike.exact.nodes`.

`run` searches one position until it is decided, or spent, or, with larger draws, until it is time
to ask whether a position on the path is lost even at draw 1. `search` drives it and asks.
Proofs: `docs/search.md`; names in brackets are its sections.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import ALL
from engine.kernels import inlined_kernel, search_kernel
from solvers.klondike.exact.entries import (
    clear_table,
    enter_node,
    prefetch_successors,
)
from solvers.klondike.exact.nodes import Node, rise
from solvers.klondike.exact.path import (
    add_steps,
    backtrack,
    drop,
    node_of,
    push,
    reveals_tried_before,
    take_step,
)
from solvers.klondike.exact.position import STOCK_UP, layout_in
from solvers.klondike.exact.relaxation import is_dead_end
from solvers.klondike.exact.restarts import plan_restarts, restart, vary_order
from solvers.klondike.exact.rules import BRING, DRAW_ONE, RELAXATION, RESTARTS, STOCKS, mode_of
from solvers.klondike.exact.stocks import clear_store, roll_back
from solvers.klondike.exact.table import DOMINATED, FULL, NEW
from solvers.klondike.exact.workspace import NEVER, workspace_in

# What a search ends with; the last two are answers of the parts below.
WON, UNWINNABLE, NODES_SPENT, MEMORY_SPENT, PAUSED, _ASK, _UNDECIDED = range(7)

# After this many nodes a search pauses once, for its caller to test the deal [pairs].
_PAUSE = 2000

# A position is asked about when this many nodes were spent below it, and may then use as many
# nodes as were spent below it four times over, but at least _LEAST [draw one].
_ASK_AFTER = 100
_LEAST = 10_000


@search_kernel
def decide(start, draw, off, node_budget, goes_on, layout, workspace, inner, report):
    """As `search`, of layout and workspaces as words, which Python passes faster."""
    return search(
        start, draw, off, node_budget, goes_on,
        layout_in(layout), workspace_in(workspace), workspace_in(inner), report,
    )  # fmt: skip


@search_kernel
def search(start, draw, off, node_budget, goes_on, layout, workspace, inner, report):
    """Decide one position.

    Args:
        start: int64[6], the position: up, loose, heads, columns, stock, place.
        draw: cards turned at once.
        off: rules switched off, bits of `solvers.klondike.exact.rules.RULES`.
        node_budget: how many positions may be entered.
        goes_on: whether the same search was begun before, and PAUSED.
        layout: the `solvers.klondike.exact.position.Layout` of the start.
        workspace: memory; ``workspace.line`` holds the winning steps afterwards.
        inner: another, for the questions asked at draw 1, with the same store of stocks.
        report: int64[2], out: positions entered, length of the line.

    Returns:
        WON (the line wins), UNWINNABLE (proved), NODES_SPENT, MEMORY_SPENT, or PAUSED: to be called
        again.
    """
    mode = mode_of(draw, off, draw > 1 and off & (DRAW_ONE | BRING | STOCKS) == 0)
    if not goes_on:
        _begin(mode, workspace)
        if draw == 1 or mode.asks:
            clear_store(workspace.store)
    node = Node(start[0], start[1], start[2], start[3], start[4], start[5], -1)
    progress = workspace.progress
    while True:
        ended = run(node, node_budget, mode, layout, workspace)
        if ended != _ASK:
            break
        _ask(off, node_budget, layout, workspace, inner)
        if not goes_on and progress.nodes >= _PAUSE:
            ended = PAUSED
            break
    report[0] = progress.nodes
    report[1] = progress.line_length if ended == WON else 0
    return ended


@inlined_kernel
def _begin(mode, workspace):
    """Make a workspace ready for a position; the store of stocks is left as it is."""
    progress = workspace.progress
    progress.nodes = 0
    progress.depth = -1
    progress.top = 0
    clear_table(workspace)
    plan_restarts(mode.off & RESTARTS == 0, progress)
    progress.next_ask = _ASK_AFTER if mode.asks else NEVER
    progress.line_length = 0


@search_kernel
def run(start, budget, mode, layout, workspace):
    """Search from a node until decided, spent or due to ask; may be called again after _ASK.

    Args:
        start: the node to search from.
        budget: how many positions may be entered in all.
        mode: how to search.
        layout: the layout of the start.
        workspace: after `_begin` or an earlier call.

    Returns:
        WON (the line wins), UNWINNABLE (proved), NODES_SPENT, MEMORY_SPENT or _ASK.
    """
    progress = workspace.progress
    node, length = start, 0
    is_new = progress.nodes == 0  # whether the node at hand is to be visited
    while True:
        if is_new:
            if progress.nodes == budget:
                return NODES_SPENT
            progress.nodes += 1
            ended = _visit(node, length, mode, layout, workspace)
            if ended != _UNDECIDED:
                return ended
            if progress.nodes >= progress.next_restart and progress.depth > 0:
                restart(mode, layout, workspace)
            if progress.nodes >= progress.next_ask:
                return _ASK
        if not backtrack(workspace):
            return UNWINNABLE
        node, length = take_step(mode, layout, workspace)
        is_new = True


@inlined_kernel
def _visit(node, length, mode, layout, workspace):
    """Enter a node and put it on the path with its steps, unless it is dominated or a dead end.

    `length` is that of the line to it.

    Returns:
        WON, MEMORY_SPENT or _UNDECIDED.
    """
    progress, line = workspace.progress, workspace.line
    tried = 0
    if node.brought < 0:
        before = length
        node, length = rise(node, line, length, mode, layout)
        if node.up == ALL:
            progress.line_length = length
            return WON
        if mode.drops_reveals and length == before and progress.depth >= 0:
            parent = workspace.frames[progress.depth]
            tried = reveals_tried_before(parent, line[length - 1], layout)

    entered, reach = enter_node(node, mode, layout, workspace)
    if entered == FULL:
        return MEMORY_SPENT
    if entered == DOMINATED:
        return _UNDECIDED
    # A stock card that goes up at draw 1 leaves as much hope as there was.
    may_be_lost = mode.draw > 1 or length == 0 or line[length - 1] >> 6 != STOCK_UP
    if node.brought < 0 and mode.off & RELAXATION == 0 and may_be_lost:
        again = mode.draw > 1 and entered != NEW
        if is_dead_end(node, reach, again, mode.draw, layout, workspace.every):
            return _UNDECIDED

    if not push(node, length, entered, _ASK_AFTER, workspace):
        return MEMORY_SPENT
    first = progress.top
    add_steps(node, reach, tried, mode, layout, workspace)
    prefetch_successors(node, first, progress.top, mode, layout, workspace)
    vary_order(first, workspace)
    return _UNDECIDED


@search_kernel
def _ask(off, budget, layout, workspace, inner):
    """Ask which positions of the path are lost even at draw 1, and drop them [draw one]."""
    progress, frames = workspace.progress, workspace.frames
    mode = mode_of(1, off | RESTARTS, False)
    for depth in range(progress.depth, -1, -1):
        frame = frames[depth]
        spent = progress.nodes - frame.since
        if frame.brought >= 0 or spent < frame.due:
            continue
        entries = workspace.store.counts.entries
        _begin(mode, inner)
        allowed = min(max(4 * spent, _LEAST), budget - progress.nodes)
        ended = run(node_of(frame), allowed, mode, layout, inner)
        progress.nodes += inner.progress.nodes
        if ended != UNWINNABLE:
            roll_back(workspace.store, entries)
            _put_off(ended, depth, workspace)
            break
        drop(frame, depth, progress)
    progress.next_ask = progress.nodes + _ASK_AFTER


@search_kernel
def _put_off(ended, depth, workspace):
    """Put off the questions about a position that was not lost at draw 1 and those before it."""
    for above in range(depth + 1):
        frame = workspace.frames[above]
        if ended == WON:
            frame.due = NEVER
        else:
            spent = workspace.progress.nodes - frame.since
            frame.due = max(frame.due, 2 * spent)
