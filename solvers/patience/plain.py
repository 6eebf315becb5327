"""`patience-plain`: decide small and late positions of any patience with the referee alone.

Every legal move is tried, depth first, those to foundations and into the hole before others.
Positions that differ in the order of cells, or of columns where no row is dealt any more, are one.
It shares nothing with `patience-exact`, whose verdicts it checks.
"""

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games import get_game
from engine.patience.layout import HOLE
from engine.patience.moves import PatienceMove
from engine.patience.referee import PatiencePosition
from engine.patience.rules import PatienceRules
from solvers.exhaustive import exhaust
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome


def _kind(position: PatiencePosition) -> Hashable:
    """The form that equal positions share."""
    o = position.rules.options
    if o.stock_to == "tableau piles" and position.stock:
        return position
    piles = sorted(zip(position.columns, position.down, strict=True))
    # Where an empty column is filled by force, it is the leftmost: that is the same then, too.
    return replace(
        position,
        columns=tuple(pile for pile, _ in piles),
        down=tuple(down for _, down in piles),
        cells=tuple(sorted(position.cells, key=lambda card: -1 if card is None else card)),
    )


def _tried(position: PatiencePosition) -> list[PatienceMove]:
    """The legal moves, the first to be tried last."""
    return sorted(position.legal_moves(), key=lambda move: move.target >= HOLE)


def _pack(moves: Iterable[PatienceMove]) -> bytes:
    return b"".join(map(bytes, moves))


def solve_position(position: PatiencePosition, values: Values) -> Outcome:
    """Decide a position by exhaustive search."""
    return exhaust(position, values["nodes"], _kind, _tried, _pack)


def _solve(deals: NDArray[np.uint8], rules: PatienceRules, values: Values) -> list[Outcome]:
    game = get_game(rules.game)
    starts: list[Any] = [game.start(game.deal(deal), rules) for deal in deals]
    return [solve_position(start, values) for start in starts]


METHOD = Method(
    slug="patience-plain",
    version=1,
    summary="Exhaustive search with the referee alone, for small and late positions: slow, and "
    "simple enough to check the others.",
    game="patience",
    sees="deal",
    source=None,
    parameters=(Parameter("nodes", 20_000, 1, 10**9, "positions entered before giving up"),),
    rulesets="every patience game",
    plays=lambda rules: True,
    chunk=1,
    solve=_solve,
    solve_position=solve_position,
    decides=True,
    independent_of=frozenset({"patience-exact"}),
)
