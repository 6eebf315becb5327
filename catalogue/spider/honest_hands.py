"""Simulated starting hands of Spider from an honest shuffle, many at a time.

A *hand* is the ten cards that are face up before the first move, the last one of each column, in
the order of the columns. Cards are given as they count when Spider is played with 1, 2 or 4 suits.
"""

# mypy: allow-untyped-calls

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import NDArray

from engine.spider.deal import CARDS, COLUMNS, as_counted


def seeded(random_seed: int, purpose: int = 0) -> Generator:
    """The random generator of a seed; each purpose has an independent stream."""
    return Generator(Philox(np.random.SeedSequence([random_seed, purpose])))


def kinds(suits: int) -> int:
    """The number of distinct cards."""
    return 13 * suits


def kind_of(cards: NDArray[np.uint8], suits: int) -> NDArray[np.uint8]:
    """The number 0..13 · suits − 1 of the kind that each card counts as, for any shape."""
    one, two = np.uint8(1), np.uint8(2)
    if suits == 1:
        return cards >> two
    return cards if suits == 4 else (cards >> two << one) | (cards & one)


def honest_hands(generator: Generator, hands: int, suits: int = 4) -> NDArray[np.uint8]:
    """Draw hands of an honest shuffle, uint8[hands, 10].

    The first ten steps of a Fisher–Yates shuffle of 104 places, for all hands at once: step i swaps
    place i with one of the places from i on. Few places are touched, so only the swaps are kept:
    the card at a place is its original one, or the one put there by the last swap with it.
    """
    picked: list[NDArray[np.uint8]] = []
    displaced: list[NDArray[np.uint8]] = []
    dealt: list[NDArray[np.uint8]] = []
    for step in range(COLUMNS):
        place = generator.integers(step, CARDS, hands, dtype=np.uint8)
        here = np.full(hands, step, dtype=np.uint8)
        there = place.copy()
        for earlier, moved in zip(picked, displaced, strict=True):
            np.copyto(here, moved, where=earlier == step)
            np.copyto(there, moved, where=earlier == place)
        picked.append(place)
        displaced.append(here)
        dealt.append(there)
    cards: NDArray[np.uint8] = np.stack(dealt, axis=1) % np.uint8(52)
    return as_counted(cards, suits)
