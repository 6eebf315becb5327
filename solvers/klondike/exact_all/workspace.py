"""Memory of an exact search."""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import small_kernel
from engine.klondike.stock_turns import every_table
from engine.records import new_record, new_records, record_in, record_type, records_in
from solvers.klondike.exact.workspace import MAX_DEPTH, MAX_LINE
from solvers.klondike.exact_all.hand import HAND_WORDS, HandWork, hand_in, new_hand_work
from solvers.klondike.exact_all.steps import MOVES_PER_FRAME

# One node of the path.
FRAME = (
    # The node, see `solvers.klondike.exact_all.nodes`.
    "up", "loose", "heads", "columns", "stock", "place", "brought",
    "low", "high", "bases",
    "top",  # where its steps begin
    "length",  # of the line to it
    "entered",  # what `solvers.klondike.exact_all.entries.enter_node` found
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
    "line_length",  # of the winning line
    "tested",  # positions tested in the relaxed game of late, and how many of them were lost
    "dead",
    "asked",  # positions asked about in the game by hand of late, and how many of them were lost
    "lost",
)
_FRAME, _PROGRESS = record_type(FRAME), record_type(PROGRESS)


class RulesetWorkspace(NamedTuple):
    """Memory of one search. Arrays of int64 but for records.

    table: [2 ** k], see `solvers.klondike.exact.table`, or `wide_table`.
    hand: of the questions asked about the game by hand.
    frames: records [MAX_DEPTH] of FRAME, the path.
    moves: [MAX_DEPTH * MOVES_PER_FRAME], steps still to try, frame upon frame.
    line: [MAX_LINE], the steps from the start to the position at hand.
    progress: a record of PROGRESS.
    every: `engine.klondike.stock_turns.every_table` of its draw.
    """

    table: NDArray[np.int64]
    hand: HandWork
    frames: Any
    moves: NDArray[np.int64]
    line: NDArray[np.int64]
    progress: Any
    every: NDArray[np.int64]


def new_workspace(draw: int, mebibytes: int, arranged: bool) -> RulesetWorkspace:
    """Make a workspace. Fresh pages cost nothing until they are first touched.

    arranged: whether it matters what cards lie on.
    """
    # Two thirds for positions, nearly the other for the questions; the path comes on top.
    words = (mebibytes << 20) // 8
    entries = 1 << (2 * words // 3).bit_length() - 1
    sets = (1 << (words // 3).bit_length() - 1) // 8
    return RulesetWorkspace(
        np.zeros(entries, dtype=np.int64),
        new_hand_work(sets, arranged),
        new_records(FRAME, MAX_DEPTH),
        np.zeros(MAX_DEPTH * MOVES_PER_FRAME, dtype=np.int64),
        np.zeros(MAX_LINE, dtype=np.int64),
        new_record(PROGRESS),
        every_table(draw),
    )


@small_kernel
def workspace_in(words):
    """The workspace of these words, see `engine.records`."""
    after = 1 + HAND_WORDS
    return RulesetWorkspace(
        words[0],
        hand_in(words, 1),
        records_in(words[after], _FRAME),
        words[after + 1],
        words[after + 2],
        record_in(words[after + 3], _PROGRESS),
        words[after + 4],
    )
