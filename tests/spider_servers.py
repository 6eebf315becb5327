"""Simulated Spider servers for tests of fairness."""

import numpy as np
from numpy.typing import NDArray

from catalogue.spider.honest_hands import honest_hands, seeded
from engine.spider.turnovers import guaranteed_turnovers


def honest(random_seed: int, hands: int, suits: int = 4) -> NDArray[np.uint8]:
    """Hands drawn apart from what `examine` draws with the same seed."""
    return honest_hands(seeded(random_seed, 77), hands, suits)


def redealing(random_seed: int, hands: int) -> NDArray[np.uint8]:
    """Hands of a server that redeals every second kind hand, once."""
    generator = seeded(random_seed, 78)
    dealt = honest_hands(generator, hands)
    again = (guaranteed_turnovers(dealt) >= 5) & (generator.random(hands) < 0.5)
    dealt[again] = honest_hands(generator, int(again.sum()))
    return dealt
