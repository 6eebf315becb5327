"""Deals of Black Hole as text: JSON, and the board text of PySolFC and black-hole-solver."""

import json

from black_hole.deal import BlackHoleDeal
from engine.cards import card_name, parse_card
from engine.errors import BadInput
from engine.game import Codec
from engine.text.board import PYSOLFC, SUMMARY
from engine.text.strict_json import parse_json


def read_json(text: str) -> BlackHoleDeal:
    """Read what `write_json` writes; other keys are ignored.

    Raises:
        BadInput: not such a deal.
    """
    return BlackHoleDeal.from_json(parse_json(text))


def write_json(deal: BlackHoleDeal) -> str:
    """``{"hole": ["AS"], "piles": [[bottom … top] × 17]}``."""
    return json.dumps(deal.to_json())


def read_board(text: str) -> BlackHoleDeal:
    """Read a line ``Foundations: AS`` and a line for each pile, bottom to top.

    Raises:
        BadInput: not such a deal, or a position in mid-game.
    """
    piles = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            head, colon, rest = line.partition(":")
            if not colon:
                cards = [parse_card(word) for word in line.split()]
                piles += [cards] if cards else []
            elif (head.strip().lower(), rest.strip().upper()) != ("foundations", "AS"):
                raise BadInput(f"{line.strip()!r} is not 'Foundations: AS'")
        except BadInput as error:
            raise BadInput(f"line {number} of the board: {error}") from None
    return BlackHoleDeal.from_piles(piles)


def write_board(deal: BlackHoleDeal) -> str:
    """The board text that `read_board` reads."""
    piles = (" ".join(map(card_name, pile)) for pile in deal.piles("piles"))
    return "".join(f"{line}\n" for line in ("Foundations: AS", *piles))


CODECS = (
    Codec("json", "Thoughtful's JSON: piles bottom to top", read_json, write_json),
    Codec(PYSOLFC, SUMMARY, read_board, write_board),
)
