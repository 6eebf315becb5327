"""Chi-squared test over card × place that a dealer's shuffles are uniform.

Count how often each card lies at each place of n deals and compare with n/52 everywhere. The usual
statistic X² = Σ (count − n/52)² / (n/52) is *not* chi-squared here: each deal adds a permutation
matrix, whose rows and columns each hold exactly one 1, so its cells are not drawn independently.
For a uniform permutation of m cards the cells have the covariance

    1/(m−1) · (I − J/m) ⊗ (I − J/m)        (J all ones)

as follows from P(cell) = 1/m, P(two cells of one row or column) = 0 and P(two other cells) =
1/(m(m−1)). The Kronecker product is a projection of rank (m−1)². So by the central limit theorem
X² · (m−1)/m is chi-squared with (m−1)² degrees of freedom: 51/52 · X² with 2,601.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2


@dataclass(frozen=True, slots=True)
class Uniformity:
    """The result of the test.

    Attributes:
        deals: number of deals.
        statistic: (m−1)/m · X².
        degrees: degrees of freedom, (m−1)².
        p_value: the chance of a statistic at least this large from a uniform shuffle.
    """

    deals: int
    statistic: float
    degrees: int
    p_value: float


def card_by_place(deals: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How often each card lies at each place: deals uint8[n, m], each row a permutation of 0..m−1,
    give int64[m, m] indexed by card and place.
    """
    cards = deals.shape[1]
    cells = deals.astype(np.int64) * cards + np.arange(cards)
    return np.bincount(cells.ravel(), minlength=cards * cards).reshape(cards, cards)


def uniformity(counts: NDArray[np.int64]) -> Uniformity:
    """Test counts int64[m, m], the sum of `card_by_place` over any number of blocks."""
    cards = counts.shape[0]
    deals = int(counts[0].sum())
    expected = deals / cards
    pearson = float(((counts - expected) ** 2).sum() / expected)
    statistic = pearson * (cards - 1) / cards
    degrees = (cards - 1) ** 2
    return Uniformity(deals, statistic, degrees, float(chi2.sf(statistic, degrees)))
