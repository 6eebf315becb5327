"""Renderer of Klondike: piles from the referee's positions, and each move in words."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import count
from typing import Any

from dashboard.elements.card_text import SUIT_WORDS, card_sign
from dashboard.viewer.renderer import Piles, Renderer, Step
from engine.cards import HIDDEN, RANKS, SUITS, card_name
from engine.klondike.deal import COLUMNS
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
        return _piles(self._position.to_json())

    def play(self, before: KlondikePosition, move: KlondikeMove, after: KlondikePosition) -> Step:
        """Apply a legal move, given the positions before and after it."""
        self._position = after
        moved = _moved(before, move, after)
        sentence = _sentence(before, move, moved)
        foreseen = sentence
        if move.kind is KlondikeKind.TURN:
            foreseen = "Turn the stock"
        gain = ""
        if sum(after.foundations) > sum(before.foundations):
            gain = "brings a card to its foundation"
        leaves = (KlondikeKind.UP, KlondikeKind.RUN, KlondikeKind.PART)
        if move.kind in leaves and before.down[move.source]:
            column = move.source
            if len(after.down[column]) < len(before.down[column]):
                sentence += f", uncovering {card_sign(after.up[column][-1])}"
                foreseen += ", uncovering a card"
                gain = f"uncovers a card of column {column + 1}"
        names = tuple(card_name(card) for card in moved)
        return Step(move_name(move), sentence + ".", names, foreseen + ".", gain)


def _piles(data: Mapping[str, Any]) -> Piles:
    """The piles of a position's JSON."""
    numbers = count(1)

    def named(cards: Iterable[str]) -> list[str]:
        return [f"{HIDDEN}{next(numbers)}" if card == HIDDEN else card for card in cards]

    piles = {"stock": named(reversed(data["stock"])), "waste": list(data["waste"])}
    for number, (down, up) in enumerate(zip(data["down"], data["up"], strict=True), start=1):
        piles |= {f"down{number}": named(down), f"up{number}": list(up)}
    for letter in SUITS:
        height = data["foundations"][letter]
        piles[f"foundation{letter}"] = [rank + letter for rank in RANKS[:height]]
    return piles


def _places(piles: Piles) -> dict[str, list[str]]:
    """The cards of each place: of a foundation the top, of the stock the next card first."""
    columns = {
        f"column{number}": [*piles[f"down{number}"], *piles[f"up{number}"]]
        for number in range(1, COLUMNS + 1)
    }
    tops = {letter: piles[f"foundation{letter}"][-1:] for letter in SUITS}
    return {"stock": piles["stock"][::-1], "waste": piles["waste"], **columns, **tops}


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
    KlondikeTable,
    files("dashboard.games").joinpath("klondike.js").read_text(encoding="utf-8"),
    _piles,
    _places,
)
