"""Naive twin of the features and the network of `solvers.klondike.players.step_policy`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.cards import is_red, rank, suit
from engine.cardset import CARD_OF_BIT
from solvers.klondike.exact.position import HEAD_UP, LOOSE_UP, REVEAL, STOCK_UP

if TYPE_CHECKING:
    from twins.exact_uct import Table

KING, DECK = 12, range(52)


def rank_of(bit: int) -> int:
    return rank(int(CARD_OF_BIT[bit]))


def parents(bit: int) -> set[int]:
    """The cards that a card is built on: of the next rank and the other colour."""
    card = int(CARD_OF_BIT[bit])
    return {
        other
        for other in DECK
        if rank_of(other) == rank(card) + 1 and is_red(int(CARD_OF_BIT[other])) != is_red(card)
    }


def naive_position(
    table: "Table", steps: Sequence[int], down: set[int], stock: set[int]
) -> NDArray[np.float64]:
    """The features of the position after a step, one by one."""
    heads = {column[0]: column[1] + 1 for column in table.columns if column and column[0] >= 0}
    visible = set(table.loose) | set(heads)
    found: list[float] = []
    for cards in (down, stock, visible):
        found += [sum(rank_of(bit) == r for bit in cards) / 4 for r in range(13)]
    totals = (len(down) / 21, len(stock) / 24)
    found += [*totals, len(table.up) / 52, len(table.loose) / 20, len(heads) / 7]
    locked = [column[1] + 1 if column else 0 for column in table.columns]
    free = locked.count(0)
    kings = sum(rank_of(bit) == KING for bit in table.loose)
    found += [count / 7 for count in locked]
    found += [sum(n * n for n in locked) / 49, (free - kings) / 3, max(locked) / 7, free / 7]
    heights = [sum(suit(int(CARD_OF_BIT[bit])) == s for bit in table.up) for s in range(4)]
    found += [min(heights) / 13, max(heights) / 13, sum(n * n for n in heights) / 400]
    of_heads = [0.0] * 15
    for bit, depth in heads.items():
        if rank_of(bit) == KING:
            of_heads[0] += 1
            of_heads[1] += depth / 7
            continue
        places = [len(parents(bit) & cards) for cards in (visible, stock, down)]
        for number, place in enumerate(places):
            of_heads[2 + 3 * number + place] += 0.5
        of_heads[11] += depth / 7 * (places[0] + places[1] == 0)
        of_heads[12] += depth / 7 * (places[0] + places[2] == 0)
        of_heads[13] += depth / 7 * places[2]
        of_heads[14] += depth / 7 * places[0]
    found += of_heads
    found += [sum(step >> 6 & 7 == kind for step in steps) / 4 for kind in range(7)]
    lifted = [heads[step & 63] for step in steps if step >> 6 & 7 in (HEAD_UP, REVEAL)]
    found += [
        sum(depth > 1 for depth in lifted) / 2,
        sum(depth for depth in lifted if depth > 1) / 7,
        sum(depth == 1 for depth in lifted) / 2,
        float(table.brought >= 0),
    ]
    fitting = [parents(bit) for bit in stock if rank_of(bit) < KING]
    found += [
        (table.stock >> 24 & 31) / 24,
        sum(not hosts & visible for hosts in fitting) / 10,
        sum(bool(hosts & down) for hosts in fitting) / 10,
        sum(rank_of(bit) < 2 for bit in down) / 4,
        sum(rank_of(bit) < 2 for bit in stock) / 4,
        totals[0] ** 2,
        totals[0] * totals[1],
        len(steps) / 10,
    ]
    return np.array(found, dtype=np.float64)


def naive_step(step: int, depth: int) -> NDArray[np.float64]:
    """The features of a step from a column with `depth` locked cards, 0 for none."""
    kind, bit = step >> 6, step & 63
    found = [float(kind == each) for each in range(7)]
    found += [depth / 7, float(depth > 1), float(depth == 1), rank_of(bit) / 13]
    return np.array([*found, float(kind in (HEAD_UP, STOCK_UP, LOOSE_UP))])


def naive_logit(features: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """What the network says, by matrices."""
    size = len(features) * 24
    hidden = features @ weights[:size].reshape(len(features), 24) + weights[size : size + 24]
    return float(np.maximum(hidden, 0) @ weights[size + 24 :])
