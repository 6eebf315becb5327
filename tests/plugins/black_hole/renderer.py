"""Renderer of Black Hole: the path of every card, and each move in words."""

from importlib.resources import files

from black_hole.deal import PILES
from black_hole.moves import BlackHoleMove
from black_hole.referee import BlackHolePosition
from dashboard.elements.card_text import card_sign
from dashboard.viewer.renderer import Piles, Renderer, Step
from engine.cards import card_name


class BlackHoleTable:
    """The table of a game of Black Hole: ``hole``, and ``pile1`` to ``pile17``."""

    def __init__(self, start: BlackHolePosition) -> None:
        self._position = start

    @property
    def piles(self) -> Piles:
        """Where every card lies now."""
        piles = {"hole": self._position.hole}
        piles |= {f"pile{number + 1}": self._position.piles[number] for number in range(PILES)}
        return {name: [card_name(card) for card in cards] for name, cards in piles.items()}

    def play(
        self, before: BlackHolePosition, move: BlackHoleMove, after: BlackHolePosition
    ) -> Step:
        """Follow a legal move from the position before it to the one after it."""
        self._position = after
        card = after.hole[-1]
        answer = (
            f"{card_sign(card)} from pile {move} onto {card_sign(before.hole[-1])} of the hole."
        )
        return Step(str(move), answer, (card_name(card),))


RENDERER = Renderer(
    BlackHoleTable, files("black_hole").joinpath("table.js").read_text(encoding="utf-8")
)
