"""`nested-rollout`: nested rollouts over K+ with the heuristic H2.

Bjarnason, Tadepalli, Fern 2007, Table 2(a), rows n=0 to n=4: the procedure of
`solvers.klondike.rollouts.multistage` with H2 as its only stage.
"""

import numpy as np
from numpy.typing import NDArray

from engine.klondike.rules import KlondikeRules
from solvers.klondike.kplus.values import H2
from solvers.klondike.rollouts.multistage import (
    MOST_NESTING,
    RULESETS,
    SECONDS,
    SOURCE,
    plays,
    solve_with,
)
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome
from solvers.pacing import chunk_for


def _solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    return solve_with((values["n"],), H2, deals, rules, values["seconds"])


METHOD = Method(
    slug="nested-rollout",
    version=1,
    summary="Nested rollouts over K+ with the heuristic H2; n = 0 is greedy",
    game="klondike",
    sees="deal",
    source=SOURCE,
    parameters=(Parameter("n", 1, 0, MOST_NESTING, "nesting of the rollouts"), SECONDS),
    rulesets=RULESETS,
    plays=plays,
    chunk=chunk_for(lambda values: 0.1 * 8.0 ** values["n"]),
    solve=_solve,
)
