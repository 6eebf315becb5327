"""Finding solutions again of deals of which the catalogue keeps only the verdict."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalogue.blocks import WON, Outcomes, Whole
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.proof import check_wins
from solvers.registry import parse_solver


class KnownSolver(NamedTuple):
    """A solver of the catalogue, by its text and version; its other columns follow from these."""

    name: str
    version: int
    id: int
    grades: bool
    sees: str | None


class FoundSolution(NamedTuple):
    """A solution of a deal.

    Attributes:
        seed: of the deal.
        solver: who found it.
        version: of the solver's method.
        length: number of moves.
        moves: as text.
        again: whether it was found again for the dataset.
    """

    seed: int
    solver: str
    version: int
    length: int
    moves: str
    again: bool


def solve_again(
    rules: Rules,
    outcomes: Sequence[tuple[KnownSolver, Outcomes]],
    start: int,
    seeds: Whole,
    cards: NDArray[np.uint8],
) -> list[FoundSolution]:
    """Solve deals with solvers that have won them, in the version that did; the referee replays.

    Args:
        rules: the ruleset.
        outcomes: of the block of the deals, in the order in which their solvers are asked.
        start: the first seed of the block.
        seeds: of deals in the block, ascending.
        cards: uint8[n, cards], the deals.
    """
    game, found = game_of(rules), []
    left = np.ones(len(seeds), dtype=np.bool_)
    for known, mine in outcomes:
        places = seeds - start - mine.first
        inside = (places >= 0) & (places < len(mine))
        won = inside & (mine.result[np.where(inside, places, 0)] == WON) & left
        at = np.flatnonzero(won)
        try:
            solver = parse_solver(known.name)
        except BadInput:
            continue
        if not len(at) or solver.method.version != known.version:
            continue
        moves = [outcome.moves for outcome in solver.solve(cards[at], rules)]
        wins = [k for k, each in enumerate(moves) if each is not None]
        solutions = [each for each in moves if each is not None]
        reasons = check_wins(game, cards[at[wins]], rules, solutions)
        for k, packed, reason in zip(wins, solutions, reasons, strict=True):
            if reason is None:
                left[at[k]] = False
                found.append(
                    FoundSolution(
                        int(seeds[at[k]]),
                        known.name,
                        known.version,
                        game.length(packed),
                        game.text(packed),
                        True,
                    )
                )
    return found
