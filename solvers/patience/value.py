"""Value of a position for `patience-exact`: how far a win seems, which orders the search.

It decides nothing: of two positions the one of lower value is searched first. It is a sum over
columns, so that the *sight* of a position, which has its sums up to each card of each column, gives
the value after a step before the step is made: without what is forced or safe then, and for groups
without what changes within them.

The sight is int64[SIGHT]: of each column where its cards begin and how many there are, then of each
card, from the bottom of the first column on, the sums of the cards up to it.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.patience.layout import CELL, FOUNDATION, RESERVE, STOCK
from solvers.patience import plan as at
from solvers.patience.plan import DOWN, NONE
from solvers.patience.steps import in_order

# Weights: of each card that is not on a foundation; of each that lies on one on which it does not
# build; of each that lies over the lowest of its column; of each over the next card of a
# foundation; of each over a lower one of its suit; of each in a cell; of having neither cell nor
# column free; of an empty column, which is worth so much; of each face down; of each move on the
# way; of a random number up to 15.
(
    UP_LEFT, BREAKS, OVER_LOWEST, OVER_NEXT, OVER_SUIT, IN_CELL, STUCK, EMPTY, FACE_DOWN, MOVES,
    NOISE,
) = range(at.WEIGHT_COUNT)  # fmt: skip
MOST_VALUE = 4095
LEAST = 200  # what empty columns and the way may be worth

# Of the sight: free cells, empty columns and whether there is neither; of the cards seen last the
# lowest of each suit; of each column; of each card.
CELLS_FREE, EMPTIES, IS_STUCK, LOWEST_OF_SUITS, FIRST = 0, 1, 2, 3, 7
HEIGHT = FIRST + 52
SUMS = HEIGHT + 52
# Sums: the card, the lowest rank, how many cards lie over the lowest, next cards of foundations,
# how many lie over these, breaks, cards over a lower one of their suit, and cards face down.
CARD, LOWEST, ABOVE, NEXT_CARDS, ABOVE_NEXT, BROKEN, OVER_OWN, HIDDEN, SUM = range(9)
SIGHT = SUMS + 104 * SUM


@search_kernel
def see(rows, b, plan, sight):
    """Fill the sight of a position, and return its value but for the way and for noise.

    Args:
        rows: int8[...], of which the position begins at `b`.
        b: where.
        plan: int64[PLAN].
        sight: int64[SIGHT].
    """
    heights, weights = b + plan[at.HEIGHTS], at.WEIGHTS
    left = plan[at.MAX_RANK] * plan[at.SUITS]
    for pile in range(plan[at.SUITS]):
        left -= rows[heights + pile]
    building = plan[at.BUILDING]
    if plan[at.GROUPS] != at.SINGLE:
        building = plan[at.GROUP_BUILDING]
    value = LEAST + plan[weights + UP_LEFT] * left
    empty, place = 0, SUMS
    for column in range(plan[at.COLUMNS]):
        height = 0
        card = rows[b + plan[at.TOP] + column]
        while card != NONE:
            height += 1
            card = rows[b + card]
        sight[FIRST + column], sight[HEIGHT + column] = place, height
        if height == 0:
            empty += 1
            continue
        place += SUM * height
        card = rows[b + plan[at.TOP] + column]
        for level in range(1, height + 1):
            sight[place - SUM * level + CARD] = card
            card = rows[b + card]
        _add_sums(rows, b, plan, building, sight, column)
        value += _weight(plan, sight, place - SUM)
    cells = 0
    for cell in range(plan[at.CELLS_COUNT]):
        cells += rows[b + plan[at.CELLS] + cell] != NONE
    sight[CELLS_FREE], sight[EMPTIES] = plan[at.CELLS_COUNT] - cells, empty
    sight[IS_STUCK] = sight[CELLS_FREE] + empty == 0
    return (
        value
        + plan[weights + IN_CELL] * cells
        + plan[weights + STUCK] * sight[IS_STUCK]
        - plan[weights + EMPTY] * empty
    )


@inlined_kernel
def _add_sums(rows, b, plan, building, sight, column):
    """Fill the sums of a column's cards."""
    heights = b + plan[at.HEIGHTS]
    lowest, lowest_at, next_cards, above_next, broken, over_own, hidden = 99, 0, 0, 0, 0, 0, 0
    for suit in range(4):
        sight[LOWEST_OF_SUITS + suit] = 99
    below = NONE
    for level in range(sight[HEIGHT + column]):
        place = sight[FIRST + column] + SUM * level
        card = sight[place + CARD]
        rank, suit = plan[at.RANK + card], card & 3
        if rank < lowest:
            lowest, lowest_at = rank, level
        if rank < sight[LOWEST_OF_SUITS + suit]:
            sight[LOWEST_OF_SUITS + suit] = rank
        else:
            over_own += 1
        above_next += next_cards
        next_cards += rows[heights + suit] == rank
        if level > 0:
            if rows[b + plan[at.COLUMN] + below] == DOWN:
                hidden += 1
                broken += 1
            elif not in_order(plan, card, below, building):
                broken += 1
        below = card
        sight[place + LOWEST], sight[place + ABOVE] = lowest, level - lowest_at
        sight[place + NEXT_CARDS], sight[place + ABOVE_NEXT] = next_cards, above_next
        sight[place + BROKEN], sight[place + OVER_OWN] = broken, over_own
        sight[place + HIDDEN] = hidden


@inlined_kernel
def _weight(plan, sight, place):
    """The share of the value that the cards of a column have, up to that of a place."""
    weights = at.WEIGHTS
    return (
        plan[weights + BREAKS] * sight[place + BROKEN]
        + plan[weights + OVER_LOWEST] * sight[place + ABOVE]
        + plan[weights + OVER_NEXT] * sight[place + ABOVE_NEXT]
        + plan[weights + OVER_SUIT] * sight[place + OVER_OWN]
        + plan[weights + FACE_DOWN] * sight[place + HIDDEN]
    )


@inlined_kernel
def change(rows, b, plan, step, sight):
    """The change of the value by a step from the position whose sight it is."""
    source, target, cards = step & 255, step >> 8 & 255, step >> 16 & 255
    weights = at.WEIGHTS
    free, empty = sight[CELLS_FREE], sight[EMPTIES]
    value, last = 0, NONE
    if source < CELL:
        left = sight[HEIGHT + source] - cards
        place = sight[FIRST + source] + SUM * left
        end = place + SUM * (cards - 1)
        last = sight[end + CARD]
        value -= _weight(plan, sight, end)
        if left == 0:
            empty += 1
        else:
            value += _weight(plan, sight, place - SUM)
        if target < CELL:
            # What breaks in the group breaks elsewhere.
            value += plan[weights + BREAKS] * (sight[end + BROKEN] - sight[place + BROKEN])
    elif source < RESERVE:
        last = rows[b + plan[at.CELLS] + source - CELL] + 0
        free += 1
        value -= plan[weights + IN_CELL]
    elif source >= FOUNDATION:
        value += plan[weights + UP_LEFT]
    if target < CELL:
        height = sight[HEIGHT + target]
        if height == 0:
            empty -= 1
        elif source != STOCK:
            value += _onto(plan, sight, target, last, cards)
    elif target < RESERVE:
        free -= 1
        value += plan[weights + IN_CELL]
    elif target >= FOUNDATION:
        value -= plan[weights + UP_LEFT] * cards
    return (
        value
        - plan[weights + EMPTY] * (empty - sight[EMPTIES])
        + plan[weights + STUCK] * ((free + empty == 0) - sight[IS_STUCK])
    )


@inlined_kernel
def _onto(plan, sight, target, last, cards):
    """The change of a column's share by cards laid onto it, the last of which is `last`."""
    weights = at.WEIGHTS
    end = sight[FIRST + target] + SUM * (sight[HEIGHT + target] - 1)
    value = plan[weights + OVER_NEXT] * sight[end + NEXT_CARDS] * cards
    if last == NONE or plan[at.RANK + last] < sight[end + LOWEST]:
        value -= plan[weights + OVER_LOWEST] * sight[end + ABOVE]
    else:
        value += plan[weights + OVER_LOWEST] * cards
    if last != NONE and plan[weights + OVER_SUIT] != 0:
        for place in range(sight[FIRST + target], end + 1, SUM):
            other = sight[place + CARD]
            if (other ^ last) & 3 == 0 and plan[at.RANK + other] < plan[at.RANK + last]:
                return value + plan[weights + OVER_SUIT]
    return value


# The runs of a search: weights, and how many positions are expanded by these. What one order of
# positions misses for long another finds soon; runs of many more positions follow those of few.
_SPACIOUS = (6, 7, 2, 4, 0, 17, 1, 22, 4, 0, 0)
_UNCOVERING = (10, 6, 0, 4, 8, 12, 2, 18, 4, 4, 0)
_ORDERLY = (6, 6, 4, 4, 2, 20, 0, 12, 4, 1, 0)
_SUITED = (4, 8, 0, 4, 2, 14, 4, 18, 4, 2, 0)
_LOWEST = (18, 0, 4, 6, 6, 14, 6, 0, 4, 1, 0)
_OPENING = (16, 8, 8, 12, 6, 0, 0, 0, 4, 4, 0)
_UPWARD = (17, 2, 1, 2, 0, -2, 0, 1, 5, -3, 0)
_VARIED = (4, 8, 0, 4, 2, 14, 4, 18, 4, 0, 1)
RUNS = (
    *((_SPACIOUS, 120), (_ORDERLY, 250), (_UNCOVERING, 250), (_LOWEST, 200), (_SUITED, 300)),
    *((_OPENING, 300), (_VARIED, 400), (_LOWEST, 600), (_UNCOVERING, 1_200), (_SPACIOUS, 1_200)),
    *((_UPWARD, 800), (_ORDERLY, 1_600), (_VARIED, 2_400), (_OPENING, 3_000)),
    (_SUITED, 200_000),
)
# Searches for shorter wins, in which moves on the way count for more.
SHORTER = (
    (18, 0, 4, 6, 6, 14, 6, 0, 4, 5, 0),
    (16, 8, 8, 12, 6, 0, 0, 0, 4, 8, 0),
    (18, 0, 4, 6, 6, 14, 6, 0, 4, 10, 0),
    (18, 0, 4, 6, 6, 14, 6, 0, 4, 6, 0),
    (10, 6, 0, 4, 8, 12, 2, 18, 4, 10, 0),
    (6, 6, 4, 4, 2, 20, 0, 12, 4, 6, 0),
)
SHORTER_GUIDED = 2_500
