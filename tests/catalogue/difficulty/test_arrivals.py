"""Tests of draws among deals: each with the same chance, and stable as deals come in."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.stats import chisquare

from catalogue.difficulty.arrivals import first_arrival
from catalogue.schema import BLOCK_SIZE

# As clustered as the how-tos lead one to, and one deal far from all others.
CLUSTERS = [*range(1, 41), *range(1_000_000, 1_000_060), 90_000_000]


def drawn_by(keys: Iterable[str], seeds: Sequence[int]) -> list[int]:
    """The seed that is drawn among some by each key."""
    all_seeds = np.array(seeds)
    blocks, block = np.unique(all_seeds // BLOCK_SIZE, return_inverse=True)
    places = [("pysolfc", number) for number in blocks.tolist()]
    among = np.zeros((len(blocks), BLOCK_SIZE), dtype=bool)
    among[block, all_seeds % BLOCK_SIZE] = True

    def first(where: np.ndarray, offsets: np.ndarray) -> int | None:
        hits = np.flatnonzero(among[where, offsets])
        return int(hits[0]) if len(hits) else None

    answer = []
    for key in keys:
        found = first_arrival(key, places, first)
        assert found is not None
        answer.append(int(blocks[found.block]) * BLOCK_SIZE + found.offset)
    return answer


def test_each_deal_is_drawn_as_often_as_any_other() -> None:
    dense = [*range(BLOCK_SIZE), 5 * BLOCK_SIZE + 7]
    keys = [f"key {key}" for key in range(600)]
    for seeds in (CLUSTERS, dense[::700], [3, 4, 10**15]):
        counts = Counter(drawn_by(keys, seeds))
        assert chisquare([counts[seed] for seed in seeds]).pvalue > 0.001
    # One deal beside a full block has its share of all deals, not of all blocks.
    assert drawn_by(keys[:100], dense).count(dense[-1]) <= 1


def test_a_deal_that_comes_in_changes_only_what_it_is_drawn_for() -> None:
    keys = [f"key {key}" for key in range(500)]
    before = drawn_by(keys, CLUSTERS[:-1])
    after = drawn_by(keys, CLUSTERS)
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert 0 < len(changed) < 18  # 5 are expected
    assert set(changed) == {CLUSTERS[-1]}


def test_arrivals_come_one_after_another_at_the_rate_of_one() -> None:
    """Written out for one block: a word for the moment, and one for the place."""

    def naive(key: str, seeds: set[int]) -> int:
        word = (1 << 64) - 1
        state = int.from_bytes(hashlib.sha256(f"{key}\0pysolfc\x000".encode()).digest()[:8])
        while True:
            place = 0
            for _ in range(2):
                state = (state + 0x9E3779B97F4A7C15) & word
                mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & word
                mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & word
                place = (mixed ^ (mixed >> 31)) % BLOCK_SIZE
            if place in seeds:
                return place

    keys = [*map(str, range(20))]
    for seeds in ([5], [*range(0, BLOCK_SIZE, 1000)], [*range(BLOCK_SIZE)]):
        assert drawn_by(keys, seeds) == [naive(key, set(seeds)) for key in keys]
