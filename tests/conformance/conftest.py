"""The games that the suite runs over: all that are registered, and one that a package adds."""

from collections.abc import Iterator

import pytest

from engine.game import Game
from engine.games import games, get_game
from plug_in import installed

pytest.register_assert_rewrite("conformance.checks")

with installed():
    SLUGS = tuple(game.slug for game in games())


@pytest.fixture(scope="package", autouse=True)
def _installed() -> Iterator[None]:
    """The package of the third game is there for all tests of this folder."""
    with installed():
        yield


@pytest.fixture(params=SLUGS)
def game(request: pytest.FixtureRequest) -> Game:
    """Each game in turn."""
    return get_game(request.param)
