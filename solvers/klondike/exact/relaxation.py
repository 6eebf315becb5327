"""Dead-end test of the exact search: the relaxed game in which nothing is ever used up."""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import ALL, EVEN, KINGS, both_of_pairs, lowest, with_all_lower
from engine.kernels import search_kernel
from engine.klondike.stock_turns import STOCK_MASK, card_set, further_reach
from solvers.klondike.exact.position import free_columns


@search_kernel
def is_dead_end(position, reach, again, draw, layout, table):
    """Whether a position is lost in the relaxed game, where nothing is ever used up [relaxation].

    Facts only grow: `can_up` that can be up, `seen` that can be visible in the tableau, `free`
    that can be turned up anywhere, columns dug ever deeper, stock cards taken. `reach` are the
    places of the stock from which the next card of it is to be taken, `table` is
    `every_table(draw)`. Where a position is entered `again`, it is only asked whether one of them
    ever can be taken.
    """
    up, loose, heads = position.up, position.loose, position.heads
    seen = loose | heads
    cards = position.stock & STOCK_MASK
    waiting = card_set(reach, layout.stock_sets)  # within reach, not yet taken
    free = up | seen | waiting
    tops = heads
    open_column = free_columns(position.columns, loose) > 0
    taken = 0

    while True:
        can_up = with_all_lower(free)
        if can_up == ALL:
            return False
        if can_up & loose & KINGS:
            open_column = True
        one = (seen | (seen >> 1)) & EVEN
        two = seen & (seen >> 1) & EVEN
        sitting = (loose & ~can_up) << 4  # on one of the two places until it goes up
        sitting = (sitting | (sitting >> 1)) & EVEN
        placeable = both_of_pairs((one & ~sitting) | two) >> 4
        if open_column:
            placeable |= KINGS
        leaving = can_up | placeable
        placed = free & placeable & ~seen
        dug = tops & leaving
        drawn = waiting & leaving
        if placed | dug | drawn == 0:
            return True
        if again and drawn != 0:
            return False
        seen |= placed

        while dug != 0:
            bit = lowest(dug)
            dug &= dug - 1
            tops ^= 1 << bit
            below = layout.below[bit]
            if below == 0:
                open_column = True
            free |= below
            seen |= below
            tops |= below
            dug |= below & leaving

        if drawn != 0:
            waiting ^= drawn
            if reach != cards:
                while drawn != 0:
                    taken |= 1 << layout.stock_index[lowest(drawn)]
                    drawn &= drawn - 1
                more = further_reach(cards, reach, taken, draw, table)
                if more != 0:
                    reach |= more
                    more = card_set(more, layout.stock_sets)
                    waiting |= more
                    free |= more
