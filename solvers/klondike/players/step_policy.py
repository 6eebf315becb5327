"""Policy of steps, learned from games of `exact-uct`: how good a step looks by what is seen.

A network of one hidden layer takes features of the position after a step, before a card turns up,
and of the step. All can be told from what is seen: which ranks lie face down, in the stock and on
the table, how deep the columns are, what is on the foundations, where the cards are that the heads
of columns need, how many steps of each kind there are then, and what moved. Its output is a logit:
steps of a decision are compared by their differences, `SCALE` of a chance to win each.
`benchmarks/step_policy.py` plays the games and trains it; a file of weights for each ruleset, with
provenance and checksum, is in `solvers/klondike/players/policies`.
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
from solvers.klondike.exact.position import HEAD_UP, LOOSE_UP, REVEAL, STOCK_UP

# Where features of the position after a step begin: of face-down, stock and visible cards the
# number of each rank; totals; of each column the number of locked cards, and what follows from
# them; foundations; where the parents of heads are; steps by kind, and those that turn a card up;
# the stock.
_DOWN, _STOCK, _VISIBLE, _TOTALS, _COLUMNS, _FOUNDATIONS, _HEADS, _STEPS, _REST = (
    0, 13, 26, 39, 44, 55, 58, 73, 84,
)  # fmt: skip
# And of the step: its kind, the depth of the column that it leaves, the rank that moves.
_KIND, _DEPTH, _RANK = 92, 99, 102
FEATURES = 104
HIDDEN = 24
WEIGHTS = FEATURES * HIDDEN + HIDDEN + HIDDEN
SCALE = 0.02  # of a chance to win, for each 1 by which logits of a decision differ

_KING_BIT = 48
_KINGS = 15 << _KING_BIT
_LOW_CARDS = (1 << 8) - 1  # aces and twos


class StepPolicy(NamedTuple):
    """Weights and workspace of the network.

    weights: float64[WEIGHTS]: a row for each feature, the biases, the last layer.
    features: float64[FEATURES]; hidden: float64[HIDDEN]; heights: int64[4].
    """

    weights: NDArray[np.float64]
    features: NDArray[np.float64]
    hidden: NDArray[np.float64]
    heights: NDArray[np.int64]


def new_policy() -> StepPolicy:
    """Allocate a network; until it gets weights all steps are the same to it."""
    return StepPolicy(
        np.zeros(WEIGHTS), np.zeros(FEATURES), np.zeros(HIDDEN), np.zeros(4, dtype=np.int64)
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
    file = files("solvers.klondike.players") / "policies" / f"{ruleset}.json"
    if not file.is_file():
        raise BadInput(f"no policy of steps has been learned for {ruleset}")
    try:
        return read_weights(file.read_text(encoding="utf-8"))
    except (BadInput, ValueError):
        raise BadInput(
            f"the learned weights for {ruleset} are damaged: install the package again"
        ) from None


def read_weights(text: str) -> NDArray[np.float64]:
    """The weights of a file's text, float64[WEIGHTS].

    Raises:
        BadInput: it is damaged.
    """
    try:
        data: Any = json.loads(text)
        weights = data["weights"]
        is_whole = len(weights) == WEIGHTS and digest(weights) == data["sha256"]
    except (ValueError, TypeError, KeyError):
        is_whole = False
    if not is_whole:
        raise BadInput("a file of weights is damaged")
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
def write_position(position, steps, count, known, policy):
    """Write the features of the position after a step; those of the step become 0.

    Args:
        position: of `exact_uct_search`.
        steps: int64[…], of which the first `count` are its steps.
        count: their number.
        known: the deal as far as it is known.
        policy: gets them.
    """
    features = policy.features
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
    _add_foundations(up, known, policy.heights, features)
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
def write_step(kind, bit, depth, policy):
    """Write the features of a step of a card; depth: locked cards of the column that it leaves."""
    features = policy.features
    features[_KIND + kind] = 1.0
    features[_DEPTH] = depth / 7.0
    features[_DEPTH + 1] = 1.0 if depth > 1 else 0.0
    features[_DEPTH + 2] = 1.0 if depth == 1 else 0.0
    features[_RANK] = (bit >> 2) / 13.0
    features[_RANK + 1] = 1.0 if kind in (HEAD_UP, STOCK_UP, LOOSE_UP) else 0.0


@search_kernel
def logit(policy):
    """The output of the network for the step whose features were written, a logit; see `SCALE`."""
    weights, features, hidden = policy.weights, policy.features, policy.hidden
    for number in range(HIDDEN):
        hidden[number] = weights[FEATURES * HIDDEN + number]
    for source in range(FEATURES):
        if features[source] != 0.0:
            for number in range(HIDDEN):
                hidden[number] += features[source] * weights[source * HIDDEN + number]
    total = 0.0
    for number in range(HIDDEN):
        total += max(hidden[number], 0.0) * weights[(FEATURES + 1) * HIDDEN + number]
    return total
