"""Tests of every registered game against the contract of `engine.game`."""

from collections.abc import Callable

import pytest

from conformance.checks import CHECKS
from engine.game import Game
from engine.games import default_game, games, get_game


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_the_contract_holds(game: Game, check: Callable[[Game], None]) -> None:
    check(game)


def test_games_have_different_slugs_and_the_default_is_one_of_them(game: Game) -> None:
    assert get_game(game.slug) is game
    assert len({each.slug for each in games()}) == len(list(games())) == 3
    assert default_game() in games()
    assert set(game.rulesets.presets).isdisjoint(
        slug for other in games() if other is not game for slug in other.rulesets.presets
    )
