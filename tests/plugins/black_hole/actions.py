"""Moves of Black Hole by their action."""

from black_hole.moves import BlackHoleMove
from black_hole.referee import BlackHolePosition
from engine.game import Actions


def action_of(before: BlackHolePosition, move: BlackHoleMove) -> str:
    """The action of a legal move: whether it uncovers a card."""
    return "uncover" if len(before.piles[move.pile]) > 1 else "clear"


ACTIONS = Actions(
    words={"uncover": "card uncovering another", "clear": "last card of a pile"},
    action_of=action_of,
    # A card never leaves the hole.
    is_reversible=lambda before, move: False,
)
