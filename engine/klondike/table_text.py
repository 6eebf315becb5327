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
from itertools import pairwise
from typing import Any

from engine.cards import HIDDEN, SUITS
from engine.errors import BadInput
from engine.klondike.deal import COLUMN_START, COLUMNS
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import RULESETS
from engine.text.board import PartReader, cards_of, columns_of, read_parts
from engine.text.numbers import read_number

# Cards of each column at the start.
SIZES = [end - first for first, end in pairwise(COLUMN_START)]


def read_table(text: str) -> dict[str, Any]:
    """Read a position, into the JSON of `KlondikePosition.to_json`, with ``??`` for unknown cards.

    Whether the position is possible is for `KlondikePosition.from_json` to say, or, if a card is
    not known, for `engine.klondike.seen.stand_in`.

    Raises:
        BadInput: a line is not part of such a text; the sentence has its number.
    """
    board = read_parts(text, _READERS, COLUMNS)
    foundations = board.parts.pop("foundations", dict.fromkeys(SUITS, 0))
    stock = board.parts.pop("talon", [])
    if not any(foundations.values()):
        board.cover(SIZES)
    if "redeals" in board.parts:
        board.parts["redeals_used"] = board.parts.pop("redeals")
    table = {"down": board.down, "up": board.up, "foundations": foundations, "stock": stock}
    return table | {"waste": []} | board.parts


def _waste(words: list[str]) -> list[str]:
    cards = cards_of(words)
    if HIDDEN in cards:
        raise BadInput(f"the waste has {HIDDEN}: expected their names, as they lie face up")
    return cards


def _heights(words: list[str]) -> dict[str, int]:
    heights: dict[str, int] = {}
    for word in words:
        suit, _, height = word.partition("-")
        number = read_number(height, 13)
        if suit not in {*SUITS} or number is None:
            raise BadInput(
                f"{word[:20]!r} is no foundation: expected a suit of {SUITS} and the rank on top, "
                "such as 'C-7', or 'C-0' for an empty one"
            )
        if suit in heights:
            raise BadInput(
                f"the foundation of {suit} is given twice, as {suit}-{heights[suit]} and {word}: "
                "expected one height for each suit"
            )
        heights[suit] = number
    return dict.fromkeys(SUITS, 0) | heights


def _redeals(words: list[str]) -> int:
    number = read_number(words[0], 999_999_999) if len(words) == 1 else None
    if number is None:
        raise BadInput(f"{' '.join(words)[:20]!r} is not a number of redeals")
    return number


_READERS: dict[str, PartReader] = {
    "foundations": _heights,
    "waste": _waste,
    "talon": cards_of,
    "redeals": _redeals,
    "rules": " ".join,
}


def write_table(position: KlondikePosition) -> str:
    """Write a position; `read_table` is the inverse."""
    return write_seen(position.to_json())


def write_seen(data: Mapping[str, Any]) -> str:
    """Write the JSON of a position, ``??`` in it for unknown cards; `read_table` is the inverse."""
    heights = (f"{suit}-{data['foundations'][suit]}" for suit in SUITS)
    lines = [f"Foundations: {' '.join(heights)}"]
    if data.get("rules", RULESETS.default) != RULESETS.default:
        lines.insert(0, f"Rules: {data['rules']}")
    for title, pile in (("Waste", data["waste"]), ("Talon", data["stock"])):
        lines.append(f"{title}: {' '.join(pile)}".rstrip())
    if data.get("redeals_used"):
        lines.append(f"Redeals: {data['redeals_used']}")
    lines += columns_of(data)
    return "\n".join(lines) + "\n"
