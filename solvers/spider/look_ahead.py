"""`look-ahead`: Spider by the guaranteed minimum evaluation score.

A blog on Spider Solitaire, *Look-Ahead Algorithms*. A position is worth 10 points for a card turned
up, 1 for a connector (two neighbours that go down in one suit) and 100 for a completed run; the
weights are parameters. Its *guaranteed minimum evaluation score* is the highest that moves reach
whatever cards turn up on the way: `iterations` random sequences of up to `moves` moves are tried,
in which cards that turn up count but are never seen. The sequence of the highest score is played up
to the first card that turns up. If nothing raises the score, a row is dealt; with the stock empty,
the game is lost.

The post leaves some points open: here the moves of a sequence are chosen uniformly from those of
the Monkey (`level` 1). Of sequences with equal scores the first is taken, without the moves after
the score was reached.

Under rules that do not deal onto empty columns, the shortest run that can fill one is moved there
first, and the row is dealt whatever that turns up; the Monkey deals at once (rulesets
`spider-4-relaxed`, …). The nodes of an outcome are the sequences tried.
"""

# mypy: allow-untyped-calls

import numpy as np
from numpy.typing import NDArray

from engine.spider.board import Board
from engine.spider.rules import SpiderRules
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome
from solvers.pacing import chunk_for
from solvers.spider.games import play_deals
from solvers.spider.look_ahead_search import new_look, play


def _solve(deals: NDArray[np.uint8], rules: SpiderRules, values: Values) -> list[Outcome]:
    look = new_look(
        (values["turned"], values["connector"], values["gone"]),
        values["iterations"],
        values["moves"],
        values["level"],
        values["p"],
    )

    def play_game(
        deal: NDArray[np.uint8], board: Board, rng: NDArray[np.int64], line: NDArray[np.int64]
    ) -> tuple[int, int, int]:
        ended, length, decisions = play(deal, board, rules.deal_onto_empty, look, rng, line)
        return ended, length, decisions * look.iterations

    return play_deals(deals, rules, values["random_seed"], play_game)


METHOD = Method(
    slug="look-ahead",
    version=1,
    summary="Spider by the guaranteed minimum evaluation score; sees no face-down card",
    game="spider",
    sees="observation",
    source="Look-Ahead Algorithms",
    parameters=(
        Parameter("iterations", 5000, 1, 10_000_000, "random sequences for a decision"),
        Parameter("moves", 30, 1, 10_000, "moves of a sequence"),
        Parameter("turned", 10, 0, 1_000_000, "points for a card turned up"),
        Parameter("connector", 1, 0, 1_000_000, "points for two neighbours in suit"),
        Parameter("gone", 100, 0, 1_000_000, "points for a completed run"),
        Parameter("level", 1, 1, 4, "level of the moves of a sequence, see monkey"),
        Parameter("p", 90, 0, 100, "at level 4, the chance of level 3 in percent"),
        Parameter("random_seed", 0, 0, 2**31 - 1, "seed of the random generator"),
    ),
    rulesets="Spider",
    plays=lambda rules: True,
    chunk=chunk_for(lambda values: 6e-3 * values["iterations"] * values["moves"]),
    solve=_solve,
)
