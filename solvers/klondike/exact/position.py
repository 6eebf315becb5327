"""What a position of the exact search is, and which steps are tried from it.

The proofs of everything that is left out stand in `docs/search.md`; the names in brackets below,
such as [arrangement], are its sections.

**Position.** A card is *up* (on its foundation), *locked* (in its column where it was dealt or,
in a mid-game start, where nothing can lie between it and the face-down cards), *loose* (face up
on another card, or a king alone in a column) or in the stock. The topmost locked card of a column
is its *head*; heads and loose cards are *visible*. Which loose card lies where need not be known
[arrangement], so these six integers are the whole position:

=======  ==========================================================================================
up       set of cards on the foundations (sets as in `engine.cardset`)
loose    set of loose cards
heads    set of heads
columns  how many locked cards each column has, 4 bits each
stock    bit i: card i of the stock is still in stock or waste; bits 24…28: the *edge*, e where the
         cards left of those before card e lie in the waste, or 0 where the waste offers nothing
         beyond a fresh pass [waste]
place    foundation heights and locked counts in mixed radix, below 2³¹: the table key without
         the stock
=======  ==========================================================================================

**Steps.** HEAD_UP, REVEAL (a head with all that lies on it moves to a parent or a king's column),
STOCK_UP, STOCK_DOWN (one card of the stock within reach, to foundation or tableau), DOWN
(foundation to tableau) and LOOSE_UP. A step is ``kind << 6 | bit of the card``.

A DOWN, and with draw 1 a STOCK_DOWN, only *brings* a card: what follows it must need the card
[worrying back, bringing]. `brought` is the bit of the card just brought, plus FROM_STOCK where it
came from the stock, or -1.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import (
    ACES,
    ALL,
    EVEN,
    KINGS,
    LOW_TWO_RANKS,
    both_of_pairs,
    lowest,
    next_in_suit,
    popcount,
    previous_in_suit,
    swap_twins,
)
from engine.kernels import search_kernel
from engine.klondike.stock_turns import card_set

HEAD_UP, REVEAL, STOCK_UP, STOCK_DOWN, DOWN, LOOSE_UP = range(6)
FROM_STOCK = 64

# Rules of the search that may be switched off, each alone: their bits in `off`.
(
    SAFE,
    RISE,
    WASTE,
    EXTRA,
    ORDER,
    BRING,
    USE,
    STOCKS,
    REVEALS,
    RELAXATION,
    PAIRS,
    DRAW_ONE,
    RESTARTS,
) = (1 << bit for bit in range(13))
RULES: Mapping[str, int] = MappingProxyType(
    {
        "safe": SAFE,
        "rise": RISE,
        "waste": WASTE,
        "extra reach": EXTRA,
        "worrying back": ORDER,
        "bringing": BRING,
        "use": USE,
        "stock dominance": STOCKS,
        "reveals": REVEALS,
        "relaxation": RELAXATION,
        "pairs": PAIRS,
        "draw one": DRAW_ONE,
        "restarts": RESTARTS,
    }
)

_SPREAD = 0x1111111  # the lowest bit of each column's count

# At most one step for a card of the stock, two for a head, one for a top of the foundations and
# one LOOSE_UP a suit.
MOVES_PER_FRAME = 24 + 2 * 7 + 4 + 4

# Weights of `place`: four heights 0..13, then columns of at most 1, 2, … 7 locked cards.
HEIGHT_WEIGHT = np.array([14**suit for suit in range(4)], dtype=np.int64)
COLUMN_WEIGHT = np.array([14**4 * f for f in (1, 2, 6, 24, 120, 720, 5040)], dtype=np.int64)


class Deal(NamedTuple):
    """What stays the same during a search. Arrays of int64.

    below: [52], the locked card under a locked card, as a set, or no card, by bit.
    stock_sets: [768], ``[256 · k + b]`` the cards at places 8k…8k + 7 of the stock of which byte b
        has the bits.
    stock_index: [52], index of a card in the stock or -1, by bit.
    column_of: [52], the column in which a card is locked or -1, by bit.
    suit_of: [52], suit by bit.
    """

    below: NDArray[np.int64]
    stock_sets: NDArray[np.int64]
    stock_index: NDArray[np.int64]
    column_of: NDArray[np.int64]
    suit_of: NDArray[np.int64]


@search_kernel
def bare_cards(visible, loose):
    """Pairs of which one visible card can be made to carry nothing.

    The loose cards that can lie on a pair only lie on its visible cards, one each, and may be
    exchanged between them; so one can be bare exactly if they are fewer. A card can go up if it is
    in the result, and one can be placed if the pair four bits above it is.
    """
    one = (visible | (visible >> 1)) & EVEN
    two = (visible & (visible >> 1)) & EVEN
    children = loose << 4
    one_child = (children | (children >> 1)) & EVEN
    two_children = (children & (children >> 1)) & EVEN
    return both_of_pairs((one & ~one_child) | (two & ~two_children))


@search_kernel
def safe_cards(up):
    """Cards that never serve as a parent again once they are up [safe]."""
    ready = next_in_suit(up) | ACES  # up, or will be as soon as they are free to
    both_children = both_of_pairs(((ready & (ready >> 1)) & EVEN) << 4) & ALL
    twin_of_two_below = swap_twins((ready << 8) & ALL)
    return (both_children | ACES) & (twin_of_two_below | LOW_TWO_RANKS)


@search_kernel
def free_columns(columns, loose):
    """How many columns are open to a king."""
    locked = (columns | (columns >> 1) | (columns >> 2) | (columns >> 3)) & _SPREAD
    return 7 - popcount(locked) - popcount(loose & KINGS)


@search_kernel
def _write(moves, top, kind, cards):
    """Write one step of this kind for each card of a set; return the new top."""
    while cards != 0:
        moves[top] = kind << 6 | lowest(cards)
        cards &= cards - 1
        top += 1
    return top


@search_kernel
def hosts(cards):
    """The cards on which these can lie."""
    return both_of_pairs((cards | (cards >> 1)) & EVEN) << 4


@search_kernel
def hosted(cards):
    """The cards that can lie on these."""
    return both_of_pairs((cards | (cards >> 1)) & EVEN) >> 4


@search_kernel
def _may_be_needed(waiting, coming, up, drawable):
    """Cards that something may need in the tableau, whatever else is brought [use].

    `waiting` may need their twins there to go up, `coming` a place on a parent; so may each card
    of `up` or `drawable` that may itself be needed, and the cards that lie on one of `up`.
    """
    needed = swap_twins(waiting)
    while True:
        more = (hosts(coming) | (next_in_suit(needed & up) & up)) & ~needed
        if more == 0:
            return needed
        needed |= more
        coming = needed & (up | drawable)


@search_kernel
def _needed_next(waiting, coming, can_be_placed, drawable):
    """Stock cards to bring, because a row of them ends with a step that each makes possible [use].

    `waiting` need their twins to go up, `coming` a place on a parent where `can_be_placed` has
    none. Each of the row lies on the one brought before it.
    """
    needed = drawable & swap_twins(waiting)
    coming |= needed
    while True:
        more = drawable & hosts(coming & ~can_be_placed) & ~needed
        if more == 0:
            return needed
        needed |= more
        coming = more


@search_kernel
def steps(up, loose, heads, columns, stock, brought, reach, draw, off, deal, moves, top):
    """Write the steps to try from a position to `moves[top:]`, best last; return the new top.

    `reach` are the places of the stock that are to be tried; `brought` the card just brought, or
    -1: then only what needs that card is tried, or what may bring another.
    """
    visible = loose | heads
    bare = bare_cards(visible, loose)
    kings = free_columns(columns, loose) > 0
    placeable = bare >> 4 | (KINGS if kings else 0)
    following = (next_in_suit(up) | ACES) & ~up
    tops = up & ~previous_in_suit(up)
    drawable = card_set(reach, deal.stock_sets)
    brings = draw == 1 and off & BRING == 0  # whether a STOCK_DOWN only brings a card

    can_come = tops if off & SAFE != 0 else tops & ~safe_cards(up)
    downs = can_come & placeable
    can_be_placed = placeable
    can_be_bare = bare
    card = 0
    if brought >= 0:
        # What was possible before the card came is not tried after it.
        card = 1 << (brought & 63)
        if off & ORDER == 0 or brought >= FROM_STOCK:
            bare_before = bare_cards(visible & ~card, loose & ~card)
            placeable_before = bare_before >> 4
            if kings or (card & KINGS) != 0:
                placeable_before |= KINGS
            bare &= ~bare_before
            placeable &= ~placeable_before
            if brought < FROM_STOCK:
                # Two DOWNs that do not need each other are tried in one order only.
                tops_before = (up | card) & ~previous_in_suit(up | card)
                higher = ALL & ~((card << 1) - 1)
                downs &= higher | ~(tops_before & placeable_before)
            else:
                downs &= placeable
    if downs != 0 and off & USE == 0:
        coming = heads | (0 if brings else drawable)
        downs &= _may_be_needed(visible & following, coming, up, drawable)
    top = _write(moves, top, DOWN, downs)

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
    wanted = hosts(heads)
    top = _write(moves, top, STOCK_DOWN, down & ~wanted)
    top = _write(moves, top, STOCK_DOWN, down & wanted)
    if brought < 0 or (off & ORDER != 0 and brought < FROM_STOCK):
        top = _write(moves, top, STOCK_UP, drawable & following)
    top = _write(moves, top, LOOSE_UP, loose & following & bare & ~card)

    # Heads: those of the deepest columns end on top of the list.
    head_up = heads & following & bare
    reveal = heads & placeable & ~(following & can_be_bare)
    first = top
    rest = head_up | reveal
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        column = deal.column_of[bit]
        depth = (columns >> (4 * column)) & 15
        if (head_up >> bit) & 1:
            step = HEAD_UP << 6 | bit
        elif depth == 1 and (KINGS >> bit) & 1:
            continue
        else:
            step = REVEAL << 6 | bit
        at = top
        while at > first:
            other = deal.column_of[moves[at - 1] & 63]
            if (columns >> (4 * other)) & 15 <= depth:
                break
            moves[at] = moves[at - 1]
            at -= 1
        moves[at] = step
        top += 1
    return top
