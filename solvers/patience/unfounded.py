"""Searches of games without foundations as `patience-exact` calls them."""

from functools import partial
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import Part
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options
from solvers.method import Values
from solvers.outcome import Outcome
from solvers.patience import accordion, gaps, holes
from solvers.patience.attempts import Attempts, Piles, outcome
from solvers.patience.table import save_all

_SEARCHES = (holes, accordion, gaps)


def plays(options: Options) -> bool:
    """Whether one of the searches plays a ruleset."""
    return any(search.plays(options) for search in _SEARCHES)


def _search(options: Options) -> ModuleType:
    """The search of a ruleset that is played."""
    return next(search for search in _SEARCHES if search.plays(options))


def solve(
    deals: NDArray[np.uint8], options: Options, values: Values, *, with_moves: bool = True
) -> list[Outcome]:
    """Decide deals uint8[n, cards] in flat order under a ruleset that is played.

    Of the values it takes ``nodes``, and ``memory_mib`` for the table.
    """
    search = _search(options)

    def begin(deal: NDArray[np.uint8]) -> Attempts:
        prepared: Attempts = search.begin(Piles.of_deal(deal, options), options)
        return prepared

    return [outcome(partial(begin, deal), values, with_moves=with_moves) for deal in deals]


def solve_position(
    position: PatiencePosition, values: Values, *, with_moves: bool = True
) -> Outcome:
    """Decide a position in mid-game under a ruleset that is played."""
    options = position.rules.options
    search = _search(options)
    return outcome(
        lambda: search.begin(Piles.of_position(position), options), values, with_moves=with_moves
    )


def _part(search: ModuleType, options: Options) -> Part:
    """The kernels of a search, compiled by a short one."""

    def run() -> None:
        deal = np.arange(options.cards, dtype=np.uint8)
        outcome(
            lambda: search.begin(Piles.of_deal(deal, options), options),
            {"nodes": 2 << 12, "memory_mib": 1},
        )

    name = search.__name__.rsplit(".", 1)[1].upper()
    return Part(f"{__name__}:{name}", (search.search, save_all), run)


HOLES = _part(holes, Options(columns=17, building="no-build", foundations=False, hole=True))
ACCORDION = _part(
    accordion,
    Options(
        accordion=52,
        accordion_moves=("L1", "L3"),
        accordion_building=("same-suit", "same-rank"),
        columns=0,
        foundations=False,
    ),
)
GAPS = _part(gaps, Options(sequences=4, columns=0, foundations=False))
_PARTS = (HOLES, ACCORDION, GAPS)


def parts(options: Options) -> tuple[Part, ...]:
    """The kernels of the search of a ruleset, to be compiled."""
    return (_PARTS[_SEARCHES.index(_search(options))],)
