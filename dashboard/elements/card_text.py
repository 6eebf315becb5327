"""Card names in sentences, with suit symbols."""

import re

from engine.cards import RANKS, SUITS, parse_card, rank, suit

SUIT_SIGNS = "♣♦♠♥"
SUIT_WORDS = ("clubs", "diamonds", "spades", "hearts")
_RANK_SIGNS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_CARD_NAME = re.compile(rf"\b[{RANKS}][{SUITS}]\b")


def card_sign(card: int) -> str:
    """A card with its suit symbol: ``10♥``, ``A♠``."""
    return _RANK_SIGNS[rank(card)] + SUIT_SIGNS[suit(card)]


def with_signs(text: str) -> str:
    """A sentence with suit symbols for its card names: ``TC lies under QH`` → ``10♣ …``."""
    return _CARD_NAME.sub(lambda name: card_sign(parse_card(name[0])), text)
