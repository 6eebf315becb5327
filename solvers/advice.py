"""The opinion of a player that sees an observation on the plays that it could make next."""

from dataclasses import dataclass
from math import sqrt

from engine.game import Move


@dataclass(frozen=True, slots=True)
class Advice:
    """A play that a player could make next, and how often it won after it in its mind.

    Attributes:
        moves: the standard moves of the play; the first is the one to make now, the others are what
            makes sense of it (further turns of the stock, the use of a card brought back). If it is
            certain to win, all moves to the win.
        wins: trajectories through the play that ended in a win.
        trajectories: their number; 0 if the player does not count wins and names its choice alone.
            They are not independent, since later ones follow what earlier ones taught, so that
            `error` is a guide and no bound.
        certain: whether all hidden cards follow from those seen, so that an exact search has
            decided; there is one trajectory then, and no error.
        spread: the standard error of `chance`, where it is known from more than the numbers of
            wins and trajectories; None without.
    """

    moves: tuple[Move, ...]
    wins: int
    trajectories: int
    certain: bool = False
    spread: float | None = None

    @property
    def chance(self) -> float | None:
        """The share of the trajectories that were won; 0 to 1, None without any."""
        return self.wins / self.trajectories if self.trajectories else None

    @property
    def error(self) -> float | None:
        """The standard error of `chance`; None without it.

        As if the trajectories were independent, with two wins and two losses added, so that none
        is without error (Agresti and Coull 1998); or `spread`, if that is larger.
        """
        if self.certain:
            return 0.0
        if not self.trajectories:
            return None
        n = self.trajectories + 4
        share = (self.wins + 2) / n
        return max(self.spread or 0.0, sqrt(share * (1 - share) / n))
