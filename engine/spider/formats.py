"""Text formats of Spider deals: our own JSON and the board text of PySolFC."""

import json

from engine.game import Codec
from engine.spider.deal import COLUMNS, SpiderDeal
from engine.text.board import BOARD_ALIASES, PYSOLFC, SUMMARY, board_text, looks_like_board
from engine.text.board import read_board as read_columns
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
    columns, stock = read_columns(text, "Spider")
    rows = [stock[at : at + COLUMNS] for at in range(0, len(stock), COLUMNS)]
    return SpiderDeal.from_piles(columns, rows)


def write_board(deal: SpiderDeal) -> str:
    """Write the board text of PySolFC, with ``T`` for a ten; `read_board` is the inverse."""
    return board_text(deal.tableau, [card for row in deal.stock for card in row])


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
