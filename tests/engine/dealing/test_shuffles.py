"""Tests of other programs' shuffles: each kernel against the same procedure in plain Python."""

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import parse_card
from engine.dealing.dealers import get_dealer

RANKS = "A23456789TJQK"


def naive_klondike_solver(seed: int) -> list[int]:
    def c_int(x: int) -> int:
        return ctypes.c_int32(x).value

    value, mix, twist = seed, 51651237, 895213268

    def step() -> int:
        nonlocal value, mix, twist
        y = c_int(value ^ c_int(twist - mix) ^ value)
        y ^= twist ^ value ^ mix
        mix ^= twist ^ value
        value ^= c_int(twist - mix)
        twist ^= value ^ y
        value ^= c_int(twist << 7) ^ (mix >> 16) ^ c_int(y << 8)
        return value & 0x7FFFFFFF

    for _ in range(50):
        step()
    value = c_int(0x9417B3AF) ^ (seed ^ (seed >> 15))
    for _ in range(950):
        step()
    deck = [rank + suit for suit in "CDSH" for rank in RANKS]
    for _ in range(269):
        a = step() % 52
        b = step() % 52
        deck[a], deck[b] = deck[b], deck[a]
    columns: list[list[str]] = [[] for _ in range(7)]
    for row in range(7):
        for column in range(row, 7):
            columns[column].append(deck.pop(0))
    return [parse_card(name) for name in [*chain(*columns), *deck]]


def naive_greenfelt(seed: int) -> list[int]:
    deck = [rank + suit for suit in "CDHS" for rank in RANKS]
    for _ in range(7):
        for place in range(52):
            seed = seed * 7**5 % (2**31 - 1)
            other = seed % 52
            deck[place], deck[other] = deck[other], deck[place]
    columns: list[list[str]] = [[] for _ in range(7)]
    for row in range(7):
        for column in range(row, 7):
            columns[column].append(deck.pop())
    return [parse_card(name) for name in [*chain(*columns), *reversed(deck)]]


def naive_solvitaire(seed: int) -> list[int]:
    # NumPy's legacy seeding by one number is that of std::mt19937.
    words = iter(np.random.RandomState(seed).randint(0, 2**32, 200, dtype=np.uint32).tolist())
    deck = [rank + suit for rank in RANKS for suit in "CHSD"]
    for place in range(51, 0, -1):
        bucket = (2**32 - 1) // (place + 1) + ((2**32 - 1) % (place + 1) == place)
        other = next(words) // bucket
        while other > place:
            other = next(words) // bucket
        deck[place], deck[other] = deck[other], deck[place]
    stock = [deck.pop() for _ in range(24)]
    columns: list[list[str]] = [[] for _ in range(7)]
    for row in range(7):
        for column in range(6, row - 1, -1):
            columns[column].append(deck.pop())
    # The card that was put on the stock last is drawn first.
    return [parse_card(name) for name in [*chain(*columns), *reversed(stock)]]


SHUFFLES = [
    pytest.param("klondike-solver", naive_klondike_solver, id="klondike-solver"),
    pytest.param("greenfelt", naive_greenfelt, id="greenfelt"),
    pytest.param("solvitaire", naive_solvitaire, id="solvitaire"),
]


@pytest.mark.parametrize(("dealer", "naive"), SHUFFLES)
@given(first=st.integers(1, 2**31 - 4), count=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_a_block_is_the_naive_deals(
    dealer: str,
    naive: Callable[[int], list[int]],
    first: int,
    count: int,
) -> None:
    block = get_dealer(dealer).deal_block(first, count)
    assert block.tolist() == [naive(first + k) for k in range(count)]


def test_the_kernels_run_without_the_compiler() -> None:
    program = (
        "import warnings; warnings.simplefilter('error')\n"
        "from engine.dealing.dealers import get_dealer\n"
        "print([get_dealer(dealer).deal_block(2147483646, 1)[0].tolist()\n"
        "       for dealer in ('klondike-solver', 'greenfelt', 'solvitaire')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [
        naive(2147483646) for naive in (naive_klondike_solver, naive_greenfelt, naive_solvitaire)
    ]
