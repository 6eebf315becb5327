"""Even random draws among deals: the same key draws the same deal, also while others come in.

Each block of seeds has its own endless list of *arrivals*, a function of the key: places among its
65,536 seeds, each as likely as any other, at the moments of a Poisson process of rate 1. The first
arrival at each place is then exponentially distributed with one rate, and independent of those at
all others, so that the deal at which one comes first is each with the same chance, however unevenly
the deals lie: rendezvous hashing (Thaler and Ravishankar 1998, IEEE/ACM Transactions on Networking
6) with a hash that can be turned round. A deal that is added to n others is drawn in place of
another with the chance 1 / (n + 1); nothing else ever changes.

Unlike a hash of every deal, arrivals can be followed without reading the deals: some
65,536 × blocks / deals of them come before the first at one of the deals.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalogue.schema import BLOCK_SIZE

# A block of seeds: its dealer, and its number.
SeedBlock = tuple[str, int]
# Indices of blocks and seeds within them, both int64[n], in the order in which they arrive ->
# the index of the first at which there is a deal; None without one.
FirstDeal = Callable[[NDArray[np.int64], NDArray[np.int64]], int | None]

_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
# Arrivals of each block at first; four times as many whenever these were not enough, up to this
# number of all blocks at once.
_FIRST, _AT_ONCE = 16, 1 << 20


@dataclass(frozen=True, slots=True)
class Arrival:
    """A place at which a deal was drawn: the index of its block, and its seed within that."""

    block: int
    offset: int


def first_arrival(key: str, blocks: Sequence[SeedBlock], first_deal: FirstDeal) -> Arrival | None:
    """The deal of some blocks at which the first arrival of all comes; None if there are no blocks.

    Args:
        key: any text.
        blocks: all different; at least one of them must have a deal.
        first_deal: tells where there are deals.
    """
    if not blocks:
        return None
    streams = np.array([_stream(key, dealer, block) for dealer, block in blocks], np.uint64)
    active = np.arange(len(blocks))
    last = np.zeros(len(blocks))
    done, count = 0, _FIRST
    found: Arrival | None = None
    best = np.inf
    while len(active):
        # Blocks whose arrivals so far may still be followed by one before the best.
        for part in np.array_split(active, -(-len(active) * count // _AT_ONCE)):
            times, offsets = _arrivals(streams[part], done, count)
            times += last[part, None]
            last[part] = times[:, -1]
            early = np.flatnonzero(times.ravel() < best)
            order = early[np.argsort(times.ravel()[early], kind="stable")]
            where, which = part[order // count], offsets.ravel()[order]
            at = first_deal(where, which)
            if at is not None:
                found = Arrival(int(where[at]), int(which[at]))
                best = float(times.ravel()[order[at]])
        active = active[last[active] < best]
        done += count
        count = min(4 * count, BLOCK_SIZE)
    return found


def _stream(key: str, dealer: str, block: int) -> int:
    digest = hashlib.sha256(f"{key}\0{dealer}\0{block}".encode()).digest()
    return int.from_bytes(digest[:8])


def _arrivals(
    streams: NDArray[np.uint64], done: int, count: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The next arrivals of blocks, both [blocks, count]: moments since the last, and places."""
    numbers = np.arange(2 * done + 1, 2 * (done + count) + 1, dtype=np.uint64)
    words = _mixed(streams[:, None] + numbers[None, :] * np.uint64(_GOLDEN))
    # Never 0, of which there is no logarithm.
    shares = ((words[:, ::2] >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    offsets = (words[:, 1::2] % np.uint64(BLOCK_SIZE)).astype(np.int64)
    return np.cumsum(-np.log(shares), axis=1), offsets


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The output function of SplitMix64 (Steele, Lea and Flood 2014)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = words ^ (words >> np.uint64(31))
    return mixed
