"""Beam search for a shorter solution than a known one.

The boards that one number of moves leads to are a *layer*. Layers are taken in the order of the
moves; of each, the boards with the lowest scores are expanded, and those of the known solution's
route besides. A score is a weighted sum of the bound of the moves left and of the cards that are
locked, that stock and waste hold, and that lie in the waste: an estimate, where the bound is sure.
What is left out may be part of a shorter solution: nothing is proved.

A board of the route that is reached in fewer moves makes all that follows it on the route shorter.
So whatever the search finds is as short as the known solution or shorter.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import popcount
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.kernels.filling import fill
from solvers.klondike.shortest.board import CONFIGURATIONS, HEIGHTS, unpack
from solvers.klondike.shortest.route import MADE, STEP
from solvers.klondike.shortest.search import hash_of
from solvers.klondike.shortest.steps import (
    COST,
    DOWN,
    FIRST,
    LEFT,
    MOST_CHILDREN,
    PLAY,
    SECOND,
    expand,
)

NO_NODE = -1
# Layers, and scores; higher scores count as the last one, and longer solutions are left alone.
MOST_MADE = 512
SCORES = 512
# Weights of a score, by what they weigh.
OF_BOUND, OF_LOCKED, OF_STOCK, OF_WASTE = range(4)

# Columns of `nodes`, with MADE and STEP of routes between them.
_PARENT, _QUEUED, _ROW = 0, 1, 4
_REPLACED = -1
# Places of `progress`.
NODES, EXPANDED, BELOW, GOAL = range(4)


class BeamStore(NamedTuple):
    """Memory of a beam search.

    keys: int64[nodes, 2], the keys of each node's board.
    nodes: int32[nodes, 5], its parent; the node queued before of the same layer and score; the
        moves made, or −1 if fewer were found to lead there; the play of the step; its row of the
        route.
    table: int32[2 · nodes], nodes + 1 by hash, 0 for none.
    last: int32[MOST_MADE, SCORES], the last node queued of each layer and score.
    locked: int8[CONFIGURATIONS], the number of locked cards.
    progress: int64[4].
    """

    keys: NDArray[np.int64]
    nodes: NDArray[np.int32]
    table: NDArray[np.int32]
    last: NDArray[np.int32]
    locked: NDArray[np.int8]
    progress: NDArray[np.int64]


def new_beam_store(nodes: int) -> BeamStore:
    """Allocate the memory of a search; the number of nodes is a power of two."""
    locked = np.zeros(CONFIGURATIONS, dtype=np.int8)
    rest = np.arange(CONFIGURATIONS)
    for column in range(7):
        locked += (rest % (column + 2)).astype(np.int8)
        rest //= column + 2
    return BeamStore(
        np.zeros((nodes, 2), dtype=np.int64),
        np.zeros((nodes, 5), dtype=np.int32),
        np.zeros(2 * nodes, dtype=np.int32),
        np.zeros((MOST_MADE, SCORES), dtype=np.int32),
        locked,
        np.zeros(4, dtype=np.int64),
    )


@inlined_kernel
def _slot_of(first, second, store):
    """Return the slot of the table with the node of these keys, or a free one."""
    keys, table = store.keys, store.table
    size = len(table)
    slot = hash_of(first, second) & (size - 1)
    while True:
        node = table[slot] - 1
        if node < 0 or (keys[node, FIRST] == first and keys[node, SECOND] == second):
            return slot
        slot = (slot + 1) & (size - 1)


@search_kernel
def _enter(first, second, made, parent, play, row, score, slot, store):
    """Append and queue a node, and enter it into the table; return it."""
    node = store.progress[NODES]
    store.progress[NODES] = node + 1
    store.keys[node, FIRST], store.keys[node, SECOND] = first, second
    own = store.nodes[node]
    own[_PARENT], own[MADE], own[STEP], own[_ROW] = parent, made, play, row
    own[_QUEUED] = store.last[made, score]
    store.last[made, score] = node
    store.table[slot] = node + 1
    if (first >> 29) % HEIGHTS == HEIGHTS - 1 and made < store.progress[BELOW]:
        store.progress[GOAL], store.progress[BELOW] = node, made
    return node


@search_kernel
def search(route, rows, below, width, weights, downs, expansions, setting, store):
    """Search for a solution of fewer moves.

    Args:
        route: of the known solution, or its beginning.
        rows: their number.
        below: only solutions of fewer moves are searched for; at most MOST_MADE.
        width: most boards expanded of a layer, those of the route not counted.
        weights: int64[4], of the score.
        downs: whether cards may come down from the foundations, but where the route has it.
        expansions: most boards expanded.
        setting: of the steps, its memory of the bound being that of the start.
        store: memory; progress[EXPANDED] says afterwards how many boards were expanded.

    Returns:
        The last node of the shortest solution found, or NO_NODE.
    """
    progress, nodes, children = store.progress, store.nodes, setting.children
    progress[NODES] = progress[EXPANDED] = 0
    progress[BELOW], progress[GOAL] = below, NO_NODE
    fill(store.table, 0)
    for made in range(below):
        fill(store.last[made], NO_NODE)
    _enter_route(route, 0, 0, NO_NODE, rows, store)
    # Room for all children, and for the route behind one of them.
    most = len(nodes) - MOST_CHILDREN - rows
    made = 0
    while made < progress[BELOW]:
        taken = score = 0
        while score < SCORES and taken < width:
            node = store.last[made, score]
            while node != NO_NODE and taken < width:
                queued = nodes[node, _QUEUED]
                if nodes[node, MADE] == made:
                    if progress[NODES] > most or progress[EXPANDED] == expansions:
                        return progress[GOAL]
                    taken += score > 0
                    progress[EXPANDED] += 1
                    board = unpack(store.keys[node, FIRST], store.keys[node, SECOND], setting.start)
                    number = expand(board, setting)
                    for child in range(number):
                        if downs or children[child, PLAY] >> 12 != DOWN:
                            _take_in(children[child], node, made, route, rows, weights, store)
                node = queued
            score += 1
        made += 1
    return progress[GOAL]


@search_kernel
def _take_in(child, node, made, route, rows, weights, store):
    """Enter the child of a node, unless it was reached in as few moves or leads to no fewer."""
    progress, nodes = store.progress, store.nodes
    made += child[COST]
    if made + child[LEFT] >= progress[BELOW]:
        return
    first, second = child[FIRST], child[SECOND]
    slot = _slot_of(first, second, store)
    known = store.table[slot] - 1
    if known != NO_NODE:
        if nodes[known, MADE] <= made:
            return
        nodes[known, MADE] = _REPLACED
        if nodes[known, _ROW] > 0:
            row = nodes[known, _ROW]
            entered = _enter(first, second, made, node, child[PLAY], row, 0, slot, store)
            _enter_route(route, row, made, entered, rows, store)
            return
    score = (
        weights[OF_BOUND] * child[LEFT]
        + weights[OF_LOCKED] * store.locked[(first >> 29) // HEIGHTS]
        + weights[OF_STOCK] * popcount(first >> 5 & 0xFFFFFF)
        + weights[OF_WASTE] * (first & 31)
    )
    score = min(score + 1, SCORES - 1)
    _enter(first, second, made, node, child[PLAY], 0, score, slot, store)


@search_kernel
def _enter_route(route, row, made, node, rows, store):
    """Enter the rows of the route after a row that a node has reached; all of them without one.

    Until one that is known with as few moves. `made` leads to the node.
    """
    nodes = store.nodes
    at = row + 1 if node != NO_NODE else 0
    while at < rows:
        reached = made + route[at, MADE] - route[row, MADE]
        if reached >= MOST_MADE:
            return
        slot = _slot_of(route[at, FIRST], route[at, SECOND], store)
        known = store.table[slot] - 1
        if known != NO_NODE:
            if nodes[known, MADE] <= reached:
                return
            nodes[known, MADE] = _REPLACED
        node = _enter(
            route[at, FIRST], route[at, SECOND], reached, node, route[at, STEP], at, 0, slot, store
        )
        at += 1


@search_kernel
def trace(node, store, route):
    """Write the route to a node; return the number of its rows."""
    nodes = store.nodes
    rows, at = 0, node
    while at != NO_NODE:
        rows += 1
        at = nodes[at, _PARENT]
    row, at = rows, node
    while at != NO_NODE:
        row -= 1
        route[row, FIRST], route[row, SECOND] = store.keys[at, FIRST], store.keys[at, SECOND]
        route[row, MADE], route[row, STEP] = nodes[at, MADE], nodes[at, STEP]
        at = nodes[at, _PARENT]
    return rows
