"""Checker of Spider: the rules once more, compiled, on plain columns.

Written from the rules alone: it shares no code with the players that it judges, nor with the
referee in plain Python, which is its twin.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.checkers import NO_DEAL, NO_WIN, WINS, side_by_side
from engine.kernels.decorators import kernel, search_kernel
from engine.spider.deal import (
    CARDS,
    COLUMN_SIZES,
    COLUMN_START,
    COLUMNS,
    DECKS,
    ROWS,
    RUNS,
    TABLEAU_CARDS,
)
from engine.spider.rules import SpiderRules

_WHOLE_RUN = 13
_DECK = 52
_SPADES, _HEARTS = 2, 3
# Places of `rules`.
_SUITS, _ONTO_EMPTY = range(2)
# Places of `counts`.
_DEALT, _COMPLETED = range(2)

_START = np.array(COLUMN_START, dtype=np.int64)
_SIZES = np.array(COLUMN_SIZES, dtype=np.int64)


class SpiderPiles(NamedTuple):
    """A position; all arrays are int64.

    No column can outgrow its array: there are 104 cards, each in one place.

    columns: [10, 104], the cards of each column, bottom to top, with the suits that count.
    size: [10], cards of each column.
    down: [10], face-down cards of each column.
    stock: [5, 10], the rows, next one first, with the suits that count.
    counts: [2], rows dealt, runs completed.
    seen: [52], how often a card is in the deal.
    """

    columns: NDArray[np.int64]
    size: NDArray[np.int64]
    down: NDArray[np.int64]
    stock: NDArray[np.int64]
    counts: NDArray[np.int64]
    seen: NDArray[np.int64]


@search_kernel
def _is_two_decks(cards, at, piles):
    """Whether a row of deals holds each card of the deck twice."""
    piles.seen[:] = 0
    for place in range(CARDS):
        card = np.int64(cards[at, place])
        if card >= _DECK or piles.seen[card] == DECKS:
            return False
        piles.seen[card] += 1
    return True


@search_kernel
def _counted(card, suits):
    """The card that a card of a deal counts as: black ones as spades, of one suit red ones too."""
    if suits == 4:
        return card
    rank = card >> 2
    return rank * 4 + (_HEARTS if suits == 2 and card & 1 else _SPADES)


@search_kernel
def _lay_out(cards, at, suits, piles):
    """Lay out the start of a row of deals: the last card of each column is face up."""
    for column in range(COLUMNS):
        for level in range(_SIZES[column]):
            card = np.int64(cards[at, _START[column] + level])
            piles.columns[column, level] = _counted(card, suits)
        piles.size[column] = _SIZES[column]
        piles.down[column] = _SIZES[column] - 1
        for row in range(ROWS):
            card = np.int64(cards[at, TABLEAU_CARDS + row * COLUMNS + column])
            piles.stock[row, column] = _counted(card, suits)
    piles.counts[_DEALT] = piles.counts[_COMPLETED] = 0


@search_kernel
def _goes_down_in_suit(piles, column, first):
    """Whether the cards of a column from a level to the top go down by one in one suit."""
    for level in range(first + 1, piles.size[column]):
        # One rank is four numbers: the same suit, one lower.
        if piles.columns[column, level] != piles.columns[column, level - 1] - 4:
            return False
    return True


@search_kernel
def _settle(piles, column):
    """Have a completed run leave a column, and turn up a card that lies uncovered."""
    # Thirteen cards that go down by one are those from king to ace.
    first = piles.size[column] - _WHOLE_RUN
    if first >= piles.down[column] and _goes_down_in_suit(piles, column, first):
        piles.size[column] = first
        piles.counts[_COMPLETED] += 1
    if piles.size[column] == piles.down[column] and piles.down[column] > 0:
        piles.down[column] -= 1


@search_kernel
def _deal_row(piles, onto_empty):
    """Deal a row; whether that is legal."""
    row = piles.counts[_DEALT]
    if row == ROWS:
        return False
    if not onto_empty:
        for column in range(COLUMNS):
            if piles.size[column] == 0:
                return False
    for column in range(COLUMNS):
        piles.columns[column, piles.size[column]] = piles.stock[row, column]
        piles.size[column] += 1
        _settle(piles, column)
    piles.counts[_DEALT] = row + 1
    return True


@search_kernel
def _move_run(piles, source, target, count):
    """Move cards from a column to another; whether that is legal."""
    first = piles.size[source] - count
    if source == target or first < piles.down[source]:
        return False
    if not _goes_down_in_suit(piles, source, first):
        return False
    size = piles.size[target]
    if size > 0:
        card, top = piles.columns[source, first], piles.columns[target, size - 1]
        if top >> 2 != (card >> 2) + 1:
            return False
    for place in range(count):
        piles.columns[target, size + place] = piles.columns[source, first + place]
    piles.size[target] += count
    piles.size[source] -= count
    _settle(piles, source)
    _settle(piles, target)
    return True


@search_kernel
def _play(piles, onto_empty, columns, count):
    """Play the move of two bytes; whether there is such a move and it is legal."""
    if columns == 0:
        return count == 0 and _deal_row(piles, onto_empty)
    if columns > COLUMNS * COLUMNS or not 1 <= count <= _WHOLE_RUN:
        return False
    return _move_run(piles, (columns - 1) // COLUMNS, (columns - 1) % COLUMNS, count)


@search_kernel
def _verdict(cards, at, rules, moves, first, end, piles):
    """The verdict on the bytes first … end − 1 on a row of deals."""
    if not _is_two_decks(cards, at, piles):
        return NO_DEAL
    _lay_out(cards, at, rules[_SUITS], piles)
    count = (end - first) // 2
    for number in range(count):
        place = first + 2 * number
        columns, several = np.int64(moves[place]), np.int64(moves[place + 1])
        if not _play(piles, rules[_ONTO_EMPTY], columns, several):
            return number + 1
    if (end - first) % 2:
        return count + 1  # half a move
    return WINS if piles.counts[_COMPLETED] == RUNS else NO_WIN


@kernel
def _verdicts(cards, rules, moves, starts, piles, found):
    """Write the verdict on each solution into `found`."""
    for at in range(len(found)):
        found[at] = _verdict(cards, at, rules, moves, starts[at], starts[at + 1], piles)


def check(
    cards: NDArray[np.uint8], rules: SpiderRules, solutions: Sequence[bytes]
) -> NDArray[np.int64]:
    """Judge packed solutions of deals uint8[n, 104]: verdicts int64[n], see `engine.checkers`.

    Raises:
        ValueError: not as many deals as solutions, or of another shape.
    """
    cards, moves, starts = side_by_side(cards, solutions, CARDS)
    piles = SpiderPiles(
        columns=np.zeros((COLUMNS, CARDS), dtype=np.int64),
        size=np.zeros(COLUMNS, dtype=np.int64),
        down=np.zeros(COLUMNS, dtype=np.int64),
        stock=np.zeros((ROWS, COLUMNS), dtype=np.int64),
        counts=np.zeros(2, dtype=np.int64),
        seen=np.zeros(_DECK, dtype=np.int64),
    )
    options = np.array([rules.suits, rules.deal_onto_empty], dtype=np.int64)
    found = np.empty(len(solutions), dtype=np.int64)
    _verdicts(cards, options, moves, starts, piles, found)
    return found
