"""Text formats of Klondike deals.

| slug                | what it is                                                              |
|---------------------|-------------------------------------------------------------------------|
| ``json``            | our own: columns bottom to top, the stock in drawing order              |
| ``klondike-solver`` | three digits a card, the tableau row by row as dealt, then the stock    |
| ``microsoft``       | the number of a deal in the Microsoft Solitaire Collection              |
| ``pysolfc``         | the board text of PySolFC, pysol-cards and fc-solve                     |
| ``solvitaire``      | Solvitaire's JSON: piles bottom to top, the next card of the stock last |
"""

import json
import re
from collections.abc import Iterable
from math import factorial

from engine.cards import RANKS, SUITS, make_card, rank, suit
from engine.errors import BadInput
from engine.game import Codec
from engine.klondike.deal import COLUMNS, KlondikeDeal
from engine.text.board import (
    BOARD_ALIASES,
    PYSOLFC,
    SUMMARY,
    board_text,
    card_with_number,
    looks_like_board,
)
from engine.text.board import read_board as read_columns
from engine.text.strict_json import looks_like_object, parse_json


def read_json(text: str) -> KlondikeDeal:
    """Read our own JSON, the inverse of `write_json`; other keys are ignored.

    Raises:
        BadInput: not such a deal.
    """
    return KlondikeDeal.from_json(parse_json(text))


def write_json(deal: KlondikeDeal) -> str:
    """Write ``{"tableau": [[bottom … top] × 7], "stock": [first drawn … last drawn]}``."""
    return json.dumps(deal.to_json())


# Klondike-Solver numbers the suits 1 clubs, 2 diamonds, 3 hearts, 4 spades.
_DIGIT_SUITS = "CDHS"
_DIGIT_CARD = re.compile(r"(?P<rank>0[1-9]|1[0-3])(?P<suit>[1-4])", re.ASCII)


def read_digits(text: str) -> KlondikeDeal:
    """Read 156 digits of Klondike-Solver; blanks and line ends between cards do not matter.

    A card is its rank in two digits (01 ace to 13 king) and its suit in one (1 clubs, 2 diamonds,
    3 hearts, 4 spades). The tableau comes row by row, as it is dealt: the bottom cards of columns 1
    to 7, then the second cards of columns 2 to 7, and so on; then the stock in drawing order.

    Raises:
        BadInput: not such a deal.
    """
    digits = "".join(text.split())
    cards = []
    for at in range(0, len(digits), 3):
        match = _DIGIT_CARD.fullmatch(digits, at, min(at + 3, len(digits)))
        if match is None:
            raise BadInput(
                f"card {at // 3 + 1} of the digits is {digits[at : at + 3]!r}: expected a rank of "
                "01 to 13 and a suit of 1 to 4, such as '132' for KD"
            )
        cards.append(
            make_card(int(match["rank"]) - 1, SUITS.index(_DIGIT_SUITS[int(match["suit"]) - 1]))
        )
        if len(cards) > 52:
            raise BadInput(f"{len(digits)} digits are more than the 156 of one deck")
    return _dealt_by_row(cards)


def write_digits(deal: KlondikeDeal) -> str:
    """Write the 156 digits of Klondike-Solver; `read_digits` is the inverse."""
    rows = [deal.tableau[column][row] for row in range(COLUMNS) for column in range(row, COLUMNS)]
    return "".join(
        f"{rank(card) + 1:02}{_DIGIT_SUITS.index(SUITS[suit(card)]) + 1}"
        for card in (*rows, *deal.stock)
    )


# The Microsoft Solitaire Collection numbers all orders of the deck from 0. Numbers below 10^60 are
# as good as never drawn, and a shorter text is more likely something else.
_ORDERS = factorial(52)
_CODE = re.compile(r"[0-9]{61,68}", re.ASCII)
_CODE_SUITS = "SHCD"


def read_code(text: str) -> KlondikeDeal:
    """Read the number of a deal in the Microsoft Solitaire Collection, 61 to 68 digits.

    The number picks the swaps of a shuffle: of a new deck, suit by suit, the cards in places 51,
    50, … 1 change places with those that its remainders by 52, 51, … 2 name. The deck is dealt from
    its end, row by row. (After the account of lonelybot, whose example is among the tests.)

    Raises:
        BadInput: not such a number.
    """
    digits = text.strip()
    if _CODE.fullmatch(digits) is None or (number := int(digits)) >= _ORDERS:
        raise BadInput(
            f"{digits[:70]!r} is no deal of the Microsoft Solitaire Collection: expected a number "
            "of 61 to 68 digits below 52 factorial"
        )
    deck = [make_card(r, SUITS.index(letter)) for letter in _CODE_SUITS for r in range(13)]
    for place in range(51, 0, -1):
        number, other = divmod(number, place + 1)
        deck[place], deck[other] = deck[other], deck[place]
    return _dealt_by_row(deck[::-1])


def write_code(deal: KlondikeDeal) -> str:
    """Write the number of a deal, with zeros before it to 68 digits; `read_code` is the inverse."""
    rows = [deal.tableau[column][row] for row in range(COLUMNS) for column in range(row, COLUMNS)]
    wanted = [*rows, *deal.stock][::-1]
    deck = [make_card(r, SUITS.index(letter)) for letter in _CODE_SUITS for r in range(13)]
    number, weight = 0, 1
    for place in range(51, 0, -1):
        other = deck.index(wanted[place], 0, place + 1)
        deck[place], deck[other] = deck[other], deck[place]
        number += other * weight
        weight *= place + 1
    return f"{number:068}"


def _dealt_by_row(cards: Iterable[int]) -> KlondikeDeal:
    """Deal cards onto columns 1 to 7, then 2 to 7, and so on; what is left is the stock."""
    tableau: list[list[int]] = [[] for _ in range(COLUMNS)]
    dealt = iter(cards)
    for row in range(COLUMNS):
        for column, card in zip(range(row, COLUMNS), dealt, strict=False):
            tableau[column].append(card)
    return KlondikeDeal.from_piles(tableau, list(dealt))


def read_board(text: str) -> KlondikeDeal:
    """Read the board text of PySolFC, pysol-cards and fc-solve.

    See `engine.text.board`; the stock stands in drawing order.

    Raises:
        BadInput: not such a deal, or a position in mid-game.
    """
    columns, stock = read_columns(text, "Klondike")
    return KlondikeDeal.from_piles(columns, stock)


def write_board(deal: KlondikeDeal) -> str:
    """Write the board text of PySolFC and fc-solve, with ``T`` for a ten."""
    return board_text(deal.tableau, deal.stock)


def read_solvitaire(text: str) -> KlondikeDeal:
    """Read the JSON of Solvitaire.

    ``"tableau piles"`` are seven lists from bottom to top; ``"stock"`` ends with the card that is
    drawn first; ``"waste"`` and ``"foundations"`` may be there if empty. Ranks are numbers or A, J,
    Q, K. A lower-case suit letter marks a face-down card; it is optional, since the deal itself
    decides which cards lie face down.

    Raises:
        BadInput: not such a deal, or a position in mid-game.
    """
    data = parse_json(text)
    if not isinstance(data, dict):
        raise BadInput("not a JSON object")
    piles, stock = data.get("tableau piles"), data.get("stock")
    if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
        raise BadInput('"tableau piles" must be a list of seven lists of cards, bottom to top')
    if not isinstance(stock, list):
        raise BadInput('"stock" must be a list of cards, first drawn last')
    for name in ("waste", "foundations", "foundation"):
        if data.get(name) not in (None, [], [[], [], [], []]):
            raise BadInput(f'"{name}" must be empty in a starting deal')
    return KlondikeDeal.from_piles(
        [[_solvitaire_card(card) for card in pile] for pile in piles],
        [_solvitaire_card(card) for card in reversed(stock)],
    )


def _solvitaire_card(text: object) -> int:
    if isinstance(text, str):
        number = {"1": "A", "11": "J", "12": "Q", "13": "K"}.get(text[:-1])
        if number is not None:
            text = number + text[-1]
    return card_with_number(text)


def _solvitaire_name(card: int, *, face_down: bool) -> str:
    letter = SUITS[suit(card)]
    return RANKS[rank(card)].replace("T", "10") + (letter.lower() if face_down else letter)


def write_solvitaire(deal: KlondikeDeal) -> str:
    """Write the JSON of Solvitaire; `read_solvitaire` is the inverse."""
    piles = [
        [
            *(_solvitaire_name(card, face_down=True) for card in column[:-1]),
            _solvitaire_name(column[-1], face_down=False),
        ]
        for column in deal.tableau
    ]
    stock = [_solvitaire_name(card, face_down=False) for card in reversed(deal.stock)]
    return json.dumps({"tableau piles": piles, "stock": stock})


CODECS = (
    Codec(
        "json",
        "Thoughtful's JSON: tableau bottom to top, stock as drawn",
        read_json,
        write_json,
        lambda text: looks_like_object(text, "tableau"),
    ),
    Codec(
        "klondike-solver",
        "156 digits of Klondike-Solver and MinimalKlondike",
        read_digits,
        write_digits,
        lambda text: "".join(text.split()).isdecimal() and not _CODE.fullmatch(text.strip()),
        ("minimal-klondike",),
    ),
    Codec(
        "microsoft",
        "number of a deal in the Microsoft Solitaire Collection",
        read_code,
        write_code,
        lambda text: _CODE.fullmatch(text.strip()) is not None,
    ),
    Codec(PYSOLFC, SUMMARY, read_board, write_board, looks_like_board, BOARD_ALIASES),
    Codec(
        "solvitaire",
        "Solvitaire's JSON",
        read_solvitaire,
        write_solvitaire,
        lambda text: looks_like_object(text, "tableau piles"),
    ),
)
