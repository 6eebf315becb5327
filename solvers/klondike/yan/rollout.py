"""`yan-rollout`: the iterated rollouts of Yan et al. (2004), section 4.2.

Yan, Diaconis, Rusmevichientong, Van Roy, *Solitaire: Man Versus Machine*. A strategy h maps a
position x to a move. Its rollout strategy h′ tries each legal move of x and simulates the remainder
of the game by h; if simulations win, h′ makes the move of one of them, else the move h(x). Then h″
is the rollout strategy of h′, and so on: `iterations` says how often, h⁽⁰⁾ being `yan-heuristic`,
whose games are played as they are there.

Choices where the paper leaves room, with reasons:

- *Footnote 5.* A simulation that wins is the rest of the game: its moves are recorded and victory
  is declared, at every level. So moves are tried only until a simulation wins, in byte order
  (`engine.klondike.moves`), where step 2 chooses one of all that win at random. The deals that are
  won do not depend on that choice.
- *Moves that are tried.* All legal moves of section 2, those from a suit stack to a build stack
  too: footnote 4 says that "our heuristic" practically disables them, by their score, and scores do
  not matter when a move is tried. The second kind of moves of footnote 4, runs from one empty
  column to another that begin with a king, is disabled "to simplify our strategy", any strategy:
  those are not tried. The move that h itself would make is tried like any other. Moves to several
  empty columns are all tried.
- *Footnote 4, first kind.* A simulation is play like any other: it knows whether a card has moved
  since the last redeal of its game, and a redeal when none has is a loss. So that redeal is not
  tried.
- *Loops by other moves.* A rollout strategy departs from h only where a simulation has won, and
  then the game ends. Until then it moves as h does, which never returns to a position without
  losing; a tried move is followed by a strategy of one iteration less. So all simulations end.
- *Step 3.* h″(x) = h′(x) where no simulation wins, and h′(x) is the result of its own procedure,
  whose simulations by h use new random numbers and may win. They are played.
- *Random choices.* "We randomly select a move among them": each time that h meets a position, also
  one it has met before in another simulation. So two simulations from one position may differ, and
  more of them win more. This matters, see below;
  `solvers.klondike.yan.heuristic.YanReading.fixed_ties` is the other reading, by which h maps a
  position to one move.
- *Generators.* The generator of the game is that of `yan-heuristic`. Each simulation has one of its
  own, seeded by two numbers of the generator of its parent game, so simulations are independent.

**Skipped simulations.** From three iterations on, a simulation is begun only if some random choices
win it (`solvers.klondike.yan.reach`, with the proof). As each has its own generator, the same games
are won, by the same moves, as if all had been played: the tests compare the two. At three
iterations that takes a fifteenth of the time.

Nodes are the moves played in the game and in all simulations, and the positions entered to decide
which simulations to skip.

**Results** on thoughtful-1 from seed 0 on (`benchmarks/yan.py --rollouts 1,2,3 --games 10000`, and
likewise `4` with 4,000 games and `5` with 1,000):

| iterations | won %, 99 % interval | games  | published      |          |
|------------|----------------------|--------|----------------|----------|
| 1          | 27.21, 26.07–28.37   | 10,000 | 31.20 ± 1.20   | differs  |
| 2          | 46.91, 45.62–48.20   | 10,000 | 47.60 ± 1.30   | agrees   |
| 3          | 58.55, 57.27–59.82   | 10,000 | 56.83 ± 1.30   | agrees   |
| 4          | 65.50, 63.53–67.43   |  4,000 | 60.51 ± 4.00   | differs  |
| 5          | 69.60, 65.72–73.30   |  1,000 | 70.20 ± 8.34   | agrees   |

With 5 points for a run that turns a card, as Windows Klondike gives and the text does not, one
iteration wins 30.96 % (29.77–32.17) and agrees. Four agree if no moves from foundations are tried
(64.58 % of the same games, −0.92 by −1.41 to −0.44), which changes none of the first three by more
than a third of a point: footnote 4's "practically disable" may have meant that. Of the points that
the text leaves open, the breaking of ties matters most: with a fixed choice for each position
(`YanReading.fixed_ties`), one iteration would win 20.4 % and two 40.3 %.
"""

import threading
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import solving_time
from engine.klondike.rules import KlondikeRules
from solvers.klondike.yan.heuristic import THE_PAPER, YanReading, plays
from solvers.klondike.yan.reach import new_reach_workspace
from solvers.klondike.yan.rollout_search import MOST_ITERATIONS, NEVER_ASK, new_games, play_game
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome, Result

# By iterations. The test for skipping a simulation costs as much as two iterations.
_ASK_FROM = [NEVER_ASK, NEVER_ASK, NEVER_ASK, 1, 1, 1]

# Deals in a chunk of work of about a second, by iterations.
_CHUNKS = [10_000, 5_000, 250, 50, 20, 8]


class _YanWorkspaces(threading.local):
    """Workspaces of each thread, so that games may be played in parallel."""

    def __init__(self) -> None:
        self.games = new_games()
        self.work = new_reach_workspace()


_work = _YanWorkspaces()


def play_deal(
    cards: NDArray[np.uint8],
    iterations: int,
    *,
    random_seed: int = 0,
    draw: int = 3,
    reading: YanReading = THE_PAPER,
    ask_from: int | None = None,
) -> tuple[bytes | None, int]:
    """Play a deal uint8[52] to its end.

    Args:
        cards: the deal in flat order.
        iterations: 0 to MOST_ITERATIONS.
        random_seed: seeds the generator.
        draw: cards turned at once.
        reading: reading of the paper.
        ask_from: simulations of strategies after at least this many rollouts are skipped if no
            random choices win them; NEVER_ASK for none, None for the fastest. Changes no game.

    Returns:
        The packed moves if won, and the nodes.
    """
    games, work = _work.games, _work.work
    ask = _ASK_FROM[iterations] if ask_from is None else ask_from
    won, length, nodes = play_game(cards, draw, iterations, random_seed, reading, ask, games, work)
    return (games.record[:length].tobytes() if won else None), int(nodes)


@cache
def _load_kernels() -> None:
    """Compile or load every kernel, so that no CPU time of a game includes it."""
    play_deal(np.arange(52, dtype=np.uint8), 0)


def _solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    _load_kernels()
    outcomes = []
    for cards in np.ascontiguousarray(deals):
        start = solving_time()
        moves, nodes = play_deal(
            cards, values["iterations"], random_seed=values["random_seed"], draw=rules.draw
        )
        cpu_ms = (solving_time() - start) * 1000
        result = Result.LOST if moves is None else Result.WON
        outcomes.append(Outcome(result, nodes=nodes, cpu_ms=cpu_ms, moves=moves))
    return outcomes


METHOD = Method(
    slug="yan-rollout",
    version=1,
    summary="Rollouts of yan-heuristic, iterated; nodes are moves in all simulations",
    game="klondike",
    sees="deal",
    source="Yan, Diaconis, Rusmevichientong, Van Roy 2004, section 4.2",
    parameters=(
        Parameter("iterations", 1, 0, MOST_ITERATIONS, "number of rollout iterations"),
        Parameter("random_seed", 0, 0, 2**31 - 1, "which of the equally good moves are taken"),
    ),
    rulesets="klondike-yan, with any number of cards drawn at once",
    plays=plays,
    chunk=lambda values: _CHUNKS[values["iterations"]],
    solve=_solve,
)
