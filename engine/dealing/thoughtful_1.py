"""Deals of `thoughtful-1`: few in plain Python, many by the kernel.

`engine.dealing.philox` says how the dealer shuffles. Importing the compiler for its kernel takes as
long as dealing a thousand deals here, and compiling it as long as many more.
"""

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiler import COMPILED

# Dealing this many takes some 25 ms, and loading the kernel a tenth of it.
FEW = 200
# One after another, as a file names them: after a number of them, as many again are likely.
MANY = 2000

# Deals dealt here so far.
_dealt = 0
# Deals dealt together where one seed after another is asked for: dealing one takes a fifth of the
# time of calling the kernel.
_TOGETHER = 64
# The latest of them: their first seed, the number of decks, and the deals.
_latest: tuple[int, int, NDArray[np.uint8]] = (0, 0, np.empty((0, 0), dtype=np.uint8))

_WORD = (1 << 64) - 1
_MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
_KEY_STEPS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_ROUNDS = 10


def thoughtful_1_deals(first: int, count: int, decks: int = 1) -> NDArray[np.uint8]:
    """The flat orders uint8[count, 52 · decks] of the seeds first, first + 1, …, below 2^64."""
    global _dealt
    enough = FEW if "engine.kernels.decorators" in sys.modules else MANY
    if COMPILED and (count > FEW or _dealt > enough):
        from engine.dealing.philox import thoughtful_1_block

        return _one(first, decks) if count == 1 else thoughtful_1_block(first, count, decks)
    _dealt += count
    deals = [plain_deal(seed, decks) for seed in range(first, first + count)]
    return np.array(deals, dtype=np.uint8).reshape(count, 52 * decks)


def _one(seed: int, decks: int) -> NDArray[np.uint8]:
    """Deal a seed by the kernel, and those after it if it is the next one."""
    global _latest
    from engine.dealing.philox import thoughtful_1_block

    first, same, deals = _latest  # other threads replace it as a whole
    if same != decks or not first <= seed < first + len(deals):
        follows = same == decks and seed == first + len(deals)
        first, deals = seed, thoughtful_1_block(seed, _TOGETHER if follows else 1, decks)
        _latest = first, decks, deals
    return deals[seed - first : seed - first + 1].copy()


def plain_deal(seed: int, decks: int = 1) -> list[int]:
    """The flat order of one seed."""
    cards = list(range(52)) * decks
    words = _words(seed)
    for place in range(len(cards) - 1, 0, -1):
        size = place + 1
        # Words past the last whole multiple of the size would favour small results.
        end = (_WORD + 1) // size * size
        other = next(word for word in words if word < end) % size
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def _words(seed: int) -> Iterator[int]:
    """The words of Philox4x64-10 with the key (seed, 0), for the counters 1, 2, 3, …"""
    counter = 0
    while True:
        counter += 1
        x0, x1, x2, x3 = counter, 0, 0, 0
        k0, k1 = seed, 0
        for _ in range(_ROUNDS):
            product_0 = _MULTIPLIERS[0] * x0
            product_2 = _MULTIPLIERS[1] * x2
            x0, x2 = product_2 >> 64 ^ x1 ^ k0, product_0 >> 64 ^ x3 ^ k1
            x1, x3 = product_2 & _WORD, product_0 & _WORD
            k0 = k0 + _KEY_STEPS[0] & _WORD
            k1 = k1 + _KEY_STEPS[1] & _WORD
        yield from (x0, x1, x2, x3)
