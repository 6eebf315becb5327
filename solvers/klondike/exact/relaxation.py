"""Dead-end test of the exact search: the relaxed game in which nothing is ever used up."""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import ALL, KINGS, lowest, with_all_lower
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.klondike.stock_turns import (
    STOCK_MASK,
    card_set,
    further_reach,
    next_shown,
    passed,
    redeals_left,
    top_of,
)
from solvers.klondike.exact.arrangement import carrying
from solvers.klondike.exact.building import (
    below_groups,
    columns_for_kings,
    empty_columns,
    group_of,
    with_room,
)
from solvers.klondike.exact.rules import ANY_CARD, KINGS_ONLY


@search_kernel
def is_dead_end(position, reach, again, mode, layout, table):
    """Whether a position is lost in the relaxed game, where nothing is ever used up [relaxation].

    Facts only grow: `can_up` that can be up, `seen` that can be visible in the tableau, `free`
    that can be turned up anywhere, columns dug ever deeper, stock cards taken. `reach` are the
    places of the stock from which the next card of it is to be taken, `table` is
    `every_table(draw)`. Where a position is entered `again`, it is only asked whether one of them
    ever can be taken. At draw 1, and where no redeal is left, a limited stock is turned card by
    card instead, whatever `reach` is [passes].
    """
    up, loose, heads = position.up, position.loose, position.heads
    seen = loose | heads
    cards = position.stock & STOCK_MASK
    waiting = card_set(reach, layout.stock_sets)  # within reach, not yet taken
    free = up | seen | waiting
    tops = heads
    # What may go into an empty column, once there is one; where any card may, none sits for ever.
    into_empty = KINGS
    sits = ALL
    open_column = columns_for_kings(position.columns, loose) > 0
    if mode.general is not None and mode.spaces != KINGS_ONLY:
        if mode.spaces == ANY_CARD:
            into_empty = ALL
            sits = 0
            open_column = empty_columns(position.columns) > 0
        else:
            into_empty = 0
    taken = 0
    by_passes = False
    edge = redeals = at_redeal = 0
    if mode.limited is not None:
        redeals = redeals_left(position.stock)
        by_passes = mode.draw == 1 or redeals == 0
        if by_passes:
            edge = passed(position.stock)
            waiting = card_set(top_of(cards & edge), layout.stock_sets)
            free = up | seen | waiting

    can_up = up
    covered = 0  # where only whole runs move: what carries a card that stays
    while True:
        if mode.whole is None:
            can_up = with_all_lower(free)
        else:
            covered = _covered(position, can_up, mode)
            while True:
                more = with_all_lower(free & ~covered)
                if more == can_up:
                    break
                can_up = more
                covered = _covered(position, can_up, mode)
        if can_up == ALL:
            return False
        if can_up & loose & KINGS:
            open_column = True
        # A loose card that cannot go up takes one of its places for ever.
        if mode.whole is None:
            room = with_room(seen, loose & sits & ~can_up, mode)
        else:
            room = group_of(seen & ~covered, mode)
        placeable = below_groups(room, mode)
        if open_column:
            placeable |= into_empty
        leaving = can_up | placeable
        placed = free & placeable & ~seen
        dug = tops & leaving
        drawn = waiting & leaving
        if placed | dug | drawn == 0:
            if not by_passes:
                return True
            # No more can be taken as the waste lies: turn until a card shows that can leave.
            free &= ~waiting
            waiting = 0
            while waiting & (placeable | with_all_lower(free | waiting)) == 0:
                if cards & ~edge == 0:
                    if redeals == 0 or cards == at_redeal:
                        return True
                    redeals -= 1
                    at_redeal = cards
                    edge = 0
                shown = next_shown(cards & ~edge, mode.draw, table)
                edge = shown | (shown - 1)
                waiting = card_set(shown, layout.stock_sets)
            free |= waiting
            continue
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

        if by_passes:
            if drawn != 0:
                cards ^= 1 << layout.stock_index[lowest(drawn)]
                waiting = card_set(top_of(cards & edge), layout.stock_sets)
                free |= waiting
        elif drawn != 0:
            waiting ^= drawn
            if reach != cards:
                # Enough cards below it can go to bring a card to a place that is turned up, or
                # the card after it can go, which then shows it on the waste.
                while drawn != 0:
                    taken |= 1 << layout.stock_index[lowest(drawn)]
                    drawn &= drawn - 1
                more = further_reach(cards, reach, taken, mode.draw, table)
                if more != 0:
                    reach |= more
                    more = card_set(more, layout.stock_sets)
                    waiting |= more
                    free |= more


@inlined_kernel
def _covered(position, can_up, mode):
    """Return the cards on which one lies that cannot go up, where only whole runs move."""
    loose = position.loose & ~can_up
    return carrying(loose, position.low, position.high, position.bases, mode.building)
