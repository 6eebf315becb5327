"""Shuffles of other solitaire programs, so that their deal numbers give the same deals here.

Each returns decks in the order in which the program deals them; the game that is dealt decides
where the cards go.

The algorithms follow the sources of those programs and lonelybot's account of them, and are
written independently; the tests hold deals made by the programs themselves. All kernels work on
whole numbers well within int64: no step wraps around unless its comment says so.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np
from numpy.typing import NDArray

from engine.cards import SUITS, make_card
from engine.kernels.decorators import kernel


def _deck(suits: str, *, by_suit: bool) -> NDArray[np.uint8]:
    """A new deck with the suits in this order, sorted by suit or by rank."""
    order = [SUITS.index(letter) for letter in suits]
    if by_suit:
        cards = [make_card(rank, suit) for suit in order for rank in range(13)]
    else:
        cards = [make_card(rank, suit) for rank in range(13) for suit in order]
    return np.array(cards, dtype=np.uint8)


_SHOOTME_DECK = _deck("CDSH", by_suit=True)
_GREENFELT_DECK = _deck("CDHS", by_suit=True)
_SOLVITAIRE_DECK = _deck("CHSD", by_suit=False)
_MICROSOFT_DECK = _deck("CDHS", by_suit=False)


@kernel
def _signed(x):
    """The 32 low bits of x as C reads them in an int."""
    return ((x + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@kernel
def _shootme_step(value, mix, twist):
    """One step of ShootMe's generator over three C ints."""
    difference = _signed(twist - mix)
    y = difference ^ twist ^ value ^ mix
    mix = mix ^ twist ^ value
    value = value ^ _signed(twist - mix)
    twist = twist ^ value ^ y
    value = value ^ _signed(twist << 7) ^ (mix >> 16) ^ _signed(y << 8)
    return value, mix, twist


@kernel
def _shootme_decks(first, new_deck, decks):
    """Decks of ShootMe/Klondike-Solver: 269 swaps of two random places."""
    deck = np.empty(52, dtype=np.uint8)
    for number in range(decks.shape[0]):
        seed = first + number
        value, mix, twist = seed, 51651237, 895213268
        for _ in range(50):
            value, mix, twist = _shootme_step(value, mix, twist)
        value = _signed(0x9417B3AF) ^ seed ^ (seed >> 15)
        for _ in range(950):
            value, mix, twist = _shootme_step(value, mix, twist)
        deck[:] = new_deck
        for _ in range(269):
            value, mix, twist = _shootme_step(value, mix, twist)
            a = (value & 0x7FFFFFFF) % 52
            value, mix, twist = _shootme_step(value, mix, twist)
            b = (value & 0x7FFFFFFF) % 52
            deck[a], deck[b] = deck[b], deck[a]
        decks[number] = deck


@kernel
def _greenfelt_decks(first, new_deck, decks):
    """Decks of greenfelt.net: the minimal standard generator of Park and Miller (1988) in seven
    passes that swap the card of every place with a random one; the deck is dealt from its end.
    """
    deck = np.empty(52, dtype=np.uint8)
    for number in range(decks.shape[0]):
        state = first + number
        deck[:] = new_deck
        for _ in range(7):
            for place in range(52):
                state = state * 16807 % 0x7FFFFFFF
                other = state % 52
                deck[place], deck[other] = deck[other], deck[place]
        decks[number] = deck[::-1]


@kernel
def _mersenne_seed(state, seed):
    """Set up int64[624] as C++'s mt19937 does from a 32-bit seed."""
    state[0] = seed
    for i in range(1, 624):
        # At most 2^31 * 2^32 before the mask.
        previous = state[i - 1]
        state[i] = (1812433253 * (previous ^ (previous >> 30)) + i) & 0xFFFFFFFF


@kernel
def _mersenne_next(state, at):
    """Renew word `at` of the state (int64[624]) and temper it: the next 32-bit output."""
    joined = (state[at] & 0x80000000) | (state[(at + 1) % 624] & 0x7FFFFFFF)
    word = state[(at + 397) % 624] ^ (joined >> 1)
    if joined & 1:
        word = word ^ 0x9908B0DF
    state[at] = word
    word = word ^ (word >> 11)
    word = word ^ ((word << 7) & 0x9D2C5680)
    word = word ^ ((word << 15) & 0xEFC60000)
    return word ^ (word >> 18)


@kernel
def _solvitaire_decks(first, new_deck, decks):
    """Decks of Solvitaire: mt19937, Fisher–Yates, Boost's uniform_int_distribution (equal buckets,
    surplus words rejected).
    """
    deck = np.empty(len(new_deck), dtype=np.uint8)
    state = np.empty(624, dtype=np.int64)
    for number in range(decks.shape[0]):
        _mersenne_seed(state, first + number)
        at = 0
        deck[:] = new_deck
        for place in range(len(deck) - 1, 0, -1):
            bucket = 0xFFFFFFFF // (place + 1)
            if 0xFFFFFFFF % (place + 1) == place:
                bucket += 1
            while True:
                other = _mersenne_next(state, at) // bucket
                at = (at + 1) % 624
                if other <= place:
                    break
            deck[place], deck[other] = deck[other], deck[place]
        decks[number] = deck


@kernel
def _microsoft_decks(first, new_deck, decks):
    """Decks of Microsoft's FreeCell: a linear congruential generator, whose 15 high bits (16 beyond
    2^31, and one more than those beyond 2^32) choose the card of each place from the last one down;
    the deck is dealt from its end.
    """
    deck = np.empty(52, dtype=np.uint8)
    for number in range(decks.shape[0]):
        seed = first + number
        # At most 2^33 * 2^18.
        state = seed & 0xFFFFFFFF if seed >= 0x100000000 else seed
        deck[:] = new_deck
        for place in range(51, 0, -1):
            state = (state * 214013 + 2531011) & 0x1FFFFFFFF
            if seed >= 0x100000000:
                word = ((state >> 16) & 0xFFFF) + 1
            else:
                word = (state >> 16) & 0x7FFF
                if seed >= 0x80000000:
                    word = word | 0x8000
            other = word % (place + 1)
            deck[place], deck[other] = deck[other], deck[place]
        decks[number] = deck[::-1]


def shootme_decks(first: int, count: int) -> NDArray[np.uint8]:
    """Klondike-Solver's decks of the seeds first, first + 1, … as dealt: uint8[count, 52]."""
    decks = np.empty((count, 52), dtype=np.uint8)
    _shootme_decks(first, _SHOOTME_DECK, decks)
    return decks


def greenfelt_decks(first: int, count: int) -> NDArray[np.uint8]:
    """Greenfelt's decks of the seeds first, first + 1, … as dealt: uint8[count, 52]."""
    decks = np.empty((count, 52), dtype=np.uint8)
    _greenfelt_decks(first, _GREENFELT_DECK, decks)
    return decks


def solvitaire_decks(first: int, count: int, decks: int = 1, ranks: int = 13) -> NDArray[np.uint8]:
    """Solvitaire's decks of the seeds first, first + 1, … as dealt.

    Args:
        first: the first seed.
        count: number of seeds.
        decks: number of decks that are shuffled together.
        ranks: number of ranks of a deck, from the ace up.

    Returns:
        uint8[count, 4 · ranks · decks].
    """
    new = np.tile(_SOLVITAIRE_DECK[: 4 * ranks], decks)
    shuffled = np.empty((count, len(new)), dtype=np.uint8)
    _solvitaire_decks(first, new, shuffled)
    return shuffled


def microsoft_decks(first: int, count: int) -> NDArray[np.uint8]:
    """Microsoft's FreeCell decks of the seeds first, first + 1, … as dealt: uint8[count, 52].

    Up to 32,000 they are those of the program, up to 2^33 − 1 as PySolFC and fc-solve go on.
    """
    decks = np.empty((count, 52), dtype=np.uint8)
    _microsoft_decks(first, _MICROSOFT_DECK, decks)
    return decks
