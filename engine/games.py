"""The games there are, and what all else needs to know of each.

A ruleset belongs to a game (`Rules.game`); deals, positions and moves of a game have classes of
their own, which are alike in what stands here.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from engine import moves, referee, spider_moves, spider_referee
from engine.deals import KlondikeDeal
from engine.errors import BadInput
from engine.replay import Playable
from engine.rulesets import Rules
from engine.spider import SpiderDeal


class Deal(Protocol):
    """The full order of the cards at the start of one game, uint8 in flat order."""

    game: ClassVar[str]

    @property
    def cards(self) -> tuple[int, ...]: ...

    @property
    def digest(self) -> str: ...

    def as_array(self) -> NDArray[np.uint8]: ...

    def to_json(self) -> dict[str, Any]: ...


class Move(Protocol):
    """A legal step; prints as its text."""

    @property
    def kind(self) -> Enum: ...


class Position(Playable, Protocol):
    """A state during play; prints as the table."""

    @property
    def rules(self) -> Rules: ...

    @property
    def progress(self) -> str: ...

    def legal_moves(self) -> Sequence[Any]: ...

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Game:
    """A game.

    Attributes:
        slug: as in `Rules.game` and in the catalogue.
        name: for sentences.
        decks: how many decks it is played with.
        deal: cards in flat order -> deal; raises BadInput.
        deal_from_json: what `Deal.to_json` writes -> deal; raises BadInput.
        start: deal, rules -> position before the first move.
        position_from_json: what `Position.to_json` writes, rules -> position; raises BadInput.
        parse_move: the text of one move -> move; raises BadMove.
        parse_solution: text -> moves; raises BadMove.
        unpack: bytes -> moves; raises BadMove.
        move_size: how many bytes a packed move has.
    """

    slug: str
    name: str
    decks: int
    deal: Callable[[Iterable[int]], Deal]
    deal_from_json: Callable[[Any], Deal]
    start: Callable[[Any, Any], Position]
    position_from_json: Callable[[Any, Any], Position]
    parse_move: Callable[[str], Move]
    parse_solution: Callable[[str], tuple[Move, ...]]
    unpack: Callable[[bytes], tuple[Move, ...]]
    move_size: int

    @property
    def cards(self) -> int:
        """How many cards a deal has."""
        return 52 * self.decks

    def length(self, packed: bytes) -> int:
        """How many moves these bytes are."""
        return len(packed) // self.move_size


KLONDIKE = Game(
    "klondike",
    "Klondike",
    1,
    KlondikeDeal.of,
    KlondikeDeal.from_json,
    referee.Position.start,
    referee.Position.from_json,
    moves.parse_move,
    moves.parse_solution,
    moves.unpack_solution,
    1,
)
SPIDER = Game(
    "spider",
    "Spider",
    2,
    SpiderDeal.of,
    SpiderDeal.from_json,
    spider_referee.SpiderPosition.start,
    spider_referee.SpiderPosition.from_json,
    spider_moves.parse_move,
    spider_moves.parse_solution,
    spider_moves.unpack_solution,
    2,
)
GAMES = {game.slug: game for game in (KLONDIKE, SPIDER)}


def game_of(what: Rules | Deal) -> Game:
    """The game that a ruleset or a deal is of."""
    return GAMES[what.game]


def get_game(slug: str) -> Game:
    """The game with this slug.

    Raises:
        BadInput: there is none.
    """
    game = GAMES.get(slug)
    if game is None:
        raise BadInput(f"unknown game {slug!r}: expected one of {', '.join(GAMES)}")
    return game
