"""Random number generator for kernels, with a state of two integers.

A xorshift of 32 bits plus a counter that steps through all 32-bit numbers, added (Marsaglia 2003,
"Xorshift RNGs", the idea of xorwow at half the width): period 2**32 · (2**32 − 1). The state is
int64[2] with 32 bits in each, so every step stays within int64, and compiled and interpreted
kernels give the same numbers. Fit for breaking ties, not for secrets or for dealing cards.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.kernels.decorators import kernel

_MASK = 0xFFFFFFFF
_STEP = 362437


@kernel
def seed_rng(cards, random_seed, rng):
    """Seed the state rng int64[2] from the cards uint8[52] of a deal and a random seed from 0 up.

    So the random numbers of a game depend on its deal and random seed alone.
    """
    mixed = mix_bits(random_seed & _MASK) ^ (random_seed >> 32)
    for place in range(cards.shape[0]):
        mixed = mix_bits((mixed + 53 * place + int(cards[place]) + 1) & _MASK)
    rng[0] = mixed | 1  # zero is a fixed point of a xorshift
    rng[1] = mix_bits(mixed ^ _MASK)


@kernel
def random_below(rng, bound):
    """A random integer from 0 to bound − 1; the bias is below bound / 2**32."""
    x = rng[0]
    x ^= (x << 13) & _MASK
    x ^= x >> 17
    x ^= (x << 5) & _MASK
    rng[0] = x
    rng[1] = (rng[1] + _STEP) & _MASK
    return (((x + rng[1]) & _MASK) * bound) >> 32


@kernel
def split_rng(rng, others):
    """Seed the state others int64[2] by two numbers of rng, which its use then leaves alone."""
    others[0] = mix_bits(random_below(rng, 1 << 31)) | 1
    others[1] = mix_bits(random_below(rng, 1 << 31))


@kernel
def mix_bits(x):
    """Mix 32 bits so that each bit of x affects about half the bits of the result."""
    x = ((x >> 16) ^ x) * 0x45D9F3B & _MASK
    x = ((x >> 16) ^ x) * 0x45D9F3B & _MASK
    return (x >> 16) ^ x
