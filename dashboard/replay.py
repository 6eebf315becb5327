"""A game of Klondike as frames: every position from the referee, every move in words.

The browser draws what is computed here and knows no rules.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine.cards import RANKS, SUITS, card_name, parse_card, rank, suit
from engine.moves import Kind, Move, move_name
from engine.referee import Position
from engine.replay import ReplayError

SUIT_SIGNS = "♣♦♠♥"
SUIT_WORDS = ("clubs", "diamonds", "spades", "hearts")
_RANK_SIGNS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_CARD_NAME = re.compile(rf"\b[{RANKS}][{SUITS}]\b")


def card_sign(card: int) -> str:
    """A card as people write it: ``10♥``, ``A♠``."""
    return _RANK_SIGNS[rank(card)] + SUIT_SIGNS[suit(card)]


def with_signs(text: str) -> str:
    """A sentence with its cards as people write them: ``TC lies under QH`` → ``10♣ …``."""
    return _CARD_NAME.sub(lambda name: card_sign(parse_card(name[0])), text)


@dataclass(frozen=True, slots=True)
class Step:
    """One move as the viewer shows it.

    Attributes:
        name: the move's text, such as ``W4``.
        sentence: the move in words.
        moved: the cards that changed place, named as in the frames; none for a redeal.
    """

    name: str
    sentence: str
    moved: tuple[str, ...]


def frame(position: Position) -> dict[str, Any]:
    """What the viewer draws of a position: lists of card names and the foundations' heights."""
    data = position.to_json()
    return {name: data[name] for name in ("down", "up", "foundations", "stock", "waste")}


def frames(start: Position, moves: Iterable[Move]) -> tuple[list[dict[str, Any]], list[Step]]:
    """The start and the position after each move, and the moves between them.

    Returns:
        n + 1 frames and n steps.

    Raises:
        ReplayError: the referee forbids one of the moves; the sentence says which and why.
    """
    positions, steps, position = [frame(start)], [], start
    for number, move in enumerate(moves, start=1):
        reason = position.why_illegal(move)
        if reason is not None:
            raise ReplayError(number, move, reason)
        after = position.play(move)
        steps.append(describe(position, move, after))
        positions.append(frame(after))
        position = after
    return positions, steps


def describe(before: Position, move: Move, after: Position) -> Step:
    """A legal move in words, told from the positions on both sides of it."""
    moved = _moved(before, move, after)
    sentence = _sentence(before, move, moved)
    if move.kind in (Kind.UP, Kind.RUN) and before.down[move.source]:
        column = move.source
        if len(after.down[column]) < len(before.down[column]):
            sentence += f", uncovering {card_sign(after.up[column][-1])}"
    return Step(move_name(move), sentence + ".", tuple(card_name(card) for card in moved))


def _moved(before: Position, move: Move, after: Position) -> tuple[int, ...]:
    match move.kind:
        case Kind.TURN:
            return after.waste[len(before.waste) :]
        case Kind.REDEAL:
            return ()
        case Kind.WASTE_UP:
            return before.waste[-1:]
        case Kind.UP:
            return before.up[move.source][-1:]
        case Kind.WASTE_DOWN | Kind.DOWN | Kind.RUN:
            return after.up[move.target][len(before.up[move.target]) :]


def _sentence(before: Position, move: Move, moved: tuple[int, ...]) -> str:
    cards = ", ".join(card_sign(card) for card in moved)
    match move.kind:
        case Kind.TURN:
            count = "one card" if len(moved) == 1 else f"{len(moved)} cards"
            return f"Turn {count} from the stock: {cards}"
        case Kind.REDEAL:
            return f"Turn the waste of {len(before.waste)} cards over into a new stock"
        case Kind.WASTE_UP:
            return f"{cards} from the waste to its foundation"
        case Kind.UP:
            return f"{cards} from column {move.source + 1} to its foundation"
        case Kind.WASTE_DOWN:
            return f"{cards} from the waste {_onto(before, move.target)}"
        case Kind.DOWN:
            return (
                f"{cards} back from the {SUIT_WORDS[move.source]} foundation "
                f"{_onto(before, move.target)}"
            )
        case Kind.RUN:
            return f"{cards} from column {move.source + 1} {_onto(before, move.target)}"


def _onto(before: Position, column: int) -> str:
    if not before.up[column]:
        return f"to the empty column {column + 1}"
    return f"onto {card_sign(before.up[column][-1])} of column {column + 1}"
