"""The contract of a method that tells how forgiving a deal is: which plays keep a win.

A *play* is what a person would call a move that matters: several standard moves that belong
together, such as turns of the stock and the card then played. What loses nothing and changes
nothing is none. Each game's method defines its plays.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Plays(NamedTuple):
    """The number of plays of a position, of those that keep the win, and of those that lose it.

    Of the others it is not known.
    """

    plays: int
    winning: int
    losing: int

    @property
    def is_choice(self) -> bool:
        """Whether some play keeps the win and another loses it."""
        return self.winning > 0 and self.losing > 0

    @property
    def is_critical(self) -> bool:
        """Whether just one of several plays keeps the win, and all others lose it."""
        return self.winning == 1 and self.losing == self.plays - 1 > 0


class Walk(NamedTuple):
    """Random play that keeps to won positions.

    Attributes:
        plays: plays made.
        choices: positions in which some play kept the win and another lost it.
        critical: those of them in which just one play kept it.
        won: whether it came to the end.
    """

    plays: int
    choices: int
    critical: int
    won: bool


class Effort(Enum):
    """The number of games that are played to estimate a chance.

    ROUGH takes milliseconds, USUAL a tenth of a second. BOUNDED is USUAL with a bound where no game
    was won, for which seconds of games are played.
    """

    ROUGH = auto()
    USUAL = auto()
    BOUNDED = auto()


class Chance(NamedTuple):
    """Estimate of the chance that play at random wins a deal.

    Attributes:
        value: the estimate, whose expectation is the chance; 0 if no game was won.
        error: its standard error; None if no game was won.
        most: two standard errors above it; where no game was won, the upper end of a 95 % interval
            by games played for that, or 1 without these games, see `Effort`.
    """

    value: float
    error: float | None
    most: float


@dataclass(frozen=True, slots=True)
class Forgiveness:
    """The offer of a method; verdicts are by complete search with a budget of nodes.

    Attributes:
        plays_along: a position, moves from it, and the number of the first move that matters -> for
            each move the plays of the position before it; None where it is not a position to choose
            at: where the stock is being turned, or where a card may go up without any loss. Before
            the first one that matters nothing is decided.
        walk: cards uint8[n] of a deal that can be won, in flat order, rules, random seed -> a walk.
        chance: cards uint8[n] of a deal in flat order, rules, effort -> the chance that play at
            random, the game's own player that does so, wins it.
        plays: whether it tells of a ruleset that the method plays.
    """

    plays_along: Callable[[Any, Sequence[Any], int], Iterator[Plays | None]]
    walk: Callable[[NDArray[np.uint8], Any, int], Walk]
    chance: Callable[[NDArray[np.uint8], Any, Effort], Chance]
    plays: Callable[[Any], bool] = lambda rules: True
