"""Kernel of the UCT planners of Klondike with hidden cards, by trees, trajectories and width.

Bjarnason, Fern, Tadepalli 2009, Algorithm 1 and the text around it.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.kernels.rng import random_below
from engine.klondike.kplus import State, is_won
from engine.klondike.observation import determinize, random_card, turn_up
from solvers.klondike.kplus.actions import MOST_ACTIONS, act
from solvers.klondike.players.play import (
    HISTORY_FULL,
    LOST,
    NO_ACTION,
    NO_ROOM,
    STATES,
    WON,
    add_state,
    advance_history,
    allowed,
    clear_history,
    finishes,
    uncovers,
)
from solvers.search_tree import (
    COUNT,
    NEXT,
    NODE,
    NONE,
    OUTCOME,
    PARTS,
    SAMPLED,
    TIMES,
    WEIGHT,
    WINS,
    Tree,
    add_node,
    card_of,
    choose,
    count_visit,
    new_tree,
    outcome_with,
    step_of,
)

# Result of `grow` besides NO_ROOM and HISTORY_FULL.
GROWN = 0

# In place of the node of an outcome, besides NONE: a greedy finish wins from there.
FINISHED = -2


class TreeSettings(NamedTuple):
    """Settings of the search.

    pairs: of `solvers.klondike.kplus.actions`.
    trees: number of independent trees.
    trajectories: number of trajectories of each tree.
    width: outcomes that are sampled for an action that turns a card up; 0 for any number.
    exploration: the constant c of the upper bound.
    """

    pairs: int
    trees: int
    trajectories: int
    width: int
    exploration: float


class TreeBuffers(NamedTuple):
    """Buffers in which trees are grown.

    tree: of `solvers.search_tree`.
    trail: int64[k, 2], the nodes and edges of the trajectory.
    finish: int64[k], the actions of a greedy finish.
    steps: int32[n], by outcome without face-down cards: the actions of its greedy finish.
    values: float64[MOST_ACTIONS], values of the root's actions, summed over trees.
    """

    tree: Tree
    trail: NDArray[np.int64]
    finish: NDArray[np.int64]
    steps: NDArray[np.int32]
    values: NDArray[np.float64]


def new_tree_buffers(nodes: int) -> TreeBuffers:
    """Allocate buffers for trees of a number of nodes."""
    steps = max(1024, nodes // 16)
    return TreeBuffers(
        new_tree(nodes),
        np.zeros((steps, 2), dtype=np.int64),
        np.zeros(steps, dtype=np.int64),
        np.zeros(nodes, dtype=np.int32),
        np.zeros(MOST_ACTIONS, dtype=np.float64),
    )


@search_kernel
def _new_node(state, pairs, work, tree):
    """Add a node for a state; its number, or NONE without room."""
    scratch = work.scratch
    last = allowed(state, work.world.table, pairs, work.path, scratch, scratch.actions, 0)
    return add_node(scratch.actions, last, tree)


@search_kernel
def _sample_outcome(edge, state, base, width, tree, rng):
    """Sample the outcome of an edge, a new one up to `width`; NONE without room."""
    if base < 0:
        return outcome_with(edge, -1, tree)
    edges, outcomes = tree.edges, tree.outcomes
    if width > 0 and edges[edge, SAMPLED] == width:
        outcome = edges[edge, OUTCOME]
        left = random_below(rng, width)
        while left >= outcomes[outcome, WEIGHT]:
            left -= outcomes[outcome, WEIGHT]
            outcome = outcomes[outcome, NEXT]
        return outcome
    outcome = outcome_with(edge, random_card(state.down, rng), tree)
    if outcome >= 0:
        edges[edge, SAMPLED] += 1
        outcomes[outcome, WEIGHT] += 1
    return outcome


@search_kernel
def grow(observation, settings, work, buffers):
    """Grow a tree from an observation.

    Args:
        observation: of `engine.klondike.observation`.
        settings: settings.
        work: workspace of the player; `history` has the states of the game.
        buffers: buffers; the root of the tree is node 0.

    Returns:
        GROWN, NO_ROOM or HISTORY_FULL.
    """
    tree, trail = buffers.tree, buffers.trail
    world, game, path = work.world, work.history, work.path
    pairs = settings.pairs
    tree.counts[:] = 0
    for _ in range(settings.trajectories):
        state = determinize(observation, world)
        clear_history(path)
        for number in range(game.counts[1]):
            at = game.states[number]
            past = State(at[0], 0, at[1], at[2], state.down, state.stock)
            add_state(past, path)
        node = 0
        if tree.counts[0] == 0:
            node = _new_node(state, pairs, work, tree)
            if node < 0:
                return NO_ROOM
        length = 0
        ended = LOST
        while tree.nodes[node, COUNT] > 0:
            if length == trail.shape[0]:
                return NO_ROOM
            edge = choose(node, settings.exploration, tree, work.rng)
            trail[length, 0], trail[length, 1] = node, edge
            length += 1
            action = step_of(edge, tree)
            base = uncovers(state, world, action)
            outcome = _sample_outcome(edge, state, base, settings.width, tree, work.rng)
            if outcome < 0:
                return NO_ROOM
            if base >= 0:
                turn_up(world, base, card_of(outcome, tree))
            after = act(state, world.table, action)
            work.counts[STATES] += 1
            if not advance_history(state, after, path):
                return HISTORY_FULL
            state = after
            node = tree.outcomes[outcome, NODE]
            if is_won(state):
                ended = WON
            elif state.down == 0:
                # This depends on the outcome alone: it is tried once, and counted each time.
                if node == NONE:
                    ended, buffers.steps[outcome] = finishes(state, pairs, work, buffers.finish, 0)
                    if ended in (NO_ROOM, HISTORY_FULL):
                        return ended
                    if ended == WON:
                        tree.outcomes[outcome, NODE] = FINISHED
                else:
                    work.counts[STATES] += buffers.steps[outcome]
                    if node == FINISHED:
                        ended = WON
            if ended == WON:
                break
            if node < 0:
                node = _new_node(state, pairs, work, tree)
                if node < 0:
                    return NO_ROOM
                tree.outcomes[outcome, NODE] = node
        for number in range(length):
            count_visit(trail[number, 0], trail[number, 1], PARTS * (ended == WON), tree)
    return GROWN


@search_kernel
def plan(observation, settings, work, buffers):
    """Choose the action of the best value, averaged over trees.

    Arguments as for `grow`. Of equals the first, in the paper's order of preference, is taken.

    Returns:
        The action, NO_ACTION, or minus NO_ROOM or HISTORY_FULL.
    """
    state = determinize(observation, work.world)
    scratch = work.scratch
    count = allowed(
        state, work.world.table, settings.pairs, work.history, scratch, scratch.actions, 0
    )
    if count <= 1:
        return scratch.actions[0] if count == 1 else NO_ACTION
    edges, values = buffers.tree.edges, buffers.values
    values[:count] = 0.0
    for _ in range(settings.trees):
        ended = grow(observation, settings, work, buffers)
        if ended != GROWN:
            return -ended
        for number in range(count):
            times = edges[number, TIMES]
            if times > 0:
                values[number] += edges[number, WINS] / (PARTS * times)
    best = 0
    for number in range(1, count):
        if values[number] > values[best]:
            best = number
    return step_of(best, buffers.tree)
