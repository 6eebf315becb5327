"""Tests of the kernel of `thoughtful-1` against NumPy's Philox, plain Python and frozen vectors."""

import json
import os
import subprocess
import sys
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.dealing import philox, thoughtful_1
from engine.dealing.dealers import get_dealer
from engine.dealing.philox import is_surplus, philox_block, thoughtful_1_block
from engine.dealing.thoughtful_1 import FEW, MANY, plain_deal, thoughtful_1_deals
from engine.kernels.compiler import COMPILED
from engine.klondike.deal import KlondikeDeal
from paths import DATA

SEEDS = st.integers(0, 2**63 - 1) | st.integers(0, 100) | st.integers(2**32 - 50, 2**32 + 50)


def naive_deal(seed: int, decks: int = 1) -> list[int]:
    """The definition of `thoughtful-1`, word by word, on Python's unbounded integers."""
    words = np.random.Philox(key=seed)
    cards = list(range(52)) * decks
    for i in range(len(cards) - 1, 0, -1):
        while True:
            word = int(words.random_raw())
            if word < 2**64 // (i + 1) * (i + 1):
                break
        j = word % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


@pytest.mark.parametrize(
    "vector", json.loads((DATA / "thoughtful-1-vectors.json").read_text()), ids=lambda v: v["seed"]
)
def test_frozen_vectors(vector: dict[str, object]) -> None:
    assert vector["dealer"] == "thoughtful-1"
    seed = vector["seed"]
    assert isinstance(seed, int)
    assert get_dealer("thoughtful-1").deal(seed) == KlondikeDeal.from_json(vector)


@given(SEEDS)
def test_the_words_are_numpys(seed: int) -> None:
    expected = np.random.Philox(key=seed).random_raw(12)
    with np.errstate(over="ignore"):
        got = [
            int(word)
            for counter in (1, 2, 3)
            for word in philox_block(np.uint64(counter), np.uint64(seed))
        ]
    assert got == [int(word) for word in expected]


@pytest.mark.parametrize("decks", [1, 2])
@given(SEEDS, st.integers(1, 5))
def test_a_block_is_the_naive_deals(decks: int, first: int, count: int) -> None:
    block = thoughtful_1_block(first, count, decks)
    assert block.dtype == np.uint8
    assert block.tolist() == [naive_deal(first + k, decks) for k in range(count)]


@pytest.mark.parametrize("decks", [1, 2])
@given(SEEDS)
def test_a_deal_without_the_kernel_is_the_naive_one(decks: int, seed: int) -> None:
    assert plain_deal(seed, decks) == naive_deal(seed, decks)


@pytest.mark.skipif(not COMPILED, reason="without the compiler all are dealt in plain Python")
@pytest.mark.parametrize(("is_loaded", "enough"), [(True, FEW), (False, MANY)])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_after_many_deals_one_by_one_the_kernel_deals(
    is_loaded: bool, enough: int, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[int] = []

    def block(first: int, count: int, decks: int) -> NDArray[np.uint8]:
        called.append(first)
        return thoughtful_1_block(first, count, decks)

    if not is_loaded:
        monkeypatch.delitem(sys.modules, "engine.kernels.decorators")
    monkeypatch.setattr(thoughtful_1, "_dealt", enough + more)
    monkeypatch.setattr(philox, "thoughtful_1_block", block)
    monkeypatch.setattr(thoughtful_1, "_latest", (0, 1, np.empty((0, 52), dtype=np.uint8)))
    for seed in (7, 8):
        assert thoughtful_1_deals(seed, 1).tolist() == [plain_deal(seed)]
    assert called == {-1: [], 0: [8], 1: [7, 8]}[more]


@pytest.mark.skipif(not COMPILED, reason="without the compiler all are dealt in plain Python")
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 5, 2**63 - 70]),  # where a walk begins
            st.lists(st.sampled_from([1, 1, 1, 0, -1, 63, 64, 65, 1000]), max_size=150),
            st.sampled_from([1, 2]),
        ),
        max_size=3,
    )
)
@settings(max_examples=30, deadline=None)
def test_seeds_asked_for_in_any_order_have_their_own_deals(
    walks: list[tuple[int, list[int], int]],
) -> None:
    thoughtful_1_deals(0, FEW + 1)  # loads the kernel
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(thoughtful_1, "_dealt", MANY + 1)
        for begin, steps, decks in walks:
            for seed in map(abs, accumulate(steps, initial=begin)):
                (found,) = thoughtful_1_deals(seed, 1, decks)
                assert found.tolist() == plain_deal(seed, decks)
                # It belongs to the caller, and changing it changes no other.
                found[:] = 0


@pytest.mark.parametrize("count", [0, 1, FEW, FEW + 1])
@pytest.mark.parametrize("decks", [1, 2])
def test_few_deals_and_many_are_the_same(decks: int, count: int) -> None:
    first = 2**63 - 1 - FEW
    deals = thoughtful_1_deals(first, count, decks)
    assert (deals.shape, deals.dtype) == ((count, 52 * decks), np.uint8)
    assert (deals == thoughtful_1_block(first, count, decks)).all()


@pytest.mark.parametrize("size", range(2, 105))
def test_surplus_words_are_those_past_the_last_whole_multiple(size: int) -> None:
    limit = 2**64 // size * size
    for word in {0, size - 1, limit - 1, min(limit, 2**64 - 1), 2**64 - 1}:
        with np.errstate(over="ignore"):
            assert bool(is_surplus(np.uint64(word), np.uint64(size))) == (word >= limit)


def test_the_kernel_runs_without_the_compiler() -> None:
    seeds = [0, 42, 2**63 - 1]
    program = (
        "import warnings; warnings.simplefilter('error')\n"
        "from engine.dealing.philox import thoughtful_1_block\n"
        f"print([thoughtful_1_block(s, 1, d)[0].tolist() for s in {seeds} for d in (1, 2)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [naive_deal(s, decks) for s in seeds for decks in (1, 2)]
