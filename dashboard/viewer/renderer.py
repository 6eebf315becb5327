"""The contract of a game's renderer, and the lookup of renderers.

A renderer is a module `dashboard.games.<game>` that defines ``RENDERER``, and a JavaScript file
beside it. Python follows the cards and tells moves in words; the browser lays the piles out and
knows no rules. Another package adds the renderer of its game by an entry point of the group
``thoughtful.renderers``: the game's slug, and the module.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from engine.game import Position
from engine.plug_ins import entry_points_of, load_entry_point

GROUP = "thoughtful.renderers"

# Where every card lies: name of a pile -> names of its cards, bottom first. A game has the same
# piles in every position. A card's name begins with its rank and suit; a number may follow to
# distinguish identical cards, such as ``QS3``.
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
    """

    name: str
    sentence: str
    moved: tuple[str, ...]
    foreseen: str | None = None


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
    """

    table: Callable[[Any], GameTable]
    script: str


@cache
def renderer_of(game: str) -> Renderer | None:
    """The renderer of a game, by its slug; None if it has none."""
    module = f"dashboard.games.{game.replace('-', '_')}"
    renderer: Renderer
    if find_spec(module) is not None:
        renderer = import_module(module).RENDERER
    elif game in entry_points_of(GROUP):
        renderer = load_entry_point(GROUP, game, "RENDERER")
    else:
        return None
    return renderer


def table_of(start: Position) -> GameTable | None:
    """The table of a position; None if its game has no renderer."""
    renderer = renderer_of(start.rules.game)
    return None if renderer is None else renderer.table(start)
