"""Questions about sets of cards under each way of building and of filling spaces.

A *group* is all cards that can lie on the same cards: with alternating colours the two of a rank
and colour, with any suit the four of a rank, with the same suit one card. The cards of a group also
carry the same cards. Proofs: `docs/search/positions.md`, "Arrangement".
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import (
    ACES,
    ALL,
    EVEN,
    KINGS,
    LOW_TWO_RANKS,
    both_of_pairs,
    next_in_suit,
    popcount,
    previous_in_suit,
    swap_twins,
)
from engine.kernels.decorators import inlined_kernel, search_kernel
from solvers.klondike.exact.rules import ANY_CARD, ANY_SUIT, KINGS_ONLY, SAME_SUIT

_SPREAD = 0x1111111  # the lowest bit of each column's count
_RANKS = 0x1111111111111  # the lowest bit of each rank
_SEVENS = 0x7777777777777
_EIGHTS = 0x8888888888888
_TWOS = 0x3333333333333


@inlined_kernel
def group_of(cards, mode):
    """Return the groups of these cards."""
    if mode.general is not None:
        if mode.building == SAME_SUIT:
            return cards
        if mode.building == ANY_SUIT:
            return _ranks_of(cards)
    return both_of_pairs((cards | (cards >> 1)) & EVEN)


@inlined_kernel
def below_groups(groups, mode):
    """Return the cards that can lie on groups."""
    if mode.general is not None and mode.building == SAME_SUIT:
        return previous_in_suit(groups)
    return groups >> 4


@inlined_kernel
def parents_of(cards, mode):
    """Return the cards on which these can lie."""
    if mode.general is not None and mode.building == SAME_SUIT:
        return next_in_suit(cards)
    return (group_of(cards, mode) << 4) & ALL


@inlined_kernel
def children_of(cards, mode):
    """Return the cards that can lie on these."""
    return below_groups(group_of(cards, mode), mode)


@search_kernel
def _ranks_of(cards):
    cards |= cards >> 1
    cards |= cards >> 2
    return (cards & _RANKS) * 15


@search_kernel
def _counts(cards):
    """Return how many cards of each rank there are, in four bits each."""
    pairs = cards - ((cards >> 1) & EVEN)
    return (pairs & _TWOS) + ((pairs >> 2) & _TWOS)


@search_kernel
def _room_any_suit(visible, loose):
    children = (_counts(loose) << 4) & ALL
    # Bit 3 of each rank: more cards than children.
    return (((_counts(visible) + _SEVENS - children) >> 3) & _RANKS) * 15


@search_kernel
def bare_cards(visible, loose):
    """Return the pairs of which one visible card can be made to carry nothing, see `with_room`."""
    one = (visible | (visible >> 1)) & EVEN
    two = (visible & (visible >> 1)) & EVEN
    children = loose << 4
    one_child = (children | (children >> 1)) & EVEN
    two_children = (children & (children >> 1)) & EVEN
    return both_of_pairs((one & ~one_child) | (two & ~two_children))


@inlined_kernel
def with_room(visible, loose, mode):
    """Return the groups of which one visible card can be made to carry nothing, columns aside.

    The loose cards that can lie on a group only lie on its visible cards, one each, and may be
    exchanged between them; so one can be bare exactly if they are fewer.
    """
    if mode.general is not None:
        if mode.building == SAME_SUIT:
            return visible & ~next_in_suit(loose)
        if mode.building == ANY_SUIT:
            return _room_any_suit(visible, loose)
    return bare_cards(visible, loose)


@search_kernel
def _without_place(visible, loose, building):
    """Count the loose cards for which no card is there to lie on."""
    if building == SAME_SUIT:
        return popcount(loose & ~previous_in_suit(visible))
    placed = 0
    if building == ANY_SUIT:
        cards, children = _counts(visible), (_counts(loose) << 4) & ALL
        for least in range(1, 5):
            offset = _RANKS * (8 - least)
            placed += popcount(((cards + offset) >> 3) & ((children + offset) >> 3) & _RANKS)
    else:
        children = (loose << 4) & ALL
        one = (visible | (visible >> 1)) & (children | (children >> 1)) & EVEN
        two = (visible & (visible >> 1)) & (children & (children >> 1)) & EVEN
        placed = popcount(one) + popcount(two)
    return popcount(loose) - placed


@search_kernel
def empty_columns(columns):
    """Count the columns without locked cards."""
    locked = (columns | (columns >> 1) | (columns >> 2) | (columns >> 3)) & _SPREAD
    return 7 - popcount(locked)


@inlined_kernel
def columns_for_kings(columns, loose):
    """Count the empty columns that no loose king needs."""
    return empty_columns(columns) - popcount(loose & KINGS)


@inlined_kernel
def columns_left(columns, visible, loose, mode):
    """Count the empty columns that no loose card needs."""
    if mode.general is not None and mode.spaces == ANY_CARD:
        return empty_columns(columns) - _without_place(visible, loose, mode.building)
    return columns_for_kings(columns, loose)


@inlined_kernel
def openings(columns, visible, loose, mode):
    """Return the groups of which a visible card can be bare, and the cards that can be placed."""
    room = with_room(visible, loose, mode)
    places = below_groups(room, mode)
    if mode.general is not None and mode.spaces != KINGS_ONLY:
        if mode.spaces == ANY_CARD and columns_left(columns, visible, loose, mode) > 0:
            return ALL, ALL
        return room, places
    if columns_for_kings(columns, loose) > 0:
        places |= KINGS
    return room, places


@inlined_kernel
def becomes_loose(card, mode):
    """Whether a card (or none) that is the last locked one of its column is loose from then on."""
    if mode.by_stocks is not None:
        return False
    if mode.general is not None and mode.spaces != KINGS_ONLY:
        return mode.spaces == ANY_CARD
    return card & KINGS != 0


@search_kernel
def _safe_any_suit(ready):
    every = ready & (ready >> 1)
    every &= every >> 2
    # Of the rank below all suits; below that rank they are then up.
    return (((every & _RANKS) * 15) << 4) & ALL


@inlined_kernel
def safe_cards(up, mode):
    """Return the cards that are never needed as a parent once they are up [safe]."""
    ready = next_in_suit(up) | ACES  # up, or will be as soon as they are free to
    if mode.general is not None:
        if mode.building == SAME_SUIT:
            return ALL
        if mode.building == ANY_SUIT:
            return _safe_any_suit(ready) | ACES
    both_children = both_of_pairs(((ready & (ready >> 1)) & EVEN) << 4) & ALL
    twin_of_two_below = swap_twins((ready << 8) & ALL)
    return (both_children | ACES) & (twin_of_two_below | LOW_TWO_RANKS)


@search_kernel
def _supports_same_suit(own, visible, at_hand):
    brought = 0
    while True:
        more = next_in_suit(own | brought) & ~visible & ~brought
        if more == 0:
            return brought
        if more & ~at_hand != 0:
            return -1
        brought |= more


@search_kernel
def _supports_any_suit(own, visible, at_hand):
    cards, counts, most = _counts(visible), _counts(own), _counts(at_hand)
    brought = 0
    while True:
        lacking = (((counts + brought) << 4) & ALL) + _EIGHTS - cards
        lacking &= ((lacking >> 3) & _RANKS) * 7
        if lacking == brought:
            return lacking
        if (most + _EIGHTS - lacking) & _EIGHTS != _EIGHTS:
            return -1
        brought = lacking


@search_kernel
def _supports_alternating(own, visible, at_hand):
    one_visible = (visible | (visible >> 1)) & EVEN
    two_visible = (visible & (visible >> 1)) & EVEN
    one_own = (own | (own >> 1)) & EVEN
    two_own = (own & (own >> 1)) & EVEN
    one = two = 0
    while True:
        one_child = ((one_own | one) << 4) & ALL
        two_children = ((two_own | two | (one_own & one)) << 4) & ALL
        one_lacking = (one_child & ~one_visible) | (two_children & ~two_visible)
        two_lacking = two_children & ~one_visible
        if one_lacking == one and two_lacking == two:
            return one | two << 1
        if one_lacking & ~(at_hand | (at_hand >> 1)) != 0:
            return -1
        if two_lacking & ~(at_hand & (at_hand >> 1)) != 0:
            return -1
        one, two = one_lacking, two_lacking


@search_kernel
def can_be_supported(own, visible, at_hand, columns, mode):
    """Whether cards at hand can be brought so that all loose cards have a place [supports].

    Args:
        own: the loose cards that need a place.
        visible: these, and what else they may lie on.
        at_hand: what may be brought; it needs a place, too.
        columns: locked cards of each column.
        mode: of the search; spaces are not for any card.
    """
    if mode.general is not None:
        if mode.building == SAME_SUIT:
            brought = _supports_same_suit(own, visible, at_hand)
        elif mode.building == ANY_SUIT:
            brought = _supports_any_suit(own, visible, at_hand)
        else:
            brought = _supports_alternating(own, visible, at_hand)
        if brought < 0:
            return False
        kings = brought >> 48
        count = kings if mode.building == ANY_SUIT else popcount(kings)
        if mode.spaces != KINGS_ONLY:
            return count == 0
    else:
        brought = _supports_alternating(own, visible, at_hand)
        if brought < 0:
            return False
        count = popcount(brought >> 48)
    return count + popcount(own & KINGS) <= empty_columns(columns)
