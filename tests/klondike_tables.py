"""Games played by hand with kernels and referee, for tests of players."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance import barrier as alike
from engine.dealing.dealers import get_dealer
from engine.klondike.deal import KlondikeDeal
from engine.klondike.kplus import State
from engine.klondike.moves import KlondikeMove, unpack_solution
from engine.klondike.observation import determinize, observe
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS, KlondikeRules
from solvers.klondike.kplus.actions import NEEDED, act
from solvers.klondike.players.game import FACE_DOWN, GameRunner
from solvers.klondike.players.planners import HindsightPlayer, TreePlayer
from solvers.klondike.players.play import (
    GREEDY,
    PlayerWorkspace,
    add_state,
    advance_history,
    allowed,
    clear_history,
)
from solvers.klondike.players.tree import TreeSettings
from solvers.outcome import Outcome, Result
from twins.kplus import read
from twins.planners import covered
from twins.yan import NaiveRng

DRAW3 = PRESETS["klondike-draw3"]
DRAW1 = PRESETS["klondike-draw1"]
YAN = PRESETS["klondike-yan"]
RULES = [DRAW3, DRAW1, YAN, KlondikeRules(draw=5)]
THOUGHTFUL = get_dealer("thoughtful-1")


def deals(first: int, count: int) -> list[KlondikeDeal]:
    return [KlondikeDeal.of(row) for row in THOUGHTFUL.deal_block(first, count)]


def permuted(
    cards: NDArray[np.uint8], chooser: random.Random, count: int = 21
) -> NDArray[np.uint8]:
    """A deal that looks the same, with so many hidden cards elsewhere."""
    return alike.permuted(cards, FACE_DOWN.tolist(), chooser, count)


class Table:
    """A game that is played by hand: the kernels' side of it, and the referee's.

    Attributes:
        truths: the croupier's states so far.
    """

    def __init__(self, deal: KlondikeDeal, rules: KlondikeRules, random_seed: int = 0) -> None:
        self.deal = deal
        self.rules = rules
        self.game = GameRunner(rules, random_seed)
        self.truths = [self.game.begin(deal.as_array())]
        clear_history(self.work.history)
        add_state(self.truth, self.work.history)

    @property
    def work(self) -> PlayerWorkspace:
        return self.game.work

    @property
    def truth(self) -> State:
        return self.truths[-1]

    @property
    def seen(self) -> KlondikePosition:
        return covered(read(self.truth, self.deal, self.rules))

    @property
    def visited(self) -> set[KlondikePosition]:
        return {covered(read(truth, self.deal, self.rules)) for truth in self.truths}

    def observe(self) -> Any:
        return observe(self.truth, self.game.croupier)

    def allowed(self) -> list[int]:
        state = determinize(self.observe(), self.work.world)
        scratch = self.work.scratch
        table, actions = self.work.world.table, scratch.actions
        return actions[
            : allowed(state, table, NEEDED, self.work.history, scratch, actions, 0)
        ].tolist()

    def play(self, action: int) -> None:
        after = act(self.truth, self.game.croupier.table, action)
        advance_history(self.truth, after, self.work.history)
        self.truths.append(after)

    def walk(self, chooser: random.Random, most: int) -> Iterator["Table"]:
        """Itself, throughout a random game."""
        for _ in range(most):
            yield self
            choices = self.allowed()
            if not choices or int(self.truth.up).bit_count() == 52:
                return
            # The first ones open the game, so that late positions are met, too.
            self.play(choices[0] if chooser.random() < 0.6 else chooser.choice(choices))


def naive_rng(rng: NDArray[np.int64]) -> NaiveRng:
    """A generator that goes on as this one will."""
    return NaiveRng(int(rng[0]), int(rng[1]))


def state_of(rng: NaiveRng) -> list[int]:
    return [rng.shifted, rng.counter]


def moves_of(outcome: Outcome) -> bytes:
    assert (outcome.moves is None) == (outcome.result is Result.LOST)
    assert (outcome.played is None) == (outcome.result is Result.WON)
    moves = outcome.played if outcome.moves is None else outcome.moves
    assert moves is not None
    return moves


def visible(position: KlondikePosition) -> tuple[Any, ...]:
    """All that a person sees."""
    depths = tuple(len(down) for down in position.down)
    return depths, position.up, position.foundations, position.stock, position.waste


def klondike_views(rules: KlondikeRules, cards: NDArray[np.uint8], moves: Any) -> Iterator[Any]:
    """What can be seen from the start of a deal on."""
    position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
    yield visible(position)
    for move in moves:
        position = position.play(move)
        yield visible(position)


def line_of(outcome: Outcome) -> list[KlondikeMove]:
    return list(unpack_solution(moves_of(outcome)))


def some_table(chooser: random.Random, number: int, rules: KlondikeRules) -> Table:
    """A game somewhere in its middle."""
    (deal,) = deals(220_000 + number, 1)
    table = Table(deal, rules, random_seed=number)
    for _ in table.walk(chooser, chooser.randint(1, 45)):
        pass
    return table


def late_table(chooser: random.Random, number: int, rules: KlondikeRules) -> Table:
    """A game with few hidden cards that `greedy` will win."""
    game = GameRunner(rules, number)
    for deal in deals(221_000 + 100 * number, 100):
        won, length = game.play_simple(deal.as_array(), GREEDY, NEEDED)
        if won:
            break
    hidden_cards = chooser.randint(1, 3)
    table = Table(deal, rules, random_seed=number)
    for action in game.line[:length].tolist():
        if int(table.truth.down).bit_count() <= hidden_cards:
            break
        table.play(action)
    return table


def players(game: GameRunner) -> list[Any]:
    """What is told of a game to every kind of player."""
    return [
        TreePlayer(TreeSettings(NEEDED, 1, 5, 2, 1.0)),
        HindsightPlayer(NEEDED, 1, 0, game.work.world),
    ]
