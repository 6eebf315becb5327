"""Steps that the exact search tries from a position of `solvers.klondike.exact.position`.

A position is any NamedTuple with ``up``, ``loose``, ``heads``, ``columns``, ``stock`` and
``brought``, such as `solvers.klondike.exact.nodes.Node`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import (
    ACES,
    ALL,
    KINGS,
    lowest,
    next_in_suit,
    previous_in_suit,
    swap_twins,
)
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.stock_turns import card_set
from solvers.klondike.exact.position import (
    DOWN,
    FROM_STOCK,
    HEAD_UP,
    LOOSE_UP,
    REVEAL,
    STOCK_DOWN,
    STOCK_UP,
    bare_cards,
    free_columns,
    parents_of,
    safe_cards,
)
from solvers.klondike.exact.rules import BRING, ORDER, SAFE, USE

# At most one step for a card of the stock, two for a head, one for a top of the foundations and
# one LOOSE_UP a suit.
MOVES_PER_FRAME = 24 + 2 * 7 + 4 + 4


@search_kernel
def steps(position, reach, draw, off, layout, moves, top):
    """Write the steps to try from a position to `moves[top:]`, best last; return the new top.

    `reach` are the places of the stock that are to be tried. If a card was just brought, only what
    needs that card is tried, or what may bring another.
    """
    up, loose, heads = position.up, position.loose, position.heads
    brought = position.brought
    visible = loose | heads
    can_be_bare = bare_cards(visible, loose)
    kings = free_columns(position.columns, loose) > 0
    can_be_placed = can_be_bare >> 4 | (KINGS if kings else 0)
    following = (next_in_suit(up) | ACES) & ~up
    tops = up & ~previous_in_suit(up)
    drawable = card_set(reach, layout.stock_sets)
    brings = draw == 1 and off & BRING == 0  # whether a STOCK_DOWN only brings a card

    can_come = tops if off & SAFE != 0 else tops & ~safe_cards(up)
    downs = can_come & can_be_placed
    bare = can_be_bare
    placeable = can_be_placed
    card = 0
    if brought >= 0:
        card = 1 << (brought & 63)
        if off & ORDER == 0 or brought >= FROM_STOCK:
            bare, placeable, downs = _new_since(position, card, kings, bare, placeable, downs)
    if downs != 0 and off & USE == 0:
        coming = heads | (0 if brings else drawable)
        downs &= _may_be_needed(visible & following, coming, up, drawable)
    top = write_steps(moves, top, DOWN, downs)

    if brings:
        down = drawable & (placeable if brought >= FROM_STOCK else can_be_placed)
        if off & USE == 0:
            waiting = visible & following & ~can_be_bare
            coming = (heads & ~(following & can_be_bare)) | can_come
            down &= _needed_next(waiting, coming, can_be_placed, drawable)
    else:
        # What can go up need not be placed: the rise of loose cards would take it up at once.
        # After a DOWN it was possible before, too.
        down = drawable & placeable & ~following
    wanted = parents_of(heads)
    top = write_steps(moves, top, STOCK_DOWN, down & ~wanted)
    top = write_steps(moves, top, STOCK_DOWN, down & wanted)
    if brought < 0 or (off & ORDER != 0 and brought < FROM_STOCK):
        top = write_steps(moves, top, STOCK_UP, drawable & following)
    top = write_steps(moves, top, LOOSE_UP, loose & following & bare & ~card)

    head_up = heads & following & bare
    reveal = heads & placeable & ~(following & can_be_bare)
    return _write_heads(head_up, reveal, position.columns, layout, moves, top)


@inlined_kernel
def _new_since(position, card, kings, bare, placeable, downs):
    """Return the cards newly bare, newly placeable and newly to bring down since the card came.

    What was possible before is not tried after it [worrying back, bringing].
    """
    up, loose, visible = position.up, position.loose, position.loose | position.heads
    bare_before = bare_cards(visible & ~card, loose & ~card)
    placeable_before = bare_before >> 4
    if kings or (card & KINGS) != 0:
        placeable_before |= KINGS
    bare &= ~bare_before
    placeable &= ~placeable_before
    if position.brought < FROM_STOCK:
        # Two DOWNs that do not need each other are tried in one order only.
        tops_before = (up | card) & ~previous_in_suit(up | card)
        higher = ALL & ~((card << 1) - 1)
        downs &= higher | ~(tops_before & placeable_before)
    else:
        downs &= placeable
    return bare, placeable, downs


@search_kernel
def _may_be_needed(waiting, coming, up, drawable):
    """Return the cards that may be needed in the tableau, whatever else is brought [use].

    `waiting` may need their twins there to go up, `coming` a place on a parent; so may each card
    of `up` or `drawable` that may itself be needed, and the cards that lie on one of `up`.
    """
    needed = swap_twins(waiting)
    while True:
        coming |= needed & (up | drawable)
        more = (parents_of(coming) | (next_in_suit(needed & up) & up)) & ~needed
        if more == 0:
            return needed
        needed |= more


@search_kernel
def _needed_next(waiting, coming, can_be_placed, drawable):
    """Return the stock cards that begin a row of brings which ends with a step that needs it [use].

    `waiting` need their twins to go up, `coming` a place on a parent where `can_be_placed` has
    none. Each of the row lies on the one brought before it.
    """
    needed = drawable & swap_twins(waiting)
    coming |= needed
    while True:
        more = drawable & parents_of(coming & ~can_be_placed) & ~needed
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
def _write_heads(head_up, reveal, columns, layout, moves, top):
    """Write the steps of heads, those of the deepest columns last; return the new top."""
    first = top
    rest = head_up | reveal
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        column = layout.column_of[bit]
        depth = (columns >> (4 * column)) & 15
        if (head_up >> bit) & 1:
            step = HEAD_UP << 6 | bit
        elif depth == 1 and (KINGS >> bit) & 1:
            continue  # from one empty column to another
        else:
            step = REVEAL << 6 | bit
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
