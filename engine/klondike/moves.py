"""Standard Klondike moves with their text and byte forms.

| text    | move                                                | byte                           |
|---------|-----------------------------------------------------|--------------------------------|
| ``T``   | turn up to `draw` cards of the stock onto the waste | 0                              |
| ``R``   | redeal: turn the whole waste over into a new stock  | 1                              |
| ``WF``  | waste to its foundation                             | 2                              |
| ``W4``  | waste to column 4                                   | 2 + column                     |
| ``4F``  | top of column 4 to its foundation                   | 9 + column                     |
| ``S4``  | top of the spades foundation to column 4            | 17 + 7·suit + (column − 1)     |
| ``26``  | a run of column 2 to column 6                       | 45 + 7·(from − 1) + (to − 1)   |
| ``2x3`` | 3 cards of column 2 to the first empty column       | 94 + 12·(from − 1) + cards − 1 |

Columns are 1..7, suits C D S H are 0..3 in bytes. How many cards a run ``26`` has follows from
the position: the face-up cards of a column have different ranks, so only one of them fits on the
target (only a king fits on an empty column). Under rules by which any card may go to an empty
column it would not, so there ``2x3`` is the only way to write a move from a column to an empty one,
and under others it is no legal move. It has 1 to 12 cards: a run of 13 ends with an ace, which can
go to its foundation, and nothing is built on it. Uncovering a card turns it face up as part of the
move.

A solution is a sequence of moves; as text they are joined by blanks, as bytes one byte each.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from engine.cards import SUITS
from engine.errors import BadMove
from engine.text.move_lists import parse_words


class KlondikeKind(Enum):
    """Kind of a move; the values are the words used in sentences."""

    TURN = "turn the stock"
    REDEAL = "redeal the waste"
    WASTE_UP = "waste to foundation"
    WASTE_DOWN = "waste to tableau"
    UP = "tableau to foundation"
    DOWN = "foundation to tableau"
    RUN = "tableau to tableau"
    PART = "tableau to empty column"


class KlondikeMove(NamedTuple):
    """One standard move.

    `source` is a column 0..6 for UP, RUN and PART and a suit 0..3 for DOWN; `target` is a column
    0..6 for WASTE_DOWN, DOWN and RUN; `cards` is a number 1..12 for PART; whatever a kind does not
    use is 0.
    """

    kind: KlondikeKind
    source: int = 0
    target: int = 0
    cards: int = 0

    def __str__(self) -> str:
        return move_name(self)


MOST_IN_PART = 12

TURN = KlondikeMove(KlondikeKind.TURN)
REDEAL = KlondikeMove(KlondikeKind.REDEAL)
WASTE_UP = KlondikeMove(KlondikeKind.WASTE_UP)

# The moves in the order of their bytes; the 7 places "column k to itself" are not moves.
_BY_BYTE: list[KlondikeMove | None] = [
    TURN,
    REDEAL,
    WASTE_UP,
    *(KlondikeMove(KlondikeKind.WASTE_DOWN, 0, column) for column in range(7)),
    *(KlondikeMove(KlondikeKind.UP, column, 0) for column in range(7)),
    *(KlondikeMove(KlondikeKind.DOWN, suit, column) for suit in range(4) for column in range(7)),
    *(
        KlondikeMove(KlondikeKind.RUN, source, target) if source != target else None
        for source in range(7)
        for target in range(7)
    ),
    *(
        KlondikeMove(KlondikeKind.PART, source, cards=cards)
        for source in range(7)
        for cards in range(1, MOST_IN_PART + 1)
    ),
]
ALL_MOVES: tuple[KlondikeMove, ...] = tuple(move for move in _BY_BYTE if move is not None)


def _text(move: KlondikeMove) -> str:
    match move.kind:
        case KlondikeKind.TURN:
            return "T"
        case KlondikeKind.REDEAL:
            return "R"
        case KlondikeKind.WASTE_UP:
            return "WF"
        case KlondikeKind.WASTE_DOWN:
            return f"W{move.target + 1}"
        case KlondikeKind.UP:
            return f"{move.source + 1}F"
        case KlondikeKind.DOWN:
            return f"{SUITS[move.source]}{move.target + 1}"
        case KlondikeKind.RUN:
            return f"{move.source + 1}{move.target + 1}"
        case KlondikeKind.PART:
            return f"{move.source + 1}x{move.cards}"


_NAMES = {move: _text(move) for move in ALL_MOVES}
_PARSED = {text.upper(): move for move, text in _NAMES.items()}
_BYTES = {move: byte for byte, move in enumerate(_BY_BYTE) if move is not None}


def move_name(move: KlondikeMove) -> str:
    """The text of a move, see the module docstring."""
    return _NAMES[move]


def parse_move(text: str) -> KlondikeMove:
    """Parse the text of a move; lower case is accepted.

    Raises:
        BadMove: the text is not a move.
    """
    move = _PARSED.get(text.upper()) if isinstance(text, str) else None
    if move is None:
        raise BadMove(
            f"{text!r} is not a move: expected T, R, WF, W1 to W7, 1F to 7F, "
            "a suit and a column such as S4, two different columns such as 26, "
            "or a column and a number of cards such as 2x3"
        )
    return move


def move_byte(move: KlondikeMove) -> int:
    """The byte of a move, 0..177."""
    return _BYTES[move]


def move_of_byte(byte: int) -> KlondikeMove:
    """The move of a byte.

    Raises:
        BadMove: no move has this byte.
    """
    move = _BY_BYTE[byte] if 0 <= byte < len(_BY_BYTE) else None
    if move is None:
        raise BadMove(f"byte {byte} is not a move")
    return move


def solution_text(moves: Iterable[KlondikeMove]) -> str:
    """The text of a move list, such as ``T T W3 26``."""
    return " ".join(_NAMES[move] for move in moves)


def parse_solution(text: str) -> tuple[KlondikeMove, ...]:
    """Parse a move list, see `engine.text.move_lists.parse_words`."""
    return parse_words(text, parse_move)


def pack_solution(moves: Iterable[KlondikeMove]) -> bytes:
    """Pack moves, one byte each."""
    return bytes(_BYTES[move] for move in moves)


def unpack_solution(packed: bytes) -> tuple[KlondikeMove, ...]:
    """Unpack the bytes of `pack_solution`.

    Raises:
        BadMove: a byte is not a move.
    """
    return tuple(move_of_byte(byte) for byte in packed)


# For the data dictionary of exports.
NOTATION = (
    "T turn the stock, R redeal, WF waste to foundation, W4 waste to column 4, 4F column 4 to "
    "foundation, S4 top of the spades foundation to column 4, 26 a run of column 2 to column 6, "
    "2x3 three cards of column 2 to the first empty column"
)
