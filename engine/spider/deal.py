"""Spider deals: two decks on ten columns and in five rows of ten."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.cards import check_full_deck, parse_cards
from engine.deal import FlatDeal, Zone
from engine.errors import BadInput

COLUMNS = 10
ROWS = 5
DECKS = 2
CARDS = 52 * DECKS
# Cards of each column at the start; the last one lies face up.
COLUMN_SIZES = (6, 6, 6, 6, 5, 5, 5, 5, 5, 5)
TABLEAU_CARDS = sum(COLUMN_SIZES)
# Where column k starts in the flat order of a deal; column 10 is the stock.
COLUMN_START = tuple(sum(COLUMN_SIZES[:k]) for k in range(COLUMNS + 1))
# Places in the flat order of the cards that are face up at the start, column by column.
FACE_UP = tuple(start - 1 for start in COLUMN_START[1:])
# Completed runs that win.
RUNS = 8
TABLEAU = Zone(
    "tableau",
    tuple(range(first, end) for first, end in pairwise(COLUMN_START)),
    "the columns from left to right, each from bottom to top; the last card of each is face up; "
    "all four suits are given, however many count under the ruleset",
)
STOCK = Zone(
    "stock",
    tuple(range(first, first + COLUMNS) for first in range(TABLEAU_CARDS, CARDS, COLUMNS)),
    "the rows, first dealt first, each from column 1 to column 10",
)


@dataclass(frozen=True, slots=True)
class SpiderDeal(FlatDeal):
    """A Spider deal as 104 cards in flat order, with all four suits.

    The flat order is the tableau column by column (four columns of six cards, then six of five,
    each from bottom to top), then the five rows of the stock, first dealt first, each from column 1
    to column 10. The ruleset decides how many suits count in play.
    """

    game: ClassVar[str] = "spider"
    decks: ClassVar[int] = DECKS
    zones: ClassVar[tuple[Zone, ...]] = (TABLEAU, STOCK)

    @classmethod
    def from_piles(
        cls, tableau: Sequence[Sequence[int]], stock: Sequence[Sequence[int]]
    ) -> "SpiderDeal":
        """Make a deal of ten columns (bottom to top) and five rows (first dealt first).

        The four columns of six cards may stand anywhere, as programs differ in this: they come
        first here, the others after them, each group in its order, and the rows follow suit.

        Raises:
            BadInput: wrong number or length of columns or rows, or not two full decks.
        """
        if len(tableau) != COLUMNS:
            raise BadInput(f"a Spider deal has {COLUMNS} columns, not {len(tableau)}")
        cards = [card for pile in (*tableau, *stock) for card in pile]
        # The decks are checked first: "QD is missing" helps more than "column 6 has 4 cards".
        check_full_deck(cards, "the deal", DECKS)
        sizes = [len(column) for column in tableau]
        if sorted(sizes, reverse=True) != list(COLUMN_SIZES):
            raise BadInput(
                "a Spider deal has four columns of 6 cards and six of 5, "
                f"not columns of {', '.join(map(str, sizes))}"
            )
        if [len(row) for row in stock] != [COLUMNS] * ROWS:
            raise BadInput(
                f"a Spider deal has {ROWS} rows of {COLUMNS} cards to come, "
                f"not rows of {', '.join(str(len(row)) for row in stock) or 'none'}"
            )
        order = sorted(range(COLUMNS), key=lambda column: -sizes[column])
        return cls(
            tuple(card for column in order for card in tableau[column])
            + tuple(row[column] for row in stock for column in order)
        )

    @property
    def tableau(self) -> tuple[tuple[int, ...], ...]:
        """Ten columns, each from bottom to top; only the last card of each is face up."""
        return self.piles("tableau")

    @property
    def stock(self) -> tuple[tuple[int, ...], ...]:
        """Five rows in the order they will be dealt, each from column 1 to column 10."""
        return self.piles("stock")

    @classmethod
    def from_json(cls, data: Any) -> "SpiderDeal":
        """Read ``{"tableau": [[bottom … top] × 10], "stock": [[column 1 … column 10] × 5]}``.

        The inverse of `to_json`; other keys are ignored.

        Raises:
            BadInput: a key is missing, has the wrong type, or the cards are not two full decks.
        """
        if not isinstance(data, dict) or "tableau" not in data or "stock" not in data:
            raise BadInput('a deal needs the keys "tableau" and "stock"')
        for key, words in (
            ("tableau", "ten lists of cards, bottom to top"),
            ("stock", "five lists of ten cards, column 1 to column 10"),
        ):
            piles = data[key]
            if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
                raise BadInput(f'"{key}" must be a list of {words}')
        tableau, stock = ([parse_cards(pile) for pile in data[key]] for key in ("tableau", "stock"))
        return cls.from_piles(tableau, stock)


def is_deal_json(data: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a Spider deal, by its number of columns."""
    tableau = data.get("tableau")
    return isinstance(tableau, list) and len(tableau) == COLUMNS


def as_counted(deals: NDArray[np.uint8], suits: int) -> NDArray[np.uint8]:
    """Map the cards uint8[…] of deals to the suits that count, see `SpiderRules.shown`."""
    if suits == 4:
        return deals
    spades = deals & np.uint8(0xFC) | np.uint8(2)
    return spades if suits == 1 else spades | deals & np.uint8(1)
