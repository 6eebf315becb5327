"""Path of the exact search: the nodes from the start to the one at hand, with steps to try.

A frame of the path holds a node; ``workspace.moves`` holds the steps still to try from all of them,
frame upon frame, the next one on top.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import inlined_kernel, search_kernel
from solvers.klondike.exact.arrangement import TO_COLUMN
from solvers.klondike.exact.building import children_of
from solvers.klondike.exact.nodes import (
    Node,
    after_step,
    places_to_try,
    rising_cards,
)
from solvers.klondike.exact.position import HEAD_UP, REVEAL
from solvers.klondike.exact.steps import steps

# A reveal of a column can go to one of up to four cards, or to an empty column.
_PLACES = TO_COLUMN + 1
_MARKS = (1 << _PLACES) - 1


@inlined_kernel
def node_of(frame, mode):
    """Return the node that a frame holds."""
    low = high = bases = 0
    if mode.whole is not None:
        low, high, bases = frame.low, frame.high, frame.bases
    return Node(
        frame.up,
        frame.loose,
        frame.heads,
        frame.columns,
        frame.stock,
        frame.place,
        frame.brought,
        low,
        high,
        bases,
    )


@inlined_kernel
def push(node, length, entered, due, mode, workspace):
    """Put a node on the path, without steps yet; return False if there is no room.

    length: of the line to it; entered: what `solvers.klondike.exact.entries.enter_node` found;
    due: after how many nodes below it to search it at draw 1.
    """
    progress = workspace.progress
    if progress.depth + 1 == len(workspace.frames):
        return False
    progress.depth += 1
    frame = workspace.frames[progress.depth]
    frame.up, frame.loose, frame.heads = node.up, node.loose, node.heads
    frame.columns, frame.stock, frame.place = node.columns, node.stock, node.place
    frame.brought = node.brought
    if mode.whole is not None:
        frame.low, frame.high, frame.bases = node.low, node.high, node.bases
    frame.top = progress.top
    frame.length = length
    frame.entered = entered
    frame.tried = 0
    if mode.by_stocks is not None:
        frame.since = progress.nodes
        frame.due = due
    return True


@inlined_kernel
def add_steps(node, reach, tried, mode, layout, workspace):
    """Write the steps to try from the last node of the path.

    `reach` are the places of the stock that are to be tried, but for those that the last pass
    leaves out, `tried` the reveals that are to be left out, of `reveals_tried_before`.
    """
    progress = workspace.progress
    reach = places_to_try(node, reach, mode, layout)
    first = progress.top
    top = steps(node, reach, mode, layout, workspace.moves, first)
    if tried != 0:
        frame = workspace.frames[progress.depth]
        top = _drop_reveals(tried, node, frame, mode, layout, workspace, first, top)
    progress.top = top


@inlined_kernel
def drop(frame, depth, progress):
    """Take a frame at this depth, and all beyond it, off the path."""
    progress.depth = depth - 1
    progress.top = frame.top


@inlined_kernel
def backtrack(workspace):
    """Go back to the last node that has a step still to try; return False if none has."""
    progress = workspace.progress
    depth = progress.depth
    while depth >= 0 and progress.top == workspace.frames[depth].top:
        depth -= 1
    progress.depth = depth
    return depth >= 0


@inlined_kernel
def take_step(mode, layout, workspace):
    """Take the next step from the last node; return the next node and the length of its line."""
    progress = workspace.progress
    frame = workspace.frames[progress.depth]
    progress.top -= 1
    step = workspace.moves[progress.top]
    workspace.line[frame.length] = step
    node = node_of(frame, mode)
    return after_step(node, step, mode, layout, workspace.every), frame.length + 1


@inlined_kernel
def reveals_tried_before(parent, step, mode, layout):
    """Return the reveals tried before a step that lead to the same positions after it.

    They are to be left out after it, unless something then rises [reveals]. `parent` is the frame
    from which the step is tried; a reveal is noted there.
    """
    if parent.brought >= 0:
        return 0
    tried = parent.tried
    kind = (step >> 6) & 7
    if kind in (HEAD_UP, REVEAL):
        tried &= ~_uncovered_by(step & 63, mode, layout)
    if kind == REVEAL:
        parent.tried |= _mark_of(step, mode, layout)
    return tried


@inlined_kernel
def _mark_of(step, mode, layout):
    """Return the bit that notes a reveal as tried: of its head, or of its column and its place."""
    bit = step & 63
    if mode.whole is None:
        return 1 << bit
    return 1 << (_PLACES * layout.column_of[bit] + (step >> 9))


@inlined_kernel
def _uncovered_by(bit, mode, layout):
    """Return the marks of the reveals that are no longer the same once a head has left."""
    if mode.whole is None:
        return children_of(layout.below[bit], mode)
    return _MARKS << (_PLACES * layout.column_of[bit])


@search_kernel
def _drop_reveals(tried, node, frame, mode, layout, workspace, first, top):
    """Drop reveals that were tried before, and note them as tried here; return the new top."""
    moves = workspace.moves
    end = first
    for at in range(first, top):
        step = moves[at]
        if (step >> 6) & 7 == REVEAL and tried & _mark_of(step, mode, layout) != 0:
            after = after_step(node, step, mode, layout, workspace.every)
            if rising_cards(after, mode, layout) == 0:
                frame.tried |= _mark_of(step, mode, layout)
                continue
        moves[end] = step
        end += 1
    return end
