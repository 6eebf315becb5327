"""The registry of games: those of the program and those of other installed packages.

A package adds a game by an entry point of the group ``thoughtful.games``: the game's slug, and the
module that defines ``GAME``. Games load when they are first asked for.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from engine.errors import BadInput
from engine.plug_ins import entry_points_of, load_entry_point

if TYPE_CHECKING:
    from engine.game import Game

GROUP = "thoughtful.games"
# Slug -> module.
_BUILT_IN = {"klondike": "engine.klondike", "spider": "engine.spider"}
# Where none is named.
DEFAULT_GAME = "klondike"
DEFAULT_RULESET = "klondike-draw3"


class OfAGame(Protocol):
    """A ruleset or a deal."""

    @property
    def game(self) -> str: ...


def games() -> "Iterator[Game]":
    """Every game, those of the program first; each is loaded when its turn comes.

    Raises:
        BadInput: the game of another package cannot be loaded.
    """
    yield from map(_load, _slugs())


def game_of(what: OfAGame) -> "Game":
    """The game of a ruleset or a deal."""
    return get_game(what.game)


def default_game() -> "Game":
    """The game where none is named."""
    return get_game(DEFAULT_GAME)


def get_game(slug: str) -> "Game":
    """The game with this slug.

    Raises:
        BadInput: there is none, or it is of another package and cannot be loaded.
    """
    if slug not in _BUILT_IN and slug not in _slugs():
        raise BadInput(f"unknown game {slug!r}: expected one of {', '.join(_slugs())}")
    return _load(slug)


def _slugs() -> list[str]:
    return [*_BUILT_IN, *(slug for slug in entry_points_of(GROUP) if slug not in _BUILT_IN)]


@cache
def _load(slug: str) -> "Game":
    game: Game
    if slug in _BUILT_IN:
        game = import_module(_BUILT_IN[slug]).GAME
    else:
        game = load_entry_point(GROUP, slug, "GAME")
    return game
