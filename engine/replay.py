"""Replay of a move list from a position, judged by the referee."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, Self, TypeVar

from engine.errors import BadInput, IllegalMove


class Playable(Protocol):
    """A position on which the referee of its game plays moves."""

    @property
    def is_won(self) -> bool: ...

    def play(self, move: Any) -> Self: ...


P = TypeVar("P", bound=Playable)
M = TypeVar("M")


class ReplayError(BadInput):
    """An illegal move in a move list.

    Attributes:
        number: index of the move, counted from 1.
        move: the move itself.
        reason: why it is illegal.
    """

    def __init__(self, number: int, move: Any, reason: str) -> None:
        super().__init__(number, move, reason)
        self.number = number
        self.move = move
        self.reason = reason

    def __str__(self) -> str:
        return f"move {self.number}, {self.move} ({self.move.kind.value}): {self.reason}"


def positions(start: P, moves: Iterable[Any]) -> Iterator[P]:
    """Yield the start and the position after each of n moves: n + 1 positions.

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
    """Play all moves and return the last position.

    Raises:
        ReplayError: at the first illegal move.
    """
    return deque(positions(start, moves), maxlen=1)[0]


def without_loops(start: P, moves: Sequence[M]) -> tuple[M, ...]:
    """A part of the moves that leads to the same position and comes to none twice.

    Raises:
        ReplayError: at the first illegal move.
    """
    line = list(positions(start, moves))
    last = {position: at for at, position in enumerate(line)}
    kept: list[M] = []
    at = last[start]
    while at < len(moves):
        kept.append(moves[at])
        at = last[line[at + 1]]
    return tuple(kept)


def wins(start: Playable, moves: Iterable[Any]) -> bool:
    """Whether all moves are legal from a position and the last one wins."""
    try:
        return replay(start, moves).is_won
    except ReplayError:
        return False
