"""The exact search by stocks: at draw 1 stocks dominate each other [bringing, stock dominance].

With larger draws it asks from time to time whether a position on the path is lost even at draw 1
[draw one]. It knows the rulesets of `solvers.klondike.exact.rules.USUAL_RULESETS`. The loop is
`solvers.klondike.exact.search`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import search_kernel
from solvers.klondike.exact.entries import clear_stocks
from solvers.klondike.exact.nodes import Node
from solvers.klondike.exact.path import drop, node_of
from solvers.klondike.exact.position import layout_in
from solvers.klondike.exact.rules import BRING, DRAW_ONE, RESTARTS, STOCKS, mode_by_stocks
from solvers.klondike.exact.search import ASK_AFTER, PAUSED, UNWINNABLE, WON, begin, run
from solvers.klondike.exact.stocks import roll_back
from solvers.klondike.exact.workspace import NEVER, workspace_by_stocks

# After this many nodes a search pauses once, for its caller to test the deal [pairs].
PAUSE = 2000

# A position that is asked about may use as many nodes as were spent below it four times over, but
# at least this many [draw one].
_LEAST = 10_000


@search_kernel
def decide(start, draw, off, node_budget, goes_on, layout, workspace, inner, report):
    """As `search`, of layout and workspaces as words, which Python passes faster."""
    return search(
        start, draw, off, node_budget, goes_on,
        layout_in(layout), workspace_by_stocks(workspace), workspace_by_stocks(inner), report,
    )  # fmt: skip


@search_kernel
def search(start, draw, off, node_budget, goes_on, layout, workspace, inner, report):
    """Decide one position.

    Args:
        start: int64[6] or more, the position: up, loose, heads, columns, stock, place.
        draw: cards turned at once.
        off: rules switched off, bits of `solvers.klondike.exact.rules.RULES_BY_STOCKS`.
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
    mode = mode_by_stocks(draw, off, draw > 1 and off & (DRAW_ONE | BRING | STOCKS) == 0)
    progress = workspace.progress
    if not goes_on:
        begin(mode, workspace)
        progress.next_pause = ASK_AFTER if mode.asks else NEVER
        if draw == 1 or mode.asks:
            clear_stocks(workspace.store)
    node = Node(start[0], start[1], start[2], start[3], start[4], start[5], -1, 0, 0, 0)
    while True:
        ended = _run(node, node_budget, mode, layout, workspace)
        if ended != PAUSED:
            break
        _ask(off, node_budget, layout, workspace, inner)
        if not goes_on and progress.nodes >= PAUSE:
            break
    report[0] = progress.nodes
    report[1] = progress.line_length if ended == WON else 0
    return ended


@search_kernel
def _run(start, budget, mode, layout, workspace):
    """The loop, compiled once for both workspaces."""
    return run(start, budget, mode, layout, workspace)


@search_kernel
def _ask(off, budget, layout, workspace, inner):
    """Ask which positions of the path are lost even at draw 1, and drop them [draw one]."""
    progress, frames = workspace.progress, workspace.frames
    mode = mode_by_stocks(1, off | RESTARTS, False)
    for depth in range(progress.depth, -1, -1):
        frame = frames[depth]
        spent = progress.nodes - frame.since
        if frame.brought >= 0 or spent < frame.due:
            continue
        entries = workspace.store.counts.entries
        begin(mode, inner)
        inner.progress.next_pause = NEVER
        allowed = min(max(4 * spent, _LEAST), budget - progress.nodes)
        ended = _run(node_of(frame, mode), allowed, mode, layout, inner)
        progress.nodes += inner.progress.nodes
        if ended != UNWINNABLE:
            roll_back(workspace.store, entries)
            _put_off(ended, depth, workspace)
            break
        drop(frame, depth, progress)
    progress.next_pause = progress.nodes + ASK_AFTER


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
