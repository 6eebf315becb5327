"""The games there are: those of the program, and those that other installed packages bring.

A package brings a game by an entry point of the group ``thoughtful.games``: the game's slug, and
the module that defines ``GAME``. Games load when they are first asked for.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from engine.errors import BadInput

if TYPE_CHECKING:
    from engine.game import Game

GROUP = "thoughtful.games"
# Slug -> module.
_BUILT_IN = {"klondike": "engine.klondike", "spider": "engine.spider"}
# Of the game that is meant where nothing says which.
DEFAULT_GAME = "klondike"
DEFAULT_RULESET = "klondike-draw3"


class OfAGame(Protocol):
    """A ruleset or a deal."""

    @property
    def game(self) -> str: ...


def games() -> "Iterator[Game]":
    """Every game, those of the program first; each is loaded when its turn comes."""
    yield from map(_load, _BUILT_IN)
    yield from map(_load, _brought())


def game_of(what: OfAGame) -> "Game":
    """The game that a ruleset or a deal is of."""
    return get_game(what.game)


def default_game() -> "Game":
    """The game that is meant where nothing says which."""
    return get_game(DEFAULT_GAME)


def get_game(slug: str) -> "Game":
    """The game with this slug.

    Raises:
        BadInput: there is none.
    """
    if slug not in _BUILT_IN and slug not in _brought():
        names = ", ".join((*_BUILT_IN, *_brought()))
        raise BadInput(f"unknown game {slug!r}: expected one of {names}")
    return _load(slug)


@cache
def _brought() -> dict[str, str]:
    """The games of other packages: slug -> module."""
    # Here, because it takes longer to import than most commands need.
    from importlib.metadata import entry_points

    found = {point.name: point.value for point in entry_points(group=GROUP)}
    return {slug: found[slug] for slug in sorted(found) if slug not in _BUILT_IN}


@cache
def _load(slug: str) -> "Game":
    module = _BUILT_IN.get(slug) or _brought()[slug]
    game: Game = import_module(module).GAME
    return game
