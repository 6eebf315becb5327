"""Checker of patience games: the rules once more, compiled, on plain piles.

Written from the rules alone: it shares no code with the solvers that it judges, nor with the
referee in plain Python, which is its twin.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cards import RANKS, parse_card
from engine.checkers import NO_DEAL, NO_WIN, WINS, side_by_side
from engine.kernels.decorators import kernel, search_kernel
from engine.patience.layout import (
    CELL,
    CODES,
    FOUNDATION,
    HOLE,
    RESERVE,
    STOCK,
    WASTE,
    PatienceLayout,
    layout_of,
    row_suit,
)
from engine.patience.rules import RANDOM, UNLIMITED, PatienceRules

_MOST = 104
_ANY_RANK = -1
_BUILDINGS = ("any-suit", "red-black", "same-suit", "no-build")
_SPACES = (
    *("any", "kings", "no-build", "auto-reserve-then-any", "auto-reserve-then-waste"),
    "auto-waste-then-stock",
)
_GROUPS = ("no", "yes", "whole-pile", "maximal-group", "any-order")
_STOCK_TO = ("waste", "tableau piles", "hole")
_ANY, _RED_BLACK, _SAME_SUIT, _NO_BUILD = range(4)
_KINGS, _NONE, _RESERVE_ANY, _RESERVE_WASTE, _WASTE_STOCK = range(1, 6)
_ALONE, _IN_ORDER, _WHOLE, _MAXIMAL, _ANY_ORDER = range(5)
_TO_WASTE, _TO_TABLEAU, _TO_HOLE = range(3)
# Places of the options in their array.
_COLUMNS, _CELLS, _FOUNDATIONS, _HOLE_THERE, _ACCORDION, _ROWS, _RANKS, _DECK, _DECKS = range(9)
_BASE, _HOLE_CARD, _HOLE_LOOPS, _FOUNDED_ALL, _BUILDING, _SPACE, _GROUP = range(9, 16)
_GROUP_BUILDING, _GROUPS_ONTO, _REMOVABLE, _COMPLETE, _STOCK_SIZE, _TO = range(16, 22)
_COUNT, _REDEALS, _ONTO_EMPTY, _LEFTWARD, _RIGHTWARD, _ROW_BUILDING = range(22, 28)
_FIXED_SUIT, _MEET_RANK, _MEET_SUIT, _MEET_COLOUR, _MEET_ALWAYS, _FOUNDED_OTHERS = range(28, 34)


class PatiencePiles(NamedTuple):
    """A position, and what the rules say; all arrays are int64.

    cards: [240, 104], the cards of each pile by its code, bottom first; of a stock, the next one
        last. An accordion is the first pile, with the last card of each of its piles; rows are the
        first pile, with -1 for gaps.
    size: [240], cards of each pile.
    down: [128], face-down cards of each column.
    counts: [2], the base of the foundations, redeals made.
    seen: [52], how often a card is in the deal.
    options: [34], by the constants of this module.
    jumps: [2, 105], whether a pile of an accordion goes this far to the left, to the right.
    places: [cards in play], the code of the pile of each place of the flat order.
    face_down: [128], face-down cards of each column at the start.
    suits: [8], the suit of each row.
    """

    cards: NDArray[np.int64]
    size: NDArray[np.int64]
    down: NDArray[np.int64]
    counts: NDArray[np.int64]
    seen: NDArray[np.int64]
    options: NDArray[np.int64]
    jumps: NDArray[np.int64]
    places: NDArray[np.int64]
    face_down: NDArray[np.int64]
    suits: NDArray[np.int64]


@search_kernel
def _lay_out(deals, at, p):
    """Lay out the start of a row of deals; whether it is a deal."""
    o = p.options
    p.size[:] = 0
    p.seen[:] = 0
    for column in range(o[_COLUMNS]):
        p.down[column] = p.face_down[column]
    p.counts[0], p.counts[1] = o[_BASE], 0
    founded = 0
    for place in range(len(p.places)):
        card = np.int64(deals[at, place])
        if card >= 4 * o[_RANKS] or p.seen[card] == o[_DECKS]:
            return False
        p.seen[card] += 1
        code = p.places[place]
        if code >= FOUNDATION:
            if p.counts[0] == _ANY_RANK:
                p.counts[0] = card >> 2
            if card >> 2 != p.counts[0]:
                return False
            if o[_FOUNDED_ALL] and card & 3 != founded % 4:
                return False
            first = np.int64(deals[at, 0])
            if o[_FOUNDED_OTHERS] and (
                card >> 2 != first >> 2 or card & 3 != founded + (founded >= first & 3)
            ):
                return False
            code = FOUNDATION + (founded if o[_FOUNDED_ALL] else card & 3)
            founded += 1
        elif code == HOLE and o[_HOLE_CARD] >= 0 and card != o[_HOLE_CARD]:
            return False
        if o[_ROWS] and card >> 2 == 0:
            card = -1
        p.cards[code, p.size[code]] = card
        p.size[code] += 1
    # The next card of the stock is its last one here.
    for low in range(p.size[STOCK] // 2):
        high = p.size[STOCK] - 1 - low
        p.cards[STOCK, low], p.cards[STOCK, high] = p.cards[STOCK, high], p.cards[STOCK, low]
    return True


@search_kernel
def _suits_fit(building, card, other):
    """Whether two cards fit by their suits."""
    if building == _SAME_SUIT:
        return card & 3 == other & 3
    if building == _RED_BLACK:
        return card & 1 != other & 1
    return building == _ANY


@search_kernel
def _height(p, card):
    """The rank of a card counted from the base, from 0."""
    return ((card >> 2) - p.counts[0]) % p.options[_RANKS]


@search_kernel
def _follows(p, building, card, onto):
    """Whether a card is built on another one."""
    return _height(p, card) + 1 == _height(p, onto) and _suits_fit(building, card, onto)


@search_kernel
def _empty_column(p):
    """The leftmost empty column, or -1."""
    for column in range(p.options[_COLUMNS]):
        if p.size[column] == 0:
            return column
    return -1


@search_kernel
def _shift(p, source, target, count):
    """Move the last cards of a pile, in their order, and turn up a card that lies uncovered."""
    first = p.size[source] - count
    for level in range(count):
        p.cards[target, p.size[target]] = p.cards[source, first + level]
        p.size[target] += 1
    p.size[source] = first
    if source < p.options[_COLUMNS] and 0 < first <= p.down[source]:
        p.down[source] = first - 1
    elif source < p.options[_COLUMNS] and first == 0:
        p.down[source] = 0
    return True


@search_kernel
def _turn(p):
    """Turn the stock, or deal from it; whether that is legal."""
    o = p.options
    if o[_STOCK_SIZE] == 0:
        return False
    if o[_TO] == _TO_HOLE:
        return p.size[STOCK] > 0 and _shift(p, STOCK, HOLE, 1)
    if o[_TO] == _TO_TABLEAU:
        if p.size[STOCK] == 0 or (not o[_ONTO_EMPTY] and _empty_column(p) >= 0):
            return False
        for column in range(min(o[_COLUMNS], p.size[STOCK])):
            _shift(p, STOCK, column, 1)
        return True
    if p.size[STOCK] > 0:
        for _ in range(min(o[_COUNT], p.size[STOCK])):
            _shift(p, STOCK, WASTE, 1)
        return True
    if p.size[WASTE] == 0 or (o[_REDEALS] != UNLIMITED and p.counts[1] >= o[_REDEALS]):
        return False
    p.counts[1] += 1
    while p.size[WASTE] > 0:
        _shift(p, WASTE, STOCK, 1)
    return True


@search_kernel
def _group(p, column):
    """How many face-up cards at the end of a column are in order."""
    last = p.size[column] - 1
    count = 1
    while last - count >= p.down[column] and _follows(
        p,
        p.options[_GROUP_BUILDING],
        p.cards[column, last - count + 1],
        p.cards[column, last - count],
    ):
        count += 1
    return count


@search_kernel
def _moves_together(p, column, count):
    """Whether this number of cards of a column moves together."""
    kind = p.options[_GROUP]
    if kind == _ALONE:
        return count == 1
    if kind == _ANY_ORDER:
        return True
    group = _group(p, column)
    if kind == _IN_ORDER:
        return count <= group
    if kind == _WHOLE:
        return count == group == p.size[column]
    return count == group


@search_kernel
def _onto_column(p, source, target, count):
    """Whether the last cards of a pile may go onto a column."""
    o = p.options
    if o[_BUILDING] == _NO_BUILD:
        return False
    if o[_SPACE] == _RESERVE_WASTE and source != WASTE and _empty_column(p) >= 0:
        return False
    if source < o[_COLUMNS] and not _moves_together(p, source, count):
        return False
    card = p.cards[source, p.size[source] - count]
    if p.size[target] == 0:
        if o[_SPACE] == _NONE:
            return False
        return o[_SPACE] != _KINGS or _height(p, card) == o[_RANKS] - 1
    by_group = o[_GROUPS_ONTO] and count > 1
    building = o[_GROUP_BUILDING] if by_group else o[_BUILDING]
    return _follows(p, building, card, p.cards[target, p.size[target] - 1])


@search_kernel
def _foundation_of(p, card, height):
    """The first foundation of a suit with a number of cards, that is not full; -1 if none is."""
    for pile in range(FOUNDATION + (card & 3), FOUNDATION + p.options[_FOUNDATIONS], 4):
        if p.size[pile] == height and height < p.options[_RANKS]:
            return pile
    return -1


@search_kernel
def _onto_foundation(p, source, target, count):
    """Whether the last cards of a pile may go onto a foundation, and if so, move them."""
    o = p.options
    card = p.cards[source, p.size[source] - 1]
    if not o[_COMPLETE]:
        if count > 1 or source >= FOUNDATION or _foundation_of(p, card, _height(p, card)) != target:
            return False
        return _shift(p, source, target, 1)
    if source >= o[_COLUMNS] or count != o[_RANKS] or _height(p, card) != 0:
        return False
    for level in range(1, count):
        above, below = p.size[source] - level, p.size[source] - level - 1
        if not _follows(p, _SAME_SUIT, p.cards[source, above], p.cards[source, below]):
            return False
    if _foundation_of(p, card, 0) != target:
        return False
    # From the base up.
    for _ in range(count):
        _shift(p, source, target, 1)
    return True


@search_kernel
def _into_hole(p, card):
    """Whether a card may go into the hole."""
    apart = abs((card >> 2) - (p.cards[HOLE, p.size[HOLE] - 1] >> 2))
    return apart == 1 or (p.options[_HOLE_LOOPS] != 0 and apart == p.options[_RANKS] - 1)


@search_kernel
def _play_cards(p, source, target, count):
    """Move cards from pile to pile; whether that is legal."""
    o = p.options
    is_column = source < o[_COLUMNS]
    is_source = (
        is_column
        or CELL <= source < CELL + o[_CELLS]
        or RESERVE <= source < STOCK
        or source == WASTE
        or (FOUNDATION <= source < FOUNDATION + o[_FOUNDATIONS] and o[_REMOVABLE])
    )
    if not is_source or source == target:
        return False
    open_cards = p.size[source] - (p.down[source] if is_column else 0)
    if count < 1 or count > open_cards:
        return False
    if count > 1 and not is_column:
        return False
    if target < o[_COLUMNS]:
        return _onto_column(p, source, target, count) and _shift(p, source, target, count)
    if FOUNDATION <= target < FOUNDATION + o[_FOUNDATIONS]:
        return _onto_foundation(p, source, target, count)
    if count > 1:
        return False
    if CELL <= target < CELL + o[_CELLS]:
        if CELL <= source < RESERVE or p.size[target] > 0:
            return False
        return _shift(p, source, target, 1)
    if target == HOLE and o[_HOLE_THERE]:
        return _into_hole(p, p.cards[source, p.size[source] - 1]) and _shift(p, source, HOLE, 1)
    return False


@search_kernel
def _play_pile(p, source, target):
    """Move a pile of an accordion; whether that is legal."""
    o, tops = p.options, p.cards
    if max(source, target) >= p.size[0] or source == target:
        return False
    if not p.jumps[int(target > source), abs(source - target)]:
        return False
    card, onto = tops[0, source], tops[0, target]
    if not (
        o[_MEET_ALWAYS]
        or (o[_MEET_RANK] and card >> 2 == onto >> 2)
        or (o[_MEET_SUIT] and card & 3 == onto & 3)
        or (o[_MEET_COLOUR] and card & 1 != onto & 1)
    ):
        return False
    tops[0, target] = card
    for place in range(source, p.size[0] - 1):
        tops[0, place] = tops[0, place + 1]
    p.size[0] -= 1
    return True


@search_kernel
def _play_row(p, source, target):
    """Move a card into a gap; whether that is legal."""
    o, places = p.options, p.cards
    ranks = o[_RANKS]
    if max(source, target) >= p.size[0] or places[0, source] < 0 or places[0, target] >= 0:
        return False
    card, column = places[0, source], target % ranks
    by = o[_ROW_BUILDING]
    fits = False
    if o[_LEFTWARD]:
        if column == 0:
            fits = card >> 2 == 1
            if o[_FIXED_SUIT] and card & 3 != p.suits[target // ranks]:
                fits = False
        elif places[0, target - 1] >= 0:
            fits = _follows(p, by, places[0, target - 1], card)
    if o[_RIGHTWARD] and not fits:
        if column == ranks - 1:
            fits = card >> 2 == ranks - 1
        elif places[0, target + 1] >= 0:
            fits = _follows(p, by, card, places[0, target + 1])
    if fits:
        places[0, target] = card
        places[0, source] = -1
    return fits


@search_kernel
def _play(p, source, target, count):
    """Play the move of three bytes; whether there is such a move and it is legal."""
    o = p.options
    if o[_ACCORDION]:
        return count == 1 and _play_pile(p, source, target)
    if o[_ROWS]:
        return count == 1 and _play_row(p, source, target)
    if o[_SPACE] >= _RESERVE_ANY:
        empty = _empty_column(p)
        forced = RESERVE
        if o[_SPACE] == _WASTE_STOCK:
            forced = WASTE if p.size[WASTE] > 0 else STOCK
        if empty >= 0 and p.size[forced] > 0:
            is_forced = source == forced and target == empty and count == 1
            return is_forced and _shift(p, source, target, 1)
    if source == STOCK:
        return target == WASTE and count == 1 and _turn(p)
    return _play_cards(p, source, target, count)


@search_kernel
def _is_won(p):
    """Whether the game is won."""
    o = p.options
    if o[_HOLE_THERE]:
        return p.size[HOLE] == o[_DECK]
    if o[_ACCORDION]:
        return p.size[0] == 1
    if o[_ROWS]:
        ranks = o[_RANKS]
        for place in range(p.size[0]):
            card, column = p.cards[0, place], place % ranks
            if column == ranks - 1:
                if card >= 0:
                    return False
                continue
            if card < 0 or card >> 2 != column + 1:
                return False
            if column > 0 and not _suits_fit(o[_ROW_BUILDING], p.cards[0, place - 1], card):
                return False
        return True
    for pile in range(FOUNDATION, FOUNDATION + o[_FOUNDATIONS]):
        if p.size[pile] != o[_RANKS]:
            return False
    return True


@search_kernel
def _verdict(deals, at, moves, first, end, p):
    """The verdict on the bytes first … end − 1 on a row of deals."""
    if not _lay_out(deals, at, p):
        return NO_DEAL
    count = (end - first) // 3
    for number in range(count):
        place = first + 3 * number
        source, target = np.int64(moves[place]), np.int64(moves[place + 1])
        if not _play(p, source, target, np.int64(moves[place + 2])):
            return number + 1
    if (end - first) % 3:
        return count + 1  # part of a move
    return WINS if _is_won(p) else NO_WIN


@kernel
def _verdicts(deals, moves, starts, p, found):
    """Write the verdict on each solution into `found`."""
    for at in range(len(found)):
        found[at] = _verdict(deals, at, moves, starts[at], starts[at + 1], p)


def check(
    cards: NDArray[np.uint8], rules: PatienceRules, solutions: Sequence[bytes]
) -> NDArray[np.int64]:
    """Judge packed solutions of deals uint8[n, cards in play]: verdicts, see `engine.checkers`.

    Raises:
        ValueError: not as many deals as solutions, or of another shape.
    """
    cards, moves, starts = side_by_side(cards, solutions, rules.options.cards)
    found = np.empty(len(solutions), dtype=np.int64)
    _verdicts(cards, moves, starts, _new_piles(rules), found)
    return found


def _new_piles(rules: PatienceRules) -> PatiencePiles:
    """Piles for games under rules."""
    o = rules.options
    layout = layout_of(o)
    options = {
        **{_COLUMNS: o.columns, _CELLS: o.cells, _FOUNDATIONS: o.suits if o.foundations else 0},
        **{_HOLE_THERE: o.hole, _ACCORDION: o.accordion, _ROWS: o.sequences, _RANKS: o.max_rank},
        **{_DECK: o.deck, _DECKS: o.decks, _HOLE_LOOPS: o.hole_loops},
        _BASE: _ANY_RANK if o.base == RANDOM else RANKS.index(o.base),
        _HOLE_CARD: -1 if o.hole_base == RANDOM else parse_card(o.hole_base),
        _FOUNDED_OTHERS: o.founded == "others",
        **{_FOUNDED_ALL: o.founded == "all", _BUILDING: _BUILDINGS.index(o.building)},
        **{_SPACE: _SPACES.index(o.spaces), _GROUP: _GROUPS.index(o.groups)},
        _GROUP_BUILDING: _BUILDINGS.index(o.group_building),
        **{_GROUPS_ONTO: o.groups_onto == "group", _REMOVABLE: o.removable},
        **{_COMPLETE: o.complete_runs, _STOCK_SIZE: o.stock, _TO: _STOCK_TO.index(o.stock_to)},
        **{_COUNT: o.deal_count, _REDEALS: o.redeals, _ONTO_EMPTY: o.deal_onto_empty},
        **{_LEFTWARD: "L" in o.sequence_direction, _RIGHTWARD: "R" in o.sequence_direction},
        _ROW_BUILDING: _BUILDINGS.index(o.sequence_building),
        **{_FIXED_SUIT: o.sequence_fixed_suit, _MEET_RANK: "same-rank" in o.accordion_building},
        **{_MEET_SUIT: "same-suit" in o.accordion_building},
        **{_MEET_COLOUR: "red-black" in o.accordion_building},
        **{_MEET_ALWAYS: "any-suit" in o.accordion_building},
    }
    jumps = np.zeros((2, _MOST + 1), dtype=np.int64)
    for jump in o.accordion_moves:
        jumps["LR".index(jump[0]), int(jump[1:])] = 1
    face_down = np.zeros(CELL, dtype=np.int64)
    face_down[: o.columns] = layout.face_down
    return PatiencePiles(
        cards=np.zeros((CODES, _MOST), dtype=np.int64),
        size=np.zeros(CODES, dtype=np.int64),
        down=np.zeros(CELL, dtype=np.int64),
        counts=np.zeros(2, dtype=np.int64),
        seen=np.zeros(52, dtype=np.int64),
        options=np.array([options[at] for at in range(len(options))], dtype=np.int64),
        jumps=jumps,
        places=np.array(_codes(layout), dtype=np.int64),
        face_down=face_down,
        suits=np.array([row_suit(row) for row in range(8)], dtype=np.int64),
    )


def _codes(layout: PatienceLayout) -> list[int]:
    """The code of the pile of each place of the flat order."""
    codes = []
    for zone in layout.zones:
        for pile, places in enumerate(zone.piles):
            for at in range(len(places)):
                match zone.name:
                    case "tableau":
                        code = pile
                    case "cells":
                        code = CELL + at
                    case "reserve":
                        code = RESERVE + (0 if layout.options.reserve_stacked else at)
                    case "stock":
                        code = STOCK
                    case "foundations":
                        code = FOUNDATION
                    case "hole":
                        code = HOLE
                    case _:  # an accordion and rows lie in the first pile, one after the other
                        code = 0
                codes.append(code)
    return codes
