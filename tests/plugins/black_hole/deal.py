"""Deals of Black Hole: the ace of spades in the hole, and 17 piles of three around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.cards import card_name, check_full_deck, parse_card
from engine.deal import FlatDeal, Zone
from engine.errors import BadInput

PILES = 17
HEIGHT = 3
CARDS = 52
ACE_OF_SPADES = parse_card("AS")
HOLE = Zone("hole", (range(1),), "the ace of spades, with which the hole begins")
PILES_ZONE = Zone(
    "piles",
    tuple(range(first, first + HEIGHT) for first in range(1, CARDS, HEIGHT)),
    "the piles in their order, each from bottom to top; all cards are face up",
)


@dataclass(frozen=True, slots=True)
class BlackHoleDeal(FlatDeal):
    """A deal as 52 cards in flat order: the ace of spades, then pile by pile, bottom to top."""

    game: ClassVar[str] = "black-hole"
    decks: ClassVar[int] = 1
    zones: ClassVar[tuple[Zone, ...]] = (HOLE, PILES_ZONE)

    def __post_init__(self) -> None:
        check_full_deck(self.cards, "the deal")
        if self.cards[0] != ACE_OF_SPADES:
            raise BadInput(
                f"a deal of Black Hole begins with AS in the hole, not {card_name(self.cards[0])}"
            )

    @classmethod
    def from_piles(cls, piles: Sequence[Sequence[int]]) -> "BlackHoleDeal":
        """The deal with these piles, each from bottom to top.

        Raises:
            BadInput: wrong number or height of piles, or with the ace of spades no full deck.
        """
        cards = (ACE_OF_SPADES, *(card for pile in piles for card in pile))
        # The deck first: "QD is missing" helps more than "pile 6 has 2 cards".
        check_full_deck(cards, "the deal")
        if [len(pile) for pile in piles] != [HEIGHT] * PILES:
            heights = ", ".join(str(len(pile)) for pile in piles)
            raise BadInput(
                f"a deal of Black Hole has {PILES} piles of {HEIGHT}, not piles of {heights}"
            )
        return cls(cards)

    @classmethod
    def from_json(cls, data: Any) -> "BlackHoleDeal":
        """Read ``{"piles": [[bottom … top] × 17]}``; the hole may be named, others are ignored.

        Raises:
            BadInput: the piles are missing, have the wrong type or are no deal.
        """
        if not isinstance(data, dict) or "piles" not in data:
            raise BadInput('a deal needs the key "piles"')
        piles = data["piles"]
        if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
            raise BadInput(f'"piles" must be a list of {PILES} lists of cards, bottom to top')
        if data.get("hole", ["AS"]) != ["AS"]:
            raise BadInput(f'"hole" must be ["AS"] in a starting deal, not {data["hole"]!r}')
        return cls.from_piles([[parse_card(text) for text in pile] for pile in piles])


def is_deal_json(data: Mapping[str, Any]) -> bool:
    """Whether a JSON object shows a deal of Black Hole, the only game with piles."""
    return "piles" in data
