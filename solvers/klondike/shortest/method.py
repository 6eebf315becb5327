"""`shortest`: a proved shortest solution of a deal or a mid-game position of Klondike.

The search in `solvers.klondike.exact` finds the first solution or proves that there is none; a
best-first search then looks for shorter ones until there can be none. What it leaves out is proved
in `docs/shortest.md`.
`solvers.klondike.shortest.board` holds positions, `solvers.klondike.shortest.bounds` the bounds on
what is left, `solvers.klondike.shortest.steps` the steps, `solvers.klondike.shortest.search` the
search, and `solvers.klondike.shortest.solving` what is asked of them.
`solvers.klondike.shortest.improving` makes solutions shorter without a proof, by the beam search of
`solvers.klondike.shortest.beam`.
"""

import numpy as np
from numpy.typing import NDArray

from engine.klondike.checker import CHECKER
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import pack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from solvers.klondike.exact.rules import USUAL_RULESETS, has_usual_rules
from solvers.klondike.exact.searching import PARTS_BY_STOCKS
from solvers.klondike.shortest import improving
from solvers.klondike.shortest.solving import COUNTS, PART, SEARCH, find_shortest
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome, Result


def solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    """Solve deals uint8[n, 52]; see `solvers.method.Method`."""
    starts = (KlondikePosition.start(KlondikeDeal.of(cards), rules) for cards in deals)
    return [solve_position(start, values) for start in starts]


def solve_position(position: KlondikePosition, values: Values) -> Outcome:
    """Solve a position in mid-game.

    Raises:
        BadInput: the position is none that a table could show.
    """
    found = find_shortest(
        position,
        count=COUNTS[values["count"]].slug,
        nodes=values["nodes"],
        mebibytes=values["memory_mib"],
    )
    if found.bound is None:
        return Outcome(Result.UNWINNABLE, found.nodes, found.cpu_ms)
    if not found.is_proved or found.moves is None:
        return Outcome(Result.GAVE_UP, found.nodes, found.cpu_ms)
    return Outcome(Result.WON, found.nodes, found.cpu_ms, pack_solution(found.moves))


METHOD = Method(
    slug="shortest",
    version=3,
    summary="Best-first search; wins only with a solution proved to be a shortest one.",
    game="klondike",
    sees="deal",
    source=None,
    parameters=(
        Parameter("nodes", 20_000_000, 1, 10**12, "positions expanded before giving up"),
        Parameter("memory_mib", 1024, 1, 65_536, "MiB for positions before giving up"),
        Parameter("count", 0, 0, 1, "0 for standard moves, 1 to count redeals as none"),
    ),
    rulesets=USUAL_RULESETS,
    plays=has_usual_rules,
    chunk=1,
    solve=solve,
    solve_position=solve_position,
    decides=True,
    shortest=SEARCH,
    # As long as `exact`, which goes first, takes to reach all that it compiles.
    warm_up={"nodes": 100_000, "memory_mib": 8},
    parts=(*PARTS_BY_STOCKS, CHECKER, PART, improving.PART),
)
