"""Finding solutions again of deals of which the catalogue keeps only the verdict."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalogue.blocks import WON, Outcomes, Whole
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.proof import check_wins
from solvers.solver import parse_solver


class KnownSolver(NamedTuple):
    """A solver of the catalogue, by its text and version; its other columns follow from these."""

    name: str
    version: int
    id: int
    grades: bool
    sees: str | None


class StoredSolution(NamedTuple):
    """A solution of a deal.

    Attributes:
        place: of the deal in its block.
        solver: who found it.
        version: of the solver's method.
        length: number of moves.
        moves: as text.
        made_again: whether it was found again for the dataset.
    """

    place: int
    solver: str
    version: int
    length: int
    moves: str
    made_again: bool


def solve_again(
    rules: Rules,
    outcomes: Sequence[tuple[KnownSolver, Outcomes]],
    places: Whole,
    cards: NDArray[np.uint8],
) -> Iterator[StoredSolution]:
    """Solve deals with solvers that have won them, in the version that did; the referee replays.

    Args:
        rules: the ruleset.
        outcomes: of the block of the deals, in the order in which their solvers are asked.
        places: of the deals in the block, ascending.
        cards: uint8[n, cards], the deals.
    """
    game, left = game_of(rules), np.ones(len(places), dtype=np.bool_)
    for known, mine in outcomes:
        at = places - mine.first
        inside = (at >= 0) & (at < len(mine))
        won = np.flatnonzero(inside & left & (mine.result[np.where(inside, at, 0)] == WON))
        try:
            solver = parse_solver(known.name)
        except BadInput:
            continue
        if not len(won) or solver.method.version != known.version:
            continue
        found = zip(won.tolist(), solver.solve(cards[won], rules), strict=True)
        wins = [(k, outcome.moves) for k, outcome in found if outcome.moves is not None]
        reasons = check_wins(game, cards[[k for k, _ in wins]], rules, [each for _, each in wins])
        for (k, packed), reason in zip(wins, reasons, strict=True):
            if reason is None:
                left[k] = False
                length, text = game.length(packed), game.text(packed)
                yield StoredSolution(int(places[k]), known.name, known.version, length, text, True)
