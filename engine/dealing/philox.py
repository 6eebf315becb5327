"""Shuffle of `thoughtful-1`, which never changes.

Philox4x64-10 (Salmon, Moraes, Dror, Shaw 2011, *Parallel random numbers: as easy as 1, 2, 3*,
sections 3.3 and 4) with the key ``(seed, 0)``. It yields blocks of four words for the counters
1, 2, 3, …, the same words in the same order as ``numpy.random.Philox(key=seed).random_raw()``.
The deck starts in card order 0..51, for Spider twice; for i = 51 (or 103) down to 1 a word gives j,
uniform in 0..i, and places i and j swap cards. The array is then the flat order of the deal.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import kernel

_MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
_MULTIPLIER_2 = np.uint64(0xCA5A826395121157)
_KEY_STEP_0 = np.uint64(0x9E3779B97F4A7C15)
_KEY_STEP_1 = np.uint64(0xBB67AE8584CAA73B)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ROUNDS = 10


@kernel
def _multiply(a, b):
    """High and low word of the 128-bit product of two uint64."""
    a_high, a_low = a >> _HALF, a & _LOW_HALF
    b_high, b_low = b >> _HALF, b & _LOW_HALF
    low = a_low * b_low
    mixed_1 = a_high * b_low
    mixed_2 = a_low * b_high
    # At most 3 * (2^32 - 1): no carry is lost.
    middle = (low >> _HALF) + (mixed_1 & _LOW_HALF) + (mixed_2 & _LOW_HALF)
    high = a_high * b_high + (mixed_1 >> _HALF) + (mixed_2 >> _HALF) + (middle >> _HALF)
    return high, (middle << _HALF) | (low & _LOW_HALF)


@kernel
def philox_block(counter, key):
    """The four uint64 words of one counter (uint64, its other words 0) under the key (key, 0)."""
    x0, x1, x2, x3 = counter, _ZERO, _ZERO, _ZERO
    k0, k1 = key, _ZERO
    for _ in range(_ROUNDS):
        high_0, low_0 = _multiply(_MULTIPLIER_0, x0)
        high_2, low_2 = _multiply(_MULTIPLIER_2, x2)
        x0, x1, x2, x3 = high_2 ^ x1 ^ k0, low_2, high_0 ^ x3 ^ k1, low_0
        k0 = k0 + _KEY_STEP_0
        k1 = k1 + _KEY_STEP_1
    return x0, x1, x2, x3


@kernel
def is_surplus(word, size):
    """Whether a uint64 word lies past the last whole multiple of `size` (uint64) below 2^64.

    Such words are rejected: taking them modulo `size` would favour small results.
    """
    surplus = (_ALL_ONES % size + _ONE) % size
    return word > _ALL_ONES - surplus


@kernel
def _shuffle_block(first, deals):
    """Fill deals uint8[n, 52 · decks] with the flat orders of the seeds first, first + 1, …"""
    words = np.empty(4, dtype=np.uint64)
    seed = first
    for row in range(deals.shape[0]):
        cards = deals[row]
        for place in range(cards.shape[0]):
            cards[place] = place % 52
        counter = _ZERO
        used = 4
        for place in range(cards.shape[0] - 1, 0, -1):
            size = np.uint64(place + 1)
            while True:
                if used == 4:
                    counter = counter + _ONE
                    words[0], words[1], words[2], words[3] = philox_block(counter, seed)
                    used = 0
                word = words[used]
                used += 1
                if not is_surplus(word, size):
                    break
            other = np.intp(word % size)
            cards[place], cards[other] = cards[other], cards[place]
        seed = seed + _ONE


def thoughtful_1_block(first: int, count: int, decks: int = 1) -> NDArray[np.uint8]:
    """The flat orders uint8[count, 52 · decks] of the seeds first, first + 1, …, below 2^64."""
    deals = np.empty((count, 52 * decks), dtype=np.uint8)
    # Without the compiler the wrap-around of Philox would warn on every word.
    with np.errstate(over="ignore"):
        _shuffle_block(np.uint64(first), deals)
    return deals
