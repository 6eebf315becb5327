"""Shortest solutions of deals and positions: the search, and what is known when it stops."""

import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import Part, solving_time_ns
from engine.klondike.flat import flatten, new_position, set_up
from engine.klondike.moves import KlondikeKind, KlondikeMove, unpack_solution
from engine.klondike.referee import KlondikePosition
from solvers.klondike.exact.load import load
from solvers.klondike.exact.searching import BY_STOCKS
from solvers.klondike.shortest import search as kernel
from solvers.klondike.shortest.board import load_start, new_start, unpack
from solvers.klondike.shortest.bounds import LOST, new_reveals
from solvers.klondike.shortest.improving import improved
from solvers.klondike.shortest.search import (
    EXPANDED,
    GOAL,
    KEY,
    LOWEST,
    MOST_MOVES,
    NodeStore,
    new_store,
)
from solvers.klondike.shortest.steps import (
    COST,
    FIRST,
    MOST_CHILDREN,
    PLAY,
    SECOND,
    StepSetting,
    expand,
)
from solvers.klondike.shortest.unfold import StepPlayer
from solvers.klondike.solution.option import SHORTEN
from solvers.outcome import Result
from solvers.shortest import MoveCount, Shortest, ShortestSearch

# Nodes expanded between two looks at the clock.
_AT_ONCE = 5_000
# Memory for a first solution, which seldom takes more.
_FIRST_MEBIBYTES = 256


class _Count(NamedTuple):
    """The counts of a redeal and of turning up a face-down card; other moves count as one."""

    redeal: int
    face_up: int


STANDARD = "standard"
COUNTS = (
    MoveCount(STANDARD, "standard moves: turns of the stock, redeals and plays"),
    MoveCount("minimal-klondike", "turns and plays, as MinimalKlondike counts"),
    MoveCount("klondike-solver", "turns, plays and cards turned face up, as Klondike-Solver does"),
)
_COUNTS = {
    STANDARD: _Count(redeal=1, face_up=0),
    "minimal-klondike": _Count(redeal=0, face_up=0),
    "klondike-solver": _Count(redeal=0, face_up=1),
}


class _ShortestMemory(threading.local):
    """Memory of the searches of one thread."""

    def __init__(self) -> None:
        self.flat = new_position()
        self.start = new_start()
        self.reveals = new_reveals()
        self.children = np.zeros((MOST_CHILDREN, 5), dtype=np.int64)
        self.mebibytes = 0
        self.store: NodeStore

    def prepare(self, mebibytes: int) -> None:
        """Allocate the store unless it has this size."""
        if self.mebibytes != mebibytes:
            self.store = new_store(mebibytes)
            self.mebibytes = mebibytes

    def setting(self, draw: int, redeal: int) -> StepSetting:
        """The setting of a search in this memory."""
        return StepSetting(draw, redeal, self.start, self.reveals, self.children)


_memory = _ShortestMemory()


def _run_all() -> None:
    own = _ShortestMemory()
    own.prepare(8)
    set_up(np.arange(52, dtype=np.uint8), 3, own.flat)
    setting = own.setting(3, 1)
    board = load_start(own.flat, own.start)
    kernel.begin(board, setting, own.store)
    kernel.search(MOST_MOVES, 1, setting, own.store)
    first, second = (int(key) for key in own.store.keys[:2])
    expand(unpack(first, second & KEY, own.start), setting)


PART = Part(
    "solvers.klondike.shortest.solving:PART",
    (load, kernel.begin, kernel.search, unpack, expand),
    _run_all,
)


def length_of(start: KlondikePosition, moves: tuple[KlondikeMove, ...], count: str) -> int:
    """The length of a solution by a count.

    A solution turns every face-down card up, so these are as many in all solutions.
    """
    counted = _COUNTS[count]
    redeals = sum(move.kind is KlondikeKind.REDEAL for move in moves)
    face_down = sum(map(len, start.down))
    return len(moves) - redeals + counted.redeal * redeals + counted.face_up * face_down


def find_shortest(
    start: KlondikePosition,
    *,
    count: str = STANDARD,
    known: tuple[KlondikeMove, ...] | None = None,
    nodes: int = 10**12,
    mebibytes: int = 1024,
    seconds: float | None = None,
) -> Shortest:
    """Find a shortest solution.

    Args:
        start: a position under unlimited redeals, with partial runs and worrying back.
        count: how moves are counted, a slug of `COUNTS`.
        known: a solution that is known.
        nodes: positions to expand before giving up, and to enter for the first solution.
        mebibytes: memory of the search.
        seconds: CPU seconds before giving up, those for the first solution included; that one is
            always looked for.

    Raises:
        BadInput: the position is none that a table could show.
    """
    start.checked()
    PART.need()
    since = solving_time_ns()
    spent = 0

    def result(bound: int | None, ended_by: str | None = None) -> Shortest:
        length = None if known is None else length_of(start, known, count)
        cpu_ms = (solving_time_ns() - since) / 1e6
        return Shortest(known, length, bound, spent, cpu_ms, None if bound == length else ended_by)

    if known is None:
        budget = {
            "nodes": nodes,
            "memory_mib": min(mebibytes, _FIRST_MEBIBYTES),
            SHORTEN.name: 0,
        }
        outcome = BY_STOCKS.solve_position(start, budget)
        spent = outcome.nodes
        if outcome.result is Result.UNWINNABLE:
            return result(None)
        if outcome.moves is not None:
            first = unpack_solution(outcome.moves)
            # Made shorter as by the first count.
            lines = first, improved(start, first)
            known = min(lines, key=lambda line: length_of(start, line, count))
    # Cards turned face up are as many in all solutions: the search leaves them out.
    turned_up = length_of(start, (), count)
    below = MOST_MOVES if known is None else length_of(start, known, count) - turned_up
    until = None if seconds is None else since + int(1e9 * seconds)
    found, bound, expanded, ended_by = _search(
        start, _COUNTS[count].redeal, below, nodes, mebibytes, until
    )
    spent += expanded
    known = found or known
    return result(None if bound is None else bound + turned_up, ended_by)


def _search(
    start: KlondikePosition,
    redeal: int,
    below: int,
    nodes: int,
    mebibytes: int,
    until: int | None,
) -> tuple[tuple[KlondikeMove, ...] | None, int | None, int, str | None]:
    """Search for a solution of fewer than `below` moves.

    Returns:
        It, or None if none was found; the bound of all solutions' lengths, None if there is no
        solution; the nodes expanded; and what was spent, see `Shortest.ended_by`.
    """
    memory = _memory
    memory.prepare(mebibytes)
    flatten(start, memory.flat)
    setting = memory.setting(start.rules.draw, redeal)
    store = memory.store
    board = load_start(memory.flat, memory.start)
    if kernel.begin(board, setting, store) >= LOST:
        return None, None, 0, None
    ended, ended_by = kernel.PAUSED, None
    while ended == kernel.PAUSED:
        left = nodes - int(store.progress[EXPANDED])
        if left <= 0 or (until is not None and solving_time_ns() >= until):
            ended_by = "nodes" if left <= 0 else "time"
            break
        ended = kernel.search(below, min(left, _AT_ONCE), setting, store)
    found = _solution(start, setting, store) if ended == kernel.FOUND else None
    if ended == kernel.MEMORY_SPENT:
        ended_by = "memory"
    bound, expanded = min(below, int(store.progress[LOWEST])), int(store.progress[EXPANDED])
    return found, bound, expanded, ended_by


def _solution(
    start: KlondikePosition, setting: StepSetting, store: NodeStore
) -> tuple[KlondikeMove, ...]:
    """Return the standard moves of the path to the goal."""
    player = StepPlayer(start)
    for before, after in _path(int(store.progress[GOAL]), store):
        number = expand(unpack(*before, setting.start), setting)
        play = _play_to(after, setting.children[:number])
        player.play(play, int(unpack(*after, setting.start).up))
    return tuple(player.moves)


def _path(node: int, store: NodeStore) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The keys of each two neighbours on the path to a node."""
    keys = []
    while node != kernel.NO_NODE:
        keys.append((int(store.keys[2 * node]), int(store.keys[2 * node + 1]) & KEY))
        node = int(store.parents[node])
    keys.reverse()
    return pairwise(keys)


def _play_to(keys: tuple[int, int], children: NDArray[np.int64]) -> int:
    """The play of the cheapest step to a child."""
    same = children[(children[:, FIRST] == keys[0]) & (children[:, SECOND] == keys[1])]
    return int(same[same[:, COST].argmin(), PLAY])


SEARCH = ShortestSearch(COUNTS, find_shortest, improved, length_of)
