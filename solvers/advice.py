"""The opinion of a player that sees an observation on the plays that it could make next."""

from dataclasses import dataclass
from math import exp, log, sqrt

from engine.game import Move


@dataclass(frozen=True, slots=True)
class Calibration:
    """The chance to win that follows from the share of won trajectories, learned from games.

    The logit of the chance is linear in that of the share (Platt 1999).

    Attributes:
        offset: the logit of the chance where half of the trajectories are won.
        slope: what it grows by if that of the share grows by one; above 0, so that the order of
            plays with as many trajectories is kept.
    """

    offset: float
    slope: float

    def chance(self, share: float) -> float:
        """The chance to win for a share; both between 0 and 1, neither of them."""
        return 1 / (1 + exp(-self.offset - self.slope * logit(share)))

    def error(self, share: float, error: float) -> float:
        """The standard error of the chance for that of a share."""
        chance = self.chance(share)
        return self.slope * chance * (1 - chance) * error / (share * (1 - share))


def logit(share: float) -> float:
    """The logarithm of the odds; share: between 0 and 1, neither of them."""
    return log(share / (1 - share))


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
        calibration: what the share of the trajectories that were won is worth; None if the share
            is the chance.
    """

    moves: tuple[Move, ...]
    wins: int
    trajectories: int
    certain: bool = False
    spread: float | None = None
    calibration: Calibration | None = None

    @property
    def chance(self) -> float | None:
        """The chance that the player wins by the play, 0 to 1; None without any trajectory."""
        if not self.trajectories:
            return None
        if self.calibration is None:
            return self.wins / self.trajectories
        return self.calibration.chance((self.wins + 0.5) / (self.trajectories + 1))

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
        error = sqrt(share * (1 - share) / n)
        if self.calibration is not None:
            error = self.calibration.error(share, error)
        return max(self.spread or 0.0, error)
