"""Text formats of Spider deals: our own JSON and the board text of PySolFC."""

import json
from collections.abc import Mapping
from typing import Any

from engine.cards import SUITS, parse_cards
from engine.errors import BadInput
from engine.game import Codec
from engine.spider.deal import COLUMN_SIZES, COLUMNS, ROWS, SpiderDeal
from engine.spider.table_text import read_table
from engine.text.board import (
    BOARD_ALIASES,
    PYSOLFC,
    SUMMARY,
    board_of_piles,
    board_text,
    looks_like_board,
    starting_columns,
)
from engine.text.strict_json import looks_like_object, parse_json


def read_json(text: str) -> SpiderDeal:
    """Read our own JSON, the inverse of `write_json`; other keys are ignored.

    Raises:
        BadInput: not such a deal.
    """
    return SpiderDeal.from_json(parse_json(text))


def write_json(deal: SpiderDeal) -> str:
    """Write ``{"tableau": [[bottom … top] × 10], "stock": [[column 1 … column 10] × 5]}``."""
    return json.dumps(deal.to_json())


def read_board(text: str) -> SpiderDeal:
    """Read the board text of PySolFC and pysol-cards.

    See `engine.text.board`; the stock stands in the order in which it is dealt, row by row from
    column 1 to column 10. The four columns of six cards may stand anywhere, see
    `SpiderDeal.from_piles`.

    Raises:
        BadInput: not such a deal, or a position in mid-game.
    """
    data = read_table(text)
    columns = starting_columns(data, any(data["completed"].values()))
    return SpiderDeal.from_piles(columns, [parse_cards(row) for row in data["stock"]])


def write_board(deal: SpiderDeal) -> str:
    """Write the board text of PySolFC, with ``T`` for a ten; `read_board` is the inverse."""
    return board_text(deal.tableau, [card for row in deal.stock for card in row])


def normal_json(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The data of `SpiderPosition.to_json` of our JSON of a deal with more than a deal in it.

    That is ``"completed"``, ``<7H>`` for cards that lie face down, or the stock as one list. None
    for other JSON.

    Raises:
        BadInput: it is malformed.
    """
    stock = data.get("stock")
    in_one = isinstance(stock, list) and bool(stock) and not isinstance(stock[0], list)
    more = in_one or "completed" in data or "<" in str(data.get("tableau"))
    if "tableau" not in data or "down" in data or not more:
        return None
    board = board_of_piles(data["tableau"])
    completed = data.get("completed", dict.fromkeys(SUITS, 0))
    if not isinstance(stock, list) or not isinstance(completed, dict):
        raise BadInput('"stock" must be rows of ten cards, and "completed" runs of each suit')
    rows = [stock[at : at + COLUMNS] for at in range(0, len(stock), COLUMNS)] if in_one else stock
    if len(rows) == ROWS and not any(completed.values()):
        board.cover(COLUMN_SIZES)
    kept = {"rules": data["rules"]} if "rules" in data else {}
    return {"down": board.down, "up": board.up, "completed": completed, "stock": rows} | kept


CODECS = (
    Codec(
        "json",
        "Thoughtful's JSON: tableau bottom to top, rows as dealt",
        read_json,
        write_json,
        lambda text: looks_like_object(text, "tableau"),
    ),
    Codec(PYSOLFC, SUMMARY, read_board, write_board, looks_like_board, BOARD_ALIASES),
)
