"""Tests that a win under a ruleset is one under the rulesets that it implies.

Games are played at random under the stricter ruleset and, translated as the argument beside
`implies` says, under the laxer one: every move must be legal and lead to the same table.
"""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.games import games, get_game
from engine.klondike.moves import TURN, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import BUILDINGS, SPACES, KlondikeRules
from engine.klondike.rules import implies as klondike_implies
from engine.spider.rules import PRESETS as SPIDER
from engine.spider.rules import implies as spider_implies
from samples import sizes

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


def translated(
    move: KlondikeMove, before: KlondikePosition, here: KlondikePosition, where: list[int]
) -> tuple[KlondikeMove, list[int]]:
    """A move as the laxer rules write it, and the column there of each column after it."""
    after = list(where)
    if move.kind in (KlondikeKind.UP, KlondikeKind.RUN, KlondikeKind.PART):
        move = move._replace(source=where[move.source])
    fills = move.kind is KlondikeKind.RUN and before.up[move.target] == ()
    if move.kind is KlondikeKind.PART or (fills and here.rules.spaces == "any"):
        target = move.target if fills else before.up.index(())
        column = here.up.index(())
        after[after.index(column)], after[target] = after[target], column
        if fills:
            cards = len(before.up[where.index(move.source)])
            move = KlondikeMove(KlondikeKind.PART, move.source, cards=cards)
    elif move.kind in (KlondikeKind.WASTE_DOWN, KlondikeKind.DOWN, KlondikeKind.RUN):
        move = move._replace(target=where[move.target])
    return move, after


def table(position: Any) -> Any:
    """What lies where, without the rules."""
    return replace(position, rules=None)


@pytest.mark.parametrize("number", sizes(60, 200))
def test_games_of_klondike_are_games_of_what_they_imply(number: int) -> None:
    game = get_game("klondike")
    rng = np.random.default_rng(number)
    pairs = [
        (strict, lax)
        for rulesets in (KLONDIKE, TABLEAUS)
        for strict, lax in itertools.permutations(rulesets, 2)
        if klondike_implies(strict, lax)
    ]
    cards = game.dealings[0].block(game.dealings[0].dealer.min_seed, number)
    redealt = parts = 0
    for seed in range(number):
        strict, lax = pairs[rng.integers(len(pairs))]
        deal = game.deal(cards[seed].tolist())
        here, before = game.start(deal, lax), game.start(deal, strict)
        assert isinstance(here, KlondikePosition)
        assert isinstance(before, KlondikePosition)
        where = list(range(7))  # the column there of each column here
        for move, after in played(before, rng, 150):
            turns = 1
            there, where = translated(move, before, here, where)
            if move == TURN:
                turned = min(strict.draw, len(before.stock))
                turns = -(-turned // lax.draw)
            for _ in range(turns):
                assert here.why_illegal(there) is None, (str(strict), str(lax), move)
                here = here.play(there)
            own = replace(
                here,
                down=tuple(here.down[column] for column in where),
                up=tuple(here.up[column] for column in where),
            )
            assert table(own) == table(after)
            redealt += move.kind == KlondikeKind.REDEAL
            parts += there.kind == KlondikeKind.PART != move.kind
            before = after
    assert redealt > 0
    assert parts > 0


@pytest.mark.parametrize("number", sizes(12, 40))
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
