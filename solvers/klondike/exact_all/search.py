"""Loop of the exact search: depth first, over nodes of `solvers.klondike.exact_all.nodes`.

Proofs: `docs/search.md`; names in brackets are its sections.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import ALL
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.stock_turns import redeals_left
from solvers.klondike.exact.path import backtrack
from solvers.klondike.exact.position import layout_in
from solvers.klondike.exact.restarts import plan_restarts, vary_order
from solvers.klondike.exact.table import DOMINATED, FULL
from solvers.klondike.exact.workspace import NEVER
from solvers.klondike.exact_all.entries import (
    clear_table,
    enter_node,
    prefetch_successors,
)
from solvers.klondike.exact_all.hand import begin_hand, question
from solvers.klondike.exact_all.nodes import RulesetNode, rise
from solvers.klondike.exact_all.path import (
    add_steps,
    push,
    reveals_tried_before,
    take_step,
)
from solvers.klondike.exact_all.relaxation import is_dead_end
from solvers.klondike.exact_all.restarts import restart
from solvers.klondike.exact_all.rules import ANY_CARD, HAND, RELAXATION, RESTARTS, mode_of
from solvers.klondike.exact_all.supports import IS_LOST
from solvers.klondike.exact_all.workspace import workspace_in

# What a search ends with; the last one is an answer of the parts below.
WON, UNWINNABLE, NODES_SPENT, MEMORY_SPENT, PAUSED, _UNDECIDED = range(6)

# From this node on, new nodes are asked about in the game by hand, where that pays [hand].
_ASK_AFTER = 100
# Positions that all questions may enter: so many, and some for each other node.
_AT_FIRST_BY_HAND = 20_000
_SHARE_BY_HAND = 1
# A test is made as long as it finds one position in so many to be lost, of those tested of late;
# else now and then, so that it is noticed where it would pay again.
_DEAD_ONE_IN = 4
_LOST_ONE_IN = 4
_NOW_AND_THEN = 32
_REMEMBERED = 256
# Where only whole runs move, each question may enter so many, and a quarter of all so far.
_AT_FIRST_WHOLE = 500


@search_kernel
def search(
    start, draw, off, building, spaces, general, forward, limited, whole, budget, pause, goes_on,
    layout_words, workspace_words, report,
):  # fmt: skip
    """Decide one position.

    Layout and workspace are given as words, see `engine.records`: Python passes those faster.

    Args:
        start: int64[9], the position: up, loose, heads, columns, stock, place, low, high, bases.
        draw: cards turned at once.
        off: rules switched off, bits of `solvers.klondike.exact_all.rules.RULES`.
        building: see `solvers.klondike.exact_all.rules.RulesetMode`, like the next ones.
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
    layout, workspace = layout_in(layout_words), workspace_in(workspace_words)
    last_pass = limited is not None and redeals_left(start[4]) == 0
    mode = mode_of(draw, off, building, spaces, general, forward, limited, whole, last_pass)
    progress = workspace.progress
    if not goes_on:
        progress.nodes = 0
        progress.depth = -1
        progress.top = 0
        progress.line_length = 0
        progress.tested = progress.dead = progress.asked = progress.lost = 0
        clear_table(mode, workspace)
        begin_hand(workspace.hand)
        plan_restarts(mode.off & RESTARTS == 0, progress)
    node = RulesetNode(
        start[0], start[1], start[2], start[3], start[4], start[5], -1, start[6], start[7], start[8]
    )
    ended = _run(node, not goes_on, budget, NEVER if goes_on else pause, mode, layout, workspace)
    report[0] = progress.nodes
    report[1] = progress.line_length if ended == WON else 0
    return ended


@inlined_kernel
def _run(start, is_new, budget, pause, mode, layout, workspace):
    """Search until the start is decided, or the budget or what is given until a pause is spent.

    is_new: whether the start is to be entered; else the search goes on where it paused.
    """
    progress = workspace.progress
    node, length = start, 0
    while True:
        if is_new:
            if progress.nodes >= budget:
                return NODES_SPENT
            progress.nodes += 1
            ended = _visit(node, length, mode, layout, workspace)
            if ended != _UNDECIDED:
                return ended
            if progress.nodes >= progress.next_restart and progress.depth > 0:
                restart(mode, layout, workspace)
            if progress.nodes >= pause:
                return PAUSED
        is_new = True
        if not backtrack(workspace):
            return UNWINNABLE
        node, length = take_step(mode, layout, workspace)


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
        node, length = rise(node, line, length, mode, layout, workspace.every)
        if node.up == ALL:
            progress.line_length = length
            return WON
        if mode.drops_reveals and length == before and progress.depth >= 0:
            parent = workspace.frames[progress.depth]
            tried = reveals_tried_before(parent, line[length - 1], mode, layout)

    entered, reach, again = enter_node(node, mode, layout, workspace)
    if entered == FULL:
        return MEMORY_SPENT
    if entered == DOMINATED:
        return _UNDECIDED
    if node.brought < 0:
        if mode.off & RELAXATION == 0 and _is_dead(node, reach, again, mode, layout, workspace):
            return _UNDECIDED
        if (
            not again
            and progress.nodes > _ASK_AFTER
            and _is_lost_by_hand(node, mode, layout, workspace)
        ):
            return _UNDECIDED

    if not push(node, length, entered, workspace):
        return MEMORY_SPENT
    first = progress.top
    add_steps(node, reach, tried, mode, layout, workspace)
    prefetch_successors(node, first, progress.top, mode, layout, workspace)
    vary_order(first, workspace)
    return _UNDECIDED


@inlined_kernel
def _pays(found, tested, one_in, nodes):
    """Whether a test is to be made: where it has found something often enough, and now and then."""
    return one_in * found >= tested or nodes % _NOW_AND_THEN == 0


@inlined_kernel
def _is_dead(node, reach, again, mode, layout, workspace):
    """Whether a node is found lost in the relaxed game, if that is tested."""
    progress = workspace.progress
    if again:
        # This asks only whether one of the new cards can ever be taken.
        return is_dead_end(node, reach, again, mode, layout, workspace.every)
    if not _pays(progress.dead, progress.tested, _DEAD_ONE_IN, progress.nodes):
        return False
    dead = is_dead_end(node, reach, again, mode, layout, workspace.every)
    progress.tested += 1
    progress.dead += dead
    if progress.tested == _REMEMBERED:
        progress.tested //= 2
        progress.dead //= 2
    return dead


@inlined_kernel
def _is_lost_by_hand(node, mode, layout, workspace):
    """Whether a node is found lost in the game by hand, if it is asked about.

    What the question enters counts as nodes, once it has ended; what is entered in the game of
    supports does not.
    """
    if mode.off & HAND != 0:
        return False
    if mode.general is not None and mode.spaces == ANY_CARD:
        return False
    progress, hand = workspace.progress, workspace.hand.progress
    if not _pays(progress.lost, progress.asked, _LOST_ONE_IN, progress.nodes):
        return False
    before = hand.nodes
    if mode.whole is None:
        allowed = _AT_FIRST_BY_HAND + _SHARE_BY_HAND * (progress.nodes - before) - before
        if allowed <= 0:
            return False
    else:
        # What is found lost stays known, and few other ways to find it lost are left.
        allowed = _AT_FIRST_WHOLE + progress.nodes // 4
    answer = question(node, allowed, mode, layout, workspace.hand)
    progress.nodes += hand.nodes - before
    progress.asked += 1
    progress.lost += answer == IS_LOST
    if progress.asked == _REMEMBERED:
        progress.asked //= 2
        progress.lost //= 2
    return answer == IS_LOST
