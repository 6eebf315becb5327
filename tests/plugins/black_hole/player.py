"""`black-hole-random`: any legal move of Black Hole, until none is left."""

import random
import time

import numpy as np
from numpy.typing import NDArray

from black_hole.deal import BlackHoleDeal
from black_hole.moves import pack
from black_hole.referee import BlackHolePosition
from black_hole.rules import BlackHoleRules
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome


def _play(start: BlackHolePosition, seed: int) -> Outcome:
    began = time.thread_time()
    chooser = random.Random(seed)
    position, moves = start, []
    while legal := position.legal_moves():
        moves.append(chooser.choice(legal))
        position = position.play(moves[-1])
    seconds = time.thread_time() - began
    return Outcome.of_game(position.is_won, pack(moves), len(moves), seconds)


def _solve(deals: NDArray[np.uint8], rules: BlackHoleRules, values: Values) -> list[Outcome]:
    starts = (BlackHolePosition.start(BlackHoleDeal.of(row), rules) for row in deals)
    return [_play(start, values["random_seed"]) for start in starts]


METHOD = Method(
    slug="black-hole-random",
    version=1,
    summary="Any legal move of Black Hole",
    game="black-hole",
    sees="observation",
    source=None,
    parameters=(Parameter("random_seed", 0, 0, 2**31 - 1, "seed of the random choices"),),
    rulesets="Black Hole",
    plays=lambda rules: True,
    chunk=1000,
    solve=_solve,
)
