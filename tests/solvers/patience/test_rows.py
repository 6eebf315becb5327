"""Tests of rows against the referee: on random ways both are the same positions."""

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.patience.layout import CELL, FOUNDATION, STOCK, WASTE
from engine.patience.moves import PatienceMove
from engine.patience.rules import Options
from patience_positions import late_position
from random_options import random_options, ruleset
from samples import sizes
from solvers.patience import plan as at
from solvers.patience.loading import load_position
from solvers.patience.plan import new_plan
from solvers.patience.row import forced_step, full_key, key_after, make, whole_key
from solvers.patience.steps import MOST_STEPS, add_steps


def removable_in_two_decks(options: Options) -> bool:
    """Whether twins come back from foundations, and may go to cells."""
    return options.removable and options.two_decks and options.cells > 0


@pytest.mark.parametrize("count", sizes(100, 2_000))
@pytest.mark.parametrize("kind", ["any", "twins that come back"])
def test_rows_stay_the_positions_of_the_referee(kind: str, count: int) -> None:
    compared = 0
    chosen = random_options(("columns",)).filter(lambda options: options.foundations)
    if kind != "any":
        chosen = chosen.filter(removable_in_two_decks)

    @settings(
        max_examples=count, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
    )
    @given(chosen, st.integers(0, 10**9))
    def agree(options: Options, number: int) -> None:
        nonlocal compared
        chooser = Random(number)
        position = late_position(ruleset(options), chooser, 30)
        plan = new_plan(options)
        rows = np.zeros(int(plan[at.ROW]), dtype=at.ROW_TYPE)
        fresh = rows.copy()
        steps, others = np.zeros((2, MOST_STEPS), dtype=np.int64)
        load_position(position, rows, plan)
        key = whole_key(rows, 0, plan)
        for _ in range(40):
            found = steps[: add_steps(rows, 0, plan, steps)].tolist()
            forced = forced_step(rows, 0, plan)
            if forced >= 0:
                found = [forced]
            # Moves of several cards where each moves alone are the business of `unfold`.
            found = [
                step
                for step in found
                if options.groups != "no" or step >> 16 & 255 == 1 or step >> 8 & 255 >= CELL
            ]
            if not found:
                return
            up_or_back = [step for step in found if max(step & 255, step >> 8 & 255) >= FOUNDATION]
            step = chooser.choice(up_or_back if up_or_back and chooser.random() < 0.5 else found)
            for _ in range(step >> 24):
                position = position.play(PatienceMove(STOCK, WASTE, 1))
            position = position.play(PatienceMove(step & 255, step >> 8 & 255, step >> 16 & 255))
            key = key_after(rows, 0, plan, step, key)
            make(rows, 0, plan, step)
            load_position(position, fresh, plan)
            assert whole_key(rows, 0, plan) == whole_key(fresh, 0, plan), position.to_json()
            assert full_key(rows, 0, plan, key) == full_key(
                fresh, 0, plan, whole_key(fresh, 0, plan)
            )
            mine, its = add_steps(rows, 0, plan, steps), add_steps(fresh, 0, plan, others)
            assert sorted(steps[:mine].tolist()) == sorted(others[:its].tolist())
            compared += 1

    agree()
    assert compared > 5 * count
