"""Games without foundations as Python calls their searches: with a hole, of one row, or of gaps.

Each search is a kernel that begins at the start and ends with a win, a proof, or with neither, when
its nodes are spent or its table is full. It is then attempted once more, with its moves in another
order or a table four times as large; what the table holds stays true.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import solving_time_ns
from engine.patience.layout import RESERVE, layout_of
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options
from solvers.method import Values
from solvers.outcome import Outcome, Result
from solvers.patience.table import DEAD, FULL, NODES, SEED, SMALLEST_TABLE, WON, save_all

_SEEDS = 12345


class Piles(NamedTuple):
    """The cards of a deal or a position.

    Attributes:
        columns: pile codes of the columns and the reserve, and the cards of each, bottom first.
        cells: the card of each cell, or None.
        stock: the next card first.
        hole: the hole's last card, or None.
        row: the top card of each pile of an accordion.
        places: the card of each place of Gaps; an ace or None for a gap.
    """

    columns: tuple[tuple[int, tuple[int, ...]], ...]
    cells: tuple[int | None, ...]
    stock: tuple[int, ...]
    hole: int | None
    row: tuple[int, ...]
    places: tuple[int | None, ...]

    @classmethod
    def of_deal(cls, deal: NDArray[np.uint8], options: Options) -> "Piles":
        """The piles of a deal in flat order."""
        zones = {zone.name: zone.piles for zone in layout_of(options).zones}
        cards = deal.tolist()
        piles = {
            name: tuple(tuple(cards[pile.start : pile.stop]) for pile in zones.get(name, ()))
            for name in ("tableau", "cells", "reserve", "stock", "hole", "accordion", "rows")
        }
        reserve = piles["reserve"]
        if reserve and not options.reserve_stacked:
            reserve = tuple((card,) for card in reserve[0])
        filled = piles["cells"][0] if piles["cells"] else ()
        return cls(
            (*enumerate(piles["tableau"]), *enumerate(reserve, RESERVE)),
            (*filled, *(None,) * (options.cells - len(filled))),
            piles["stock"][0] if piles["stock"] else (),
            piles["hole"][0][0] if piles["hole"] else None,
            piles["accordion"][0] if piles["accordion"] else (),
            tuple(card for row in piles["rows"] for card in row),
        )

    @classmethod
    def of_position(cls, position: PatiencePosition) -> "Piles":
        """The piles of a position."""
        return cls(
            (*enumerate(position.columns), *enumerate(position.reserve, RESERVE)),
            position.cells,
            position.stock,
            position.hole[-1] if position.hole else None,
            tuple(pile[-1] for pile in position.accordion),
            tuple(card for row in position.rows for card in row),
        )


@dataclass(frozen=True)
class Attempts:
    """A search of one deal or position.

    Attributes:
        state: its scalars, of which those of `solvers.patience.table` are used here.
        words: words of a key.
        attempt: searches with a table int64[2ⁿ · words] until a number of nodes, or, where it is no
            part of the complete search, until all nodes are spent; gives its status.
        moves: the moves of the win that it found, packed.
        period: nodes of its first attempt; the next ones are a quarter longer each.
    """

    state: NDArray[np.int64]
    words: int
    attempt: Callable[[NDArray[np.int64], int, int], int]
    moves: Callable[[], bytes]
    period: int


def outcome(begin: Callable[[], Attempts], values: Values, *, with_moves: bool = True) -> Outcome:
    """Outcome of a search, which `begin` prepares."""
    since = solving_time_ns()
    search = begin()
    state, words = search.state, search.words
    most = max(SMALLEST_TABLE, (values["memory_mib"] << 17) // words)
    table = np.zeros(SMALLEST_TABLE * words, dtype=np.int64)
    period = limit = search.period
    attempts = 0
    while True:
        status = search.attempt(table, min(limit, values["nodes"]), values["nodes"])
        if status in (WON, DEAD) or state[NODES] >= values["nodes"]:
            break
        if status == FULL:
            larger = 4 * len(table) // words
            # Both tables are there while the larger one is filled.
            if larger * 5 // 4 > most:
                break
            spread = np.zeros(larger * words, dtype=np.int64)
            save_all(spread, table, words)
            table = spread
        else:
            attempts += 1
            state[SEED] = _SEEDS + attempts
            period += period // 4
            limit = int(state[NODES]) + period
    result = {WON: Result.WON, DEAD: Result.UNWINNABLE}.get(status, Result.GAVE_UP)
    moves = search.moves() if status == WON and with_moves else None
    cpu_ms = (solving_time_ns() - since) / 1e6
    return Outcome(result, nodes=int(state[NODES]), cpu_ms=cpu_ms, moves=moves)


def packed(moves: Iterator[tuple[int, int]]) -> bytes:
    """Moves of one card each, from a pile to another, as bytes."""
    return bytes(byte for source, target in moves for byte in (source, target, 1))
