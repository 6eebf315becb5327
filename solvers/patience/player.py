"""`patience-player`: patience games of which all cards lie open, some positions at a time.

From where it stands the player expands a number of positions, the most promising first
(`solvers.patience.value`), and then plays to the most promising of those that wait. It does so
again from there as long as what waits promises more than what it has played to before, and gives
up once nothing does: values are whole numbers that fall each time, so a game comes to an end. It
remembers nothing of what it has looked at; the more positions, the further it plans, and the more
it wins. `docs/difficulty.md` says what its games are for.

Its games rest on the value, the steps and what is forced or safe then: a change of these raises
its version, and with it those of trials, of deals to play and of puzzles.

The random seed draws the numbers by which positions are known, whose bits decide between positions
that promise about as much. The nodes of an outcome are the positions entered.
"""

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import solving_time_ns
from engine.patience.layout import layout_of
from engine.patience.referee import PatiencePosition
from engine.patience.rules import PatienceRules
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome
from solvers.pacing import chunk_for
from solvers.patience import searching
from solvers.patience.loading import load_position
from solvers.patience.search import ENTERED, WON
from solvers.patience.searching import UNLIMITED, work
from solvers.patience.value import MOST_VALUE

# As the first run of `patience-exact`, but that moves on the way do not count, and with noise of up
# to 15.
WEIGHTS = (6, 8, 1, 4, 0, 15, 0, 10, 4, 0, 1)
# Enough for 10,000 positions with 80 new steps each; a search that needs more is cut short.
_MEBIBYTES = 64
_MOST_POSITIONS = 10_000


def _solve(deals: NDArray[np.uint8], rules: PatienceRules, values: Values) -> list[Outcome]:
    work.prepare(rules.options, _MEBIBYTES, values["random_seed"])
    return [_game(since, values["positions"]) for since in searching.loaded(deals)]


def _solve_position(position: PatiencePosition, values: Values) -> Outcome:
    work.prepare(position.rules.options, _MEBIBYTES, values["random_seed"])
    since = solving_time_ns()
    load_position(position, work.rows, work.plan)
    return _game(since, values["positions"])


def _game(since: int, positions: int) -> Outcome:
    """Play from the first row of the workspace, laid out since a CPU time, in ns."""
    moves, nodes, promised, won = b"", 0, MOST_VALUE + 1, False
    while not won:
        searching.begin()
        won = searching.run(WEIGHTS, positions, UNLIMITED, deeper=False) == WON
        nodes += int(work.report[ENTERED])
        if not won:
            value = searching.most_promising()
            if value is None or value >= promised:
                break
            promised = value
        moves += searching.solution()
    return Outcome.of_game(won, moves, nodes, (solving_time_ns() - since) / 1e9)


def _plays(rules: PatienceRules) -> bool:
    """Whether all cards lie open, and there are foundations, as the search requires."""
    return rules.options.foundations and not layout_of(rules.options).hidden


METHOD = Method(
    slug="patience-player",
    version=1,
    summary="Expands some positions and plays to the most promising one; gives up where none "
    "promises more.",
    game="patience",
    sees="observation",
    source=None,
    parameters=(
        Parameter("positions", 100, 1, _MOST_POSITIONS, "positions expanded before it plays on"),
        Parameter("random_seed", 0, 0, 2**31 - 1, "seed of the random generator"),
    ),
    rulesets="patience games with foundations of which all cards lie open",
    plays=_plays,
    chunk=chunk_for(lambda values: 0.2 + 2e-3 * values["positions"]),
    solve=_solve,
    solve_position=_solve_position,
    warm_up={"positions": 10},
    trials=tuple({"positions": positions} for positions in (10, 50, 250, 1_250)),
    # With one seed for all, the same bits decide between equals at every strength, so that games
    # of one deal would not be independent of each other, nor of the trials.
    ladder=(
        {"positions": 5, "random_seed": 1000},
        {"positions": 25, "random_seed": 2000},
        {"positions": 125, "random_seed": 3000},
        {"positions": 600, "random_seed": 4000},
    ),
    parts=(searching.PART,),
    for_puzzles={"positions": 30},
)
