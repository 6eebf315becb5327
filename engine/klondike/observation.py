"""What a player of Klondike with hidden cards sees, and games played on it.

An *observation* is a position of K+ (`engine.klondike.kplus`) without what a person could not know:
which face-down card lies where. It has the set of cards not yet seen and how many of them lie under
each column, and nothing else; so a player cannot be influenced by more. The cards of the stock are
all known, since unlimited redeals show them (Bjarnason, Fern, Tadepalli 2009).

The *croupier* holds the deal and makes observations (`observe`). A player keeps a table of its own
(`engine.klondike.kplus.Table`), which `determinize` fills so that all functions of
`engine.klondike.kplus` work on it: every column that hides cards has *any* unseen card under it
until `turn_up` says which it is. So a player's state machine is that of K+, with a card drawn where
one is turned.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL, BIT_OF_CARD, lowest, popcount
from engine.kernels import kernel, search_kernel
from engine.klondike.kplus import State, Table, bases, new_table, set_up
from engine.rng import random_below


class Observation(NamedTuple):
    """A position as a person sees it.

    state: of `engine.klondike.kplus`; its `down` is the set of cards that lie face down somewhere.
    ones, twos, fours: sets of cards. How many face-down cards lie under the base of a column is
        the sum of those of 1, 2 and 4 in whose set the base is.
    """

    state: State
    ones: int
    twos: int
    fours: int


class Croupier(NamedTuple):
    """What only the croupier knows: the deal. Arrays of int64.

    table: of `engine.klondike.kplus`, filled from the deal.
    level: [52], how many cards a card of the tableau was dealt upon, by bit.
    """

    table: Table
    level: NDArray[np.int64]


class Determinization(NamedTuple):
    """What a player has of its own. Arrays of int64.

    table: of `engine.klondike.kplus`; the arrangement of the stock, which is known, and no other.
    depth: [52], how many face-down cards lie under a base, by bit.
    """

    table: Table
    depth: NDArray[np.int64]


def new_croupier(draw: int, partial_runs: bool = True) -> Croupier:
    """A croupier for `deal` to fill."""
    return Croupier(new_table(draw, partial_runs), np.zeros(52, dtype=np.int64))


def new_determinization(croupier: Croupier) -> Determinization:
    """A player's own; it shares what is known of the stock."""
    table = croupier.table._replace(below=np.zeros(52, dtype=np.int64))
    return Determinization(table, np.zeros(52, dtype=np.int64))


@kernel
def deal_to(cards, croupier):
    """Begin a game: the state at the start of a deal uint8[52] in flat order."""
    croupier.level[:] = 0
    place = 0
    for column in range(7):
        for level in range(column + 1):
            croupier.level[BIT_OF_CARD[cards[place]]] = level
            place += 1
    return set_up(cards, croupier.table)


@search_kernel
def observe(state, croupier):
    """What can be seen of the croupier's state."""
    ones = twos = fours = 0
    rest = bases(state)
    while rest != 0:
        bit = lowest(rest)
        own = rest & -rest
        rest ^= own
        # All cards that this one was dealt upon lie face down, or none does.
        if croupier.table.below[bit] & state.down:
            level = croupier.level[bit]
            if level & 1:
                ones |= own
            if level & 2:
                twos |= own
            if level & 4:
                fours |= own
    return Observation(state, ones, twos, fours)


@search_kernel
def determinize(observation, world):
    """Fill a view from an observation; the state."""
    below, depth = world.table.below, world.depth
    for bit in range(52):
        below[bit] = 0
        depth[bit] = 0
    rest = observation.ones | observation.twos | observation.fours
    while rest != 0:
        bit = lowest(rest)
        own = rest & -rest
        rest ^= own
        below[bit] = ALL
        if observation.ones & own:
            depth[bit] = 1
        if observation.twos & own:
            depth[bit] += 2
        if observation.fours & own:
            depth[bit] += 4
    return observation.state


@search_kernel
def hides(state, world, card):
    """Whether a face-down card would turn up if this card of the tableau left; `card` is a bit."""
    return (
        (state.tableau >> card) & 1 != 0
        and ((state.straight | state.crossed) >> card) & 1 == 0
        and world.table.below[card] & state.down != 0
    )


@search_kernel
def turn_up(world, base, card):
    """Settle which card lies under a base that is about to leave; both are bits."""
    left = world.depth[base] - 1
    world.table.below[base] = 1 << card
    world.depth[card] = left
    world.table.below[card] = ALL if left > 0 else 0


@search_kernel
def random_card(unseen, rng):
    """A card of a set that is not empty, each with the same chance, as a bit."""
    for _ in range(random_below(rng, popcount(unseen))):
        unseen &= unseen - 1
    return lowest(unseen)


@search_kernel
def shuffle(cards, order, rng):
    """Write a set in random order, each with the same chance, to order int64[52]; how many."""
    count = 0
    while cards != 0:
        order[count] = lowest(cards)
        cards &= cards - 1
        count += 1
    for last in range(count - 1, 0, -1):
        other = random_below(rng, last + 1)
        order[last], order[other] = order[other], order[last]
    return count
