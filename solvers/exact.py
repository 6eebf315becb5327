"""`exact`: decide a deal or a mid-game position of Klondike by complete search.

Plays any draw count with unlimited redeals, partial runs and worrying back. What it leaves out of
the search, and why nothing is lost by it, is proved in `docs/search.md`; the search itself is
`solvers.exact_kernel`, and `solvers.unfold` turns its steps into standard moves.
"""

import threading
import time

import numpy as np
from numpy.typing import NDArray

from engine.bits import BIT_OF_CARD
from engine.cards import KING, make_card, rank
from engine.deals import COLUMN_START, COLUMNS, KlondikeDeal
from engine.moves import pack_solution
from engine.referee import Position
from engine.rulesets import KlondikeRules
from solvers import exact_kernel as kernel
from solvers.outcome import Outcome, Result
from solvers.registry import Method, Parameter, Values
from solvers.unfold import unfold

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
    """Write a position to this thread's work area in the form the kernel takes."""
    work = _work
    work.stock_index.fill(-1)
    work.column_of.fill(-1)
    up = loose = heads = columns = place = 0
    for suit, height in enumerate(position.foundations):
        place += height * int(kernel.HEIGHT_WEIGHT[suit])
        for level in range(height):
            up |= 1 << int(BIT_OF_CARD[make_card(level, suit)])
    for column in range(COLUMNS):
        face_up = position.up[column]
        locked = list(position.down[column])
        # A king alone in its column may move to any empty one: it is loose, as in the search.
        if face_up and (locked or rank(face_up[0]) != KING):
            locked.append(face_up[0])
            face_up = face_up[1:]
        for level, card in enumerate(locked):
            bit = int(BIT_OF_CARD[card])
            work.column_cards[8 * column + level] = bit
            work.column_of[bit] = column
        if locked:
            heads |= 1 << int(BIT_OF_CARD[locked[-1]])
        columns |= len(locked) << 4 * column
        place += len(locked) * int(kernel.COLUMN_WEIGHT[column])
        for card in face_up:
            loose |= 1 << int(BIT_OF_CARD[card])
    cards = position.waste + position.stock
    for index, card in enumerate(cards):
        bit = int(BIT_OF_CARD[card])
        work.stock_cards[index] = bit
        work.stock_index[bit] = index
    waste = len(position.waste)
    if waste % position.rules.draw == 0 or waste == len(cards):
        waste = 0
    stock = (1 << len(cards)) - 1 | waste << 24
    work.start[:] = (up, loose, heads, columns, stock, place)


def _load_deal(cards: NDArray[np.uint8]) -> None:
    """`_load` for the start of a deal uint8[52], without building a position."""
    work = _work
    bits = BIT_OF_CARD[cards]
    work.stock_index.fill(-1)
    work.column_of.fill(-1)
    heads = columns = place = 0
    for column in range(COLUMNS):
        own = bits[COLUMN_START[column] : COLUMN_START[column + 1]]
        work.column_cards[8 * column : 8 * column + column + 1] = own
        work.column_of[own] = column
        heads |= 1 << int(own[-1])
        columns |= column + 1 << 4 * column
        place += (column + 1) * int(kernel.COLUMN_WEIGHT[column])
    work.stock_cards[:] = bits[COLUMN_START[COLUMNS] :]
    work.stock_index[work.stock_cards] = np.arange(24)
    work.start[:] = (0, 0, heads, columns, (1 << 24) - 1, place)


def _search(draw: int, values: Values) -> tuple[int, int, list[int]]:
    """Run the kernel on the loaded position: how it ended, nodes, winning steps."""
    work = _work
    ended = kernel.search(
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
    return int(ended), int(work.report[0]), work.line[: int(work.report[1])].tolist()


_RESULTS = {
    kernel.WON: Result.WON,
    kernel.UNWINNABLE: Result.UNWINNABLE,
    kernel.NODES_SPENT: Result.GAVE_UP,
    kernel.MEMORY_SPENT: Result.GAVE_UP,
}


def _outcome(
    start: Position | None, ended: int, nodes: int, line: list[int], since: int
) -> Outcome:
    moves = None
    if ended == kernel.WON:
        assert start is not None
        moves = pack_solution(unfold(start, line))
    cpu_ms = (time.thread_time_ns() - since) / 1e6
    return Outcome(_RESULTS[ended], nodes, cpu_ms, moves)


def solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Decide deals uint8[n, 52]; see `solvers.registry.Method`."""
    outcomes = []
    for cards in deals:
        since = time.thread_time_ns()
        _load_deal(cards)
        ended, nodes, line = _search(rules.draw, values)
        start = Position.start(KlondikeDeal.of(cards), rules) if ended == kernel.WON else None
        outcomes.append(_outcome(start, ended, nodes, line, since))
    return outcomes


def solve_position(position: Position, values: Values) -> Outcome:
    """Decide a position in mid-game.

    Raises:
        BadInput: the position is none that a table could show.
    """
    since = time.thread_time_ns()
    position.checked()
    _load(position)
    ended, nodes, line = _search(position.rules.draw, values)
    return _outcome(position, ended, nodes, line, since)


METHOD = Method(
    slug="exact",
    version=1,
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
