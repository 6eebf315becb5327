"""`monkey`: random moves at Spider, and the levels above.

A blog on Spider Solitaire, *Introduction to the Monkey Algorithm* (level 1) and *Improved Monkey
Algorithm* (levels 2 to 4); `solvers.monkey_moves` says which moves there are and what the levels
choose among. A row is dealt whenever the move counter is a multiple of `period`; if no move is left
before that, the Monkey passes. Once the stock is empty, the game is lost at the next multiple.

Under rules that do not deal onto empty columns, a row that is due is dealt as soon as no column is
empty. The Monkey of the posts deals at once: rulesets `spider-1-monkey`, `spider-4-monkey`.
"""

# mypy: allow-untyped-calls

import time

import numpy as np
from numpy.typing import NDArray

from engine.draws import seed_draws
from engine.rulesets import SpiderRules
from engine.spider import COLUMN_START, COLUMNS, ROWS, as_counted
from engine.spider_board import lay_out, new_board
from solvers.monkey_kernel import play
from solvers.multistage import chunk_for
from solvers.outcome import Outcome
from solvers.registry import Method, Parameter, Values

# Places of a deal in flat order that are face up at the start.
FACE_UP = np.array([start - 1 for start in COLUMN_START[1:]])
UNSEEN = 255


def seen_at_start(deal: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A deal uint8[104] as a person sees it: UNSEEN for all but the ten cards face up."""
    seen = np.full_like(deal, UNSEEN)
    seen[FACE_UP] = deal[FACE_UP]
    return seen


def packed(line: NDArray[np.int64]) -> bytes:
    """A line of `solvers.monkey_kernel` as `engine.spider_moves` packs it."""
    pairs = np.zeros((len(line), 2), dtype=np.uint8)
    runs = line > 0
    # A run has 1 to 13 cards, so the low four bits are its number.
    pairs[runs, 0] = 1 + (line[runs] >> 4)
    pairs[runs, 1] = line[runs] & 15
    return pairs.tobytes()


def _solve(deals: NDArray[np.uint8], rules: SpiderRules, values: Values) -> list[Outcome]:
    period = values["period"]
    board = new_board()
    draws = np.zeros(2, dtype=np.int64)
    wants = np.zeros(14, dtype=np.int64)
    targets = np.zeros(COLUMNS, dtype=np.int64)
    line = np.zeros(period * (ROWS + 1), dtype=np.int64)
    outcomes = []
    for deal in np.ascontiguousarray(as_counted(deals, rules.suits)):
        start = time.thread_time()
        seed_draws(seen_at_start(deal), values["random_seed"], draws)
        lay_out(deal, board)
        won, length = play(
            deal, board, rules.deal_onto_empty, values["level"], values["p"], period,
            wants, targets, draws, line,
        )  # fmt: skip
        seconds = time.thread_time() - start
        outcomes.append(Outcome.of_game(won, packed(line[:length]), int(length), seconds))
    return outcomes


METHOD = Method(
    slug="monkey",
    version=1,
    summary="Random moves at Spider, at one of four levels; sees no face-down card",
    sees="observation",
    source="Introduction to the Monkey Algorithm; Improved Monkey Algorithm",
    parameters=(
        Parameter("level", 1, 1, 4, "1 any move, 2 never break a run, 3 build in suit, 4 mixed"),
        Parameter("p", 90, 0, 100, "at level 4, the chance of level 3 in percent"),
        Parameter("period", 1000, 1, 100_000, "moves between rows"),
        Parameter("random_seed", 0, 0, 2**31 - 1, "sets what is drawn"),
    ),
    rulesets="Spider",
    plays=lambda rules: True,
    chunk=chunk_for(lambda values: 1e-3 * values["period"]),
    solve=_solve,
    game="spider",
)
