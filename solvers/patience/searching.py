"""The search of `patience-exact` as Python calls it: on deals of a ruleset, or on a position."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import RANKS
from engine.kernels.compiling import Part, solving_time_ns
from engine.kernels.decorators import SettledKernel
from engine.patience.referee import PatiencePosition
from engine.patience.rules import RANDOM, Options
from solvers.method import Values
from solvers.outcome import Outcome, Result
from solvers.patience import plan as at
from solvers.patience.loading import load_deal, load_position, places_of, set_base
from solvers.patience.plan import KEY_SEED, draw_keys, new_plan
from solvers.patience.row import settle, whole_key
from solvers.patience.search import (
    BUCKETS,
    ENTERED,
    ENTRY,
    KEY,
    LAST_ROW,
    LAST_STEP,
    MEMORY_SPENT,
    NODE,
    NODES_SPENT,
    REPORT,
    ROW_AND_STEP,
    SMALLEST_TABLE,
    UNWINNABLE,
    WON,
    search,
)
from solvers.patience.steps import MOST_STEPS
from solvers.patience.unfold import unfold
from solvers.patience.value import RUNS, RUNS_WITH_STOCK, SHORTER, SHORTER_GUIDED, SIGHT

_LONGEST = 1 << 20
UNLIMITED = 1 << 60
_RESULTS = {
    WON: Result.WON,
    UNWINNABLE: Result.UNWINNABLE,
    NODES_SPENT: Result.GAVE_UP,
    MEMORY_SPENT: Result.GAVE_UP,
}


class _Workspace(threading.local):
    """Memory of a thread's searches, for one ruleset at a time."""

    def __init__(self) -> None:
        self.made_for: tuple[Options, int] | None = None
        self.key_seed = KEY_SEED
        self.heads = np.zeros(BUCKETS, dtype=np.int32)
        self.steps = np.zeros(MOST_STEPS, dtype=np.int64)
        self.values = np.zeros(MOST_STEPS, dtype=np.int64)
        self.sight = np.zeros(SIGHT, dtype=np.int64)
        self.line = np.zeros(256, dtype=np.int64)
        self.report = np.zeros(REPORT, dtype=np.int64)
        self.path = np.zeros(_LONGEST, dtype=np.int64)
        self.moves = np.zeros(8 * _LONGEST, dtype=np.uint8)
        self.plan: NDArray[np.int64]
        self.rows: NDArray[np.int8]
        self.words: NDArray[np.int64]
        self.changed: NDArray[np.int32]
        self.start: NDArray[np.int8]
        self.settled: NDArray[np.int8]
        self.nodes: NDArray[np.int64]
        self.entries: NDArray[np.int64]
        self.table: NDArray[np.int64]
        self.places: NDArray[np.int64]

    def prepare(self, options: Options, mebibytes: int, key_seed: int = KEY_SEED) -> None:
        """Have memory and plan for a ruleset; fresh pages cost nothing until they are touched.

        Keys are drawn by `key_seed`.
        """
        if self.made_for != (options, mebibytes):
            self._make(options, mebibytes)
        if self.key_seed != key_seed:
            draw_keys(self.plan, key_seed)
            self.key_seed = key_seed

    def _make(self, options: Options, mebibytes: int) -> None:
        plan = self.plan = new_plan(options)
        if options.base != RANDOM:
            set_base(plan, RANKS.index(options.base))
        size, stride = mebibytes << 20, int(plan[at.ROW])
        slots = max(8 * SMALLEST_TABLE, 1 << (size * 6 // 10 // 8).bit_length() - 1)
        columns = int(plan[at.COLUMNS])
        rows = max(1024, size * 2 // 10 // (stride + 8 * NODE))
        self.table = np.zeros(slots, dtype=np.int64)
        self.rows = np.zeros(rows * stride, dtype=at.ROW_TYPE)
        self.words = self.rows.view(np.int64)
        self.changed = np.zeros(rows * columns, dtype=np.int32)
        self.nodes = np.zeros(rows * NODE, dtype=np.int64)
        self.entries = np.zeros(
            max(MOST_STEPS, size * 2 // 10 // 8 // ENTRY) * ENTRY, dtype=np.int64
        )
        self.start = np.zeros(stride, dtype=at.ROW_TYPE)
        self.settled = np.zeros(stride, dtype=at.ROW_TYPE)
        self.places = places_of(options)
        self.made_for, self.key_seed = (options, mebibytes), KEY_SEED


work = _Workspace()
_LOAD, _SEARCH, _UNFOLD = SettledKernel(load_deal), SettledKernel(search), SettledKernel(unfold)
_SETTLE, _KEY = SettledKernel(settle), SettledKernel(whole_key)


def begin() -> None:
    """Keep the first row of the workspace as the position from which runs search."""
    own, first = work, slice(len(work.start))
    own.start[:] = own.rows[first]
    settling = own.rows, 0, own.plan, 0, own.line, 0
    _SETTLE.form(*settling)(*settling)
    own.settled[:] = own.rows[first]
    own.nodes[KEY] = _KEY.form(own.rows, 0, own.plan)(own.rows, 0, own.plan)


def answer(budget: int) -> int:
    """Search from the first row of the workspace, which is kept, in one run after another."""
    own = work
    begin()
    nodes, ended = 0, NODES_SPENT
    runs = RUNS if own.plan[at.STOCK_TO] == at.NO_STOCK else RUNS_WITH_STOCK
    for number, (weights, guided) in enumerate(runs):
        ended = run(weights, guided, budget - nodes, deeper=number == len(runs) - 1)
        nodes += int(own.report[ENTERED])
        if ended != NODES_SPENT or nodes >= budget:
            break
    own.report[ENTERED] = nodes
    return ended


def run(weights: tuple[int, ...], guided: int, budget: int, *, deeper: bool) -> int:
    """Search from the position of `begin` by some weights; see `solvers.patience.search`."""
    own = work
    own.plan[at.WEIGHTS : at.RANK] = weights
    own.rows[: len(own.settled)] = own.settled
    arguments: tuple[Any, ...] = (
        *(own.rows, own.words, own.changed, own.nodes, own.entries, own.table, own.heads),
        *(own.plan, own.steps, own.values, own.sight, own.line),
        *(min(guided, len(own.nodes) // NODE // 2), deeper, budget, own.report),
    )
    return int(_SEARCH.form(*arguments)(*arguments))


def most_promising() -> int | None:
    """The value of the best position that waits after a run, to which `solution` then leads."""
    own = work
    waiting = np.flatnonzero(own.heads >= 0)
    if not len(waiting):
        return None
    entry = int(own.entries[ENTRY * own.heads[waiting[0]] + ROW_AND_STEP])
    own.report[LAST_ROW], own.report[LAST_STEP] = divmod(entry, 1 << 32)
    return int(waiting[0])


def solution() -> bytes:
    """The moves of the win that was just found; its last position is then the first row."""
    own = work
    end, last = int(own.report[LAST_ROW]), int(own.report[LAST_STEP])
    while True:
        own.rows[: len(own.start)] = own.start
        arguments = own.rows, own.plan, own.nodes, end, last, own.path, own.line, own.moves
        written = _UNFOLD.form(*arguments)(*arguments)
        if written >= 0:
            return own.moves[:written].tobytes()
        # A search of many millions of positions may go deeper than is usual.
        own.path = np.zeros(2 * len(own.path), dtype=np.int64)
        own.moves = np.zeros(2 * len(own.moves), dtype=np.uint8)


def shorter_solution(moves: bytes, searches: int) -> bytes:
    """The shortest of the win that was just found and those of further searches."""
    for weights in SHORTER[:searches]:
        if run(weights, SHORTER_GUIDED, UNLIMITED, deeper=False) == WON:
            moves = min(moves, solution(), key=len)
    return moves


def loaded(deals: NDArray[np.uint8]) -> Iterator[int]:
    """Lay deals out as the first row in turn; give the thread's CPU time before each, in ns."""
    deals = np.array(deals, dtype=np.uint8, order="C")
    load = _LOAD.form(deals, 0, work.places, work.rows, work.plan)
    for number in range(len(deals)):
        since = solving_time_ns()
        load(deals, number, work.places, work.rows, work.plan)
        yield since


def outcome_of(ended: int, since: int, searches: int, *, with_moves: bool) -> Outcome:
    """Outcome of a search that began at a CPU time, in ns, with further ones for its moves."""
    nodes = int(work.report[ENTERED])
    moves = None
    if ended == WON and with_moves:
        moves = shorter_solution(solution(), searches)
    return Outcome(
        _RESULTS[ended],
        nodes=nodes,
        cpu_ms=(solving_time_ns() - since) / 1e6,
        moves=moves,
    )


def solve(
    deals: NDArray[np.uint8], options: Options, values: Values, *, with_moves: bool = True
) -> list[Outcome]:
    """Decide deals uint8[n, cards] in flat order."""
    work.prepare(options, values["memory_mib"])
    return [
        outcome_of(answer(values["nodes"]), since, values.get("shorten", 0), with_moves=with_moves)
        for since in loaded(deals)
    ]


def solve_position(
    position: PatiencePosition, values: Values, *, with_moves: bool = True
) -> Outcome:
    """Decide a position in mid-game."""
    work.prepare(position.rules.options, values["memory_mib"])
    since = solving_time_ns()
    load_position(position, work.rows, work.plan)
    return outcome_of(
        answer(values["nodes"]), since, values.get("shorten", 0), with_moves=with_moves
    )


def _warm_up() -> None:
    options = Options(cells=4, building="red-black")
    solve(np.arange(52, dtype=np.uint8)[None], options, {"nodes": 100, "memory_mib": 1})


PART = Part(
    "solvers.patience.searching:PART", (load_deal, settle, whole_key, search, unfold), _warm_up
)
