"""How often an honest shuffle gives so many turnovers: the exact distribution, in whole numbers.

The ten cards that lie face up at the start of Spider are a uniform choice of ten out of two decks.
What counts is how many of each kind are among them, and the turnovers are those of
`engine.spider.turnovers`: over each *chain* of ranks the sum of min(cards of a rank, cards of the
next). For guaranteed turnovers there is one chain, with eight cards of each of 13 ranks; for suited
ones there is a chain for each suit that is told apart, with 8 / suits cards of each rank.

A chain is walked rank by rank. All that the rest depends on is how many cards are chosen so far,
how many of them are of the last rank, and the turnovers so far; taking c of a rank's cards can be
done in C(copies, c) ways. Chains share nothing but the number of cards, so they are convolved.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from engine.cards import RANKS
from engine.spider.deal import COLUMNS, DECKS

# Cards of one rank in two decks.
_OF_A_RANK = 4 * DECKS


@cache
def turnover_ways(ranks: int, copies: int, chains: int, cards: int) -> tuple[int, ...]:
    """In how many ways `cards` cards give 0, 1, …, cards turnovers.

    Args:
        ranks: how many ranks a chain has.
        copies: cards of each rank of a chain, all told apart.
        chains: how many chains there are.
        cards: how many cards are chosen out of the ranks · copies · chains.
    """
    total = Counter({(0, 0): 1})
    chain = _chain(ranks, copies, cards)
    for _ in range(chains):
        longer: Counter[tuple[int, int]] = Counter()
        for (used, turned), ways in total.items():
            for (more, again), others in chain.items():
                if used + more <= cards:
                    longer[used + more, turned + again] += ways * others
        total = longer
    return tuple(total[cards, turned] for turned in range(cards + 1))


def _chain(ranks: int, copies: int, cards: int) -> Counter[tuple[int, int]]:
    """Ways by the cards chosen out of one chain and their turnovers."""
    states = Counter({(0, 0, 0): 1})
    for _ in range(ranks):
        after: Counter[tuple[int, int, int]] = Counter()
        for (used, last, turned), ways in states.items():
            for taken in range(min(copies, cards - used) + 1):
                after[used + taken, taken, turned + min(last, taken)] += ways * comb(copies, taken)
        states = after
    ended: Counter[tuple[int, int]] = Counter()
    for (used, _, turned), ways in states.items():
        ended[used, turned] += ways
    return ended


def guaranteed_chances() -> tuple[Fraction, ...]:
    """The chance of 0, 1, …, 10 guaranteed turnovers; they add up to exactly 1."""
    return _chances(1)


def suited_chances(suits: int) -> tuple[Fraction, ...]:
    """The chance of 0, 1, …, 10 suited turnovers where 1, 2 or 4 suits are told apart."""
    return _chances(suits)


def mean(chances: Sequence[Fraction]) -> Fraction:
    """The expectation of exact chances of 0, 1, …"""
    return sum((turned * chance for turned, chance in enumerate(chances)), start=Fraction(0))


def floats(chances: Sequence[Fraction]) -> NDArray[np.float64]:
    """Chances as floats that add up to 1."""
    rounded = np.array([float(chance) for chance in chances])
    shares: NDArray[np.float64] = rounded / rounded.sum()
    return shares


@cache
def _chances(chains: int) -> tuple[Fraction, ...]:
    ways = turnover_ways(len(RANKS), _OF_A_RANK // chains, chains, COLUMNS)
    return tuple(Fraction(way, sum(ways)) for way in ways)
