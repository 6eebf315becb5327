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
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.klondike.stock_turns import card_set
from solvers.klondike.exact.arrangement import TO_COLUMN, into_spaces, number_of, openings_of
from solvers.klondike.exact.building import (
    children_of,
    group_of,
    openings,
    parents_of,
    safe_cards,
)
from solvers.klondike.exact.position import (
    BASE,
    DOWN,
    FROM_STOCK,
    HEAD_UP,
    LOOSE_UP,
    REVEAL,
    STOCK_DOWN,
    STOCK_UP,
)
from solvers.klondike.exact.rules import ORDER, SAFE, USE

# At most one step for a card of the stock, two for a head, one for a top of the foundations and
# one LOOSE_UP a suit.
MOVES_PER_FRAME = 24 + 2 * 7 + 4 + 4
# Where only whole runs move, one for each of up to four parents and a column.
MOVES_PER_WHOLE_FRAME = 5 * MOVES_PER_FRAME + 5 * 7


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
    card = can_come = 0
    if mode.forward is None:
        tops = up & ~previous_in_suit(up)
        can_come = tops if mode.off & SAFE != 0 else tops & ~safe_cards(up, mode)
        downs = can_come & can_be_placed
        onto = 0  # what is only brought onto the card just brought
        if brought >= 0:
            card = 1 << (brought & 63)
            if mode.off & ORDER == 0 or _is_from_stock(brought, mode):
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
            coming = heads | (0 if _brings_stock(mode) else drawable)
            needed = _may_be_needed(waiting, coming, up, drawable, mode)
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
    if _brings_stock(mode):
        down = drawable & (placeable if brought >= FROM_STOCK else can_be_placed)
        if mode.off & USE == 0:
            waiting = visible & following & ~can_be_bare
            coming = (heads & ~(following & can_be_bare)) | can_come
            down &= _needed_next(waiting, coming, can_be_placed, drawable, mode)
    wanted = parents_of(heads, mode)
    top = _write_down(moves, top, STOCK_DOWN, down & ~wanted, hosts, position, mode)
    top = _write_down(moves, top, STOCK_DOWN, down & wanted, hosts, position, mode)
    if mode.whole is not None:
        # A base that stays in its column gains nothing, so it only goes onto other cards.
        top = _write_places(moves, top, BASE, position.bases & ~KINGS, can_be_bare, 0, mode)
    if brought < 0 or (mode.off & ORDER != 0 and not _is_from_stock(brought, mode)):
        top = write_steps(moves, top, STOCK_UP, drawable & following)
    top = write_steps(moves, top, LOOSE_UP, loose & following & bare & ~card)

    head_up = heads & following & bare
    reveal = heads & placeable & ~(settled & can_be_bare)
    if mode.whole is not None:
        spaces = into_spaces(position.columns, position.bases, mode)
        top = _write_places(moves, top, REVEAL, reveal, hosts, spaces, mode)
        return write_steps(moves, top, HEAD_UP, head_up)
    return _write_heads(head_up, reveal, position.columns, mode, layout, moves, top)


@inlined_kernel
def _brings_stock(mode):
    """Whether a STOCK_DOWN only brings a card."""
    return mode.by_stocks is not None and mode.brings_stock


@inlined_kernel
def _is_from_stock(brought, mode):
    """Whether a card was just brought from the stock."""
    return mode.by_stocks is not None and brought >= FROM_STOCK


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

    What was possible before is not tried after it [worrying back, bringing].
    """
    up, loose, visible = position.up, position.loose, position.loose | position.heads
    bare_before, placeable_before = openings(position.columns, visible & ~card, loose & ~card, mode)
    bare &= ~bare_before
    placeable &= ~placeable_before
    if _is_from_stock(position.brought, mode):
        return bare, placeable, downs & placeable
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


@search_kernel
def _needed_next(waiting, coming, can_be_placed, drawable, mode):
    """Return the stock cards that begin a row of brings which ends with a step that needs it [use].

    `waiting` need their twins to go up, `coming` a place on a parent where `can_be_placed` has
    none. Each of the row lies on the one brought before it.
    """
    needed = drawable & group_of(waiting, mode)
    coming |= needed
    while True:
        more = drawable & parents_of(coming & ~can_be_placed, mode) & ~needed
        if more == 0:
            return needed
        needed |= more
        coming = more


@search_kernel
def write_steps(moves, top, kind, cards):
    """Write one step of this kind for each card of a set; return the new top."""
    while cards != 0:
        moves[top] = kind << 6 | lowest(cards)
        cards &= cards - 1
        top += 1
    return top


@inlined_kernel
def _write_heads(head_up, reveal, columns, mode, layout, moves, top):
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
                if mode.by_stocks is not None and depth == 1 and (KINGS >> bit) & 1:
                    continue  # from one empty column to another
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
