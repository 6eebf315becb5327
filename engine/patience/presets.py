"""Presets of patience games: data files in the folder beside this module, and users' own.

A file ``presets/<game>.json`` is a game and its usual ruleset, and ``presets/<game>/<slug>.json``
is another ruleset of it, with the same layout. Each has the keys

- ``name``: for players, such as ``FreeCell, 3 cells``; ``also``: its other names;
- ``about``: one sentence or two; ``source``: where the rules stand;
- ``published``: its row in Table 8 of Blake and Gent (2026), if it has one;
- ``pysolfc``: the name by which pysol-cards deals it, if it does;
- ``offered``: its place among those that the table offers to players, who know them well, and whose
  deals are won within seconds, if a phone has room for its columns; most have none;
- ``rules``: see `engine.patience.language`.

A user's file has the rules alone, or the same keys; it is a game of its own, whose slug holds its
rules (`engine.patience.own_slugs`).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadInput
from engine.text.strict_json import parse_json

if TYPE_CHECKING:
    from engine.patience.rules import Options, PatienceRules

_FOLDER = Path(__file__).parent / "presets"
OWN = "own-"  # as `engine.patience.own_slugs` begins them, which loads more
_KEYS = ("name", "also", "about", "source", "published", "pysolfc", "rules")


@dataclass(frozen=True, slots=True)
class Preset:
    """A ruleset with all that its file says.

    Attributes:
        rules: the ruleset.
        also: other names of the game.
        about: one sentence or two.
        source: where the rules stand.
        published: its row in the published table; empty if it has none.
        pysolfc: the name by which pysol-cards deals it; empty if it does not.
    """

    rules: "PatienceRules"
    also: tuple[str, ...] = ()
    about: str = ""
    source: str = ""
    published: str = ""
    pysolfc: str = ""


@cache
def preset_games() -> dict[str, str]:
    """The game of each preset by slug, games in alphabetical order, its usual ruleset first."""
    games = sorted(path.stem for path in _FOLDER.glob("*.json"))
    found = {}
    for game in games:
        found[game] = game
        found |= {path.stem: game for path in sorted((_FOLDER / game).glob("*.json"))}
    return found


# Slug of each of users' own rules that was given a name in this process: the name, its file.
_named: dict[str, tuple[str, dict[str, Any]]] = {}


def is_game(slug: str) -> bool:
    """Whether a slug names a game of the family."""
    return preset_games().get(slug) == slug or _own_preset(slug) is not None


def game_slugs() -> Iterator[str]:
    """The slugs of all games of the family, and of those of users that have a name here."""
    yield from dict.fromkeys(preset_games().values())
    yield from list(_named)  # another thread may add one


def game_of_ruleset(slug: str) -> str | None:
    """The game of a ruleset of the family; None if there is none of this slug."""
    return slug if _own_preset(slug) is not None else preset_games().get(slug)


def published_rows() -> dict[str, str]:
    """The row of each preset in the published table, by its slug; empty if it has none."""
    return {slug: _read(slug, game).get("published", "") for slug, game in preset_games().items()}


@cache
def offered_rulesets() -> tuple[str, ...]:
    """The slugs of the rulesets that the table offers to players, in their order."""
    files = {slug: _read(slug, game) for slug, game in preset_games().items()}
    places = {slug: int(data["offered"]) for slug, data in files.items() if "offered" in data}
    return tuple(sorted(places, key=places.__getitem__))


def presets_of(game: str) -> tuple[Preset, ...]:
    """The presets of a game, its usual ruleset first."""
    own = _own_preset(game)
    if own is not None:
        return (own,)
    return tuple(_load(slug, game) for slug, of in preset_games().items() if of == game)


def _own_preset(slug: str) -> Preset | None:
    """A user's own rules by their slug; None if it is of none."""
    if not slug.startswith(OWN):
        return None
    from engine.patience.own_slugs import options_of
    from engine.patience.rules import PatienceRules

    options = options_of(slug)
    if options is None:
        return None
    title, about = _named.get(slug, ("", {}))
    return _preset(PatienceRules(options, slug, title or f"Own rules {slug}", slug), about)


def own_texts(slug: str) -> str:
    """The name and file that a user's own rules were given in this process, as one text."""
    return json.dumps(_named.get(slug))


@cache
def _load(slug: str, game: str) -> Preset:
    from engine.patience.language import read_options
    from engine.patience.rules import PatienceRules

    data = _read(slug, game)
    rules = PatienceRules(read_options(data["rules"]), slug, data["name"], game)
    return _preset(rules, data)


def _read(slug: str, game: str) -> dict[str, Any]:
    path = _FOLDER / f"{slug}.json" if slug == game else _FOLDER / game / f"{slug}.json"
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return data


def _preset(rules: "PatienceRules", data: dict[str, Any]) -> Preset:
    texts = {key: data.get(key, "") for key in ("about", "source", "published", "pysolfc")}
    return Preset(rules, tuple(data.get("also", ())), **texts)


def read_rules_file(text: str) -> "PatienceRules":
    """Read a user's file of rules, and make its game known to this process.

    Args:
        text: JSON of Solvitaire's rules, or of a preset with the rules in it.

    Returns:
        The ruleset. If a preset has the same options it is that one.

    Raises:
        BadInput: the text is no JSON or no such rules.
    """
    from engine.patience.language import read_options

    data = parse_json(text)
    if not isinstance(data, dict):
        raise BadInput(f"rules are a JSON object with parts such as 'tableau piles', not {data!r}")
    if "rules" not in data:
        data = {"rules": data}
    for key, value in data.items():
        if key not in _KEYS:
            raise BadInput(f"a file of rules has no {key!r}: expected {', '.join(_KEYS)}")
        texts = value if key == "also" and isinstance(value, list) else [value]
        if key != "rules" and not all(isinstance(each, str) for each in texts):
            raise BadInput(f"{key!r} must be text, not {str(value)[:60]}")
    if data.get("pysolfc"):
        raise BadInput("'pysolfc' names a deal of presets alone: expected a file without it")
    rules = own_rules(read_options(data["rules"]))
    if rules.slug.startswith(OWN):
        _named[rules.slug] = data.get("name", ""), data
        return own_rules(rules.options)
    return rules


def call_own_rules(slug: str, title: str) -> None:
    """Give a user's own rules a name for players, in this process.

    Raises:
        BadInput: the slug is none of such rules.
    """
    if _own_preset(slug) is None:
        raise BadInput(f"{slug!r} is no slug of own rules")
    _named[slug] = title, _named.get(slug, ("", {}))[1]


def own_rules(options: "Options") -> "PatienceRules":
    """The ruleset of options: that of a preset which has them, or else a game of its own."""
    from engine.patience.own_slugs import slug_of

    for slug, game in preset_games().items():
        if _load(slug, game).rules.options == options:
            return _load(slug, game).rules
    own = _own_preset(slug_of(options))
    assert own is not None
    return own.rules
