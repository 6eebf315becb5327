"""`exact-plain`: decide a deal or a mid-game position under any ruleset of Klondike.

A depth-first search on plain columns, independent of `exact`, whose reference solver it is: no
rule, no kernel and no representation is shared. The steps it tries and leaves out, and why, are
described in `solvers.klondike.exact_plain.steps`; lost positions are recognised by
`solvers.klondike.exact_plain.dead_ends`; the search and its table are in
`solvers.klondike.exact_plain.search`, the cards in `solvers.klondike.exact_plain.board`.
"""

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.kernels.compiling import solving_time_ns
from engine.klondike.deal import COLUMNS, KlondikeDeal
from engine.klondike.moves import REDEAL, TURN, WASTE_UP, KlondikeKind, KlondikeMove, pack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import BUILDINGS, SPACES, KlondikeRules
from solvers.klondike.exact_plain import board as at
from solvers.klondike.exact_plain import search as kernel
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome, Result


class _PlainWorkspace(threading.local):
    """Memory of the solver's searches; one per thread, so that they can run side by side."""

    def __init__(self) -> None:
        self.board = at.new_board()
        self.table = np.empty(0, dtype=np.int64)
        self.frames = np.zeros((kernel.MAX_DEPTH, kernel.FRAME), dtype=np.int64)
        self.steps = np.zeros(kernel.MAX_STEPS, dtype=np.int64)
        self.report = np.zeros(1, dtype=np.int64)

    def table_of(self, mebibytes: int) -> NDArray[np.int64]:
        """Return a table of this size; fresh pages cost nothing until they are first touched."""
        length = 1 << (mebibytes * 2**20 // 8).bit_length() - 1
        if len(self.table) != length:
            self.table = np.zeros(length, dtype=np.int64)
        return self.table


_work = _PlainWorkspace()


def _load(position: KlondikePosition, merge: int) -> NDArray[np.int64]:
    """Lay a position out on this thread's board."""
    board = _work.board
    board[at.PLACE : at.PLACE + 52] = -1
    for column in range(COLUMNS):
        down, up = position.down[column], position.up[column]
        for level, card in enumerate(down + up):
            board[at.PILE + 20 * column + level] = card
            board[at.PLACE + card] = 32 * column + level
        board[at.SIZE + column] = len(down) + len(up)
        # What may go to an empty column is loose in its own, like any card that has moved.
        stuck = len(down) + bool(up)
        board[at.STUCK + column] = 0 if stuck == 1 and position.rules.fills(up[0]) else stuck
    board[at.HEIGHT : at.HEIGHT + 4] = position.foundations
    cards = position.waste + position.stock
    board[at.STOCK : at.STOCK + len(cards)] = cards
    board[at.NUMBER : at.NUMBER + len(cards)] = np.arange(len(cards))
    rules = position.rules
    board[at.LEFT] = len(cards)
    board[at.WASTE] = len(position.waste)
    board[at.REDEALS] = (
        len(cards) if rules.redeals is None else rules.redeals - position.redeals_used
    )
    board[at.MASK] = (1 << len(cards)) - 1
    board[at.MADE] = 0
    board[at.DRAW] = rules.draw
    board[at.PARTIAL] = rules.partial_runs
    board[at.BACK] = rules.worrying_back
    board[at.MERGE] = merge
    board[at.BUILDING] = BUILDINGS.index(rules.building)
    board[at.SPACES] = SPACES.index(rules.spaces)
    folds = rules.building != "any-suit" or (rules.partial_runs and merge)
    board[at.OPEN] = rules.spaces == "any" or not folds
    board[at.ORDER] = 0
    at.settle(board)
    return board


def _solution(position: KlondikePosition) -> bytes:
    """Return the moves on this thread's board as standard moves from a position, packed."""
    board = _work.board
    stock, waste = list(position.stock), list(position.waste)
    draw = position.rules.draw
    moves = []
    for packed in board[at.MOVES : at.MOVES + board[at.MADE]].tolist():
        kind, source, target, cards, card = at.unpack_move(packed)
        if kind == at.RUN:
            if card == 1 and position.rules.spaces == "any":
                # The search knows one empty column, the first.
                moves.append(KlondikeMove(KlondikeKind.PART, source, cards=cards))
            else:
                moves.append(KlondikeMove(KlondikeKind.RUN, source, target))
        elif kind == at.UP:
            moves.append(KlondikeMove(KlondikeKind.UP, source))
        elif kind == at.DOWN:
            moves.append(KlondikeMove(KlondikeKind.DOWN, source, target))
        else:
            while not waste or waste[-1] != card:
                if stock:
                    waste += stock[:draw]
                    del stock[:draw]
                    moves.append(TURN)
                else:
                    stock, waste = waste, []
                    moves.append(REDEAL)
            waste.pop()
            if target == at.TO_FOUNDATION:
                moves.append(WASTE_UP)
            else:
                moves.append(KlondikeMove(KlondikeKind.WASTE_DOWN, 0, target))
    return pack_solution(moves)


_RESULTS = {
    kernel.WON: Result.WON,
    kernel.UNWINNABLE: Result.UNWINNABLE,
    kernel.NODES_SPENT: Result.GAVE_UP,
    kernel.MEMORY_SPENT: Result.GAVE_UP,
}


def _decide(position: KlondikePosition, values: Values) -> Outcome:
    """Search from a position and return its outcome."""
    return _search(position, _load(position, values["merge"]), values)


def _search(position: KlondikePosition, board: NDArray[np.int64], values: Values) -> Outcome:
    """Search from a position that lies on the board and return its outcome."""
    since = solving_time_ns()
    work = _work
    ended = kernel.search(
        board,
        values["nodes"],
        work.table_of(values["memory_mib"]),
        work.frames,
        work.steps,
        work.report,
    )
    result = _RESULTS[int(ended)]
    moves = _solution(position) if result == Result.WON else None
    cpu_ms = (solving_time_ns() - since) / 1e6
    return Outcome(result, int(work.report[0]), cpu_ms, moves)


def solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Decide deals uint8[n, 52]; see `solvers.method.Method`."""
    return [
        _decide(KlondikePosition.start(KlondikeDeal.of(cards), rules), values) for cards in deals
    ]


def solve_position(position: KlondikePosition, values: Values) -> Outcome:
    """Decide a position in mid-game.

    Raises:
        BadInput: the position is none that a table could show.
    """
    return _decide(position.checked(), values)


class Turning(NamedTuple):
    """An order in which face-down cards turn up.

    Attributes:
        order: columns 0 to 6, 1 to 20 of them, in which the first ordered cards turn up one by one;
            those after them may turn up anywhere.
        ordered: of each column the number of its lowest face-down cards that are ordered; the
            others turn up whenever they may.
        waits: whether all of the others turn up before the first ordered one.
    """

    order: Sequence[int]
    ordered: Sequence[int]
    waits: bool = False


def decide_in_order(position: KlondikePosition, turning: Turning, values: Values) -> Outcome:
    """Decide whether a position can be won so that face-down cards turn up in a given order.

    Raises:
        BadInput: the position is none that a table could show, the order is none of it, or the
            search of the ruleset has none: any card goes to an empty column, or any suit is built
            on any and parts of runs do not move.
    """
    board = board_in_order(position.checked(), turning, values["merge"])
    return _search(position, board, values)


def board_in_order(position: KlondikePosition, turning: Turning, merge: int) -> NDArray[np.int64]:
    """A position on this thread's board, see `decide_in_order`."""
    board = _load(position, merge)
    if board[at.OPEN]:
        raise BadInput(f"under {position.rules.slug} no order of turning can be asked for")
    fits = all(0 <= n <= len(down) for n, down in zip(turning.ordered, position.down, strict=True))
    if not (fits and 1 <= len(turning.order) <= 20 and set(turning.order) <= set(range(COLUMNS))):
        raise BadInput("the order of turning does not fit the face-down cards")
    board[at.ORDER] = sum(column + 1 << 3 * number for number, column in enumerate(turning.order))
    board[at.WAITS] = turning.waits
    board[at.ORDERED : at.ORDERED + COLUMNS] = turning.ordered
    return board


METHOD = Method(
    slug="exact-plain",
    version=1,
    summary="Complete depth-first search on plain columns, for every ruleset; the reference "
    "solver of `exact`.",
    game="klondike",
    sees="deal",
    source=None,
    parameters=(
        Parameter("nodes", 5_000_000, 1, 10**12, "positions entered before giving up"),
        Parameter("memory_mib", 512, 1, 65_536, "MiB of transposition table before giving up"),
        Parameter("merge", 1, 0, 1, "1 if positions alike but for the places of twins are one"),
    ),
    rulesets="every ruleset of Klondike",
    plays=lambda rules: True,
    chunk=20,
    solve=solve,
    solve_position=solve_position,
    decides=True,
    independent_of=frozenset({"exact"}),
    # To win one.
    warm_up={"nodes": 100_000, "memory_mib": 8},
)
