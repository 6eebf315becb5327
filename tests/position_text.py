"""Mid-game positions as one line of text, for tables of positions in tests.

``rules heights columns talon``: the slug of the ruleset, or just how many cards are turned at once
where all else is as usual, with ``+n`` behind it for n redeals used; foundation heights C,D,S,H;
the columns, ``face-down|face-up`` each, with ``/`` between; ``waste|stock``. Cards as in
`engine.cards`.
"""

from engine.cards import card_name, parse_card
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules, parse_klondike


def parse_position(text: str) -> KlondikePosition:
    """The position that a line describes."""
    ruleset, heights, columns, talon = text.split(" ")
    ruleset, _, used = ruleset.partition("+")
    piles = [column.split("|") for column in columns.split("/")]
    waste, stock = talon.split("|")
    clubs, diamonds, spades, hearts = map(int, heights.split(","))
    return KlondikePosition(
        KlondikeRules(draw=int(ruleset)) if ruleset.isdigit() else parse_klondike(ruleset),
        tuple(_cards(down) for down, _ in piles),
        tuple(_cards(up) for _, up in piles),
        (clubs, diamonds, spades, hearts),
        _cards(stock),
        _cards(waste),
        int(used or 0),
    ).checked()


def position_text(position: KlondikePosition) -> str:
    """The line for a position."""
    columns = "/".join(
        f"{_names(down)}|{_names(up)}" for down, up in zip(position.down, position.up, strict=True)
    )
    heights = ",".join(map(str, position.foundations))
    talon = f"{_names(position.waste)}|{_names(position.stock)}"
    rules, used = position.rules, position.redeals_used
    ruleset = str(rules.draw) if rules == KlondikeRules(draw=rules.draw) else rules.slug
    return f"{ruleset}{f'+{used}' if used else ''} {heights} {columns} {talon}"


def _cards(names: str) -> tuple[int, ...]:
    return tuple(parse_card(names[at : at + 2]) for at in range(0, len(names), 2))


def _names(cards: tuple[int, ...]) -> str:
    return "".join(card_name(card) for card in cards)
