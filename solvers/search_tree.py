"""Search tree of planners with hidden cards: nodes, edges and chance outcomes.

A node is an information set, an edge a step from it. An edge has an outcome for each card that
turned up under it, or a single one if no card turns up.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.kernels.rng import random_below

# Columns of a node: its first edge, its number of edges, its visits, its number of edges taken.
FIRST, COUNT, VISITS, TAKEN = range(4)
# Columns of an edge: the step, its visits, its wins in parts, its first outcome, its number of
# sampled outcomes, and by how many millionths of a win a policy rates it above the best edge of its
# node: 0 or less.
STEP, TIMES, WINS, OUTCOME, SAMPLED, RATING = range(6)
# Columns of an outcome: the node, the card that turned up or −1, how often it was sampled,
# the next outcome.
NODE, CARD, WEIGHT, NEXT = range(4)

# Parts of a win, so that integers hold what is between a win and a loss. Those of 32 bits do for
# 33 million visits, more than an edge has in a game with the most trajectories.
PARTS = 64

# A node counts as if it had one visit more, worth this, lest its first visits decide its share.
_FIRST_SHARE = 0.6

# In place of an index: there is none, or no room for one.
NONE = -1

_EDGES_OF_A_NODE = 8


class Tree(NamedTuple):
    """Arrays of a tree, of int32 to halve the memory traffic, and their used sizes.

    nodes: [n, 4].
    edges: [8 · n, 6].
    outcomes: [n, 4].
    counts: int64[3]: nodes, edges, outcomes.
    """

    nodes: NDArray[np.int32]
    edges: NDArray[np.int32]
    outcomes: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_tree(nodes: int) -> Tree:
    """Allocate a tree for a number of nodes and outcomes, and eight times as many edges."""
    return Tree(
        np.zeros((nodes, 4), dtype=np.int32),
        np.zeros((_EDGES_OF_A_NODE * nodes, 6), dtype=np.int32),
        np.zeros((nodes, 4), dtype=np.int32),
        np.zeros(3, dtype=np.int64),
    )


def with_more_room(tree: Tree) -> Tree:
    """Double the capacity of a tree."""
    return tree._replace(
        nodes=np.concatenate([tree.nodes, np.zeros_like(tree.nodes)]),
        edges=np.concatenate([tree.edges, np.zeros_like(tree.edges)]),
        outcomes=np.concatenate([tree.outcomes, np.zeros_like(tree.outcomes)]),
    )


@search_kernel
def add_node(steps, count, tree):
    """Add a node with the first `count` of steps int64[…] as its edges; NONE without room."""
    node, first = tree.counts[0], tree.counts[1]
    if node == tree.nodes.shape[0] or first + count > tree.edges.shape[0]:
        return NONE
    for number in range(count):
        edge = tree.edges[first + number]
        edge[STEP] = steps[number]
        edge[TIMES] = edge[WINS] = edge[SAMPLED] = edge[RATING] = 0
        edge[OUTCOME] = NONE
    row = tree.nodes[node]
    row[FIRST], row[COUNT], row[VISITS], row[TAKEN] = first, count, 0, 0
    tree.counts[0] += 1
    tree.counts[1] += count
    return node


# Integers of 32 bits must not get into sets of cards, not even without the compiler.


@search_kernel
def step_of(edge, tree):
    """The step of an edge."""
    return np.int64(tree.edges[edge, STEP])


@search_kernel
def card_of(outcome, tree):
    """The card that turns up in an outcome, as a bit, or −1."""
    return np.int64(tree.outcomes[outcome, CARD])


@search_kernel
def choose(node, exploration, tree, rng):
    """Choose an edge by UCB1: a random unvisited one, else the one of the highest upper bound.

    Kocsis and Szepesvári 2006: the mean of the edge's wins, plus `exploration` times the square
    root of the logarithm of the node's visits over the edge's.
    """
    row, edges = tree.nodes[node], tree.edges
    first, count = row[FIRST], row[COUNT]
    if count == 1:
        return first
    fresh = count - row[TAKEN]
    if fresh > 0:
        left = random_below(rng, fresh)
        if fresh == count:
            return first + left
        for edge in range(first, first + count):
            if edges[edge, TIMES] == 0:
                if left == 0:
                    return edge
                left -= 1
    logarithm = log(row[VISITS])
    best = first
    highest = -1.0
    for edge in range(first, first + count):
        times = edges[edge, TIMES]
        bound = edges[edge, WINS] / (PARTS * times) + exploration * sqrt(logarithm / times)
        if bound > highest:
            highest = bound
            best = edge
    return best


@search_kernel
def choose_by_rating(node, exploration, prior, tree):
    """Choose an edge by an upper bound, for which the ratings of a policy count as visits.

    As if each edge had `prior` visits more, which won the share of all visits of the node, less by
    its rating. Of equal edges it is the first.
    """
    row, edges = tree.nodes[node], tree.edges
    first, count = row[FIRST], row[COUNT]
    if count == 1:
        return first
    wins = 0.0
    for edge in range(first, first + count):
        wins += edges[edge, WINS]
    share = (wins / PARTS + _FIRST_SHARE) / (row[VISITS] + 1.0)
    logarithm = log(row[VISITS] + 2.0)
    best = first
    highest = -np.inf
    for edge in range(first, first + count):
        times = edges[edge, TIMES] + prior
        rated = share + edges[edge, RATING] / 1e6
        bound = (edges[edge, WINS] / PARTS + prior * rated) / times
        bound += exploration * sqrt(logarithm / times)
        if bound > highest:
            highest = bound
            best = edge
    return best


@search_kernel
def count_visit(node, edge, worth, tree):
    """Back up a trajectory through an edge of a node; worth: 0 for a loss, PARTS for a win."""
    row, taken = tree.nodes[node], tree.edges[edge]
    if taken[TIMES] == 0:
        row[TAKEN] += 1
    row[VISITS] += 1
    taken[TIMES] += 1
    taken[WINS] += worth


@search_kernel
def outcome_with(edge, card, tree):
    """The outcome of an edge with a card, added if it is new; NONE without room."""
    outcomes = tree.outcomes
    outcome = tree.edges[edge, OUTCOME]
    while outcome >= 0:
        if outcomes[outcome, CARD] == card:
            return outcome
        outcome = outcomes[outcome, NEXT]
    outcome = tree.counts[2]
    if outcome == outcomes.shape[0]:
        return NONE
    tree.counts[2] += 1
    row = outcomes[outcome]
    row[NODE], row[CARD], row[WEIGHT], row[NEXT] = NONE, card, 0, tree.edges[edge, OUTCOME]
    tree.edges[edge, OUTCOME] = outcome
    return outcome
