"""Naive twin of `solvers.klondike.exact.unfold`: the same choices on Python lists of cards."""

from engine.cards import KING, rank, suit, twin
from engine.cardset import CARD_OF_BIT
from engine.klondike.moves import REDEAL, TURN, WASTE_UP, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from solvers.klondike.exact import position as kernel


def naive_unfold(start: KlondikePosition, line: list[int]) -> tuple[KlondikeMove, ...]:
    """The standard moves for a line of steps from `start`.

    Args:
        start: the position the search began at.
        line: its steps, each ``kind << 6 | bit of the card``.
    """
    table = _Table(start)
    for step in line:
        card = int(CARD_OF_BIT[step & 63])
        kind = step >> 6
        if kind in (kernel.STOCK_UP, kernel.STOCK_DOWN):
            table.draw_to(card)
        if kind in (kernel.HEAD_UP, kernel.LOOSE_UP):
            table.lift(card)
        elif kind == kernel.STOCK_UP:
            table.waste.pop()
            table.moves.append(WASTE_UP)
        else:
            table.place(card)
    return tuple(table.moves)


class _Table:
    """The piles during play, each from bottom to top, and the moves made so far."""

    def __init__(self, start: KlondikePosition) -> None:
        self.turned_at_once = start.rules.draw
        self.columns = [[*d, *u] for d, u in zip(start.down, start.up, strict=True)]
        self.column_of = {card: k for k, pile in enumerate(self.columns) for card in pile}
        self.stock = list(reversed(start.stock))  # the next card last
        self.waste = list(start.waste)
        self.moves: list[KlondikeMove] = []

    def draw_to(self, card: int) -> None:
        """Turn the stock, and the waste over if need be, until `card` can be played."""
        while not self.waste or self.waste[-1] != card:
            if not self.stock:
                self.stock = self.waste[::-1]
                self.waste = []
                self.moves.append(REDEAL)
            self.moves.append(TURN)
            for _ in range(min(self.turned_at_once, len(self.stock))):
                self.waste.append(self.stock.pop())

    def lift(self, card: int) -> None:
        """Move a visible card up, after what lies on it has gone to its twin."""
        column = self.column_of[card]
        if self.columns[column][-1] != card:
            self._shift(column, self.columns[column].index(card) + 1, self.column_of[twin(card)])
        self.columns[column].pop()
        del self.column_of[card]
        self.moves.append(KlondikeMove(KlondikeKind.UP, column, 0))

    def place(self, card: int) -> None:
        """Move a card, with what lies on it, to a bare parent, or a king to an empty column."""
        target = self._place_for(card)
        if card in self.column_of:
            column = self.column_of[card]
            self._shift(column, self.columns[column].index(card), target)
            return
        if self.waste and self.waste[-1] == card:
            self.waste.pop()
            self.moves.append(KlondikeMove(KlondikeKind.WASTE_DOWN, 0, target))
        else:
            self.moves.append(KlondikeMove(KlondikeKind.DOWN, suit(card), target))
        self.columns[target].append(card)
        self.column_of[card] = target

    def _place_for(self, card: int) -> int:
        for column, pile in enumerate(self.columns):
            if rank(card) == KING:
                if not pile:
                    return column
            elif pile and rank(pile[-1]) == rank(card) + 1 and (pile[-1] ^ card) & 1:
                return column
        raise AssertionError(f"the search placed card {card} where there is no place for it")

    def _shift(self, source: int, at: int, target: int) -> None:
        run = self.columns[source][at:]
        del self.columns[source][at:]
        self.columns[target].extend(run)
        for card in run:
            self.column_of[card] = target
        self.moves.append(KlondikeMove(KlondikeKind.RUN, source, target))
