"""Positions of Spider as text that a person can type.

    Completed: S S H
    Talon: 7D 2S KS 4C 9H JD AS 5H 8C QD
    <8S> <??> KH QS
    -
    5C 4D
    …

The board text of starting deals (`engine.text.board`) with what a position in mid-game has besides:
the suit of each run that has left the table, and in the line ``Talon`` the rows that are still to
be dealt, next row first, each from column 1 to column 10; either line may be missing where there is
nothing. Then ten lines for the columns from left to right, bottom to top, ``-`` for an empty one.
Face-down cards stand in ``< >``; ``<??>``, or ``??`` for short, is a card that is not known, and
``??`` one of the stock.
"""

from collections.abc import Mapping
from typing import Any

from engine.cards import HIDDEN, SUITS, card_name
from engine.errors import BadInput
from engine.spider.deal import COLUMNS
from engine.spider.referee import SpiderPosition
from engine.text.board import EMPTY, card_with_number, columns_of, read_column

_STOCK = ("talon", "stock")


def read_table(text: str) -> dict[str, Any]:
    """Read a position, into the JSON of `SpiderPosition.to_json`, with ``??`` for unknown cards.

    Whether the position is possible is for `SpiderPosition.from_json` to say, or, if a card is not
    known, for `engine.spider.seen.stand_in`.

    Raises:
        BadInput: a line is not part of such a text; the sentence has its number.
    """
    completed = dict.fromkeys(SUITS, 0)
    stock: list[str] = []
    found: set[str] = set()
    down: list[list[str]] = []
    up: list[list[str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            head, colon, rest = line.partition(":")
            name = head.strip().lower()
            if colon and name:
                key = "talon" if name in _STOCK else name
                if key in found:
                    raise BadInput(f"a second line {head.strip()!r}")
                found.add(key)
                words = [word for word in rest.split() if word != EMPTY]
                if key == "talon":
                    stock = [_stock_card(word) for word in words]
                elif key == "completed":
                    _count_runs(words, completed)
                else:
                    raise BadInput(
                        f"{key!r} is not part of a position: expected Completed, Talon or the "
                        "cards of a column"
                    )
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
    rows = [stock[at : at + COLUMNS] for at in range(0, len(stock), COLUMNS)]
    return {"down": down, "up": up, "completed": completed, "stock": rows}


def _stock_card(word: str) -> str:
    return HIDDEN if word == HIDDEN else card_name(card_with_number(word))


def _count_runs(words: list[str], completed: dict[str, int]) -> None:
    for word in words:
        if word.upper() not in completed:
            raise BadInput(f"{word!r} is no suit of a run: expected C, D, S or H for each")
        completed[word.upper()] += 1


def write_table(position: SpiderPosition) -> str:
    """Write a position; `read_table` is the inverse."""
    return write_seen(position.to_json())


def write_seen(data: Mapping[str, Any]) -> str:
    """Write the JSON of a position, ``??`` in it for unknown cards; `read_table` is the inverse."""
    runs = [letter for letter in SUITS for _ in range(data["completed"][letter])]
    stock = [card for row in data["stock"] for card in row]
    lines = [f"Completed: {' '.join(runs) or EMPTY}", f"Talon: {' '.join(stock)}".rstrip()]
    return "\n".join(lines + columns_of(data)) + "\n"
