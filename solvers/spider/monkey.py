"""`monkey`: player of Spider by random moves, at several levels.

A blog on Spider Solitaire, *Introduction to the Monkey Algorithm* (level 1) and *Improved Monkey
Algorithm* (levels 2 to 4); `solvers.spider.monkey_moves` defines the moves and the levels. A row is
dealt whenever the move counter is a multiple of `period`; if no move is left before that, the
Monkey passes. Once the stock is empty, the game is lost at the next multiple.

Under rules that do not deal onto empty columns, a row that is due is dealt as soon as no column is
empty; one that is still waiting when the next falls due is dealt once for both, and the game is
lost at the sixth multiple even if rows are left. The Monkey of the posts deals at once: rulesets
`spider-1-relaxed`, `spider-4-relaxed`.
"""

# mypy: allow-untyped-calls

import numpy as np
from numpy.typing import NDArray

from engine.spider.board import Board
from engine.spider.deal import COLUMNS, ROWS
from engine.spider.rules import SpiderRules
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome
from solvers.pacing import chunk_for
from solvers.spider.games import play_deals
from solvers.spider.monkey_game import play
from solvers.spider.play import LOST, NO_ROOM, WON


def _solve(deals: NDArray[np.uint8], rules: SpiderRules, values: Values) -> list[Outcome]:
    wants = np.zeros(14, dtype=np.int64)
    targets = np.zeros(COLUMNS, dtype=np.int64)

    def play_game(
        deal: NDArray[np.uint8], board: Board, rng: NDArray[np.int64], line: NDArray[np.int64]
    ) -> tuple[int, int, int]:
        if len(line) < values["period"] * (ROWS + 1):
            return NO_ROOM, 0, 0
        won, length = play(
            deal, board, rules.deal_onto_empty, values["level"], values["p"], values["period"],
            wants, targets, rng, line,
        )  # fmt: skip
        return WON if won else LOST, length, length

    return play_deals(deals, rules, values["random_seed"], play_game)


METHOD = Method(
    slug="monkey",
    version=1,
    summary="Random moves at Spider, at one of four levels; sees no face-down card",
    game="spider",
    sees="observation",
    source="Introduction to the Monkey Algorithm; Improved Monkey Algorithm",
    parameters=(
        Parameter("level", 1, 1, 4, "1 any move, 2 never break a run, 3 build in suit, 4 mixed"),
        Parameter("p", 90, 0, 100, "at level 4, the chance of level 3 in percent"),
        Parameter("period", 1000, 1, 100_000, "moves between rows"),
        Parameter("random_seed", 0, 0, 2**31 - 1, "seed of the random generator"),
    ),
    rulesets="Spider",
    plays=lambda rules: True,
    chunk=chunk_for(lambda values: 1e-3 * values["period"]),
    solve=_solve,
    for_puzzles={"period": 100},
)
