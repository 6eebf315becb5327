"""Cards as the integers 0..51: ``rank * 4 + suit``.

Ranks run from 0 (ace) to 12 (king). Suits are 0 clubs, 1 diamonds, 2 spades, 3 hearts,
in this order so that a card's colour is its lowest bit: ``card & 1`` is 1 for red.
This is the only place where the numbering is decided.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from engine.errors import BadInput

RANKS = "A23456789TJQK"
SUITS = "CDSH"
DECK = range(52)
_ONE_DECK = frozenset(DECK)
# Text of a hidden card in an observation.
HIDDEN = "??"
KING = 12


def rank(card: int) -> int:
    """0 for an ace to 12 for a king."""
    return card >> 2


def suit(card: int) -> int:
    """0 clubs, 1 diamonds, 2 spades, 3 hearts."""
    return card & 3


def is_red(card: int) -> bool:
    return card & 1 == 1


def twin(card: int) -> int:
    """The other card of the same rank and colour."""
    return card ^ 2


def make_card(rank: int, suit: int) -> int:
    return rank * 4 + suit


def build_cards(card: int) -> tuple[int, ...]:
    """The two cards that a card can be built on in the tableau; none for a king."""
    if rank(card) == KING:
        return ()
    return tuple(
        make_card(rank(card) + 1, other) for other in range(4) if is_red(other) != is_red(card)
    )


def card_name(card: int) -> str:
    """``TC``, ``AS``: rank letter, then suit letter."""
    return RANKS[card >> 2] + SUITS[card & 3]


_CARDS = {card_name(card): card for card in range(52)}
_RANK_WORDS = {
    **{letter: number for number, letter in enumerate(RANKS)},
    **{str(number + 1): number for number in range(13)},
    "0": 9,
}
_SUIT_WORDS = dict(zip((*SUITS, *"♣♦♠♥", *"♧♢♤♡"), (*range(4),) * 3, strict=True))
# The playing cards of Unicode; between jack and queen stands a knight.
_SIGNS = {
    chr(0x1F0A1 + 16 * row + number + (number > 10)): make_card(number, SUITS.index(letter))
    for row, letter in enumerate("SHDC")
    for number in range(13)
}
# Every way to write a card that has just one reading: the rank and the suit in either order.
_SPELLINGS = (
    {
        rank + suit: make_card(r, s)
        for rank, r in _RANK_WORDS.items()
        for suit, s in _SUIT_WORDS.items()
    }
    | {
        suit + rank: make_card(r, s)
        for rank, r in _RANK_WORDS.items()
        for suit, s in _SUIT_WORDS.items()
    }
    | _SIGNS
)
# Behind a suit sign, these say how it is drawn.
_STYLES = str.maketrans("", "", "\ufe0e\ufe0f")


def parse_card(text: str) -> int:
    """Parse a card such as ``TC``, ``10c``, ``0C``, ``♣10`` or ``as``.

    Raises:
        BadInput: the text is not a card.
    """
    if isinstance(text, str):
        card = _SPELLINGS.get(text.upper() if text.isascii() else text.translate(_STYLES).upper())
        if card is not None:
            return card
    raise BadInput(
        f"{text!r} is not a card: expected a rank of {RANKS} and a suit of {SUITS}, such as 'TC'"
    )


def parse_cards(texts: Sequence[str]) -> list[int]:
    """`parse_card` of each of them."""
    try:
        # Nearly always: as `card_name` writes them.
        return [_CARDS[text] for text in texts]
    except (KeyError, TypeError):
        return [parse_card(text) for text in texts]


def columns_text(down: Sequence[Sequence[int]], up: Sequence[Sequence[int]]) -> list[str]:
    """Text of columns side by side, bottom cards first, in cells of four; ``[ ]`` is face down."""
    names = [
        [*(f"[{card_name(card)}]" for card in under), *(f" {card_name(card)} " for card in over)]
        for under, over in zip(down, up, strict=True)
    ]
    return [" ".join(row).rstrip() for row in zip_longest(*names, fillvalue="    ")]


def check_full_deck(cards: Iterable[int], where: str, decks: int = 1, ranks: int = 13) -> None:
    """Check that ``cards`` holds every card of a full deck, or of the given number of decks.

    Args:
        cards: the cards.
        where: what holds them, for the message.
        decks: number of decks.
        ranks: number of ranks of a deck, from the ace up.

    Raises:
        BadInput: cards are missing or surplus; the message names each of them.
    """
    held = tuple(cards)
    # Nearly always: as many cards as there should be, and each of them is there.
    if len(held) == 52 and decks == 1 and ranks == len(RANKS) and _ONE_DECK.issubset(held):
        return
    deck = range(4 * ranks)
    counts = Counter(held)
    unknown = [str(c) for c in counts if c not in deck]
    missing = [card_name(c) for c in deck for _ in range(decks - counts[c])]
    doubled = [card_name(c) for c in deck if counts[c] > decks]
    faults = []
    if missing:
        faults.append("missing " + ", ".join(missing))
    if doubled:
        often = "once" if decks == 1 else f"{decks} times"
        faults.append(f"more than {often} " + ", ".join(doubled))
    if unknown:
        faults.append("no cards at all: numbers " + ", ".join(unknown))
    if not faults:
        return
    full = "one full deck" if decks == 1 else f"{decks} full decks"
    raise BadInput(
        f"{where} is not {full}: it has {counts.total()} cards of {len(deck) * decks}; "
        + "; ".join(faults)
    )
