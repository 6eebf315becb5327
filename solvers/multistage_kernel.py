"""The kernel of multistage nested rollouts: `solvers.multistage` says what is computed and why.

Recursion is kept on stacks of its own. A *frame* is one call of the procedure; the *path* holds
every state from the root to the current one, with the frame that explores it and the action that
leads on from it. So at a win the actions along the path are the game.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.bits import popcount, swap_twins
from engine.kernels import search_kernel
from engine.kplus import CARD, FOUNDATION, State, play, reveals
from engine.stock_turns import take_from_stock, within_reach
from solvers.kplus_actions import FIRST_MOVE, SECOND, act, actions
from solvers.kplus_relaxation import is_dead_end
from solvers.kplus_values import LOSS, PAIR, RISE, TALON, value

# What `run` ends with.
WON, LOST, PAUSED, NO_ROOM = range(4)

# Columns of a frame.
_STAGE, _LEVEL, _VALUE, _PATH, _ACTIONS, _NEXT, _END, _BEST, _CHOSEN = range(9)
FRAME = 9
# Columns of a state on the path: six of `State`, then stage and level that explore it, the nodes
# and plays before it, and last the action taken from it, −1 before there is one.
_BY, _BEFORE, _PLAYED, _ACTION = 6, 7, 8, 9
PATH = 10
UNKNOWN = LOSS - 1

# Columns of `meta`.
DEPTH, LENGTH, NODES, PLAYS, RETURNED, CACHED = 0, 1, 2, 3, 4, 5
META = 7  # the last is one number for each of the two heuristics

# A state explored before at the same stage and level is no child of any; or it is, and entering it
# again loses.
LEFT_OUT, LOSE = range(2)
# What a dead end is worth to its parent: its value, or LOSS; or there is no test for dead ends.
VALUED, LOST_AT_ONCE, UNTESTED = range(3)

SLOTS = 1 << 14
ENTRY = 8

# A greedy rollout that was made before need not be made again: how many are kept, and what of
# each. Six of `State`, the game and stage, how it ended and at what value, its nodes and plays, and
# six of the `State` in which it ended.
KEPT = 1 << 17
_TAG, _END_KIND, _WORTH, _COST, _STEPS, _LAST = range(6, 12)
GREEDY = _LAST + 6
_FINAL, _NEXT_STAGE = range(2)


class Room(NamedTuple):
    """Where a search works. Arrays of int64.

    meta: [META].
    frames: [n, FRAME].
    path: [n, PATH].
    actions: [n], those of each frame after those of the frame before.
    scores: [n], beside actions.
    moves: [2 · MOST_MOVES], scratch.
    cache: [2, SLOTS, ENTRY]: six of `State`, the level it was explored at plus 1, the game.
    greedy: [KEPT, GREEDY], see `keep_greedy`.
    turning: [2, 52], as of `solvers.kplus_values.weigh`.
    """

    meta: NDArray[np.int64]
    frames: NDArray[np.int64]
    path: NDArray[np.int64]
    actions: NDArray[np.int64]
    scores: NDArray[np.int64]
    moves: NDArray[np.int64]
    cache: NDArray[np.int64]
    greedy: NDArray[np.int64]
    turning: NDArray[np.int64]


class Search(NamedTuple):
    """What is to be done.

    stages: how many heuristics take part.
    first: the number of the first one in H1, H2; the others follow.
    levels: int64[2], the nesting of each stage.
    pairs: of `solvers.kplus_actions`.
    loops: LEFT_OUT or LOSE.
    dead: what a dead end is worth: VALUED, LOST or UNTESTED.
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
    """A number of 32 bits from the sets that say the most."""
    x = _mix((state.tableau ^ (state.straight << 7)) & 0xFFFFFFFF)
    x = _mix(x ^ (state.tableau >> 32) ^ (state.straight >> 22))
    x = _mix(x ^ (state.up & 0xFFFFFFFF))
    return _mix(x ^ (state.up >> 32) ^ (state.stock << 3 & 0xFFFFFFFF))


@search_kernel
def cached_level(state, which, game, cache):
    """The level at which a state was explored, −1 if it was not; and its place in the cache."""
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
def keep(state, which, level, game, search, room):
    """Note that a state is explored at a level by a heuristic, if there is room in its cache."""
    known, slot = cached_level(state, which, game, room.cache)
    cache = room.cache
    if known >= 0:
        if level > known:
            cache[which, slot, 6] = level + 1
    elif room.meta[CACHED + which] < search.capacity:
        room.meta[CACHED + which] += 1
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
def _put(state, by, room):
    """Put a state at the end of the path."""
    path = room.path
    at = room.meta[LENGTH]
    room.meta[LENGTH] = at + 1
    path[at, _BEFORE] = room.meta[NODES]
    path[at, _PLAYED] = room.meta[PLAYS]
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
    # What is turned up or taken from the stock never comes back.
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
    """How much a macro move changes a state's value."""
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
    """How much an action changes a state's value."""
    total = gain(state, table, turning, which, action & FIRST_MOVE)
    if action >> SECOND != 0:
        after = play(state, table, action & FIRST_MOVE)
        total += gain(after, table, turning, which, (action >> SECOND) - 1)
    return total


@search_kernel
def best_leaf(state, own_value, frame, by, table, search, room):
    """Line 8 with leaves for children: the highest value of one that is neither a loop nor a dead
    end, LOSS if there is none; and the action to it.

    Dead ends are told only where it matters: the best is looked at first, so the maximum and the
    first action that attains it are the same as if all were.
    """
    first, end = room.frames[frame, _ACTIONS], room.frames[frame, _END]
    which = search.first + room.frames[frame, _STAGE]
    for at in range(first, end):
        room.scores[at] = own_value + action_gain(
            state, table, room.turning, which, room.actions[at]
        )
    room.meta[NODES] += end - first
    while True:
        best = LOSS
        chosen = -1
        for at in range(first, end):
            if room.scores[at] > best:
                best = room.scores[at]
                chosen = at
        if chosen < 0:
            return LOSS, -1
        child = act(state, table, room.actions[chosen])
        if (search.loops == LOSE or not is_on_path(child, by, room.path, room.meta[LENGTH])) and (
            search.dead != LOST_AT_ONCE or not is_dead_end(child, table)
        ):
            return best, room.actions[chosen]
        room.scores[chosen] = LOSS


@search_kernel
def begin(state, stage, level, search, table, room, game):
    """Explore a state, the last on the path, in the frame on top: lines 7 and 8 start over."""
    frame = room.meta[DEPTH] - 1
    frames = room.frames
    which = search.first + stage
    if level > 0:
        keep(state, which, level, game, search, room)
    first = frames[frame, _ACTIONS]
    end = actions(state, table, search.pairs, room.moves, room.actions, first)
    frames[frame, _NEXT] = first
    frames[frame, _END] = end
    frames[frame, _BEST] = LOSS
    frames[frame, _CHOSEN] = -1


@search_kernel
def push(state, stage, level, own_value, search, table, room, game):
    """A new frame, and the state on the path."""
    frame = room.meta[DEPTH]
    room.meta[DEPTH] = frame + 1
    frames = room.frames
    frames[frame, _STAGE] = stage
    frames[frame, _LEVEL] = level
    frames[frame, _VALUE] = own_value
    frames[frame, _PATH] = room.meta[LENGTH]
    frames[frame, _ACTIONS] = 0 if frame == 0 else frames[frame - 1, _END]
    _put(state, stage << 8 | level, room)
    begin(state, stage, level, search, table, room, game)


@search_kernel
def stage_for(state, stage, level, search, room, game):
    """Line 4: the stage and level that a state is to be explored at, stage −1 if at none."""
    while True:
        known, _ = cached_level(state, search.first + stage, game, room.cache)
        if known < level:
            return stage, level
        if stage == search.stages - 1:
            return -1, level
        stage += 1
        level = search.levels[stage]


@search_kernel
def keep_greedy(state, frame, kind, worth, game, room):
    """Keep how the greedy rollout of a frame ended: in this state, at this worth.

    What follows in a greedy rollout depends on its state alone, and on those before it that it
    could go back to, hence only on those since a card was last turned up or taken from the stock.
    So the rollout is kept for its first state and for every one right after such a move.
    """
    path, greedy = room.path, room.greedy
    at = room.meta[LENGTH] - 1
    first = room.frames[frame, _PATH]
    tag = game << 1 | room.frames[frame, _STAGE]
    while at >= first and path[at, _BY] == path[room.meta[LENGTH] - 1, _BY]:
        if (
            at == first
            or path[at - 1, _BY] != path[at, _BY]
            or path[at - 1, 4] != path[at, 4]
            or path[at - 1, 5] != path[at, 5]
        ):
            slot = _scatter(state_at(path, at)) & (KEPT - 1)
            for part in range(6):
                greedy[slot, part] = path[at, part]
                greedy[slot, _LAST + part] = state[part]
            greedy[slot, _TAG] = tag
            greedy[slot, _END_KIND] = kind
            greedy[slot, _WORTH] = worth
            greedy[slot, _COST] = room.meta[NODES] - path[at, _BEFORE]
            greedy[slot, _STEPS] = room.meta[PLAYS] - path[at, _PLAYED]
        at -= 1


@search_kernel
def kept_greedy(state, stage, game, greedy):
    """Where the greedy rollout from a state is kept, −1 if it is not."""
    slot = _scatter(state) & (KEPT - 1)
    if (
        greedy[slot, _TAG] == game << 1 | stage
        and greedy[slot, 1] == state.tableau
        and greedy[slot, 2] == state.straight
        and greedy[slot, 0] == state.up
        and greedy[slot, 3] == state.crossed
        and greedy[slot, 4] == state.down
        and greedy[slot, 5] == state.stock
    ):
        return slot
    return -1


@search_kernel
def known_worth(state, stage, search, table, room, game):
    """What the greedy rollout from a state is worth, if that is known without making it, and counts
    its nodes and plays; UNKNOWN if it is not.
    """
    slot = kept_greedy(state, stage, game, room.greedy)
    if slot < 0:
        return UNKNOWN
    worth = room.greedy[slot, _WORTH]
    if room.greedy[slot, _END_KIND] == _NEXT_STAGE:
        end = State(
            room.greedy[slot, _LAST],
            room.greedy[slot, _LAST + 1],
            room.greedy[slot, _LAST + 2],
            room.greedy[slot, _LAST + 3],
            room.greedy[slot, _LAST + 4],
            room.greedy[slot, _LAST + 5],
        )
        following, _ = stage_for(end, stage + 1, search.levels[stage + 1], search, room, game)
        if following >= 0:
            return UNKNOWN
        worth = value(end, table, room.turning, search.first + search.stages - 1)
    room.meta[NODES] += room.greedy[slot, _COST]
    room.meta[PLAYS] += room.greedy[slot, _STEPS]
    return worth


@search_kernel
def run(search, table, room, game, nodes, expired, spare):
    """Search on until the game is won or lost, or `nodes` have been visited in all.

    Args:
        search: what to do.
        table: of `engine.kplus`.
        room: where; a first frame must have been pushed.
        game: a number that no earlier search in this cache had.
        nodes: where to pause.
        expired: whether time has expired.
        spare: room that a step may need on path and actions: less left is NO_ROOM.

    Returns:
        WON, LOST, PAUSED or NO_ROOM. What is on the path then leads to the win.
    """
    meta, frames, path = room.meta, room.frames, room.path
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
                frames[frame, _CHOSEN] = room.actions[frames[frame, _NEXT]]
            frames[frame, _NEXT] += 1
        # Both can be resumed: what the frame has found is in its columns.
        if meta[LENGTH] + 2 >= path.shape[0] or frames[frame, _END] + spare > room.actions.shape[0]:
            return NO_ROOM
        if meta[NODES] >= nodes:
            return PAUSED

        if popcount(state.up) == 51:
            path[top, _ACTION] = room.actions[frames[frame, _ACTIONS]]
            return WON
        if level == 0:
            best, chosen = best_leaf(state, frames[frame, _VALUE], frame, by, table, search, room)
        else:
            entered = False
            while frames[frame, _NEXT] < frames[frame, _END]:
                action = room.actions[frames[frame, _NEXT]]
                child = act(state, table, action)
                meta[NODES] += 1
                worth = LOSS
                if search.loops == LOSE or not is_on_path(child, by, path, meta[LENGTH]):
                    below, nesting = stage_for(child, stage, level - 1, search, room, game)
                    worth = UNKNOWN
                    if below >= 0 and nesting == 0 and not expired:
                        worth = known_worth(child, below, search, table, room, game)
                    # What was explored before is no dead end.
                    ended = (
                        worth == UNKNOWN
                        and below == stage
                        and search.dead != UNTESTED
                        and is_dead_end(child, table)
                    )
                    if ended or expired:
                        worth = LOSS
                        if not ended or search.dead == VALUED:
                            worth = value(child, table, room.turning, which)
                    elif below < 0:
                        worth = value(child, table, room.turning, search.first + last)
                    elif worth == UNKNOWN:
                        path[top, _ACTION] = action
                        own_value = value(child, table, room.turning, search.first + below)
                        push(child, below, nesting, own_value, search, table, room, game)
                        entered = True
                        break
                if worth > frames[frame, _BEST]:
                    frames[frame, _BEST] = worth
                    frames[frame, _CHOSEN] = action
                frames[frame, _NEXT] += 1
            if entered:
                continue
            best, chosen = frames[frame, _BEST], frames[frame, _CHOSEN]

        final = False  # whether a greedy rollout ended here
        if best == LOSS or (stage < last and best < frames[frame, _VALUE] + search.plateaus):
            if stage < last:
                if level == 0:
                    keep_greedy(state, frame, _NEXT_STAGE, 0, game, room)
                stage, level = stage_for(
                    state, stage + 1, search.levels[stage + 1], search, room, game
                )
                path[top, _ACTION] = -1
                if stage >= 0:
                    frames[frame, _STAGE] = stage
                    frames[frame, _LEVEL] = level
                    frames[frame, _VALUE] = value(state, table, room.turning, search.first + stage)
                    _put(state, stage << 8 | level, room)
                    begin(state, stage, level, search, table, room, game)
                    continue
                returned = value(state, table, room.turning, search.first + last)
            else:
                returned = frames[frame, _VALUE]
                final = level == 0
            returning = True
        else:
            path[top, _ACTION] = chosen
            state = act(state, table, chosen)
            meta[PLAYS] += 1
            if search.loops == LOSE and is_on_path(state, by, path, meta[LENGTH]):
                returned = LOSS
                final = level == 0
                returning = True
            elif search.dead == VALUED and is_dead_end(state, table):
                returned = value(state, table, room.turning, which)
                final = level == 0
                returning = True
            else:
                frames[frame, _VALUE] = (
                    best if level == 0 else value(state, table, room.turning, which)
                )
                _put(state, by, room)
                begin(state, stage, level, search, table, room, game)
        if final:
            keep_greedy(state, frame, _FINAL, returned, game, room)
        if returning:
            meta[LENGTH] = frames[frame, _PATH]
            meta[DEPTH] = frame
            if frame == 0:
                return LOST
