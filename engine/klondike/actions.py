"""Kinds of Klondike moves for people, and the moves that can be undone.

Under unlimited redeals, these moves can be undone:

- *A redeal.* Turning the whole stock again brings every card back to where it lay.
- *A turn of the stock from a waste of a multiple of `draw` cards*, none included. Turn on to the
  end, redeal, and turn as often as it takes: the same waste lies there again, since every turn
  before the last of a pass takes `draw` cards.

Any other turn may lose the game. From a waste of two cards under draw 3, of whose third was played,
the second can be played now; after a turn it is not on top again until another card of the stock
has left.
"""

from engine.game import Actions
from engine.klondike.moves import KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition

# By the name of the move's kind, and whether the move turns a face-down card up.
WORDS = {
    "turn": "stock turned, burying a card of the waste",
    "redeal": "waste turned over",
    "waste-up": "stock card to its foundation",
    "waste-down": "stock card to the tableau",
    "up": "tableau card to its foundation",
    "up-reveal": "tableau card to its foundation, turning a card up",
    "down": "foundation card back to the tableau",
    "run": "run within the tableau",
    "run-reveal": "run within the tableau, turning a card up",
}


def is_reversible(before: KlondikePosition, move: KlondikeMove) -> bool:
    """Whether turns of the stock alone undo a move, see the module docstring."""
    if before.rules.redeals is not None:
        return False
    if move.kind is KlondikeKind.TURN:
        return len(before.waste) % before.rules.draw == 0
    return move.kind is KlondikeKind.REDEAL


def action_of(before: KlondikePosition, move: KlondikeMove) -> str:
    """Key of `WORDS` for a legal move from a position."""
    action = move.kind.name.lower().replace("_", "-")
    if move.kind in (KlondikeKind.UP, KlondikeKind.RUN):
        column = move.source
        if len(before.play(move).down[column]) < len(before.down[column]):
            return f"{action}-reveal"
    return action


ACTIONS = Actions(WORDS, action_of, is_reversible)
