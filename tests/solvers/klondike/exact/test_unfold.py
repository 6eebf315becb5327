"""Tests of unfolding steps of the exact search, against the naive twin and the referee."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from engine.cards import DECK, parse_card
from engine.cardset import BIT_OF_CARD
from engine.dealing.dealers import get_dealer
from engine.kernels.compiler import COMPILED
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import TURN, WASTE_UP, KlondikeKind, pack_solution, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.replay import replay
from solvers.klondike.exact.position import REVEAL, STOCK_DOWN, STOCK_UP
from twins.unfold import naive_unfold
from winning_lines import starts, unfolded, winning_line


def test_unfolding_is_that_of_the_naive_twin_and_wins() -> None:
    wins = 0
    for position in starts(250 if COMPILED else 8):
        line = winning_line(position, 5000 if COMPILED else 300)
        if line is None:
            continue
        packed = unfolded(position, line)
        assert packed == pack_solution(naive_unfold(position, line)), str(position)
        assert replay(position, unpack_solution(packed)).is_won
        wins += 1
    assert wins >= (400 if COMPILED else 8)


@pytest.mark.thorough
def test_longer_ways_through_the_stock() -> None:
    """Lines that take the stock's cards in any order there is, to whatever turns they need."""
    random_state = random.Random(13)
    empty: tuple[tuple[int, ...], ...] = ((),) * 7
    kings = tuple((parse_card(f"K{suit}"),) for suit in "CDSH")
    for _ in range(60 if COMPILED else 10):
        rules = KlondikeRules(draw=random_state.randint(1, 6))
        # Under bare kings all queens can be played at any time, and later what lies below them.
        talon = [c for c in DECK if 24 <= c < 48]
        random_state.shuffle(talon)
        cut = random_state.randint(0, len(talon))
        position = KlondikePosition(
            rules, empty, (*kings, (), (), ()), (6, 6, 6, 6), tuple(talon[cut:]), tuple(talon[:cut])
        ).checked()
        line = []
        now = position
        for _ in range(400):
            move = random_state.choice(now.legal_moves())
            if move.kind in (KlondikeKind.WASTE_DOWN, KlondikeKind.WASTE_UP):
                kind = STOCK_DOWN if move.kind is KlondikeKind.WASTE_DOWN else STOCK_UP
                line.append(kind << 6 | int(BIT_OF_CARD[now.waste[-1]]))
            if move.kind in (
                KlondikeKind.WASTE_DOWN,
                KlondikeKind.WASTE_UP,
                KlondikeKind.TURN,
                KlondikeKind.REDEAL,
            ):
                now = now.play(move)
        packed = unfolded(position, line)
        assert packed is not None
        assert packed == pack_solution(naive_unfold(position, line))
        replay(position, unpack_solution(packed))


def test_steps_out_of_reach_are_told() -> None:
    rules = KlondikeRules(draw=3)
    cards = get_dealer("thoughtful-1").deal_block(0, 1)[0]
    position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
    reachable, hidden = position.stock[2], position.stock[0]

    def step(kind: int, card: int) -> list[int]:
        return [kind << 6 | int(BIT_OF_CARD[card])]

    assert unfolded(position, step(STOCK_UP, hidden)) is None
    assert unfolded(position, step(STOCK_UP, reachable)) == pack_solution([TURN, WASTE_UP])
    assert unfolded(position, step(REVEAL, parse_card("KC"))) is None  # no column is empty


def test_the_same_without_the_compiler(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    compiled, plain = with_and_without_compiler(
        "from winning_lines import starts, unfolded, winning_line\n"
        "lines = [(start, winning_line(start, 300)) for start in starts(6)]\n"
        "found = [unfolded(start, line).hex() for start, line in lines if line is not None]"
    )
    assert compiled == plain
    assert len(compiled) >= 5
