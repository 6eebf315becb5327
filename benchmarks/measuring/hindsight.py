"""Variants of `hop` for readings that its kernel (`solvers.klondike.players.hop`) does not play.

Without any of them it plays exactly as that kernel, with the same random numbers.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.kernels.rng import random_below
from engine.klondike.kplus import is_won
from engine.klondike.observation import Determinization, Observation, determinize, shuffle
from solvers.klondike.kplus.actions import MOST_ACTIONS, NEEDED, act, class_of
from solvers.klondike.kplus.relaxation import is_dead_end
from solvers.klondike.kplus.values import H2
from solvers.klondike.players.hop import arrange, wins
from solvers.klondike.players.planners import PRUNED, HindsightPlayer
from solvers.klondike.players.play import (
    HISTORY_FULL,
    NO_ACTION,
    NO_ROOM,
    TOO_MANY_STATES,
    History,
    PlayerWorkspace,
    add_state,
    advance_history,
    allowed,
    clear_history,
    new_history,
    random_class,
    step,
)
from solvers.klondike.rollouts.multistage import RolloutReading, with_more_room

FIRST_OF_EQUALS, DRAWN, DRAWN_OF_CLASS, CLASS_DRAWN = range(4)


class Ways(NamedTuple):
    """The differences from the kernel.

    Attributes:
        pairs: of `solvers.klondike.kplus.actions`, in the game.
        first: the first heuristic of the rollouts, H2 or H1; H2 follows H1.
        rollouts: the reading of the rollouts, including their pairs.
        shared: whether the same determinizations are used for every action of a decision.
        equals: the choice among equal actions: FIRST_OF_EQUALS; DRAWN, any; DRAWN_OF_CLASS, any of
            those in the most preferred class; CLASS_DRAWN, a random class and then one of those in
            it, like RANDOM_CLASS of `solvers.klondike.players.play`.
        once: whether the card that an action turns up is drawn once for all its determinizations.
        ordered: rollouts take the first action in the order of preference, as `greedy` does; at
            level 1 the first whose rollout wins, and the first if none does.
    """

    pairs: int = NEEDED
    first: int = H2
    rollouts: RolloutReading = PRUNED
    shared: bool = False
    equals: int = FIRST_OF_EQUALS
    once: bool = False
    ordered: bool = False


class Rollout(NamedTuple):
    """The separate state of a rollout of rollouts.

    path: its states.
    actions: int64[MOST_ACTIONS], those of its state.
    """

    path: History
    actions: NDArray[np.int64]


class OtherwisePlayer(HindsightPlayer):
    """A hindsight player with differences from the kernel."""

    def __init__(self, ways: Ways, samples: int, level: int, world: Determinization) -> None:
        super().__init__(ways.pairs, samples, level, world, ways.first, ways.rollouts)
        self.ways = ways
        self.options = np.zeros(MOST_ACTIONS, dtype=np.int64)
        self.rollout = Rollout(new_history(), np.zeros(MOST_ACTIONS, dtype=np.int64))

    def choose(self, observation: Observation, work: PlayerWorkspace) -> int:
        """See `solvers.klondike.players.game.PlanningPlayer`."""
        rng = work.rng.copy()
        while True:
            action = int(
                plan(
                    observation,
                    self.samples,
                    self.ways,
                    work,
                    self.planner,
                    self.rollout,
                    self.options,
                )
            )
            if action >= NO_ACTION:
                return action
            if action == -HISTORY_FULL:
                raise RuntimeError(TOO_MANY_STATES)
            work.rng[:] = rng
            self.planner = self.planner._replace(work=with_more_room(self.planner.work))


@search_kernel
def wins_in_order(state, work, planner):
    """Whether always taking the first action wins: 1, 0, or minus HISTORY_FULL."""
    scratch = work.scratch
    clear_history(work.path)
    add_state(state, work.path)
    while not is_won(state):
        if is_dead_end(state, planner.table):
            return 0
        if allowed(state, planner.table, NEEDED, work.path, scratch, scratch.actions, 0) == 0:
            return 0
        after = act(state, planner.table, scratch.actions[0])
        if not advance_history(state, after, work.path):
            return -HISTORY_FULL
        state = after
    return 1


@search_kernel
def wins_by_rollouts(state, work, planner, rollout):
    """Whether a rollout with actions chosen by ordered rollouts wins: 1, 0, or −HISTORY_FULL."""
    clear_history(rollout.path)
    add_state(state, rollout.path)
    while not is_won(state):
        if is_dead_end(state, planner.table):
            return 0
        actions = rollout.actions
        count = allowed(state, planner.table, NEEDED, rollout.path, work.scratch, actions, 0)
        if count == 0:
            return 0
        for number in range(count):
            # All cards are known, so a line that wins once always wins.
            won = wins_in_order(act(state, planner.table, actions[number]), work, planner)
            if won != 0:
                return won
        after = act(state, planner.table, actions[0])
        if not advance_history(state, after, rollout.path):
            return -HISTORY_FULL
        state = after
    return 1


@search_kernel
def one_of_equals(state, best, count, equals, work, planner, options):
    """Choose among the actions that win as often as options[best], the first that wins most."""
    if equals == FIRST_OF_EQUALS:
        return options[best]
    table, kept = work.world.table, work.scratch.actions
    preferred = class_of(state, table, options[best])
    found = 0
    for number in range(best, count):
        option = options[number]
        if planner.wins[number] == planner.wins[best] and (
            equals != DRAWN_OF_CLASS or class_of(state, table, option) == preferred
        ):
            kept[found] = option
            found += 1
    if equals == CLASS_DRAWN:
        return kept[random_class(state, work, found)]
    return kept[random_below(work.rng, found)]


@search_kernel
def plan(observation, samples, ways, work, planner, rollout, options):
    """As `solvers.klondike.players.hop.plan`, with `ways`; the result may be minus HISTORY_FULL.

    options: int64[MOST_ACTIONS], scratch.
    """
    world, order, turning = work.world, planner.order, planner.work.turning
    state = determinize(observation, world)
    count = allowed(state, world.table, ways.pairs, work.history, work.scratch, options, 0)
    if count <= 1:
        return options[0] if count == 1 else NO_ACTION
    planner.wins[:count] = 0
    turned = state
    for trial in range(samples * count):
        if ways.shared:
            number = trial % count
            if number == 0:
                shuffle(state.down, order, work.rng)
                arrange(state, world, order, planner.table, turning)
            after = act(state, planner.table, options[number])
        else:
            number = trial // samples
            if trial % samples == 0 or not ways.once:
                turned = step(determinize(observation, world), world, options[number], work.rng)
            after = turned
            shuffle(after.down, order, work.rng)
            arrange(after, world, order, planner.table, turning)
        if not ways.ordered:
            won = wins(after, planner)
        elif planner.search.levels[0] == 0:
            won = wins_in_order(after, work, planner)
        else:
            won = wins_by_rollouts(after, work, planner, rollout)
        if won < 0:
            return won if ways.ordered else -NO_ROOM
        planner.wins[number] += won
    best = 0
    for number in range(1, count):
        if planner.wins[number] > planner.wins[best]:
            best = number
    return one_of_equals(state, best, count, ways.equals, work, planner, options)
