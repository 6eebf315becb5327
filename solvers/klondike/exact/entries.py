"""Entries of nodes in the transposition table or the store of stocks."""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import lowest
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.kernels.filling import fill_part
from engine.klondike.stock_turns import STOCK_MASK, limited_reach, redeals_left, within_reach
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
from solvers.klondike.exact.stocks import clear_store, is_dominated, prefetch_place, save_stock
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
from solvers.klondike.exact.wide_table import enter_row, forget_row, grow_rows, row_of, words_of

# From this many entries on, a table is too large for the processor's cache.
LARGE_TABLE = 1 << 18


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
    if mode.by_stocks is not None and mode.store_alone and node.brought < 0:
        entered = _enter_in_store(node, workspace.store)
        return entered, node.stock & STOCK_MASK, False
    if _is_rarely_met(node.brought, mode):
        return NO_ENTRY, reach_of(node.stock, mode, workspace), False
    if mode.limited is not None or mode.whole is not None:
        reach = reach_of(node.stock, mode, workspace)
        entered = _enter_row(node, mode.limited, mode.whole, mode, layout, workspace)
        return entered, reach, False
    return _enter_in_table(node, node.stock & STOCK_MASK, mode, layout, workspace)


@inlined_kernel
def _is_rarely_met(brought, mode):
    """Whether a position in which a card was just brought is rarely met again."""
    if brought < 0:
        return False
    if mode.by_stocks is not None and (mode.draw == 1 or brought >= FROM_STOCK):
        return brought >= FROM_STOCK
    return mode.off & ORDER == 0


@inlined_kernel
def _enter_in_store(node, store):
    """Enter a node in the store of stocks; returns the first that `enter_node` does."""
    if store is None:
        return NO_ENTRY
    mask = node.stock & STOCK_MASK
    if is_dominated(store, node.place, mask):
        return DOMINATED
    return save_stock(store, node.place, mask)


@inlined_kernel
def _is_dominated_at_draw_1(place, mask, store):
    """Whether a stock that contains this one was found lost at draw 1."""
    if store is None:
        return False
    return is_dominated(store, place, mask)


@inlined_kernel
def clear_stocks(store):
    """Empty the store of stocks, if there is one."""
    if store is not None:
        clear_store(store)


@inlined_kernel
def _prefetch_stocks(place, store):
    if store is not None:
        prefetch_place(store, place)


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
def _enter_row(node, limited, whole, mode, layout, workspace):
    """Enter a node in the wide table; returns the first that `enter_node` does."""
    if limited is None and whole is None:
        return NO_ENTRY  # so that the rest need not be compiled
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
    if (
        mode.by_stocks is not None
        and mode.asks
        and _is_dominated_at_draw_1(node.place, mask, workspace.store)
    ):
        return DOMINATED, 0, again
    return entered, reach, again


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
def _forget_row(node, limited, whole, mode, layout, workspace):
    """Take a node out of the wide table again."""
    if limited is None and whole is None:
        return
    row = _row(node, mode, layout)
    forget_row(workspace.table, workspace.progress.capacity, row, whole)


@inlined_kernel
def forget_node(node, entered, mode, layout, workspace):
    """Take a node out of the table again; `entered` is what `enter_node` found."""
    if entered == NO_ENTRY:
        return
    progress = workspace.progress
    if mode.limited is not None or mode.whole is not None:
        _forget_row(node, mode.limited, mode.whole, mode, layout, workspace)
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
    if mode.by_stocks is not None and mode.store_alone:
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
        if mode.by_stocks is not None and mode.asks:
            _prefetch_stocks(place, workspace.store)
