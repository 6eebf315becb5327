"""Steps of the search for shortest solutions; proofs of what is left out are in `docs/shortest.md`.

A *step* is a play with what must come with it: the turns of the stock before it, and after it the
safe cards that go up [settled]. A run that is split is one with the card that this lets go up
[splits]. A card that comes down from a foundation must be needed by the next step, unless that
brings down another one [needed downs].

`expand` tries such steps; `follow` makes one of a play of any line.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import BIT_OF_CARD, EVEN, KINGS, both_of_pairs, highest, lowest, popcount
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.klondike.stock_turns import card_set
from solvers.klondike.exact.position import COLUMN_WEIGHT, HEIGHT_WEIGHT
from solvers.klondike.shortest.board import (
    COLUMN_DIGIT,
    HEIGHTS,
    ArrangedBoard,
    Start,
    carrying,
    first_key,
    free_columns,
    next_up,
    second_key,
    settled,
)
from solvers.klondike.shortest.bounds import LOST, Reveals, bound
from solvers.klondike.solution.plays import BOTTOM, FOUNDATION, TALON, card_of, source_of, target_of

# Kinds of plays; a play is ``kind << 12 | bit of its card << 6 | bit of its target``.
UP, RUN, SPLIT, STOCK_UP, STOCK_DOWN, DOWN = range(6)
NO_TARGET = 63

# Columns of the array of children.
FIRST, SECOND, COST, LEFT, PLAY = range(5)
MOST_CHILDREN = 256


class StepSetting(NamedTuple):
    """All that the steps from a board depend on, and where its children are written.

    draw: cards turned at once.
    redeal: moves that a redeal counts as, 0 or 1.
    start: locked cards and stock, of `load_start`.
    reveals: memory of the bound.
    children: int64[MOST_CHILDREN, 5], of each child its two keys, the moves of the step, the bound
        of what is left, and the play.
    """

    draw: int
    redeal: int
    start: Start
    reveals: Reveals
    children: NDArray[np.int64]


@inlined_kernel
def _leave(board, bit, start):
    """Return a board without a bare or moving card of the tableau."""
    card = 1 << bit
    up, loose, heads, place, crossed, mask, waste, brought = board
    if loose & card:
        loose ^= card
    else:
        column = start.layout.column_of[bit]
        heads ^= card | start.layout.below[bit]
        place -= COLUMN_WEIGHT[column]
        if start.floor[column]:
            count = place // HEIGHTS // COLUMN_DIGIT[column] % (column + 2)
            if count == 1:
                king = start.head[8 * column + 1]
                heads ^= king
                loose |= king
                place -= COLUMN_WEIGHT[column]
    return ArrangedBoard(up, loose, heads, place, crossed, mask, waste, brought)


@inlined_kernel
def _raise(board, bit, start):
    """Return a board with a card on its foundation that lies nowhere."""
    up, loose, heads, place, crossed, mask, waste, brought = board
    up |= 1 << bit
    place += HEIGHT_WEIGHT[start.layout.suit_of[bit]]
    return ArrangedBoard(up, loose, heads, place, crossed, mask, waste, brought)


@inlined_kernel
def _lay(board, bit, target):
    """Return a board with a card that lies nowhere on a bare parent, or a king in a free column."""
    up, loose, heads, place, crossed, mask, waste, brought = board
    loose |= 1 << bit
    if target != NO_TARGET:
        pair = 1 << (bit & 62)
        crossed &= ~pair
        if (bit ^ target) & 1:
            crossed |= pair
    return ArrangedBoard(up, loose, heads, place, crossed, mask, waste, brought)


@inlined_kernel
def _bring(board, value):
    """Return a board with this as its card just brought."""
    up, loose, heads, place, crossed, mask, waste, _ = board
    return ArrangedBoard(up, loose, heads, place, crossed, mask, waste, value)


@search_kernel
def _add(board, play, cost, number, setting):
    """Append a child with its settled cards raised, unless it is lost; return the number."""
    start = setting.start
    while board.brought == 0:
        rising = next_up(board.up) & settled(board.up) & (board.loose | board.heads)
        rising &= ~carrying(board.loose, board.crossed)
        if rising == 0:
            break
        bit = lowest(rising)
        board = _raise(_leave(board, bit, start), bit, start)
        cost += 1
    up, loose, heads, place, crossed, mask, waste, brought = board
    crossed &= (loose | (loose >> 1)) & EVEN
    board = ArrangedBoard(up, loose, heads, place, crossed, mask, waste, brought)
    left = bound(board, setting.draw, start, setting.reveals)
    if left >= LOST:
        return number
    row = setting.children[number]
    row[FIRST] = first_key(board)
    row[SECOND] = second_key(board)
    row[COST] = cost
    row[LEFT] = left
    row[PLAY] = play
    return number + 1


@inlined_kernel
def turns_to(under, waste, left, draw, redeal):
    """Return the moves that bring up the stock card at this depth, or -1 if none do."""
    if under == waste - 1:
        return 0
    last = under == left - 1
    if under >= waste and (last or (under + 1 - waste) % draw == 0):
        return (under + draw - waste) // draw
    if waste > 0 and (last or (under + 1) % draw == 0):
        return (left - waste + draw - 1) // draw + redeal + (under + draw) // draw
    return -1


@search_kernel
def expand(board, setting):
    """Write the children of a board to the setting's; return their number."""
    start, draw, redeal = setting.start, setting.draw, setting.redeal
    up, loose, heads, _, crossed, mask, waste, brought = board
    layout = start.layout
    visible = loose | heads
    bare = visible & ~carrying(loose, crossed)
    following = next_up(up)
    free = free_columns(board)
    targets = bare if brought == 0 else 1 << (brought - 1)
    fitting = both_of_pairs((targets | (targets >> 1)) & EVEN) >> 4
    plain = _bring(board, 0)
    number = 0
    if free > 0 and brought == 0:
        fitting |= KINGS

    # To the foundations.
    rest = following & bare if brought == 0 else 0
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        child = _raise(_leave(plain, bit, start), bit, start)
        number = _add(child, UP << 12 | bit << 6 | NO_TARGET, 1, number, setting)

    # Heads with what lies on them.
    rest = heads & fitting
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        for which in range(2):
            target = (bit & 62) + 4 + which
            if bit >= 48:
                if which == 1:
                    break
                target = NO_TARGET
            elif (targets >> target) & 1 == 0:
                continue
            child = _lay(_leave(plain, bit, start), bit, target)
            number = _add(child, RUN << 12 | bit << 6 | target, 1, number, setting)

    # Splits: a loose card to the twin of what it lies on, which goes up.
    rest = following & visible & ~bare
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        target = bit ^ 1
        if (targets >> target) & 1 == 0:
            continue
        moved = bit - 4
        moved ^= (crossed >> (moved & 62)) & 1
        child = _lay(plain, moved, target)
        child = _raise(_leave(child, bit, start), bit, start)
        number = _add(child, SPLIT << 12 | moved << 6 | target, 2, number, setting)

    # From the stock.
    left = popcount(mask)
    stock = card_set(mask, layout.stock_sets)
    rest = stock & (fitting | (following if brought == 0 else 0))
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        index = layout.stock_index[bit]
        under = popcount(mask & ((1 << index) - 1))
        turns = turns_to(under, waste, left, draw, redeal)
        if turns < 0:
            continue
        taken = ArrangedBoard(
            up, loose, heads, board.place, crossed, mask & ~(1 << index), under, 0
        )
        if (following >> bit) & 1 and brought == 0:
            child = _raise(taken, bit, start)
            number = _add(child, STOCK_UP << 12 | bit << 6 | NO_TARGET, turns + 1, number, setting)
        if (fitting >> bit) & 1 == 0:
            continue
        for which in range(2):
            target = (bit & 62) + 4 + which
            if bit >= 48:
                if which == 1:
                    break
                target = NO_TARGET
            elif (targets >> target) & 1 == 0:
                continue
            child = _lay(taken, bit, target)
            number = _add(child, STOCK_DOWN << 12 | bit << 6 | target, turns + 1, number, setting)

    # Down from the foundations.
    rest = 0
    for suit in range(4):
        own = up & start.suits[suit]
        if own != 0:
            rest |= 1 << highest(own)
    rest &= ~settled(up)
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        for which in range(2):
            target = (bit & 62) + 4 + which
            if bit >= 48:
                if which == 1 or free <= 0:
                    break
                target = NO_TARGET
            elif (bare >> target) & 1 == 0:
                continue
            lowered = ArrangedBoard(
                up & ~(1 << bit),
                loose,
                heads,
                board.place - HEIGHT_WEIGHT[layout.suit_of[bit]],
                crossed,
                mask,
                waste,
                bit + 1,
            )
            child = _lay(lowered, bit, target)
            number = _add(child, DOWN << 12 | bit << 6 | target, 1, number, setting)
    return number


@search_kernel
def follow(board, play, setting):
    """Make a step of the next play of a line that wins; a step also sends up what is settled.

    A play of a card that is settled, or was sent up before the line does it, is left out, as are
    plays that leave the board as it is: loose kings into other empty columns.

    Args:
        board: the board that the plays before lead to, with no card just brought.
        play: of `solvers.klondike.solution.plays`.
        setting: whose first child the board after the step becomes.

    Returns:
        1; or 0 where the play is left out; or -1 where it cannot be made.
    """
    start = setting.start
    layout = start.layout
    up, loose, heads, place, crossed, mask, waste, _ = board
    bit = BIT_OF_CARD[card_of(play)]
    card = 1 << bit
    source, where = source_of(play), target_of(play)
    target = NO_TARGET
    if where < BOTTOM:
        target = BIT_OF_CARD[where]
    if up & card:
        if source != FOUNDATION or settled(up) & card:
            return 0
        lowered = ArrangedBoard(
            up & ~card,
            loose,
            heads,
            place - HEIGHT_WEIGHT[layout.suit_of[bit]],
            crossed,
            mask,
            waste,
            0,
        )
        child = _lay(lowered, bit, target)
        return 2 * _add(child, DOWN << 12 | bit << 6 | target, 1, 0, setting) - 1
    if source == TALON:
        index = layout.stock_index[bit]
        if index < 0 or (mask >> index) & 1 == 0:
            return -1
        under = popcount(mask & ((1 << index) - 1))
        turns = turns_to(under, waste, popcount(mask), setting.draw, setting.redeal)
        if turns < 0:
            return -1
        taken = ArrangedBoard(up, loose, heads, place, crossed, mask & ~(1 << index), under, 0)
        if where == FOUNDATION:
            child = _raise(taken, bit, start)
            kind = STOCK_UP
        else:
            child = _lay(taken, bit, target)
            kind = STOCK_DOWN
        return 2 * _add(child, kind << 12 | bit << 6 | target, turns + 1, 0, setting) - 1
    if (loose | heads) & card == 0:
        return -1
    if where == FOUNDATION:
        child = _raise(_leave(board, bit, start), bit, start)
        return 2 * _add(child, UP << 12 | bit << 6 | NO_TARGET, 1, 0, setting) - 1
    if loose & card & KINGS:
        return 0
    child = _lay(_leave(board, bit, start), bit, target)
    return 2 * _add(child, RUN << 12 | bit << 6 | target, 1, 0, setting) - 1
