"""The game of supports: a game laxer than the one by hand, in which brought cards are only counted.

A brought card is there to carry others, and goes as soon as it carries none; which one of its group
it is is not kept. So how many there are follows from the cards that lie loose for other reasons,
the *own* ones, and a position is the locked cards and the set of own cards. Each step takes a head
away; the own cards go up when they can. What is lost here is lost in the game by hand [supports].
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ACES, ALL, lowest, next_in_suit, with_all_lower
from engine.kernels.decorators import search_kernel, small_kernel
from engine.kernels.records import new_records, record_type, records_in
from solvers.klondike.exact.building import can_be_supported, safe_cards
from solvers.klondike.exact.nodes import head_leaves
from solvers.klondike.exact.position import HEAD_UP, HEIGHTS, REVEAL
from solvers.klondike.exact.set_lists import (
    LISTS_WORDS,
    LOST,
    WON,
    SetLists,
    add_set,
    has_subset,
    has_superset,
    lists_in,
    new_lists,
)

IS_LOST, IS_WON, IS_OPEN = range(3)

_DEPTH = 64
_FRAME = ("heads", "columns", "locked", "own", "place", "top")
_FRAME_RECORD = record_type(_FRAME)


class SupportWork(NamedTuple):
    """Memory of the game of supports.

    lists: what was decided.
    frames: records [_DEPTH] of _FRAME, the path.
    moves: int64[14 * _DEPTH], steps still to try.
    """

    lists: SetLists
    frames: Any
    moves: NDArray[np.int64]


def new_support_work(entries: int) -> SupportWork:
    """Make memory with room for a number of sets."""
    return SupportWork(
        new_lists(entries, False),
        new_records(_FRAME, _DEPTH),
        np.zeros(14 * _DEPTH, dtype=np.int64),
    )


# Arrays of words, see `engine.kernels.records`.
SUPPORTS_WORDS = LISTS_WORDS + 2


@small_kernel
def supports_in(words, at):
    """The memory whose words begin at some place."""
    own = at + LISTS_WORDS
    return SupportWork(
        lists_in(words, at),
        records_in(words[own], _FRAME_RECORD),
        words[own + 1],
    )


@search_kernel
def _rise(heads, columns, locked, own, place, mode, layout):
    """Take up all own cards, and safe heads, that can go up; return the position."""
    while True:
        at_hand = ALL & ~(locked | own)
        up = with_all_lower(at_hand)
        following = (next_in_suit(up) | ACES) & ~up
        rest = following & (own | (heads & safe_cards(up, mode)))
        gone = 0
        while rest != 0:
            card = rest & -rest
            rest ^= card
            if can_be_supported(own & ~card, (own | heads) & ~card, at_hand, columns, mode):
                gone = card
                break
        if gone == 0:
            return heads, columns, locked, own, place
        if gone & own != 0:
            own ^= gone
            continue
        bit = lowest(gone)
        own, heads, columns, fall = head_leaves(bit, own, heads, columns, mode, layout)
        place -= fall // HEIGHTS
        locked = (locked ^ gone) & ~own


@search_kernel
def is_lost_with_supports(heads, columns, locked, own, place, allowed, mode, layout, work):
    """Decide whether a position is lost in the game of supports.

    Args:
        heads: as in a node, like the next one.
        columns: see there.
        locked: set of all locked cards.
        own: set of the loose cards.
        place: combination of locked counts.
        allowed: how many positions may be entered.
        mode: of the search.
        layout: of the search.
        work: memory, which knows what was decided since its lists were cleared.

    Returns:
        IS_LOST, IS_WON, or IS_OPEN if `allowed` or the memory did not suffice.
    """
    lists, frames, moves = work.lists, work.frames, work.moves
    depth = -1
    top = spent = 0
    while True:
        heads, columns, locked, own, place = _rise(heads, columns, locked, own, place, mode, layout)
        if locked == 0 or has_superset(lists, place, own, 0, 0, None):
            for above in range(depth + 1):
                if add_set(lists, WON, frames[above].place, frames[above].own, 0, 0, None) < 0:
                    break
            return IS_WON
        if not has_subset(lists, place, own, 0, 0, None):
            if spent == allowed:
                return IS_OPEN
            spent += 1
            depth += 1
            frame = frames[depth]
            frame.heads, frame.columns, frame.locked = heads, columns, locked
            frame.own, frame.place, frame.top = own, place, top
            top = _write_steps(heads, columns, locked, own, mode, moves, top)
        while depth >= 0 and top == frames[depth].top:
            if add_set(lists, LOST, frames[depth].place, frames[depth].own, 0, 0, None) < 0:
                return IS_OPEN
            depth -= 1
        if depth < 0:
            return IS_LOST
        frame = frames[depth]
        top -= 1
        bit = moves[top] & 63
        own, place, locked = frame.own, frame.place, frame.locked
        own, heads, columns, fall = head_leaves(bit, own, frame.heads, frame.columns, mode, layout)
        place -= fall // HEIGHTS
        locked = (locked ^ (1 << bit)) & ~own
        if moves[top] >> 6 == REVEAL:
            own |= 1 << bit


@search_kernel
def _write_steps(heads, columns, locked, own, mode, moves, top):
    """Write the steps that take a head away, those up last; return the new top."""
    at_hand = ALL & ~(locked | own)
    up = with_all_lower(at_hand)
    following = (next_in_suit(up) | ACES) & ~up
    visible = own | heads
    rising = 0
    rest = heads & following
    while rest != 0:
        card = rest & -rest
        rest ^= card
        if can_be_supported(own, visible & ~card, at_hand, columns, mode):
            rising |= card
    rest = heads & ~rising
    while rest != 0:
        card = rest & -rest
        rest ^= card
        if can_be_supported(own | card, visible, at_hand, columns, mode):
            moves[top] = REVEAL << 6 | lowest(card)
            top += 1
    while rising != 0:
        moves[top] = HEAD_UP << 6 | lowest(rising)
        rising &= rising - 1
        top += 1
    return top
