"""Tests of the options of Klondike: the referee, the checker and the naive twin agree."""

import random
from collections import Counter
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from engine.cards import parse_card
from engine.dealing.dealers import get_dealer
from engine.errors import IllegalMove
from engine.klondike.checker import check
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import ALL_MOVES, KlondikeKind, move_byte, parse_move, parse_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules, parse_klondike
from klondike_rulesets import COVERING, ruled_position
from twins.klondike_moves import naive_moves


def options(rules: KlondikeRules) -> tuple[Any, ...]:
    return (
        rules.draw,
        rules.redeals,
        rules.partial_runs,
        rules.worrying_back,
        rules.building,
        rules.spaces,
    )


def test_the_rulesets_cover_every_pair_of_options() -> None:
    assert len(set(COVERING)) == len(COVERING) >= 24
    values = [
        (1, 2, 3, 5, 24),
        (None, 0, 1, 2),
        (True, False),
        (True, False),
        ("alternating", "any-suit", "same-suit"),
        ("kings", "any", "none"),
    ]
    for one, other in combinations(range(len(values)), 2):
        pairs = {(options(rules)[one], options(rules)[other]) for rules in COVERING}
        assert pairs == set(product(values[one], values[other]))


def same_moves(position: KlondikePosition) -> list[str]:
    """The legal moves, after comparing them with those of the twin."""
    expected = naive_moves(position)
    legal = position.legal_moves()
    assert sorted(map(str, legal)) == sorted(expected), str(position)
    for move in ALL_MOVES:
        if str(move) in expected:
            assert position.play(move) == expected[str(move)]
        else:
            with pytest.raises(IllegalMove):
                position.play(move)
    return [str(move) for move in legal]


@pytest.mark.parametrize("rules", COVERING, ids=str)
def test_late_positions_have_the_moves_of_the_twin(rules: KlondikeRules) -> None:
    random_state = random.Random(f"moves of {rules}")
    for _ in range(12):
        position = ruled_position(random_state, rules)
        for _ in range(6):
            moves = same_moves(position)
            assert position.checked() == position
            if not moves:
                break
            position = position.play(parse_move(random_state.choice(moves)))


def test_whole_games_by_the_three() -> None:
    """Walks from deals: at each place the legal moves, and illegal ones, for the checker."""
    random_state = random.Random("three")
    kinds: Counter[KlondikeKind] = Counter()
    for rules in COVERING:
        for cards in get_dealer("thoughtful-1").deal_block(random_state.randrange(10**6), 3):
            position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
            played = b""
            solutions, expected = [], []
            for _ in range(60):
                legal = {parse_move(text) for text in naive_moves(position)}
                tried = [*legal, *random_state.sample(ALL_MOVES, 8)]
                for move in tried:
                    solutions.append(played + bytes([move_byte(move)]))
                    expected.append(-1 if move in legal else len(played) + 1)
                if not legal:
                    break
                kind = random_state.choice(sorted({move.kind.name for move in legal}))
                move = random_state.choice(sorted(m for m in legal if m.kind.name == kind))
                kinds[move.kind] += 1
                played += bytes([move_byte(move)])
                position = position.play(move)
            verdicts = check(np.array([cards] * len(solutions)), rules, solutions)
            assert np.sign(verdicts).tolist() == np.sign(expected).tolist()
            assert [v for v in verdicts.tolist() if v > 0] == [v for v in expected if v > 0]
    assert min(kinds[kind] for kind in KlondikeKind) > 20, kinds


def position(slug: str, columns: str, heights: tuple[int, int, int, int]) -> KlondikePosition:
    """Columns as ``down|up``, divided by blanks."""
    piles = [
        tuple(tuple(parse_card(side[i : i + 2]) for i in range(0, len(side), 2)) for side in column)
        for column in (each.split("|") for each in columns.split())
    ]
    return KlondikePosition(
        parse_klondike(slug),
        tuple(down for down, _ in piles),
        tuple(up for _, up in piles),
        heights,
        (),
    ).checked()


def test_a_part_of_a_run_goes_to_the_first_empty_column() -> None:
    heights = (13, 9, 10, 12)
    columns = "| |KSQDJSTD | |KHQSJD |KD | |"
    before = position("klondike-draw3-spaces-any", columns, heights)
    after = before.play(parse_move("2x2"))
    assert [len(pile) for pile in after.up] == [2, 2, 0, 3, 1, 0, 0]
    assert before.why_illegal(parse_move("2x5")) == "column 2 has only 4 face-up cards"
    assert before.why_illegal(parse_move("21")) == (
        "column 1 is empty, and any card may go there: expected a number of cards, such as 2x1"
    )
    usual = position("klondike-draw3", columns, heights)
    assert usual.why_illegal(parse_move("2x4")) == (
        "a number of cards is named only where any card may go to an empty column"
    )
    whole = position("klondike-draw3-whole-runs-spaces-any", columns, heights)
    assert whole.why_illegal(parse_move("2x2")) == "all 4 face-up cards of column 2 move together"
    assert whole.why_illegal(parse_move("2x4")) is None
    none = position("klondike-draw3-no-worrying-back-spaces-none", columns, heights)
    assert none.legal_moves() == list(parse_solution("2F 45"))
