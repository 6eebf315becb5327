"""Kernel of `yan-rollout`: nested simulations on a stack of positions.

`solvers.klondike.yan.rollout` documents the method.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.kernels.rng import seed_rng, split_rng
from engine.klondike.flat import MOVES, POSITION, set_up
from engine.klondike.whole_runs import is_won, play
from solvers.klondike.yan.heuristic import LONGEST, choose, play_out
from solvers.klondike.yan.reach import (
    ENTERED,
    MOST_STRAYS,
    can_win,
    clear_table,
    copy,
    key_after,
    start_key,
    tries,
)

MOST_ITERATIONS = MOST_STRAYS

# Value of `ask_from` by which no simulation is skipped.
NEVER_ASK = MOST_ITERATIONS + 1

# A frame is a game in progress, of the strategy after _STRATEGY rollouts. It tries the moves of
# its position, each followed by a simulation of the strategy after _ROUND − 1 rollouts; _NEXT is
# the next of _COUNT moves. _LENGTH moves were played before this position.
_STRATEGY, _ROUND, _NEXT, _COUNT, _LENGTH = range(5)


class Games(NamedTuple):
    """Workspace of the nested games in progress.

    positions: int64[MOST_ITERATIONS + 2, POSITION]; the first is the game itself.
    keys: int64[MOST_ITERATIONS + 2], as `solvers.klondike.yan.reach` has them.
    rng: int64[MOST_ITERATIONS + 2, 2], the generator of each game.
    frames: int64[MOST_ITERATIONS + 2, 5].
    moves: int64[MOST_ITERATIONS + 2, MOVES].
    scratch: int64[MOVES].
    record: uint8[…], the moves of the current line from the start of the deal.
    """

    positions: NDArray[np.int64]
    keys: NDArray[np.int64]
    rng: NDArray[np.int64]
    frames: NDArray[np.int64]
    moves: NDArray[np.int64]
    scratch: NDArray[np.int64]
    record: NDArray[np.uint8]


def new_games() -> Games:
    """Allocate the workspace of a game."""
    rows = MOST_ITERATIONS + 2
    return Games(
        np.zeros((rows, POSITION), dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.zeros((rows, 2), dtype=np.int64),
        np.zeros((rows, 5), dtype=np.int64),
        np.zeros((rows, MOVES), dtype=np.int64),
        np.zeros(MOVES, dtype=np.int64),
        np.zeros((MOST_ITERATIONS + 1) * (LONGEST + 1), dtype=np.uint8),
    )


@search_kernel
def play_game(cards, draw, iterations, random_seed, reading, ask_from, games, work):
    """`roll_out` from the start of a deal uint8[52]; returns whether won, length, nodes."""
    set_up(cards, draw, games.positions[0])
    seed_rng(cards, random_seed, games.rng[0])
    games.keys[0] = start_key(games.positions[0])
    clear_table(work)
    won, length, played = roll_out(iterations, reading, ask_from, games, work)
    return won, length, played + work.counts[ENTERED]


@search_kernel
def roll_out(iterations, reading, ask_from, games, work):
    """Play the game in row 0 by the strategy after a number of rollouts.

    Args:
        iterations: the number, 0 to MOST_ITERATIONS.
        reading: a `solvers.klondike.yan.heuristic.YanReading`.
        ask_from: simulations of the strategies after this many rollouts or more are skipped if no
            random choices win them.
        games: `Games`; position, key and generator of row 0 are set.
        work: `solvers.klondike.yan.reach.ReachWorkspace` without entries of other deals.

    Returns:
        Whether it is won, the number of moves of the game if so (they are in games.record), and the
        number of moves played in the game and in all simulations.
    """
    frames, positions, record = games.frames, games.positions, games.record
    if iterations == 0:
        won, length = play_out(positions[0], games.rng[0], reading, games.scratch, record)
        return won, length, length
    if iterations >= ask_from and not can_win(
        positions[0], games.keys[0], iterations, reading, work
    ):
        return False, 0, 0
    played = 0
    row = 0
    _begin(0, iterations, 0, reading, games)
    while row >= 0:
        frame = frames[row]
        position = positions[row]
        if frame[_NEXT] == frame[_COUNT]:
            # None of these simulations wins, so the strategy makes the move of the next lower one.
            frame[_ROUND] -= 1
            frame[_NEXT] = 0
            if frame[_ROUND] > 0:
                continue
            move = choose(position, games.rng[row], reading, games.scratch)
            if move < 0:
                row -= 1
                continue
            games.keys[row] = key_after(position, games.keys[row], move)
            play(position, move)
            played += 1
            record[frame[_LENGTH]] = move
            if is_won(position):
                return True, frame[_LENGTH] + 1, played
            strategy = frame[_STRATEGY]
            if strategy >= ask_from and not can_win(
                position, games.keys[row], strategy, reading, work
            ):
                row -= 1
                continue
            _begin(row, strategy, frame[_LENGTH] + 1, reading, games)
            continue
        move = games.moves[row, frame[_NEXT]]
        frame[_NEXT] += 1
        # Each simulation has its own generator, so that skipping one changes no other.
        split_rng(games.rng[row], games.rng[row + 1])
        strategy = frame[_ROUND] - 1
        length = frame[_LENGTH] + 1
        follower = positions[row + 1]
        copy(position, follower)
        play(follower, move)
        record[length - 1] = move
        if strategy == 0:
            won, more = play_out(
                follower, games.rng[row + 1], reading, games.scratch, record[length:]
            )
            played += 1 + more
            if won:
                return True, length + more, played
            continue
        games.keys[row + 1] = key_after(position, games.keys[row], move)
        if is_won(follower):
            return True, length, played + 1
        if strategy >= ask_from and not can_win(
            follower, games.keys[row + 1], strategy, reading, work
        ):
            continue
        played += 1
        row += 1
        _begin(row, strategy, length, reading, games)
    return False, 0, played


@search_kernel
def _begin(row, strategy, length, reading, games):
    """Prepare to try the moves of a row's position."""
    frame = games.frames[row]
    frame[_STRATEGY] = strategy
    frame[_ROUND] = strategy
    frame[_NEXT] = 0
    frame[_COUNT] = tries(games.positions[row], reading, games.moves[row])
    frame[_LENGTH] = length
