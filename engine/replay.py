"""Stepping through a game: a move list played from a position, as far as the referee allows."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, Self, TypeVar

from engine.errors import BadInput, IllegalMove


class Playable(Protocol):
    """A position that its game's referee plays on."""

    @property
    def is_won(self) -> bool: ...

    def play(self, move: Any) -> Self: ...


P = TypeVar("P", bound=Playable)


class ReplayError(BadInput):
    """A move list broke the rules.

    Attributes:
        number: which move, counted from 1.
        move: the move itself.
        reason: why it is illegal.
    """

    def __init__(self, number: int, move: Any, reason: str) -> None:
        super().__init__(f"move {number}, {move} ({move.kind.value}): {reason}")
        self.number = number
        self.move = move
        self.reason = reason


def positions(start: P, moves: Iterable[Any]) -> Iterator[P]:
    """The start and the position after each move, one at a time: n + 1 positions.

    Raises:
        ReplayError: at the first illegal move.
    """
    position = start
    yield position
    for number, move in enumerate(moves, start=1):
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise ReplayError(number, move, error.reason) from None
        yield position


def replay(start: P, moves: Iterable[Any]) -> P:
    """The position after all moves.

    Raises:
        ReplayError: at the first illegal move.
    """
    return deque(positions(start, moves), maxlen=1)[0]


def wins(start: Playable, moves: Iterable[Any]) -> bool:
    """Whether the moves are all legal from a position and end with the game won."""
    try:
        return replay(start, moves).is_won
    except ReplayError:
        return False
