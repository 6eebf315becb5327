"""A chunk: what some solvers achieved on some deals under one ruleset, on its way to the catalogue.

To make one is to have every win in it replayed by the referee, so a win that proves nothing
cannot even be offered to the database. Workers make chunks; they know nothing of SQL.
"""

from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from hashlib import sha256
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.game import Game, Rules
from engine.games import game_of
from engine.replay import ReplayError, replay
from solvers.outcome import Outcome, Result
from solvers.registry import Solver


class UnprovedWin(RuntimeError):
    """A solver claims a win that the referee does not see: a bug of the solver."""


@dataclass(frozen=True, slots=True)
class SolverKey:
    """What the catalogue knows a solver by, without its code: it travels between processes.

    Attributes:
        name: as the solver prints, parameters included.
        version: of its method.
        method: slug of its method.
        parameters: names and values, in the method's order.
        grades: whether its nodes measure how hard a deal is.
    """

    name: str
    version: int
    method: str
    parameters: tuple[tuple[str, int], ...]
    grades: bool = False

    @classmethod
    def of(cls, solver: Solver) -> Self:
        """The key of a configured solver."""
        method = solver.method
        return cls(str(solver), method.version, method.slug, solver.values, method.grades)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Outcomes of some solvers on deals of one dealer, or on deals brought in by hand.

    Making one replays every win in the referee; unpickling one, in the process that it was sent
    to, does not do it again.

    Attributes:
        rules: the ruleset played, which says of which game the deals are.
        dealer: slug of the dealer; None for deals brought in by hand.
        seeds: one for each deal; empty for deals brought in by hand.
        cards: uint8[n, cards of the game], the deals in flat order.
        outcomes: for each solver one outcome a deal, None where it was not asked.

    Raises:
        UnprovedWin: a win whose moves the referee does not accept.
        BadInput: a row of cards is not the game's full decks, or lengths differ.
    """

    rules: Rules
    dealer: str | None
    seeds: tuple[int, ...]
    cards: NDArray[np.uint8]
    outcomes: tuple[tuple[SolverKey, tuple[Outcome | None, ...]], ...]
    replayed: InitVar[bool] = False  # for `part` alone, whose wins come from a chunk

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
        for at in np.flatnonzero((decks != full).any(axis=1)):
            game.deal(self.cards[at])  # names the cards that are missing or there too often
        for solver, outcomes in self.outcomes:
            if len(outcomes) != count:
                raise BadInput(f"{solver.name} has {len(outcomes)} outcomes for {count} deals")
            for place, outcome in enumerate(() if replayed else outcomes):
                if outcome is not None and outcome.result == Result.WON:
                    self._check_win(solver, place, outcome)

    @property
    def game(self) -> Game:
        """The game that the deals are of."""
        return game_of(self.rules)

    def deal_name(self, at: int) -> str:
        """``thoughtful-1:42``, or for a deal brought in by hand its digest."""
        return f"{self.dealer}:{self.seeds[at]}" if self.seeds else digest(self.cards[at])

    def part(self, rows: Sequence[int], dealer: str, seeds: Sequence[int]) -> "Chunk":
        """Some deals brought in by hand, as deals of a dealer; their wins are not replayed again.

        Args:
            rows: which deals.
            dealer: slug of the dealer that deals them.
            seeds: one for each of the rows.
        """
        return Chunk(
            self.rules,
            dealer,
            tuple(seeds),
            self.cards[list(rows)],
            tuple((solver, tuple(each[row] for row in rows)) for solver, each in self.outcomes),
            replayed=True,
        )

    def _check_win(self, solver: SolverKey, at: int, outcome: Outcome) -> None:
        claim = f"{solver.name} claims to win {self.deal_name(at)} under {self.rules.slug}"
        if outcome.moves is None:
            raise UnprovedWin(f"{claim} but gives no moves")
        game = self.game
        start = game.start(game.deal(self.cards[at]), self.rules)
        try:
            moves = game.unpack(outcome.moves)
            end = replay(start, moves)
        except (ReplayError, BadInput) as error:
            raise UnprovedWin(f"{claim}, but its solution does not replay: {error}") from None
        if not end.is_won:
            raise UnprovedWin(f"{claim}, but its {len(moves)} moves do not end in a win")


def digest(cards: NDArray[np.uint8]) -> str:
    """`Deal.digest` of uint8[n] in flat order, without building the deal."""
    return sha256(cards.tobytes()).hexdigest()[:32]
