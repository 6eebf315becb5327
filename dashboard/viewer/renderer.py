"""The contract of a game's renderer, and the lookup of renderers.

A renderer is a module `dashboard.games.<game>` that defines ``RENDERER``, and a JavaScript file
beside it; the module of a family of games defines ``renderer``, a function of a game's slug. Python
follows the cards and tells moves in words; the browser lays the piles out and knows no rules.
Another package adds the renderer of its game by an entry point of the group
``thoughtful.renderers``: the game's slug, and the module.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from engine.game import Position
from engine.games import family_of
from engine.plug_ins import entry_points_of, load_entry_point

GROUP = "thoughtful.renderers"

# Where every card lies: name of a pile -> names of its cards, bottom first. A game has the same
# piles in every position. A card's name begins with its rank and suit; a number may follow to
# distinguish identical cards, such as ``QS3``, or unknown ones, such as ``??3``.
Piles = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Step:
    """A move as the viewer describes it.

    Attributes:
        name: the move's text.
        sentence: the move in words.
        moved: the names of the cards that changed place, other than by being turned over.
        foreseen: the sentence without the cards that nobody who sees only the open ones can
            foresee; None if it has none of these.
        gain: what everybody sees that the move gains, after "it", such as "completes a run"; empty
            for nothing.
    """

    name: str
    sentence: str
    moved: tuple[str, ...]
    foreseen: str | None = None
    gain: str = ""


class GameTable(Protocol):
    """The table of a game in progress."""

    @property
    def piles(self) -> Piles:
        """The cards of every pile at present."""
        ...

    def play(self, before: Any, move: Any, after: Any) -> Step:
        """Apply a legal move, given the positions before and after it."""
        ...


@dataclass(frozen=True, slots=True)
class Renderer:
    """The renderer of a game.

    Attributes:
        table: position -> its table.
        script: JavaScript that defines ``GAME`` as `cards.js` specifies.
        seen: the JSON of a position, with ``??`` for unknown cards, complete or not -> its piles,
            of the same sizes as those of `table`; unknown cards have names such as ``??3``. None
            if the game has no positions with unknown cards.
        layout: data that its script finds as ``LAYOUT``, where several games share a script.
        places: such piles -> the names of the cards of each place of `engine.game.Setting`, in
            their order there. None if the game has no such places.
    """

    table: Callable[[Any], GameTable]
    script: str
    seen: Callable[[Mapping[str, Any]], Piles] | None = None
    places: Callable[[Piles], dict[str, list[str]]] | None = None
    layout: Mapping[str, Any] | None = None

    @property
    def source(self) -> str:
        """The script with the data that it finds."""
        if self.layout is None:
            return self.script
        return f"const LAYOUT = {json.dumps(self.layout)};\n{self.script}"


def renderer_of(game: str) -> Renderer | None:
    """The renderer of a game, by its slug; None if it has none."""
    return _renderer(game, family_of(game))


@lru_cache(maxsize=512)  # of users there may be any number of own rules
def _renderer(game: str, family: str) -> Renderer | None:
    module = f"dashboard.games.{family.replace('-', '_')}"
    renderer: Renderer
    if find_spec(module) is not None:
        found = import_module(module)
        renderer = found.renderer(game) if family != game else found.RENDERER
    elif game in entry_points_of(GROUP):
        renderer = load_entry_point(GROUP, game, "RENDERER")
    else:
        return None
    return renderer


def table_of(start: Position) -> GameTable | None:
    """The table of a position; None if its game has no renderer."""
    renderer = renderer_of(start.rules.game)
    return None if renderer is None else renderer.table(start)
