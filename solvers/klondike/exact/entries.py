"""Entries of nodes in the transposition table or the store of stocks."""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import lowest
from engine.filling import fill_part
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.stock_turns import STOCK_MASK, within_reach
from solvers.klondike.exact.nodes import suit_brought, waste_of
from solvers.klondike.exact.position import (
    COLUMN_WEIGHT,
    FROM_STOCK,
    HEAD_UP,
    HEIGHT_WEIGHT,
    REVEAL,
    STOCK_DOWN,
    STOCK_UP,
)
from solvers.klondike.exact.rules import EXTRA, ORDER
from solvers.klondike.exact.stocks import is_dominated, prefetch_place, save_stock
from solvers.klondike.exact.table import (
    DOMINATED,
    FULL,
    NEW,
    NO_ENTRY,
    SMALLEST_TABLE,
    enter,
    forget,
    grow,
    prefetch_position,
)

# From this many entries on, a table is too large for the processor's cache.
LARGE_TABLE = 1 << 18


@inlined_kernel
def clear_table(workspace):
    """Empty the table."""
    progress = workspace.progress
    progress.capacity = SMALLEST_TABLE
    progress.used = 0
    fill_part(workspace.table, 0, SMALLEST_TABLE, 0)


@inlined_kernel
def enter_node(node, mode, layout, workspace):
    """Enter a node.

    Returns:
        Of its entry: NEW, NO_ENTRY, a number of 0 or more for `forget_node`, DOMINATED
        if it need not be searched, FULL if there is no room; and the places of the stock to try.
    """
    mask = node.stock & STOCK_MASK
    if mode.by_stocks and node.brought < 0:
        if is_dominated(workspace.store, node.place, mask):
            return DOMINATED, 0
        return save_stock(workspace.store, node.place, mask), mask
    if node.brought >= FROM_STOCK or (
        node.brought >= 0 and mode.draw > 1 and mode.off & ORDER == 0
    ):
        # Rarely met again.
        return NO_ENTRY, within_reach(node.stock, mode.draw, workspace.every)
    return _enter_in_table(node, mask, mode, layout, workspace)


@inlined_kernel
def _enter_in_table(node, mask, mode, layout, workspace):
    """Enter a node in the table; returns as `enter_node`."""
    progress = workspace.progress
    entered = enter(
        workspace.table,
        progress.capacity,
        node.place,
        mask,
        waste_of(node.stock),
        suit_brought(node.brought, layout),
        mode.draw,
        mode.each_waste,
    )
    if entered == DOMINATED:
        return DOMINATED, 0
    reach = within_reach(node.stock, mode.draw, workspace.every)
    if entered == NEW:
        progress.used += 1
        # Dead ends count too: the table must never fill up.
        if 3 * progress.used > 2 * progress.capacity:
            if 2 * progress.capacity > workspace.table.shape[0]:
                return FULL, 0
            # Above the steps still to try there is room.
            if not grow(workspace.table, progress.capacity, workspace.moves, progress.top):
                return FULL, 0
            progress.capacity *= 2
    elif not mode.each_waste and node.brought < 0 and mode.off & EXTRA == 0:
        reach &= ~reach_of_entered(entered, mask, mode.draw, workspace.every)
        if reach == 0:
            return DOMINATED, 0
    if mode.asks and is_dominated(workspace.store, node.place, mask):
        return DOMINATED, 0
    return entered, reach


@search_kernel
def reach_of_entered(field, mask, draw, every):
    """Return the places within reach of the wastes a position was entered with [extra reach].

    `field` is that of its entry in the table, up to draw 3.
    """
    shown = within_reach(mask, draw, every)
    for remainder in range(1, draw):
        smallest = (field >> (4 * (remainder - 1))) & 15
        if smallest > 0:
            waste = (smallest - 1) * draw + remainder
            edge = 0
            rest = mask
            for _ in range(waste):
                edge = lowest(rest) + 1
                rest &= rest - 1
            shown |= within_reach(mask | edge << 24, draw, every)
    return shown


@inlined_kernel
def forget_node(node, entered, mode, layout, workspace):
    """Take a node out of the table again; `entered` is what `enter_node` found."""
    if entered == NO_ENTRY:
        return
    progress = workspace.progress
    forget(
        workspace.table,
        progress.capacity,
        node.place,
        node.stock & STOCK_MASK,
        waste_of(node.stock),
        suit_brought(node.brought, layout),
        mode.each_waste,
        entered,
    )
    if entered == NEW:
        progress.used -= 1


@inlined_kernel
def prefetch_successors(node, first, top, mode, layout, workspace):
    """Prefetch the entries of what the steps first…top lead to, provided that nothing rises."""
    size = workspace.progress.capacity
    if size < LARGE_TABLE or mode.by_stocks:
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
        if mode.asks:
            prefetch_place(workspace.store, place)
