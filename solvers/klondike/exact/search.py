"""Loop of the exact search: depth first, over nodes of `solvers.klondike.exact.nodes`.

`solvers.klondike.exact.by_hand` and `solvers.klondike.exact.by_stocks` drive it.
Proofs: `docs/search/`; names in brackets are its sections.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import ALL
from engine.kernels.decorators import inlined_kernel
from solvers.klondike.exact.entries import (
    clear_table,
    enter_node,
    prefetch_successors,
)
from solvers.klondike.exact.hand import question
from solvers.klondike.exact.nodes import rise
from solvers.klondike.exact.path import (
    add_steps,
    backtrack,
    push,
    reveals_tried_before,
    take_step,
)
from solvers.klondike.exact.position import STOCK_UP
from solvers.klondike.exact.relaxation import is_dead_end
from solvers.klondike.exact.restarts import plan_restarts, restart, vary_order
from solvers.klondike.exact.rules import ANY_CARD, HAND, RELAXATION, RESTARTS
from solvers.klondike.exact.supports import IS_LOST
from solvers.klondike.exact.table import DOMINATED, FULL

# What a search ends with; the last one is an answer of the parts below. After PAUSED it can go on.
WON, UNWINNABLE, NODES_SPENT, MEMORY_SPENT, PAUSED, _UNDECIDED = range(6)

# The search by stocks asks about a position when this many nodes were spent below it [draw one].
ASK_AFTER = 100
# From this node on, new nodes are asked about in the game by hand, where that pays [hand].
_BY_HAND_AFTER = 100
# Positions that all questions may enter: this many, and some for each other node.
_AT_FIRST_BY_HAND = 20_000
_SHARE_BY_HAND = 1
# A test is made as long as it finds one position in this many to be lost, of those tested of late;
# else now and then, so that it is noticed where it would pay again.
_DEAD_ONE_IN = 4
_LOST_ONE_IN = 4
_NOW_AND_THEN = 32
_REMEMBERED = 256
# Where only whole runs move, each question may enter this many, and a quarter of all so far.
_AT_FIRST_WHOLE = 500


@inlined_kernel
def begin(mode, workspace):
    """Make a workspace ready for a position; what is known of lost ones is left as it is."""
    progress = workspace.progress
    progress.nodes = 0
    progress.depth = -1
    progress.top = 0
    progress.line_length = 0
    progress.tested = progress.dead = progress.asked = progress.lost = 0
    clear_table(mode, workspace)
    plan_restarts(mode.off & RESTARTS == 0, progress)


@inlined_kernel
def run(start, budget, mode, layout, workspace):
    """Search from a node until decided, spent or due to pause; may be called again after a pause.

    Args:
        start: the node to search from.
        budget: how many positions may be entered in all.
        mode: how to search.
        layout: the layout of the start.
        workspace: after `begin` or an earlier call.

    Returns:
        WON (the line wins), UNWINNABLE (proved), NODES_SPENT, MEMORY_SPENT or PAUSED.
    """
    progress = workspace.progress
    node, length = start, 0
    is_new = progress.nodes == 0  # whether the node at hand is to be visited
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
            if progress.nodes >= progress.next_pause:
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
        # A stock card that goes up at draw 1 leaves as much hope as there was.
        may_be_dead = (
            mode.by_stocks is None
            or mode.draw > 1
            or length == 0
            or line[length - 1] >> 6 != STOCK_UP
        )
        if (
            mode.off & RELAXATION == 0
            and may_be_dead
            and _is_dead(node, reach, again, mode, layout, workspace)
        ):
            return _UNDECIDED
        if (
            mode.by_stocks is None
            and not again
            and progress.nodes > _BY_HAND_AFTER
            and _is_lost_by_hand(node, mode, layout, workspace.hand, progress)
        ):
            return _UNDECIDED

    if not push(node, length, entered, ASK_AFTER, mode, workspace):
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
    if mode.by_stocks is not None:
        return is_dead_end(node, reach, again, mode, layout, workspace.every)
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
def _is_lost_by_hand(node, mode, layout, work, progress):
    """Whether a node is found lost in the game by hand, if it is asked about.

    What the question enters counts as nodes, once it has ended; what is entered in the game of
    supports does not.
    """
    if work is None:
        return False
    if mode.off & HAND != 0:
        return False
    if mode.general is not None and mode.spaces == ANY_CARD:
        return False
    hand = work.progress
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
    answer = question(node, allowed, mode, layout, work)
    progress.nodes += hand.nodes - before
    progress.asked += 1
    progress.lost += answer == IS_LOST
    if progress.asked == _REMEMBERED:
        progress.asked //= 2
        progress.lost //= 2
    return answer == IS_LOST
