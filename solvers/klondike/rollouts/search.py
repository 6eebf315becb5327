"""Kernel of multistage nested rollouts.

`solvers.klondike.rollouts.multistage` documents the method.

Recursion uses explicit stacks. A *frame* is one call of the procedure; the *path* holds every state
from the root to the current one, with the frame that explores it and the action taken from it. So
at a win the actions along the path are the game.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cardset import popcount, swap_twins
from engine.kernels.decorators import search_kernel
from engine.klondike.kplus import CARD, FOUNDATION, State, play, reveals
from engine.klondike.stock_turns import take_from_stock, within_reach
from solvers.klondike.kplus.actions import FIRST_MOVE, SECOND, act, actions
from solvers.klondike.kplus.relaxation import is_dead_end
from solvers.klondike.kplus.values import LOSS, PAIR, RISE, TALON, value

# Results of `run`.
WON, LOST, PAUSED, NO_ROOM = range(4)

# Columns of a frame.
_STAGE, _LEVEL, _VALUE, _PATH, _ACTIONS, _NEXT, _END, _BEST, _CHOSEN = range(9)
FRAME = 9
# Columns of a state on the path: six of `State`, then its stage and level, the nodes
# and plays before it, the age of the caches then, and last the action taken from it, −1 if
# there is none yet.
_BY, _BEFORE, _PLAYED, _SINCE, _ACTION = 6, 7, 8, 9, 10
PATH = 11
UNKNOWN = LOSS - 1

# Columns of `meta`.
DEPTH, LENGTH, NODES, PLAYS, CACHED, CHANGES = 0, 1, 2, 3, 4, 6
META = 8  # the last two are a number for each of the two heuristics

# A state explored before at the same stage and level is not a child; or it is, and entering it
# again loses.
LEFT_OUT, LOSE = range(2)
# The worth of a dead end to its parent: its value, or LOSS; or dead ends are not tested.
VALUED, LOST_AT_ONCE, UNTESTED = range(3)

SLOTS = 1 << 14
ENTRY = 8

# Capacity and columns of the memo of rollouts: six of `State`; the game, stage and level; how it
# ended and at what value; its nodes and plays; the age of the caches (`age`) or ANY_AGE; and six of
# the `State` in which it ended.
KEPT = 1 << 17
_TAG, _HOW, _WORTH, _COST, _STEPS, _AGE, _LAST = range(6, 13)
ROLLOUT = _LAST + 6
_FINAL, _NEXT_STAGE = range(2)
ANY_AGE = -1


class RolloutWorkspace(NamedTuple):
    """Workspace of a search. Arrays of int64.

    meta: [META].
    frames: [n, FRAME].
    path: [n, PATH].
    actions: [n], those of each frame after those of the previous frame.
    scores: [n], parallel to actions.
    moves: [MOST_MOVES + 1], scratch.
    cache: [2, SLOTS, ENTRY]: six of `State`, the level it was explored at plus 1, the game.
    rollouts: [KEPT, ROLLOUT], see `keep_rollout`.
    turning: [2, 52], as of `solvers.klondike.kplus.values.weigh`.
    """

    meta: NDArray[np.int64]
    frames: NDArray[np.int64]
    path: NDArray[np.int64]
    actions: NDArray[np.int64]
    scores: NDArray[np.int64]
    moves: NDArray[np.int64]
    cache: NDArray[np.int64]
    rollouts: NDArray[np.int64]
    turning: NDArray[np.int64]


class Search(NamedTuple):
    """Settings of a search.

    stages: number of heuristics.
    first: index of the first one in H1, H2; the others follow.
    levels: int64[2], the nesting of each stage.
    pairs: of `solvers.klondike.kplus.actions`.
    loops: LEFT_OUT or LOSE.
    dead: worth of a dead end: VALUED, LOST_AT_ONCE or UNTESTED.
    plateaus: 1 if a state with no better child is a local maximum, 0 if all must be worse.
    capacity: nodes that a cache holds.
    """

    stages: int
    first: int
    levels: NDArray[np.int64]
    pairs: int
    loops: int
    dead: int
    plateaus: int
    capacity: int


@search_kernel
def _mix(x):
    x = (x ^ (x >> 16)) * 0x45D9F3B & 0xFFFFFFFF
    return x ^ (x >> 15)


@search_kernel
def _scatter(state):
    """Hash of 32 bits of the most distinctive sets of a state."""
    x = _mix((state.tableau ^ (state.straight << 7)) & 0xFFFFFFFF)
    x = _mix(x ^ (state.tableau >> 32) ^ (state.straight >> 22))
    x = _mix(x ^ (state.up & 0xFFFFFFFF))
    return _mix(x ^ (state.up >> 32) ^ (state.stock << 3 & 0xFFFFFFFF))


@search_kernel
def cached_level(state, which, game, cache):
    """The level at which a state was explored, −1 if it was not; and its slot in the cache."""
    slot = _scatter(state) & (SLOTS - 1)
    while cache[which, slot, 7] == game:
        if (
            cache[which, slot, 1] == state.tableau
            and cache[which, slot, 2] == state.straight
            and cache[which, slot, 0] == state.up
            and cache[which, slot, 3] == state.crossed
            and cache[which, slot, 4] == state.down
            and cache[which, slot, 5] == state.stock
        ):
            return cache[which, slot, 6] - 1, slot
        slot = (slot + 1) & (SLOTS - 1)
    return -1, slot


@search_kernel
def keep(state, which, level, game, search, work):
    """Save in the cache of a heuristic that a state is explored at a level, if there is room."""
    known, slot = cached_level(state, which, game, work.cache)
    cache = work.cache
    if known >= 0:
        if level > known:
            cache[which, slot, 6] = level + 1
            work.meta[CHANGES + which] += 1
    elif work.meta[CACHED + which] < search.capacity:
        work.meta[CACHED + which] += 1
        work.meta[CHANGES + which] += 1
        cache[which, slot, 0] = state.up
        cache[which, slot, 1] = state.tableau
        cache[which, slot, 2] = state.straight
        cache[which, slot, 3] = state.crossed
        cache[which, slot, 4] = state.down
        cache[which, slot, 5] = state.stock
        cache[which, slot, 6] = level + 1
        cache[which, slot, 7] = game


@search_kernel
def state_at(path, at):
    return State(path[at, 0], path[at, 1], path[at, 2], path[at, 3], path[at, 4], path[at, 5])


@search_kernel
def _put(state, by, work):
    """Append a state to the path."""
    path = work.path
    at = work.meta[LENGTH]
    work.meta[LENGTH] = at + 1
    path[at, _BEFORE] = work.meta[NODES]
    path[at, _PLAYED] = work.meta[PLAYS]
    path[at, _SINCE] = -1
    path[at, 0] = state.up
    path[at, 1] = state.tableau
    path[at, 2] = state.straight
    path[at, 3] = state.crossed
    path[at, 4] = state.down
    path[at, 5] = state.stock
    path[at, _BY] = by
    path[at, _ACTION] = -1


@search_kernel
def is_on_path(state, by, path, length):
    """Whether a state is on the path, explored by stage and level `by`, or by any if by < 0."""
    at = length - 1
    # Turning up a card and taking one from the stock are irreversible.
    while at >= 0 and path[at, 4] == state.down and path[at, 5] == state.stock:
        if (
            path[at, 1] == state.tableau
            and path[at, 2] == state.straight
            and path[at, 3] == state.crossed
            and path[at, 0] == state.up
            and (by < 0 or path[at, _BY] == by)
        ):
            return True
        at -= 1
    return False


@search_kernel
def gain(state, table, turning, which, move):
    """Change of a state's value by a macro move."""
    card = move & CARD
    own = 1 << card
    total = 0
    if move >> 6 == FOUNDATION:
        total += RISE[which, card]
    if state.tableau & own:
        turned = reveals(state, table, card)
        if turned:
            total += turning[which, popcount(turned - 1)]
            if swap_twins(turned) & state.down:
                total -= PAIR[which]
    elif state.up & own:
        total -= RISE[which, card]
    elif TALON[which] != 0:
        draw = table.rules[0]
        after = take_from_stock(state.stock, table.stock_index[card], draw)
        total += TALON[which] * (
            popcount(within_reach(after, draw, table.every))
            - popcount(within_reach(state.stock, draw, table.every))
        )
    return total


@search_kernel
def action_gain(state, table, turning, which, action):
    """Change of a state's value by an action."""
    total = gain(state, table, turning, which, action & FIRST_MOVE)
    if action >> SECOND != 0:
        after = play(state, table, action & FIRST_MOVE)
        total += gain(after, table, turning, which, (action >> SECOND) - 1)
    return total


@search_kernel
def best_leaf(state, own_value, frame, by, table, search, work):
    """Line 8 for children that are leaves: the highest value of one that is neither a loop nor a
    dead end, LOSS if there is none; and the action that leads to it.

    The tests are made in order of value, so most children need none; the maximum and the first
    action that attains it are the same.
    """
    first, end = work.frames[frame, _ACTIONS], work.frames[frame, _END]
    which = search.first + work.frames[frame, _STAGE]
    for at in range(first, end):
        work.scores[at] = own_value + action_gain(
            state, table, work.turning, which, work.actions[at]
        )
    work.meta[NODES] += end - first
    while True:
        best = LOSS
        chosen = -1
        for at in range(first, end):
            if work.scores[at] > best:
                best = work.scores[at]
                chosen = at
        if chosen < 0:
            return LOSS, -1
        child = act(state, table, work.actions[chosen])
        if (search.loops == LOSE or not is_on_path(child, by, work.path, work.meta[LENGTH])) and (
            search.dead != LOST_AT_ONCE or not is_dead_end(child, table)
        ):
            return best, work.actions[chosen]
        work.scores[chosen] = LOSS


@search_kernel
def age(stage, search, work):
    """Counter of the changes of the caches that a stage and later ones use."""
    total = 0
    for later in range(stage, search.stages):
        total += work.meta[CHANGES + search.first + later]
    return total


@search_kernel
def begin(state, stage, level, search, table, work, game):
    """Explore the last state of the path in the top frame: lines 7 and 8 start over."""
    frame = work.meta[DEPTH] - 1
    frames = work.frames
    which = search.first + stage
    if level > 0:
        keep(state, which, level, game, search, work)
    work.path[work.meta[LENGTH] - 1, _SINCE] = age(stage, search, work)
    first = frames[frame, _ACTIONS]
    end = actions(state, table, search.pairs, work.moves, work.actions, first)
    frames[frame, _NEXT] = first
    frames[frame, _END] = end
    frames[frame, _BEST] = LOSS
    frames[frame, _CHOSEN] = -1


@search_kernel
def push(state, stage, level, own_value, search, table, work, game):
    """Push a frame, and append its state to the path."""
    frame = work.meta[DEPTH]
    work.meta[DEPTH] = frame + 1
    frames = work.frames
    frames[frame, _STAGE] = stage
    frames[frame, _LEVEL] = level
    frames[frame, _VALUE] = own_value
    frames[frame, _PATH] = work.meta[LENGTH]
    frames[frame, _ACTIONS] = 0 if frame == 0 else frames[frame - 1, _END]
    _put(state, stage << 8 | level, work)
    begin(state, stage, level, search, table, work, game)


@search_kernel
def stage_for(state, stage, level, search, work, game):
    """Line 4: the stage and level at which to explore a state; stage −1 for none."""
    while True:
        known, _ = cached_level(state, search.first + stage, game, work.cache)
        if known < level:
            return stage, level
        if stage == search.stages - 1:
            return -1, level
        stage += 1
        level = search.levels[stage]


@search_kernel
def keep_rollout(state, frame, how, worth, game, search, work):
    """Memoize the end of the rollout of a frame: its last state and its worth.

    The rest of a rollout depends on its state; on earlier states to which it could return, which
    are those since the last irreversible move (a card turned up or taken from the stock); and,
    unless it is greedy, on the caches. So it is saved for the first state of the frame and for
    every state right after an irreversible move: for any age of the caches if it is greedy, else
    for their current age if they have not changed since that state. At the same age it would repeat
    itself and leave the caches unchanged.

    A greedy rollout that goes on with the next stage depends on the caches from there on: it is
    saved up to there, as _NEXT_STAGE.
    """
    path, rollouts = work.path, work.rollouts
    at = work.meta[LENGTH] - 1
    last_by = path[at, _BY]
    first = work.frames[frame, _PATH]
    while at >= first:
        by = path[at, _BY]
        starts = (
            at == first
            or path[at - 1, _BY] != by
            or path[at - 1, 4] != path[at, 4]
            or path[at - 1, 5] != path[at, 5]
        )
        since = ANY_AGE
        if by & 255 != 0:
            since = path[at, _SINCE]
            starts = starts and how == _FINAL and since == age(by >> 8, search, work)
        elif by != last_by:
            starts = False
        if starts:
            slot = (_scatter(state_at(path, at)) + by) & (KEPT - 1)
            for part in range(6):
                rollouts[slot, part] = path[at, part]
                rollouts[slot, _LAST + part] = state[part]
            rollouts[slot, _TAG] = game << 16 | by
            rollouts[slot, _HOW] = how
            rollouts[slot, _WORTH] = worth
            rollouts[slot, _COST] = work.meta[NODES] - path[at, _BEFORE]
            rollouts[slot, _STEPS] = work.meta[PLAYS] - path[at, _PLAYED]
            rollouts[slot, _AGE] = since
        at -= 1


@search_kernel
def known_worth(state, stage, level, search, table, work, game):
    """Probe the memo for the worth of the rollout from a state, and count its nodes and plays.

    Returns UNKNOWN if the memo does not have it.
    """
    rollouts = work.rollouts
    by = stage << 8 | level
    slot = (_scatter(state) + by) & (KEPT - 1)
    if (
        rollouts[slot, _TAG] != game << 16 | by
        or rollouts[slot, 1] != state.tableau
        or rollouts[slot, 2] != state.straight
        or rollouts[slot, 0] != state.up
        or rollouts[slot, 3] != state.crossed
        or rollouts[slot, 4] != state.down
        or rollouts[slot, 5] != state.stock
    ):
        return UNKNOWN
    since = rollouts[slot, _AGE]
    if since != ANY_AGE and since != age(stage, search, work):
        return UNKNOWN
    worth = rollouts[slot, _WORTH]
    if rollouts[slot, _HOW] == _NEXT_STAGE:
        end = State(
            rollouts[slot, _LAST],
            rollouts[slot, _LAST + 1],
            rollouts[slot, _LAST + 2],
            rollouts[slot, _LAST + 3],
            rollouts[slot, _LAST + 4],
            rollouts[slot, _LAST + 5],
        )
        later, _ = stage_for(end, stage + 1, search.levels[stage + 1], search, work, game)
        if later >= 0:
            return UNKNOWN
        worth = value(end, table, work.turning, search.first + search.stages - 1)
    work.meta[NODES] += rollouts[slot, _COST]
    work.meta[PLAYS] += rollouts[slot, _STEPS]
    return worth


@search_kernel
def run(search, table, work, game, nodes, expired, spare):
    """Continue a search until the game is won or lost, or `nodes` have been visited in total.

    Args:
        search: settings.
        table: of `engine.klondike.kplus`.
        work: workspace; the first frame must have been pushed.
        game: a number that no earlier search with these caches had.
        nodes: total at which to pause.
        expired: whether the time limit is reached.
        spare: capacity that a step may need; with less left the result is NO_ROOM.

    Returns:
        WON, with the actions of the win on the path, LOST, PAUSED or NO_ROOM.
    """
    meta, frames, path = work.meta, work.frames, work.path
    last = search.stages - 1
    returned = 0
    returning = False
    while True:
        frame = meta[DEPTH] - 1
        stage, level = frames[frame, _STAGE], frames[frame, _LEVEL]
        which = search.first + stage
        top = meta[LENGTH] - 1
        state = state_at(path, top)
        by = stage << 8 | level
        if returning:
            returning = False
            if returned > frames[frame, _BEST]:
                frames[frame, _BEST] = returned
                frames[frame, _CHOSEN] = work.actions[frames[frame, _NEXT]]
            frames[frame, _NEXT] += 1
        # Both can be resumed: the results of the frame so far are in its columns.
        if meta[LENGTH] + 2 >= path.shape[0] or frames[frame, _END] + spare > work.actions.shape[0]:
            return NO_ROOM
        if meta[NODES] >= nodes:
            return PAUSED

        if popcount(state.up) == 51:
            path[top, _ACTION] = work.actions[frames[frame, _ACTIONS]]
            return WON
        if level == 0:
            best, chosen = best_leaf(state, frames[frame, _VALUE], frame, by, table, search, work)
        else:
            entered = False
            while frames[frame, _NEXT] < frames[frame, _END]:
                action = work.actions[frames[frame, _NEXT]]
                child = act(state, table, action)
                meta[NODES] += 1
                worth = LOSS
                if search.loops == LOSE or not is_on_path(child, by, path, meta[LENGTH]):
                    below, nesting = stage_for(child, stage, level - 1, search, work, game)
                    worth = UNKNOWN
                    if below >= 0 and not expired:
                        worth = known_worth(child, below, nesting, search, table, work, game)
                    # A state explored before is not a dead end.
                    ended = (
                        worth == UNKNOWN
                        and below == stage
                        and search.dead != UNTESTED
                        and is_dead_end(child, table)
                    )
                    if ended or expired:
                        worth = LOSS
                        if not ended or search.dead == VALUED:
                            worth = value(child, table, work.turning, which)
                    elif below < 0:
                        worth = value(child, table, work.turning, search.first + last)
                    elif worth == UNKNOWN:
                        path[top, _ACTION] = action
                        own_value = value(child, table, work.turning, search.first + below)
                        push(child, below, nesting, own_value, search, table, work, game)
                        entered = True
                        break
                if worth > frames[frame, _BEST]:
                    frames[frame, _BEST] = worth
                    frames[frame, _CHOSEN] = action
                frames[frame, _NEXT] += 1
            if entered:
                continue
            best, chosen = frames[frame, _BEST], frames[frame, _CHOSEN]

        if best == LOSS or (stage < last and best < frames[frame, _VALUE] + search.plateaus):
            if stage < last:
                if level == 0:
                    keep_rollout(state, frame, _NEXT_STAGE, LOSS, game, search, work)
                stage, level = stage_for(
                    state, stage + 1, search.levels[stage + 1], search, work, game
                )
                path[top, _ACTION] = -1
                if stage >= 0:
                    frames[frame, _STAGE] = stage
                    frames[frame, _LEVEL] = level
                    frames[frame, _VALUE] = value(state, table, work.turning, search.first + stage)
                    _put(state, stage << 8 | level, work)
                    begin(state, stage, level, search, table, work, game)
                    continue
                returned = value(state, table, work.turning, search.first + last)
            else:
                returned = frames[frame, _VALUE]
            returning = True
        else:
            path[top, _ACTION] = chosen
            state = act(state, table, chosen)
            meta[PLAYS] += 1
            if search.loops == LOSE and is_on_path(state, by, path, meta[LENGTH]):
                returned = LOSS
                returning = True
            elif search.dead == VALUED and is_dead_end(state, table):
                returned = value(state, table, work.turning, which)
                returning = True
            else:
                frames[frame, _VALUE] = (
                    best if level == 0 else value(state, table, work.turning, which)
                )
                _put(state, by, work)
                begin(state, stage, level, search, table, work, game)
        if returning:
            if not expired:
                keep_rollout(state, frame, _FINAL, returned, game, search, work)
            meta[LENGTH] = frames[frame, _PATH]
            meta[DEPTH] = frame
            if frame == 0:
                return LOST
