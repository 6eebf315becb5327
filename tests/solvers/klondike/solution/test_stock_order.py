"""Tests of stock orders: counts of turns, and the beam against a twin and the best order."""

import random

import numpy as np
import pytest

from engine.kernels.compiler import COMPILED
from solvers.klondike.solution.stock_order import (
    MOST_PASSES,
    MOST_WIDTH,
    OUT_OF_REACH,
    improve,
    turns_for,
)
from twins.shorten import Talon, naive_improve, naive_turns


def random_case(
    random_state: random.Random, most: int
) -> tuple[list[int], int, int, dict[int, set[int]]]:
    """A possible order of some cards 0 … n − 1, waste, draw, and requirements that it respects."""
    size = random_state.randint(1, most)
    draw = random_state.choice([1, 2, 3, 3, 3, 4, 7, 24])
    waste = random_state.randint(0, size)
    now = Talon((), tuple(range(waste)), tuple(range(waste, size)))
    while now.shown or now.hidden:
        left = [*now.shown, *now.hidden]
        within = [after for card in left if (after := now.take(card, draw)) is not None]
        now = random_state.choice(within)
    order = list(now.taken)
    required: dict[int, set[int]] = {}
    share = random_state.choice([0.0, 0.1, 0.3, 1.0])
    for at, card in enumerate(order):
        direct = [other for other in order[:at] if random_state.random() < share]
        required[card] = set(direct).union(*(required[other] for other in direct))
    return order, waste, draw, required


def improved(
    order: list[int], waste: int, draw: int, required: dict[int, set[int]]
) -> tuple[list[int], int]:
    size = len(order)
    found = np.array(order, dtype=np.int64)
    sets = np.array(
        [sum(1 << other for other in required[card]) for card in range(size)], dtype=np.int64
    )
    beam = np.full((MOST_PASSES + 2, MOST_WIDTH + 1), -1, dtype=np.int64)
    shown = np.full((24, 4), -1, dtype=np.int64)
    turns = improve(found, size, waste, draw, sets, beam, shown)
    return found.tolist(), int(turns)


def fewest_turns(order: list[int], waste: int, draw: int, required: dict[int, set[int]]) -> int:
    """Over all orders, by trying every one."""
    size = len(order)
    states = {Talon((), tuple(range(waste)), tuple(range(waste, size)))}
    for _ in range(size):
        states = {
            after
            for state in states
            for card in {*state.shown, *state.hidden}
            if required[card] <= set(state.taken) and (after := state.take(card, draw)) is not None
        }
    return min(state.turns for state in states)


def test_turns_by_turning() -> None:
    random_state = random.Random(31)
    beyond = 0
    for _ in range(400 if COMPILED else 60):
        size, draw = random_state.randint(0, 24), random_state.randint(1, 24)
        waste = random_state.randint(0, size)
        order = random_state.sample(range(size), size)
        if random_state.random() < 0.7 and draw < 24:
            case = random_case(random_state, 24)
            order, waste, draw, _ = case
        size = len(order)
        expected = naive_turns(tuple(range(size)), order, waste, draw)
        turns = int(turns_for(np.array(order, dtype=np.int64), size, waste, draw))
        assert turns == (OUT_OF_REACH if expected is None else expected)
        beyond += expected is None
    assert 10 < beyond < 300


def test_the_beam_beside_its_twin() -> None:
    random_state = random.Random(32)
    better = 0
    for _ in range(400 if COMPILED else 12):
        order, waste, draw, required = random_case(random_state, 24)
        found, turns = improved(order, waste, draw, required)
        size = len(order)
        twin = naive_improve(tuple(range(size)), order, waste, draw, required)
        assert found == twin
        assert turns == naive_turns(tuple(range(size)), found, waste, draw)
        before = naive_turns(tuple(range(size)), order, waste, draw)
        assert before is not None
        assert turns <= before
        assert all(required[card] <= set(found[:at]) for at, card in enumerate(found))
        better += turns < before
    assert better >= (160 if COMPILED else 4)


@pytest.mark.parametrize(("draws", "most"), [((1,), 0.0), ((2, 3, 4, 7), 0.01)])
def test_orders_of_few_cards_are_nearly_the_best(draws: tuple[int, ...], most: float) -> None:
    random_state = random.Random(33)
    lost = total = 0
    for _ in range(500 if COMPILED else 40):
        order, waste, draw, required = random_case(random_state, 6)
        if draw not in draws:
            continue
        _, turns = improved(order, waste, draw, required)
        best = fewest_turns(order, waste, draw, required)
        lost += turns - best
        total += best
    assert total > (100 if COMPILED else 5)
    assert lost <= most * total
