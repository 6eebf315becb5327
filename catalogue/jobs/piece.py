"""Solving a piece of a job, the seeds that one worker solves at a time.

This code runs on the workers, which need the engine and the solvers but not the database, so it
imports nothing of SQL.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catalogue.outcomes.chunk import Chunk, SolverKey
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.registry import parse_solver


def solve_piece(
    ruleset: str,
    dealer: str,
    first: int,
    wanted: Sequence[tuple[str, int, NDArray[np.bool_]]],
) -> Chunk:
    """Deal and solve a piece of a job.

    Args:
        ruleset: slug of the ruleset.
        dealer: slug of the dealer.
        first: the first seed of the piece.
        wanted: for each solver its name, its version, and bool[n] saying for which of the seeds
            first … first + n − 1 its outcome is missing.

    Raises:
        UnprovedWin: a win that the referee does not accept.
        BadInput: this worker has other versions of the solvers, or does not know them.
    """
    rules = parse_ruleset(ruleset)
    count = len(wanted[0][2])
    any_wanted = np.logical_or.reduce([missing for _, _, missing in wanted])
    cards = get_dealer(dealer).deal_block(first, count, game_of(rules))[any_wanted]
    columns = []
    for name, version, missing in wanted:
        solver = parse_solver(name)
        if solver.method.version != version:
            raise BadInput(
                f"the job asks for version {version} of {name}, but the program on this worker "
                f"has version {solver.method.version}"
            )
        mine = missing[any_wanted]
        found = iter(solver.solve(cards[mine], rules) if mine.any() else [])
        outcomes = tuple(next(found).without_game() if asked else None for asked in mine)
        columns.append((SolverKey.of(solver), outcomes))
    seeds = tuple(int(seed) for seed in first + np.flatnonzero(any_wanted))
    return Chunk(rules, dealer, seeds, cards, tuple(columns))


def warm_up(ruleset: str, names: Sequence[str]) -> None:
    """Compile the kernels of solvers in this process, or load them from the cache.

    Compiled kernels are cached on disk, so if one worker does this first, the others load them.
    """
    rules = parse_ruleset(ruleset)
    for name in names:
        parse_solver(name).warm_up(rules)
