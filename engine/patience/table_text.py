"""Positions of patience games as text that a person can type.

    Foundations: C-2 D-0 S-A H-0
    Freecells: 4C - KH -
    7D 2S KS
    -
    5C 4D
    …

The board text of PySolFC and fc-solve, with a line for each part that the game has: foundations by
suit with the rank on top (0 for none; those of a second deck follow), ``Base`` with their first
rank where it is random, ``Freecells``, ``Reserve`` and ``Hole``, ``Talon`` with the next card
first, ``Waste`` with the playable card last, ``Redeals`` made. Then a line for each column from
left to right, bottom to top, ``-`` for an empty one; for each pile of an accordion; or for each
row, ``--`` for a gap. Face-down cards stand in ``< >``; ``<??>`` or ``??`` is not known. A line may
be missing where there is nothing.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from engine.cards import RANKS, SUITS, card_name, make_card, parse_card
from engine.errors import BadInput
from engine.patience.referee import PatiencePosition
from engine.patience.rules import RANDOM, Options
from engine.text.board import cards_of, columns_of, read_column
from engine.text.normal import EMPTY, heading_of, normal_text
from engine.text.numbers import read_number

GAP = "--"
_PARTS = ("foundations", "base", "freecells", "reserve", "hole", "talon", "waste", "redeals")


def read_table(text: str, rulesets: Mapping[str, Options]) -> dict[str, Any]:
    """Read a position into the data of `PatiencePosition.to_json`, ``??`` for unknown cards.

    Args:
        text: the text.
        rulesets: the options of the rulesets of a game, the usual one first; where the text names
            none, how many cells there are is left open.

    Whether the position is possible is for `position_from_json` and `fill_in` to say.

    Raises:
        BadInput: a line is not part of such a text; the sentence has its number.
    """
    parts: dict[str, list[str]] = {}
    lines: list[list[str]] = []
    for number, line in enumerate(normal_text(text).splitlines(), start=1):
        heading = heading_of(line)
        if heading is None:
            lines += [line.split()] if line.strip() else []
        elif heading[0] in parts or heading[0] not in (*_PARTS, "rules", "tableau"):
            raise BadInput(f"line {number}: a line {heading[0].capitalize()!r} is not expected")
        else:
            parts[heading[0]] = heading[1].split()
    data: dict[str, Any] = {}
    named = " ".join(parts.pop("rules", []))
    if named:
        data["rules"] = named
    o = rulesets.get(named, next(iter(rulesets.values())))
    for name, there in (
        *(("foundations", o.foundations), ("base", o.base == RANDOM), ("freecells", o.cells)),
        *(("reserve", o.reserve), ("hole", o.hole), ("talon", o.stock)),
        *(("waste", o.stock and o.stock_to == "waste"), ("redeals", o.redeals)),
    ):
        words = parts.get(name, [])
        if not there:
            if any(word != EMPTY and not word.endswith("-0") for word in words):
                raise BadInput(f"this game has no {name}")
            continue
        if name == "freecells" and not words and not named:
            continue
        key, value = _part(name, words, o)
        data[key] = value
    return data | _piles(lines, o)


def _part(name: str, words: list[str], o: Options) -> tuple[str, Any]:
    if name == "foundations":
        return name, _foundations(words, o)
    if name == "base":
        return name, " ".join(words)
    if name == "redeals":
        number = read_number(" ".join(words) or "0", 999)
        if number is None:
            raise BadInput(f"the number of redeals is {' '.join(words)!r}: expected digits")
        return "redealt", number
    if name == "freecells" or (name == "reserve" and not o.reserve_stacked):
        places = o.cells if name == "freecells" else o.reserve
        cards = [word if word == EMPTY else cards_of([word])[0] for word in words]
        return ("cells" if name == "freecells" else name), cards or [EMPTY] * places
    key = "stock" if name == "talon" else name
    return key, cards_of(word for word in words if word != EMPTY)


def _foundations(words: list[str], o: Options) -> list[str]:
    tops: list[list[str]] = [[] for _ in SUITS]
    for word in words:
        letter, _, height = word.partition("-")
        if word == EMPTY:
            continue
        number = read_number(height, o.max_rank)
        if len(letter) != 1 or letter not in SUITS or number is None:
            raise BadInput(f"{word!r} says nothing of a foundation: expected one such as C-2")
        name = card_name(make_card(number - 1, SUITS.index(letter))) if number else EMPTY
        tops[SUITS.index(letter)].append(name)
    for letter, found in zip(SUITS, tops, strict=True):
        if len(found) > o.decks:
            raise BadInput(f"there are {len(found)} foundations of {letter}: expected {o.decks}")
        found += [EMPTY] * (o.decks - len(found))
    return list(chain.from_iterable(zip(*tops, strict=True)))


def _piles(lines: list[list[str]], o: Options) -> dict[str, Any]:
    if o.accordion:
        return {"accordion": [cards_of(line) for line in lines]}
    wanted, what = (o.sequences, "rows") if o.sequences else (o.columns, "columns")
    if len(lines) != wanted:
        raise BadInput(
            f"the board has {len(lines)} {what}: expected {wanted} lines of cards, {EMPTY} for an "
            "empty column or a gap"
        )
    if o.sequences:
        return {"rows": [[w if w == EMPTY else cards_of([w])[0] for w in line] for line in lines]}
    if not o.columns:
        return {}
    columns = [read_column(line) for line in lines]
    return {"down": [down for down, _ in columns], "up": [up for _, up in columns]}


def write_table(position: PatiencePosition) -> str:
    """Write a position; `read_table` is the inverse."""
    return write_seen(position.to_json())


def write_seen(data: Mapping[str, Any]) -> str:
    """Write the data of a position, ``??`` in it for unknown cards; `read_table` is the inverse."""
    lines = [f"Rules: {data['rules']}"] if "rules" in data else []
    if "foundations" in data:
        tops = [
            f"{SUITS[at % 4]}-{0 if top == EMPTY else RANKS[parse_card(top) >> 2]}"
            for at, top in enumerate(data["foundations"])
        ]
        lines.append(f"Foundations: {' '.join(tops)}")
    for key, title in (
        *(("cells", "Freecells"), ("reserve", "Reserve"), ("hole", "Hole")),
        *(("stock", "Talon"), ("waste", "Waste")),
    ):
        if key in data:
            lines.append(f"{title}: {' '.join(data[key])}".rstrip())
    for key, title in (("base", "Base"), ("redealt", "Redeals")):
        if data.get(key):
            lines.append(f"{title}: {data[key]}")
    if "up" in data:
        lines += columns_of(data)
    lines += [" ".join(pile) for pile in data.get("accordion", ())]
    # A line that begins with one sign looks like an item of a list.
    lines += [" ".join(GAP if c == EMPTY else c for c in row) for row in data.get("rows", ())]
    return "\n".join(lines) + "\n"
