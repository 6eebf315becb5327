"""Games of Klondike+ by the kernels, from deals and from positions in mid-game."""

import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine.cards import DECK, build_cards, make_card, suit
from engine.cardset import BIT_OF_CARD
from engine.dealing.dealers import get_dealer
from engine.klondike.deal import KlondikeDeal
from engine.klondike.kplus import MOST_MOVES, State, new_table, set_up
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS, KlondikeRules
from solvers.klondike.kplus.actions import MOST_ACTIONS, SINGLE, act, actions
from solvers.klondike.kplus.relaxation import is_dead_end
from solvers.klondike.kplus.values import value, weigh
from solvers.klondike.rollouts.search import action_gain
from twins.kplus import read
from twins.rollouts import settled
from twins.search import random_late_position

DRAW3 = PRESETS["klondike-draw3"]
YAN = PRESETS["klondike-yan"]
THOUGHTFUL = get_dealer("thoughtful-1")
RULES = [DRAW3, PRESETS["klondike-draw1"], YAN, KlondikeRules(draw=5)]


class Start(NamedTuple):
    """A position to play from, as a state of the kernels.

    `deal` has the position's face-down cards and its stock where they are; where the position is
    none that a deal leads to, the rest of it is made up.
    """

    deal: KlondikeDeal
    rules: KlondikeRules
    state: State

    @property
    def position(self) -> KlondikePosition:
        return settled(read(self.state, self.deal, self.rules))


def set_of(cards: Iterable[int]) -> int:
    return sum(1 << int(BIT_OF_CARD[card]) for card in cards)


def start_of(position: KlondikePosition) -> Start:
    """A start in mid-game."""
    order = position.waste + position.stock
    dealt = [[*down, *up[:1]] for down, up in zip(position.down, position.up, strict=True)]
    rest = [card for card in DECK if card not in {*order, *(c for column in dealt for c in column)}]
    columns = [
        column + [rest.pop() for _ in range(k + 1 - len(column))] for k, column in enumerate(dealt)
    ]
    straight: list[int] = []
    crossed: list[int] = []
    for up in position.up:
        for parent, card in pairwise(up):
            lower_parent = min(build_cards(card), key=suit)
            (straight if (parent == lower_parent) == (suit(card) < 2) else crossed).append(card)
    edge = len(position.waste)
    if edge % position.rules.draw == 0 or not position.stock:
        edge = 0
    state = State(
        set_of(make_card(r, s) for s in range(4) for r in range(position.foundations[s])),
        set_of(card for up in position.up for card in up),
        set_of(straight),
        set_of(crossed),
        set_of(card for down in position.down for card in down),
        edge << 24 | (1 << len(order)) - 1,
    )
    start = Start(KlondikeDeal.from_piles(columns, [*order, *rest]), position.rules, state)
    assert start.position == settled(position)
    return start


def deals(first: int, count: int) -> list[KlondikeDeal]:
    return [KlondikeDeal.of(row) for row in THOUGHTFUL.deal_block(first, count)]


def beginnings(first: int, count: int, rules: KlondikeRules) -> Iterator[Start]:
    table = new_table(rules.draw, rules.partial_runs)
    for deal in deals(first, count):
        yield Start(deal, rules, set_up(deal.as_array(), table))


def late_starts(
    chooser: random.Random, rules: KlondikeRules, most: int, count: int
) -> Iterator[Start]:
    """Positions with at most so many cards off the foundations, scattered at random."""
    for _ in range(count):
        yield start_of(random_late_position(chooser, rules, chooser.randint(3, most)))


class Kernels:
    """The kernels on one deal under some rules, at a state that an action may be played in."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.table = new_table(start.rules.draw, start.rules.partial_runs)
        self.turning = np.zeros((2, 52), dtype=np.int64)
        set_up(start.deal.as_array(), self.table)
        weigh(start.deal.as_array(), self.turning)
        self.state = start.state

    @property
    def position(self) -> KlondikePosition:
        return self.start._replace(state=self.state).position

    def actions(self, pairs: int) -> list[int]:
        moves = np.zeros(MOST_MOVES + 1, dtype=np.int64)
        out = np.zeros(MOST_ACTIONS, dtype=np.int64)
        return out[: actions(self.state, self.table, pairs, moves, out, 0)].tolist()

    def value(self, which: int) -> int:
        return int(value(self.state, self.table, self.turning, which))

    def gain(self, which: int, action: int) -> int:
        return int(action_gain(self.state, self.table, self.turning, which, action))

    def is_dead_end(self) -> bool:
        return bool(is_dead_end(self.state, self.table))

    def play(self, action: int) -> None:
        self.state = act(self.state, self.table, action)

    def walk(self, chooser: random.Random, most: int) -> Iterator["Kernels"]:
        """Itself, in each state of a random game, as long as there is an action."""
        for _ in range(most):
            if int(self.state.up).bit_count() == 52:
                return
            yield self
            choices = self.actions(SINGLE)
            if not choices:
                return
            # The first ones open the game, so that late positions are met, too.
            self.play(choices[0] if chooser.random() < 0.6 else chooser.choice(choices))
