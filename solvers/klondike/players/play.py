"""Kernels that all players of Klondike with hidden cards share, and the two that do not plan.

Bjarnason, Fern, Tadepalli 2009, *Lower Bounding Klondike Solitaire with Monte-Carlo Planning*,
section "Planning in Klondike". A player uses an observation (`engine.klondike.observation`) and the
history of the game:

- The actions are those of `solvers.klondike.kplus.actions`, which are in the paper's order of
  preference.
- An action that repeats a state of the game, or of the simulated trajectory, is not allowed. A
  player without an allowed action has lost.
- *Greedy finish*: where no card lies face down, the first action is tried repeatedly; if that wins,
  the game is won. If not, play goes on as before.

`random` takes a uniformly random allowed action, `greedy` the first.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import lowest, popcount
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.kernels.rng import random_below
from engine.klondike.kplus import CARD, MOST_MOVES, is_won
from engine.klondike.observation import (
    Croupier,
    Determinization,
    determinize,
    hides,
    new_determinization,
    observe,
    random_card,
    turn_up,
)
from engine.klondike.stock_turns import STOCK_MASK
from solvers.klondike.kplus.actions import (
    FIRST_MOVE,
    MOST_ACTIONS,
    SECOND,
    act,
    actions_in_sight,
    class_of,
    plain_actions,
    sight_of,
)

# The third is a reading of the first that `benchmarks/planners.py` measures: a uniformly random
# class of actions, and then a uniformly random action of it.
RANDOM, GREEDY, RANDOM_CLASS = range(3)

# Capacity for the states since the last irreversible step. Nearly always they are a few dozen, so
# few lists are enough and stay in the processor's cache.
_MOST_STATES = 1 << 14
_LISTS = 1 << 10

# Results of playing a game. With the last two it has not ended: the caller's arrays are too short,
# or the history is full, which no game is known to cause. STOPPED is that of a part of a game.
LOST, WON, NO_ROOM, HISTORY_FULL, STOPPED = range(5)

# In place of an action.
NO_ACTION = -1

TOO_MANY_STATES = f"more than {_MOST_STATES} states entered since a step that cannot be taken back"

# Index of a count: states entered, in the game and in simulations.
STATES = 0


class History(NamedTuple):
    """Hash table of the states of a game or trajectory since its last irreversible step.

    newest: int64[_LISTS]: of each list, 1 + the index of its newest state, and above that, from bit
        _ROUND on, the round of that entry.
    states: int64[_MOST_STATES, 4]: up, straight and crossed of each, in order; 1 + the index of the
        next in its list, or 0.
    counts: int64[2]: the round; the number of states.
    """

    newest: NDArray[np.int64]
    states: NDArray[np.int64]
    counts: NDArray[np.int64]


_ROUND = 16


def new_history() -> History:
    """Allocate an empty history."""
    return History(
        np.zeros(_LISTS, dtype=np.int64),
        np.zeros((_MOST_STATES, 4), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


class Scratch(NamedTuple):
    """Buffers for the actions of a state. moves: int64[MOST_MOVES + 1]; actions: int64[…]."""

    moves: NDArray[np.int64]
    actions: NDArray[np.int64]


def new_scratch() -> Scratch:
    """Allocate the buffers."""
    return Scratch(np.zeros(MOST_MOVES + 1, dtype=np.int64), np.zeros(MOST_ACTIONS, dtype=np.int64))


class PlayerWorkspace(NamedTuple):
    """Workspace of a player.

    world: determinization of the current observation.
    history: states of the game.
    path: states of the game and of a simulated trajectory.
    finish: states of a greedy finish.
    scratch: buffers for actions.
    rng: int64[2], state of `engine.kernels.rng`.
    counts: int64[1], see STATES.
    """

    world: Determinization
    history: History
    path: History
    finish: History
    scratch: Scratch
    rng: NDArray[np.int64]
    counts: NDArray[np.int64]


def new_player_workspace(croupier: Croupier) -> PlayerWorkspace:
    """Allocate the workspace of a player for games with this croupier."""
    return PlayerWorkspace(
        new_determinization(croupier),
        new_history(),
        new_history(),
        new_history(),
        new_scratch(),
        np.zeros(2, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@search_kernel
def clear_history(history):
    """Empty a history."""
    history.counts[0] += 1
    history.counts[1] = 0


@search_kernel
def _fold(cards):
    """Fold a set into 32 bits, so that products stay within int64."""
    return (cards ^ (cards >> 20)) & 0xFFFFFFFF


@search_kernel
def _list_of(state):
    """The list of a state: its hash."""
    mixed = _fold(state.up) * 0x2545F491
    mixed ^= _fold(state.straight) * 0x1B873593
    mixed ^= _fold(state.crossed) * 0x38B34AE5
    return (mixed ^ (mixed >> 29)) & (_LISTS - 1)


@search_kernel
def _newest(number, history):
    """1 + the index of the newest state of a list, or 0."""
    newest = history.newest[number]
    return newest & ((1 << _ROUND) - 1) if newest >> _ROUND == history.counts[0] else 0


@search_kernel
def has_state(state, history):
    """Whether a history has a state, given equal stock and face-down cards."""
    at = _newest(_list_of(state), history)
    while at > 0:
        past = history.states[at - 1]
        if past[0] == state.up and past[1] == state.straight and past[2] == state.crossed:
            return True
        at = past[3]
    return False


@search_kernel
def add_state(state, history):
    """Add a state to a history; False if it is full."""
    count = history.counts[1]
    if count == _MOST_STATES:
        return False
    number = _list_of(state)
    row = history.states[count]
    row[0], row[1], row[2] = state.up, state.straight, state.crossed
    row[3] = _newest(number, history)
    history.newest[number] = history.counts[0] << _ROUND | (count + 1)
    history.counts[1] = count + 1
    return True


@search_kernel
def advance_history(before, state, history):
    """Add the state after a step; an irreversible one empties the history. False if it is full."""
    if state.down != before.down or state.stock != before.stock:
        clear_history(history)
    return add_state(state, history)


@search_kernel
def revocable(state, sight):
    """The cards whose moves change neither the stock nor the face-down cards."""
    return (state.tableau | state.up) & ~sight.turning


@inlined_kernel
def repeats(state, table, action, free, history):
    """Whether an action repeats a state; `free` is the set `revocable`."""
    cards = 1 << (action & CARD)
    if action >> SECOND:
        cards |= 1 << (((action >> SECOND) - 1) & CARD)
    return cards & ~free == 0 and has_state(act(state, table, action), history)


@inlined_kernel
def allowed(state, table, pairs, history, scratch, out, first):
    """Write the actions that repeat no state to out[first:]; returns the index after the last.

    `history` ends with the state itself.
    """
    sight = sight_of(state, table)
    last = actions_in_sight(state, sight, table, pairs, scratch.moves, out, first)
    if history.counts[1] == 1:
        return last  # every action changes the state
    free = revocable(state, sight)
    kept = first
    for at in range(first, last):
        action = out[at]
        if not repeats(state, table, action, free, history):
            out[kept] = action
            kept += 1
    return kept


@search_kernel
def first_allowed(state, table, pairs, history, scratch):
    """The first of the actions that `allowed` writes, or NO_ACTION."""
    out = scratch.actions
    sight = sight_of(state, table)
    free = revocable(state, sight)
    # Nearly always one of 1 to 4, so the others are listed only if all of these repeat states.
    for number in range(plain_actions(state, sight, out, 0)):
        action = out[number]
        if not repeats(state, table, action, free, history):
            return action
    last = allowed(state, table, pairs, history, scratch, out, 0)
    return out[0] if last > 0 else NO_ACTION


@search_kernel
def uncovers(state, world, action):
    """The base that leaves a face-down card by an action, as a bit, or −1."""
    card = action & FIRST_MOVE & CARD
    if action >> SECOND:
        # Only the second action of a pair can turn a card up; the card may move there first.
        card = ((action >> SECOND) - 1) & CARD
    return card if hides(state, world, card) else -1


@search_kernel
def step(state, world, action, rng):
    """The state after a simulated action: a card that turns up is sampled."""
    base = uncovers(state, world, action)
    if base >= 0:
        turn_up(world, base, random_card(state.down, rng))
    return act(state, world.table, action)


@search_kernel
def finishes(state, pairs, work, line, length):
    """Finish a game greedily, by the first action at each state.

    Args:
        state: a state without face-down cards.
        pairs: of `solvers.klondike.kplus.actions`.
        work: workspace; its determinization is set.
        line: int64[…], out: the actions.
        length: index in line of the first of them.

    Returns:
        LOST, WON, NO_ROOM or HISTORY_FULL; the length of the line.
    """
    history, scratch, table = work.finish, work.scratch, work.world.table
    clear_history(history)
    add_state(state, history)
    while not is_won(state):
        action = first_allowed(state, table, pairs, history, scratch)
        if action == NO_ACTION:
            return LOST, length
        if length == line.shape[0]:
            return NO_ROOM, length
        line[length] = action
        length += 1
        after = act(state, table, action)
        work.counts[STATES] += 1
        if not advance_history(state, after, history):
            return HISTORY_FULL, length
        state = after
    return WON, length


@search_kernel
def random_class(state, work, count):
    """Index of a random action: first its class is chosen, then the action."""
    options, table, rng = work.scratch.actions, work.world.table, work.rng
    classes = 0
    for number in range(count):
        classes |= 1 << class_of(state, table, options[number])
    for _ in range(random_below(rng, popcount(classes))):
        classes &= classes - 1
    drawn = lowest(classes)
    of_it = 0
    for number in range(count):
        of_it += class_of(state, table, options[number]) == drawn
    left = random_below(rng, of_it)
    for number in range(count):
        if class_of(state, table, options[number]) == drawn:
            if left == 0:
                return number
            left -= 1
    return 0


@search_kernel
def play_simple(truth, croupier, policy, pairs, work, line):
    """Play a game by `random` or `greedy`.

    Args:
        truth: the croupier's state at the start.
        croupier: holds the deal.
        policy: RANDOM, GREEDY or RANDOM_CLASS.
        pairs: of `solvers.klondike.kplus.actions`.
        work: workspace; its generator is seeded.
        line: int64[…], out: the actions.

    Returns:
        LOST, WON, NO_ROOM or HISTORY_FULL; the length of the line.
    """
    ended, length, _ = play_while(truth, croupier, policy, pairs, work, line, 0)
    return ended, length


@search_kernel
def cards_left(state):
    """The number of cards that lie face down, in the stock or on the waste.

    It never grows: no card is turned down, and none goes back to the stock.
    """
    return popcount(state.down) + popcount(state.stock & STOCK_MASK)


@search_kernel
def play_while(truth, croupier, policy, pairs, work, line, least):
    """As `play_simple`, from any state without a history, while at least `cards_left` are left.

    Returns:
        LOST, WON, NO_ROOM, HISTORY_FULL or STOPPED; the length of the line; the last state.
    """
    scratch = work.scratch
    length = 0
    clear_history(work.history)
    add_state(truth, work.history)
    while not is_won(truth):
        state = determinize(observe(truth, croupier), work.world)
        if state.down == 0:
            ended, last = finishes(state, pairs, work, line, length)
            if ended != LOST:
                return ended, last, truth
        last = allowed(state, work.world.table, pairs, work.history, scratch, scratch.actions, 0)
        if last == 0:
            return LOST, length, truth
        if length == line.shape[0]:
            return NO_ROOM, length, truth
        number = 0
        if policy == RANDOM:
            number = random_below(work.rng, last)
        elif policy == RANDOM_CLASS:
            number = random_class(state, work, last)
        action = scratch.actions[number]
        line[length] = action
        length += 1
        after = act(truth, croupier.table, action)
        work.counts[STATES] += 1
        if not advance_history(truth, after, work.history):
            return HISTORY_FULL, length, truth
        truth = after
        if cards_left(truth) < least:
            return STOPPED, length, truth
    return WON, length, truth
