"""Renderer of Spider: the path of every card, and each move in words.

Two decks have two cards of each kind, and with fewer suits more count alike. So that the browser
can follow each, a card has a name of its own here: what it counts as and a number, such as ``QS3``.
"""

from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

from dashboard.elements.card_text import SUIT_WORDS, card_sign
from dashboard.viewer.renderer import Piles, Renderer, Step
from engine.cards import card_name, make_card
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
        seen: Counter[int] = Counter()

        def named(cards: Sequence[int]) -> list[str]:
            names = []
            for card in cards:
                seen[card] += 1
                names.append(f"{card_name(card)}{seen[card]}")
            return names

        self._columns = [named((*down, *up)) for down, up in zip(start.down, start.up, strict=True)]
        self._stock = [named(row) for row in start.stock]
        # Runs completed before the start came from no pile of this game.
        self._completed = [
            named([make_card(rank, suit) for rank in reversed(range(_WHOLE_RUN))])
            for suit, times in enumerate(start.completed)
            for _ in range(times)
        ]
        self._position = start

    @property
    def piles(self) -> Piles:
        """The cards of every pile at present."""
        piles: Piles = {}
        for number, column in enumerate(self._columns):
            depth = len(self._position.down[number])
            piles[f"down{number + 1}"] = column[:depth]
            piles[f"up{number + 1}"] = column[depth:]
        piles |= {f"row{number + 1}": [] for number in range(ROWS)}
        piles |= {f"row{number}": row for number, row in enumerate(reversed(self._stock), start=1)}
        for number in range(RUNS):
            own = self._completed[number] if number < len(self._completed) else []
            piles[f"run{number + 1}"] = own
        return piles

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
        return Step(move_name(move), sentence, tuple(moved), foreseen)


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
    SpiderTable, files("dashboard.games").joinpath("spider.js").read_text(encoding="utf-8")
)
