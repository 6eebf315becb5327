"""Renderer of Spider: the path of every card, and each move in words.

Two decks have two cards of each kind, and with fewer suits more count alike. So that the browser
can follow each, a card has a name of its own here: what it counts as and a number, such as ``QS3``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.resources import files
from itertools import chain
from typing import Any

from dashboard.elements.card_text import SUIT_WORDS, card_sign
from dashboard.viewer.renderer import Piles, Renderer, Step
from engine.cards import RANKS, SUITS
from engine.spider.deal import COLUMNS, ROWS, RUNS
from engine.spider.moves import SpiderKind, SpiderMove, move_name
from engine.spider.referee import SpiderPosition

_WHOLE_RUN = 13


class SpiderTable:
    """Table of a game of Spider; the referee says what a move did, the table tracks the cards.

    Piles are ``down1`` to ``down10`` and ``up1`` to ``up10``, ``row1`` to ``row5`` of the stock,
    the one dealt last first, and ``run1`` to ``run8`` of completed runs, king to ace.
    """

    def __init__(self, start: SpiderPosition) -> None:
        data = start.to_json()
        self._columns, self._stock, self._completed = _named(data)
        self._position = start

    @property
    def piles(self) -> Piles:
        """The cards of every pile at present."""
        depths = list(map(len, self._position.down))
        return _piles(self._columns, depths, self._stock, self._completed)

    def play(self, before: SpiderPosition, move: SpiderMove, after: SpiderPosition) -> Step:
        """Apply a legal move, given the positions before and after it."""
        self._position = after
        if move.kind is SpiderKind.DEAL:
            moved = self._stock.pop(0)
            for column, name in zip(self._columns, moved, strict=True):
                column.append(name)
        else:
            moved = self._columns[move.source][-move.cards :]
            del self._columns[move.source][-move.cards :]
            self._columns[move.target] += moved
        for number, column in enumerate(self._columns):
            if len(column) > len(after.down[number]) + len(after.up[number]):
                run = column[-_WHOLE_RUN:]
                del column[-_WHOLE_RUN:]
                self._completed.append(run)
                moved = [*moved, *(name for name in run if name not in moved)]
        sentence, foreseen = (_sentence(before, move, after, unseen) for unseen in (True, False))
        return Step(move_name(move), sentence, tuple(moved), foreseen, _gain(before, after))


def _gain(before: SpiderPosition, after: SpiderPosition) -> str:
    if sum(after.completed) > sum(before.completed):
        return "completes a run"
    for number, (past, now) in enumerate(zip(before.down, after.down, strict=True), start=1):
        if len(now) < len(past):
            return f"uncovers a card of column {number}"
    return ""


def _named(data: Mapping[str, Any]) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
    """The columns, the rows to come and the completed runs of a position's JSON.

    Each card has a name of its own.
    """
    seen: Counter[str] = Counter()

    def named(cards: Iterable[str]) -> list[str]:
        names = []
        for card in cards:
            seen[card] += 1
            names.append(f"{card}{seen[card]}")
        return names

    columns = [named((*down, *up)) for down, up in zip(data["down"], data["up"], strict=True)]
    stock = [named(row) for row in data["stock"]]
    # Runs completed before the start came from no pile of this game.
    completed = [
        named(rank + letter for rank in reversed(RANKS))
        for letter in SUITS
        for _ in range(data["completed"][letter])
    ]
    return columns, stock, completed


def _piles(
    columns: list[list[str]],
    depths: list[int],
    stock: list[list[str]],
    completed: list[list[str]],
) -> Piles:
    """The piles, given how many cards of each column lie face down."""
    piles: Piles = {}
    for number, (column, depth) in enumerate(zip(columns, depths, strict=True), start=1):
        piles[f"down{number}"] = column[:depth]
        piles[f"up{number}"] = column[depth:]
    piles |= {f"row{number + 1}": [] for number in range(ROWS)}
    piles |= {f"row{number}": row for number, row in enumerate(reversed(stock), start=1)}
    for number in range(RUNS):
        piles[f"run{number + 1}"] = completed[number] if number < len(completed) else []
    return piles


def _seen(data: Mapping[str, Any]) -> Piles:
    """The piles of a position's JSON, whose unknown cards are ``??1``, ``??2``, …"""
    columns, stock, completed = _named(data)
    return _piles(columns, [len(down) for down in data["down"]], stock, completed)


def _places(piles: Piles) -> dict[str, list[str]]:
    """The cards of each place; a completed run is its king."""
    rows = [piles[f"row{number}"] for number in range(ROWS, 0, -1)]
    runs = [piles[f"run{number}"][:1] for number in range(1, RUNS + 1)]
    columns = {
        f"column{number}": [*piles[f"down{number}"], *piles[f"up{number}"]]
        for number in range(1, COLUMNS + 1)
    }
    return {"stock": [*chain(*rows)], "completed": [*chain(*runs)], **columns}


def _sentence(before: SpiderPosition, move: SpiderMove, after: SpiderPosition, unseen: bool) -> str:
    """A legal move in words, derived from the positions before and after it.

    What cannot be foreseen by who sees only the open cards is told only with `unseen`.
    """
    if move.kind is SpiderKind.DEAL:
        words = "Deal a row"
        if not unseen:
            return words + "."
        words += f": {', '.join(map(card_sign, before.stock[0]))}"
    else:
        cards = before.up[move.source][-move.cards :]
        target = before.up[move.target]
        onto = f"onto {card_sign(target[-1])} of" if target else "to the empty"
        words = (
            f"{', '.join(map(card_sign, cards))} from column {move.source + 1} {onto} "
            f"column {move.target + 1}"
        )
    for of, (past, now) in enumerate(zip(before.completed, after.completed, strict=True)):
        if now > past:
            runs = "a run" if now == past + 1 else f"{now - past} runs"
            words += f", completing {runs} of {SUIT_WORDS[of]}, king to ace"
    turned = [
        after.up[column][-1]
        for column in range(COLUMNS)
        if len(after.down[column]) < len(before.down[column])
    ]
    if turned:
        signs = " and ".join(map(card_sign, turned))
        words += f", uncovering {signs if unseen else 'a card'}"
    return words + "."


RENDERER = Renderer(
    SpiderTable,
    files("dashboard.games").joinpath("spider.js").read_text(encoding="utf-8"),
    _seen,
    _places,
)
