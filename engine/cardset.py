"""Sets of cards as the low 52 bits of a signed 64-bit integer, and their operations.

A card is bit ``4·rank + 2·(colour xor parity of rank) + (suit >> 1)``, so that

* *twins* (same rank and colour) are the neighbours ``2i`` and ``2i + 1``, a *pair*;
* the two cards that a card can be built on, its *parents*, are the pair four bits up;
* the next card of its suit is four bits up with the pairs of the nibble exchanged.

So a few shifts over whole sets find the cards that can be built on, or that are next on the
foundations. No set ever uses the sign bit, so the same source runs
compiled and, with the compiler switched off, on plain Python integers.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np

from engine.kernels.compiler import COMPILED
from engine.kernels.decorators import kernel, small_kernel

ALL = (1 << 52) - 1
ACES = 0xF
KINGS = 0xF << 48
LOW_TWO_RANKS = 0xFF
EVEN = 0x5555555555555  # the lower bit of each pair
LOW_PAIRS = 0x3333333333333  # the lower pair of each nibble
_ODD_RANKS = 0x0F0F0F0F0F0F0


def _bit(card: int) -> int:
    rank, suit = card >> 2, card & 3
    return 4 * rank + 2 * ((suit & 1) ^ (rank & 1)) + (suit >> 1)


# card -> bit and bit -> card, as arrays for kernels.
BIT_OF_CARD = np.array([_bit(card) for card in range(52)], dtype=np.int64)
CARD_OF_BIT = np.argsort(BIT_OF_CARD).astype(np.int64)

if not COMPILED:

    def popcount(cards):
        """How many cards are in a set."""
        return int(cards).bit_count()

    def lowest(cards):
        """The lowest bit of a set that is not empty."""
        cards = int(cards)
        return (cards & -cards).bit_length() - 1

    def highest(cards):
        """The highest bit of a set that is not empty."""
        return int(cards).bit_length() - 1

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def popcount(typingctx, cards):
        """How many cards are in a set."""

        def codegen(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.int64), codegen

    @intrinsic
    def lowest(typingctx, cards):
        """The lowest bit of a set that is not empty."""

        def codegen(context, builder, signature, args):
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), codegen

    @intrinsic
    def highest(typingctx, cards):
        """The highest bit of a set that is not empty."""

        def codegen(context, builder, signature, args):
            zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
            return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

        return types.int64(types.int64), codegen


@small_kernel
def both_of_pairs(lower_bits):
    """Both cards of each pair whose lower bit is given."""
    return lower_bits | (lower_bits << 1)


@small_kernel
def next_in_suit(cards):
    """The next card of the suit of each card, as a set."""
    above = (cards << 4) & ALL
    return ((above & LOW_PAIRS) << 2) | ((above >> 2) & LOW_PAIRS)


@small_kernel
def previous_in_suit(cards):
    """The previous card of the suit of each card, as a set."""
    below = cards >> 4
    return ((below & LOW_PAIRS) << 2) | ((below >> 2) & LOW_PAIRS)


@small_kernel
def _suits_aligned(cards):
    """The pairs of every second rank exchanged, so that a suit's cards are four bits apart."""
    odd = cards & _ODD_RANKS
    return (cards ^ odd) | ((odd & LOW_PAIRS) << 2) | ((odd >> 2) & LOW_PAIRS)


@kernel
def with_all_lower(cards):
    """The cards of a set for which it also has all lower cards of their suit."""
    runs = _suits_aligned(cards)
    runs &= runs << 4 | 0xF
    runs &= runs << 8 | 0xFF
    runs &= runs << 16 | 0xFFFF
    runs &= runs << 32 | 0xFFFFFFFF
    return _suits_aligned(runs)


@small_kernel
def swap_twins(cards):
    """The twins of these cards."""
    return ((cards & EVEN) << 1) | ((cards >> 1) & EVEN)
