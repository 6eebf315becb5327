"""Mid-game positions as one line of text, for tables of positions in tests.

``draw heights columns talon``: cards turned at once; foundation heights C,D,S,H; the columns,
``face-down|face-up`` each, with ``/`` between; ``waste|stock``. Cards as in `engine.cards`.
"""

from engine.cards import card_name, parse_card
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules


def parse_position(text: str) -> KlondikePosition:
    """The position that a line describes."""
    draw, heights, columns, talon = text.split(" ")
    piles = [column.split("|") for column in columns.split("/")]
    waste, stock = talon.split("|")
    clubs, diamonds, spades, hearts = map(int, heights.split(","))
    return KlondikePosition(
        KlondikeRules(draw=int(draw)),
        tuple(_cards(down) for down, _ in piles),
        tuple(_cards(up) for _, up in piles),
        (clubs, diamonds, spades, hearts),
        _cards(stock),
        _cards(waste),
    ).checked()


def position_text(position: KlondikePosition) -> str:
    """The line for a position."""
    columns = "/".join(
        f"{_names(down)}|{_names(up)}" for down, up in zip(position.down, position.up, strict=True)
    )
    heights = ",".join(map(str, position.foundations))
    talon = f"{_names(position.waste)}|{_names(position.stock)}"
    return f"{position.rules.draw} {heights} {columns} {talon}"


def _cards(names: str) -> tuple[int, ...]:
    return tuple(parse_card(names[at : at + 2]) for at in range(0, len(names), 2))


def _names(cards: tuple[int, ...]) -> str:
    return "".join(card_name(card) for card in cards)
