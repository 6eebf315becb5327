"""Deals of patience games in flat order, see `engine.patience.layout`."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import RANKS, card_name, check_full_deck, parse_card, parse_cards, rank
from engine.deal import digest_of
from engine.errors import BadInput
from engine.patience.layout import PatienceLayout
from engine.patience.rules import RANDOM, Options


@dataclass(frozen=True, slots=True)
class PatienceDeal:
    """A deal: the cards in play in flat order.

    Attributes:
        cards: the cards.
        game: slug of the game.
        layout: its layout.

    Raises:
        BadInput: the cards are not the deck, or a card of the foundations or of the hole is not one
            with which the game begins.
    """

    cards: tuple[int, ...]
    game: str
    layout: PatienceLayout = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        check_cards(self.cards, self.layout.options, "the deal")
        self._check_fixed()

    def _check_fixed(self) -> None:
        o = self.layout.options
        founded = self.zone("foundations")
        wanted = None if o.base == RANDOM else RANKS.index(o.base)
        if o.founded == "others":
            wanted = rank(self.cards[0])
            if list(founded) != self.layout.fixed_cards(self.cards[0]):
                raise BadInput(
                    f"foundations begin with the other cards of rank {RANKS[wanted]}, clubs, "
                    f"diamonds, spades and hearts, since {card_name(self.cards[0])} is the first "
                    "card of the first column"
                )
        for at, card in enumerate(founded):
            first = wanted if wanted is not None else rank(founded[0])
            if rank(card) != first or (o.founded == "all" and card & 3 != at % 4):
                raise BadInput(
                    f"{card_name(card)} cannot begin foundation {at + 1}: expected rank "
                    f"{RANKS[first]} in each, clubs, diamonds, spades and hearts"
                )
        for card in self.zone("hole"):
            if o.hole_base not in (RANDOM, card_name(card)):
                raise BadInput(f"the hole begins with {o.hole_base}, not {card_name(card)}")

    @property
    def digest(self) -> str:
        """Digest of the order of the cards, in 32 hexadecimal digits; independent of the dealer."""
        return digest_of(bytes(self.cards))

    def as_array(self) -> NDArray[np.uint8]:
        """The flat order as uint8[cards], the form that kernels take."""
        return np.array(self.cards, dtype=np.uint8)

    def piles(self, zone: str) -> tuple[tuple[int, ...], ...]:
        """The cards of each pile of a zone; none if the layout does not have it."""
        return next(
            (
                tuple(self.cards[pile.start : pile.stop] for pile in each.piles)
                for each in self.layout.zones
                if each.name == zone
            ),
            (),
        )

    def zone(self, name: str) -> tuple[int, ...]:
        """All cards of a zone."""
        return tuple(card for pile in self.piles(name) for card in pile)

    def to_json(self) -> dict[str, Any]:
        """The game, and for each zone the list of its piles, or its only pile, as card names."""
        data: dict[str, Any] = {"game": self.game}
        for zone in self.layout.zones:
            piles = [[card_name(card) for card in pile] for pile in self.piles(zone.name)]
            data[zone.name] = piles[0] if len(piles) == 1 else piles
        return data


def deal_from_json(data: Any, game: str, layout: PatienceLayout) -> PatienceDeal:
    """Read the data of `PatienceDeal.to_json`; other keys are ignored.

    Raises:
        BadInput: a zone is missing or has another form, or the cards are no deal.
    """
    if not isinstance(data, dict):
        raise BadInput(f"a deal is a JSON object with its zones, not {str(data)[:60]}")
    cards: list[int] = []
    faults = []
    for zone in layout.zones:
        piles = data.get(zone.name)
        if len(zone.piles) == 1:
            piles = [piles]
        if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
            some = f"{len(zone.piles)} lists" if len(zone.piles) > 1 else "a list"
            raise BadInput(f'"{zone.name}" must be {some} of cards, not {str(piles)[:60]}')
        sizes, wanted = list(map(len, piles)), list(map(len, zone.piles))
        if sizes != wanted:
            faults.append(f'"{zone.name}" must have {_words(wanted)} cards, not {_words(sizes)}')
        cards += [card for pile in piles for card in parse_cards(pile)]
    # The deck first: "QD is missing" helps more than a wrong number of cards.
    check_cards(cards, layout.options, "the deal")
    if faults:
        raise BadInput(faults[0])
    return PatienceDeal(tuple(cards), game, layout)


def is_deal_json(data: Mapping[str, Any], layout: PatienceLayout) -> bool:
    """Whether a JSON object has the zones of a layout, each with piles of the right sizes."""
    for zone in layout.zones:
        piles = data.get(zone.name)
        if len(zone.piles) == 1:
            piles = [piles]
        if not isinstance(piles, list) or len(piles) != len(zone.piles):
            return False
        for pile, places in zip(piles, zone.piles, strict=True):
            if not isinstance(pile, list) or len(pile) != len(places):
                return False
    return all(zone not in data for zone in _ZONES - {zone.name for zone in layout.zones})


# What else than its own zones shows that a deal is one of another layout.
_ZONES = {"tableau", "cells", "reserve", "stock", "foundations", "hole", "accordion", "rows"}


def check_cards(cards: Iterable[int], options: Options, where: str) -> None:
    """Check that cards are those in play: the deck, or as many of it as an accordion has.

    Raises:
        BadInput: cards are missing or surplus; the message names them.
    """
    held = list(cards)
    if options.accordion in (0, options.deck):
        check_full_deck(held, where, options.decks, options.max_rank)
        return
    known = range(4 * options.max_rank)
    doubled = [
        card_name(card)
        for card, times in sorted(Counter(held).items())
        if card in known and times > options.decks
    ]
    unknown = [str(card) for card in held if card not in known]
    if doubled or unknown or len(held) != options.accordion:
        faults = f"; more than once {', '.join(doubled)}" if doubled else ""
        faults += f"; no cards at all: numbers {', '.join(unknown)}" if unknown else ""
        raise BadInput(
            f"{where} is not {options.accordion} cards of a deck: it has {len(held)}{faults}"
        )


def _words(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes)) or "no"


def read_place(text: Any) -> int | None:
    """The card of a place that may be empty, which is ``-``.

    Raises:
        BadInput: the text is neither.
    """
    return None if text == "-" else parse_card(text)


def place_name(card: int | None) -> str:
    """The text of a place; `read_place` is the inverse."""
    return "-" if card is None else card_name(card)
