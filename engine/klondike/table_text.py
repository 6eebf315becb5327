"""Positions of Klondike as text that a person can type.

    Foundations: C-2 D-0 S-A H-0
    Waste: 4C 9H
    Talon: 7D 2S KS
    <8S> <??> KH QS
    -
    5C 4D
    …

The board text of starting deals (`engine.text.board`) with what a position in mid-game has besides:
foundations by suit with the rank on top (a letter or a number, 0 for none), the waste with the
playable card last, and the stock with the next card first; any of these lines may be missing where
there is nothing. Then seven lines for the columns from left to right, bottom to top, ``-`` for an
empty one. Face-down cards stand in ``< >``; ``<??>``, or ``??`` for short, is one that is not
known, and ``??`` a card of the stock that nobody has seen. A line ``Redeals: 2`` says how often the
waste was turned over.
"""

from collections.abc import Mapping
from typing import Any

from engine.cards import HIDDEN, RANKS, SUITS, card_name
from engine.errors import BadInput
from engine.klondike.deal import COLUMNS
from engine.klondike.referee import KlondikePosition
from engine.text.board import EMPTY, card_with_number, columns_of, read_column

_PILES = {"waste": "waste", "talon": "stock", "stock": "stock"}
_RANK_NUMBERS = {"0": 0} | {str(number): number for number in range(1, 14)}
_RANK_NUMBERS |= {letter: number for number, letter in enumerate(RANKS, start=1)}


def read_table(text: str) -> dict[str, Any]:
    """Read a position, into the JSON of `KlondikePosition.to_json`, with ``??`` for unknown cards.

    Whether the position is possible is for `KlondikePosition.from_json` to say, or, if a card is
    not known, for `engine.klondike.seen.stand_in`.

    Raises:
        BadInput: a line is not part of such a text; the sentence has its number.
    """
    table: dict[str, Any] = {"foundations": dict.fromkeys(SUITS, 0), "stock": [], "waste": []}
    found: set[str] = set()
    down: list[list[str]] = []
    up: list[list[str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            head, colon, rest = line.partition(":")
            name = head.strip().lower()
            if colon and name:
                key = _PILES.get(name, name)
                if key in found:
                    raise BadInput(f"a second line {head.strip()!r}")
                found.add(key)
                _read_line(key, rest.split(), table)
            elif line.strip():
                columns = read_column((rest if colon else line).split())
                down.append(columns[0])
                up.append(columns[1])
        except BadInput as error:
            raise BadInput(f"line {number}: {error}") from None
    if len(up) != COLUMNS:
        raise BadInput(
            f"the text has {len(up)} columns: expected {COLUMNS} lines of cards, {EMPTY} for an "
            "empty column"
        )
    return {"down": down, "up": up, **table}


def _read_line(key: str, words: list[str], table: dict[str, Any]) -> None:
    if key in ("stock", "waste"):
        if key == "waste" and HIDDEN in words:
            raise BadInput(f"the waste has {HIDDEN}: expected their names, as they lie face up")
        table[key] = [
            HIDDEN if word == HIDDEN else card_name(card_with_number(word))
            for word in words
            if word != EMPTY
        ]
    elif key == "foundations":
        for word in words:
            suit, _, rank = word.partition("-")
            height = _RANK_NUMBERS.get(rank.upper())
            if suit.upper() not in SUITS or len(suit) != 1 or height is None:
                raise BadInput(
                    f"{word!r} is no foundation: expected a suit of {SUITS} and the rank on top, "
                    "such as 'C-7', or 'C-0' for an empty one"
                )
            table["foundations"][suit.upper()] = height
    elif key == "redeals":
        if len(words) != 1 or not words[0].isascii() or not words[0].isdecimal():
            raise BadInput(f"{' '.join(words)!r} is not a number of redeals")
        table["redeals_used"] = int(words[0][:9])
    else:
        raise BadInput(
            f"{key!r} is not part of a position: expected Foundations, Waste, Talon, Redeals or "
            "the cards of a column"
        )


def write_table(position: KlondikePosition) -> str:
    """Write a position; `read_table` is the inverse."""
    return write_seen(position.to_json())


def write_seen(data: Mapping[str, Any]) -> str:
    """Write the JSON of a position, ``??`` in it for unknown cards; `read_table` is the inverse."""
    heights = (f"{suit}-{data['foundations'][suit]}" for suit in SUITS)
    lines = [f"Foundations: {' '.join(heights)}"]
    for title, pile in (("Waste", data["waste"]), ("Talon", data["stock"])):
        lines.append(f"{title}: {' '.join(pile)}".rstrip())
    if data.get("redeals_used"):
        lines.append(f"Redeals: {data['redeals_used']}")
    lines += columns_of(data)
    return "\n".join(lines) + "\n"
