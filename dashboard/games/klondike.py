"""Renderer of Klondike: piles from the referee's positions, and each move in words."""

from collections.abc import Iterable, Sequence
from importlib.resources import files

from dashboard.elements.card_text import SUIT_WORDS, card_sign
from dashboard.viewer.renderer import Piles, Renderer, Step
from engine.cards import SUITS, card_name, make_card
from engine.klondike.moves import KlondikeKind, KlondikeMove, move_name
from engine.klondike.referee import KlondikePosition


class KlondikeTable:
    """Table of a game of Klondike.

    Piles are ``down1`` to ``down7`` and ``up1`` to ``up7``, ``stock`` with the next card last,
    ``waste``, and ``foundationC`` to ``foundationH``.
    """

    def __init__(self, start: KlondikePosition) -> None:
        self._position = start

    @property
    def piles(self) -> Piles:
        """The cards of every pile at present."""
        at = self._position
        piles = {
            "stock": _names(reversed(at.stock)),
            "waste": _names(at.waste),
        }
        for number, (down, up) in enumerate(zip(at.down, at.up, strict=True), start=1):
            piles[f"down{number}"] = _names(down)
            piles[f"up{number}"] = _names(up)
        for suit, (letter, height) in enumerate(zip(SUITS, at.foundations, strict=True)):
            piles[f"foundation{letter}"] = _names(make_card(rank, suit) for rank in range(height))
        return piles

    def play(self, before: KlondikePosition, move: KlondikeMove, after: KlondikePosition) -> Step:
        """Apply a legal move, given the positions before and after it."""
        self._position = after
        moved = _moved(before, move, after)
        sentence = _sentence(before, move, moved)
        foreseen = sentence
        if move.kind is KlondikeKind.TURN:
            foreseen = f"Turn {_many(moved)} from the stock"
        leaves = (KlondikeKind.UP, KlondikeKind.RUN, KlondikeKind.PART)
        if move.kind in leaves and before.down[move.source]:
            column = move.source
            if len(after.down[column]) < len(before.down[column]):
                sentence += f", uncovering {card_sign(after.up[column][-1])}"
                foreseen += ", uncovering a card"
        names = tuple(card_name(card) for card in moved)
        return Step(move_name(move), sentence + ".", names, foreseen + ".")


def _names(cards: Iterable[int]) -> list[str]:
    return [card_name(card) for card in cards]


def _moved(
    before: KlondikePosition, move: KlondikeMove, after: KlondikePosition
) -> tuple[int, ...]:
    match move.kind:
        case KlondikeKind.TURN:
            return after.waste[len(before.waste) :]
        case KlondikeKind.REDEAL:
            return ()
        case KlondikeKind.WASTE_UP:
            return before.waste[-1:]
        case KlondikeKind.UP:
            return before.up[move.source][-1:]
        case KlondikeKind.WASTE_DOWN | KlondikeKind.DOWN | KlondikeKind.RUN:
            return after.up[move.target][len(before.up[move.target]) :]
        case KlondikeKind.PART:
            return before.up[move.source][-move.cards :]


def _sentence(before: KlondikePosition, move: KlondikeMove, moved: tuple[int, ...]) -> str:
    cards = ", ".join(card_sign(card) for card in moved)
    match move.kind:
        case KlondikeKind.TURN:
            return f"Turn {_many(moved)} from the stock: {cards}"
        case KlondikeKind.REDEAL:
            return f"Turn the waste of {len(before.waste)} cards over into a new stock"
        case KlondikeKind.WASTE_UP:
            return f"{cards} from the waste to its foundation"
        case KlondikeKind.UP:
            return f"{cards} from column {move.source + 1} to its foundation"
        case KlondikeKind.WASTE_DOWN:
            return f"{cards} from the waste {_onto(before, move.target)}"
        case KlondikeKind.DOWN:
            return (
                f"{cards} back from the {SUIT_WORDS[move.source]} foundation "
                f"{_onto(before, move.target)}"
            )
        case KlondikeKind.RUN:
            return f"{cards} from column {move.source + 1} {_onto(before, move.target)}"
        case KlondikeKind.PART:
            target = before.up.index(())
            return f"{cards} from column {move.source + 1} {_onto(before, target)}"


def _many(cards: Sequence[int]) -> str:
    return "one card" if len(cards) == 1 else f"{len(cards)} cards"


def _onto(before: KlondikePosition, column: int) -> str:
    if not before.up[column]:
        return f"to the empty column {column + 1}"
    return f"onto {card_sign(before.up[column][-1])} of column {column + 1}"


RENDERER = Renderer(
    KlondikeTable, files("dashboard.games").joinpath("klondike.js").read_text(encoding="utf-8")
)
