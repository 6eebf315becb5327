"""The exact distribution of turnovers under an honest shuffle.

The ten cards that are face up at the start of Spider are a uniform choice of ten out of two decks.
Their turnovers, defined in `engine.spider.turnovers`, depend only on the number of cards of each
kind: over each *chain* of ranks they are the sum of min(cards of a rank, cards of the next). For
guaranteed turnovers there is one chain, with eight cards of each of 13 ranks; for suited ones there
is a chain for each suit, with 8 / suits cards of each rank.

A chain is processed rank by rank. The state is the number of cards chosen so far, how many of them
are of the last rank, and the turnovers so far; c cards of a rank can be chosen in C(copies, c)
ways. Chains are coupled only by the total number of cards, so they are convolved.
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
    """The number of ways in which `cards` cards give 0, 1, …, cards turnovers.

    Args:
        ranks: number of ranks of a chain.
        copies: number of cards of each rank of a chain, counted as distinct.
        chains: number of chains.
        cards: number of cards chosen out of the ranks · copies · chains.
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
    """Number of ways by the number of cards chosen out of one chain and their turnovers."""
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
    """The probabilities of 0, 1, …, 10 guaranteed turnovers, which add up to exactly 1."""
    return _chances(1)


def suited_chances(suits: int) -> tuple[Fraction, ...]:
    """The probabilities of 0, 1, …, 10 suited turnovers with 1, 2 or 4 suits."""
    return _chances(suits)


def mean(chances: Sequence[Fraction]) -> Fraction:
    """The expectation under exact probabilities of 0, 1, …"""
    return sum((turned * chance for turned, chance in enumerate(chances)), start=Fraction(0))


def floats(chances: Sequence[Fraction]) -> NDArray[np.float64]:
    """Probabilities as floats that add up to 1."""
    rounded = np.array([float(chance) for chance in chances])
    shares: NDArray[np.float64] = rounded / rounded.sum()
    return shares


@cache
def _chances(chains: int) -> tuple[Fraction, ...]:
    ways = turnover_ways(len(RANKS), _OF_A_RANK // chains, chains, COLUMNS)
    return tuple(Fraction(way, sum(ways)) for way in ways)
