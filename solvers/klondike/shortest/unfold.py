"""Standard moves of the steps of a search for shortest solutions, played by the referee."""

from engine.cards import rank, suit
from engine.cardset import BIT_OF_CARD, CARD_OF_BIT
from engine.klondike.moves import REDEAL, TURN, WASTE_UP, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from solvers.klondike.shortest.steps import DOWN, NO_TARGET, RUN, SPLIT, STOCK_DOWN, STOCK_UP, UP


class StepPlayer:
    """A position on which steps are played, and the standard moves made."""

    def __init__(self, start: KlondikePosition) -> None:
        self.position = start
        self.moves: list[KlondikeMove] = []

    def play(self, play: int, up: int) -> None:
        """Play a step: a play of `expand`, and the cards that go up after it.

        Args:
            play: as `expand` gives it.
            up: the set of cards on the foundations after the step.
        """
        kind, bit, target = play >> 12, play >> 6 & 63, play & 63
        card = int(CARD_OF_BIT[bit])
        if kind in (STOCK_UP, STOCK_DOWN):
            self._turn_to(card)
        if kind == STOCK_UP:
            self._move(WASTE_UP)
        elif kind == STOCK_DOWN:
            self._move(KlondikeMove(KlondikeKind.WASTE_DOWN, 0, self._place(target)))
        elif kind == DOWN:
            self._move(KlondikeMove(KlondikeKind.DOWN, suit(card), self._place(target)))
        elif kind in (RUN, SPLIT):
            to = self._place(target)
            self._move(KlondikeMove(KlondikeKind.RUN, self._column(card), to))
            if kind == SPLIT:
                self._up(int(CARD_OF_BIT[target ^ 1]))
        elif kind == UP:
            self._up(card)
        while True:
            # Those that are safe, in any order in which they can go.
            tops = [column[-1] for column in self.position.up if column]
            ready = [
                top
                for top in tops
                if up >> int(BIT_OF_CARD[top]) & 1
                and self.position.foundations[suit(top)] == rank(top)
            ]
            if not ready:
                return
            self._up(ready[0])

    def _move(self, move: KlondikeMove) -> None:
        self.position = self.position.play(move)
        self.moves.append(move)

    def _turn_to(self, card: int) -> None:
        while not self.position.waste or self.position.waste[-1] != card:
            self._move(TURN if self.position.stock else REDEAL)

    def _up(self, card: int) -> None:
        self._move(KlondikeMove(KlondikeKind.UP, self._column(card)))

    def _column(self, card: int) -> int:
        """The column in which a card lies face up."""
        return next(at for at, column in enumerate(self.position.up) if card in column)

    def _place(self, target: int) -> int:
        """The column with a card, or an empty one."""
        if target == NO_TARGET:
            return next(at for at, column in enumerate(self.position.up) if not column)
        return self._column(int(CARD_OF_BIT[target]))
