"""`exact`: decide a deal or a mid-game position of Klondike by complete search.

Plays any draw count with unlimited redeals, partial runs and worrying back. What it leaves out of
the search, and why nothing is lost by it, is proved in `docs/search.md`; the search itself is
`solvers.exact_kernel`, and `solvers.exact_load` prepares it and
`solvers.unfold` turns its steps into standard moves.
"""

import threading
import time

import numpy as np
from numpy.typing import NDArray

from engine.bits import BIT_OF_CARD
from engine.deals import COLUMNS
from engine.referee import Position
from engine.rulesets import KlondikeRules
from engine.whole_runs import new_position, set_up
from solvers import exact_kernel as kernel
from solvers.exact_load import flatten, load
from solvers.outcome import Outcome, Result
from solvers.registry import Method, Parameter, Values
from solvers.unfold import LONGEST, unfold

_SUIT_OF_BIT = np.empty(52, dtype=np.int64)
_SUIT_OF_BIT[BIT_OF_CARD] = np.arange(52) & 3


class _WorkArea(threading.local):
    """What a search needs in memory; one per thread, so that searches may run side by side."""

    def __init__(self) -> None:
        self.table = np.empty(0, dtype=np.int64)
        self.frames = np.zeros((kernel.MAX_DEPTH, 10), dtype=np.int64)
        self.moves = np.zeros(kernel.MAX_DEPTH * kernel.MOVES_PER_FRAME, dtype=np.int64)
        self.line = np.zeros(kernel.MAX_LINE, dtype=np.int64)
        self.report = np.zeros(2, dtype=np.int64)
        self.solution = np.zeros(LONGEST, dtype=np.uint8)
        self.flat = new_position()
        self.start = np.zeros(6, dtype=np.int64)
        self.column_cards = np.zeros(8 * COLUMNS, dtype=np.int64)
        self.stock_cards = np.zeros(24, dtype=np.int64)
        self.stock_index = np.zeros(52, dtype=np.int64)
        self.column_of = np.zeros(52, dtype=np.int64)

    def table_of(self, mebibytes: int) -> NDArray[np.int64]:
        """A table of this size. Fresh pages cost nothing until the search first touches them."""
        entries = 1 << (mebibytes * 2**20 // 8).bit_length() - 1
        if len(self.table) != entries:
            self.table = np.zeros(entries, dtype=np.int64)
        return self.table


_work = _WorkArea()


def _plays(rules: KlondikeRules) -> bool:
    return rules.redeals is None and rules.partial_runs and rules.worrying_back


def _load(position: Position) -> None:
    """Write a position to this thread's work area, as piles and in the form the kernel takes."""
    flatten(position, _work.flat)
    _load_flat()


def _load_deal(cards: NDArray[np.uint8], draw: int) -> None:
    """`_load` for the start of a deal uint8[52], without building a position."""
    set_up(cards, draw, _work.flat)
    _load_flat()


def _load_flat() -> None:
    work = _work
    load(
        work.flat,
        work.start,
        work.column_cards,
        work.stock_cards,
        work.stock_index,
        work.column_of,
    )


def _search(draw: int, values: Values) -> int:
    """Run the kernel on the loaded position; how it ended. Nodes and line are in the work area."""
    work = _work
    return kernel.search(  # type: ignore[no-any-return]
        work.start,
        draw,
        work.column_cards,
        work.stock_cards,
        work.stock_index,
        work.column_of,
        _SUIT_OF_BIT,
        values["nodes"],
        work.table_of(values["memory_mib"]),
        work.frames,
        work.moves,
        work.line,
        work.report,
    )


def _solution() -> bytes:
    """The standard moves of the line that was found, packed; plays them on the loaded piles."""
    work = _work
    count = unfold(work.flat, work.line, int(work.report[1]), work.column_of, work.solution)
    assert count >= 0, "the search made a step that cannot be played"
    return work.solution[:count].tobytes()


_RESULTS = {
    kernel.WON: Result.WON,
    kernel.UNWINNABLE: Result.UNWINNABLE,
    kernel.NODES_SPENT: Result.GAVE_UP,
    kernel.MEMORY_SPENT: Result.GAVE_UP,
}


def _outcome(ended: int, since: int) -> Outcome:
    moves = _solution() if ended == kernel.WON else None
    cpu_ms = (time.thread_time_ns() - since) / 1e6
    return Outcome(_RESULTS[ended], int(_work.report[0]), cpu_ms, moves)


def solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Decide deals uint8[n, 52]; see `solvers.registry.Method`."""
    outcomes = []
    for cards in deals:
        since = time.thread_time_ns()
        _load_deal(cards, rules.draw)
        outcomes.append(_outcome(_search(rules.draw, values), since))
    return outcomes


def solve_position(position: Position, values: Values) -> Outcome:
    """Decide a position in mid-game.

    Raises:
        BadInput: the position is none that a table could show.
    """
    since = time.thread_time_ns()
    position.checked()
    _load(position)
    return _outcome(_search(position.rules.draw, values), since)


METHOD = Method(
    slug="exact",
    version=2,
    summary="Complete depth-first search; decides every deal its budget suffices for.",
    sees="deal",
    source=None,
    parameters=(
        Parameter("nodes", 20_000_000, 1, 10**12, "positions entered before giving up"),
        Parameter("memory_mib", 512, 1, 65_536, "MiB of transposition table before giving up"),
    ),
    rulesets="rulesets with unlimited redeals, partial runs and worrying back, any draw count",
    plays=_plays,
    chunk=100,
    solve=solve,
    solve_position=solve_position,
)
