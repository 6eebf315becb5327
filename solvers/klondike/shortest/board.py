"""Boards of the search for shortest solutions: positions with the arrangement of their cards.

The words up, locked, loose, head and visible are those of `docs/search/`. Sets of cards are those
of `engine.cardset`. A board is

=======  ==========================================================================================
up       set of cards on the foundations
loose    set of loose cards
heads    set of heads
place    foundation heights and locked counts in mixed radix, as in the exact search
crossed  for each pair of cards, at its lower bit: 1 if a loose card of it lies on the parent of the
         other parity ("crossed"), 0 if on that of its own; 0 for pairs without a loose card
mask     bit i: card i of the stock is still in stock or waste
waste    number of these that lie in the waste
brought  bit + 1 of the card just brought down from a foundation, or 0
=======  ==========================================================================================

Two cards of a pair have the same two parents, each of which carries one of them at most; so one bit
for a pair says where its loose cards lie. Which column a run lies in follows from the head or king
that it lies on, and kings without locked cards under them are alike wherever they lie. So boards
that differ in the order of their columns only are one.

A board packs into two keys: ``place << 29 | mask << 5 | waste`` and
``brought << 24 | the 24 bits of crossed``. The rest follows from these and the `Start`.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import (
    ACES,
    ALL,
    BIT_OF_CARD,
    EVEN,
    KINGS,
    both_of_pairs,
    next_in_suit,
    popcount,
    swap_twins,
)
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.klondike.flat import COLUMN, DEPTH, SIZE, UNPLAYED, WASTE
from engine.klondike.stock_turns import card_set
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.load import USUAL, load
from solvers.klondike.exact.position import Layout

HEIGHTS = 14**4
CONFIGURATIONS = 40_320  # of locked counts
# Weights of the locked counts in `place`, in units of HEIGHTS, and the digits' ranges.
COLUMN_DIGIT = np.array([1, 2, 6, 24, 120, 720, 5040], dtype=np.int64)

_KING = 12


class ArrangedBoard(NamedTuple):
    """A board; see the table above."""

    up: int
    loose: int
    heads: int
    place: int
    crossed: int
    mask: int
    waste: int
    brought: int


class Start(NamedTuple):
    """Locked cards and stock at the start, the same throughout a search. Arrays of int64.

    layout: as the exact search has it.
    locked: [56], ``[8 · column + count]`` the set of the lowest cards of a column.
    head: [56], the topmost of these, as a set.
    above: [56], the cards that outrank one of these of their own suit.
    floor: [7], 1 for columns whose lowest card is a king, who is loose once he is alone.
    suits: [4], all cards of each suit.
    raised: [56], ``[14 · suit + height]`` the set of cards on a foundation.
    kings: [1], the kings that lay in the tableau.
    """

    layout: Layout
    locked: NDArray[np.int64]
    head: NDArray[np.int64]
    above: NDArray[np.int64]
    floor: NDArray[np.int64]
    suits: NDArray[np.int64]
    raised: NDArray[np.int64]
    kings: NDArray[np.int64]


def _sets_of_suits() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    suits = np.zeros(4, dtype=np.int64)
    raised = np.zeros(56, dtype=np.int64)
    for suit in range(4):
        for rank in range(13):
            suits[suit] |= 1 << int(BIT_OF_CARD[4 * rank + suit])
            raised[14 * suit + rank + 1] = suits[suit]
    return suits, raised


def new_start() -> Start:
    """Make an empty start, for `load_start`."""
    suits, raised = _sets_of_suits()
    return Start(
        new_layout(),
        np.zeros(56, dtype=np.int64),
        np.zeros(56, dtype=np.int64),
        np.zeros(56, dtype=np.int64),
        np.zeros(7, dtype=np.int64),
        suits,
        raised,
        np.zeros(1, dtype=np.int64),
    )


def load_start(flat: NDArray[np.int64], start: Start) -> ArrangedBoard:
    """Fill a start from a position int64[POSITION], and return its board."""
    layout = start.layout
    first = np.zeros(9, dtype=np.int64)
    tables = layout.below, layout.stock_sets, layout.stock_index, layout.column_of
    load(flat, first, *USUAL, *tables)
    up, loose, heads, columns, _, place = map(int, first[:6])
    start.kings[0] = crossed = 0
    for column in range(7):
        locked = columns >> (4 * column) & 15
        bottom = COLUMN + DEPTH * column
        cards = [int(BIT_OF_CARD[flat[bottom + level]]) for level in range(flat[SIZE + column])]
        start.floor[column] = int(locked > 0 and cards[0] >> 2 == _KING)
        first_place = 8 * column
        start.locked[first_place] = start.head[first_place] = start.above[first_place] = 0
        for level, bit in enumerate(cards):
            start.kings[0] |= 1 << bit if bit >> 2 == _KING else 0
            if level < locked:
                at = first_place + level + 1
                suit = int(layout.suit_of[bit])
                higher = start.suits[suit] & ~(1 << bit | ((1 << bit) - 1))
                start.locked[at] = start.locked[at - 1] | 1 << bit
                start.head[at] = 1 << bit
                start.above[at] = start.above[at - 1] | higher
            elif level > 0 and (cards[level - 1] ^ bit) & 1:
                crossed |= 1 << (bit & ~1)
    unplayed = int(flat[UNPLAYED])
    return ArrangedBoard(up, loose, heads, place, crossed, (1 << unplayed) - 1, int(flat[WASTE]), 0)


@search_kernel
def first_key(board):
    """Return the first key of a board."""
    return board.place << 29 | board.mask << 5 | board.waste


@search_kernel
def second_key(board):
    """Return the second key of a board."""
    bits = board.crossed
    bits = (bits | bits >> 1) & 0x3333333333333
    bits = (bits | bits >> 2) & 0xF0F0F0F0F0F0F
    bits = (bits | bits >> 4) & 0xFF00FF00FF00FF
    bits = (bits | bits >> 8) & 0xFFFF0000FFFF
    bits = (bits | bits >> 16) & 0xFFFFFFFF
    return board.brought << 24 | bits


@search_kernel
def unpack(first, second, start):
    """Return the board of two keys."""
    waste, mask, place = first & 31, first >> 5 & 0xFFFFFF, first >> 29
    bits = second & 0xFFFFFF
    bits = (bits | bits << 16) & 0xFFFF0000FFFF
    bits = (bits | bits << 8) & 0xFF00FF00FF00FF
    bits = (bits | bits << 4) & 0xF0F0F0F0F0F0F
    bits = (bits | bits << 2) & 0x3333333333333
    crossed = (bits | bits << 1) & EVEN
    heights = place % HEIGHTS
    up = (
        start.raised[heights % 14]
        | start.raised[14 + heights // 14 % 14]
        | start.raised[28 + heights // 196 % 14]
        | start.raised[42 + heights // 2744]
    )
    counts = place // HEIGHTS
    locked = heads = 0
    for column in range(7):
        at = 8 * column + counts % (column + 2)
        counts //= column + 2
        locked |= start.locked[at]
        heads |= start.head[at]
    loose = ALL & ~(up | locked | card_set(mask, start.layout.stock_sets))
    return ArrangedBoard(up, loose, heads, place, crossed, mask, waste, second >> 24)


@inlined_kernel
def carrying(loose, crossed):
    """Return the cards that carry another one."""
    swapped = both_of_pairs(crossed)
    return ((loose & ~swapped) | (swap_twins(loose) & swapped)) << 4 & ALL


@inlined_kernel
def next_up(up):
    """Return the card of each suit that is next on its foundation."""
    return (next_in_suit(up) | ACES) & ~up


@search_kernel
def settled(up):
    """Return the cards that, once up, no shortest solution needs to bring down [settled].

    All cards that could lie on one of their children, or on themselves, are up: both of the other
    colour a rank below, and its twin's predecessor two ranks below.
    """
    lower_up = both_of_pairs(((up & (up >> 1)) & EVEN) << 4) | ACES
    two_below = swap_twins((up << 8) & ALL) | 0xFF
    return lower_up & two_below


@inlined_kernel
def free_columns(board):
    """Return the number of columns that are open to a king."""
    return _empty_columns(board.place) - popcount(board.loose & KINGS)


@inlined_kernel
def _empty_columns(place):
    counts = place // HEIGHTS
    empty = 0
    for column in range(7):
        empty += counts % (column + 2) == 0
        counts //= column + 2
    return empty
