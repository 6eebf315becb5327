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

from engine.cards import SUITS
from engine.errors import BadInput
from engine.spider.deal import COLUMN_SIZES, COLUMNS, ROWS
from engine.spider.referee import SpiderPosition
from engine.text.board import PartReader, cards_of, columns_of, read_parts
from engine.text.normal import EMPTY


def read_table(text: str) -> dict[str, Any]:
    """Read a position, into the JSON of `SpiderPosition.to_json`, with ``??`` for unknown cards.

    Whether the position is possible is for `SpiderPosition.from_json` to say, or, if a card is not
    known, for `engine.spider.seen.stand_in`.

    Raises:
        BadInput: a line is not part of such a text; the sentence has its number.
    """
    board = read_parts(text, _READERS, COLUMNS)
    for part in ("foundations", "waste"):
        board.parts.pop(part, None)
    completed = board.parts.pop("completed", dict.fromkeys(SUITS, 0))
    stock = board.parts.pop("talon", [])
    if len(stock) == ROWS * COLUMNS and not any(completed.values()):
        board.cover(COLUMN_SIZES)
    rows = [stock[at : at + COLUMNS] for at in range(0, len(stock), COLUMNS)]
    table = {"down": board.down, "up": board.up, "completed": completed, "stock": rows}
    return table | board.parts


def _nothing(words: list[str]) -> None:
    """Programs write foundations and a waste for every game; here nothing ever lies there."""
    if any(not word.endswith("-0") for word in words):
        raise BadInput("the foundations of a starting deal are empty, and Spider has no waste")


def _runs(words: list[str]) -> dict[str, int]:
    completed = dict.fromkeys(SUITS, 0)
    for word in words:
        if word not in completed:
            raise BadInput(f"{word!r} is no suit of a run: expected C, D, S or H for each")
        completed[word] += 1
    return completed


_READERS: dict[str, PartReader] = {
    "completed": _runs,
    "talon": cards_of,
    "rules": " ".join,
    "foundations": _nothing,
    "waste": _nothing,
}


def write_table(position: SpiderPosition) -> str:
    """Write a position; `read_table` is the inverse."""
    return write_seen(position.to_json())


def write_seen(data: Mapping[str, Any]) -> str:
    """Write the JSON of a position, ``??`` in it for unknown cards; `read_table` is the inverse."""
    runs = [letter for letter in SUITS for _ in range(data["completed"][letter])]
    stock = [card for row in data["stock"] for card in row]
    lines = [f"Completed: {' '.join(runs) or EMPTY}", f"Talon: {' '.join(stock)}".rstrip()]
    if "rules" in data:
        lines.insert(0, f"Rules: {data['rules']}")
    return "\n".join(lines + columns_of(data)) + "\n"
