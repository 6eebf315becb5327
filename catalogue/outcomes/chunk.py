"""Chunks: outcomes of solvers on deals under one ruleset, on their way to the catalogue.

The constructor has every win judged by `engine.proof.check_wins`, so no unproved win can reach the
database.
Chunks are made on the workers, which know nothing of SQL.
"""

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.deal import digest_of
from engine.errors import BadInput
from engine.game import Game, Rules
from engine.games import game_of
from engine.proof import check_wins
from solvers.outcome import Outcome, Result
from solvers.solver import Solver

# How the methods of other programs begin, whose results are imported (`catalogue.intake.outcomes`).
FOREIGN = "foreign-"


class UnprovedWin(RuntimeError):
    """A solver claims a win that the referee does not confirm: a bug of the solver."""


@dataclass(frozen=True, slots=True)
class SolverKey:
    """The identity of a solver in the catalogue, without its code, so that it can be pickled.

    Attributes:
        name: the solver as text, parameters included.
        version: of its method.
        method: slug of its method.
        parameters: names and values, in the method's order.
        grades: whether its nodes measure how hard a deal is.
        decides: whether it decides deals, so that one that it gives up is an exception.
    """

    name: str
    version: int
    method: str
    parameters: tuple[tuple[str, int | str], ...]
    grades: bool = False
    decides: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, solver: Solver) -> Self:
        """The key of a configured solver."""
        method = solver.method
        return cls(
            str(solver),
            method.version,
            method.slug,
            solver.said,
            method.grades,
            method.decides,
        )


@dataclass(frozen=True, slots=True)
class Chunk:
    """Outcomes of solvers on deals of one dealer, or on imported deals.

    The constructor has all wins judged; unpickling, in the process that receives the chunk, does
    not repeat that.

    Attributes:
        rules: the ruleset, which determines the game of the deals.
        dealer: slug of the dealer; None for imported deals.
        seeds: one for each deal; empty for imported deals.
        cards: uint8[n, cards of the game], the deals in flat order.
        outcomes: for each solver one outcome per deal, None where it did not attempt the deal.

    Raises:
        UnprovedWin: a win whose moves the referee does not accept.
        RefereesDisagree: the compiled referee and the plain one differ on a win.
        BadInput: a row of cards is not the full decks of the game, or lengths differ.
    """

    rules: Rules
    dealer: str | None
    seeds: tuple[int, ...]
    cards: NDArray[np.uint8]
    outcomes: tuple[tuple[SolverKey, tuple[Outcome | None, ...]], ...]
    replayed: InitVar[bool] = False  # for `part` only, whose wins come from a chunk

    def __post_init__(self, replayed: bool) -> None:
        count = len(self.cards)
        game = self.game
        if self.cards.shape != (count, game.cards) or self.cards.dtype != np.uint8:
            raise BadInput(
                f"deals of {game.name} are uint8[n, {game.cards}], "
                f"not {self.cards.dtype}{self.cards.shape}"
            )
        if len(self.seeds) != (0 if self.dealer is None else count):
            raise BadInput(f"{count} deals of {self.dealer} cannot have {len(self.seeds)} seeds")
        decks = np.sort(self.cards, axis=1)
        full = np.repeat(np.arange(52, dtype=np.uint8), game.decks)
        # Of a game with a short deck each deal is asked for.
        wrong = (decks != full).any(axis=1) if game.cards == len(full) else np.full(count, True)
        for at in np.flatnonzero(wrong):
            game.deal(self.cards[at])  # its error lists missing and duplicate cards
        for solver, outcomes in self.outcomes:
            if len(outcomes) != count:
                raise BadInput(f"{solver.name} has {len(outcomes)} outcomes for {count} deals")
            if not replayed:
                self._check_wins(solver, outcomes)

    @property
    def game(self) -> Game:
        """The game of the deals."""
        return game_of(self.rules)

    def deal_name(self, at: int) -> str:
        """Name of a deal: ``thoughtful-1:42``, or its digest if it is imported."""
        return f"{self.dealer}:{self.seeds[at]}" if self.seeds else digest(self.cards[at])

    def part(self, rows: Sequence[int], dealer: str | None, seeds: Sequence[int]) -> "Chunk":
        """Turn some imported deals into deals of a dealer; their wins are not replayed again.

        Args:
            rows: indices of the deals.
            dealer: slug of their dealer; None if they stay imported ones.
            seeds: one for each of the rows if there is a dealer.
        """
        return Chunk(
            self.rules,
            dealer,
            tuple(seeds),
            self.cards[list(rows)],
            tuple((solver, tuple(each[row] for row in rows)) for solver, each in self.outcomes),
            replayed=True,
        )

    def _check_wins(self, solver: SolverKey, outcomes: Sequence[Outcome | None]) -> None:
        """Have the referees judge all wins of a solver at once."""

        def claim(at: int) -> str:
            return f"{solver.name} claims to win {self.deal_name(at)} under {self.rules.slug}"

        places, solutions = [], []
        for place, outcome in enumerate(outcomes):
            if outcome is not None and outcome.result == Result.WON:
                if outcome.moves is None:
                    raise UnprovedWin(f"{claim(place)} but gives no moves")
                places.append(place)
                solutions.append(outcome.moves)
        if not places:
            return
        reasons = check_wins(
            self.game,
            self.cards[places],
            self.rules,
            solutions,
            name=lambda at: self.deal_name(places[at]),
        )
        for place, reason in zip(places, reasons, strict=True):
            if reason is not None:
                raise UnprovedWin(f"{claim(place)}, but {reason}")


def digest(cards: NDArray[np.uint8]) -> str:
    """`Deal.digest` of uint8[n] in flat order, without building the deal."""
    return digest_of(cards.tobytes())


def digests(cards: NDArray[np.uint8]) -> list[str]:
    """`digest` of each row of uint8[n, cards]."""
    width = cards.shape[1]
    data = cards.tobytes()
    return [digest_of(data[at : at + width]) for at in range(0, len(data), width)]
