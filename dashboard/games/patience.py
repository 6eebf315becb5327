"""Renderer of patience games: one table for all layouts, and each move in words.

With two decks there are two cards of each kind, so the second one has a number: ``QS2``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from dashboard.elements.card_text import SUIT_WORDS, card_sign
from dashboard.viewer.renderer import Piles, Renderer, Step
from engine.cards import HIDDEN, RANKS, SUITS, parse_card
from engine.games import get_game
from engine.patience.layout import CELL, FOUNDATION, HOLE, RESERVE, STOCK, WASTE, row_suit
from engine.patience.moves import TURN, PatienceMove, pile_name
from engine.patience.referee import PatiencePosition
from engine.patience.rules import RANDOM, Options
from engine.rulesets import parse_ruleset

# Slots beside each other above the columns, at least.
_WIDE = 8
_ACCORDION_ROW = 13
_EMPTY = "-"


class PatienceTable:
    """Table of a game; the referee says what a move did, the table follows the cards.

    Piles are ``down1`` and ``up1`` to those of the last column, ``cell1`` …, ``reserve1`` …,
    ``stock`` with the next card last, ``waste``, ``hole``, ``foundation1`` … in the order of
    `PatiencePosition.foundations`, ``pile1`` … of an accordion, and ``place1`` … of rows.
    """

    def __init__(self, start: PatiencePosition) -> None:
        self._options = start.rules.options
        self._piles = _piles(start.to_json(), start.rules.options)

    @property
    def piles(self) -> Piles:
        """The cards of every pile at present."""
        return self._piles

    def play(self, before: PatiencePosition, move: PatienceMove, after: PatiencePosition) -> Step:
        """Apply a legal move, given the positions before and after it."""
        moved, turned = self._moved(before, move), _uncovered(before, after)
        for column in turned:
            self._piles[f"up{column}"] = [self._piles[f"down{column}"].pop()]
        cards = [parse_card(name[:2]) for name in moved]
        words = foreseen = _words(before, move, cards)
        if move == TURN:
            foreseen = _TURNS[self._options.stock_to] if before.stock else words
        for column in turned:
            words += f", uncovering {card_sign(after.columns[column - 1][-1])}"
            foreseen += ", uncovering a card"
        gain = f"uncovers a card of column {turned[0]}" if turned else ""
        if sum(after.foundations) > sum(before.foundations):
            gain = "brings a card to its foundation" if move.cards == 1 else "completes a run"
        elif len(after.hole) > len(before.hole) and move != TURN:
            gain = "brings a card into the hole"
        return Step(str(move), f"{words}.", tuple(moved), f"{foreseen}.", gain)

    def _moved(self, before: PatiencePosition, move: PatienceMove) -> list[str]:
        """Move the cards of a move; their names."""
        piles = self._piles
        if move == TURN:
            return self._turned(before)
        source, target = self._pile(move.source), self._pile(move.target)
        count = len(piles[source]) if self._options.accordion else move.cards
        moved = piles[source][-count:]
        del piles[source][-count:]
        piles[target] += moved
        if self._options.accordion:
            for number in range(move.source + 1, self._options.accordion):
                piles[f"pile{number}"] = piles[f"pile{number + 1}"]
            piles[f"pile{self._options.accordion}"] = []
        return moved

    def _turned(self, before: PatiencePosition) -> list[str]:
        piles, o = self._piles, self._options
        if not before.stock:
            piles["stock"], piles["waste"] = piles["waste"][::-1], []
            return []
        count = {"waste": o.deal_count, "tableau piles": o.columns, "hole": 1}[o.stock_to]
        moved = [piles["stock"].pop() for _ in range(min(count, len(piles["stock"])))]
        if o.stock_to == "tableau piles":
            for column, name in enumerate(moved, start=1):
                piles[f"up{column}"].append(name)
        else:
            piles[o.stock_to] += moved
        return moved

    def _pile(self, code: int) -> str:
        if self._options.accordion:
            return f"pile{code + 1}"
        if self._options.sequences:
            return f"place{code + 1}"
        if code in _PILES:
            return _PILES[code]
        for first, word in ((FOUNDATION, "foundation"), (RESERVE, "reserve"), (CELL, "cell")):
            if code >= first:
                return f"{word}{code - first + 1}"
        return f"up{code + 1}"


_PILES = {STOCK: "stock", WASTE: "waste", HOLE: "hole"}
_TURNS = {
    "waste": "Turn the stock",
    "tableau piles": "Deal a row",
    "hole": "Deal a card into the hole",
}


def _uncovered(before: PatiencePosition, after: PatiencePosition) -> list[int]:
    """The numbers of the columns whose last face-down card has been turned up."""
    pairs = zip(before.down, after.down, strict=True)
    return [column for column, (past, now) in enumerate(pairs, start=1) if now < past]


def _words(before: PatiencePosition, move: PatienceMove, cards: list[int]) -> str:
    """A move in words, without what it uncovers."""
    signs = ", ".join(map(card_sign, cards))
    o = before.rules.options
    source, target, _ = move
    if move == TURN:
        if not before.stock:
            return "Turn the waste over: it is the stock again"
        return f"{_TURNS[o.stock_to]}: {signs}"
    if o.accordion:
        card, onto = (card_sign(before.accordion[at][-1]) for at in (source, target))
        return f"{card} of pile {source + 1} onto {onto} of pile {target + 1}"
    if o.sequences:
        row, column = divmod(target, o.max_rank)
        return f"{signs} into the gap at place {column + 1} of row {row + 1}"
    return f"{signs} from {_source(source)} {_target(before, target, cards[0])}"


def _source(code: int) -> str:
    if code >= FOUNDATION:
        return "its foundation"
    if code == STOCK:
        return "the stock"
    if code == WASTE:
        return "the waste"
    if code >= RESERVE:
        return "the reserve"
    return f"cell {pile_name(code)}" if code >= CELL else f"column {code + 1}"


def _target(before: PatiencePosition, code: int, card: int) -> str:
    if code >= FOUNDATION:
        return "to its foundation"
    if code == HOLE:
        return f"onto {card_sign(before.hole[-1])} of the hole"
    if code >= CELL:
        return f"to cell {pile_name(code)}"
    column = before.columns[code]
    onto = f"onto {card_sign(column[-1])} of" if column else "to the empty"
    return f"{onto} column {code + 1}"


def _piles(data: Mapping[str, Any], o: Options) -> Piles:
    """The piles of a position's JSON; unknown cards are ``??1``, ``??2``, …"""
    seen: Counter[str] = Counter()

    def named(cards: Iterable[str]) -> list[str]:
        names = []
        for card in cards:
            seen[card] += 1
            is_plain = card != HIDDEN and seen[card] == 1
            names.append(card if is_plain else f"{card}{seen[card]}")
        return names

    def one(card: str) -> list[str]:
        return [] if card == _EMPTY else named([card])

    piles: Piles = {}
    for at in range(o.columns):
        piles[f"down{at + 1}"] = named(data["down"][at])
        piles[f"up{at + 1}"] = named(data["up"][at])
    for at in range(o.cells):
        piles[f"cell{at + 1}"] = one(data["cells"][at])
    if o.reserve_stacked:
        piles["reserve1"] = named(data["reserve"])
    else:
        piles |= {f"reserve{at + 1}": one(data["reserve"][at]) for at in range(o.reserve)}
    if o.stock:
        piles["stock"] = named(data["stock"][::-1])
        if o.stock_to == "waste":
            piles["waste"] = named(data["waste"])
    if o.hole:
        piles["hole"] = named(data["hole"])
    if o.foundations:
        base = RANKS.index(data["base"] if o.base == RANDOM else o.base)
        order = [RANKS[(base + height) % o.max_rank] for height in range(o.max_rank)]
        for at, top in enumerate(data["foundations"], start=1):
            height = 0 if top == _EMPTY else order.index(top[0]) + 1
            own = [rank + SUITS[(at - 1) % 4] for rank in order[:height]]
            piles[f"foundation{at}"] = named(own)
    for at in range(o.accordion):
        own = data["accordion"][at] if at < len(data["accordion"]) else []
        piles[f"pile{at + 1}"] = named(own)
    places = [card for row in data.get("rows", ()) for card in row]
    return piles | {f"place{at + 1}": one(card) for at, card in enumerate(places)}


def _seen(data: Mapping[str, Any]) -> Piles:
    rules: Any = parse_ruleset(data["rules"])
    return _piles(data, rules.options)


def _slots(o: Options) -> list[list[dict[str, Any]]]:
    """The slots beside the columns, in groups: pile, its label, words for its cards."""

    def slot(pile: str, label: str, words: str, **more: Any) -> dict[str, Any]:
        return {"pile": pile, "label": label, "words": words, **more}

    stock = []
    if o.stock:
        stock.append(slot("stock", "Stock", "in the stock", down=True, count=True))
        if o.stock_to == "waste":
            stock.append(slot("waste", "Waste", "in the waste", count=True))
    cells = [
        slot(f"cell{at + 1}", f"Cell {pile_name(CELL + at)}", f"in cell {pile_name(CELL + at)}")
        for at in range(o.cells)
    ]
    reserve = [
        slot(f"reserve{at + 1}", "Reserve", "in the reserve", count=o.reserve_stacked)
        for at in range(1 if o.reserve_stacked else o.reserve)
    ]
    hole = [slot("hole", "Hole", "in the hole", count=True)] if o.hole else []
    foundations = [
        slot(f"foundation{at + 1}", "", "on its foundation", suit=SUITS[at % 4], of=o.max_rank)
        for at in range(o.suits if o.foundations else 0)
    ]
    piles = [
        slot(f"pile{at + 1}", str(at + 1), f"on pile {at + 1}", count=False)
        for at in range(o.accordion)
    ]
    places = []
    for at in range(o.sequences * o.max_rank):
        row, column = divmod(at, o.max_rank)
        words = f"at place {column + 1} of row {row + 1}"
        label = ""
        if column == 0 and o.sequence_fixed_suit:
            label = SUIT_WORDS[row_suit(row)].capitalize()
        places.append(slot(f"place{at + 1}", label, words))
    return [group for group in (stock, cells, hole, foundations, reserve, piles, places) if group]


def _layout(o: Options) -> dict[str, Any]:
    """The data of `patience.js`: the columns, and groups of slots above or beside them."""
    wide = max(o.columns, _WIDE)
    if o.accordion:
        wide = _ACCORDION_ROW
    elif o.sequences:
        wide = o.max_rank
    return {
        "columns": o.columns,
        "wide": wide,
        "groups": _slots(o),
        "won": {
            "hole": o.deck if o.hole else 0,
            "foundation": o.max_rank if o.foundations else 0,
            "pile": o.accordion,
        },
    }


def renderer(game: str) -> Renderer:
    """The renderer of a game of the family."""
    # Rulesets of a game may have more or fewer cells: the most are drawn.
    own = [rules.options for rules in get_game(game).rulesets.presets.values()]
    most = max(own, key=lambda options: int(options.cells))
    script = files("dashboard.games").joinpath("patience.js").read_text(encoding="utf-8")
    return Renderer(PatienceTable, script, _seen, layout=_layout(most))
