"""Moves of patience games with their text and byte forms.

| text                 | move                                                                |
|----------------------|---------------------------------------------------------------------|
| ``3-7``              | the top card of column 3 to column 7                                |
| ``3-7x4``            | the top 4 cards of column 3, in their order, to column 7            |
| ``3-fS``, ``3-fSx13``| to the foundation of spades, a card or a whole run                  |
| ``a-2``, ``2-b``     | cells are a to t                                                    |
| ``r1-4``             | the cards of the reserve are r1, r2, …; a stacked one is r1         |
| ``w-fH2``            | the waste is w; foundations of the second deck have a 2             |
| ``fH-5``             | a card comes back from a foundation                                 |
| ``17-o``             | into the hole                                                       |
| ``s-4``              | the next card of the stock fills an empty column                    |
| ``T``                | the stock is turned, or a row or a card of it is dealt              |
| ``4-1``              | accordion: pile 4 onto pile 1, counted from the left at that time   |
| ``17-30``            | rows: the card of place 17 into the gap of place 30, row after row  |

The bytes of a move are the codes of two piles (`engine.patience.layout`) and the number of cards;
``T`` is the stock, the waste and 1, whatever it does.
"""

import re
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from engine.cards import SUITS
from engine.errors import BadMove
from engine.patience.layout import CELL, FOUNDATION, HOLE, RESERVE, STOCK, TABLEAU, WASTE
from engine.patience.rules import MOST_CELLS, MOST_RESERVE, Options
from engine.text.move_lists import parse_words

NOTATION = (
    "from-to, xN for N cards: columns 1, 2, …, cells a, b, …, reserve r1, r2, …, waste w, stock s, "
    "hole o, foundations fC fD fS fH (fC2 … for a second deck); T turns or deals the stock"
)
SIZE = 3


class PatienceKind(Enum):
    """Kind of a move; the values are the words used in sentences."""

    TURN = "turn the stock"
    PILE = "to a pile"
    CELL = "to a cell"
    HOLE = "into the hole"
    FOUNDATION = "to a foundation"


class PatienceMove(NamedTuple):
    """A move: a number of cards from the pile of one code to that of another."""

    source: int
    target: int
    cards: int = 1

    @property
    def kind(self) -> PatienceKind:
        if self == TURN:
            return PatienceKind.TURN
        if self.target >= FOUNDATION:
            return PatienceKind.FOUNDATION
        if self.target == HOLE:
            return PatienceKind.HOLE
        return PatienceKind.CELL if self.target >= CELL else PatienceKind.PILE

    def __str__(self) -> str:
        if self == TURN:
            return "T"
        times = f"x{self.cards}" if self.cards > 1 else ""
        return f"{pile_name(self.source)}-{pile_name(self.target)}{times}"


TURN = PatienceMove(STOCK, WASTE)


def pile_name(code: int) -> str:
    """The name of a pile in moves, see the module docstring."""
    return _NAMES[code]


_NAMES = {
    **{code: str(code + 1) for code in range(TABLEAU, CELL)},
    **{CELL + cell: chr(ord("a") + cell) for cell in range(MOST_CELLS)},
    **{RESERVE + pile: f"r{pile + 1}" for pile in range(MOST_RESERVE)},
    **{STOCK: "s", WASTE: "w", HOLE: "o"},
    **{
        FOUNDATION + 4 * deck + suit: f"f{letter}{'2' if deck else ''}"
        for deck in range(2)
        for suit, letter in enumerate(SUITS)
    },
}
_CODES = {name.lower(): code for code, name in _NAMES.items()}
_MOVE = re.compile(r"(?P<source>[a-z0-9]+)-(?P<target>[a-z0-9]+?)(?:x(?P<count>[0-9]{1,3}))?")


class PatienceMoves:
    """The moves of a game: those that are legal under one of its rulesets somewhere.

    Args:
        name: the name of the game.
        rulesets: the options of all its rulesets, which have one layout.
    """

    def __init__(self, name: str, rulesets: Iterable[Options]) -> None:
        self._name = name
        self._rulesets = tuple(dict.fromkeys(rulesets))

    def is_move(self, move: PatienceMove) -> bool:
        """Whether a move of this kind is legal somewhere in the game."""
        return any(_is_move(move, options) for options in self._rulesets)

    def parse(self, text: str) -> PatienceMove:
        """Parse the text of a move; lower and upper case are accepted.

        Raises:
            BadMove: the text is not a move of the game.
        """
        if isinstance(text, str):
            match = _MOVE.fullmatch(text.lower())
            if match is not None:
                source, target = _CODES.get(match["source"]), _CODES.get(match["target"])
                if source is not None and target is not None:
                    move = PatienceMove(source, target, int(match["count"] or 1))
                    if str(move).lower() == text.lower() and self.is_move(move):
                        return move
            if text.upper() == "T" and self.is_move(TURN):
                return TURN
        raise BadMove(
            f"{text!r} is not a move of {self._name}: expected the names of two piles, such as "
            "3-7, and xN for N cards"
        )

    def parse_solution(self, text: str) -> tuple[PatienceMove, ...]:
        """Read moves separated by blanks, commas or line ends.

        Raises:
            BadMove: one of them is no move.
        """
        return parse_words(text, self.parse)

    def pack(self, moves: Iterable[PatienceMove]) -> bytes:
        """Three bytes a move."""
        return bytes(byte for move in moves for byte in move)

    def unpack(self, packed: bytes) -> tuple[PatienceMove, ...]:
        """Read the bytes of `pack`.

        Raises:
            BadMove: bytes that are no move of the game, or half a move.
        """
        moves = []
        for at in range(0, len(packed), SIZE):
            move = PatienceMove(*packed[at : at + SIZE], *(0,) * (at + SIZE - len(packed)))
            if not self.is_move(move):
                raise BadMove(
                    f"bytes {packed[at : at + SIZE].hex()} are not a move of {self._name}"
                )
            moves.append(move)
        return tuple(moves)


def _is_move(move: PatienceMove, o: Options) -> bool:
    source, target, count = move
    if move == TURN:
        return o.stock > 0
    if source == target or count < 1:
        return False
    if o.accordion:
        jump = f"{'L' if target < source else 'R'}{abs(source - target)}"
        return max(source, target) < o.accordion and count == 1 and jump in o.accordion_moves
    if o.sequences:
        return max(source, target) < o.sequences * o.max_rank and count == 1
    if target < o.columns and o.building == "no-build" and not o.spaces.startswith("auto"):
        return False
    if source < o.columns and target < o.columns:
        return count == 1 or (o.groups != "no" and count <= most_cards(o))
    if o.complete_runs and FOUNDATION <= target < FOUNDATION + o.suits:
        return source < o.columns and count == o.max_rank
    if source == STOCK:
        return o.spaces == "auto-waste-then-stock" and target < o.columns and count == 1
    return (
        count == 1
        and _is_source(source, o)
        and _is_target(target, o)
        and not (source - CELL in range(o.cells) and target - CELL in range(o.cells))
        and not (source >= FOUNDATION and target >= HOLE)
    )


def most_cards(o: Options) -> int:
    """The number of cards that can move together at most."""
    return o.deck if o.groups == "any-order" else o.max_rank


def _is_source(code: int, o: Options) -> bool:
    return (
        code < o.columns
        or code - CELL in range(o.cells)
        or code - RESERVE in range(1 if o.reserve_stacked else o.reserve)
        or (code == WASTE and o.stock > 0 and o.stock_to == "waste")
        or (o.removable and code - FOUNDATION in range(o.suits))
    )


def _is_target(code: int, o: Options) -> bool:
    return (
        code < o.columns
        or code - CELL in range(o.cells)
        or (o.foundations and code - FOUNDATION in range(o.suits))
        or (o.hole and code == HOLE)
    )
