"""Statistical power: the number of games needed to detect a server that cheats.

The alternative is a server that redeals kind hands, those of `catalogue.spider.watch.kind_from`
guaranteed turnovers or more, once, with probability one half. Everything is computed from the exact
distributions of sums of turnovers; nothing is simulated.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from catalogue.spider.turnover_chances import floats, guaranteed_chances, mean
from catalogue.spider.watch import kind_from, redealt

# Start of the search for a number of games.
_FEW = 10


def redealing_power(games: int, level: float) -> float:
    """The probability that the test of mean guaranteed turnovers detects that server.

    Args:
        games: number of hands.
        level: the server is detected if the p-value is at most this.
    """
    honest = guaranteed_chances()
    expected = games * float(mean(honest))
    distance = np.round(np.abs(np.arange((len(honest) - 1) * games + 1) - expected), 9)
    order = np.argsort(-distance, kind="stable")
    tail = sum_chances(honest, games)[order].cumsum()
    # No two sums are equally far off, since the expectation is not a multiple of one half.
    noticed = order[tail <= level]
    cheating = sum_chances(redealt(honest, kind_from(honest)), games)
    return float(min(1.0, cheating[noticed].sum()))


@cache
def games_for_power(power: float, level: float) -> int:
    """The fewest games at which `redealing_power` reaches a power and keeps it for the next ten."""
    few, many = _FEW, 2 * _FEW
    while redealing_power(many, level) < power:
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if redealing_power(middle, level) >= power else (middle, many)
    # Sums are whole numbers, so the power does not rise monotonically.
    start = max(_FEW, many - 20)
    reached = [redealing_power(n, level) >= power for n in range(start, many + 60)]
    runs = [start + at for at in range(len(reached) - 10) if all(reached[at : at + 11])]
    return runs[0] if runs else many


def sum_chances(chances: Sequence[Fraction], games: int) -> NDArray[np.float64]:
    """The probability of each sum of turnovers over this many games."""
    size = (len(chances) - 1) * games + 1
    spectrum = np.fft.rfft(floats(chances), size) ** games
    return np.clip(np.fft.irfft(spectrum, size), 0.0, 1.0)
