"""`patience-exact`: decide a deal or a mid-game position of any patience.

Complete searches of positions, which leave out moves that no win needs; what these are, and the
proofs, stand in `docs/search/patience.md` for games with foundations, `solvers.patience.search`,
and in `docs/search/unfounded.md` for the others.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import Part
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options, PatienceRules
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome, Result
from solvers.patience import searching, unfounded
from solvers.patience.value import SHORTER


class CompleteSearch(Protocol):
    """A search that decides the games of a kind."""

    def solve(
        self, deals: NDArray[np.uint8], options: Options, values: Values, *, with_moves: bool
    ) -> list[Outcome]: ...

    def solve_position(
        self, position: PatiencePosition, values: Values, *, with_moves: bool
    ) -> Outcome: ...


def _solve(deals: NDArray[np.uint8], rules: PatienceRules, values: Values) -> list[Outcome]:
    return _search(rules).solve(deals, rules.options, values, with_moves=True)


def _decide(deals: NDArray[np.uint8], rules: PatienceRules, values: Values) -> list[Outcome]:
    return _search(rules).solve(deals, rules.options, values, with_moves=False)


def _solve_position(position: PatiencePosition, values: Values) -> Outcome:
    return _search(position.rules).solve_position(position, values, with_moves=True)


def _decide_position(position: PatiencePosition, values: Values) -> Result:
    return _search(position.rules).solve_position(position, values, with_moves=False).result


def _search(rules: PatienceRules) -> CompleteSearch:
    return searching if rules.options.foundations else unfounded


def _parts(rules: PatienceRules, _values: Values) -> tuple[Part, ...]:
    return (searching.PART,) if rules.options.foundations else unfounded.parts(rules.options)


METHOD = Method(
    slug="patience-exact",
    version=1,
    summary="Complete search, the best position first and then in depth; decides every deal its "
    "budget suffices for.",
    game="patience",
    sees="deal",
    source=None,
    parameters=(
        Parameter("nodes", 1_000_000_000, 1, 10**12, "positions entered before giving up"),
        Parameter("memory_mib", 512, 4, 65_536, "MiB for positions before giving up"),
        Parameter("shorten", 0, 0, len(SHORTER), "further searches, for a shorter win"),
    ),
    rulesets="patience games with foundations, a hole, an accordion or rows that go to the left",
    plays=lambda rules: rules.options.foundations or unfounded.plays(rules.options),
    chunk=500,
    solve=_solve,
    solve_position=_solve_position,
    decide=_decide,
    decide_position=_decide_position,
    decides=True,
    grades=True,
    warm_up={"nodes": 100, "memory_mib": 4},
    parts=_parts,
    shown={"shorten": len(SHORTER)},
)
