"""The exact search by hand: of every ruleset, lost positions are found in the game by hand [hand].

The loop is `solvers.klondike.exact.search`, the game by hand `solvers.klondike.exact.hand`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import search_kernel
from engine.klondike.stock_turns import redeals_left
from solvers.klondike.exact.hand import begin_hand
from solvers.klondike.exact.nodes import Node
from solvers.klondike.exact.position import layout_in
from solvers.klondike.exact.rules import mode_by_hand
from solvers.klondike.exact.search import WON, begin, run
from solvers.klondike.exact.workspace import NEVER, workspace_by_hand


@search_kernel
def search(
    start, draw, off, building, spaces, general, forward, limited, whole, budget, pause, goes_on,
    layout_words, workspace_words, report,
):  # fmt: skip
    """Decide one position under any ruleset.

    Layout and workspace are given as words (`engine.kernels.records`): Python passes those faster.

    Args:
        start: int64[9], the position: up, loose, heads, columns, stock, place, low, high, bases.
        draw: cards turned at once.
        off: rules switched off, bits of `solvers.klondike.exact.rules.RULES_BY_HAND`.
        building: see `solvers.klondike.exact.rules.Mode`, like the next ones.
        spaces: see there.
        general: see there.
        forward: see there.
        limited: see there.
        whole: see there.
        budget: how many positions may be entered.
        pause: after how many of them to pause once, for the caller to test the deal [pairs].
        goes_on: whether to go on with a search that has paused, of the same arguments.
        layout_words: of the `solvers.klondike.exact.position.Layout` of the start.
        workspace_words: of the memory; ``workspace.line`` holds the winning steps afterwards.
        report: int64[2], out: positions entered, length of the line.

    Returns:
        WON (the line wins), UNWINNABLE (proved), NODES_SPENT, MEMORY_SPENT, or PAUSED: to be called
        again.
    """
    layout, workspace = layout_in(layout_words), workspace_by_hand(workspace_words)
    last_pass = limited is not None and redeals_left(start[4]) == 0
    mode = mode_by_hand(draw, off, building, spaces, general, forward, limited, whole, last_pass)
    progress = workspace.progress
    if not goes_on:
        begin(mode, workspace)
        begin_hand(workspace.hand)
    progress.next_pause = NEVER if goes_on else pause
    node = Node(
        start[0], start[1], start[2], start[3], start[4], start[5], -1, start[6], start[7], start[8]
    )
    ended = run(node, budget, mode, layout, workspace)
    report[0] = progress.nodes
    report[1] = progress.line_length if ended == WON else 0
    return ended
