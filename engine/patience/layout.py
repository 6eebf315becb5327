"""Layouts of patience games: zones, the flat order of a deal, and the codes of piles.

The flat order of a deal has these zones, as far as a layout has them, each pile bottom to top:

- ``tableau``, the columns from left to right;
- ``cells``, the cards with which they begin;
- ``reserve``, from left to right, or a stacked one from bottom to top;
- ``stock``, next dealt first;
- ``foundations``, the cards that lie there at the start, clubs, diamonds, spades and hearts, and
  once more for a second deck; where only one or three begin, their cards say
  which;
- ``hole``, its first card;
- ``accordion``, from left to right;
- ``rows``, each from left to right; an ace stands for a gap.

Piles have the same codes in all layouts, see the constants.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.cards import RANKS, make_card, parse_card
from engine.deal import Zone
from engine.patience.rules import RANDOM, Options

# Columns, piles of an accordion and places of rows (row * max rank + column) are 0 to 127.
TABLEAU, CELL, RESERVE, STOCK, WASTE, HOLE, FOUNDATION = 0, 128, 160, 224, 225, 226, 232
CODES = 240
# Solvitaire's order of suits: clubs, hearts, spades, diamonds in our numbers.
SUIT_ORDER = (0, 3, 2, 1)
# The options that decide on a layout: rulesets that agree in these have the same deals.
LAYOUT_OPTIONS = (
    *("columns", "diagonal", "column_sizes", "face_up", "face_down", "cells_filled", "stock"),
    *("reserve", "reserve_stacked"),
    *("foundations", "founded", "base", "hole", "hole_base", "accordion", "sequences"),
    *("max_rank", "two_decks"),
)
_MEANINGS = {
    "tableau": "the columns from left to right, each from bottom to top",
    "cells": "the cards in the cells at the start, from left to right",
    "reserve": "the cards of the reserve from left to right, or from bottom to top of its one pile",
    "stock": "the stock, next dealt first",
    "foundations": "the cards on foundations at the start, clubs, diamonds, spades, hearts",
    "hole": "the card with which the hole begins",
    "accordion": "the piles of one card from left to right",
    "rows": "the rows, each from left to right; an ace stands for a gap",
}


@dataclass(frozen=True)
class PatienceLayout:
    """The table of a game at its start.

    Attributes:
        options: those of a ruleset of the game.
    """

    options: Options

    @cached_property
    def column_sizes(self) -> tuple[int, ...]:
        """Number of cards of each column."""
        sizes = [0] * self.options.columns
        for column in self._dealt_columns():
            sizes[column] += 1
        return tuple(sizes)

    @cached_property
    def face_down(self) -> tuple[int, ...]:
        """Number of cards of each column that lie face down at the start."""
        o = self.options
        if o.face_up == "top":
            return tuple(max(size - 1, 0) for size in self.column_sizes)
        wanted = o.face_down or (0,) * o.columns
        # The last card of a column always lies face up.
        return tuple(
            min(down, max(size - 1, 0))
            for down, size in zip(wanted, self.column_sizes, strict=True)
        )

    @cached_property
    def zones(self) -> tuple[Zone, ...]:
        """The zones of the flat order; those without cards are left out."""
        o = self.options
        row = o.max_rank if o.sequences else 0
        piles = {
            "tableau": self.column_sizes,
            "cells": (o.cells_filled,),
            "reserve": (o.reserve,),
            "stock": (o.stock,),
            "foundations": (o.on_foundations,),
            "hole": (int(o.hole),),
            "accordion": (o.accordion,),
            "rows": (row,) * o.sequences,
        }
        zones, at = [], 0
        for name, sizes in piles.items():
            ranges = []
            for size in sizes:
                ranges.append(range(at, at + size))
                at += size
            if sum(sizes):
                zones.append(Zone(name, tuple(ranges), _MEANINGS[name]))
        return tuple(zones)

    def places(self, zone: str) -> range:
        """The places of a zone in the flat order; none if the layout does not have it."""
        for each in self.zones:
            if each.name == zone:
                return range(each.piles[0].start, each.piles[-1].stop)
        return range(0)

    @cached_property
    def hidden(self) -> tuple[int, ...]:
        """Places of the flat order whose cards a person does not see."""
        hidden = list(self.places("stock"))
        at = 0
        for size, down in zip(self.column_sizes, self.face_down, strict=True):
            hidden += range(at, at + down)
            at += size
        if self.options.reserve_stacked:
            hidden += self.places("reserve")[:-1]
        return tuple(sorted(hidden))

    def fixed_cards(self, base_card: int) -> list[int]:
        """The cards of the zones foundations and hole, in this order.

        Args:
            base_card: the card that stands for ``random``, or the first one of the columns.
        """
        o = self.options
        first = base_card if o.base == RANDOM else make_card(RANKS.index(o.base), 0)
        cards = []
        if o.founded == "one":
            cards.append(first)
        elif o.founded == "others":
            own = base_card & 3
            cards += [make_card(base_card >> 2, suit) for suit in range(4) if suit != own]
        elif o.founded == "all":
            cards += [make_card(first >> 2, suit % 4) for suit in range(o.suits)]
        if o.hole:
            cards.append(base_card if o.hole_base == RANDOM else parse_card(o.hole_base))
        return cards

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Place in the flat order of each card as Solvitaire deals them, from the deck's back.

        int64[cards that are neither on foundations nor in the hole].
        """
        o = self.options
        rows = self.places("rows")
        at = np.cumsum([0, *self.column_sizes])
        filled = [0] * o.columns
        tableau = []
        for column in self._dealt_columns():
            tableau.append(int(at[column]) + filled[column])
            filled[column] += 1
        return np.array(
            [
                *self.places("cells"),
                *reversed(self.places("stock")),
                *self.places("reserve"),
                *(
                    rows[(t % o.sequences) * o.max_rank + t // o.sequences]
                    for t in range(len(rows))
                ),
                *self.places("accordion"),
                *tableau,
            ],
            dtype=np.int64,
        )

    def _dealt_columns(self) -> Iterator[int]:
        """The column of each card of the tableau, in the order in which they are dealt: in rows.

        A diagonal deal goes from right to left, and its row r leaves out the r leftmost columns;
        cards that are left after as many rows as columns fill rows from the left. A row leaves out
        columns that have as many cards as they should.
        """
        o = self.options
        left, row = o.in_columns, 0
        while left > 0:
            columns: Iterable[int] = range(o.columns)
            if o.diagonal and row < o.columns:
                columns = range(o.columns - 1, row - 1, -1)
            elif o.column_sizes:
                columns = [at for at, size in enumerate(o.column_sizes) if size > row]
            dealt = list(columns)[:left]
            yield from dealt
            left -= len(dealt)
            row += 1


def row_suit(row: int) -> int:
    """The suit of a row of Gaps where each has its own: in Solvitaire's order of suits."""
    return SUIT_ORDER[row % 4]


@lru_cache(maxsize=256)
def layout_of(options: Options) -> PatienceLayout:
    """The layout of options."""
    return PatienceLayout(options)


def same_layout(one: Options, other: Options) -> bool:
    """Whether rulesets have the same deals."""
    return all(getattr(one, name) == getattr(other, name) for name in LAYOUT_OPTIONS)
