"""Chance that the player `random` wins a deal, estimated without bias by multilevel splitting.

Play at random is what the player `random` does (`solvers.klondike.players.play`): in each position
one of the allowed actions, each with the same chance; an action that repeats a position is not
allowed, without an allowed action the game is lost, and it is won as soon as a greedy finish wins.
So each game ends, and the chance to win a deal is a well-defined number.

The *level* of a position is the number of cards that lie face down or in the stock; it never grows,
and falls by one card at a time. A run plays `EFFORT` games from each level to the next one (fixed
effort: Garvels 2000, *The splitting method in rare event simulation*): those that come there are
copied until there are as many again, those that end there have won or lost. Positions that were
passed before the level fell cannot come back, so that a copy needs no memory of them.

*No bias.* Let h be the chance to win from a position. Let M be the sum, over the games that go on,
of weight times h, plus the weights of those that have won, where all games of a level have the same
weight. To play on leaves the expectation of M as it is, since h of a position is the mean of h (or
1, or 0) over what random play makes of it. So does copying: each of m games gets n / m copies in
expectation, of weight m / n times the old one. At the start M is h of the deal, with n games of
weight 1 / n; at the end it is the weight of the games won, which is the estimate. So its
expectation is h of the deal, however many games there are, and whether or not copies share their
past. Neither its logarithm nor an estimate that was chosen by its value is without bias.

*Error.* `RUNS` runs with different random numbers are independent, so that the standard error of
their mean is that of any mean. It is itself an estimate, with `RUNS` − 1 degrees of freedom.

*Bound.* Where no run wins a game, the estimate is 0 and its error unknown. Then `GAMES` whole games
are played, and the chance is at most the upper end of the Clopper–Pearson interval of their wins at
95 %. The estimate stays 0: to take theirs where the other is 0 would be too much on average.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import threading
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import search_kernel
from engine.kernels.rng import random_below, seed_rng
from engine.klondike.kplus import State
from engine.klondike.rules import KlondikeRules
from solvers.forgiveness import Chance, Effort
from solvers.klondike.kplus.actions import NEEDED
from solvers.klondike.players.game import GameRunner
from solvers.klondike.players.play import (
    LOST,
    RANDOM,
    STOPPED,
    TOO_MANY_STATES,
    WON,
    cards_left,
    play_simple,
    play_while,
)

EFFORT = 500
RUNS = 8
# The same of a rough estimate.
ROUGH_EFFORT = 100
ROUGH_RUNS = 2
GAMES = 30_000
_STATE = 6
# Actions between two levels; a game that has more states is given up by its history first.
_LONGEST = 1 << 16


class SplittingWork(NamedTuple):
    """Memory of a run. Arrays of int64.

    games: [n, 6], the games of a level, as `engine.klondike.kplus.State`; n is the effort.
    arrived: [n, 6], those that have come to the next level.
    line: [m], scratch for the actions of a game.
    """

    games: NDArray[np.int64]
    arrived: NDArray[np.int64]
    line: NDArray[np.int64]


def new_splitting_work(effort: int) -> SplittingWork:
    """Memory for runs with a number of games from each level to the next."""
    return SplittingWork(
        np.zeros((effort, _STATE), dtype=np.int64),
        np.zeros((effort, _STATE), dtype=np.int64),
        np.zeros(_LONGEST, dtype=np.int64),
    )


@search_kernel
def split(start, croupier, player, work):
    """A run: estimate the chance that `random` wins from a state without a history.

    Args:
        start: the state.
        croupier: holds the deal.
        player: the `solvers.klondike.players.play.PlayerWorkspace`; its generator is seeded.
        work: memory.

    Returns:
        the estimate, or −1 if a history was full.
    """
    effort = work.games.shape[0]
    for number in range(effort):
        _write(start, work.games, number)
    found, weight = 0.0, 1.0
    level = cards_left(start)
    while True:
        won = arrived = 0
        for number in range(effort):
            row = work.games[number]
            state = State(row[0], row[1], row[2], row[3], row[4], row[5])
            ended, _, state = play_while(state, croupier, RANDOM, NEEDED, player, work.line, level)
            if ended == WON:
                won += 1
            elif ended == STOPPED:
                _write(state, work.arrived, arrived)
                arrived += 1
            elif ended != LOST:
                return -1.0
        found += weight * won / effort
        if arrived == 0:
            return found
        level -= 1
        weight *= arrived / effort
        _copy(arrived, player.rng, work)


@search_kernel
def wins(start, croupier, player, line, games):
    """The number of whole games that `random` wins from a state; −1 if a history was full."""
    won = 0
    for _ in range(games):
        ended, _ = play_simple(start, croupier, RANDOM, NEEDED, player, line)
        if ended == WON:
            won += 1
        elif ended != LOST:
            return -1
    return won


@search_kernel
def _write(state, games, number):
    row = games[number]
    row[0], row[1], row[2] = state.up, state.tableau, state.straight
    row[3], row[4], row[5] = state.crossed, state.down, state.stock


@search_kernel
def _copy(arrived, rng, work):
    """Fill `games` with copies of the first of `arrived`, the same number of each or one more.

    Those of which there is one more are drawn, so that each has as many in expectation.
    """
    effort = work.games.shape[0]
    whole = effort // arrived * arrived
    for number in range(effort):
        source = number % arrived
        if number >= whole:
            # One of those that were not drawn yet, exchanged with the one at this place.
            source = number - whole
            other = source + random_below(rng, arrived - source)
            for at in range(_STATE):
                kept = work.arrived[source, at]
                work.arrived[source, at] = work.arrived[other, at]
                work.arrived[other, at] = kept
        for at in range(_STATE):
            work.games[number, at] = work.arrived[source, at]


class _SplittingMemory(threading.local):
    """Memory of runs; one per thread, so that they can be side by side."""

    def __init__(self) -> None:
        self.work = new_splitting_work(EFFORT)
        self.rough = new_splitting_work(ROUGH_EFFORT)
        self.runner: GameRunner | None = None

    def runner_of(self, rules: KlondikeRules) -> GameRunner:
        """The runner of games under given rules."""
        if self.runner is None or self.runner.rules != rules:
            self.runner = GameRunner(rules, 0)
        return self.runner


_memory = _SplittingMemory()


def chance_at_random(
    cards: NDArray[np.uint8], rules: KlondikeRules, effort: Effort = Effort.BOUNDED
) -> Chance:
    """See `solvers.forgiveness.Forgiveness.chance`."""
    rough = effort is Effort.ROUGH
    runner, work = _memory.runner_of(rules), _memory.rough if rough else _memory.work
    runs = ROUGH_RUNS if rough else RUNS
    estimates = np.zeros(runs)
    for run in range(runs):
        start = runner.begin(cards)
        seed_rng(cards, run, runner.work.rng)
        estimates[run] = split(start, runner.croupier, runner.work, work)
    if estimates.min() < 0:
        raise RuntimeError(TOO_MANY_STATES)
    value, error = float(estimates.mean()), float(estimates.std(ddof=1)) / sqrt(runs)
    if value > 0:
        return Chance(value, error, min(value + 2 * error, 1.0))
    if effort is not Effort.BOUNDED:
        return Chance(0.0, None, 1.0)
    from scipy.stats import beta  # takes a moment to load

    start = runner.begin(cards)
    seed_rng(cards, RUNS, runner.work.rng)
    won = int(wins(start, runner.croupier, runner.work, work.line, GAMES))
    if won < 0:
        raise RuntimeError(TOO_MANY_STATES)
    return Chance(0.0, None, float(beta.ppf(0.975, won + 1, GAMES - won)))
