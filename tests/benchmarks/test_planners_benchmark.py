"""Tests of `benchmarks/planners.py`: its readings of `hop` against their definitions."""

from collections.abc import Callable

import numpy as np
import pytest

from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.klondike.kplus import MOST_MOVES, State, Table, is_won
from engine.klondike.observation import determinize, observe, shuffle
from engine.klondike.rules import PRESETS
from measuring.hindsight import (
    CLASS_DRAWN,
    DRAWN,
    DRAWN_OF_CLASS,
    FIRST_OF_EQUALS,
    OtherwisePlayer,
    Ways,
    one_of_equals,
    wins_by_rollouts,
    wins_in_order,
)
from planners import READINGS, chosen, play
from solvers.klondike.kplus.actions import MOST_ACTIONS, NEEDED, SINGLE, act, actions, class_of
from solvers.klondike.kplus.relaxation import is_dead_end
from solvers.klondike.players.game import GameRunner, PlanningPlayer
from solvers.klondike.players.hop import arrange
from solvers.klondike.players.planners import HindsightPlayer
from solvers.klondike.players.play import add_state, allowed, clear_history

DEALS = get_dealer("thoughtful-1").deal_block(250_000, 8)


def new_game() -> GameRunner:
    return GameRunner(PRESETS["klondike-draw3"], 3)


def lines(game: GameRunner, player: PlanningPlayer) -> list[tuple[bool, list[int], list[int]]]:
    """Of each deal: whether it is won, the actions, and where the draws end."""
    played = []
    for cards in DEALS:
        won, length = game.play(cards, player)
        played.append((won, game.line[:length].tolist(), game.work.rng.tolist()))
    return played


@pytest.mark.parametrize(("samples", "level"), [(4, 0), (1, 1)])
def test_nothing_done_otherwise_is_hop(samples: int, level: int) -> None:
    game = new_game()
    expected = lines(game, HindsightPlayer(NEEDED, samples, level, game.work.world))
    game = new_game()
    assert lines(game, OtherwisePlayer(Ways(), samples, level, game.work.world)) == expected


@pytest.mark.thorough
def test_every_reading_plays_otherwise() -> None:
    seen = set()
    for name in READINGS["hop"]:
        won = play("thoughtful-1", 0, 60, "hop(samples=2, level=0)", name)
        assert 0 < won.sum() < 60
        seen.add(np.packbits(won).tobytes())
    assert len(seen) == len(READINGS["hop"])


def wins_twin(state: State, table: Table, level: int) -> bool:
    """A rollout in the order of preference; of rollouts at level 1. States are kept in a set."""
    moves = np.zeros(MOST_MOVES + 1, dtype=np.int64)
    out = np.zeros(MOST_ACTIONS, dtype=np.int64)
    entered = {tuple(map(int, state))}
    while not is_won(state):
        if is_dead_end(state, table):
            return False
        states = [
            State(*map(int, act(state, table, action)))
            for action in out[: actions(state, table, NEEDED, moves, out, 0)].tolist()
        ]
        fresh = [after for after in states if tuple(after) not in entered]
        if level == 1 and any(wins_twin(after, table, 0) for after in fresh):
            return True
        if not fresh:
            return False
        state = fresh[0]
        entered.add(tuple(state))
    return True


def test_rollouts_in_order_agree_with_their_twin() -> None:
    game = new_game()
    work = game.work
    player = OtherwisePlayer(Ways(ordered=True), 1, 1, work.world)
    planner = player.planner
    won = [0, 0]
    for cards in get_dealer("thoughtful-1").deal_block(260_000, 40):
        truth = game.begin(cards)
        state = determinize(observe(truth, game.croupier), work.world)
        shuffle(state.down, planner.order, work.rng)
        arrange(state, work.world, planner.order, planner.table, planner.work.turning)
        found = (
            wins_in_order(state, work, planner),
            wins_by_rollouts(state, work, planner, player.rollout),
        )
        for level in (0, 1):
            assert found[level] == wins_twin(state, planner.table, level)
            won[level] += int(found[level])
    assert 0 < won[0] < won[1] < 40


def test_equal_actions_are_drawn_as_said() -> None:
    game = new_game()
    work, table = game.work, game.work.world.table
    planner = HindsightPlayer(NEEDED, 1, 0, work.world).planner
    options = np.zeros(MOST_ACTIONS, dtype=np.int64)
    several = 0
    for cards in DEALS:
        truth = game.begin(cards)
        state = determinize(observe(truth, game.croupier), work.world)
        clear_history(work.history)
        add_state(state, work.history)
        count = allowed(state, table, SINGLE, work.history, work.scratch, options, 0)
        # The second wins less often than the others.
        planner.wins[:count] = 3
        planner.wins[1] = 2
        class_of_equal = {
            int(options[number]): class_of(state, table, options[number])
            for number in range(count)
            if number != 1
        }
        kinds = list(class_of_equal.values())
        several += len(set(kinds)) > 1
        # Of an action, from its place among the equal ones and its class.
        chances: dict[int, Callable[[int, int], float]] = {
            FIRST_OF_EQUALS: lambda place, _kind: float(place == 0),
            DRAWN: lambda _place, _kind, kinds=kinds: 1 / len(kinds),
            DRAWN_OF_CLASS: lambda _place, kind, kinds=kinds: (
                (kind == kinds[0]) / kinds.count(kind)
            ),
            CLASS_DRAWN: lambda _place, kind, kinds=kinds: 1 / len(set(kinds)) / kinds.count(kind),
        }
        for equals, chance in chances.items():
            drawn = [
                int(one_of_equals(state, 0, count, equals, work, planner, options))
                for _ in range(1000)
            ]
            assert set(drawn) <= set(class_of_equal)
            for place, (option, kind) in enumerate(class_of_equal.items()):
                # 1,000 draws: more than six standard deviations off is no chance.
                wanted = chance(place, kind)
                assert drawn.count(option) / 1000 == pytest.approx(wanted, abs=0.1)
    assert several > 0


def test_readings_are_chosen_by_number() -> None:
    names = list(READINGS["hop"])
    assert chosen("hop", None) == names
    assert chosen("hop", "3,1") == [names[2], names[0]]
    for wrong in ("0", str(len(names) + 1), "x", "1,", ""):
        with pytest.raises(BadInput, match=f"hop has 1 to {len(names)}"):
            chosen("hop", wrong)
