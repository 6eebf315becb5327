"""Memory of an exact search."""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import small_kernel
from engine.kernels.records import new_record, new_records, record_in, record_type, records_in
from engine.klondike.stock_turns import every_table
from solvers.klondike.exact.hand import HAND_WORDS, HandWork, hand_in, new_hand_work
from solvers.klondike.exact.steps import MOVES_PER_FRAME, MOVES_PER_WHOLE_FRAME
from solvers.klondike.exact.stocks import STORE_WORDS, StockStore, new_store, store_in

# A number of nodes that is never reached.
NEVER = 1 << 60

MAX_DEPTH = 4096
MAX_LINE = 2 * MAX_DEPTH + 52

# One node of the path.
FRAME = (
    # The node, see `solvers.klondike.exact.nodes`.
    "up", "loose", "heads", "columns", "stock", "place", "brought",
    "low", "high", "bases",
    "top",  # where its steps begin
    "length",  # of the line to it
    "entered",  # what `solvers.klondike.exact.entries.enter_node` found
    "tried",  # heads whose reveal was tried [reveals]
    "since",  # nodes when it was entered
    "due",  # after how many nodes below it to search it at draw 1 [draw one]
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
    "next_pause",  # when to pause for another look at the path or the deal, in nodes
    "random",  # state of the generator
    "line_length",  # of the winning line
    "tested",  # positions tested in the relaxed game of late, and how many of them were lost
    "dead",
    "asked",  # positions asked about in the game by hand of late, and how many of them were lost
    "lost",
)
_FRAME, _PROGRESS = record_type(FRAME), record_type(PROGRESS)


class Workspace(NamedTuple):
    """Memory of one search. Arrays of int64 but for records.

    table: [2 ** k], see `solvers.klondike.exact.table`, or `wide_table`.
    store: see `solvers.klondike.exact.stocks`; shared with the questions asked at draw 1. None
        where lost positions are found by hand.
    hand: of the questions asked about the game by hand; None where they are found by stocks.
    frames: records [MAX_DEPTH] of FRAME, the path.
    moves: [MAX_DEPTH * n], steps still to try, frame upon frame.
    line: [MAX_LINE], the steps from the start to the position at hand.
    progress: a record of PROGRESS.
    every: `engine.klondike.stock_turns.every_table` of its draw.
    """

    table: NDArray[np.int64]
    store: StockStore | None
    hand: HandWork | None
    frames: Any
    moves: NDArray[np.int64]
    line: NDArray[np.int64]
    progress: Any
    every: NDArray[np.int64]


def _workspace(
    entries: int, store: StockStore | None, hand: HandWork | None, per_frame: int, draw: int
) -> Workspace:
    """Make a workspace. Fresh pages cost nothing until they are first touched."""
    return Workspace(
        np.zeros(entries, dtype=np.int64),
        store,
        hand,
        new_records(FRAME, MAX_DEPTH),
        np.zeros(MAX_DEPTH * per_frame, dtype=np.int64),
        np.zeros(MAX_LINE, dtype=np.int64),
        new_record(PROGRESS),
        every_table(draw),
    )


def new_workspace(draw: int, mebibytes: int, arranged: bool) -> Workspace:
    """Make a workspace for the search by hand.

    arranged: whether it matters what cards lie on.
    """
    # Two thirds for positions, nearly the other for the questions; the path comes on top.
    words = (mebibytes << 20) // 8
    entries = 1 << (2 * words // 3).bit_length() - 1
    sets = (1 << (words // 3).bit_length() - 1) // 8
    return _workspace(entries, None, new_hand_work(sets, arranged), MOVES_PER_WHOLE_FRAME, draw)


def new_workspaces(draw: int, mebibytes: int) -> tuple[Workspace, Workspace]:
    """Make a workspace for the search by stocks, and one for the questions it asks at draw 1."""
    # A half for positions, a quarter and an eighth for stocks, an eighth for the questions.
    entries = 1 << (mebibytes * 2**20 // 16).bit_length() - 1
    store = new_store(entries // 4, entries // 2)
    return (
        _workspace(entries, store, None, MOVES_PER_FRAME, draw),
        _workspace(entries // 4, store, None, MOVES_PER_FRAME, 1),
    )


@small_kernel
def workspace_by_hand(words):
    """The workspace of `new_workspace` of these words, see `engine.kernels.records`."""
    after = 1 + HAND_WORDS
    return Workspace(
        words[0],
        None,
        hand_in(words, 1),
        records_in(words[after], _FRAME),
        words[after + 1],
        words[after + 2],
        record_in(words[after + 3], _PROGRESS),
        words[after + 4],
    )


@small_kernel
def workspace_by_stocks(words):
    """One of the workspaces of `new_workspaces` of these words."""
    after = 1 + STORE_WORDS
    return Workspace(
        words[0],
        store_in(words, 1),
        None,
        records_in(words[after], _FRAME),
        words[after + 1],
        words[after + 2],
        record_in(words[after + 3], _PROGRESS),
        words[after + 4],
    )
