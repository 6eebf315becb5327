"""Kernel of `hop`: hindsight optimization with nested rollouts.

Bjarnason, Fern, Tadepalli 2009, section "Hindsight Optimization": determinizations are given to the
planner of Bjarnason, Tadepalli, Fern 2007 (`solvers.klondike.rollouts.search`), and the action
after which it wins most often is taken.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import CARD_OF_BIT, lowest
from engine.kernels.decorators import search_kernel
from engine.klondike.kplus import Table, bases, is_won
from engine.klondike.observation import determinize, hides, shuffle
from solvers.klondike.kplus.actions import MOST_ACTIONS
from solvers.klondike.kplus.relaxation import is_dead_end
from solvers.klondike.kplus.values import blocking, value
from solvers.klondike.players.play import NO_ACTION, NO_ROOM, STATES, allowed, step
from solvers.klondike.rollouts import search as multistage_kernel
from solvers.klondike.rollouts.search import NODES, RolloutWorkspace, Search, push, run

_FOREVER = 1 << 62


class Planner(NamedTuple):
    """Planner that sees all cards of a determinization.

    search: of `solvers.klondike.rollouts.search`.
    table: of `engine.klondike.kplus`, for the determinization; it shares the stock.
    work: of `solvers.klondike.rollouts.search`.
    order: int64[52], the hidden cards in random order.
    games: int64[1], number of determinizations so far.
    wins: int64[MOST_ACTIONS], wins of each action.
    """

    search: Search
    table: Table
    work: RolloutWorkspace
    order: NDArray[np.int64]
    games: NDArray[np.int64]
    wins: NDArray[np.int64]


@search_kernel
def arrange(state, world, order, table, turning):
    """Lay hidden cards under the columns: fill a table and the values of turning them up.

    Args:
        state: state of an observation.
        world: determinization of it.
        order: int64[52], the cards of `state.down` in some order.
        table: of `engine.klondike.kplus`, out: `below`.
        turning: int64[2, 52], out: as of `solvers.klondike.kplus.values.weigh`, for these cards.
    """
    for bit in range(52):
        table.below[bit] = 0
    first = 0
    rest = bases(state)
    while rest != 0:
        base = lowest(rest)
        rest &= rest - 1
        if not hides(state, world, base):
            continue
        last = first + world.depth[base]
        above = base
        for at in range(first, last):
            bit = order[at]
            table.below[above] = 1 << bit
            card = CARD_OF_BIT[bit]
            for which in range(2):
                turning[which, bit] = 13 - (card >> 2)
                for under in range(at, last):
                    other = CARD_OF_BIT[order[under]]
                    turning[which, bit] -= blocking(CARD_OF_BIT[above], other, which)
            above = bit
        first = last


@search_kernel
def wins(state, planner):
    """Whether the planner wins a determinization from a state: 1, 0, or −1 without room."""
    search, table, work = planner.search, planner.table, planner.work
    planner.games[0] += 1
    work.meta[:] = 0
    if is_won(state):
        return 1
    if is_dead_end(state, table):
        return 0
    worth = value(state, table, work.turning, search.first)
    push(state, 0, search.levels[0], worth, search, table, work, planner.games[0])
    ended = run(search, table, work, planner.games[0], _FOREVER, False, MOST_ACTIONS)
    if ended == multistage_kernel.NO_ROOM:
        return -1
    return 1 if ended == multistage_kernel.WON else 0


@search_kernel
def wins_in_hindsight(state, world, planner, rng):
    """Whether the planner wins a random determinization: 1, 0, or −1 without room.

    `state` is that of an observation.
    """
    shuffle(state.down, planner.order, rng)
    arrange(state, world, planner.order, planner.table, planner.work.turning)
    return wins(state, planner)


@search_kernel
def plan(observation, pairs, samples, work, planner):
    """Choose the action after which the planner wins most often.

    Args:
        observation: of `engine.klondike.observation`.
        pairs: of `solvers.klondike.kplus.actions`.
        samples: number of determinizations for each action.
        work: workspace of the player; `history` has the states of the game.
        planner: `Planner`.

    Of equals the first, in the paper's order of preference, is taken.

    Returns:
        The action, NO_ACTION, or minus NO_ROOM.
    """
    world, scratch = work.world, work.scratch
    state = determinize(observation, world)
    count = allowed(state, world.table, pairs, work.history, scratch, scratch.actions, 0)
    if count <= 1:
        return scratch.actions[0] if count == 1 else NO_ACTION
    best = 0
    for number in range(count):
        planner.wins[number] = 0
        for _ in range(samples):
            state = determinize(observation, world)
            after = step(state, world, scratch.actions[number], work.rng)
            won = wins_in_hindsight(after, world, planner, work.rng)
            if won < 0:
                return -NO_ROOM
            planner.wins[number] += won
            work.counts[STATES] += 1 + planner.work.meta[NODES]
        if planner.wins[number] > planner.wins[best]:
            best = number
    return scratch.actions[best]
