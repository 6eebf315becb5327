"""The registry of games: those of the program and those of other installed packages.

A package adds a game by an entry point of the group ``thoughtful.games``: the game's slug, and the
module that defines ``GAME``. Games load when they are first asked for.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from engine.errors import BadInput, one_of
from engine.patience import presets
from engine.plug_ins import entry_points_of, load_entry_point

if TYPE_CHECKING:
    from engine.game import Game

GROUP = "thoughtful.games"
# Slug -> module. The games of `engine.patience` are data: files name them.
_BUILT_IN = {"klondike": "engine.klondike", "spider": "engine.spider"}
_FAMILY = "engine.patience.family"
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
    yield from map(get_game, _slugs())


def games_with_ruleset(slug: str) -> "Iterator[Game]":
    """The games that may have a ruleset of this slug; others need not load for it."""
    preset = presets.game_of_ruleset(slug)
    if preset is not None and _home(preset) == _FAMILY:
        yield get_game(preset)
    yield from (get_game(each) for each in _slugs() if _home(each) != _FAMILY)


def game_of_deal(data: Mapping[str, Any]) -> "Game | None":
    """The game of which a JSON object that names none shows a deal; None if it is of none.

    A deal that a game with code of its own has is one of that, as it was before there were others.

    Raises:
        BadInput: it is a deal of several games of data.
    """
    for slug in _slugs():
        if _home(slug) != _FAMILY and get_game(slug).is_deal_json(data):
            return get_game(slug)
    # Users' own games are not among them: a link to one must change no answer to others.
    known = [slug for slug in _slugs() if not slug.startswith(presets.OWN)]
    games = [get_game(slug) for slug in known if _home(slug) == _FAMILY]
    found = [game for game in games if game.is_deal_json(data)]
    if len(found) > 1:
        slugs = ", ".join(game.slug for game in found)
        raise BadInput(f'this is a deal of several games: expected "game" to be one of {slugs}')
    return found[0] if found else None


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
    home = _home(slug)
    if home is None:
        raise BadInput(f"unknown game {slug!r}: expected {one_of(_slugs(), slug)}")
    return _load(slug, home, presets.own_texts(slug))


def family_of(game: str) -> str:
    """The family of a game, whose methods play it: ``patience``, or the game alone."""
    return "patience" if _home(game) == _FAMILY else game


def games_of_family(family: str) -> str:
    """The games of a family in words: their kind, or the name of the only one."""
    return "patience games" if family == "patience" else get_game(family).name


def published_rows() -> dict[str, str]:
    """The rulesets of games of data, each with its row in Blake and Gent (2026), Table 8, or ""."""
    return presets.published_rows()


def offered_rulesets() -> tuple[str, ...]:
    """The rulesets of games of data that the table offers to players, in their order."""
    return presets.offered_rulesets()


def _slugs() -> list[str]:
    others = entry_points_of(GROUP)
    own = [*_BUILT_IN, *(slug for slug in presets.game_slugs() if slug not in others)]
    return [*own, *(slug for slug in others if slug not in own)]


def _home(slug: str) -> str | None:
    """The module of a game, or the entry point of another package, which may replace a preset."""
    if slug in _BUILT_IN:
        return _BUILT_IN[slug]
    if slug in entry_points_of(GROUP):
        return entry_points_of(GROUP)[slug]
    return _FAMILY if presets.is_game(slug) else None


@lru_cache(maxsize=512)  # of users there may be any number of own rules
def _load(slug: str, home: str, _texts: str) -> "Game":
    game: Game
    if home == _FAMILY:
        game = import_module(home).make_game(slug)
    elif slug in _BUILT_IN:
        game = import_module(home).GAME
    else:
        game = load_entry_point(GROUP, slug, "GAME")
    return game
