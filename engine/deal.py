"""Deals in flat order, the common base of the deals of all games."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from engine.cards import card_name, check_full_deck


@dataclass(frozen=True, slots=True)
class Zone:
    """A named part of the table at the start of a game.

    Attributes:
        name: the key in JSON and the column of exports, such as ``tableau``.
        piles: for each pile the places of its cards in flat order.
        meaning: the order of piles and cards in words, for the data dictionary of exports.
    """

    name: str
    piles: tuple[range, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class FlatDeal:
    """The full order of the cards at the start of one game, zone by zone: its *flat order*.

    Attributes:
        game: slug of the game.
        decks: number of decks of the game.
        zones: where the cards of the flat order lie.
        cards: the cards in flat order.

    Raises:
        BadInput: the cards are not full decks.
    """

    game: ClassVar[str]
    decks: ClassVar[int]
    zones: ClassVar[tuple[Zone, ...]]

    cards: tuple[int, ...]

    def __post_init__(self) -> None:
        check_full_deck(self.cards, "the deal", self.decks)

    @classmethod
    def of(cls, cards: Iterable[int]) -> Self:
        """Make a deal from cards in flat order: an iterable of integers, array or bytes."""
        return cls(tuple(map(int, cards)))

    @property
    def digest(self) -> str:
        """Digest of the order of the cards, in 32 hexadecimal digits; independent of the dealer."""
        return digest_of(bytes(self.cards))

    def as_array(self) -> NDArray[np.uint8]:
        """The flat order as uint8[52 * decks], the form that kernels take."""
        return np.array(self.cards, dtype=np.uint8)

    def piles(self, zone: str) -> tuple[tuple[int, ...], ...]:
        """The cards of each pile of a zone."""
        (found,) = (each for each in self.zones if each.name == zone)
        return tuple(self.cards[pile.start : pile.stop] for pile in found.piles)

    def to_json(self) -> dict[str, Any]:
        """For each zone the list of its piles, or its only pile; a pile lists card names."""
        data = {}
        for zone in self.zones:
            piles = [[card_name(card) for card in pile] for pile in self.piles(zone.name)]
            data[zone.name] = piles[0] if len(piles) == 1 else piles
        return data


def digest_of(cards: bytes) -> str:
    """`FlatDeal.digest` of a flat order, one byte for each card."""
    return hashlib.sha256(cards).hexdigest()[:32]
