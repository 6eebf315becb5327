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
from collections.abc import Iterable, Mapping
from math import factorial
from typing import Any

from engine.cards import (
    DECK,
    HIDDEN,
    RANKS,
    SUITS,
    card_name,
    make_card,
    parse_card,
    parse_cards,
    rank,
    suit,
)
from engine.errors import BadInput
from engine.game import Codec
from engine.klondike.deal import COLUMNS, KlondikeDeal
from engine.klondike.table_text import SIZES, read_table
from engine.text.board import (
    BOARD_ALIASES,
    PYSOLFC,
    SUMMARY,
    BoardText,
    board_of_piles,
    board_text,
    looks_like_board,
    starting_columns,
)
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
_DIGITS = [f"{rank(card) + 1:02}{_DIGIT_SUITS.index(SUITS[suit(card)]) + 1}" for card in DECK]
_DIGIT_CARD = re.compile(r"(?P<rank>0[1-9]|1[0-3])(?P<suit>[1-4])", re.ASCII)


# What may stand between the digits of a number.
_BETWEEN = re.compile(r"[\s,;'\"`_.]+")
# What the programs print before it.
_TITLE = re.compile(r"\s*(?:deal|deck|game|code|number)\s*[:=#]\s*", re.IGNORECASE)


def _joined(text: str) -> str:
    """The digits of a text without what stands between them."""
    return _BETWEEN.sub("", _TITLE.sub("", text, count=1))


def _looks_like_digits(text: str) -> bool:
    digits = _joined(text)
    return digits.isdecimal() and _LIKE_A_CODE.fullmatch(digits) is None


def read_digits(text: str) -> KlondikeDeal:
    """Read 156 digits of Klondike-Solver; blanks and line ends between cards do not matter.

    A card is its rank in two digits (01 ace to 13 king) and its suit in one (1 clubs, 2 diamonds,
    3 hearts, 4 spades). The tableau comes row by row, as it is dealt: the bottom cards of columns 1
    to 7, then the second cards of columns 2 to 7, and so on; then the stock in drawing order.

    Raises:
        BadInput: not such a deal.
    """
    digits = _joined(text)
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
    tableau = deal.tableau
    rows = [tableau[column][row] for row in range(COLUMNS) for column in range(row, COLUMNS)]
    return "".join([_DIGITS[card] for card in (*rows, *deal.stock)])


# The Microsoft Solitaire Collection numbers all orders of the deck from 0. With a digit missing, a
# number is still that of a deal, so all 68 digits are asked for.
_ORDERS = factorial(52)
_CODE = re.compile(r"[0-9]{68}", re.ASCII)
_LIKE_A_CODE = re.compile(r"[0-9]{55,80}", re.ASCII)
_CODE_SUITS = "SHCD"


def read_code(text: str) -> KlondikeDeal:
    """Read the number of a deal in the Microsoft Solitaire Collection, 68 digits.

    The number picks the swaps of a shuffle: of a new deck, suit by suit, the cards in places 51,
    50, … 1 change places with those that its remainders by 52, 51, … 2 name. The deck is dealt from
    its end, row by row. (After the account of lonelybot, whose example is among the tests.)

    Raises:
        BadInput: not such a number.
    """
    digits = _joined(text)
    if _CODE.fullmatch(digits) is None or (number := int(digits)) >= _ORDERS:
        raise BadInput(
            f"{digits[:70]!r} ({len(digits)} digits) is no deal of the Microsoft Solitaire "
            "Collection: expected a number of 68 digits below 52 factorial, with zeros before it "
            "if it is smaller"
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
    data = read_table(text)
    columns = starting_columns(data, bool(data["waste"]) or any(data["foundations"].values()))
    return KlondikeDeal.from_piles(columns, parse_cards(data["stock"]))


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
    for name in ("waste", "foundations", "foundation"):
        if data.get(name) not in (None, [], [[], [], [], []]):
            raise BadInput(f'"{name}" must be empty in a starting deal')
    shown = _of_solvitaire(data)
    return KlondikeDeal.from_piles(starting_columns(shown, False), parse_cards(shown["stock"]))


def normal_json(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The data of `KlondikePosition.to_json` of JSON that shows a position in another form.

    That of Solvitaire, or our JSON of a deal with a ``"waste"`` or ``"foundations"`` besides, or
    with ``<7H>`` for cards that lie face down. None for what is neither.

    Raises:
        BadInput: it is malformed.
    """
    if "tableau piles" in data:
        return _of_solvitaire(data)
    if "tableau" not in data or "down" in data:
        return None
    if not ("waste" in data or "foundations" in data or "<" in str(data["tableau"])):
        return None
    board = board_of_piles(data["tableau"])
    stock = _named_cards(data, "stock", "first drawn first")
    return _shown(board, stock, data, data.get("foundations"))


def _of_solvitaire(data: Mapping[str, Any]) -> dict[str, Any]:
    piles = data.get("tableau piles")
    if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
        raise BadInput('"tableau piles" must be a list of seven lists of cards, bottom to top')
    board = board_of_piles(piles, by_case=True)
    stock = _named_cards(data, "stock", "first drawn last")[::-1]
    return _shown(board, stock, data, data.get("foundations", data.get("foundation")))


def _shown(
    board: BoardText, stock: list[str], data: Mapping[str, Any], foundations: object
) -> dict[str, Any]:
    heights = _heights(foundations)
    if not any(heights.values()):
        board.cover(SIZES)
    shown: dict[str, Any] = {"down": board.down, "up": board.up, "foundations": heights}
    waste = _named_cards(data, "waste", "playable one last") if data.get("waste") else []
    kept = {key: data[key] for key in ("rules", "redeals_used") if key in data}
    return shown | {"stock": stock, "waste": waste} | kept


def _named_cards(data: Mapping[str, Any], key: str, order: str) -> list[str]:
    pile = data.get(key)
    if not isinstance(pile, list):
        raise BadInput(f'"{key}" must be a list of cards, {order}')
    return [HIDDEN if card == HIDDEN else card_name(parse_card(card)) for card in pile]


def _heights(foundations: object) -> dict[str, int]:
    """The heights of foundations: by suit, or lists of their cards, or the cards on their tops."""
    if foundations is None:
        return dict.fromkeys(SUITS, 0)
    if isinstance(foundations, dict):
        return {letter: foundations.get(letter, 0) for letter in SUITS}
    if not isinstance(foundations, list):
        raise BadInput('"foundations" must be a height for each of C D S H, or lists of cards')
    heights = dict.fromkeys(SUITS, 0)
    for pile in foundations:
        cards = [parse_card(card) for card in (pile if isinstance(pile, list) else [pile])]
        if not cards:
            continue
        letter, top = SUITS[suit(cards[-1])], rank(cards[-1]) + 1
        whole = [make_card(height, suit(cards[-1])) for height in range(top)]
        if heights[letter] and (isinstance(pile, list) or top != heights[letter] + 1):
            raise BadInput(f'the foundation of {letter} is given twice in "foundations"')
        if len(cards) > 1 and cards != whole:
            raise BadInput(
                f"a foundation holds {' '.join(map(card_name, cards))}: expected the cards of one "
                "suit from the ace up"
            )
        heights[letter] = top
    return heights


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
        _looks_like_digits,
        ("minimal-klondike",),
    ),
    Codec(
        "microsoft",
        "number of a deal in the Microsoft Solitaire Collection",
        read_code,
        write_code,
        lambda text: _LIKE_A_CODE.fullmatch(_joined(text)) is not None,
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
