"""`spider-plain`: decide small and late positions of Spider with the referee alone.

Every legal move is tried, depth first. Positions that differ in the order of columns are one where
no row is to come. It shares nothing with `spider-exact`, whose verdicts it checks.
"""

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from engine.spider.deal import SpiderDeal
from engine.spider.moves import SpiderMove, pack_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from solvers.exhaustive import exhaust
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome


def _kind(position: SpiderPosition) -> Hashable:
    """The form that equal positions share."""
    if position.stock:
        return position
    return tuple(sorted(zip(position.down, position.up, strict=True)))


def _tried(position: SpiderPosition) -> list[SpiderMove]:
    return position.legal_moves()


def solve_position(position: SpiderPosition, values: Values) -> Outcome:
    """Decide a position by exhaustive search."""
    return exhaust(position, values["nodes"], _kind, _tried, pack_solution)


def _solve(deals: NDArray[np.uint8], rules: SpiderRules, values: Values) -> list[Outcome]:
    starts = (SpiderPosition.start(SpiderDeal.of(deal), rules) for deal in deals)
    return [solve_position(start, values) for start in starts]


METHOD = Method(
    slug="spider-plain",
    version=1,
    summary="Exhaustive search with the referee alone, for small and late positions: slow, and "
    "simple enough to check spider-exact.",
    game="spider",
    sees="deal",
    source=None,
    parameters=(Parameter("nodes", 20_000, 1, 10**9, "positions entered before giving up"),),
    rulesets="Spider",
    plays=lambda rules: True,
    chunk=1,
    solve=_solve,
    solve_position=solve_position,
    decides=True,
    independent_of=frozenset({"spider-exact"}),
)
