"""Steps that the exact search tries from a node."""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import (
    ACES,
    ALL,
    KINGS,
    lowest,
    next_in_suit,
    previous_in_suit,
)
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.stock_turns import card_set
from solvers.klondike.exact.steps import write_steps
from solvers.klondike.exact_all.arrangement import TO_COLUMN, into_spaces, number_of, openings_of
from solvers.klondike.exact_all.building import (
    children_of,
    group_of,
    openings,
    parents_of,
    safe_cards,
)
from solvers.klondike.exact_all.position import (
    BASE,
    DOWN,
    HEAD_UP,
    LOOSE_UP,
    REVEAL,
    STOCK_DOWN,
    STOCK_UP,
)
from solvers.klondike.exact_all.rules import ORDER, SAFE, USE

# At most one step for a card of the stock, two for a head, one for a top of the foundations and
# one LOOSE_UP a suit.
_MOST = 24 + 2 * 7 + 4 + 4
# Where only whole runs move, one for each of up to four parents and a column.
MOVES_PER_FRAME = 5 * _MOST + 5 * 7


@search_kernel
def steps(position, reach, mode, layout, moves, top):
    """Write the steps to try from a position to `moves[top:]`, best last; return the new top.

    `reach` are the places of the stock that are to be tried. If a card was just brought, only what
    needs that card is tried, or what may bring another.
    """
    up, loose, heads = position.up, position.loose, position.heads
    brought = position.brought
    visible = loose | heads
    can_be_bare, can_be_placed = openings_of(position, mode)
    following = (next_in_suit(up) | ACES) & ~up
    drawable = card_set(reach, layout.stock_sets)
    bare = can_be_bare
    placeable = can_be_placed
    hosts = can_be_bare  # where only whole runs move: the cards that are tried as places
    card = 0
    if mode.forward is None:
        tops = up & ~previous_in_suit(up)
        can_come = tops if mode.off & SAFE != 0 else tops & ~safe_cards(up, mode)
        downs = can_come & can_be_placed
        onto = 0  # what is only brought onto the card just brought
        if brought >= 0:
            card = 1 << brought
            if mode.off & ORDER == 0:
                if mode.whole is None:
                    bare, placeable, downs = _new_since(
                        position, card, bare, placeable, downs, mode
                    )
                else:
                    bare, placeable, hosts = 0, children_of(card, mode), card
                    onto = downs & placeable
                    downs &= _higher(card) | previous_in_suit(card)
                    onto &= ~downs
        if downs | onto != 0 and mode.off & USE == 0:
            waiting = 0
            if mode.whole is None:
                waiting = visible & following
            needed = _may_be_needed(waiting, heads | drawable, up, drawable, mode)
            downs &= needed
            onto &= needed
        top = _write_down(moves, top, DOWN, downs, can_be_bare, position, mode)
        if mode.whole is not None:
            top = _write_places(moves, top, DOWN, onto, hosts, 0, mode)
        # What can go up need not be placed: the rise of loose cards would take it up at once.
        # After a DOWN it was possible before, too.
        settled = following
    else:
        settled = 0 if mode.off & SAFE != 0 else following & safe_cards(up, mode)

    down = drawable & placeable & ~settled
    wanted = parents_of(heads, mode)
    top = _write_down(moves, top, STOCK_DOWN, down & ~wanted, hosts, position, mode)
    top = _write_down(moves, top, STOCK_DOWN, down & wanted, hosts, position, mode)
    if mode.whole is not None:
        # A base that stays in its column gains nothing, so it only goes onto other cards.
        top = _write_places(moves, top, BASE, position.bases & ~KINGS, can_be_bare, 0, mode)
    if brought < 0 or mode.off & ORDER != 0:
        top = write_steps(moves, top, STOCK_UP, drawable & following)
    top = write_steps(moves, top, LOOSE_UP, loose & following & bare & ~card)

    head_up = heads & following & bare
    reveal = heads & placeable & ~(settled & can_be_bare)
    if mode.whole is not None:
        spaces = into_spaces(position.columns, position.bases, mode)
        top = _write_places(moves, top, REVEAL, reveal, hosts, spaces, mode)
        return write_steps(moves, top, HEAD_UP, head_up)
    return _write_heads(head_up, reveal, position.columns, layout, moves, top)


@inlined_kernel
def _write_down(moves, top, kind, cards, bare, position, mode):
    """Write the steps that place cards, and where they can; return the new top."""
    if mode.whole is None:
        return write_steps(moves, top, kind, cards)
    spaces = into_spaces(position.columns, position.bases, mode)
    return _write_places(moves, top, kind, cards, bare, spaces, mode)


@search_kernel
def _write_places(moves, top, kind, cards, bare, spaces, mode):
    """Write a step for each card and each place for it, on a bare card or in a column."""
    while cards != 0:
        bit = lowest(cards)
        card = 1 << bit
        cards ^= card
        if spaces & card != 0:
            moves[top] = TO_COLUMN << 9 | kind << 6 | bit
            top += 1
        parents = parents_of(card, mode) & bare
        while parents != 0:
            where = number_of(lowest(parents), mode)
            parents &= parents - 1
            moves[top] = where << 9 | kind << 6 | bit
            top += 1
    return top


@inlined_kernel
def _new_since(position, card, bare, placeable, downs, mode):
    """Return the cards newly bare, newly placeable and newly to bring down since the card came.

    What was possible before is not tried after it [worrying back].
    """
    up, loose, visible = position.up, position.loose, position.loose | position.heads
    bare_before, placeable_before = openings(position.columns, visible & ~card, loose & ~card, mode)
    bare &= ~bare_before
    placeable &= ~placeable_before
    # Two DOWNs that do not need each other are tried in one order only.
    tops_before = (up | card) & ~previous_in_suit(up | card)
    downs &= _higher(card) | ~(tops_before & placeable_before)
    return bare, placeable, downs


@inlined_kernel
def _higher(card):
    """Return the cards whose bits are higher than that of a card."""
    return ALL & ~((card << 1) - 1)


@search_kernel
def _may_be_needed(waiting, coming, up, drawable, mode):
    """Return the cards that may be needed in the tableau, whatever else is brought [use].

    `waiting` may need others of their group there to go up, `coming` a place on a parent; so may
    each card of `up` or `drawable` that may itself be needed, and the cards that lie on one of
    `up`.
    """
    needed = group_of(waiting, mode)
    while True:
        coming |= needed & (up | drawable)
        more = (parents_of(coming, mode) | (next_in_suit(needed & up) & up)) & ~needed
        if more == 0:
            return needed
        needed |= more


@inlined_kernel
def _write_heads(head_up, reveal, columns, layout, moves, top):
    """Write the steps of heads, those of the deepest columns last; return the new top."""
    first = top
    rest = head_up | reveal
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        column = layout.column_of[bit]
        depth = (columns >> (4 * column)) & 15
        for way in range(2):
            if way == 0:
                if (reveal >> bit) & 1 == 0:
                    continue
                step = REVEAL << 6 | bit
            else:
                if (head_up >> bit) & 1 == 0:
                    continue
                step = HEAD_UP << 6 | bit
            at = top
            while at > first:
                other = layout.column_of[moves[at - 1] & 63]
                if (columns >> (4 * other)) & 15 <= depth:
                    break
                moves[at] = moves[at - 1]
                at -= 1
            moves[at] = step
            top += 1
    return top
