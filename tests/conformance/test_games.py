"""Tests of every registered game against the contract of `engine.game`."""

from collections.abc import Callable

import pytest

from conformance.checks import CHECKS, check_renderer
from conformance.conftest import PATIENCE
from engine.game import Game
from engine.games import default_game, games, get_game


def name_of(check: Callable[[Game], None]) -> str:
    return check.__name__.removeprefix("check_")


@pytest.mark.parametrize("check", CHECKS, ids=name_of)
def test_the_contract_holds(game: Game, check: Callable[[Game], None]) -> None:
    check(game)


# The aces of Gaps are gaps: not every card of the deal is drawn.
UNDRAWN = ("gaps", check_renderer)


@pytest.mark.parametrize(
    ("slug", "check"),
    [
        pytest.param(slug, check, id=f"{slug}-{name_of(check)}")
        for slug in PATIENCE
        for check in CHECKS
        if (slug, check) != UNDRAWN
    ],
)
def test_the_contract_holds_for_games_that_are_data(
    slug: str, check: Callable[[Game], None]
) -> None:
    check(get_game(slug))


def test_games_have_different_slugs_and_the_default_is_one_of_them(game: Game) -> None:
    assert get_game(game.slug) is game
    assert len({each.slug for each in games()}) == len(list(games()))
    assert default_game() in games()
    assert set(game.rulesets.presets).isdisjoint(
        slug for other in games() if other is not game for slug in other.rulesets.presets
    )
