"""Value of a position for `patience-exact`: how far a win seems, which orders the search.

It decides nothing: of two positions the one of lower value is searched first. It is a sum over
columns, so that the *sight* of a position, which has this sum up to each card of each column, gives
the value after a step before the step is made: without what is forced or safe then, and for groups
without what changes within them.

The sight is int64[SIGHT]: of the position, of each column, and of each card, a column's last one
first. It is kept from position to position: most columns are as they were.
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

# Of the position: free cells, empty columns, whether there is neither, and the number of cards
# on each of the first four foundations, in eight bits each.
CELLS_FREE, EMPTIES, IS_STUCK, FOUNDED, FIRST_COLUMN = range(5)
# Of each column: how many cards there are, the lowest rank, how many lie over it, next cards of
# foundations, the lowest ranks of the four suits, in eight bits each, and its number in `changed`.
HEIGHT, LOWEST, ABOVE, NEXT_CARDS, LOWEST_OF_SUITS, CHANGED, COLUMN_SIZE = range(7)
FIRST_CARD = FIRST_COLUMN + 52 * COLUMN_SIZE
# Of each card: the card, with `HIDDEN` if it lies face down; of the cards up to it the share of the
# value, and breaks.
CARD, SHARE, BROKEN, SUM = range(4)
HIDDEN = 128
PILE = 104 * SUM
SIGHT = FIRST_CARD + 52 * PILE
_NONE_LOW = 0x63636363
_ONES, _HIGHEST = 0x01010101, 0x80808080


@inlined_kernel
def mark(rows, before, b, plan, changed, was, now, number):
    """Number the columns of a position in which it differs from that before its step.

    After a step and safe moves to foundations a column that ends with the same card is the same: a
    card that left it lies elsewhere, and one that came has left again. Where cards go to columns by
    themselves all are numbered.

    Args:
        rows: int8[...], of which the positions begin at `before` and `b`.
        before: where.
        b: where.
        plan: int64[PLAN].
        changed: int32[...], numbers of columns of positions: those alike in two of a search have
            the same cards.
        was: where in `changed` the position before begins.
        now: where the other one does.
        number: above all numbers so far.
    """
    tops = plan[at.TOP]
    loose = plan[at.BUILD] != at.NO_BUILDS or plan[at.SPACES] >= at.RESERVE_ANY
    for column in range(plan[at.COLUMNS]):
        same = rows[before + tops + column] == rows[b + tops + column] and not loose
        changed[now + column] = changed[was + column] if same else number


@inlined_kernel
def see(rows, b, plan, sight, changed, now):
    """Fill the sight of a position, and return its value but for the way and for noise.

    Args:
        rows: int8[...], of which the position begins at `b`.
        b: where.
        plan: int64[PLAN].
        sight: int64[SIGHT], of another position of the same search, or forgotten.
        changed: int32[...], of `mark`.
        now: where the position begins there.
    """
    heights, weights = b + plan[at.HEIGHTS], at.WEIGHTS
    left = plan[at.MAX_RANK] * plan[at.SUITS]
    for pile in range(plan[at.SUITS]):
        left -= rows[heights + pile]
    value = LEAST + plan[weights + UP_LEFT] * left
    founded = 0
    for suit in range(4):
        founded |= rows[heights + suit] << 8 * suit
    empty = 0
    for column in range(plan[at.COLUMNS]):
        column_at, first = FIRST_COLUMN + COLUMN_SIZE * column, FIRST_CARD + PILE * column
        same, height = True, sight[column_at + HEIGHT]
        if changed[now + column] != sight[column_at + CHANGED]:
            sight[column_at + CHANGED] = changed[now + column]
            place = first
            card = rows[b + plan[at.TOP] + column] + 0
            while card != NONE:
                shown = card | HIDDEN if rows[b + plan[at.COLUMN] + card] == DOWN else card
                same &= sight[place + CARD] == shown
                sight[place + CARD] = shown
                place += SUM
                card = rows[b + card] + 0
            same &= height == (place - first) // SUM
            height = (place - first) // SUM
        if not same or _counts_anew(plan, sight, column_at, founded):
            sight[column_at + HEIGHT] = height
            _see_column(plan, sight, column_at, first, founded)
        if height == 0:
            empty += 1
        else:
            value += sight[first + SHARE]
    sight[FOUNDED] = founded
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


@search_kernel
def forget(plan, sight):
    """Make a sight one of no position, for the first of a search."""
    for column in range(plan[at.COLUMNS]):
        sight[FIRST_COLUMN + COLUMN_SIZE * column + HEIGHT] = -1
        sight[FIRST_COLUMN + COLUMN_SIZE * column + CHANGED] = -1


@inlined_kernel
def _counts_anew(plan, sight, column_at, founded):
    """Whether other next cards of foundations may matter for a column.

    Of one deck the next card of a suit is the lowest one, if it lies there.
    """
    if founded == sight[FOUNDED]:
        return False
    if plan[at.DECKS] == 2 or sight[column_at + NEXT_CARDS] != 0:
        return True
    # Whether one of four bytes is zero.
    differ = sight[column_at + LOWEST_OF_SUITS] ^ founded
    return (differ - _ONES) & ~differ & _HIGHEST != 0


@inlined_kernel
def _see_column(plan, sight, column_at, first, founded):
    """Fill the sight of a column whose cards are there."""
    weights = at.WEIGHTS
    break_weight, face_down = plan[weights + BREAKS], plan[weights + FACE_DOWN]
    over_lowest, over_next = plan[weights + OVER_LOWEST], plan[weights + OVER_NEXT]
    over_suit = plan[weights + OVER_SUIT]
    building = plan[at.BUILDING]
    if plan[at.GROUPS] != at.SINGLE:
        building = plan[at.GROUP_BUILDING]
    lowest, above, next_cards, lows, broken, share = 99, 0, 0, _NONE_LOW, 0, 0
    under = NONE
    for place in range(first + SUM * (sight[column_at + HEIGHT] - 1), first - 1, -SUM):
        shown = sight[place + CARD]
        card = shown & HIDDEN - 1
        rank, eight = plan[at.RANK + card], (card & 3) << 3
        if rank < lowest:
            # Cards over the former lowest one do not lie over this one.
            share -= over_lowest * above
            lowest, above = rank, 0
        else:
            above += 1
            share += over_lowest
        low = lows >> eight & 255
        if rank < low:
            lows += rank - low << eight
        else:
            share += over_suit
        share += over_next * next_cards
        next_cards += (founded >> eight & 255) == rank
        if under != NONE:
            if under >= HIDDEN:
                broken += 1
                share += break_weight + face_down
            elif not in_order(plan, card, under, building):
                broken += 1
                share += break_weight
        under = shown
        sight[place + SHARE], sight[place + BROKEN] = share, broken
    sight[column_at + LOWEST], sight[column_at + ABOVE] = lowest, above
    sight[column_at + NEXT_CARDS], sight[column_at + LOWEST_OF_SUITS] = next_cards, lows


@inlined_kernel
def change(rows, b, plan, step, sight):
    """The change of the value by a step from the position whose sight it is."""
    source, target, cards = step & 255, step >> 8 & 255, step >> 16 & 255
    weights = at.WEIGHTS
    free, empty = sight[CELLS_FREE], sight[EMPTIES]
    value, last = 0, NONE
    if source < CELL:
        column_at = FIRST_COLUMN + COLUMN_SIZE * source
        end = FIRST_CARD + PILE * source
        last = sight[end + CARD]
        value -= sight[end + SHARE]
        if sight[column_at + HEIGHT] == cards:
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
        column_at = FIRST_COLUMN + COLUMN_SIZE * target
        if sight[column_at + HEIGHT] == 0:
            empty -= 1
        elif source != STOCK:
            value += _onto(plan, sight, column_at, last, cards)
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
def _onto(plan, sight, column_at, last, cards):
    """The change of a column's share by cards laid onto it, the last of which is `last`."""
    weights = at.WEIGHTS
    value = plan[weights + OVER_NEXT] * sight[column_at + NEXT_CARDS] * cards
    if last == NONE or plan[at.RANK + last] < sight[column_at + LOWEST]:
        value -= plan[weights + OVER_LOWEST] * sight[column_at + ABOVE]
    else:
        value += plan[weights + OVER_LOWEST] * cards
    if last != NONE:
        low = sight[column_at + LOWEST_OF_SUITS] >> 8 * (last & 3) & 255
        value += plan[weights + OVER_SUIT] * (low <= plan[at.RANK + last])
    return value


# The runs of a search: weights, and how many positions are expanded by these. What one order of
# positions misses for long another finds soon; the last runs are of many more positions.
# How they were chosen is in `docs/search/patience.md`; these are of games without a stock.
RUNS = (
    ((6, 8, 1, 4, 0, 15, 0, 10, 4, 1, 0), 200),
    ((10, 10, 1, 1, 0, 15, 0, 11, 4, 1, 0), 160),
    ((3, 8, 0, 4, 5, 24, 1, 14, 4, 2, 1), 1_000),
    ((3, 16, 3, 0, 0, 30, 8, 12, 4, 2, 1), 800),
    ((6, 4, 5, 4, 0, 12, 8, 24, 4, 2, 1), 1_000),
    ((7, 16, 5, 0, 2, 21, 6, 16, 4, 2, 3), 250),
    ((4, 8, 0, 1, 11, 14, 2, 20, 4, 1, 1), 140),
    ((4, 15, 0, 5, 0, 14, 1, 18, 4, 0, 1), 160),
    ((7, 10, 5, 0, 4, 12, 6, 12, 4, 2, 3), 400),
    ((6, 6, 5, 2, 2, 22, 0, 12, 4, 1, 0), 400),
    ((3, 8, 0, 4, 11, 24, 1, 21, 4, 2, 2), 1_000),
    ((6, 10, 4, 4, 0, 12, 1, 24, 4, 3, 0), 200),
    ((4, 8, 0, 1, 4, 17, 0, 18, 4, 1, 3), 1_200),
    ((10, 6, 0, 4, 8, 14, 2, 12, 4, 4, 0), 800),
    ((0, 6, 0, 4, 1, 14, 3, 2, 4, 0, 3), 1_500),
    ((10, 10, 4, 0, 8, 12, 4, 1, 4, -2, 0), 300),
    ((4, 4, 4, 1, 2, 21, 6, 17, 4, 2, 1), 30_000),
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
