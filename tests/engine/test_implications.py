"""Tests that a win under a ruleset is one under the rulesets that it implies.

Games are played under the stricter ruleset and translated to the laxer one: every move must be
legal and the last one lead to the same table.
"""

import itertools
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import parse_card
from engine.games import games, get_game
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import (
    REDEAL,
    TURN,
    KlondikeKind,
    parse_solution,
    solution_text,
    unpack_solution,
)
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import BUILDINGS, SPACES, KlondikeRules
from engine.klondike.rules import implies as klondike_implies
from engine.klondike.translation import translate
from engine.replay import positions, replay
from engine.spider.rules import PRESETS as SPIDER
from engine.spider.rules import implies as spider_implies
from klondike_rulesets import COVERING, ruled_position
from samples import sizes
from solvers.solver import parse_solver

KLONDIKE = [
    KlondikeRules(draw, redeals, partial, back)
    for draw in (1, 2, 3, 4, 6)
    for redeals in (None, 0, 1, 3)
    for partial in (True, False)
    for back in (True, False)
]
TABLEAUS = [
    KlondikeRules(3, redeals, partial, True, building, spaces)
    for redeals in (None, 2)
    for partial in (True, False)
    for building in BUILDINGS
    for spaces in SPACES
]


def test_a_ruleset_implies_itself_and_implications_can_be_chained() -> None:
    for game in games():
        implies = game.rulesets.implies
        rulesets = list(game.rulesets.presets.values())
        if game.slug == "klondike":
            rulesets = list(dict.fromkeys((*KLONDIKE, *TABLEAUS)))
        for rules in rulesets:
            assert implies(rules, rules)
        for one, two, three in itertools.product(rulesets[::3], rulesets[::2], rulesets):
            if implies(one, two) and implies(two, three):
                assert implies(one, three)
        for one, two in itertools.permutations(rulesets, 2):
            assert not (implies(one, two) and implies(two, one))


@pytest.mark.parametrize(
    ("strict", "lax", "expected"),
    [
        (KlondikeRules(3), KlondikeRules(1), True),
        (KlondikeRules(1), KlondikeRules(3), False),
        (KlondikeRules(3), KlondikeRules(2), False),
        (KlondikeRules(3, redeals=2), KlondikeRules(3), True),
        (KlondikeRules(3, redeals=2), KlondikeRules(1, redeals=2), True),
        (KlondikeRules(3, redeals=2), KlondikeRules(1, redeals=1), False),
        (KlondikeRules(3), KlondikeRules(3, redeals=1000), False),
        (KlondikeRules(3, partial_runs=False), KlondikeRules(3), True),
        (KlondikeRules(3), KlondikeRules(3, partial_runs=False), False),
        (KlondikeRules(3, worrying_back=False), KlondikeRules(3), True),
        (KlondikeRules(3, worrying_back=False), KlondikeRules(3, partial_runs=False), False),
        (KlondikeRules(3), KlondikeRules(3, building="any-suit"), True),
        (KlondikeRules(3, building="same-suit"), KlondikeRules(3, building="any-suit"), True),
        (KlondikeRules(3, building="same-suit"), KlondikeRules(3), False),
        (KlondikeRules(3), KlondikeRules(3, building="same-suit"), False),
        (KlondikeRules(3, building="any-suit"), KlondikeRules(3), False),
        (KlondikeRules(3, spaces="none"), KlondikeRules(3), True),
        (KlondikeRules(3), KlondikeRules(3, spaces="any"), True),
        (KlondikeRules(3, spaces="none"), KlondikeRules(1, spaces="any"), True),
        (KlondikeRules(3, spaces="any"), KlondikeRules(3), False),
        (KlondikeRules(3), KlondikeRules(3, spaces="none"), False),
        (SPIDER["spider-4"], SPIDER["spider-4-relaxed"], True),
        (SPIDER["spider-4-relaxed"], SPIDER["spider-4"], False),
        (SPIDER["spider-4"], SPIDER["spider-2"], False),
    ],
    ids=str,
)
def test_what_implies_what(strict: Any, lax: Any, expected: bool) -> None:
    implies = klondike_implies if isinstance(strict, KlondikeRules) else spider_implies
    assert implies(strict, lax) == expected


def played(start: Any, rng: np.random.Generator, most: int) -> list[tuple[Any, Any]]:
    """A game at random: each move and the position after it."""
    position, game = start, []
    for _ in range(most):
        legal = position.legal_moves()
        if not legal or position.is_won:
            break
        move = legal[rng.integers(len(legal))]
        position = position.play(move)
        game.append((move, position))
    return game


def table(position: Any) -> Any:
    """What lies where, without the rules."""
    return replace(position, rules=None)


def in_any_order(position: KlondikePosition, up_before: tuple[int, ...] = ()) -> Any:
    """What lies where, without the rules and the order of columns, once these aces went up."""
    heights = [height or suit in up_before for suit, height in enumerate(position.foundations)]
    up = [tuple(card for card in each if card not in up_before) for each in position.up]
    columns = sorted(zip(position.down, up, strict=True))
    return columns, heights, position.stock, position.waste, position.redeals_used


def check_translation(game: list[tuple[Any, Any]], start: KlondikePosition, lax: Any) -> list[Any]:
    """Check that a game translated to laxer rules ends as it does; return the moves."""
    moves = list(translate(start, (move for move, _ in game), lax))
    here = replay(replace(start, rules=lax), moves)
    end = game[-1][1] if game else start
    assert isinstance(here, KlondikePosition)
    went = [suit for suit in range(4) if here.foundations[suit] > end.foundations[suit]]
    assert in_any_order(here) == in_any_order(end, tuple(went)), (str(start.rules), str(lax))
    assert here.is_won == end.is_won
    return moves


def parse_cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


PAIRS = [
    (strict, lax)
    for rulesets in (KLONDIKE, TABLEAUS, COVERING)
    for strict, lax in itertools.permutations(rulesets, 2)
    if klondike_implies(strict, lax)
]


@pytest.mark.parametrize("number", sizes(60, 120))
def test_games_of_klondike_are_games_of_what_they_imply(number: int) -> None:
    game = get_game("klondike")
    rng = np.random.default_rng(number)
    cards = game.dealings[0].block(game.dealings[0].dealer.min_seed, number)
    redealt = parts = 0
    for seed in range(number):
        strict, lax = PAIRS[rng.integers(len(PAIRS))]
        start = KlondikePosition.start(KlondikeDeal.of(cards[seed]), strict)
        game_played = played(start, rng, 150)
        moves = check_translation(game_played, start, lax)
        redealt += sum(move.kind == KlondikeKind.REDEAL for move in moves)
        own = sum(move.kind == KlondikeKind.PART for move, _ in game_played)
        parts += sum(move.kind == KlondikeKind.PART for move in moves) - own
    assert redealt > 0
    assert parts > 0


@settings(max_examples=150, deadline=None)
@given(pair=st.sampled_from(PAIRS), seed=st.integers(0, 2**32), moves=st.integers(0, 60))
def test_games_from_late_positions_end_the_same(pair: Any, seed: int, moves: int) -> None:
    start = ruled_position(random.Random(seed), pair[0])
    check_translation(played(start, np.random.default_rng(seed), moves), start, pair[1])


@pytest.mark.slow
def test_wins_are_wins_of_what_they_imply() -> None:
    """Of `exact-plain`, on late positions under all rulesets."""
    solver = parse_solver("exact-plain(nodes=3000)")
    won = 0
    for number, (strict, lax) in enumerate(PAIRS[:: len(PAIRS) // 60]):
        start = ruled_position(random.Random(number), strict, 16)
        outcome = solver.solve_position(start)
        if outcome.moves is None:
            continue
        moves = unpack_solution(outcome.moves)
        game = list(zip(moves, list(positions(start, moves))[1:], strict=True))
        check_translation(game, start, lax)
        won += 1
    assert won > 20


@pytest.mark.parametrize(
    ("lax", "turns"), [(1, 24), (2, 12), (3, 8), (5, 8), (10, 4)], ids=lambda value: str(value)
)
def test_a_turn_is_as_many_turns_of_fewer_cards(lax: int, turns: int) -> None:
    """24 cards by tens are two turns of ten and one of four, and so with what follows a redeal."""
    strict = 10 if lax in (5, 10) else 6
    start = KlondikePosition.start(KlondikeDeal.of(range(52)), KlondikeRules(strict))
    pass_through = [TURN] * -(-24 // strict)
    game = [*pass_through, REDEAL, *pass_through]
    expected = 5 if (strict, lax) == (10, 5) else 3 if lax == 10 else turns
    found = translate(start, game, KlondikeRules(lax))
    assert list(found) == [*[TURN] * expected, REDEAL, *[TURN] * expected]
    assert len(replay(replace(start, rules=KlondikeRules(lax)), found).waste) == 24


def test_a_run_of_thirteen_goes_without_its_ace() -> None:
    """The ace went up before, so what the game does with it later falls away."""
    strict = KlondikeRules(3, building="any-suit")
    start = KlondikePosition(
        strict,
        down=((), (parse_card("KD"),), (), (), (), (), ()),
        up=(
            (),
            parse_cards("KC QH JC TH 9C 8H 7C 6H 5C 4H 3C 2H AC"),
            parse_cards("KH QC JH TC 9H 8C 7H 6C 5H 4C 3H 2C"),
            *((),) * 4,
        ),
        foundations=(0, 12, 13, 1),
        stock=(),
    ).checked()
    text = "21 2F 13 3F " + " ".join(["3F 1F"] * 12)
    moves = parse_solution(text)
    game = list(zip(moves, list(positions(start, moves))[1:], strict=True))
    assert game[-1][1].is_won
    found = check_translation(game, start, replace(strict, spaces="any"))
    assert solution_text(found[:4]) == "2F 2x12 2F 3F"
    for end in range(len(game)):
        check_translation(game[:end], start, replace(strict, spaces="any"))


@pytest.mark.parametrize("number", sizes(12, 25))
def test_games_of_spider_are_games_of_what_they_imply(number: int) -> None:
    game = get_game("spider")
    rng = np.random.default_rng(number)
    cards = game.dealings[0].block(game.dealings[0].dealer.min_seed, number)
    for seed in range(number):
        strict = list(SPIDER.values())[seed % 3]
        lax = replace(strict, deal_onto_empty=True)
        assert spider_implies(strict, lax)
        deal = game.deal(cards[seed].tolist())
        here: Any = game.start(deal, lax)
        for move, after in played(game.start(deal, strict), rng, 150):
            assert here.why_illegal(move) is None
            here = here.play(move)
            assert table(here) == table(after)
