"""Tests of the value of positions against a count by the position itself."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import is_red, suit
from engine.patience.layout import CELL, RESERVE
from engine.patience.referee import PatiencePosition
from engine.patience.rules import RANDOM, Options
from patience_positions import late_position
from random_options import random_options, ruleset
from samples import sizes
from solvers.patience import plan as at
from solvers.patience.loading import load_position
from solvers.patience.plan import new_plan
from solvers.patience.row import make, settle, step_of
from solvers.patience.steps import MOST_STEPS, add_steps
from solvers.patience.value import LEAST, SIGHT, change, forget, mark, see


def naive_value(position: PatiencePosition, weights: Sequence[int]) -> int:
    """What `see` counts, card by card."""
    o = position.rules.options
    up_left, breaks, over_lowest, over_next, over_suit, in_cell, stuck, empty, down, *_ = weights
    policy = o.building if o.groups == "no" else o.group_building

    def level(card: int) -> int:
        return (card // 4 - position.base) % o.max_rank

    def builds(card: int, under: int) -> bool:
        fits = {
            "any-suit": True,
            "red-black": is_red(card) != is_red(under),
            "same-suit": suit(card) == suit(under),
            "no-build": False,
        }
        return level(under) == level(card) + 1 and fits[policy]

    def is_next(card: int) -> bool:
        return position.foundations[suit(card)] == level(card)

    value = LEAST + up_left * (o.max_rank * o.suits - sum(position.foundations))
    for number, cards in enumerate(position.columns):
        hidden = len(cards) - len(position.open_cards(number))
        ranks = [level(card) for card in cards]
        if not cards:
            value -= empty
            continue
        value += down * hidden
        value += over_lowest * (len(cards) - 1 - ranks.index(min(ranks)))
        for place, card in enumerate(cards):
            value += over_next * sum(is_next(other) for other in cards[:place])
            value += over_suit * any(
                suit(other) == suit(card) and level(other) <= level(card) for other in cards[:place]
            )
            if place > 0:
                value += breaks * (place - 1 < hidden or not builds(card, cards[place - 1]))
    taken = len(position.cells) - position.cells.count(None)
    value += in_cell * taken
    return value + stuck * (taken == len(position.cells) and () not in position.columns)


@pytest.mark.parametrize("count", sizes(150, 3_000))
def test_the_value_is_that_of_a_count(count: int) -> None:
    compared = 0

    @settings(max_examples=count, deadline=None)
    @given(
        random_options(("columns",)).filter(lambda o: o.foundations and not o.complete_runs),
        st.integers(0, 10**9),
    )
    def agree(options: Options, number: int) -> None:
        nonlocal compared
        chooser = Random(number)
        position = late_position(ruleset(options), chooser, 30)
        plan = new_plan(options)
        rows = np.zeros(2 * int(plan[at.ROW]), dtype=at.ROW_TYPE)
        load_position(position, rows, plan)
        weights = [chooser.randint(-3, 20) for _ in range(at.WEIGHT_COUNT)]
        plan[at.WEIGHTS : at.RANK] = weights
        sight = np.zeros(SIGHT, dtype=np.int64)
        steps = np.zeros(MOST_STEPS, dtype=np.int64)
        changed = np.zeros(int(plan[at.COLUMNS]), dtype=np.int32)
        forget(plan, sight)
        value = see(rows, 0, plan, sight, changed, 0)
        if not options.two_decks:
            assert value == naive_value(position, weights)
        # Single cards between columns and cells: the value after the step is known before it,
        # where cards that may be laid on each other may also move together.
        if options.groups != "no" and options.building != options.group_building:
            return
        for step in steps[: add_steps(rows, 0, plan, steps)].tolist():
            source, target, cards = step & 255, step >> 8 & 255, step >> 16 & 255
            if cards > 1 or source >= RESERVE or target >= RESERVE or step >> 24:
                continue
            assert step == step_of(source, target, 1, 0)
            after = rows.copy()
            make(after, 0, plan, step)
            seen = np.zeros(SIGHT, dtype=np.int64)
            forget(plan, seen)
            assert value + change(rows, 0, plan, step, sight) == see(
                after, 0, plan, seen, changed, 0
            )
            compared += target < CELL

    agree()
    assert compared > count // 4


@pytest.mark.parametrize("count", sizes(100, 3_000))
def test_a_sight_that_is_kept_is_that_of_the_position(count: int) -> None:
    compared = unchanged = 0

    @settings(max_examples=count, deadline=None)
    @given(random_options(("columns",)).filter(lambda o: o.foundations), st.integers(0, 10**9))
    def agree(options: Options, seed: int) -> None:
        nonlocal compared, unchanged
        chooser = Random(seed)
        plan = new_plan(options)
        plan[at.WEIGHTS : at.RANK] = [chooser.randint(-3, 20) for _ in range(at.WEIGHT_COUNT)]
        stride, columns = int(plan[at.ROW]), int(plan[at.COLUMNS])
        # Of the position before a step, and of that after it.
        rows = np.zeros(2 * stride, dtype=at.ROW_TYPE)
        changed = np.zeros(2 * columns, dtype=np.int32)
        kept, fresh = np.zeros((2, SIGHT), dtype=np.int64)
        steps = np.zeros(MOST_STEPS, dtype=np.int64)
        line = np.zeros(256, dtype=np.int64)
        number = 0
        forget(plan, kept)
        # Searches go on along a path, and jump to another.
        for _ in range(1 if options.base == RANDOM else 3):
            load_position(late_position(ruleset(options), chooser, 30), rows, plan)
            settle(rows, 0, plan, 0, line, 0)
            number += 1
            changed[:columns] = number
            for _ in range(8):
                forget(plan, fresh)
                expected = see(rows, 0, plan, fresh, changed, 0)
                assert see(rows, 0, plan, kept, changed, 0) == expected
                found = steps[: add_steps(rows, 0, plan, steps)].tolist()
                for step in found:
                    assert change(rows, 0, plan, step, kept) == change(rows, 0, plan, step, fresh)
                if not found:
                    break
                rows[stride:] = rows[:stride]
                make(rows, stride, plan, chooser.choice(found))
                settle(rows, stride, plan, 0, line, 0)
                number += 1
                mark(rows, 0, stride, plan, changed, 0, columns, number)
                unchanged += int((changed[columns:] < number).sum())
                rows[:stride] = rows[stride:]
                changed[:columns] = changed[columns:]
                compared += 1

    agree()
    assert compared > 5 * count
    assert unchanged > compared
