"""A deal: the full order of the cards at the start of one game."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.cards import card_name, check_full_deck, parse_card
from engine.errors import BadInput

COLUMNS = 7
STOCK_SIZE = 24
# Where column k starts in the flat order of a deal; column 7 is the stock.
COLUMN_START = (0, 1, 3, 6, 10, 15, 21, 28)


@dataclass(frozen=True, slots=True)
class KlondikeDeal:
    """A Klondike deal as 52 cards in flat order.

    The flat order is the tableau column by column (column ``k`` of 0..6 has ``k + 1`` cards,
    each from bottom to top), then the 24 stock cards, first drawn first.
    """

    game: ClassVar[str] = "klondike"

    cards: tuple[int, ...]

    def __post_init__(self) -> None:
        check_full_deck(self.cards, "the deal")

    @classmethod
    def of(cls, cards: Iterable[int]) -> "KlondikeDeal":
        """The deal of 52 cards in flat order (any iterable of integers, arrays and bytes too)."""
        return cls(tuple(int(card) for card in cards))

    @classmethod
    def from_piles(cls, tableau: Sequence[Sequence[int]], stock: Sequence[int]) -> "KlondikeDeal":
        """The deal with these seven columns (bottom to top) and this stock (in drawing order).

        Raises:
            BadInput: wrong number of columns, wrong length of one, or not one full deck.
        """
        if len(tableau) != COLUMNS:
            raise BadInput(f"a Klondike deal has 7 columns, not {len(tableau)}")
        # The deck first: "QD is missing" helps more than "column 6 has 5 cards".
        cards = tuple(card for column in tableau for card in column) + tuple(stock)
        check_full_deck(cards, "the deal")
        for index, column in enumerate(tableau):
            if len(column) != index + 1:
                raise BadInput(
                    f"column {index + 1} of the deal has {len(column)} cards, expected {index + 1}"
                )
        return cls(cards)

    @property
    def tableau(self) -> tuple[tuple[int, ...], ...]:
        """Seven columns, each from bottom to top; only the last card of each is face up."""
        return tuple(self.cards[COLUMN_START[k] : COLUMN_START[k + 1]] for k in range(COLUMNS))

    @property
    def stock(self) -> tuple[int, ...]:
        """The 24 stock cards in the order they will be drawn."""
        return self.cards[COLUMN_START[COLUMNS] :]

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that name the order of the cards, whoever dealt them."""
        return hashlib.sha256(bytes(self.cards)).hexdigest()[:32]

    def as_array(self) -> NDArray[np.uint8]:
        """The flat order as uint8[52], the form kernels take."""
        return np.array(self.cards, dtype=np.uint8)

    def to_json(self) -> dict[str, Any]:
        """``{"tableau": [[bottom … top] × 7], "stock": [first drawn … last drawn]}``."""
        return {
            "tableau": [[card_name(card) for card in column] for column in self.tableau],
            "stock": [card_name(card) for card in self.stock],
        }

    @classmethod
    def from_json(cls, data: Any) -> "KlondikeDeal":
        """Read what `to_json` writes; other keys are ignored.

        Raises:
            BadInput: a key is missing, has the wrong type, or the cards are not one full deck.
        """
        if not isinstance(data, dict) or "tableau" not in data or "stock" not in data:
            raise BadInput('a deal needs the keys "tableau" and "stock"')
        tableau, stock = data["tableau"], data["stock"]
        if not isinstance(tableau, list) or not all(isinstance(c, list) for c in tableau):
            raise BadInput('"tableau" must be a list of seven lists of cards, bottom to top')
        if not isinstance(stock, list):
            raise BadInput('"stock" must be a list of cards, first drawn first')
        return cls.from_piles(
            [[parse_card(text) for text in column] for column in tableau],
            [parse_card(text) for text in stock],
        )
