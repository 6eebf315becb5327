"""Shorter solutions than a known one, without a proof: for those that people look at.

A few beam searches (`solvers.klondike.shortest.beam`) with different scores, each for a solution
shorter than the best so far, and what `solvers.klondike.solution.shorten` does, in between. The
outcome depends on the position and the solution alone, and is never longer than that.
"""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import Part
from engine.klondike.flat import DOWN_FROM, DRAW, RUN, flatten, new_position, set_up
from engine.klondike.moves import KlondikeMove, pack_solution, unpack_solution
from engine.klondike.referee import KlondikePosition
from solvers.klondike.exact.load import load
from solvers.klondike.shortest import beam
from solvers.klondike.shortest.board import load_start, new_start
from solvers.klondike.shortest.bounds import new_reveals
from solvers.klondike.shortest.route import MADE, MOST_STEPS, STEP, read_route, write_route
from solvers.klondike.shortest.steps import DOWN, MOST_CHILDREN, StepSetting
from solvers.klondike.solution.plays import MOST_ROUNDS, new_scratch
from solvers.klondike.solution.shorten import shorten

# Capacity for boards: more than the searches of one solution enter.
_NODES = 1 << 16
# Moves of a route: it has at most MOST_MADE, and the line that it is of as many as a byte array.
_MOST_MOVES = 2 * beam.MOST_MADE


class _Pass(NamedTuple):
    """A beam search.

    Attributes:
        width: boards expanded of a layer.
        weights: of the bound, and of the cards locked, in stock and waste, in the waste.
        keeps: whether it goes on from every board of the solution, not from the start alone.
    """

    width: int
    weights: tuple[int, int, int, int]
    keeps: bool = False


# The first finds a solution of its own for most deals; the second improves parts of one, which
# takes the place of a search that got stuck; the third scores in another way.
_PASSES = (
    _Pass(60, (2, 1, 2, 1)),
    _Pass(30, (2, 2, 1, 1), keeps=True),
    _Pass(60, (2, 1, 1, 2)),
)
# Boards that these expand together.
_EXPANSIONS = 8_000
# One more for a solution of as many moves that brings no card back, where the best one does.
_WITHOUT_DOWNS = _Pass(30, (2, 1, 2, 1), keeps=True)
_FURTHER_EXPANSIONS = 2_000


class _ImprovingMemory(threading.local):
    """Memory of the searches of one thread."""

    def __init__(self) -> None:
        self.piles = new_position()
        self.column_of = np.zeros(52, dtype=np.int64)
        self.start = new_start()
        self.reveals = new_reveals()
        self.children = np.zeros((MOST_CHILDREN, 5), dtype=np.int64)
        self.scratch = new_scratch()
        self.route = np.zeros((MOST_STEPS, 4), dtype=np.int64)
        self.moves = np.zeros(_MOST_MOVES, dtype=np.uint8)
        self.weights = np.zeros(4, dtype=np.int64)
        self.store = beam.new_beam_store(_NODES)


_memory = _ImprovingMemory()


def improved(start: KlondikePosition, moves: tuple[KlondikeMove, ...]) -> tuple[KlondikeMove, ...]:
    """A solution with fewer moves than a known one, or with fewer cards brought back, if found.

    Args:
        start: a position under unlimited redeals, with partial runs and worrying back.
        moves: a solution that the referee accepts.
    """
    flat = new_position()
    flatten(start, flat)
    return unpack_solution(improved_line(flat, pack_solution(moves)))


def improved_line(flat: NDArray[np.int64], moves: bytes) -> bytes:
    """`improved` of a solution as the bytes of `engine.klondike.moves`, from int64[POSITION]."""
    PART.need()
    own = _Improvement(_memory, flat, np.frombuffer(moves, dtype=np.uint8).copy())
    left = _EXPANSIONS
    for each in _PASSES:
        left -= own.search(each, left)
    if own.brings_back:
        own.search_without_downs(_WITHOUT_DOWNS, _FURTHER_EXPANSIONS)
    return own.line.tobytes()


class _Improvement:
    """The best solution so far of a position, uint8[moves], and the search for better ones.

    Args:
        own: the memory.
        flat: int64[POSITION], the position.
        line: a solution, which is written to.
    """

    def __init__(
        self, own: _ImprovingMemory, flat: NDArray[np.int64], line: NDArray[np.uint8]
    ) -> None:
        self.own = own
        self.flat = flat
        self.line = self._shortened(line)
        self.board = load_start(flat, own.start)
        self.setting = StepSetting(int(flat[DRAW]), 1, own.start, own.reveals, own.children)
        own.reveals.known[:] = -1

    @property
    def brings_back(self) -> bool:
        """Whether the solution brings cards back from the foundations."""
        return bool(((self.line >= DOWN_FROM) & (self.line < RUN)).any())

    def search(self, each: _Pass, expansions: int) -> int:
        """Search for a shorter solution; return the number of boards expanded."""
        rows = self._read()
        if rows == 0:
            return 0
        below = int(self.own.route[rows - 1, MADE])
        line = self._found(each, rows if each.keeps else 1, below, expansions, downs=True)
        if line is not None and len(line) < len(self.line):
            self.line = line
        return int(self.own.store.progress[beam.EXPANDED])

    def search_without_downs(self, each: _Pass, expansions: int) -> None:
        """Search for a solution that is no longer, and that brings no card back."""
        rows = self._read()
        downs = np.flatnonzero(self.own.route[:rows, STEP] >> 12 == DOWN)
        if len(downs) == 0:
            return
        below = int(self.own.route[rows - 1, MADE]) + 1
        line = self._found(each, int(downs[0]), below, expansions, downs=False)
        if line is not None:
            self.line = line

    def _read(self) -> int:
        """Read the route of the solution; return its number of rows, or 0 if it is too long."""
        own = self.own
        rows = read_route(
            self.flat, self.board, self.line, len(self.line), self.setting, own.scratch, own.route
        )
        is_usual = rows > 0 and own.route[rows - 1, MADE] + 1 < beam.MOST_MADE
        return rows if is_usual else 0

    def _found(
        self, each: _Pass, rows: int, below: int, expansions: int, *, downs: bool
    ) -> NDArray[np.uint8] | None:
        """The solution that a search finds, shortened; None without one."""
        own = self.own
        own.weights[:] = each.weights
        goal = beam.search(
            own.route,
            rows,
            below,
            each.width,
            own.weights,
            downs,
            expansions,
            self.setting,
            own.store,
        )
        if goal == beam.NO_NODE:
            return None
        rows = beam.trace(goal, own.store, own.route)
        count = write_route(self.flat, own.route, rows, own.piles, own.column_of, own.moves)
        return self._shortened(own.moves[:count].copy())

    def _shortened(self, line: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return line[: shorten(self.flat, line, len(line), MOST_ROUNDS, self.own.scratch)]


def _run_all() -> None:
    own, flat = _ImprovingMemory(), new_position()
    set_up(np.arange(52, dtype=np.uint8), 3, flat)
    moves = np.zeros(1, dtype=np.uint8)
    search = _Improvement(own, flat, moves)
    search._read()
    search._found(_PASSES[0], 1, 1, 1, downs=True)
    beam.trace(beam.NO_NODE, own.store, own.route)
    write_route(flat, own.route, 1, own.piles, own.column_of, own.moves)


PART = Part(
    "solvers.klondike.shortest.improving:PART",
    (load, shorten, read_route, beam.search, beam.trace, write_route),
    _run_all,
)
