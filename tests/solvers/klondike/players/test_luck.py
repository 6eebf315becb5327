"""Tests of the chance that random play wins: against chances found by going through all games."""

from collections.abc import Callable
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest

from engine.dealing.dealers import get_dealer
from engine.games import game_of
from engine.kernels.compiler import COMPILED
from engine.kernels.rng import seed_rng
from engine.klondike.kplus import MOST_MOVES, State, is_won
from engine.klondike.rules import parse_klondike
from solvers.features import trace
from solvers.klondike.kplus.actions import MOST_ACTIONS, NEEDED, act, actions
from solvers.klondike.players import luck
from solvers.klondike.players.game import GameRunner
from solvers.klondike.players.play import (
    GREEDY,
    LOST,
    RANDOM,
    STOPPED,
    WON,
    cards_left,
    finishes,
    play_simple,
    play_while,
)
from solvers.outcome import Result
from solvers.solver import parse_solver

LINE = np.zeros(1 << 16, dtype=np.int64)
# Deals of the issue of which the first version said that random play wins nearly all games.
NEVER_WON = (54, 563, 843)
# Draw, seed and cards left of late states from which all games can be gone through, and others.
EXACT = [(3, 161, 10), (3, 3813, 13)]
LATE = [(1, 0, 28), (1, 3, 28), (3, 2, 28), (3, 6, 28)]


class Endless(Exception):
    """There are too many games to go through."""


class AllGames:
    """The chance to win from a state, by going through all games of `random`.

    The rules of the player are those of its docstring, with sets in place of its own tables.
    """

    def __init__(self, runner: GameRunner, most: int) -> None:
        self.runner, self.left = runner, most
        self.known: dict[tuple[State, frozenset[State]], Fraction] = {}

    def chance(self, state: State, past: frozenset[State] = frozenset()) -> Fraction:
        """The chance, having been in some states since stock or face-down cards changed."""
        if is_won(state):
            return Fraction(1)
        key = state, past
        if key not in self.known:
            self.known[key] = self._chance(state, past | {state})
        return self.known[key]

    def _chance(self, state: State, past: frozenset[State]) -> Fraction:
        self.left -= 1
        if self.left < 0:
            raise Endless
        croupier, work = self.runner.croupier, self.runner.work
        if state.down == 0 and finishes(state, NEEDED, work, LINE, 0)[0] == WON:
            return Fraction(1)
        moves = np.zeros(MOST_MOVES + 1, dtype=np.int64)
        found = np.zeros(MOST_ACTIONS, dtype=np.int64)
        count = int(actions(state, croupier.table, NEEDED, moves, found, 0))
        after = [
            State(*map(int, act(state, croupier.table, int(action)))) for action in found[:count]
        ]
        after = [each for each in after if each not in past]
        if not after:
            return Fraction(0)
        total = Fraction(0)
        for each in after:
            same = each.down == state.down and each.stock == state.stock
            total += self.chance(each, past if same else frozenset())
        return total / len(after)


def late_state(draw: int, seed: int, least: int) -> tuple[GameRunner, State]:
    """The state of a game of `greedy` when fewer than so many cards are left."""
    runner = GameRunner(parse_klondike(f"klondike-draw{draw}"), 0)
    (cards,) = get_dealer("thoughtful-1").deal_block(seed, 1)
    start = runner.begin(cards)
    ended, _, state = play_while(start, runner.croupier, GREEDY, NEEDED, runner.work, LINE, least)
    assert ended == STOPPED
    seed_rng(cards, 5, runner.work.rng)
    return runner, State(*map(int, state))


def mean_estimate(runner: GameRunner, state: State, effort: int, runs: int) -> tuple[float, float]:
    """The mean of estimates and its standard error."""
    work = luck.new_splitting_work(effort)
    found = [luck.split(state, runner.croupier, runner.work, work) for _ in range(runs)]
    assert min(found) >= 0
    return float(np.mean(found)), float(np.std(found, ddof=1)) / runs**0.5


@pytest.mark.parametrize("effort", [1, 2, 7])
@pytest.mark.parametrize(("draw", "seed", "least"), EXACT)
def test_the_mean_of_estimates_is_the_exact_chance(
    draw: int, seed: int, least: int, effort: int
) -> None:
    """However few games a run has, which makes its estimates far from normal."""
    runner, state = late_state(draw, seed, least)
    assert state.down != 0
    chance = float(AllGames(runner, 1_000).chance(state))
    assert 0 < chance < 1
    mean, error = mean_estimate(runner, state, effort, 6_000 if COMPILED else 60)
    assert abs(mean - chance) < 4.5 * max(error, 0.001 if COMPILED else 0.1)


@pytest.mark.skipif(not COMPILED, reason="thousands of games take long without the compiler")
@pytest.mark.parametrize("effort", [1, 3, 20])
@pytest.mark.parametrize(("draw", "seed", "least"), LATE)
def test_the_mean_of_estimates_is_the_share_won(
    draw: int, seed: int, least: int, effort: int
) -> None:
    runner, state = late_state(draw, seed, least)
    games = 40_000
    won = int(luck.wins(state, runner.croupier, runner.work, LINE, games))
    assert 50 < won < games - 50
    share = won / games
    mean, error = mean_estimate(runner, state, effort, 12_000 // effort)
    apart = (error**2 + share * (1 - share) / games) ** 0.5
    assert abs(mean - share) < 4.5 * apart, (mean, share, apart)


@pytest.mark.parametrize("draw", [1, 3])
def test_a_game_in_parts_is_the_same_game(draw: int) -> None:
    """The player `random` plays on from a state as it would have, had it not stopped there."""
    rules = parse_klondike(f"klondike-draw{draw}")
    for cards in get_dealer("thoughtful-1").deal_block(300, 30 if COMPILED else 2):
        runner = GameRunner(rules, 3)
        start = runner.begin(cards)
        whole, _ = play_simple(start, runner.croupier, RANDOM, NEEDED, runner.work, LINE)
        states = int(runner.work.counts[0])
        state = runner.begin(cards)
        ended, levels = STOPPED, [cards_left(state)]
        assert levels == [45]
        while ended == STOPPED:
            ended, _, state = play_while(
                state, runner.croupier, RANDOM, NEEDED, runner.work, LINE, levels[-1]
            )
            levels.append(cards_left(state))
        assert (ended, int(runner.work.counts[0])) == (whole, states)
        # One card at a time; only where the game ends none may be missing.
        assert levels[:-1] == list(range(45, 45 - len(levels) + 1, -1))
        assert ended in (LOST, WON)


def test_copies_are_as_many_of_each_as_expected() -> None:
    runs, effort = (4_000, 10) if COMPILED else (50, 10)
    work = luck.new_splitting_work(effort)
    rng = np.array([5, 7], dtype=np.int64)
    for arrived in (1, 3, 4, 9, 10):
        copies = np.zeros(arrived)
        for _ in range(runs):
            work.arrived[:] = np.arange(effort)[:, None]
            luck._copy(arrived, rng, work)
            assert (work.games == work.games[:, :1]).all()
            mine = np.bincount(work.games[:, 0], minlength=arrived)
            assert mine.shape == (arrived,)
            assert set(mine) <= {effort // arrived, effort // arrived + 1}
            copies += mine
        assert copies / runs == pytest.approx(effort / arrived, abs=5 * 0.5 / runs**0.5)


@pytest.mark.skipif(not COMPILED, reason="whole games take long without the compiler")
def test_the_chance_is_that_of_the_player() -> None:
    rules = parse_klondike("klondike-draw3")
    games = 600
    deals = get_dealer("thoughtful-1").deal_block(2, 30)
    chances = [luck.chance_at_random(cards, rules) for cards in deals]
    won = np.zeros(len(deals))
    for number in range(games):
        outcomes = parse_solver(f"random(random_seed={number})").solve(deals, rules)
        won += [each.result == Result.WON for each in outcomes]
    for found, wins in zip(chances, won / games, strict=True):
        error = ((found.error or 0) ** 2 + max(wins * (1 - wins), 0.002) / games) ** 0.5
        assert abs(found.value - wins) < 4.5 * error
        expected = games * found.most
        assert games * wins <= expected + 4 * expected**0.5 + 3
    assert sum(each.value for each in chances) == pytest.approx(won.sum() / games, rel=0.1)


@pytest.mark.skipif(not COMPILED, reason="whole games take long without the compiler")
@pytest.mark.parametrize("seed", NEVER_WON)
def test_deals_that_random_play_never_wins_are_not_said_to_be_won(seed: int) -> None:
    """Their first walks were stopped before a play was made, and were counted as games won."""
    rules = parse_klondike("klondike-draw3")
    (cards,) = get_dealer("thoughtful-1").deal_block(seed, 1)
    found = luck.chance_at_random(cards, rules)
    assert (found.value, found.error) == (0.0, None)
    assert 0 < found.most < 1.3e-4
    if seed == 563:
        features = trace(game_of(rules).deal(cards), rules)
        assert features.luck == pytest.approx(-log(found.most))
        assert features.luck_error is None
        assert features.walk_choices == features.choices > 0


def test_an_estimate_is_the_same_without_the_compiler(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    compiled, plain = with_and_without_compiler(
        "from test_luck import some_estimates\nfound = some_estimates()"
    )
    assert compiled == plain
    assert 0 < sum(compiled) < len(compiled)


def some_estimates() -> list[float]:
    """Estimates of runs of a few games, from late states and from the start of a deal."""
    work = luck.new_splitting_work(4)
    found = []
    for place in (*EXACT, *LATE[:2]):
        runner, state = late_state(*place)
        for _ in range(4):
            found.append(float(luck.split(state, runner.croupier, runner.work, work)))
    return found
