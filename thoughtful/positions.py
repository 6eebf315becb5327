"""Positions: what lies on the table, which moves are legal, and playing them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from engine.cards import SUITS
from engine.errors import BadInput
from thoughtful.reading import entry_of, rules_of

if TYPE_CHECKING:
    from engine.game import Move
    from engine.game import Position as RefereePosition


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Position:
    """A state during play, judged by the referee; immutable, and equal to others with its cards.

    Attributes:
        referee: the position of the package `engine`, for callers who need more.
    """

    referee: "RefereePosition"

    @property
    def rules(self) -> str:
        """The ruleset, such as ``klondike-draw3``."""
        return self.referee.rules.slug

    @property
    def is_won(self) -> bool:
        """Whether the game is won."""
        return self.referee.is_won

    @property
    def progress(self) -> str:
        """How far the game has come, in words."""
        return self.referee.progress

    @property
    def columns(self) -> list[list[str]]:
        """The cards of each column of the tableau, bottom first."""
        data = self.to_json()
        down, up = data.get("down", []), data.get("up", [])
        return [[*below, *above] for below, above in zip(down, up, strict=True)]

    @property
    def face_down(self) -> list[int]:
        """The number of face-down cards of each column, which lie at its bottom."""
        return [len(below) for below in self.to_json().get("down", [])]

    @property
    def stock(self) -> list[str]:
        """The cards of the stock, the first to come first."""
        cards = self.to_json().get("stock", [])
        return [card for each in cards for card in ([each] if isinstance(each, str) else each)]

    @property
    def waste(self) -> list[str]:
        """The cards of the waste, bottom first; none in a game without one."""
        return list(self.to_json().get("waste", []))

    @property
    def foundations(self) -> dict[str, int]:
        """For each suit the cards on its foundations; in Spider, its completed runs."""
        data = self.to_json()
        found = data.get("foundations", data.get("completed", {}))
        if isinstance(found, list):
            # Only the last card of each is named there, and the first need not be an ace.
            referee: Any = self.referee
            return {
                suit: sum(referee.foundations[at :: len(SUITS)]) for at, suit in enumerate(SUITS)
            }
        return dict(found)

    @property
    def cells(self) -> list[str]:
        """The card of each cell, ``-`` for an empty one; none in a game without cells."""
        return list(self.to_json().get("cells", []))

    def legal_moves(self) -> list[str]:
        """The legal moves, each once, in the notation of the ruleset's game."""
        return [str(move) for move in self.referee.legal_moves()]

    def why_illegal(self, move: str) -> str | None:
        """Why the rules forbid a move here, in words; None if it is legal.

        Raises:
            BadInput: the text is no move.
        """
        return self.referee.why_illegal(_move_of(self, move))

    def play(self, *moves: str | Iterable[str]) -> "Position":
        """The position after one or several moves; each may be a text or a list of several.

        Raises:
            BadInput: a text is no move.
            IllegalMove: a move is illegal; the sentence says which and why.
        """
        reached: Any = self.referee
        for move in self._parsed(moves):
            reached = reached.play(move)
        return Position(reached)

    def is_safe(self, move: str) -> bool:
        """Whether it is proved that a legal move loses no win, whatever the hidden cards are."""
        from engine.games import game_of

        actions = game_of(self.referee.rules).load_actions()
        return actions.is_safe(self.referee, _move_of(self, move))

    def text(self) -> str:
        """The position as a person can type it, and `position` reads it."""
        from engine.games import game_of

        write = game_of(self.referee.rules).write_table
        return str(self.referee) if write is None else write(self.referee)

    def to_json(self) -> dict[str, Any]:
        """The position as plain data, with its ruleset; `position` reads it."""
        return self.referee.to_json()

    def observation(self) -> dict[str, Any]:
        """`to_json` as a person sees the table: ``??`` in place of each hidden card."""
        return self.referee.observation()

    def svg(self) -> str:
        """A picture of the table."""
        from thoughtful.drawing import svg_of

        return svg_of(self.referee)

    def _parsed(self, moves: Iterable[str | Iterable[str]]) -> "Iterator[Move]":
        from engine.games import game_of

        game = game_of(self.referee.rules)
        for given in moves:
            if isinstance(given, str):
                yield from game.parse_solution(given)
            else:
                yield from self._parsed(given)

    def _repr_html_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return str(self.referee)

    def __repr__(self) -> str:
        return f"<Position under {self.rules}: {self.progress}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.referee == other.referee

    def __hash__(self) -> int:
        return hash(self.referee)


class Starts(Protocol):
    """An object with a position before the first move: a `Deal`."""

    @property
    def position(self) -> Position: ...


def position(
    given: str | dict[str, Any] | Starts | Position,
    rules: str | None = None,
    form: str | None = None,
) -> Position:
    """A position from anything that shows one: a deal, its name, a board, a text, JSON.

    Args:
        given: the name of a deal, such as ``pysolfc:12345``, a deal or a position in any format
            (`docs/formats.md`), the data of `Position.to_json`, or a `Deal`, for its start.
        rules: the ruleset; by default that of what is given, or ``klondike-draw3`` if it names
            none.
        form: the format; by default that of the text is detected.

    Raises:
        BadInput: it is none, or of another ruleset.
    """
    if isinstance(given, str | dict):
        return Position(entry_of(given, rules, form).position)
    start = given if isinstance(given, Position) else getattr(given, "position", None)
    if not isinstance(start, Position):
        raise BadInput(
            f"expected a deal, a position, a text or plain data, not {type(given).__name__}"
        )
    rules_of(start.rules, rules)
    return start


def _move_of(at: Position, text: str) -> Any:
    from engine.games import game_of

    return game_of(at.referee.rules).parse_move(text)
