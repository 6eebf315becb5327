"""The game by hand: a relaxed game in which every card that lies nowhere in the columns is at hand.

A card of the stock, and one of the foundations, is at hand: it may be placed at any time. A card is
up as soon as it and all lower ones of its suit are at hand. So a position is the locked cards and
the set of loose ones; of two with the same locked cards, the one with fewer loose cards offers at
least as much. What is lost here is lost at every draw count [hand].
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ACES, ALL, lowest, next_in_suit, with_all_lower
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.stock_turns import STOCK_MASK, card_set
from engine.records import new_record, new_records
from solvers.klondike.exact_all.building import group_of, openings, parents_of, safe_cards
from solvers.klondike.exact_all.nodes import head_leaves
from solvers.klondike.exact_all.position import COLUMNS, HEAD_UP, HEIGHTS, LOOSE_UP, REVEAL
from solvers.klondike.exact_all.set_lists import (
    LOST,
    WON,
    SetLists,
    add_set,
    clear_lists,
    has_subset,
    has_superset,
    new_lists,
    void_entry,
)
from solvers.klondike.exact_all.supports import (
    IS_LOST,
    IS_OPEN,
    IS_WON,
    SupportWork,
    is_lost_with_supports,
    new_support_work,
)

# Positions that a question about the game of supports may enter.
_SUPPORTS = 100_000
_DEPTH = 512
_ROWS = 1 << 14
_FRAME = ("heads", "columns", "locked", "loose", "place", "top")
_PROGRESS = (
    "nodes",  # of all questions
    "top",  # of rows
    "first",  # entry of the question at hand
)


class HandWork(NamedTuple):
    """Memory of the game by hand.

    lists: what was decided.
    frames: records [_DEPTH] of _FRAME, the path; `place` is the combination of locked counts.
    rows: int64[2 * _ROWS], steps still to try: the loose cards once the row was brought, the step.
    needs: int64[64], scratch.
    marks: int64[COLUMNS], scratch, all 0 between questions.
    progress: a record of _PROGRESS.
    supports: of the questions about the game of supports.
    """

    lists: SetLists
    frames: Any
    rows: NDArray[np.int64]
    needs: NDArray[np.int64]
    marks: NDArray[np.int64]
    progress: Any
    supports: SupportWork


def new_hand_work(entries: int) -> HandWork:
    """Make memory with room for so many sets."""
    return HandWork(
        new_lists(entries),
        new_records(_FRAME, _DEPTH),
        np.zeros(2 * _ROWS, dtype=np.int64),
        np.zeros(128, dtype=np.int64),
        np.zeros(COLUMNS, dtype=np.int64),
        new_record(_PROGRESS),
        new_support_work(entries),
    )


@inlined_kernel
def begin_hand(work):
    """Forget what was decided about another deal."""
    clear_lists(work.lists)
    clear_lists(work.supports.lists)
    work.supports.progress.nodes = 0
    work.progress.nodes = 0


@search_kernel
def _rise(heads, columns, locked, loose, fallen, mode, layout):
    """Take all cards in hand that may go up; return the position, and how far `place` falls."""
    while True:
        at_hand = ALL & ~(locked | loose)
        up = with_all_lower(at_hand)
        following = (next_in_suit(up) | ACES) & ~up
        bare, _ = openings(columns, loose | heads, loose, mode)
        rising = following & bare
        gone = rising & loose
        if gone != 0:
            loose ^= gone & -gone
            continue
        gone = rising & heads & safe_cards(up, mode)
        if gone == 0:
            return heads, columns, locked, loose, fallen
        bit = lowest(gone)
        loose, heads, columns, fall = head_leaves(bit, loose, heads, columns, mode, layout)
        fallen += fall
        locked = (locked ^ (1 << bit)) & ~loose


@search_kernel
def question(node, allowed, mode, layout, work):
    """Decide whether a node is lost in the game by hand.

    Args:
        node: the node.
        allowed: how many positions of the game by hand may be entered.
        mode: of the search.
        layout: of the search.
        work: memory, which knows what was decided since `begin_hand`.

    Returns:
        IS_LOST, IS_WON, or IS_OPEN if `allowed` or the memory did not suffice.
    """
    progress, frames, lists = work.progress, work.frames, work.lists
    locked = ALL & ~(node.up | node.loose | card_set(node.stock & STOCK_MASK, layout.stock_sets))
    heads, columns, loose, place = node.heads, node.columns, node.loose, node.place // HEIGHTS
    progress.first = lists.counts.entries
    progress.top = 0
    depth = -1
    spent = 0
    while True:
        heads, columns, locked, loose, fallen = _rise(
            heads, columns, locked, loose, 0, mode, layout
        )
        place -= fallen // HEIGHTS
        if locked == 0 or has_superset(lists, place, loose):
            return _end(depth, IS_WON, work)
        if not has_subset(lists, place, loose) and not _is_lost_with_supports(
            heads, columns, locked, loose, place, mode, layout, work
        ):
            if spent == allowed or depth + 1 == _DEPTH:
                return _end(depth, IS_OPEN, work)
            if add_set(lists, LOST, place, loose) < 0:
                return _end(depth, IS_OPEN, work)
            spent += 1
            progress.nodes += 1
            depth += 1
            frame = frames[depth]
            frame.heads, frame.columns, frame.locked = heads, columns, locked
            frame.loose, frame.place, frame.top = loose, place, progress.top
            if not _add_rows(frame, mode, layout, work):
                return _end(depth, IS_OPEN, work)
        while depth >= 0 and progress.top == frames[depth].top:
            depth -= 1
        if depth < 0:
            return IS_LOST
        frame = frames[depth]
        progress.top -= 1
        loose = work.rows[2 * progress.top]
        step = work.rows[2 * progress.top + 1]
        heads, columns, locked, place = frame.heads, frame.columns, frame.locked, frame.place
        bit = step & 63
        if step >> 6 == LOOSE_UP:
            loose ^= 1 << bit
        else:
            loose, heads, columns, fall = head_leaves(bit, loose, heads, columns, mode, layout)
            place -= fall // HEIGHTS
            locked = (locked ^ (1 << bit)) & ~loose
            if step >> 6 == REVEAL:
                loose |= 1 << bit


@search_kernel
def _is_lost_with_supports(heads, columns, locked, loose, place, mode, layout, work):
    answer = is_lost_with_supports(
        heads, columns, locked, loose, place, _SUPPORTS, mode, layout, work.supports
    )
    return answer == IS_LOST


@search_kernel
def _end(depth, answer, work):
    """End a question that found no loss.

    What it entered with the same locked cards as a position of the path may have been left because
    of that position: it is decided no more. What is on the path is won if the question is.
    """
    lists = work.lists
    for above in range(depth + 1):
        work.marks[work.frames[above].place] = 1
    for number in range(work.progress.first, lists.counts.entries):
        if work.marks[lists.pool[3 * number + 1]] != 0:
            void_entry(lists, number)
    for above in range(depth + 1):
        frame = work.frames[above]
        work.marks[frame.place] = 0
        if answer == IS_WON:
            add_set(lists, WON, frame.place, frame.loose)
    return answer


@search_kernel
def _add_rows(frame, mode, layout, work):
    """Write all steps to try from a position; return False if there is no room for them."""
    heads, loose = frame.heads, frame.loose
    at_hand = ALL & ~(frame.locked | loose)
    up = with_all_lower(at_hand)
    following = (next_in_suit(up) | ACES) & ~up
    bare, placeable = openings(frame.columns, loose | heads, loose, mode)

    # Steps that cards must be brought for, then those that are possible at once.
    waiting = heads & following & ~bare
    if not _write_rows(HEAD_UP, waiting, loose, at_hand, placeable, mode, work):
        return False
    if not _write_rows(LOOSE_UP, loose & following & ~bare, loose, at_hand, placeable, mode, work):
        return False
    homeless = heads & ~placeable & ~(following & bare)
    if not _write_rows(REVEAL, homeless, loose, at_hand, placeable, mode, work):
        return False
    for way in range(2):
        rest = heads & placeable & ~(following & bare) if way == 0 else heads & following & bare
        while rest != 0:
            bit = lowest(rest)
            rest &= rest - 1
            if not _write_row(loose, (REVEAL if way == 0 else HEAD_UP) << 6 | bit, work):
                return False
    return True


@inlined_kernel
def _write_row(loose, step, work):
    top = work.progress.top
    if 2 * top + 2 > work.rows.shape[0]:
        return False
    work.rows[2 * top] = loose
    work.rows[2 * top + 1] = step
    work.progress.top = top + 1
    return True


@search_kernel
def _write_rows(kind, cards, loose, at_hand, placeable, mode, work):
    """Write each row of cards that makes a step of these cards possible, and the step."""
    needs = work.needs
    while cards != 0:
        bit = lowest(cards)
        cards &= cards - 1
        # To be placed, a parent must come; to be bare, another of its group.
        card = 1 << bit
        needs[0] = parents_of(card, mode) if kind == REVEAL else group_of(card, mode)
        needs[1] = 0
        top = 1
        while top > 0:
            top -= 1
            wanted, brought = needs[2 * top] & at_hand, needs[2 * top + 1]
            while wanted != 0:
                one = wanted & -wanted
                wanted ^= one
                if one & placeable != 0:
                    if not _write_row(loose | brought | one, kind << 6 | bit, work):
                        return False
                else:
                    needs[2 * top] = parents_of(one, mode)
                    needs[2 * top + 1] = brought | one
                    top += 1
    return True
