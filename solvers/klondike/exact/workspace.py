"""Memory of an exact search."""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import small_kernel
from engine.klondike.stock_turns import every_table
from engine.records import new_record, new_records, record_in, record_type, records_in
from solvers.klondike.exact.steps import MOVES_PER_FRAME
from solvers.klondike.exact.stocks import StockStore, new_store, store_in

# A number of nodes that is never reached.
NEVER = 1 << 60

MAX_DEPTH = 4096
MAX_LINE = 2 * MAX_DEPTH + 52

# One node of the path.
FRAME = (
    # The node, see `solvers.klondike.exact.nodes`.
    "up", "loose", "heads", "columns", "stock", "place", "brought",
    "top",  # where its steps begin
    "length",  # of the line to it
    "entered",  # what `solvers.klondike.exact.entries.enter_node` found
    "since",  # nodes when it was entered
    "due",  # after how many nodes below it to search it at draw 1 [draw one]
    "tried",  # heads whose reveal was tried [reveals]
)  # fmt: skip

# How far a search has come.
PROGRESS = (
    "nodes",  # positions entered
    "depth",  # of the path: its last frame, or -1
    "top",  # where the steps still to try end
    "capacity",  # of the table in use, in entries
    "used",  # entries of the table that are taken
    "period",  # nodes between two restarts [restarts]
    "next_restart",  # when it is due, in nodes
    "random",  # state of the generator
    "next_ask",  # when the path is to be searched at draw 1, in nodes [draw one]
    "line_length",  # of the winning line
)
_FRAME, _PROGRESS = record_type(FRAME), record_type(PROGRESS)


class Workspace(NamedTuple):
    """Memory of one search. Arrays of int64 but for records.

    table: [2 ** k], see `solvers.klondike.exact.table`.
    store: see `solvers.klondike.exact.stocks`; shared with the questions asked at draw 1.
    frames: records [MAX_DEPTH] of FRAME, the path.
    moves: [MAX_DEPTH * MOVES_PER_FRAME], steps still to try, frame upon frame.
    line: [MAX_LINE], the steps from the start to the position at hand.
    progress: a record of PROGRESS.
    every: `engine.klondike.stock_turns.every_table` of its draw.
    """

    table: NDArray[np.int64]
    store: StockStore
    frames: Any
    moves: NDArray[np.int64]
    line: NDArray[np.int64]
    progress: Any
    every: NDArray[np.int64]


def new_workspaces(draw: int, mebibytes: int) -> tuple[Workspace, Workspace]:
    """Make a workspace for a search, and one for the questions it asks at draw 1.

    Fresh pages cost nothing until they are first touched.
    """
    # A half for positions, a quarter and an eighth for stocks, an eighth for the questions.
    entries = 1 << (mebibytes * 2**20 // 16).bit_length() - 1
    store = new_store(entries // 4, entries // 2)

    def workspace(size: int, for_draw: int) -> Workspace:
        return Workspace(
            np.zeros(size, dtype=np.int64),
            store,
            new_records(FRAME, MAX_DEPTH),
            np.zeros(MAX_DEPTH * MOVES_PER_FRAME, dtype=np.int64),
            np.zeros(MAX_LINE, dtype=np.int64),
            new_record(PROGRESS),
            every_table(for_draw),
        )

    return workspace(entries, draw), workspace(entries // 4, 1)


@small_kernel
def workspace_in(words):
    """The workspace of these words, see `engine.records`."""
    return Workspace(
        words[0],
        store_in(words, 1),
        records_in(words[4], _FRAME),
        words[5],
        words[6],
        record_in(words[7], _PROGRESS),
        words[8],
    )
