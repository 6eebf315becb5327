"""A game of Spider as frames: every position from the referee, every move in words.

The browser draws what is computed here and knows no rules. Two decks have two cards of each kind,
and with fewer suits told apart more; so that the browser can follow each, a card has a name of its
own here: what it counts as and a number, such as ``QS3``.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from dashboard.replay import SUIT_WORDS, Step, card_sign
from engine.cards import card_name
from engine.replay import ReplayError
from engine.spider import COLUMNS
from engine.spider_moves import SpiderKind, SpiderMove, move_name
from engine.spider_referee import SpiderPosition

_WHOLE_RUN = 13


class Table:
    """Where each card of a game lies; the referee says what a move did, this follows the cards.

    Attributes:
        columns: names of the cards of each column, bottom to top.
        stock: names of the cards of each row still to come, the next one first.
        gone: names of the cards of each run that has left, king to ace.
    """

    def __init__(self, start: SpiderPosition) -> None:
        seen: Counter[int] = Counter()

        def named(cards: Sequence[int]) -> list[str]:
            names = []
            for card in cards:
                seen[card] += 1
                names.append(f"{card_name(card)}{seen[card]}")
            return names

        self.columns = [named((*down, *up)) for down, up in zip(start.down, start.up, strict=True)]
        self.stock = [named(row) for row in start.stock]
        # What left before the start has no place that it came from.
        self.gone = [
            named([4 * rank + of for rank in reversed(range(_WHOLE_RUN))])
            for of, times in enumerate(start.removed)
            for _ in range(times)
        ]

    def play(self, move: SpiderMove, after: SpiderPosition) -> list[str]:
        """Follow a legal move to the position after it; the names of the cards that moved."""
        if move.kind is SpiderKind.DEAL:
            moved = self.stock.pop(0)
            for column, name in zip(self.columns, moved, strict=True):
                column.append(name)
        else:
            moved = self.columns[move.source][-move.cards :]
            del self.columns[move.source][-move.cards :]
            self.columns[move.target] += moved
        for number, column in enumerate(self.columns):
            if len(column) > len(after.down[number]) + len(after.up[number]):
                run = column[-_WHOLE_RUN:]
                del column[-_WHOLE_RUN:]
                self.gone.append(run)
                moved = [*moved, *(name for name in run if name not in moved)]
        return moved

    def frame(self, position: SpiderPosition) -> dict[str, Any]:
        """What the viewer draws: names of the cards that lie down and up, to come and gone."""
        depths = [len(down) for down in position.down]
        return {
            "down": [column[:depth] for column, depth in zip(self.columns, depths, strict=True)],
            "up": [column[depth:] for column, depth in zip(self.columns, depths, strict=True)],
            "stock": [list(row) for row in self.stock],
            "gone": [list(run) for run in self.gone],
        }


def frame(position: SpiderPosition) -> dict[str, Any]:
    """What the viewer draws of one position."""
    return Table(position).frame(position)


def frames(
    start: SpiderPosition, moves: Iterable[SpiderMove]
) -> tuple[list[dict[str, Any]], list[Step]]:
    """The start and the position after each move, and the moves between them.

    Returns:
        n + 1 frames and n steps.

    Raises:
        ReplayError: the referee forbids one of the moves; the sentence says which and why.
    """
    table, position = Table(start), start
    positions: list[dict[str, Any]] = [table.frame(start)]
    steps = []
    for number, move in enumerate(moves, start=1):
        reason = position.why_illegal(move)
        if reason is not None:
            raise ReplayError(number, move, reason)
        after = position.play(move)
        moved = tuple(table.play(move, after))
        steps.append(Step(move_name(move), sentence(position, move, after), moved))
        positions.append(table.frame(after))
        position = after
    return positions, steps


def sentence(before: SpiderPosition, move: SpiderMove, after: SpiderPosition) -> str:
    """A legal move in words, told from the positions on both sides of it."""
    if move.kind is SpiderKind.DEAL:
        told = f"Deal a row: {', '.join(map(card_sign, before.stock[0]))}"
    else:
        cards = before.up[move.source][-move.cards :]
        target = before.up[move.target]
        onto = f"onto {card_sign(target[-1])} of" if target else "to the empty"
        told = (
            f"{', '.join(map(card_sign, cards))} from column {move.source + 1} {onto} "
            f"column {move.target + 1}"
        )
    for of, (past, now) in enumerate(zip(before.removed, after.removed, strict=True)):
        if now > past:
            runs = "a run" if now == past + 1 else f"{now - past} runs"
            told += f", completing {runs} of {SUIT_WORDS[of]}, king to ace"
    turned = [
        after.up[column][-1]
        for column in range(COLUMNS)
        if len(after.down[column]) < len(before.down[column])
    ]
    if turned:
        told += f", uncovering {' and '.join(map(card_sign, turned))}"
    return told + "."
