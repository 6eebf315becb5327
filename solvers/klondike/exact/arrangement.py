"""Which card lies on which, for rulesets under which only whole runs move.

There the place of each loose card matters. Two *planes* hold the number, 0…3, of the card of its
parents' group that it lies on: bit 0 in `low`, bit 1 in `high`. *Bases* are the loose cards that
lie on none: the lowest of a column without locked cards. Elsewhere planes and bases stay empty.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import ALL, EVEN, KINGS, next_in_suit, popcount
from engine.kernels.decorators import inlined_kernel, search_kernel
from solvers.klondike.exact.building import below_groups, empty_columns, group_of, openings
from solvers.klondike.exact.rules import ANY_CARD, ANY_SUIT, KINGS_ONLY, SAME_SUIT

_RANKS = 0x1111111111111
TO_COLUMN = 4  # in place of the number of a parent


@search_kernel
def carrying(loose, low, high, bases, building):
    """Return the cards on which a card lies, other than heads on locked cards."""
    loose &= ~bases
    if building == SAME_SUIT:
        return next_in_suit(loose)
    if building == ANY_SUIT:
        carrying = 0
        for number in range(4):
            cards = loose
            cards &= low if number & 1 else ~low
            cards &= high if number & 2 else ~high
            cards |= cards >> 1
            cards |= cards >> 2
            carrying |= (cards & _RANKS) << (4 + number)
        return carrying & ALL
    first, second = loose & ~low, loose & low
    first = (first | (first >> 1)) & EVEN
    second = (second | (second >> 1)) & EVEN
    return (first << 4 | second << 5) & ALL


@inlined_kernel
def into_spaces(columns, bases, mode):
    """Return the cards that may go into an empty column, where only whole runs move."""
    if mode.general is not None and mode.spaces != KINGS_ONLY:
        if mode.spaces == ANY_CARD and empty_columns(columns) > popcount(bases):
            return ALL
        return 0
    if empty_columns(columns) > popcount(bases):
        return KINGS
    return 0


@inlined_kernel
def openings_of(position, mode):
    """Return the visible cards that are bare or can be, and the cards that can be placed."""
    return arranged_openings(
        position.heads,
        position.columns,
        position.loose,
        position.low,
        position.high,
        position.bases,
        mode,
    )


@inlined_kernel
def arranged_openings(heads, columns, loose, low, high, bases, mode):
    """As `openings_of`, of a position in parts."""
    if mode.whole is None:
        return openings(columns, loose | heads, loose, mode)
    bare = (loose | heads) & ~carrying(loose, low, high, bases, mode.building)
    places = below_groups(group_of(bare, mode), mode)
    return bare, places | into_spaces(columns, bases, mode)


@inlined_kernel
def number_of(bit, mode):
    """Return the number of a card within its group."""
    if mode.building == ANY_SUIT:
        return bit & 3
    if mode.building == SAME_SUIT:
        return 0
    return bit & 1
