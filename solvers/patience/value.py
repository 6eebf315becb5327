"""Value of a position for `patience-exact`: how far a win seems, which orders the search.

It decides nothing: of two positions the one of lower value is searched first. It is a sum over
columns, so that the *sight* of a position, which has this sum up to each card of each column, gives
the value after a step before the step is made: without what is forced or safe then, and for groups
without what changes within them.

The sight is int64[SIGHT]: of the position, of each column, and of each card, a column's last one
first.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.patience.layout import CELL, FOUNDATION, RESERVE, STOCK
from solvers.patience import plan as at
from solvers.patience.plan import DOWN, NONE

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

# Of the position: free cells, empty columns, and whether there is neither.
CELLS_FREE, EMPTIES, IS_STUCK, COLUMNS = range(4)
# Of each column: where its cards begin, how many there are, the lowest rank, how many lie over it,
# next cards of foundations, and the lowest ranks of the four suits, in eight bits each.
FIRST, HEIGHT, LOWEST, ABOVE, NEXT_CARDS, LOWEST_OF_SUITS, COLUMN = range(7)
CARDS = COLUMNS + 52 * COLUMN
# Of each card: the card; of the cards up to it the share of the value, and breaks.
CARD, SHARE, BROKEN, SUM = range(4)
SIGHT = CARDS + 104 * SUM
_NONE_LOW = 0x63636363


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
    value = LEAST + plan[weights + UP_LEFT] * left
    empty, place = 0, CARDS
    for column in range(plan[at.COLUMNS]):
        first = place
        card = rows[b + plan[at.TOP] + column] + 0
        while card != NONE:
            sight[place + CARD] = card
            place += SUM
            card = rows[b + card] + 0
        seen = COLUMNS + COLUMN * column
        sight[seen + FIRST], sight[seen + HEIGHT] = first, (place - first) // SUM
        if place == first:
            empty += 1
        else:
            value += _see_column(rows, b, plan, sight, seen)
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
def _see_column(rows, b, plan, sight, seen):
    """Fill the sight of a column that is not empty, whose cards are there; return its share."""
    weights = at.WEIGHTS
    break_weight, face_down = plan[weights + BREAKS], plan[weights + FACE_DOWN]
    over_lowest, over_next = plan[weights + OVER_LOWEST], plan[weights + OVER_NEXT]
    over_suit = plan[weights + OVER_SUIT]
    building = plan[at.BUILDING]
    if plan[at.GROUPS] != at.SINGLE:
        building = plan[at.GROUP_BUILDING]
    # Of the suits of two cards in order, which bits are compared, and which must differ.
    compared = 3 if building == at.SAME_SUIT else int(building == at.RED_BLACK)
    differing = int(building == at.RED_BLACK or building == at.NO_BUILD)
    heights = 0
    for suit in range(4):
        heights |= rows[b + plan[at.HEIGHTS] + suit] << 8 * suit
    lowest, above, next_cards, lows, broken, share = 99, 0, 0, _NONE_LOW, 0, 0
    first = sight[seen + FIRST]
    under, before = NONE, 0
    # Without branches that depend on the cards: half of them would be foreseen wrongly.
    for place in range(first + SUM * (sight[seen + HEIGHT] - 1), first - 1, -SUM):
        card = sight[place + CARD]
        rank, eight = plan[at.RANK + card], (card & 3) << 3
        above = 0 if rank < lowest else above + 1
        lowest = min(rank, lowest)
        low = lows >> eight & 255
        lower = rank < low
        lows += lower * (rank - low) << eight
        share += over_suit * (1 - lower) + over_next * next_cards
        next_cards += (heights >> eight & 255) == rank
        if under != NONE:
            down = rows[b + plan[at.COLUMN] + under] == DOWN
            breaks = down | (before != rank + 1) | ((card ^ under) & compared != differing)
            broken += breaks
            share += break_weight * breaks + face_down * down
        under, before = card, rank
        sight[place + SHARE] = share + over_lowest * above
        sight[place + BROKEN] = broken
    sight[seen + LOWEST], sight[seen + ABOVE] = lowest, above
    sight[seen + NEXT_CARDS], sight[seen + LOWEST_OF_SUITS] = next_cards, lows
    return share + over_lowest * above


@inlined_kernel
def change(rows, b, plan, step, sight):
    """The change of the value by a step from the position whose sight it is."""
    source, target, cards = step & 255, step >> 8 & 255, step >> 16 & 255
    weights = at.WEIGHTS
    free, empty = sight[CELLS_FREE], sight[EMPTIES]
    value, last = 0, NONE
    if source < CELL:
        seen = COLUMNS + COLUMN * source
        end = sight[seen + FIRST]
        last = sight[end + CARD]
        value -= sight[end + SHARE]
        if sight[seen + HEIGHT] == cards:
            empty += 1
        else:
            value += sight[end + SUM * cards + SHARE]
        if target < CELL:
            # What breaks in the group breaks elsewhere.
            first = end + SUM * (cards - 1)
            value += plan[weights + BREAKS] * (sight[end + BROKEN] - sight[first + BROKEN])
    elif source < RESERVE:
        last = rows[b + plan[at.CELLS] + source - CELL] + 0
        free += 1
        value -= plan[weights + IN_CELL]
    elif source >= FOUNDATION:
        value += plan[weights + UP_LEFT]
    if target < CELL:
        seen = COLUMNS + COLUMN * target
        if sight[seen + HEIGHT] == 0:
            empty -= 1
        elif source != STOCK:
            value += _onto(plan, sight, seen, last, cards)
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
def _onto(plan, sight, seen, last, cards):
    """The change of a column's share by cards laid onto it, the last of which is `last`."""
    weights = at.WEIGHTS
    value = plan[weights + OVER_NEXT] * sight[seen + NEXT_CARDS] * cards
    if last == NONE or plan[at.RANK + last] < sight[seen + LOWEST]:
        value -= plan[weights + OVER_LOWEST] * sight[seen + ABOVE]
    else:
        value += plan[weights + OVER_LOWEST] * cards
    if last != NONE:
        low = sight[seen + LOWEST_OF_SUITS] >> 8 * (last & 3) & 255
        value += plan[weights + OVER_SUIT] * (low <= plan[at.RANK + last])
    return value


# The runs of a search: weights, and how many positions are expanded by these. What one order of
# positions misses for long another finds soon; runs of many more positions follow those of few.
# How they were chosen is in `docs/search/patience.md`; these are of games without a stock.
RUNS = (
    ((6, 8, 1, 4, 0, 15, 0, 10, 4, 1, 0), 250),
    ((4, 8, 0, 1, 4, 17, 0, 18, 4, 1, 1), 400),
    ((4, 15, 0, 5, 0, 14, 1, 18, 4, 0, 1), 140),
    ((6, 6, 5, 2, 2, 22, 0, 12, 4, 1, 0), 600),
    ((3, 8, 0, 4, 5, 24, 1, 14, 4, 2, 1), 1_200),
    ((9, 8, 1, 1, 0, 15, 0, 10, 4, 1, 0), 160),
    ((0, 9, 5, 0, 0, 8, 0, 23, 4, 1, 0), 200),
    ((6, 6, 6, 4, 2, 14, 4, 12, 4, 1, 1), 80),
    ((8, 6, 0, 4, 3, 14, 0, 7, 4, 1, 0), 100),
    ((3, 8, 0, 4, 11, 24, 1, 21, 4, 2, 2), 250),
    ((18, 16, 0, 4, 9, 0, 7, 0, 4, -1, 0), 140),
    ((6, 6, 0, 4, 0, 11, 0, 10, 4, 0, 0), 300),
    ((3, 16, 3, 0, 0, 30, 8, 12, 4, 2, 1), 400),
    ((6, 4, 5, 4, 0, 12, 8, 24, 4, 2, 1), 1_000),
    ((4, 4, 4, 1, 2, 21, 6, 17, 4, 2, 1), 3_000),
    ((7, 16, 5, 0, 2, 21, 6, 16, 4, 2, 3), 1_500),
    ((10, 6, 0, 4, 8, 14, 2, 12, 4, 4, 0), 800),
    ((6, 10, 4, 4, 0, 12, 1, 24, 4, 3, 0), 100),
    ((6, 4, 12, 4, 0, 12, 8, 24, 4, 2, 1), 100),
    ((7, 10, 5, 0, 4, 12, 6, 12, 4, 2, 3), 300),
    ((0, 6, 0, 4, 1, 14, 3, 2, 4, 0, 3), 1_500),
    ((10, 10, 4, 0, 8, 12, 4, 1, 4, -2, 0), 300),
    ((4, 8, 0, 4, 2, 14, 4, 18, 4, 2, 0), 200_000),
)
_SPACIOUS = (6, 7, 2, 4, 0, 17, 1, 22, 4, 0, 0)
_UNCOVERING = (10, 6, 0, 4, 8, 12, 2, 18, 4, 4, 0)
_ORDERLY = (6, 6, 4, 4, 2, 20, 0, 12, 4, 1, 0)
_SUITED = (4, 8, 0, 4, 2, 14, 4, 18, 4, 2, 0)
_LOWEST = (18, 0, 4, 6, 6, 14, 6, 0, 4, 1, 0)
_OPENING = (16, 8, 8, 12, 6, 0, 0, 0, 4, 4, 0)
_UPWARD = (17, 2, 1, 2, 0, -2, 0, 1, 5, -3, 0)
_VARIED = (4, 8, 0, 4, 2, 14, 4, 18, 4, 0, 1)
RUNS_WITH_STOCK = (
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
