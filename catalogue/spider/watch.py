"""An e-value against honest dealing, which may be watched after every game.

An honest shuffle gives g turnovers with the known probability p(g), independently for each game. A
way of cheating gives them with another probability q(g). The *factor* of a game is q(g) / p(g): its
mean under p is Σ p(g) · q(g) / p(g) = 1, so the product of the factors of all games so far is a
nonnegative martingale that starts at 1. So is any mixture of such products with fixed weights, and
the mean of two of them. By Ville's inequality (1939, *Étude critique de la notion de collectif*)
the probability that it ever reaches 20 under an honest shuffle is at most 1 in 20, however long it
is watched and whenever one stops. See also Shafer, Vovk (2019), *Game-Theoretic Foundations for
Probability and Finance*, and Ramdas, Grünwald, Vovk, Shafer (2023), *Game-theoretic statistics and
safe anytime-valid inference*.

The mixture consists of these ways of cheating:

- *tilts*, q(g) ∝ p(g) · ratio^g: each additional turnover makes a hand likelier (a kind server,
  ratio above 1) or less likely (an unkind one) by the same ratio;
- *kind hands redealt*: a hand with `kind` turnovers or more is redealt, once, with probability one
  half. With K = P(kind or more), q(g) = p(g) · (1 − ½ · [g kind] + ½ · K).

If it is known which games were won, a third process tests whether hands depend on that: the next
hand is tilted by a ratio after a win, and after a loss not at all or the other way. The tilt is
determined before the hand is dealt, so the mean factor is 1 again, however well one plays.

Everything is computed in fractions and only then rounded, so the mean factor is exactly 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from catalogue.spider.turnover_chances import guaranteed_chances, suited_chances

# At most 1 in 20 of all honest servers ever reach it.
THRESHOLD = 20
REDEAL_CHANCE = Fraction(1, 2)
REDEAL_WEIGHT = Fraction(1, 4)
# A hand is kind if at most this share of all hands have as many turnovers or more.
KIND_SHARE = Fraction(2, 5)
# Results of a game.
UNKNOWN, LOST, WON = -1, 0, 1
RATIOS = tuple(Fraction(a, b) for a, b in ((2, 3), (4, 5), (9, 10), (10, 9), (5, 4), (3, 2)))


@dataclass(frozen=True, slots=True)
class Alternative:
    """A way of cheating.

    Attributes:
        name: its description.
        weight: its share of the mixture.
        factors: q(g) / p(g) for g = 0, 1, …; 1 where p(g) is 0.
    """

    name: str
    weight: Fraction
    factors: tuple[Fraction, ...]


def kind_from(chances: Sequence[Fraction]) -> int:
    """The smallest number of turnovers of a kind hand."""
    return next(g for g in range(len(chances)) if sum(chances[g:]) <= KIND_SHARE)


def redealt(chances: Sequence[Fraction], kind: int) -> tuple[Fraction, ...]:
    """The distribution of a server that redeals kind hands, once, with probability one half."""
    again = REDEAL_CHANCE * sum(chances[kind:])
    return tuple(
        chance * (1 + again - (REDEAL_CHANCE if turned >= kind else 0))
        for turned, chance in enumerate(chances)
    )


def tilted(chances: Sequence[Fraction], ratio: Fraction) -> tuple[Fraction, ...]:
    """The distribution of a server where each turnover makes a hand likelier by a ratio."""
    weighed = [chance * ratio**turned for turned, chance in enumerate(chances)]
    return tuple(each / sum(weighed) for each in weighed)


@cache
def alternatives(chances: tuple[Fraction, ...]) -> tuple[Alternative, ...]:
    """The mixture tested against exact probabilities; its weights add up to 1."""
    kind = kind_from(chances)
    mixed = [
        Alternative(
            f"hands of {kind} turnovers or more are redealt with probability {REDEAL_CHANCE}",
            REDEAL_WEIGHT,
            _factors(redealt(chances, kind), chances),
        )
    ]
    for ratio in RATIOS:
        mixed.append(
            Alternative(
                f"each turnover makes a hand likelier by a factor of {ratio}",
                (1 - REDEAL_WEIGHT) / len(RATIOS),
                _factors(tilted(chances, ratio), chances),
            )
        )
    return tuple(mixed)


def _factors(cheating: Sequence[Fraction], honest: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(q / p if p else Fraction(1) for q, p in zip(cheating, honest, strict=True))


def log_evidence(
    guaranteed: NDArray[np.int64],
    suited: NDArray[np.int64],
    suits: int,
    won: NDArray[np.int8] | None = None,
) -> NDArray[np.float64]:
    """The natural logarithm of the e-value after each game, the mean of `log_processes`."""
    return log_mean(log_processes(guaranteed, suited, suits, won))


def log_mean(processes: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """The logarithm of the mean of e-values, given their logarithms, all of one shape."""
    total = np.logaddexp.reduce(list(processes.values()), axis=0)
    mean: NDArray[np.float64] = total - np.log(len(processes))
    return mean


def log_processes(
    guaranteed: NDArray[np.int64],
    suited: NDArray[np.int64],
    suits: int,
    won: NDArray[np.int8] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Natural logarithms of each process after each game, float64[…, n].

    Args:
        guaranteed: guaranteed turnovers of each game, int64[…, n]; games run along the last axis.
        suited: their suited turnovers, of the same shape; with one suit they equal the guaranteed
            ones and are left out.
        suits: number of suits.
        won: `WON`, `LOST` or `UNKNOWN` for each game, int8 of the same shape; None if not known.
    """
    found = {"guaranteed": _log_process(guaranteed, guaranteed_chances())}
    if suits > 1:
        found["suited"] = _log_process(suited, suited_chances(suits))
    if won is not None:
        found["outcomes"] = _log_after_outcomes(guaranteed, won)
    return found


def _log_process(
    turnovers: NDArray[np.int64], chances: tuple[Fraction, ...]
) -> NDArray[np.float64]:
    total = np.full(turnovers.shape, -np.inf)
    for other in alternatives(chances):
        logs = _logs(other.factors)[turnovers]
        np.logaddexp(total, np.log(float(other.weight)) + logs.cumsum(axis=-1), total)
    return total


def _log_after_outcomes(
    guaranteed: NDArray[np.int64], won: NDArray[np.int8]
) -> NDArray[np.float64]:
    before = np.full(won.shape, UNKNOWN)
    before[..., 1:] = won[..., :-1]
    total = np.full(guaranteed.shape, -np.inf)
    chances = guaranteed_chances()
    for ratio in RATIOS:
        for after_loss in (Fraction(1), 1 / ratio):
            tilts = {WON: ratio, LOST: after_loss, UNKNOWN: Fraction(1)}
            logs = np.zeros(guaranteed.shape)
            for outcome, tilt in tilts.items():
                factors = _logs(_factors(tilted(chances, tilt), chances))
                logs += np.where(before == outcome, factors[guaranteed], 0.0)
            np.logaddexp(total, logs.cumsum(axis=-1) - np.log(2 * len(RATIOS)), total)
    return total


def _logs(factors: Sequence[Fraction]) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = np.log(np.array([float(factor) for factor in factors]))
    return logs
