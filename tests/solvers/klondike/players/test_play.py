"""Tests of the common part of players with hidden cards, and of the two that do not plan."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from engine.klondike.kplus import State
from engine.klondike.observation import deal_to, determinize, observe
from engine.klondike.rules import KlondikeRules
from klondike_tables import DRAW1, DRAW3, RULES, THOUGHTFUL, Table, deals, players, state_of
from solvers.klondike.kplus.actions import NEEDED, act
from solvers.klondike.players.game import GameRunner
from solvers.klondike.players.planners import TreePlayer
from solvers.klondike.players.play import (
    _MOST_STATES,
    GREEDY,
    HISTORY_FULL,
    LOST,
    NO_ROOM,
    RANDOM,
    RANDOM_CLASS,
    STATES,
    WON,
    PlayerWorkspace,
    add_state,
    advance_history,
    clear_history,
    finishes,
    has_state,
    new_history,
)
from solvers.klondike.players.tree import TreeSettings
from twins.kplus import read
from twins.planners import NaivePlayer, covered, rng_of
from twins.planners import allowed as naive_allowed
from twins.rollouts import action_of
from twins.yan import NaiveRng


def test_a_memory_is_a_set_of_states() -> None:
    chooser = random.Random("memory")
    history = new_history()
    # All alike but for a few cards, so that many want the same place.
    pool = [chooser.getrandbits(52) for _ in range(24)]
    clashes = 0
    for size in (3_000, 10, 3_000):
        clear_history(history)
        known: set[tuple[int, int, int]] = set()
        for _ in range(size):
            sets = chooser.choice(pool), chooser.choice(pool), chooser.choice(pool)
            state = State(sets[0], 0, sets[1], sets[2], 0, 0)
            assert bool(has_state(state, history)) == (sets in known)
            clashes += sets in known
            add_state(state, history)
            known.add(sets)
            assert has_state(state, history)
    assert clashes > 100


@pytest.mark.parametrize("part", ["up", "straight", "crossed"])
def test_states_that_differ_in_one_set_are_told_apart(part: str) -> None:
    """So many that some want the same place."""
    chooser = random.Random(part)
    history = new_history()
    clear_history(history)
    for sets in {chooser.getrandbits(52) for _ in range(8_000)}:
        state = State(5, 0, 6, 7, 0, 0)._replace(**{part: sets})
        assert not has_state(state, history)
        add_state(state, history)
        assert has_state(state, history)


def test_a_memory_that_is_full_says_so() -> None:
    history = new_history()
    clear_history(history)
    for number in range(_MOST_STATES):
        assert add_state(State(number, 0, 0, 0, 0, 0), history)
    assert not add_state(State(_MOST_STATES, 0, 0, 0, 0, 0), history)
    for number in range(0, _MOST_STATES, 97):
        assert has_state(State(number, 0, 0, 0, 0, 0), history)
    assert not has_state(State(_MOST_STATES, 0, 0, 0, 0, 0), history)


def test_what_cannot_be_taken_back_is_forgotten() -> None:
    history = new_history()
    clear_history(history)
    first = State(1, 0, 2, 3, 6, 7)
    add_state(first, history)
    second = first._replace(up=2)
    assert advance_history(first, second, history)
    assert has_state(first, history)
    for changed in (second._replace(up=4, down=4), second._replace(up=4, stock=3)):
        other = new_history()
        clear_history(other)
        add_state(first, other)
        assert advance_history(second, changed, other)
        assert has_state(changed, other)
        assert not has_state(first, other)
        assert other.counts[1] == 1


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_actions_that_repeat_nothing(rules: KlondikeRules) -> None:
    """Those whose results the game has not been in, of the actions of `twins.rollouts`."""
    chooser = random.Random(f"repeat {rules}")
    left_out = compared = 0
    for deal in deals(210_000, 5):
        for table in Table(deal, rules).walk(chooser, 60):
            seen = table.seen
            options = naive_allowed(seen, table.visited)
            assert [action_of(action) for action in table.allowed()] == [a for a, _ in options]
            left_out += len(naive_allowed(seen, set())) - len(options)
            compared += len(options)
    assert left_out > 0
    assert compared > 100


class Witness:
    """A player that notes what it is handed."""

    def __init__(self, player: Any) -> None:
        self.player = player
        self.pairs = player.pairs
        self.handed: list[State] = []

    def choose(self, observation: Any, work: PlayerWorkspace) -> int:
        self.handed.append(State(*(int(part) for part in observation.state)))
        return int(self.player.choose(observation, work))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_no_game_is_twice_in_a_state(rules: KlondikeRules) -> None:
    game = GameRunner(rules, 1)
    handed = finished = 0
    for row in THOUGHTFUL.deal_block(211_000, 8):
        for player in players(game):
            witness = Witness(player)
            won, length = game.play(row, witness)
            truth = State(*(int(part) for part in deal_to(row, game.croupier)))
            states = [truth]
            for action in game.line[:length]:
                truth = act(truth, game.croupier.table, action)
                states.append(State(*(int(part) for part in truth)))
            chosen = len(witness.handed)
            assert witness.handed == states[:chosen]
            assert len(set(states[:chosen])) == chosen
            # The greedy finish begins where nothing is hidden, and remembers itself alone.
            rest = states[chosen:] if won else []
            assert len(set(rest)) == len(rest)
            assert all(state.down == 0 for state in rest)
            assert chosen + len(rest) == len(states)
            handed += chosen
            finished += len(rest)
    assert handed > 300
    assert finished > 0


@pytest.mark.thorough
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_finishes_agree(rules: KlondikeRules) -> None:
    line = np.zeros(4_096, dtype=np.int64)
    game = GameRunner(rules, 1)
    ended: Counter[bool] = Counter()
    for number, deal in enumerate(deals(212_000, 250)):
        _, length = game.play_simple(deal.as_array(), (GREEDY, RANDOM)[number % 2], NEEDED)
        truth = State(*(int(part) for part in deal_to(deal.as_array(), game.croupier)))
        for action in game.line[:length].tolist():
            if truth.down == 0:
                break
            truth = act(truth, game.croupier.table, action)
        if truth.down != 0:
            continue
        player = NaivePlayer(NaiveRng(1, 0))
        rest = player.finish(covered(read(truth, deal, rules)))
        game.work.counts[STATES] = 0
        state = determinize(observe(truth, game.croupier), game.work.world)
        how, last = finishes(state, NEEDED, game.work, line, 7)
        assert how == (LOST if rest is None else WON)
        assert game.work.counts[STATES] == player.entered
        if rest is not None:
            assert [action_of(action) for action in line[7:last]] == rest
            # Without room for the last action nobody knows whether it wins.
            short = finishes(state, NEEDED, game.work, line[: last - 1], 7)
            assert short == (NO_ROOM, last - 1)
        ended[how == WON] += 1
    assert ended[True] > 1


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize(
    "policy", [RANDOM, GREEDY, RANDOM_CLASS], ids=["random", "greedy", "class"]
)
def test_simple_players_agree(policy: int, rules: KlondikeRules) -> None:
    game = GameRunner(rules, 77)
    wins = 0
    for deal in deals(213_000, 5 if rules == DRAW1 else 8):
        won, length = game.play_simple(deal.as_array(), policy, NEEDED)
        player = NaivePlayer(rng_of(deal, 77))
        choose = (player.choose_any, player.choose_first, player.choose_class)[policy]
        expected = player.play(deal, rules, choose)
        assert (won, [action_of(action) for action in game.line[:length]]) == expected
        assert game.work.counts[STATES] == player.entered
        assert game.work.rng.tolist() == state_of(player.rng)
        wins += won
    assert wins < 5


def test_a_line_that_is_too_short_grows() -> None:
    """In the midst of a game and in its finish; what is played stays the same."""
    grown = 0
    for deal in deals(214_000, 40):
        cards = deal.as_array()
        games = GameRunner(DRAW3, 5), GameRunner(DRAW3, 5)
        games[1].line = games[1].line[:2].copy()
        ends = [game.play_simple(cards, GREEDY, NEEDED) for game in games]
        assert ends[0] == ends[1]
        length = ends[0][1]
        assert games[0].line[:length].tolist() == games[1].line[:length].tolist()
        games[1].line = games[1].line[:2].copy()
        player = TreePlayer(TreeSettings(NEEDED, 1, 2, 1, 1.0))
        if grown < 5:
            ends = [game.play(cards, player) for game in games]
            assert ends[0] == ends[1]
            grown += len(games[1].line) > 2
    assert grown == 5


def test_a_memory_without_room_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a reason to ask for ever more room, and nothing that loses a game."""
    monkeypatch.setattr("solvers.klondike.players.game.play_simple", lambda *_: (HISTORY_FULL, 0))
    with pytest.raises(RuntimeError, match="states entered since a step that cannot be taken back"):
        GameRunner(DRAW3, 0).play_simple(deals(0, 1)[0].as_array(), RANDOM, NEEDED)
    monkeypatch.setattr("solvers.klondike.players.tree.plan", lambda *_: -HISTORY_FULL)
    with pytest.raises(RuntimeError, match="states entered since a step that cannot be taken back"):
        GameRunner(DRAW3, 0).play(
            deals(0, 1)[0].as_array(), TreePlayer(TreeSettings(NEEDED, 1, 2, 0, 1.0))
        )
