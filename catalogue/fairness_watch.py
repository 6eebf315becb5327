"""An e-value for the question whether a server deals honestly, which may be watched at every game.

An honest shuffle gives g turnovers with the known chance p(g), game by game and independently. A
way of cheating would give them with another chance q(g). The *factor* of a game is q(g) / p(g): its
mean under p is Σ p(g) · q(g) / p(g) = 1, so the product of the factors of all games so far is a
nonnegative martingale that starts at 1. So is any mixture of such products with fixed weights, and
the mean of two of them. By Ville's inequality (1939, *Étude critique de la notion de collectif*) it
ever reaches 20 with a chance of at most 1 in 20 under an honest shuffle, however long it is watched
and whenever one stops. See also Shafer, Vovk (2019), *Game-Theoretic Foundations for Probability
and Finance*, and Ramdas, Grünwald, Vovk, Shafer (2023), *Game-theoretic statistics and safe
anytime-valid inference*.

The ways of cheating that are mixed:

- *tilts*, q(g) ∝ p(g) · ratio^g: each turnover more makes a hand likelier (a kind server, ratio
  above 1) or less likely (an unkind one) by the same ratio;
- *kind hands redealt*: a hand with `kind` turnovers or more is dealt anew, once, with probability
  one half. With K = P(kind or more), q(g) = p(g) · (1 − ½ · [g kind] + ½ · K).

All of it is computed in fractions and only then rounded: that the mean factor is 1 is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from catalogue.turnover_chances import guaranteed_chances, suited_chances

# 1 in 20 of all honest servers, at most, ever get there.
THRESHOLD = 20
REDEAL_CHANCE = Fraction(1, 2)
REDEAL_WEIGHT = Fraction(1, 4)
# A hand is kind if at most this share of all hands have as many turnovers.
KIND_SHARE = Fraction(2, 5)
RATIOS = tuple(Fraction(a, b) for a, b in ((2, 3), (4, 5), (9, 10), (10, 9), (5, 4), (3, 2)))


@dataclass(frozen=True, slots=True)
class Alternative:
    """A way of dealing otherwise than honestly.

    Attributes:
        name: what it does, in words.
        weight: its share of the mixture.
        factors: q(g) / p(g) for g = 0, 1, …; 1 where p(g) is 0.
    """

    name: str
    weight: Fraction
    factors: tuple[Fraction, ...]


def kind_from(chances: Sequence[Fraction]) -> int:
    """The fewest turnovers of a kind hand."""
    return next(g for g in range(len(chances)) if sum(chances[g:]) <= KIND_SHARE)


def redealt(chances: Sequence[Fraction], kind: int) -> tuple[Fraction, ...]:
    """The chances of a server that deals kind hands anew, once, with probability one half."""
    again = REDEAL_CHANCE * sum(chances[kind:])
    return tuple(
        chance * (1 + again - (REDEAL_CHANCE if turned >= kind else 0))
        for turned, chance in enumerate(chances)
    )


@cache
def alternatives(chances: tuple[Fraction, ...]) -> tuple[Alternative, ...]:
    """The mixture that is played against exact chances; its weights add up to 1."""
    kind = kind_from(chances)
    mixed = [
        Alternative(
            f"hands of {kind} turnovers or more are redealt with probability {REDEAL_CHANCE}",
            REDEAL_WEIGHT,
            _factors(redealt(chances, kind), chances),
        )
    ]
    for ratio in RATIOS:
        tilted = [chance * ratio**turned for turned, chance in enumerate(chances)]
        mixed.append(
            Alternative(
                f"each turnover makes a hand likelier by a factor of {ratio}",
                (1 - REDEAL_WEIGHT) / len(RATIOS),
                _factors([chance / sum(tilted) for chance in tilted], chances),
            )
        )
    return tuple(mixed)


def _factors(cheating: Sequence[Fraction], honest: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(q / p if p else Fraction(1) for q, p in zip(cheating, honest, strict=True))


def log_evidence(
    guaranteed: NDArray[np.int64], suited: NDArray[np.int64], suits: int
) -> NDArray[np.float64]:
    """The natural logarithm of the e-value after each game.

    Args:
        guaranteed: guaranteed turnovers of each game, int64[…, n]; games run along the last axis.
        suited: their suited turnovers, of the same shape; with one suit they are the guaranteed
            ones, and are left out.
        suits: how many suits are told apart.

    Returns:
        float64[…, n]: the mean of the two processes, of the one if there is one suit.
    """
    first = _log_process(guaranteed, guaranteed_chances())
    if suits == 1:
        return first
    second = _log_process(suited, suited_chances(suits))
    mean: NDArray[np.float64] = np.logaddexp(first, second) - np.log(2)
    return mean


def _log_process(
    turnovers: NDArray[np.int64], chances: tuple[Fraction, ...]
) -> NDArray[np.float64]:
    total = np.full(turnovers.shape, -np.inf)
    for other in alternatives(chances):
        logs = np.log(np.array([float(factor) for factor in other.factors]))
        np.logaddexp(total, np.log(float(other.weight)) + logs[turnovers].cumsum(axis=-1), total)
    return total
