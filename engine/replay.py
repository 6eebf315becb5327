"""Playing a move list from a position of any game, as far as its referee allows."""

from collections.abc import Iterable
from typing import Any, Protocol, Self, TypeVar

from engine.errors import BadInput


class Playable(Protocol):
    """A position that its game's referee plays on."""

    @property
    def is_won(self) -> bool: ...

    def why_illegal(self, move: Any) -> str | None: ...

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


def replay(start: P, moves: Iterable[Any]) -> P:
    """Play a move list and return where it ends.

    Raises:
        ReplayError: at the first illegal move.
    """
    position = start
    for number, move in enumerate(moves, start=1):
        reason = position.why_illegal(move)
        if reason is not None:
            raise ReplayError(number, move, reason)
        position = position.play(move)
    return position


def wins(start: Playable, moves: Iterable[Any]) -> bool:
    """Whether the moves are all legal from a position and end with the game won."""
    try:
        return replay(start, moves).is_won
    except ReplayError:
        return False
