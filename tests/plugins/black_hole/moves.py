"""Moves of Black Hole: the number of the pile whose top card goes into the hole.

As text they are ``1`` to ``17``, joined by blanks; as bytes 0 to 16.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from black_hole.deal import PILES
from engine.errors import BadMove

# For the data dictionary of exports.
NOTATION = "1 to 17, the pile whose top card goes into the hole"


class BlackHoleKind(Enum):
    """The action of a move; the value is its name in sentences."""

    PLAY = "into the hole"


class BlackHoleMove(NamedTuple):
    """The top card of a pile, 0 to 16, goes into the hole."""

    pile: int

    @property
    def kind(self) -> BlackHoleKind:
        return BlackHoleKind.PLAY

    def __str__(self) -> str:
        return str(self.pile + 1)


_BY_NAME = {str(move): move for move in map(BlackHoleMove, range(PILES))}


def parse_move(text: str) -> BlackHoleMove:
    """The move that a text names.

    Raises:
        BadMove: the text is no move.
    """
    move = _BY_NAME.get(text)
    if move is None:
        raise BadMove(f"{text!r} is not a move of Black Hole: expected a pile from 1 to {PILES}")
    return move


def pack(moves: Iterable[BlackHoleMove]) -> bytes:
    """One byte a move."""
    return bytes(move.pile for move in moves)


def unpack(packed: bytes) -> tuple[BlackHoleMove, ...]:
    """Read the bytes of `pack`.

    Raises:
        BadMove: a byte that is no move.
    """
    for byte in packed:
        if byte >= PILES:
            raise BadMove(f"byte {byte:02x} is not a move of Black Hole")
    return tuple(map(BlackHoleMove, packed))
