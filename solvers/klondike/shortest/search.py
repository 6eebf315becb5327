"""Best-first search (A*) for shortest solutions.

Nodes are kept in arrays, found by their keys in a table of open addressing, and queued by the sum
of the moves made and the bound of those left, the last queued first. As the bound is consistent
[bound], a node is expanded with the fewest moves that lead to it, and the sums never fall.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import inlined_kernel, prefetch, search_kernel
from solvers.klondike.shortest.board import first_key, second_key, unpack
from solvers.klondike.shortest.bounds import LOST, bound
from solvers.klondike.shortest.steps import COST, FIRST, LEFT, MOST_CHILDREN, SECOND, expand

FOUND, EXHAUSTED, PAUSED, MEMORY_SPENT = range(4)
NO_NODE = -1

# Places of `progress`.
NODES, TABLE, LOWEST, EXPANDED, GOAL = range(5)
MOST_MOVES = 1023

KEY = (1 << 30) - 1
_CLOSED = 1 << 40
_WON = 14**4 - 1
_HASH_LOW = 0x5851F42D
_HASH_HIGH = 0x4C957F2D
_LOW_32 = (1 << 32) - 1
_SMALLEST_TABLE = 1 << 12


class NodeStore(NamedTuple):
    """Memory of a search.

    keys: int64[2 · nodes], of each node the first key, and the second key (30 bits) with the moves
        made (10 bits) and whether the node was expanded or replaced (1 bit) above it.
    parents: int32[nodes].
    queued: int32[nodes], the node queued before, of the same sum.
    table: int32[…], nodes + 1 by hash, 0 for none; the part in use is progress[TABLE] long.
    last: int32[MOST_MOVES + 1], the last node queued of each sum.
    progress: int64[5].
    """

    keys: NDArray[np.int64]
    parents: NDArray[np.int32]
    queued: NDArray[np.int32]
    table: NDArray[np.int32]
    last: NDArray[np.int32]
    progress: NDArray[np.int64]


def new_store(mebibytes: int) -> NodeStore:
    """Allocate the memory of a search; fresh pages cost nothing until they are first touched."""
    table = 1 << max(12, (mebibytes * 2**20 // 40 * 2).bit_length() - 1)
    nodes = max(2048, (mebibytes * 2**20 - 4 * table) // 24)
    nodes = min(nodes, table // 2)
    return NodeStore(
        np.empty(2 * nodes, dtype=np.int64),
        np.empty(nodes, dtype=np.int32),
        np.empty(nodes, dtype=np.int32),
        np.empty(table, dtype=np.int32),
        np.empty(MOST_MOVES + 1, dtype=np.int32),
        np.zeros(5, dtype=np.int64),
    )


@search_kernel
def hash_of(first, second):
    """Return a hash of 62 bits; products of 32 and 31 bits never reach the sign."""
    mixed = ((first >> 29) * _HASH_LOW) ^ ((first & 0x1FFFFFFF) * _HASH_HIGH)
    mixed ^= second * _HASH_LOW ^ (mixed >> 31)
    mixed &= (1 << 62) - 1
    mixed = ((mixed & _LOW_32) * _HASH_HIGH) ^ (mixed >> 29)
    return mixed ^ (mixed >> 27)


@inlined_kernel
def _slot_of(first, second, store, size):
    """Return the slot of the table with the node of these keys, or a free one."""
    slot = hash_of(first, second) & (size - 1)
    while True:
        node = store.table[slot] - 1
        if node < 0:
            return slot
        if store.keys[2 * node] == first and store.keys[2 * node + 1] & KEY == second:
            return slot
        slot = (slot + 1) & (size - 1)


@search_kernel
def _grow(store):
    """Enter all nodes into a table of twice the size."""
    size = 2 * store.progress[TABLE]
    store.progress[TABLE] = size
    store.table[:size] = 0
    for node in range(store.progress[NODES]):
        slot = _slot_of(store.keys[2 * node], store.keys[2 * node + 1] & KEY, store, size)
        # A later node with the same keys was reached in fewer moves.
        store.table[slot] = node + 1


@search_kernel
def _append(first, second, made, parent, total, store):
    """Append a node, queue it, and return it."""
    node = store.progress[NODES]
    store.progress[NODES] = node + 1
    store.keys[2 * node] = first
    store.keys[2 * node + 1] = made << 30 | second
    store.parents[node] = parent
    store.queued[node] = store.last[total]
    store.last[total] = node
    return node


@search_kernel
def begin(board, setting, store):
    """Begin a search from a board; return the bound of the moves it takes, or LOST."""
    setting.reveals.known[:] = -1
    store.last[:] = NO_NODE
    size = min(_SMALLEST_TABLE, len(store.table))
    store.table[:size] = 0
    store.progress[:] = 0
    store.progress[TABLE] = size
    store.progress[GOAL] = NO_NODE
    left = bound(board, setting.draw, setting.start, setting.reveals)
    if left < LOST:
        first, second = first_key(board), second_key(board)
        node = _append(first, second, 0, NO_NODE, left, store)
        store.table[_slot_of(first, second, store, size)] = node + 1
        store.progress[LOWEST] = left
    return left


@search_kernel
def search(below, expansions, setting, store):
    """Go on with a search.

    Args:
        below: only solutions of fewer moves are looked for.
        expansions: number of nodes to expand before a pause.
        setting: as `begin` had it.
        store: as `begin` or an earlier call left it.

    Returns:
        FOUND: progress[GOAL] is the last node of a shortest solution.
        EXHAUSTED: there is no solution of fewer than `below` moves.
        PAUSED or MEMORY_SPENT: there is none of fewer than progress[LOWEST].
    """
    progress, keys, children = store.progress, store.keys, setting.children
    total = progress[LOWEST]
    below = min(below, MOST_MOVES)
    for _ in range(expansions):
        while total < below and store.last[total] == NO_NODE:
            total += 1
        progress[LOWEST] = total
        if total >= below:
            return EXHAUSTED
        node = store.last[total]
        store.last[total] = store.queued[node]
        second = keys[2 * node + 1]
        if second & _CLOSED:
            continue
        keys[2 * node + 1] = second | _CLOSED
        made = second >> 30 & 1023
        first = keys[2 * node]
        if (first >> 29) % (14**4) == _WON:
            progress[GOAL] = node
            return FOUND
        if progress[NODES] + MOST_CHILDREN > len(store.parents):
            keys[2 * node + 1] = second
            store.queued[node] = store.last[total]
            store.last[total] = node
            return MEMORY_SPENT
        progress[EXPANDED] += 1
        number = expand(unpack(first, second & KEY, setting.start), setting)
        size = progress[TABLE]
        for child in range(number):
            if made + children[child, COST] + children[child, LEFT] < below:
                slot = hash_of(children[child, FIRST], children[child, SECOND]) & (size - 1)
                prefetch(store.table, slot)
        for child in range(number):
            reached = made + children[child, COST]
            sum_of_child = reached + children[child, LEFT]
            if sum_of_child >= below:
                continue
            slot = _slot_of(children[child, FIRST], children[child, SECOND], store, size)
            known = store.table[slot] - 1
            if known >= 0:
                if keys[2 * known + 1] >> 30 & 1023 <= reached:
                    continue
                keys[2 * known + 1] |= _CLOSED
            store.table[slot] = 1 + _append(
                children[child, FIRST], children[child, SECOND], reached, node, sum_of_child, store
            )
        if 2 * (progress[NODES] + MOST_CHILDREN) > size and 2 * size <= len(store.table):
            _grow(store)
    return PAUSED
