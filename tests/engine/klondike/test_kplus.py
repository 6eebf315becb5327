"""Tests of the compiled game of K+ against the referee with folded stock turns."""

import random

import numpy as np
import pytest

from engine.dealing.dealers import get_dealer
from engine.klondike.deal import KlondikeDeal
from engine.klondike.kplus import (
    MOST_MOVES,
    State,
    Table,
    is_won,
    macro_moves,
    new_table,
    play,
    reveals,
    set_up,
)
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS, KlondikeRules
from samples import sizes, thorough_case
from twins.kplus import Folded, fold, read, successors

THOUGHTFUL = get_dealer("thoughtful-1")
RULES = [
    PRESETS["klondike-draw3"],
    PRESETS["klondike-draw1"],
    PRESETS["klondike-yan"],
    *map(thorough_case, (KlondikeRules(draw=2), KlondikeRules(draw=5))),
    KlondikeRules(draw=24),
]


def random_deals(first: int, count: int) -> list[KlondikeDeal]:
    return [KlondikeDeal.of(row) for row in THOUGHTFUL.deal_block(first, count)]


def kernel_successors(state: State, table: Table) -> list[State]:
    moves = np.zeros(MOST_MOVES, dtype=np.int64)
    count = macro_moves(state, table, moves)
    return [play(state, table, move) for move in moves[:count]]


def kernel_positions(deal: KlondikeDeal, rules: KlondikeRules, depth: int) -> list[set[State]]:
    """The states that are reached first after 0, 1, … macro moves."""
    table = new_table(rules.draw, rules.partial_runs)
    layers = [{set_up(deal.as_array(), table)}]
    seen = set(layers[0])
    for _ in range(depth):
        layers.append({after for state in layers[-1] for after in kernel_successors(state, table)})
        layers[-1] -= seen
        seen |= layers[-1]
    return layers


def referee_positions(
    deal: KlondikeDeal, rules: KlondikeRules, depth: int
) -> list[dict[Folded, KlondikePosition]]:
    start = KlondikePosition.start(deal, rules)
    layers = [{fold(start): start}]
    seen = set(layers[0])
    for _ in range(depth):
        layer: dict[Folded, KlondikePosition] = {}
        for position in layers[-1].values():
            for folded, after in successors(position).items():
                if folded not in seen:
                    seen.add(folded)
                    layer[folded] = after
        layers.append(layer)
    return layers


@pytest.mark.parametrize("count", sizes(2, 4))
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_positions_within_three_macro_moves(rules: KlondikeRules, count: int) -> None:
    for deal in random_deals(21_000, count):
        ours = kernel_positions(deal, rules, 3)
        theirs = referee_positions(deal, rules, 3)
        assert [len(layer) for layer in ours] == [len(layer) for layer in theirs]
        for states, folded in zip(ours, theirs, strict=True):
            assert {fold(read(state, deal, rules)) for state in states} == set(folded)


@pytest.mark.thorough
def test_counts_of_positions_at_depth_four_for_many_deals() -> None:
    rules = PRESETS["klondike-draw3"]
    for deal in random_deals(22_000, 15):
        ours = kernel_positions(deal, rules, 4)
        theirs = referee_positions(deal, rules, 4)
        assert [len(layer) for layer in ours] == [len(layer) for layer in theirs]


@pytest.mark.parametrize("count", sizes(6, 10))
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_successors_throughout_random_games(rules: KlondikeRules, count: int) -> None:
    chooser = random.Random(3)
    table = new_table(rules.draw, rules.partial_runs)
    won = turned = 0
    for deal in random_deals(23_000, count):
        state = set_up(deal.as_array(), table)
        position = KlondikePosition.start(deal, rules)
        for _ in range(90):
            # `read` lays columns out in another order than play does.
            assert fold(read(state, deal, rules)) == fold(position)
            expected = successors(position)
            ours = kernel_successors(state, table)
            folded = [fold(read(after, deal, rules)) for after in ours]
            assert len(set(folded)) == len(folded)
            assert set(folded) == set(expected)
            if not ours:
                break
            # Cards that go up open the game, so that late positions are met, too.
            best = max(range(len(ours)), key=lambda at: int(ours[at].up).bit_count())
            at = best if chooser.random() < 0.5 else chooser.randrange(len(ours))
            moves = np.zeros(MOST_MOVES, dtype=np.int64)
            macro_moves(state, table, moves)
            card = int(moves[at]) & 63
            revealing = bool(int(state.tableau) >> card & 1 and reveals(state, table, card))
            assert revealing == (ours[at].down != state.down)
            turned += revealing
            state, position = ours[at], expected[folded[at]]
            assert bool(is_won(state)) == position.is_won
            won += position.is_won
    assert turned > 1.5 * count
