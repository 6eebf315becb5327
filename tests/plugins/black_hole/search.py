"""`black-hole-search`: depth-first search of Black Hole that remembers positions.

A card is a bit. Which cards are in the hole says how many are left of each pile, and of the hole
only the rank of its top card matters: together they are a position.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from black_hole.deal import CARDS, HEIGHT, BlackHoleDeal
from black_hole.moves import BlackHoleMove, pack
from black_hole.referee import BlackHolePosition
from black_hole.rules import BlackHoleRules
from engine.cards import RANKS, rank
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome, Result

_ALL = (1 << CARDS) - 1


@dataclass(frozen=True, slots=True)
class _Card:
    """A card that is not in the hole yet.

    Attributes:
        bit: its own bit.
        above: the bits of the cards that lie on it.
        rank: 0 for an ace to 12 for a king.
        pile: 0 to 16.
    """

    bit: int
    above: int
    rank: int
    pile: int


def search(position: BlackHolePosition, nodes: int) -> tuple[Result, int, list[int]]:
    """Decide a position.

    Args:
        position: where to begin.
        nodes: how many positions may be entered.

    Returns:
        The result, the positions entered, and of a win the piles that are played from.
    """
    if position.is_won:
        return Result.WON, 1, []
    following = _following(position)
    hole = sum(1 << card for card in position.hole)
    seen: set[tuple[int, int]] = set()
    # For each position on the way here the cards that are left to try, and the cards in its hole.
    path: list[tuple[Iterator[_Card], int]] = [(iter(following[rank(position.hole[-1])]), hole)]
    played: list[int] = []
    while path:
        left, hole = path[-1]
        for card in left:
            if hole & card.bit or hole & card.above != card.above:
                continue
            after = hole | card.bit
            if (after, card.rank) in seen:
                continue
            if len(seen) + 1 >= nodes:
                return Result.GAVE_UP, nodes, []
            seen.add((after, card.rank))
            played.append(card.pile)
            if after == _ALL:
                return Result.WON, len(seen) + 1, played
            path.append((iter(following[card.rank]), after))
            break
        else:
            path.pop()
            if played:
                played.pop()
    return Result.UNWINNABLE, len(seen) + 1, []


def _following(position: BlackHolePosition) -> list[list[_Card]]:
    """For each rank the cards that may go onto it, those that lie deepest under others first.

    A card is tried earlier the more cards it lies on: they have to come up, too.
    """
    cards: list[tuple[int, _Card]] = []
    for number, pile in enumerate(position.piles):
        above = 0
        for height in reversed(range(len(pile))):
            bit = 1 << pile[height]
            cards.append((HEIGHT - height, _Card(bit, above, rank(pile[height]), number)))
            above |= bit
    cards.sort(key=lambda each: each[0])
    return [
        [card for _, card in cards if card.rank in position.rules.followers(below)]
        for below in range(len(RANKS))
    ]


def solve_position(position: BlackHolePosition, values: Values) -> Outcome:
    """The outcome of a position."""
    began = time.thread_time()
    result, nodes, played = search(position, values["nodes"])
    moves = pack(map(BlackHoleMove, played)) if result == Result.WON else None
    return Outcome(result, nodes, 1000 * (time.thread_time() - began), moves)


def _solve(deals: NDArray[np.uint8], rules: BlackHoleRules, values: Values) -> list[Outcome]:
    starts = (BlackHolePosition.start(BlackHoleDeal.of(row), rules) for row in deals)
    return [solve_position(start, values) for start in starts]


METHOD = Method(
    slug="black-hole-search",
    version=1,
    summary="Decides deals of Black Hole by a depth-first search that remembers positions",
    game="black-hole",
    sees="deal",
    source=None,
    parameters=(Parameter("nodes", 1_000_000, 1, 10**9, "positions entered before it gives up"),),
    rulesets="Black Hole",
    plays=lambda rules: True,
    chunk=8,
    solve=_solve,
    solve_position=solve_position,
    decides=True,
    grades=True,
)
