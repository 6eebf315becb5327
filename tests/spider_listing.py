"""The moves that the complete search of Spider tries, against what its proofs let it leave out.

Proofs: `docs/search/spider.md`.
"""

from collections.abc import Hashable

import numpy as np

from engine.spider.deal import COLUMNS, ROWS
from engine.spider.moves import DEAL, SpiderMove, run
from engine.spider.referee import SpiderPosition
from solvers.spider.exact import depth as depths
from solvers.spider.exact.table import lay_position
from solvers.spider.monkey_game import DEAL_ROW
from solvers.spider.play import parts
from spider_positions import naive_stuck


def kind_of(position: SpiderPosition) -> Hashable:
    """The position; once no row is left, without the order of its columns ([order])."""
    if position.stock:
        return position
    columns = sorted(zip(position.down, position.up, strict=True))
    return position.completed, tuple(columns)


def listed(position: SpiderPosition) -> list[SpiderMove]:
    """The moves that a search that begins at a position tries."""
    depth, rows = depths.new_depth(200), np.zeros((ROWS, COLUMNS), dtype=np.int8)
    lay_position(position, depth.tables, rows)
    depths.begin(depth, rows, position.rules.deal_onto_empty)
    found = []
    for move in depth.moves[: depth.state[depths.LISTED]].tolist():
        found.append(DEAL if move == DEAL_ROW else run(*map(int, parts(move))))
    return found


def unlisted(position: SpiderPosition) -> set[Hashable]:
    """What can be reached by a move, but by none that is tried; empty for a dead end.

    Positions that are the same, by `kind_of`, are one, and that where the search begins is known.
    """
    if naive_stuck(position) is not None:
        return set()
    reached = {kind_of(position.play(move)) for move in position.legal_moves()}
    return (
        reached - {kind_of(position.play(move)) for move in listed(position)} - {kind_of(position)}
    )
