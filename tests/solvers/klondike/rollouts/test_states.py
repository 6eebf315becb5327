"""Tests of the actions, values and dead ends of states, against plain Python and solvers."""

import random
from collections import Counter

import pytest

from engine.klondike.kplus import new_table, set_up
from engine.klondike.rules import PRESETS, KlondikeRules
from kplus_games import DRAW3, RULES, THOUGHTFUL, Kernels, beginnings, late_starts
from solvers.klondike.dead_ends import method as dead_end
from solvers.klondike.kplus.actions import ANY, NEEDED, NONE, SECOND, SINGLE
from solvers.klondike.kplus.relaxation import is_dead_end
from solvers.klondike.kplus.values import H1, H2
from solvers.outcome import Result
from solvers.solver import parse_solver
from twins.kplus import read
from twins.rollouts import action_of, naive_actions, naive_is_dead_end, naive_value
from twins.search import naive_verdict


def check_state(kernels: Kernels, seen: Counter[str]) -> None:
    """Values, gains, actions and the relaxed game of a state."""
    position = kernels.position
    for pairs in (NONE, NEEDED, ANY, SINGLE):
        ours = kernels.actions(pairs)
        theirs = naive_actions(position, pairs)
        assert [action_of(action) for action in ours] == [action for action, _ in theirs]
        if pairs in (NEEDED, SINGLE):
            here = kernels.state
            values = [naive_value(position, which) for which in (H1, H2)]
            assert [kernels.value(which) for which in (H1, H2)] == values
            for action, (_, after) in zip(ours, theirs, strict=True):
                gains = [kernels.gain(which, action) for which in (H1, H2)]
                kernels.play(action)
                assert kernels.position == after
                assert [kernels.value(which) for which in (H1, H2)] == [
                    naive_value(after, which) for which in (H1, H2)
                ]
                assert gains == [naive_value(after, w) - values[w] for w in (H1, H2)]
                kernels.state = here
        if pairs == NEEDED:
            seen["pairs"] += sum(action >> SECOND > 0 for action in ours)
    assert kernels.is_dead_end() == naive_is_dead_end(position)
    seen["dead" if kernels.is_dead_end() else "alive"] += 1


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_states_of_random_games(rules: KlondikeRules) -> None:
    count = 10
    chooser = random.Random(f"games {rules}")
    seen: Counter[str] = Counter()
    starts = [*beginnings(100_000, count, rules), *late_starts(chooser, rules, 40, count)]
    for start in starts:
        for kernels in Kernels(start).walk(chooser, 80):
            if chooser.random() < 0.15:
                check_state(kernels, seen)
    assert seen["dead"] > 2 * count
    assert seen["alive"] > 3 * count
    assert seen["pairs"] > 4 * count


def test_values_of_many_games() -> None:
    """All that makes up a value changes throughout a game that wins."""
    count = 40
    chooser = random.Random(2)
    parts: Counter[tuple[int, bool]] = Counter()
    for start in beginnings(101_000, count, DRAW3):
        for kernels in Kernels(start).walk(chooser, 80):
            position = kernels.position
            values = [naive_value(position, which) for which in (H1, H2)]
            assert [kernels.value(which) for which in (H1, H2)] == values
            parts[int(kernels.state.down).bit_count() // 3, values[0] > values[1]] += 1
    assert {hidden // 3 for hidden in range(22)} == {thirds for thirds, _ in parts}


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_relaxed_game_of_starting_deals(rules: KlondikeRules) -> None:
    """The same as `dead-end` finds in another way; and as it is under the widest rules."""
    count = 1_000
    cards = THOUGHTFUL.deal_block(102_000, count)
    relaxed = [
        dead_end._standstill(row, (rules.draw, 0, 0), (1 << 52) - 1)[0] != 0 for row in cards
    ]
    table = new_table(rules.draw, rules.partial_runs)
    assert [bool(is_dead_end(set_up(row, table), table)) for row in cards] == relaxed
    assert count / 80 < sum(relaxed) < count / 4


def test_what_follows_a_dead_end_is_one() -> None:
    chooser = random.Random(3)
    followed = 0
    for start in [start for rules in RULES for start in beginnings(104_000, 100, rules)]:
        was_dead = False
        for kernels in Kernels(start).walk(chooser, 60):
            dead = kernels.is_dead_end()
            assert dead or not was_dead
            followed += was_dead
            was_dead = dead
    assert followed > 1_000


def test_no_dead_end_can_be_won_by_exhaustive_search() -> None:
    """With many cards turned at once, few positions follow; whole runs are among them."""
    count = 40
    chooser = random.Random(4)
    verdicts: Counter[tuple[bool, bool, bool | None]] = Counter()
    for number in range(count):
        runs = number % 2 == 0
        rules = KlondikeRules(draw=chooser.choice([3, 4, 6, 8, 12]), partial_runs=runs)
        starts = [*beginnings(105_000 + number, 1, rules), *late_starts(chooser, rules, 30, 1)]
        for start in starts:
            for kernels in Kernels(start).walk(chooser, 40):
                dead = kernels.is_dead_end()
                if dead or chooser.random() < 0.02:
                    here = read(kernels.state, start.deal, rules)
                    verdicts[runs, dead, naive_verdict(here, 300)] += 1
                if dead:
                    # What follows is dead, too; the first one is the hardest to tell.
                    break
    for runs in (True, False):
        assert not verdicts[runs, True, True]
        assert verdicts[runs, True, False] > count / 5
        assert verdicts[runs, False, True] >= count / 40


def test_no_dead_end_can_be_won_by_exact() -> None:
    count = 30
    chooser = random.Random(5)
    exact = parse_solver("exact(nodes=20000)")
    results: Counter[Result] = Counter()
    for rules in (DRAW3, PRESETS["klondike-draw1"], KlondikeRules(draw=2)):
        for start in beginnings(103_000, count, rules):
            for kernels in Kernels(start).walk(chooser, 60):
                if kernels.is_dead_end():
                    here = read(kernels.state, start.deal, rules)
                    results[exact.solve_position(here).result] += 1
                    break
    assert not results[Result.WON]
    assert results[Result.UNWINNABLE] > count
