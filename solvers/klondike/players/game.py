"""Games of Klondike with hidden cards between a croupier, who holds the deal, and a player.

This is the only module where a deal and the players of K+ meet: a player is given observations and
returns actions. (`solvers.klondike.players.exact_uct_player.play_deal` does the same for its
player.) The generator of a player is seeded by the observation of the start and by its random seed,
so deals that look alike are played alike until a card that differs is turned up.
"""

# mypy: allow-untyped-calls

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.kernels.rng import seed_rng
from engine.klondike.flat import find_columns, new_position
from engine.klondike.flat import set_up as lay_out
from engine.klondike.kplus import State, is_won
from engine.klondike.observation import Observation, deal_to, determinize, new_croupier, observe
from engine.klondike.rules import KlondikeRules
from solvers.klondike.kplus.actions import FIRST_MOVE, SECOND, act
from solvers.klondike.kplus.line import MOST_TURNS, write_standard
from solvers.klondike.players.play import (
    HISTORY_FULL,
    LOST,
    NO_ROOM,
    STATES,
    TOO_MANY_STATES,
    WON,
    PlayerWorkspace,
    add_state,
    advance_history,
    clear_history,
    finishes,
    new_player_workspace,
    play_simple,
)

# In place of a hidden card.
HIDDEN = 255
# Places of a deal in flat order that are face down at the start.
FACE_DOWN = np.array(
    [column * (column + 1) // 2 + level for column in range(7) for level in range(column)]
)
# Initial capacity for the actions of a game.
_USUAL = 4096


def seen_at_start(cards: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The observation of a starting deal uint8[52]: HIDDEN for the 21 face-down cards."""
    seen = cards.copy()
    seen[FACE_DOWN] = HIDDEN
    return seen


class PlanningPlayer(Protocol):
    """A player that plans its actions."""

    pairs: int

    def choose(self, observation: Observation, work: PlayerWorkspace) -> int:
        """Choose an action of `solvers.klondike.kplus.actions`; −1 if none is allowed."""


class GameRunner:
    """Runner of games under given rules, deal after deal.

    Args:
        rules: with unlimited redeals and worrying back.
        random_seed: seeds the player's generator, together with the observation of the start.
    """

    def __init__(self, rules: KlondikeRules, random_seed: int) -> None:
        self.rules = rules
        self.random_seed = random_seed
        self.croupier = new_croupier(rules.draw, rules.partial_runs)
        self.work = new_player_workspace(self.croupier)
        self.line = np.zeros(_USUAL, dtype=np.int64)

    def begin(self, cards: NDArray[np.uint8]) -> State:
        """Begin a deal uint8[52] and seed the player's generator; returns the croupier's state."""
        seed_rng(seen_at_start(cards), self.random_seed, self.work.rng)
        self.work.counts[:] = 0
        return State(*(int(part) for part in deal_to(cards, self.croupier)))

    def play_simple(self, cards: NDArray[np.uint8], policy: int, pairs: int) -> tuple[bool, int]:
        """Play a deal by RANDOM, GREEDY or RANDOM_CLASS; returns whether it wins, its length."""
        while True:
            start = self.begin(cards)
            ended, length = play_simple(start, self.croupier, policy, pairs, self.work, self.line)
            if ended in (LOST, WON):
                return ended == WON, int(length)
            self._make_room(ended)

    def play(self, cards: NDArray[np.uint8], player: PlanningPlayer) -> tuple[bool, int]:
        """Play a deal by a player that plans; returns whether it wins, and its length."""
        work, croupier = self.work, self.croupier
        truth = self.begin(cards)
        length = 0
        clear_history(work.history)
        add_state(truth, work.history)
        while not is_won(truth):
            observation = observe(truth, croupier)
            state = determinize(observation, work.world)
            while state.down == 0:
                ended, last = finishes(state, player.pairs, work, self.line, length)
                if ended == WON:
                    return True, int(last)
                if ended == LOST:
                    break
                self._make_room(ended)
            if length == len(self.line):
                self._make_room(NO_ROOM)
            action = player.choose(observation, work)
            if action < 0:
                return False, length
            self.line[length] = action
            length += 1
            after = act(truth, croupier.table, action)
            work.counts[STATES] += 1
            if not advance_history(truth, after, work.history):
                self._make_room(HISTORY_FULL)
            truth = after
        return True, length

    def _make_room(self, wanted: int) -> None:
        if wanted == HISTORY_FULL:
            raise RuntimeError(TOO_MANY_STATES)
        self.line = np.concatenate([self.line, np.zeros_like(self.line)])

    def moves(self, cards: NDArray[np.uint8], length: int) -> bytes:
        """Convert the first actions of the line into packed standard moves."""
        line: list[int] = []
        for action in self.line[:length].tolist():
            line.append(action & FIRST_MOVE)
            if action >> SECOND:
                line.append((action >> SECOND) - 1)
        piles = new_position()
        lay_out(cards, self.rules.draw, piles)
        column_of = np.zeros(52, dtype=np.int64)
        find_columns(piles, column_of)
        moves = np.zeros(len(line) + MOST_TURNS, dtype=np.uint8)
        count = write_standard(piles, np.array(line, dtype=np.int64), len(line), column_of, moves)
        assert count >= 0, "a card of the stock that cannot be turned up was played"
        return moves[:count].tobytes()
