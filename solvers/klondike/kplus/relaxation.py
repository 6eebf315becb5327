"""Dead-end test of K+ by delete relaxation.

Bjarnason, Tadepalli, Fern 2007, section 4.1: the delete effects of the actions are removed, so a
card that is available to be moved, or to be played upon, remains so. A state from which the relaxed
game cannot bring all 52 cards up has no win. At the start of a deal this is the test `relaxed` of
`solvers.klondike.dead_ends.method`, which also documents the relaxation of the stock.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import (
    ALL,
    EVEN,
    KINGS,
    both_of_pairs,
    lowest,
    previous_in_suit,
    swap_twins,
    with_all_lower,
)
from engine.kernels.decorators import search_kernel
from engine.klondike.kplus import bases, empty_columns, tops
from engine.klondike.stock_turns import STOCK_MASK, card_set, further_reach, within_reach


@search_kernel
def is_dead_end(state, table):
    """Whether the relaxed game has no win from a state of `engine.klondike.kplus`."""
    draw = table.rules[0]
    open_cards = tops(state)  # face up with nothing on them, at some time
    resting = state.tableau  # face up, not yet found able to leave where they lie
    grounded = bases(state)
    open_column = empty_columns(state) > 0
    returning = state.up & ~previous_in_suit(state.up)  # tops of the foundations, at some time
    cards = state.stock & STOCK_MASK
    reach = within_reach(state.stock, draw, table.every)
    drawable = card_set(reach, table.stock_sets)
    undrawn = drawable
    taken = 0
    while True:
        can_up = with_all_lower(state.up | open_cards | drawable)
        if can_up == ALL:
            return False
        hosts = both_of_pairs((open_cards | (open_cards >> 1)) & EVEN)
        placeable = hosts >> 4
        if open_column:
            placeable |= KINGS
        leaving = resting & (placeable | (can_up & open_cards))
        if table.rules[1] == 0:
            # Without partial runs only bases, and cards that go up, leave their places.
            leaving &= grounded | (can_up & open_cards)
        drawn = undrawn & (placeable | can_up)
        landed = (drawable & placeable) & ~open_cards
        back = returning & placeable
        if leaving | drawn | landed | back == 0:
            return True
        resting ^= leaving
        open_cards |= landed | back
        open_cards |= (leaving & state.straight) << 4
        open_cards |= swap_twins(leaving & state.crossed) << 4
        returning = (returning ^ back) | (previous_in_suit(back) & state.up)
        digging = leaving & grounded
        while digging != 0:
            bit = lowest(digging)
            digging &= digging - 1
            turned = table.below[bit] & state.down
            if turned == 0:
                open_column = True
            resting |= turned
            grounded |= turned
            open_cards |= turned
        if drawn != 0:
            undrawn ^= drawn
            if reach != cards:
                while drawn != 0:
                    taken |= 1 << table.stock_index[lowest(drawn)]
                    drawn &= drawn - 1
                more = further_reach(cards, reach, taken, draw, table.every)
                reach |= more
                arrived = card_set(more, table.stock_sets)
                drawable |= arrived
                undrawn |= arrived
