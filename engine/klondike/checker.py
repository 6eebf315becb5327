"""Checker of Klondike: the rules once more, compiled, on plain columns.

Written from the rules alone: it shares no code with the searches that it judges, nor with the
referee in plain Python, which is its twin.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cards import KING
from engine.checkers import NO_DEAL, NO_WIN, WINS, side_by_side
from engine.kernels.compiling import Part
from engine.kernels.decorators import search_kernel
from engine.klondike.deal import COLUMN_START, COLUMNS, STOCK_SIZE
from engine.klondike.rules import BUILDINGS, SPACES, KlondikeRules

CARDS = 52
# The first byte of each kind of move, as in the table of `engine.klondike.moves`.
_TURN, _REDEAL, _WASTE_UP, _WASTE_DOWN, _UP, _DOWN, _RUN, _PART = 0, 1, 2, 3, 10, 17, 45, 94
_MOST_IN_PART = 12
_NO_MOVE = _PART + COLUMNS * _MOST_IN_PART
# Places of `rules`; unlimited redeals are UNLIMITED, building and spaces indices of their names.
_DRAW, _REDEALS, _PARTIAL_RUNS, _WORRYING_BACK, _BUILDING, _SPACES = range(6)
_UNLIMITED = -1
_ALTERNATING, _ANY_SUIT = BUILDINGS.index("alternating"), BUILDINGS.index("any-suit")
_KINGS, _ANY = SPACES.index("kings"), SPACES.index("any")
# Places of `counts`.
_DRAWN, _TALON, _REDEALS_USED = range(3)

_START = np.array(COLUMN_START, dtype=np.int64)


class KlondikePiles(NamedTuple):
    """A position; all arrays are int64.

    No pile can outgrow its array: there are 52 cards, and a move takes a card from where it puts
    one.

    columns: [7, 52], the cards of each column, bottom to top.
    size: [7], cards of each column.
    down: [7], face-down cards of each column.
    heights: [4], cards on each foundation, by suit C D S H.
    talon: [24], waste and stock: the waste from its first card to the playable one, then the stock,
        the next card first. A turn or redeal only moves the border between them.
    counts: [3], cards of the waste; of waste and stock; redeals used.
    """

    columns: NDArray[np.int64]
    size: NDArray[np.int64]
    down: NDArray[np.int64]
    heights: NDArray[np.int64]
    talon: NDArray[np.int64]
    counts: NDArray[np.int64]


@search_kernel
def _is_deck(cards, at):
    """Whether a row of deals holds each card of the deck once."""
    seen = 0
    for place in range(CARDS):
        card = np.int64(cards[at, place])
        if card >= CARDS or seen >> card & 1:
            return False
        seen |= 1 << card
    return True


@search_kernel
def _lay_out(cards, at, piles):
    """Lay out the start of a row of deals: the last card of each column is face up."""
    for column in range(COLUMNS):
        size = _START[column + 1] - _START[column]
        for level in range(size):
            piles.columns[column, level] = cards[at, _START[column] + level]
        piles.size[column] = size
        piles.down[column] = size - 1
    for place in range(STOCK_SIZE):
        piles.talon[place] = cards[at, _START[COLUMNS] + place]
    piles.heights[:] = 0
    piles.counts[_DRAWN] = piles.counts[_REDEALS_USED] = 0
    piles.counts[_TALON] = STOCK_SIZE


@search_kernel
def _fits(piles, rules, card, column):
    """Whether a card may be built on a column or go to it while it is empty."""
    size = piles.size[column]
    if size == 0:
        return rules[_SPACES] == _ANY or (rules[_SPACES] == _KINGS and card >> 2 == KING)
    top = piles.columns[column, size - 1]
    if top >> 2 != (card >> 2) + 1:
        return False
    if rules[_BUILDING] == _ALTERNATING:
        return top & 1 != card & 1
    return rules[_BUILDING] == _ANY_SUIT or top & 3 == card & 3


@search_kernel
def _put(piles, card, column):
    """Put a card on a column."""
    piles.columns[column, piles.size[column]] = card
    piles.size[column] += 1


@search_kernel
def _take(piles, column, count):
    """Take cards off a column; a face-down card that this uncovers turns face up."""
    piles.size[column] -= count
    if piles.size[column] == piles.down[column] and piles.down[column] > 0:
        piles.down[column] -= 1


@search_kernel
def _carry(piles, source, count, target):
    """Move the uppermost cards of a column to another one."""
    end = piles.size[source]
    for level in range(end - count, end):
        _put(piles, piles.columns[source, level], target)
    _take(piles, source, count)


@search_kernel
def _raise(piles, card):
    """Put a card on its foundation; whether it follows there."""
    if piles.heights[card & 3] != card >> 2:
        return False
    piles.heights[card & 3] += 1
    return True


@search_kernel
def _leave_waste(piles):
    """Take the playable card off the waste."""
    for place in range(piles.counts[_DRAWN], piles.counts[_TALON]):
        piles.talon[place - 1] = piles.talon[place]
    piles.counts[_DRAWN] -= 1
    piles.counts[_TALON] -= 1


@search_kernel
def _move_run(piles, rules, source, target):
    """Move the run of a column that fits on another one; whether there is one.

    Any run would fit on an empty column under some rules, so there this is no move.
    """
    if source == target or (piles.size[target] == 0 and rules[_SPACES] == _ANY):
        return False
    end = piles.size[source]
    first = piles.down[source]
    last = end if rules[_PARTIAL_RUNS] else min(end, first + 1)
    for level in range(first, last):
        if _fits(piles, rules, piles.columns[source, level], target):
            _carry(piles, source, end - level, target)
            return True
    return False


@search_kernel
def _move_part(piles, rules, source, count):
    """Move cards of a column to the first empty one; whether that is legal."""
    held = piles.size[source] - piles.down[source]
    if rules[_SPACES] != _ANY or count > held or (count < held and not rules[_PARTIAL_RUNS]):
        return False
    for target in range(COLUMNS):
        if piles.size[target] == 0:
            _carry(piles, source, count, target)
            return True
    return False


@search_kernel
def _play(piles, rules, byte):
    """Play the move of a byte; whether there is such a move and it is legal."""
    drawn = piles.counts[_DRAWN]
    if byte == _TURN:
        if drawn == piles.counts[_TALON]:
            return False
        piles.counts[_DRAWN] = min(drawn + rules[_DRAW], piles.counts[_TALON])
        return True
    if byte == _REDEAL:
        used = piles.counts[_REDEALS_USED]
        if drawn < piles.counts[_TALON] or drawn == 0:
            return False
        if rules[_REDEALS] != _UNLIMITED and used >= rules[_REDEALS]:
            return False
        piles.counts[_DRAWN] = 0
        piles.counts[_REDEALS_USED] = used + 1
        return True
    if byte < _UP:
        if drawn == 0:
            return False
        card = piles.talon[drawn - 1]
        if byte == _WASTE_UP:
            if not _raise(piles, card):
                return False
        else:
            column = byte - _WASTE_DOWN
            if not _fits(piles, rules, card, column):
                return False
            _put(piles, card, column)
        _leave_waste(piles)
        return True
    if byte < _DOWN:
        column = byte - _UP
        size = piles.size[column]
        if size == 0 or not _raise(piles, piles.columns[column, size - 1]):
            return False
        _take(piles, column, 1)
        return True
    if byte < _RUN:
        suit = (byte - _DOWN) // COLUMNS
        column = (byte - _DOWN) % COLUMNS
        height = piles.heights[suit]
        if not rules[_WORRYING_BACK] or height == 0:
            return False
        card = (height - 1) * 4 + suit
        if not _fits(piles, rules, card, column):
            return False
        piles.heights[suit] -= 1
        _put(piles, card, column)
        return True
    if byte < _PART:
        return _move_run(piles, rules, (byte - _RUN) // COLUMNS, (byte - _RUN) % COLUMNS)
    if byte < _NO_MOVE:
        source = (byte - _PART) // _MOST_IN_PART
        return _move_part(piles, rules, source, (byte - _PART) % _MOST_IN_PART + 1)
    return False


@search_kernel
def _verdict(cards, at, rules, moves, first, end, piles):
    """The verdict on the moves first … end − 1 on a row of deals."""
    if not _is_deck(cards, at):
        return NO_DEAL
    _lay_out(cards, at, piles)
    for place in range(first, end):
        if not _play(piles, rules, np.int64(moves[place])):
            return place - first + 1
    for suit in range(4):
        if piles.heights[suit] != KING + 1:
            return NO_WIN
    return WINS


@search_kernel
def _verdicts(cards, rules, moves, starts, piles, found):
    """Write the verdict on each solution into `found`."""
    for at in range(len(found)):
        found[at] = _verdict(cards, at, rules, moves, starts[at], starts[at + 1], piles)


def check(
    cards: NDArray[np.uint8], rules: KlondikeRules, solutions: Sequence[bytes]
) -> NDArray[np.int64]:
    """Judge packed solutions of deals uint8[n, 52]: verdicts int64[n], see `engine.checkers`.

    Raises:
        ValueError: not as many deals as solutions, or of another shape.
    """
    CHECKER.need()
    return _checked(cards, rules, solutions)


def _checked(
    cards: NDArray[np.uint8], rules: KlondikeRules, solutions: Sequence[bytes]
) -> NDArray[np.int64]:
    cards, moves, starts = side_by_side(cards, solutions, CARDS)
    piles = KlondikePiles(
        columns=np.zeros((COLUMNS, CARDS), dtype=np.int64),
        size=np.zeros(COLUMNS, dtype=np.int64),
        down=np.zeros(COLUMNS, dtype=np.int64),
        heights=np.zeros(4, dtype=np.int64),
        talon=np.zeros(STOCK_SIZE, dtype=np.int64),
        counts=np.zeros(3, dtype=np.int64),
    )
    redeals = _UNLIMITED if rules.redeals is None else rules.redeals
    building, spaces = BUILDINGS.index(rules.building), SPACES.index(rules.spaces)
    options = np.array(
        [rules.draw, redeals, rules.partial_runs, rules.worrying_back, building, spaces],
        dtype=np.int64,
    )
    found = np.empty(len(solutions), dtype=np.int64)
    _verdicts(cards, options, moves, starts, piles, found)
    return found


def _run() -> None:
    _checked(np.zeros((0, CARDS), dtype=np.uint8), KlondikeRules(), [])


CHECKER = Part("engine.klondike.checker:CHECKER", (_verdicts,), _run)
