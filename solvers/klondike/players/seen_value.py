"""Value of what is seen: the chance that `exact-uct` wins from a position, learned from its games.

A network of two hidden layers takes features of a position that can all be told from what is seen:
which ranks lie face down, in the stock and on the table, how deep the columns are, what is on the
foundations, where the cards are that the heads of columns need, and how many steps of each kind
there are. `benchmarks/seen_value.py` plays the games and trains it; a file of weights for each
ruleset, with provenance and checksum, is in `solvers/klondike/players/values`.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL, lowest, popcount
from engine.errors import BadInput
from engine.kernels.decorators import search_kernel
from engine.klondike.stock_turns import STOCK_MASK, card_set
from solvers.klondike.exact.position import HEAD_UP, REVEAL

# Where features begin: of face-down, stock and visible cards the number of each rank; totals; of
# each column the number of locked cards, and what follows from them; foundations; where the parents
# of heads are; steps by kind, and those that turn a card up; the stock.
_DOWN, _STOCK, _VISIBLE, _TOTALS, _COLUMNS, _FOUNDATIONS, _HEADS, _STEPS, _REST = (
    0, 13, 26, 39, 44, 55, 58, 73, 84,
)  # fmt: skip
FEATURES = 92
LAYERS = (32, 16)
WEIGHTS = FEATURES * LAYERS[0] + LAYERS[0] + LAYERS[0] * LAYERS[1] + LAYERS[1] + LAYERS[1] + 1

_KING_BIT = 48
_KINGS = 15 << _KING_BIT
_LOW_CARDS = (1 << 8) - 1  # aces and twos


class SeenValue(NamedTuple):
    """Weights and workspace of the network.

    weights: float64[WEIGHTS], layer by layer: a row for each input, then the biases.
    features: float64[FEATURES]; hidden: float64[sum(LAYERS)]; heights: int64[4].
    """

    weights: NDArray[np.float64]
    features: NDArray[np.float64]
    hidden: NDArray[np.float64]
    heights: NDArray[np.int64]


def new_value() -> SeenValue:
    """Allocate a network; until it gets weights it says 50 % of everything."""
    return SeenValue(
        np.zeros(WEIGHTS),
        np.zeros(FEATURES),
        np.zeros(sum(LAYERS)),
        np.zeros(4, dtype=np.int64),
    )


def digest(weights: list[float]) -> str:
    """The checksum of weights."""
    return hashlib.sha256(json.dumps(weights).encode()).hexdigest()


@cache
def load_weights(ruleset: str) -> NDArray[np.float64]:
    """The weights for a ruleset, given by its slug, float64[WEIGHTS].

    Raises:
        BadInput: there are none, or the file is damaged.
    """
    file = files("solvers.klondike.players") / "values" / f"{ruleset}.json"
    if not file.is_file():
        raise BadInput(f"no value of what is seen has been learned for {ruleset}")
    try:
        data: Any = json.loads(file.read_text(encoding="utf-8"))
        weights = data["weights"]
        is_whole = len(weights) == WEIGHTS and digest(weights) == data["sha256"]
    except (ValueError, TypeError, KeyError):
        is_whole = False
    if not is_whole:
        raise BadInput(f"the learned weights for {ruleset} are damaged: install the package again")
    return np.array(weights, dtype=np.float64)


@search_kernel
def _add_heads(position, vis, stock, down, known, features):
    """Write where the parents of the heads of columns are."""
    rest = position.heads
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        depth = ((position.columns >> (4 * known.column_of[bit])) & 15) / 7.0
        if bit >= _KING_BIT:
            features[_HEADS] += 1.0
            features[_HEADS + 1] += depth
            continue
        parents = 3 << ((bit & ~1) + 4)
        visible, in_stock = popcount(vis & parents), popcount(stock & parents)
        hidden = popcount(down & parents)
        features[_HEADS + 2 + visible] += 0.5
        features[_HEADS + 5 + in_stock] += 0.5
        features[_HEADS + 8 + hidden] += 0.5
        if visible + in_stock == 0:
            features[_HEADS + 11] += depth
        if visible + hidden == 0:
            features[_HEADS + 12] += depth
        features[_HEADS + 13] += depth * hidden
        features[_HEADS + 14] += depth * visible


@search_kernel
def _add_steps(position, steps, count, known, features):
    """Write how many steps there are by kind, and how many of them turn a card up."""
    for number in range(count):
        kind = (steps[number] >> 6) & 7
        features[_STEPS + kind] += 0.25
        if kind in (HEAD_UP, REVEAL):
            column = known.column_of[steps[number] & 63]
            locked = (position.columns >> (4 * column)) & 15
            if locked > 1:
                features[_STEPS + 7] += 0.5
                features[_STEPS + 8] += locked / 7.0
            else:
                features[_STEPS + 9] += 0.5
    features[_STEPS + 10] = 1.0 if position.brought >= 0 else 0.0


@search_kernel
def _add_columns(position, features):
    """Write how many locked cards the columns have, and how many columns have none."""
    free = longest = 0
    for column in range(7):
        locked = (position.columns >> (4 * column)) & 15
        features[_COLUMNS + column] = locked / 7.0
        features[_COLUMNS + 7] += locked * locked / 49.0
        free += locked == 0
        longest = max(longest, locked)
    features[_COLUMNS + 8] = (free - popcount(position.loose & _KINGS)) / 3.0
    features[_COLUMNS + 9] = longest / 7.0
    features[_COLUMNS + 10] = free / 7.0


@search_kernel
def _add_foundations(up, known, heights, features):
    """Write the lowest and highest foundation, and how even they are."""
    heights[:] = 0
    rest = up
    while rest != 0:
        heights[known.suit_of[lowest(rest)]] += 1
        rest &= rest - 1
    low, high, squares = 13, 0, 0
    for suit in range(4):
        low = min(low, heights[suit])
        high = max(high, heights[suit])
        squares += heights[suit] * heights[suit]
    features[_FOUNDATIONS] = low / 13.0
    features[_FOUNDATIONS + 1] = high / 13.0
    features[_FOUNDATIONS + 2] = squares / 400.0


@search_kernel
def write_features(position, steps, count, known, value):
    """Write the features of a position.

    Args:
        position: of `exact_uct_search`.
        steps: int64[…], of which the first `count` are its steps.
        count: their number.
        known: the deal as far as it is known.
        value: gets them.
    """
    features = value.features
    features[:] = 0.0
    up, loose, heads = position.up, position.loose, position.heads
    stock = card_set(position.stock & STOCK_MASK, known.stock_sets)
    visible = loose | heads
    down = ALL & ~(up | visible | stock)
    for rank in range(13):
        cards = 15 << (4 * rank)
        features[_DOWN + rank] = popcount(down & cards) / 4.0
        features[_STOCK + rank] = popcount(stock & cards) / 4.0
        features[_VISIBLE + rank] = popcount(visible & cards) / 4.0
    features[_TOTALS] = popcount(down) / 21.0
    features[_TOTALS + 1] = popcount(stock) / 24.0
    features[_TOTALS + 2] = popcount(up) / 52.0
    features[_TOTALS + 3] = popcount(loose) / 20.0
    features[_TOTALS + 4] = popcount(heads) / 7.0
    _add_columns(position, features)
    _add_foundations(up, known, value.heights, features)
    _add_heads(position, visible, stock, down, known, features)
    _add_steps(position, steps, count, known, features)
    features[_REST] = ((position.stock >> 24) & 31) / 24.0
    rest = stock
    while rest != 0:
        bit = lowest(rest)
        rest &= rest - 1
        if bit < _KING_BIT:
            parents = 3 << ((bit & ~1) + 4)
            if visible & parents == 0:
                features[_REST + 1] += 0.1
            if down & parents != 0:
                features[_REST + 2] += 0.1
    features[_REST + 3] = popcount(down & _LOW_CARDS) / 4.0
    features[_REST + 4] = popcount(stock & _LOW_CARDS) / 4.0
    features[_REST + 5] = features[_TOTALS] * features[_TOTALS]
    features[_REST + 6] = features[_TOTALS] * features[_TOTALS + 1]
    features[_REST + 7] = count / 10.0


@search_kernel
def _layer(given, size, weights, at, found, count):
    """One layer, without what bends it: found[:count] of given[:size]; returns where it ends."""
    for number in range(count):
        found[number] = weights[at + size * count + number]
    for source in range(size):
        if given[source] != 0.0:
            for number in range(count):
                found[number] += given[source] * weights[at + source * count + number]
    return at + (size + 1) * count


@search_kernel
def chance(value):
    """The chance to win by the features that were written."""
    first, second = value.hidden[: LAYERS[0]], value.hidden[LAYERS[0] :]
    at = _layer(value.features, FEATURES, value.weights, 0, first, LAYERS[0])
    for number in range(LAYERS[0]):
        first[number] = max(first[number], 0.0)
    at = _layer(first, LAYERS[0], value.weights, at, second, LAYERS[1])
    total = value.weights[at + LAYERS[1]]
    for number in range(LAYERS[1]):
        total += max(second[number], 0.0) * value.weights[at + number]
    return 1.0 / (1.0 + np.exp(-total))
