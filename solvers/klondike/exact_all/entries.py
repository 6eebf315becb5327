"""Entries of nodes in the transposition table."""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import lowest
from engine.filling import fill_part
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.stock_turns import STOCK_MASK, limited_reach, redeals_left, within_reach
from solvers.klondike.exact.entries import LARGE_TABLE, reach_of_entered
from solvers.klondike.exact.nodes import suit_brought
from solvers.klondike.exact.table import (
    DOMINATED,
    FULL,
    NEW,
    NO_ENTRY,
    SMALLEST_TABLE,
    enter,
    enter_by_remainder,
    forget,
    grow,
    prefetch_position,
)
from solvers.klondike.exact_all.nodes import waste_of
from solvers.klondike.exact_all.position import (
    COLUMN_WEIGHT,
    HEAD_UP,
    HEIGHT_WEIGHT,
    REVEAL,
    STOCK_DOWN,
    STOCK_UP,
)
from solvers.klondike.exact_all.rules import EXTRA, ORDER
from solvers.klondike.exact_all.wide_table import enter_row, forget_row, grow_rows, row_of, words_of


@inlined_kernel
def clear_table(mode, workspace):
    """Empty the table."""
    progress = workspace.progress
    progress.capacity = SMALLEST_TABLE
    progress.used = 0
    words = 1
    if mode.limited is not None or mode.whole is not None:
        words = words_of(mode.whole)
    fill_part(workspace.table, 0, words * SMALLEST_TABLE, 0)


@inlined_kernel
def enter_node(node, mode, layout, workspace):
    """Enter a node.

    Returns:
        Of its entry: NEW, NO_ENTRY, a number of 0 or more for `forget_node`, DOMINATED
        if it need not be searched, FULL if there is no room; the places of the stock to try; and
        whether the rest was tried before, with other wastes.
    """
    if node.brought >= 0 and mode.off & ORDER == 0:
        # Rarely met again.
        return NO_ENTRY, reach_of(node.stock, mode, workspace), False
    if mode.limited is not None or mode.whole is not None:
        reach = reach_of(node.stock, mode, workspace)
        return _enter_row(node, mode, layout, workspace), reach, False
    return _enter_in_table(node, node.stock & STOCK_MASK, mode, layout, workspace)


@inlined_kernel
def reach_of(stock, mode, workspace):
    """Return the places of the stock from which the next card can be taken."""
    if mode.limited is None:
        return within_reach(stock, mode.draw, workspace.every)
    return limited_reach(stock, mode.draw, workspace.every)


@inlined_kernel
def _row(node, mode, layout):
    return row_of(
        node.place,
        node.stock & STOCK_MASK,
        waste_of(node.stock),
        redeals_left(node.stock),
        suit_brought(node.brought, layout),
        node.low,
        node.high,
        node.bases,
        mode.whole,
    )


@inlined_kernel
def _enter_row(node, mode, layout, workspace):
    """Enter a node in the wide table; returns the first that `enter_node` does."""
    progress = workspace.progress
    row = _row(node, mode, layout)
    entered = enter_row(workspace.table, progress.capacity, row, mode.draw, mode.whole)
    if entered == NEW:
        progress.used += 1
        if 3 * progress.used > 2 * progress.capacity:
            if 2 * words_of(mode.whole) * progress.capacity > workspace.table.shape[0]:
                return FULL
            # Above the steps still to try there is room.
            progress.used = grow_rows(
                workspace.table, progress.capacity, mode.whole, workspace.moves, progress.top
            )
            if progress.used < 0:
                return FULL
            progress.capacity *= 2
    return entered


@inlined_kernel
def _enter_in_table(node, mask, mode, layout, workspace):
    """Enter a node in the table; returns as `enter_node`."""
    progress = workspace.progress
    waste = waste_of(node.stock)
    wastes = 0
    if mode.by_remainder and node.brought < 0:
        entered, wastes = enter_by_remainder(
            workspace.table, progress.capacity, node.place, mask, waste, mode.draw
        )
    else:
        entered = enter(
            workspace.table,
            progress.capacity,
            node.place,
            mask,
            waste,
            suit_brought(node.brought, layout),
            mode.draw,
            mode.each_waste,
        )
    if entered == DOMINATED:
        return DOMINATED, 0, True
    again = entered != NEW or wastes != 0
    reach = within_reach(node.stock, mode.draw, workspace.every)
    if again and node.brought < 0 and mode.off & EXTRA == 0:
        if mode.by_remainder:
            reach &= ~_reach_of_wastes(wastes, mask, mode.draw, workspace.every)
        elif not mode.each_waste:
            reach &= ~reach_of_entered(entered, mask, mode.draw, workspace.every)
    if entered == NEW:
        progress.used += 1
        # Dead ends count too: the table must never fill up.
        if 3 * progress.used > 2 * progress.capacity:
            if 2 * progress.capacity > workspace.table.shape[0]:
                return FULL, 0, again
            if not grow(workspace.table, progress.capacity, workspace.moves, progress.top):
                return FULL, 0, again
            progress.capacity *= 2
    if again and reach == 0:
        return DOMINATED, 0, again
    return entered, reach, again


@search_kernel
def _reach_of_wastes(wastes, mask, draw, every):
    """Return the places within reach of a set of wastes [extra reach]."""
    shown = within_reach(mask, draw, every)
    edge = waste = 0
    while wastes >> waste > 1:
        waste += 1
        edge = lowest(mask >> edge) + edge + 1
        if (wastes >> waste) & 1 != 0:
            shown |= within_reach(mask | edge << 24, draw, every)
    return shown


@inlined_kernel
def forget_node(node, entered, mode, layout, workspace):
    """Take a node out of the table again; `entered` is what `enter_node` found."""
    if entered == NO_ENTRY:
        return
    progress = workspace.progress
    if mode.limited is not None or mode.whole is not None:
        row = _row(node, mode, layout)
        forget_row(workspace.table, progress.capacity, row, mode.whole)
        return
    forget(
        workspace.table,
        progress.capacity,
        node.place,
        node.stock & STOCK_MASK,
        waste_of(node.stock),
        suit_brought(node.brought, layout),
        mode.each_waste or mode.by_remainder,
        entered,
    )
    if entered == NEW:
        progress.used -= 1


@inlined_kernel
def prefetch_successors(node, first, top, mode, layout, workspace):
    """Prefetch the entries of what the steps first…top lead to, provided that nothing rises."""
    size = workspace.progress.capacity
    if size < LARGE_TABLE or mode.limited is not None or mode.whole is not None:
        return
    mask = node.stock & STOCK_MASK
    for at in range(first, top):
        kind = workspace.moves[at] >> 6
        bit = workspace.moves[at] & 63
        place, left = node.place, mask
        if kind in (HEAD_UP, REVEAL):
            place -= COLUMN_WEIGHT[layout.column_of[bit]]
        elif kind in (STOCK_UP, STOCK_DOWN):
            left ^= 1 << layout.stock_index[bit]
        else:
            continue
        if kind in (HEAD_UP, STOCK_UP):
            place += HEIGHT_WEIGHT[layout.suit_of[bit]]
        prefetch_position(workspace.table, size, place, left)
