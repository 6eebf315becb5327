"""Starting hands of Spider as an honest shuffle deals them, many at a time.

A *hand* is what a person sees of a game before the first move: ten cards, the last one of each
column, in the order of the columns. Cards are as they count where 1, 2 or 4 suits are told apart.
"""

# mypy: allow-untyped-calls

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import NDArray

from engine.spider.deal import CARDS, COLUMNS, as_counted


def seeded(random_seed: int, purpose: int = 0) -> Generator:
    """The generator of a random seed; each purpose has draws of its own."""
    return Generator(Philox(np.random.SeedSequence([random_seed, purpose])))


def kinds(suits: int) -> int:
    """How many cards are told apart."""
    return 13 * suits


def kind_of(cards: NDArray[np.uint8], suits: int) -> NDArray[np.uint8]:
    """The number 0..13 · suits − 1 of what each card counts as, cards of any shape."""
    one, two = np.uint8(1), np.uint8(2)
    if suits == 1:
        return cards >> two
    return cards if suits == 4 else (cards >> two << one) | (cards & one)


def honest_hands(generator: Generator, hands: int, suits: int = 4) -> NDArray[np.uint8]:
    """Hands of an honest shuffle, uint8[hands, 10].

    The first ten steps of a Fisher–Yates shuffle of 104 places, for all hands at once: step i swaps
    place i with one of the places from i on. Few places are touched, so only the swaps are kept:
    what lies at a place is its own card, or that which the last swap with this place put there.
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
