"""The game by hand: a relaxed game in which every card that lies nowhere in the columns is at hand.

A card of the stock, and one of the foundations, is at hand: it may be placed at any time. A card is
up as soon as it and all lower ones of its suit are at hand. So a position is the locked cards and
the set of loose ones; of two with the same locked cards, the one with fewer loose cards offers at
least as much. What is lost here is lost at every draw count [hand].

Where only whole runs move, it matters what loose cards lie on, so a position has the planes of
`solvers.klondike.exact.arrangement` too. The loose cards without any are kings in columns.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ACES, ALL, KINGS, lowest, next_in_suit, with_all_lower
from engine.kernels.decorators import inlined_kernel, search_kernel, small_kernel
from engine.kernels.records import new_record, new_records, record_in, record_type, records_in
from engine.klondike.stock_turns import STOCK_MASK, card_set
from solvers.klondike.exact.arrangement import (
    TO_COLUMN,
    arranged_openings,
    into_spaces,
    number_of,
)
from solvers.klondike.exact.building import group_of, parents_of, safe_cards
from solvers.klondike.exact.nodes import head_leaves
from solvers.klondike.exact.position import COLUMNS, HEAD_UP, HEIGHTS, LOOSE_UP, REVEAL
from solvers.klondike.exact.set_lists import (
    LISTS_WORDS,
    LOST,
    WON,
    SetLists,
    add_set,
    clear_lists,
    has_subset,
    has_superset,
    lists_in,
    new_lists,
    void_entry,
)
from solvers.klondike.exact.supports import (
    IS_LOST,
    IS_OPEN,
    IS_WON,
    SUPPORTS_WORDS,
    SupportWork,
    is_lost_with_supports,
    new_support_work,
    supports_in,
)

# Positions that a question about the game of supports may enter.
_SUPPORTS = 100_000
_DEPTH = 512
_ROWS = 1 << 14
_FRAME = ("heads", "columns", "locked", "loose", "low", "high", "place", "top", "entry")
# Of a row: the loose cards once it was brought, their planes, and the step.
_WORDS = 4
# Of what is to be brought: up to 4 parents of each card of a row, and 5 words for each.
_NEEDS = 5 * 4 * 13
_PROGRESS = (
    "nodes",  # of all questions
    "top",  # of rows
    "first",  # entry of the question at hand
)
_FRAME_RECORD, _PROGRESS_RECORD = record_type(_FRAME), record_type(_PROGRESS)


class HandWork(NamedTuple):
    """Memory of the game by hand.

    lists: what was decided.
    frames: records [_DEPTH] of _FRAME, the path; `place` is the combination of locked counts.
    rows: int64[_WORDS * _ROWS], steps still to try.
    needs: int64[_NEEDS], scratch.
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


def new_hand_work(entries: int, arranged: bool) -> HandWork:
    """Make memory with room for a number of sets, or half of it if it matters what cards lie on."""
    return HandWork(
        new_lists(entries // 2 if arranged else entries, arranged),
        new_records(_FRAME, _DEPTH),
        np.zeros(_WORDS * _ROWS, dtype=np.int64),
        np.zeros(_NEEDS, dtype=np.int64),
        np.zeros(COLUMNS, dtype=np.int64),
        new_record(_PROGRESS),
        new_support_work(entries),
    )


# Arrays of words, see `engine.kernels.records`.
HAND_WORDS = LISTS_WORDS + 5 + SUPPORTS_WORDS


@small_kernel
def hand_in(words, at):
    """The memory whose words begin at some place."""
    own = at + LISTS_WORDS
    return HandWork(
        lists_in(words, at),
        records_in(words[own], _FRAME_RECORD),
        words[own + 1],
        words[own + 2],
        words[own + 3],
        record_in(words[own + 4], _PROGRESS_RECORD),
        supports_in(words, own + 5),
    )


@inlined_kernel
def begin_hand(work):
    """Forget what was decided about another deal."""
    clear_lists(work.lists)
    clear_lists(work.supports.lists)
    work.progress.nodes = 0


@search_kernel
def _rise(heads, columns, locked, loose, low, high, fallen, mode, layout):
    """Take all cards in hand that may go up; return the position, and how far `place` falls."""
    while True:
        at_hand = ALL & ~(locked | loose)
        up = with_all_lower(at_hand)
        following = (next_in_suit(up) | ACES) & ~up
        bare, _ = arranged_openings(heads, columns, loose, low, high, loose & KINGS, mode)
        rising = following & bare
        gone = rising & loose
        if gone != 0:
            loose ^= gone & -gone
            if mode.whole is not None:
                low &= loose
                high &= loose
            continue
        gone = rising & heads & safe_cards(up, mode)
        if gone == 0:
            return heads, columns, locked, loose, low, high, fallen
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
    low, high = node.low, node.high
    progress.first = lists.counts.entries
    progress.top = 0
    depth = -1
    spent = 0
    while True:
        heads, columns, locked, loose, low, high, fallen = _rise(
            heads, columns, locked, loose, low, high, 0, mode, layout
        )
        place -= fallen // HEIGHTS
        if locked == 0 or has_superset(lists, place, loose, low, high, mode.whole):
            return _end(depth, IS_WON, mode, work)
        if not has_subset(
            lists, place, loose, low, high, mode.whole
        ) and not _is_lost_with_supports(heads, columns, locked, loose, place, mode, layout, work):
            if spent == allowed or depth + 1 == _DEPTH:
                return _end(depth, IS_OPEN, mode, work)
            entry = add_set(lists, LOST, place, loose, low, high, mode.whole)
            if entry < 0:
                return _end(depth, IS_OPEN, mode, work)
            spent += 1
            progress.nodes += 1
            depth += 1
            frame = frames[depth]
            frame.heads, frame.columns, frame.locked = heads, columns, locked
            frame.loose, frame.place, frame.top = loose, place, progress.top
            frame.low, frame.high, frame.entry = low, high, entry
            if not _add_rows(frame, mode, work):
                return _end(depth, IS_OPEN, mode, work)
        while depth >= 0 and progress.top == frames[depth].top:
            depth -= 1
        if depth < 0:
            return IS_LOST
        frame = frames[depth]
        progress.top -= 1
        row = _WORDS * progress.top
        loose, low, high = work.rows[row], work.rows[row + 1], work.rows[row + 2]
        step = work.rows[row + 3]
        heads, columns, locked, place = frame.heads, frame.columns, frame.locked, frame.place
        bit = step & 63
        kind = (step >> 6) & 7
        if kind == LOOSE_UP:
            loose ^= 1 << bit
        else:
            loose, heads, columns, fall = head_leaves(bit, loose, heads, columns, mode, layout)
            place -= fall // HEIGHTS
            locked = (locked ^ (1 << bit)) & ~loose
            if kind == REVEAL:
                loose |= 1 << bit
                if mode.whole is not None and step >> 9 != TO_COLUMN:
                    low |= ((step >> 9) & 1) << bit
                    high |= (step >> 10) << bit


@search_kernel
def _is_lost_with_supports(heads, columns, locked, loose, place, mode, layout, work):
    answer = is_lost_with_supports(
        heads, columns, locked, loose, place, _SUPPORTS, mode, layout, work.supports
    )
    return answer == IS_LOST


@search_kernel
def _end(depth, answer, mode, work):
    """End a question that found no loss.

    What it entered with the same locked cards as a position of the path may have been left because
    of that position: it is decided no more. Where only whole runs move, no step keeps the locked
    cards, so it is the path alone. What is on the path is won if the question is.
    """
    lists = work.lists
    if mode.whole is not None:
        for above in range(depth, -1, -1):
            void_entry(lists, work.frames[above].entry)
    else:
        for above in range(depth + 1):
            work.marks[work.frames[above].place] = 1
        for number in range(lists.counts.entries - 1, work.progress.first - 1, -1):
            if work.marks[lists.pool[3 * number + 1]] != 0:
                void_entry(lists, number)
    for above in range(depth + 1):
        frame = work.frames[above]
        work.marks[frame.place] = 0
        if answer == IS_WON:
            add_set(lists, WON, frame.place, frame.loose, frame.low, frame.high, mode.whole)
    return answer


@search_kernel
def _add_rows(frame, mode, work):
    """Write all steps to try from a position; return False if there is no room for them."""
    heads, loose, low, high = frame.heads, frame.loose, frame.low, frame.high
    at_hand = ALL & ~(frame.locked | loose)
    up = with_all_lower(at_hand)
    following = (next_in_suit(up) | ACES) & ~up
    bare, placeable = arranged_openings(heads, frame.columns, loose, low, high, loose & KINGS, mode)

    # Steps that cards must be brought for, then those that are possible at once.
    if mode.whole is not None:
        spaces = into_spaces(frame.columns, loose & KINGS, mode)
        rest = heads & ~(following & bare)
        for brings in range(1, -1, -1):
            cards = rest
            while cards != 0:
                bit = lowest(cards)
                cards &= cards - 1
                if not _write_places_by_hand(bit, brings, frame, at_hand, bare, spaces, mode, work):
                    return False
    else:
        waiting = heads & following & ~bare
        if not _write_rows(HEAD_UP, waiting, loose, at_hand, placeable, mode, work):
            return False
        waiting = loose & following & ~bare
        if not _write_rows(LOOSE_UP, waiting, loose, at_hand, placeable, mode, work):
            return False
        homeless = heads & ~placeable & ~(following & bare)
        if not _write_rows(REVEAL, homeless, loose, at_hand, placeable, mode, work):
            return False
        rest = heads & placeable & ~(following & bare)
        while rest != 0:
            bit = lowest(rest)
            rest &= rest - 1
            if not _write_row(loose, low, high, REVEAL << 6 | bit, work):
                return False
    rest = heads & following & bare
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        if not _write_row(loose, low, high, HEAD_UP << 6 | bit, work):
            return False
    return True


@inlined_kernel
def _write_row(loose, low, high, step, work):
    top = work.progress.top
    row = _WORDS * top
    if row + _WORDS > work.rows.shape[0]:
        return False
    work.rows[row], work.rows[row + 1], work.rows[row + 2] = loose, low, high
    work.rows[row + 3] = step
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
                    if not _write_row(loose | brought | one, 0, 0, kind << 6 | bit, work):
                        return False
                else:
                    needs[2 * top] = parents_of(one, mode)
                    needs[2 * top + 1] = brought | one
                    top += 1
    return True


@search_kernel
def _write_places_by_hand(bit, brings, frame, at_hand, bare, spaces, mode, work):
    """Write the reveals of a head where only whole runs move, with or without bringing cards.

    A row ends on a bare card, or with a king in a column; each card of it lies on the next.
    """
    needs = work.needs
    needs[0], needs[1], needs[2], needs[3], needs[4] = bit, 0, 0, 0, 0
    top = 5
    while top > 0:
        top -= 5
        child, brought = needs[top], needs[top + 1]
        low, high, step = needs[top + 2], needs[top + 3], needs[top + 4]
        card = 1 << child
        if (brought != 0) == (brings != 0):
            if spaces & card != 0:
                last = TO_COLUMN << 9 | REVEAL << 6 | bit if brought == 0 else step
                if not _write_row(
                    frame.loose | brought, frame.low | low, frame.high | high, last, work
                ):
                    return False
            hosts = parents_of(card, mode) & bare
            while hosts != 0:
                number = number_of(lowest(hosts), mode)
                hosts &= hosts - 1
                last = number << 9 | REVEAL << 6 | bit if brought == 0 else step
                own_low, own_high = low, high
                if brought != 0:
                    own_low |= (number & 1) << child
                    own_high |= (number >> 1) << child
                if not _write_row(
                    frame.loose | brought, frame.low | own_low, frame.high | own_high, last, work
                ):
                    return False
        if brings == 0:
            continue
        hosts = parents_of(card, mode) & at_hand
        while hosts != 0:
            host = lowest(hosts)
            hosts &= hosts - 1
            number = number_of(host, mode)
            needs[top], needs[top + 1] = host, brought | 1 << host
            needs[top + 2], needs[top + 3], needs[top + 4] = low, high, step
            if brought == 0:
                needs[top + 4] = number << 9 | REVEAL << 6 | bit
            else:
                needs[top + 2] |= (number & 1) << child
                needs[top + 3] |= (number >> 1) << child
            top += 5
    return True
