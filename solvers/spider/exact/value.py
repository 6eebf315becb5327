"""The value of a position for the beam, and how a move changes it and the position's sums.

It has points for long runs in suit, completed runs, empty columns and few face-down cards, and for
what a run lies on. They depend on how many rows were dealt. Their numbers were found by random
changes that won more of thousands of hands from `thoughtful-1:4000000` on (four suits, beams of 40
positions); nothing is proved by them.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.spider.board import WHOLE_RUN
from engine.spider.deal import COLUMNS, ROWS
from solvers.spider.beam_value import mixed
from solvers.spider.exact.table import COLUMN_KEYS, DONE, EMPTY, SIGN, VALUE, key

_KING = 12
_MOST_DOWN = 7
# Points, by places: of face-down cards in a column, of the length of a run, of a run on a card of
# the next rank, a higher and a lower one, of empty columns, of a completed run, of the random part,
# of each empty column when a row is dealt, and of a king at the bottom of a column.
_DOWN = 0
_RUN = _DOWN + _MOST_DOWN + 1
_NEXT = _RUN + WHOLE_RUN + 1
_HIGHER, _LOWER = _NEXT + 1, _NEXT + 2
_EMPTY = _LOWER + 1
_DONE = _EMPTY + 3
P_NOISE, P_KEPT, _KINGS = _DONE + 1, _DONE + 2, _DONE + 3
_PLACES = _KINGS + 1
# Places of what `change` writes: the change of the value, the new signature, the new sums of source
# and target, and the new number of empty columns.
MORE, SIGNED, SOURCE_SUM, TARGET_SUM, EMPTIES = range(5)

# Each with its share more for every row dealt, counted from the middle of the hand.
_WEIGHTS = {
    "first down": (3.0, 0.0),
    "second down": (3.0, 0.0),
    "further down": (1.81, 0.0),
    "connector": (1.056, -0.056),
    "square": (0.3, 0.0),
    "cube": (-0.0064, 0.0),
    "next": (-0.593, 0.0),
    "higher": (0.1, 0.076),
    "lower": (-0.1, 0.0),
    "first empty": (1.0, 0.0),
    "second empty": (1.5, -0.073),
    "done": (60.0, -0.114),
    "noise": (4.11, 0.0),
    "kept": (5.0, 0.0),
    "king": (-0.122, 0.037),
}


def points_of(weights: dict[str, tuple[float, float]] = _WEIGHTS) -> NDArray[np.int64]:
    """The points int64[6, n] of weights, by rows dealt, in hundredths."""
    found = np.zeros((ROWS + 1, _PLACES), dtype=np.int64)
    for dealt in range(ROWS + 1):
        now = {name: w * (1 + more * (dealt - ROWS / 2)) for name, (w, more) in weights.items()}
        row = found[dealt]
        for down in range(1, _MOST_DOWN + 1):
            first, second = now["first down"], min(down - 1, 1) * now["second down"]
            row[_DOWN + down] = -100 * (first + second + max(down - 2, 0) * now["further down"])
        for length in range(2, WHOLE_RUN + 1):
            joins = length - 1
            worth = now["connector"] * joins + now["square"] * joins**2 + now["cube"] * joins**3
            row[_RUN + length] = 100 * worth
        empty = now["first empty"]
        row[_EMPTY + 1], row[_EMPTY + 2] = 100 * empty, 100 * (empty + now["second empty"])
        places = {
            _NEXT: "next", _HIGHER: "higher", _LOWER: "lower", _DONE: "done", P_NOISE: "noise",
            P_KEPT: "kept", _KINGS: "king",
        }  # fmt: skip
        for place, name in places.items():
            row[place] = 100 * now[name]
    return found


@search_kernel
def _lies_on(points, below, card):
    """Points of a run whose first card lies on a card that it does not continue."""
    above, under = card >> 2, below >> 2
    if under == above + 1:
        return points[_NEXT]
    return points[_HIGHER] if above < under else points[_LOWER]


@search_kernel
def _column_value(tables, at, column, points):
    """Points of the cards of a column."""
    cards, size = tables.cards[at, column], tables.size[at, column]
    down = int(tables.down[at, column])
    value = points[_DOWN + min(down, _MOST_DOWN)]
    if size == down:
        return value
    length = 1
    for level in range(down + 1, size):
        if cards[level - 1] == cards[level] + 4:
            length += 1
        else:
            value += points[_RUN + length] + _lies_on(points, cards[level - 1], cards[level])
            length = 1
    if down == 0 and cards[0] >> 2 == _KING:
        value += points[_KINGS]
    return value + points[_RUN + length]


@search_kernel
def table_value(tables, at, points):
    """The value of a position."""
    value = points[_DONE] * tables.counts[at, DONE]
    for column in range(COLUMNS):
        value += _column_value(tables, at, column, points)
    return value + points[_EMPTY + min(tables.counts[at, EMPTY], 2)]


@search_kernel
def _turned(tables, at, column, points):
    """Points for the last face-down card of a column that turns up."""
    down = int(tables.down[at, column])
    more = points[_DOWN + min(down - 1, _MOST_DOWN)] - points[_DOWN + min(down, _MOST_DOWN)]
    if down == 1 and tables.cards[at, column, 0] >> 2 == _KING:
        more += points[_KINGS]
    return more + points[_RUN + 1]


@search_kernel
def _turned_sum(tables, at, column, fixed):
    """Change of a column's sum by its last face-down card that turns up."""
    down = int(tables.down[at, column])
    more = key(int(tables.cards[at, column, down - 1]), down - 1)
    return more - COLUMN_KEYS[column] if down == 1 and not fixed else more


@search_kernel
def _bared(tables, at, column, left, points, fixed, changed, place):
    """Changes once a run leaves a column, of its sum at `place`; returns whether it empties."""
    cards, down = tables.cards[at, column], tables.down[at, column]
    if left == 0:
        if cards[0] >> 2 == _KING:
            changed[MORE] -= points[_KINGS]
        # The key of a fixed column stays, and it had no face-down card.
        return 1
    if left > down:
        changed[MORE] -= _lies_on(points, cards[left - 1], cards[left])
    else:
        changed[MORE] += _turned(tables, at, column, points)
        changed[place] += _turned_sum(tables, at, column, fixed)
    return 0


@search_kernel
def change(tables, at, source, target, count, points, fixed, changed):
    """Write what a legal move of cards changes, see MORE; nothing is moved.

    Args:
        tables: `Tables`.
        at: the position.
        source: the column that the cards leave.
        target: the column that they go to.
        count: number of cards.
        points: int64[…], those of the rows dealt.
        fixed: see `column_sum`.
        changed: int64[5], out.
    """
    cards = tables.cards[at]
    run, size = int(tables.run[at, source]), int(tables.size[at, target])
    onto = int(tables.run[at, target])
    left = int(tables.size[at, source]) - count
    first = int(cards[source, left])
    joins = size > 0 and cards[target, size - 1] == first + 4
    empty = before = tables.counts[at, EMPTY]
    changed[MORE] = -points[_RUN + run]
    changed[SOURCE_SUM], changed[TARGET_SUM] = tables.sums[at, source], tables.sums[at, target]
    for place in range(count):
        changed[SOURCE_SUM] -= key(int(cards[source, left + place]), left + place)
    if count < run:
        changed[MORE] += points[_RUN + run - count]
    else:
        empty += _bared(tables, at, source, left, points, fixed, changed, SOURCE_SUM)
    if joins and onto + count == WHOLE_RUN:
        changed[MORE] += points[_DONE] - points[_RUN + onto]
        for level in range(size - onto, size):
            changed[TARGET_SUM] -= key(int(cards[target, level]), level)
        empty += _bared(tables, at, target, size - onto, points, fixed, changed, TARGET_SUM)
    else:
        for place in range(count):
            changed[TARGET_SUM] += key(int(cards[source, left + place]), size + place)
        if joins:
            changed[MORE] += points[_RUN + onto + count] - points[_RUN + onto]
        else:
            changed[MORE] += points[_RUN + count]
            if size > 0:
                changed[MORE] += _lies_on(points, int(cards[target, size - 1]), first)
            elif first >> 2 == _KING:
                changed[MORE] += points[_KINGS]
        empty -= size == 0
    changed[MORE] += points[_EMPTY + min(empty, 2)] - points[_EMPTY + min(before, 2)]
    changed[EMPTIES] = empty
    changed[SIGNED] = (
        tables.counts[at, SIGN]
        + mixed(changed[SOURCE_SUM])
        - mixed(tables.sums[at, source])
        + mixed(changed[TARGET_SUM])
        - mixed(tables.sums[at, target])
    )


@search_kernel
def apply_change(tables, at, source, target, changed):
    """Update value, signature and sums of a position by what was changed."""
    tables.counts[at, VALUE] += changed[MORE]
    tables.counts[at, SIGN] = changed[SIGNED]
    tables.sums[at, source], tables.sums[at, target] = changed[SOURCE_SUM], changed[TARGET_SUM]
