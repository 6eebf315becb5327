"""Klondike deals: seven tableau columns and the stock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, ClassVar

from engine.cards import parse_cards
from engine.deal import FlatDeal, Zone
from engine.errors import BadInput

COLUMNS = 7
STOCK_SIZE = 24
# Where column k starts in the flat order of a deal; column 7 is the stock.
COLUMN_START = (0, 1, 3, 6, 10, 15, 21, 28)
# Places in the flat order of the cards that lie face down at the start.
FACE_DOWN = tuple(place for first, end in pairwise(COLUMN_START) for place in range(first, end - 1))
TABLEAU = Zone(
    "tableau",
    tuple(range(first, end) for first, end in pairwise(COLUMN_START)),
    "the columns from left to right, each from bottom to top; the last card of each is face up",
)
STOCK = Zone("stock", (range(COLUMN_START[-1], 52),), "in the order in which they are drawn")


@dataclass(frozen=True, slots=True)
class KlondikeDeal(FlatDeal):
    """A Klondike deal as 52 cards in flat order.

    The flat order is the tableau column by column (column ``k`` of 0..6 has ``k + 1`` cards,
    each from bottom to top), then the 24 stock cards, first drawn first.
    """

    game: ClassVar[str] = "klondike"
    decks: ClassVar[int] = 1
    zones: ClassVar[tuple[Zone, ...]] = (TABLEAU, STOCK)

    @classmethod
    def from_piles(cls, tableau: Sequence[Sequence[int]], stock: Sequence[int]) -> "KlondikeDeal":
        """Make a deal of seven columns (bottom to top) and the stock (in drawing order).

        Raises:
            BadInput: wrong number of columns, wrong length of one, or not one full deck.
        """
        if len(tableau) != COLUMNS:
            raise BadInput(f"a Klondike deal has 7 columns, not {len(tableau)}")
        # The deck is checked first: "QD is missing" helps more than "column 6 has 5 cards".
        deal = cls((*chain.from_iterable(tableau), *stock))
        for index, column in enumerate(tableau):
            if len(column) != index + 1:
                raise BadInput(
                    f"column {index + 1} of the deal has {len(column)} cards, expected {index + 1}"
                )
        return deal

    @property
    def tableau(self) -> tuple[tuple[int, ...], ...]:
        """Seven columns, each from bottom to top; only the last card of each is face up."""
        return self.piles("tableau")

    @property
    def stock(self) -> tuple[int, ...]:
        """The 24 stock cards in the order in which they will be drawn."""
        return self.piles("stock")[0]

    @classmethod
    def from_json(cls, data: Any) -> "KlondikeDeal":
        """Read ``{"tableau": [[bottom … top] × 7], "stock": [first drawn … last drawn]}``.

        The inverse of `to_json`; other keys are ignored.

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
        return cls.from_piles([parse_cards(column) for column in tableau], parse_cards(stock))


def is_deal_json(data: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a Klondike deal, by its number of columns."""
    tableau = data.get("tableau")
    return isinstance(tableau, list) and len(tableau) == COLUMNS
