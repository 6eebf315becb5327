"""Observations of Klondike with hidden cards, and determinizations sampled from them.

An *observation* is the information set of a position of K+ (`engine.klondike.kplus`): the position
without the places of the face-down cards. It has the set of unseen cards and their number under
each column, and nothing else, so a player cannot use more. The cards of the stock are all known,
since unlimited redeals show them (Bjarnason, Fern, Tadepalli 2009).

The *croupier* holds the deal and makes observations (`observe`). A player keeps a determinization,
which it samples lazily: `determinize` puts *any* unseen card under each column that hides cards,
and `turn_up` settles which one it is when it is turned up. Its table is one of
`engine.klondike.kplus`, so all functions of K+ work on it.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL, BIT_OF_CARD, lowest, popcount
from engine.kernels.decorators import kernel, search_kernel
from engine.kernels.rng import random_below
from engine.klondike.kplus import State, Table, bases, new_table, set_up


class Observation(NamedTuple):
    """An information set: a position as a person sees it.

    state: of `engine.klondike.kplus`; its `down` is the set of all face-down cards.
    ones, twos, fours: sets of cards: the binary digits of the number of face-down cards under the
        base of each column.
    """

    state: State
    ones: int
    twos: int
    fours: int


class Croupier(NamedTuple):
    """The deal, known to the croupier alone. Arrays of int64.

    table: of `engine.klondike.kplus`, filled from the deal.
    level: [52], by bit of a tableau card, the number of cards that it was dealt upon.
    """

    table: Table
    level: NDArray[np.int64]


class Determinization(NamedTuple):
    """A lazily sampled completion of an observation, owned by a player. Arrays of int64.

    table: of `engine.klondike.kplus`; of the deal it has the stock alone, which is known.
    depth: [52], by bit of a base, the number of face-down cards under it.
    """

    table: Table
    depth: NDArray[np.int64]


def new_croupier(draw: int, partial_runs: bool = True) -> Croupier:
    """Allocate a croupier for `deal_to`."""
    return Croupier(new_table(draw, partial_runs), np.zeros(52, dtype=np.int64))


def new_determinization(croupier: Croupier) -> Determinization:
    """Allocate a determinization; it shares the croupier's tables of the stock."""
    table = croupier.table._replace(below=np.zeros(52, dtype=np.int64))
    return Determinization(table, np.zeros(52, dtype=np.int64))


@kernel
def deal_to(cards, croupier):
    """Give the croupier a deal uint8[52] in flat order; returns the state at its start."""
    croupier.level[:] = 0
    place = 0
    for column in range(7):
        for level in range(column + 1):
            croupier.level[BIT_OF_CARD[cards[place]]] = level
            place += 1
    return set_up(cards, croupier.table)


@search_kernel
def observe(state, croupier):
    """The observation of the croupier's state."""
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
    """Reset a determinization to an observation, nothing sampled yet; returns the state."""
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
    """A uniformly random card of a set that is not empty, as a bit."""
    for _ in range(random_below(rng, popcount(unseen))):
        unseen &= unseen - 1
    return lowest(unseen)


@search_kernel
def shuffle(cards, order, rng):
    """Write a set of cards in uniformly random order to order int64[52]; returns their number."""
    count = 0
    while cards != 0:
        order[count] = lowest(cards)
        cards &= cards - 1
        count += 1
    for last in range(count - 1, 0, -1):
        other = random_below(rng, last + 1)
        order[last], order[other] = order[other], order[last]
    return count
