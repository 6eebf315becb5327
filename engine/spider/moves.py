"""Spider moves with their text and byte forms.

| text     | move                                                     | bytes                 |
|----------|----------------------------------------------------------|-----------------------|
| ``D``    | deal a row: a card of the stock onto each column         | 0, 0                  |
| ``37``   | the top card of column 3 to column 7                     | 1 + 10·(3 − 1) + 6, 1 |
| ``30x4`` | the top 4 cards of column 3, a run in suit, to column 10 | 1 + 10·(3 − 1) + 9, 4 |

Columns are 1..9 and 0 for the tenth. The number of cards that go onto a card follows from the
position; onto an empty column any number of a run may go, so the number is always given. A run from
king to ace leaves the table, and a card that is uncovered turns face up, as part of the move.

A solution is a sequence of moves; as text they are joined by blanks, as bytes two bytes each.
"""

import re
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from engine.errors import BadMove
from engine.spider.deal import COLUMNS
from engine.text.move_lists import parse_words

_MOST = 13


class SpiderKind(Enum):
    """Kind of a move; the values are the words used in sentences."""

    DEAL = "deal a row"
    RUN = "column to column"


class SpiderMove(NamedTuple):
    """One move: `cards` cards from column `source` to `target`, 0..9; all 0 for DEAL."""

    kind: SpiderKind
    source: int = 0
    target: int = 0
    cards: int = 0

    def __str__(self) -> str:
        return move_name(self)


DEAL = SpiderMove(SpiderKind.DEAL)


def run(source: int, target: int, count: int = 1) -> SpiderMove:
    """The move of a number of cards from one column 0..9 to another."""
    return SpiderMove(SpiderKind.RUN, source, target, count)


def move_name(move: SpiderMove) -> str:
    """The text of a move, see the module docstring."""
    if move.kind is SpiderKind.DEAL:
        return "D"
    columns = f"{(move.source + 1) % 10}{(move.target + 1) % 10}"
    return columns if move.cards == 1 else f"{columns}x{move.cards}"


_RUN = re.compile(r"(?P<source>[0-9])(?P<target>[0-9])(x(?P<count>[1-9][0-9]?))?", re.ASCII)


def parse_move(text: str) -> SpiderMove:
    """Parse the text of a move; lower and upper case are accepted.

    Raises:
        BadMove: the text is not a move.
    """
    if isinstance(text, str):
        if text.upper() == "D":
            return DEAL
        match = _RUN.fullmatch(text.lower())
        if match is not None:
            source, target = ((int(match[name]) - 1) % 10 for name in ("source", "target"))
            count = int(match["count"] or 1)
            if source != target and count <= _MOST:
                return run(source, target, count)
    raise BadMove(
        f"{text!r} is not a move of Spider: expected D, or two different columns of 1 to 9 and 0 "
        "and how many cards if more than one, such as 37 or 37x4"
    )


def move_bytes(move: SpiderMove) -> bytes:
    """The two bytes of a move."""
    if move.kind is SpiderKind.DEAL:
        return b"\0\0"
    return bytes((1 + COLUMNS * move.source + move.target, move.cards))


def move_of_bytes(pair: bytes) -> SpiderMove:
    """The move of two bytes.

    Raises:
        BadMove: no move has these bytes.
    """
    if pair == b"\0\0":
        return DEAL
    if len(pair) == 2 and 1 <= pair[0] <= COLUMNS * COLUMNS and 1 <= pair[1] <= _MOST:
        source, target = divmod(pair[0] - 1, COLUMNS)
        if source != target:
            return run(source, target, pair[1])
    raise BadMove(f"bytes {pair.hex(' ')} are not a move of Spider")


def solution_text(moves: Iterable[SpiderMove]) -> str:
    """The text of a move list, such as ``37 30x4 D``."""
    return " ".join(move_name(move) for move in moves)


def parse_solution(text: str) -> tuple[SpiderMove, ...]:
    """Parse a move list, see `engine.text.move_lists.parse_words`."""
    return parse_words(text, parse_move)


def pack_solution(moves: Iterable[SpiderMove]) -> bytes:
    """Pack moves, two bytes each."""
    return b"".join(move_bytes(move) for move in moves)


def unpack_solution(packed: bytes) -> tuple[SpiderMove, ...]:
    """Unpack the bytes of `pack_solution`.

    Raises:
        BadMove: bytes that are not a move, or half a move at the end.
    """
    return tuple(move_of_bytes(packed[at : at + 2]) for at in range(0, len(packed), 2))


# For the data dictionary of exports.
NOTATION = (
    "D deal a row, 37 the top card of column 3 to column 7, 30x4 its top 4 cards to column 10"
)
