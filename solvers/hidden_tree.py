"""The tree that all UCT planners of Klondike with hidden cards grow: trees × trajectories × width.

Bjarnason, Fern, Tadepalli 2009, Algorithm 1 and the text around it. `plan` says what is done.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.draws import draw_below
from engine.kernels import search_kernel
from engine.kplus import State, is_won
from engine.observation import draw_card, imagine, turn_up
from solvers.hidden_play import (
    STATES,
    allowed,
    finishes,
    forget,
    go_on,
    remember,
    uncovers,
)
from solvers.kplus_actions import MOST_ACTIONS, act

# Of a node: its first edge, how many it has, how often it was visited, how many edges were taken.
_FIRST, _COUNT, _VISITS, _TAKEN = range(4)
# Of an edge: the action, how often it was taken, how often that won, the first of its outcomes, and
# how many outcomes were drawn.
_ACTION, _TIMES, _WINS, _OUTCOME, _DRAWN = range(5)
# Of an outcome: the node, the card that turned up or −1, how often it was drawn, the next outcome.
_NODE, _CARD, _WEIGHT, _NEXT = range(4)


class Settings(NamedTuple):
    """What is to be grown.

    pairs: of `solvers.kplus_actions`.
    trees: how many are grown, independently.
    trajectories: how many are played in each.
    width: outcomes that are drawn for an action that turns a card up; 0 for any number.
    exploration: the constant c of the upper bound.
    """

    pairs: int
    trees: int
    trajectories: int
    width: int
    exploration: float


class Tree(NamedTuple):
    """Memory of a tree; int64 arrays, and counts of what is used of them.

    nodes: [n, 4].
    edges: [m, 5].
    outcomes: [n, 4].
    trail: [k], the edges of the trajectory.
    finish: [k], the actions of a greedy finish.
    counts: [3]: nodes, edges, outcomes.
    values: float64[MOST_ACTIONS], the root's actions' values, summed over trees.
    """

    nodes: NDArray[np.int64]
    edges: NDArray[np.int64]
    outcomes: NDArray[np.int64]
    trail: NDArray[np.int64]
    finish: NDArray[np.int64]
    counts: NDArray[np.int64]
    values: NDArray[np.float64]


def new_tree(nodes: int) -> Tree:
    """Room for so many nodes and outcomes, and for eight times as many edges."""
    steps = max(1024, nodes // 16)
    return Tree(
        np.zeros((nodes, 4), dtype=np.int64),
        np.zeros((8 * nodes, 5), dtype=np.int64),
        np.zeros((nodes, 4), dtype=np.int64),
        np.zeros(steps, dtype=np.int64),
        np.zeros(steps, dtype=np.int64),
        np.zeros(3, dtype=np.int64),
        np.zeros(MOST_ACTIONS, dtype=np.float64),
    )


@search_kernel
def _new_node(state, pairs, mind, tree):
    """Add a node for a state; its number, or −1 without room."""
    nodes, edges, counts = tree.nodes, tree.edges, tree.counts
    node, first = counts[0], counts[1]
    scratch = mind.scratch
    last = allowed(state, mind.own.table, pairs, mind.path, scratch, scratch.actions, 0)
    if node == nodes.shape[0] or first + last > edges.shape[0]:
        return -1
    for number in range(last):
        edge = first + number
        edges[edge, _ACTION] = scratch.actions[number]
        edges[edge, _TIMES] = 0
        edges[edge, _WINS] = 0
        edges[edge, _OUTCOME] = -1
        edges[edge, _DRAWN] = 0
    nodes[node, _FIRST] = first
    nodes[node, _COUNT] = last
    nodes[node, _VISITS] = 0
    nodes[node, _TAKEN] = 0
    counts[0] += 1
    counts[1] += last
    return node


@search_kernel
def _choose(node, exploration, tree, draws):
    """The edge to take: one not taken before, else the one of the highest upper bound."""
    nodes, edges = tree.nodes, tree.edges
    first, count = nodes[node, _FIRST], nodes[node, _COUNT]
    fresh = count - nodes[node, _TAKEN]
    if fresh > 0:
        left = draw_below(draws, fresh)
        for edge in range(first, first + count):
            if edges[edge, _TIMES] == 0:
                if left == 0:
                    return edge
                left -= 1
    logarithm = log(nodes[node, _VISITS])
    best = -1
    highest = -1.0
    for edge in range(first, first + count):
        times = edges[edge, _TIMES]
        bound = edges[edge, _WINS] / times + exploration * sqrt(logarithm / times)
        if bound > highest:
            highest = bound
            best = edge
    return best


@search_kernel
def _draw_outcome(edge, state, base, width, tree, draws):
    """The outcome of taking an edge: one of those drawn before, or a new one without a node.

    Returns:
        The outcome's number, or −1 without room.
    """
    edges, outcomes, counts = tree.edges, tree.outcomes, tree.counts
    outcome = edges[edge, _OUTCOME]
    if base < 0:
        if outcome >= 0:
            return outcome
        card = -1
    elif width > 0 and edges[edge, _DRAWN] == width:
        left = draw_below(draws, width)
        while left >= outcomes[outcome, _WEIGHT]:
            left -= outcomes[outcome, _WEIGHT]
            outcome = outcomes[outcome, _NEXT]
        return outcome
    else:
        card = draw_card(state.down, draws)
        edges[edge, _DRAWN] += 1
        while outcome >= 0:
            if outcomes[outcome, _CARD] == card:
                outcomes[outcome, _WEIGHT] += 1
                return outcome
            outcome = outcomes[outcome, _NEXT]
    outcome = counts[2]
    if outcome == outcomes.shape[0]:
        return -1
    counts[2] += 1
    outcomes[outcome, _NODE] = -1
    outcomes[outcome, _CARD] = card
    outcomes[outcome, _WEIGHT] = 1
    outcomes[outcome, _NEXT] = edges[edge, _OUTCOME]
    edges[edge, _OUTCOME] = outcome
    return outcome


@search_kernel
def grow(observation, settings, mind, tree):
    """Grow a tree from an observation; False without room.

    Args:
        observation: of `engine.observation`.
        settings: `Settings`.
        mind: the player's; `game` has the states that the game has been in.
        tree: out; the root is node 0.
    """
    nodes, edges, outcomes, trail = tree.nodes, tree.edges, tree.outcomes, tree.trail
    view, game, path = mind.own, mind.game, mind.path
    pairs, width = settings.pairs, settings.width
    tree.counts[:] = 0
    for _ in range(settings.trajectories):
        state = imagine(observation, view)
        forget(path)
        for number in range(game.counts[1]):
            at = game.states[number]
            past = State(at[0], 0, at[1], at[2], state.down, state.stock)
            remember(past, path)
        node = 0
        if tree.counts[0] == 0:
            node = _new_node(state, pairs, mind, tree)
            if node < 0:
                return False
        length = 0
        won = False
        while nodes[node, _COUNT] > 0:
            edge = _choose(node, settings.exploration, tree, mind.draws)
            if edges[edge, _TIMES] == 0:
                nodes[node, _TAKEN] += 1
            nodes[node, _VISITS] += 1
            edges[edge, _TIMES] += 1
            if length == trail.shape[0]:
                return False
            trail[length] = edge
            length += 1
            action = edges[edge, _ACTION]
            base = uncovers(state, view, action)
            outcome = _draw_outcome(edge, state, base, width, tree, mind.draws)
            if outcome < 0:
                return False
            if base >= 0:
                turn_up(view, base, outcomes[outcome, _CARD])
            after = act(state, view.table, action)
            mind.counts[STATES] += 1
            if not go_on(state, after, path):
                return False
            state = after
            won = is_won(state)
            if not won and state.down == 0:
                won, _ = finishes(state, pairs, mind, tree.finish, 0)
            if won:
                break
            node = outcomes[outcome, _NODE]
            if node < 0:
                node = _new_node(state, pairs, mind, tree)
                if node < 0:
                    return False
                outcomes[outcome, _NODE] = node
        if won:
            for number in range(length):
                edges[trail[number], _WINS] += 1
    return True


@search_kernel
def plan(observation, settings, mind, tree):
    """The action that does best, averaged over trees; −1 if there is none, −2 without room.

    Arguments as for `grow`. Of equals the first, in the paper's order of preference, is taken.
    """
    state = imagine(observation, mind.own)
    scratch = mind.scratch
    count = allowed(state, mind.own.table, settings.pairs, mind.game, scratch, scratch.actions, 0)
    if count <= 1:
        return scratch.actions[0] if count == 1 else -1
    values = tree.values
    values[:count] = 0.0
    for _ in range(settings.trees):
        if not grow(observation, settings, mind, tree):
            return -2
        for number in range(count):
            times = tree.edges[number, _TIMES]
            if times > 0:
                values[number] += tree.edges[number, _WINS] / times
    best = 0
    for number in range(1, count):
        if values[number] > values[best]:
            best = number
    return tree.edges[best, _ACTION]
