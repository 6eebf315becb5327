"""Compiled state machine of K+: Klondike with macro moves in place of turns of the stock.

Bjarnason, Tadepalli, Fern 2007, *Searching Solitaire in Real Time*, section 2.2. A *macro move* is
some turns of the stock and one play, so every card of the stock that turns and redeals can bring to
the top of the waste may be played at once. All searches and players of K+ share this state machine.

**State.** Five sets of cards (`engine.cardset`) and one stock:

========  =========================================================================================
up        cards on the foundations
tableau   cards face up in the tableau
straight  those that lie on the parent four bits up, see below
crossed   those that lie on that parent's twin
down      cards face down
stock     as in `engine.klondike.stock_turns`, with its least edge
========  =========================================================================================

A card's parents, the two it can be built on, are the pair four bits up. The card at the lower bit
of its pair lies *straight* on the lower of them, and *crossed* on the upper; the other way round
for the card at the upper bit. What lies on nothing face up is the *base* of its column: it lies on
a face-down card that it was dealt upon, or on nothing. So columns have no order here, and those
whose dealt cards have all left have no identity: positions that differ only in this are one state.

**Macro moves** are ``destination << 6 | bit of the card``, the destination being FOUNDATION,
COLUMN (an empty one), STRAIGHT or CROSSED. Where the card comes from follows from the state. A
card of the tableau takes along what lies on it; under rules without partial runs only bases move
within the tableau. A king that lies on nothing does not move to another empty column: it would be
the same state.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import (
    ACES,
    ALL,
    BIT_OF_CARD,
    KINGS,
    lowest,
    next_in_suit,
    popcount,
    previous_in_suit,
    swap_twins,
)
from engine.kernels.decorators import kernel, search_kernel
from engine.klondike.stock_turns import (
    card_set,
    every_table,
    index_stock,
    least_edge,
    take_from_stock,
    within_reach,
)

FOUNDATION, COLUMN, STRAIGHT, CROSSED = range(4)
CARD = 63  # mask of the card in a macro move

# Four cards can follow on the foundations, four kings can go to an empty column, and each of seven
# uppermost cards takes one of two others.
MOST_MOVES = 4 + 4 + 2 * 7


class State(NamedTuple):
    """A position of K+, see the module docstring."""

    up: int
    tableau: int
    straight: int
    crossed: int
    down: int
    stock: int


class Table(NamedTuple):
    """Constants of a game. Arrays of int64.

    below: [52], the card that a card was dealt upon, as a set, or no card, by bit.
    stock_sets: [768], as of `engine.klondike.stock_turns.index_stock`.
    stock_index: [52], the same.
    every: as `engine.klondike.stock_turns.every_table` makes it.
    rules: [2]: cards turned at once; 1 if partial runs may move, else 0.
    """

    below: NDArray[np.int64]
    stock_sets: NDArray[np.int64]
    stock_index: NDArray[np.int64]
    every: NDArray[np.int64]
    rules: NDArray[np.int64]


def new_table(draw: int, partial_runs: bool = True) -> Table:
    """Allocate a table for `set_up`."""
    return Table(
        np.zeros(52, dtype=np.int64),
        np.zeros(768, dtype=np.int64),
        np.zeros(52, dtype=np.int64),
        every_table(draw),
        np.array([draw, partial_runs], dtype=np.int64),
    )


@kernel
def set_up(cards, table):
    """Fill the table from a deal uint8[52] in flat order; returns the state at its start."""
    tableau = down = 0
    place = 0
    for column in range(7):
        under = 0
        for level in range(column + 1):
            bit = BIT_OF_CARD[cards[place]]
            table.below[bit] = under
            under = 1 << bit
            if level < column:
                down |= under
            else:
                tableau |= under
            place += 1
    for at in range(28, 52):
        table.below[BIT_OF_CARD[cards[at]]] = 0
    index_stock(cards[28:52], 24, table.stock_sets, table.stock_index)
    return State(0, tableau, 0, 0, down, (1 << 24) - 1)


@search_kernel
def reachable(state, table):
    """The cards of the stock that can be turned up."""
    return card_set(within_reach(state.stock, table.rules[0], table.every), table.stock_sets)


@search_kernel
def following(state):
    """The next card of each foundation."""
    return (next_in_suit(state.up) | ACES) & ~state.up


@search_kernel
def tops(state):
    """The uppermost cards of the columns."""
    under = (state.straight << 4) | (swap_twins(state.crossed) << 4)
    return state.tableau & ~under


@search_kernel
def bases(state):
    """The lowest face-up cards of the columns."""
    return state.tableau & ~(state.straight | state.crossed)


@search_kernel
def empty_columns(state):
    """Number of empty columns."""
    return 7 - popcount(bases(state))


@search_kernel
def reveals(state, table, card):
    """The face-down card that turns up when this card of the tableau leaves, as a set, or none.

    `card` is a bit.
    """
    if ((state.straight | state.crossed) >> card) & 1:
        return 0
    return table.below[card] & state.down


@search_kernel
def write_moves(cards, destination, moves, count):
    """Write a macro move for each card of a set, the lowest first; returns the new count."""
    while cards != 0:
        moves[count] = destination << 6 | lowest(cards)
        cards &= cards - 1
        count += 1
    return count


@search_kernel
def macro_moves(state, table, moves):
    """Write all macro moves to moves int64[MOST_MOVES]; returns their number."""
    open_tops = tops(state)
    reach = reachable(state, table)
    own_bases = bases(state)
    movable = state.tableau if table.rules[1] else own_bases
    sources = movable | reach | (state.up & ~previous_in_suit(state.up))
    count = write_moves((open_tops | reach) & following(state), FOUNDATION, moves, 0)
    if popcount(own_bases) < 7:
        kings = sources & KINGS
        standing = kings & own_bases
        while standing != 0:
            bit = lowest(standing)
            standing &= standing - 1
            if table.below[bit] & state.down == 0:
                kings ^= 1 << bit
        count = write_moves(kings, COLUMN, moves, count)
    count = write_moves(sources & (open_tops >> 4), STRAIGHT, moves, count)
    return write_moves(sources & (swap_twins(open_tops) >> 4), CROSSED, moves, count)


@search_kernel
def play(state, table, move):
    """The state after a legal macro move."""
    card = move & CARD
    own = 1 << card
    destination = move >> 6
    up, tableau, straight, crossed, down, stock = state
    if tableau & own:
        turned = reveals(state, table, card)
        tableau |= turned
        down ^= turned
        straight &= ~own
        crossed &= ~own
        if destination == FOUNDATION:
            tableau ^= own
    elif up & own:
        up ^= own
        tableau |= own
    else:
        stock = least_edge(take_from_stock(stock, table.stock_index[card], table.rules[0]))
        if destination != FOUNDATION:
            tableau |= own
    if destination == FOUNDATION:
        up |= own
    elif destination == STRAIGHT:
        straight |= own
    elif destination == CROSSED:
        crossed |= own
    return State(up, tableau, straight, crossed, down, stock)


@search_kernel
def is_won(state):
    """Whether all cards are on the foundations."""
    return state.up == ALL
