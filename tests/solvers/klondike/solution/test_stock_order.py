"""Tests of stock orders: counts of turns, and the beam against a twin and the best order."""

import random

import numpy as np

from engine.compiler import COMPILED
from solvers.klondike.solution.stock_order import (
    MOST_WIDTH,
    OUT_OF_REACH,
    improve,
    turns_for,
    turns_within,
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
    order: list[int], waste: int, draw: int, required: dict[int, set[int]], width: int
) -> tuple[list[int], int]:
    size = len(order)
    found = np.array(order, dtype=np.int64)
    sets = np.array(
        [sum(1 << other for other in required[card]) for card in range(size)], dtype=np.int64
    )
    beam = np.full((25, MOST_WIDTH + 1), -1, dtype=np.int64)
    turns = improve(found, size, waste, draw, sets, width, beam, beam.copy())
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


def test_turns_within_an_order_tell_those_of_the_whole() -> None:
    random_state = random.Random(34)
    possible = 0
    for _ in range(400 if COMPILED else 60):
        order, waste, draw, _ = random_case(random_state, 24)
        size = len(order)
        begin, end = sorted(random_state.choices(range(size + 1), k=2))
        other = order[:begin] + random_state.sample(order[begin:end], end - begin) + order[end:]
        rows = [np.array(each, dtype=np.int64) for each in (order, other)]
        parts = [int(turns_within(row, begin, end, size, waste, draw)) for row in rows]
        wholes = [naive_turns(tuple(range(size)), each, waste, draw) for each in (order, other)]
        assert wholes[0] is not None
        if wholes[1] is None:
            assert parts[1] >= OUT_OF_REACH
        else:
            assert parts[1] - parts[0] == wholes[1] - wholes[0]
            possible += order != other
    assert possible > (30 if COMPILED else 3)


def test_the_beam_beside_its_twin() -> None:
    random_state = random.Random(32)
    better = 0
    for _ in range(150 if COMPILED else 12):
        order, waste, draw, required = random_case(random_state, 24)
        width = random_state.choice([1, 2, 4, 16])
        found, turns = improved(order, waste, draw, required, width)
        size = len(order)
        twin = naive_improve(tuple(range(size)), order, waste, draw, required, width)
        assert found == twin
        assert turns == naive_turns(tuple(range(size)), found, waste, draw)
        before = naive_turns(tuple(range(size)), order, waste, draw)
        assert before is not None
        assert turns <= before
        assert all(required[card] <= set(found[:at]) for at, card in enumerate(found))
        better += turns < before
    assert better >= (60 if COMPILED else 4)


def test_a_wide_beam_finds_the_best_order_of_few_cards() -> None:
    random_state = random.Random(33)
    for _ in range(300 if COMPILED else 30):
        order, waste, draw, required = random_case(random_state, 5)
        _, turns = improved(order, waste, draw, required, MOST_WIDTH)
        assert turns == fewest_turns(order, waste, draw, required)


def test_a_narrow_beam_comes_near_the_best_at_draw_1() -> None:
    """There every card is within reach, so little is lost by forgetting most states."""
    random_state = random.Random(34)
    lost = total = 0
    for _ in range(200 if COMPILED else 20):
        order, waste, _, required = random_case(random_state, 6)
        if naive_turns(tuple(range(len(order))), order, waste, 1) is None:
            continue
        _, turns = improved(order, waste, 1, required, 2)
        best = fewest_turns(order, waste, 1, required)
        lost += turns - best
        total += best
    assert lost <= 0.02 * total
