"""Solutions: moves that win, or any moves, with the positions that they lead through."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, overload

from thoughtful.dealing import Deal
from thoughtful.positions import Position, position

if TYPE_CHECKING:
    from engine.game import Move


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Solution(Sequence[str]):
    """Moves from a position, all of them legal; a sequence of their texts.

    Attributes:
        start: the position before the first move.
    """

    start: Position
    _moves: "tuple[Move, ...]"

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves in the notation of the game."""
        return tuple(map(str, self._moves))

    @property
    def wins(self) -> bool:
        """Whether the last move wins the game."""
        return self.position().is_won

    def position(self, number: int | None = None) -> Position:
        """The position after a number of moves; by default after the last.

        Raises:
            IndexError: there are fewer moves.
        """
        count = len(self._moves) if number is None else number
        if not 0 <= count <= len(self._moves):
            raise IndexError(f"there is no move {number}: the solution has {len(self._moves)}")
        reached: Any = self.start.referee
        for move in self._moves[:count]:
            reached = reached.play(move)
        return Position(reached)

    def positions(self) -> Iterator[Position]:
        """The position before the first move, and those after each move."""
        from engine.replay import positions

        return (Position(each) for each in positions(self.start.referee, self._moves))

    def text(self, notation: str | None = None) -> str:
        """The moves as text, in the notation of another program if it is named.

        Raises:
            BadInput: unknown notation, or one that has no sign for a move.
        """
        from engine.notations import OWN, write_moves

        return write_moves(self._moves, self.start.referee, notation or OWN)

    def html(self) -> str:
        """A page that steps through the moves, complete in itself."""
        from thoughtful.drawing import stepping_page

        return stepping_page(self.start.referee, self._moves)

    def _repr_html_(self) -> str:
        from thoughtful.drawing import framed

        page = self.html()
        return framed(page) if page else f"<pre>{escape(str(self))}</pre>"

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        return self.moves[at]

    def __len__(self) -> int:
        return len(self._moves)

    def __str__(self) -> str:
        return " ".join(self.moves)

    def __repr__(self) -> str:
        end = "a win" if self.wins else "no win"
        return f"<Solution of {len(self)} moves under {self.start.rules}: {end}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Solution) and (self.start, self._moves) == (
            other.start,
            other._moves,
        )

    def __hash__(self) -> int:
        return hash((self.start, self._moves))


def replay(
    given: str | dict[str, Any] | Deal | Position,
    moves: str | Sequence[str],
    rules: str | None = None,
    notation: str | None = None,
) -> Solution:
    """Replay moves with the referee.

    Args:
        given: a deal or a position, see `position`.
        moves: the moves, as one text or as a list.
        rules: the ruleset; by default that of what is given, see `position`.
        notation: that of the moves; by default the one that they look like.

    Raises:
        BadInput: there are no such moves.
        ReplayError: a move is illegal; the sentence says which and why.
    """
    from engine.notations import read_moves
    from engine.replay import replay as check

    start = position(given, rules)
    text = moves if isinstance(moves, str) else "\n".join(moves)
    read = read_moves(text, start.referee, notation)
    check(start.referee, read)
    return Solution(start, read)
