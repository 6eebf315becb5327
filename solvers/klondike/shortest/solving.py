"""Shortest solutions of deals and positions: the search, and what is known when it stops."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.klondike.flat import new_position
from engine.klondike.moves import KlondikeKind, KlondikeMove, pack_solution, unpack_solution
from engine.klondike.referee import KlondikePosition
from solvers.klondike.exact import method as exact
from solvers.klondike.exact.load import flatten
from solvers.klondike.shortest import search as kernel
from solvers.klondike.shortest.board import Start, load_start, new_start, unpack
from solvers.klondike.shortest.bounds import LOST, Reveals, new_reveals
from solvers.klondike.shortest.search import EXPANDED, GOAL, LOWEST, MOST_MOVES, Tree, new_tree
from solvers.klondike.shortest.steps import COST, FIRST, PLAY, SECOND, expand
from solvers.klondike.shortest.unfold import Table
from solvers.klondike.solution.plays import new_scratch
from solvers.klondike.solution.shorten import shorten
from solvers.outcome import Result

# Nodes expanded between two looks at the clock.
_AT_ONCE = 5_000
_KEY = (1 << 30) - 1


@dataclass(frozen=True, slots=True)
class Shortest:
    """Result of a search for a shortest solution.

    Attributes:
        moves: the shortest solution known, None without one.
        length: its length in the count that was asked for, None without one.
        bound: no solution is shorter than this; None if there is none at all.
        nodes: positions entered to find the first solution, and expanded for the shortest.
        cpu_ms: milliseconds of CPU time of the thread.
    """

    moves: tuple[KlondikeMove, ...] | None
    length: int | None
    bound: int | None
    nodes: int
    cpu_ms: float

    @property
    def is_proved(self) -> bool:
        """Whether it is known how short the shortest solution is, or that there is none."""
        return self.bound == self.length


class _Memory(threading.local):
    """Memory of the searches of one thread."""

    def __init__(self) -> None:
        self.flat = new_position()
        self.start: Start = new_start()
        self.reveals: Reveals = new_reveals()
        self.scratch = new_scratch()
        self.mebibytes = 0
        self.tree: Tree

    def prepare(self, mebibytes: int) -> None:
        """Allocate the tree unless it has this size."""
        if self.mebibytes != mebibytes:
            self.tree = new_tree(mebibytes)
            self.mebibytes = mebibytes


_memory = _Memory()


def length_of(moves: tuple[KlondikeMove, ...], redeal: int) -> int:
    """The number of moves, of which redeals count as `redeal`."""
    redeals = sum(move.kind is KlondikeKind.REDEAL for move in moves)
    return len(moves) - redeals + redeal * redeals


def shortened(start: KlondikePosition, moves: tuple[KlondikeMove, ...]) -> tuple[KlondikeMove, ...]:
    """Shorten a solution without a search; see "Solutions" in `docs/search.md`.

    Args:
        start: the position it starts from.
        moves: a solution that the referee accepts.
    """
    flat = new_position()
    flatten(start, flat)
    line = np.frombuffer(pack_solution(moves), dtype=np.uint8).copy()
    return unpack_solution(line[: shorten(flat, line, len(line), _memory.scratch)].tobytes())


def find_shortest(
    start: KlondikePosition,
    *,
    redeal: int = 1,
    nodes: int = 10**12,
    mebibytes: int = 1024,
    seconds: float | None = None,
    known: tuple[KlondikeMove, ...] | None = None,
) -> Shortest:
    """Find a shortest solution.

    Args:
        start: a position under unlimited redeals, with partial runs and worrying back.
        redeal: what a redeal counts as: 1 in standard moves, 0 in the count of MinimalKlondike.
        nodes: positions to expand before giving up, and to enter for the first solution.
        mebibytes: memory of the search.
        seconds: CPU seconds before giving up.
        known: a solution that is known.

    Raises:
        BadInput: the position is none that a table could show.
    """
    since = time.thread_time_ns()
    start.checked()
    spent = 0
    if known is None:
        budget = {"nodes": nodes, "memory_mib": min(mebibytes, 768)}
        outcome = exact.solve_position(start, budget)
        spent = outcome.nodes
        if outcome.result is Result.UNWINNABLE:
            return Shortest(None, None, None, spent, (time.thread_time_ns() - since) / 1e6)
        known = None if outcome.moves is None else unpack_solution(outcome.moves)
    best = None if known is None else length_of(known, redeal)
    until = None if seconds is None else since + int(1e9 * seconds)
    found, bound, expanded = _search(start, redeal, best, nodes, mebibytes, until)
    if found is not None:
        known, best = found, length_of(found, redeal)
    return Shortest(known, best, bound, spent + expanded, (time.thread_time_ns() - since) / 1e6)


def _search(
    start: KlondikePosition,
    redeal: int,
    best: int | None,
    nodes: int,
    mebibytes: int,
    until: int | None,
) -> tuple[tuple[KlondikeMove, ...] | None, int | None, int]:
    """Search for a solution of fewer than `best` moves.

    Returns:
        It, or None if none was found; the bound of all solutions' lengths, None if there is no
        solution; and the nodes expanded.
    """
    memory = _memory
    memory.prepare(mebibytes)
    flatten(start, memory.flat)
    draw = start.rules.draw
    tree = memory.tree
    board = load_start(memory.flat, memory.start)
    if kernel.begin(board, draw, memory.start, memory.reveals, tree) >= LOST:
        return None, best, 0
    below = MOST_MOVES if best is None else best
    ended = kernel.PAUSED
    while ended == kernel.PAUSED:
        left = nodes - int(tree.progress[EXPANDED])
        if left <= 0 or (until is not None and time.thread_time_ns() >= until):
            break
        ended = kernel.search(
            draw, redeal, below, min(left, _AT_ONCE), memory.start, memory.reveals, tree
        )
    expanded, lowest = int(tree.progress[EXPANDED]), int(tree.progress[LOWEST])
    found = None
    if ended == kernel.FOUND:
        found = _solution(start, draw, redeal, memory)
    return found, lowest, expanded


def _solution(
    start: KlondikePosition, draw: int, redeal: int, memory: _Memory
) -> tuple[KlondikeMove, ...]:
    """Return the standard moves of the path to the goal."""
    tree = memory.tree
    table = Table(start)
    for before, after in _path(int(tree.progress[GOAL]), tree):
        board = unpack(before[0], before[1], memory.start)
        number = expand(board, draw, redeal, memory.start, memory.reveals, tree.children)
        play = _play_to(after, tree.children[:number])
        table.play(play, int(unpack(after[0], after[1], memory.start).up))
    return tuple(table.moves)


def _path(node: int, tree: Tree) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The keys of each two neighbours on the path to a node."""
    keys = []
    while node != kernel.NO_NODE:
        keys.append((int(tree.keys[2 * node]), int(tree.keys[2 * node + 1]) & _KEY))
        node = int(tree.parents[node])
    keys.reverse()
    return zip(keys, keys[1:], strict=False)


def _play_to(keys: tuple[int, int], children: NDArray[np.int64]) -> int:
    """The play of the cheapest step to a child."""
    same = children[(children[:, FIRST] == keys[0]) & (children[:, SECOND] == keys[1])]
    return int(same[same[:, COST].argmin(), PLAY])
