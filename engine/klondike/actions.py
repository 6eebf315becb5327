"""Kinds of Klondike moves for people, the moves that can be undone, and those that are safe.

Under unlimited redeals, these moves can be undone:

- *A redeal.* Turning the whole stock again brings every card back to where it lay.
- *A turn of the stock from a waste of a multiple of `draw` cards*, none included. Turn on to the
  end, redeal, and turn as often as it takes: the same waste lies there again, since every turn
  before the last of a pass takes `draw` cards.

Any other turn may lose the game. From a waste of two cards under draw 3, of whose third was played,
the second can be played now; after a turn it is not on top again until another card of the stock
has left.

*A card goes up safely* when both foundations of the other colour hold all cards down to two ranks
below it, and that of its twin, the other suit of its colour, all down to three ranks below it. Let
W be the cards of its suit up to its rank, those of the other colour below its rank, and those of
its twin's suit two ranks below it and less. What lies on a card of W in a column is in W, and of
each suit at most one card of W is not up, which follows next. So the moves of a win can be made
after the card has gone up, with one change: no card of W comes down, and where one would move for
the first time it goes up instead, after those that lie on it. The rest of the table is as in the
win: the other cards of a column lie as they did, are turned up no later, and an empty column is as
empty. `docs/search/steps.md` has the proof under *Safe*; it needs none of the options:

- *Redeals.* Where the win turns or redeals, so does the changed line.
- *Whole runs.* The face-up cards of a column are those of the win without its last ones, which are
  of W. A card that has been turned up early is not moved before it is turned up in the win, too.
- *No worrying back.* The changed line brings no card back that the win leaves up.

- *What goes to empty columns.* Where the win lays a card of W there, the changed line leaves the
  column empty; columns may have other numbers then.

Where any suit is built on any, W are the cards of its suit up to its rank and all others below its
rank, and all foundations must hold all cards down to two ranks below it. Where each suit is built
on itself, W are the cards of its suit up to its rank: it is always safe.

*A card of the waste is safe at draw 1 alone*, again whatever the redeals: the changed line leaves
out the turns that turned it up, so that the same cards come up, and the stock is empty at the same
moments. With more cards a turn, the cards after it would come up in other threes.
"""

from engine.cards import is_red, rank, suit, twin
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
    "part": "cards of a column to an empty one",
    "part-reveal": "cards of a column to an empty one, turning a card up",
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
    if move.kind in (KlondikeKind.UP, KlondikeKind.RUN, KlondikeKind.PART):
        column = move.source
        if len(before.play(move).down[column]) < len(before.down[column]):
            return f"{action}-reveal"
    return action


def is_safe(before: KlondikePosition, move: KlondikeMove) -> bool:
    """Whether a legal move sends a card up that is never needed again, see the module docstring."""
    if move.kind is KlondikeKind.UP:
        card = before.up[move.source][-1]
    elif move.kind is KlondikeKind.WASTE_UP and before.rules.draw == 1:
        card = before.waste[-1]
    else:
        return False
    up = before.foundations
    if before.rules.building == "same-suit":
        return True
    if before.rules.building == "any-suit":
        return min(up) >= rank(card) - 1
    others = (each for each in range(4) if is_red(each) != is_red(card))
    return up[suit(twin(card))] >= rank(card) - 2 and all(
        up[other] >= rank(card) - 1 for other in others
    )


def first_alike(before: KlondikePosition, move: KlondikeMove) -> KlondikeMove:
    """The same move to the first empty column; no rule tells columns apart."""
    onto_column = move.kind in (KlondikeKind.WASTE_DOWN, KlondikeKind.DOWN, KlondikeKind.RUN)
    if onto_column and not before.up[move.target]:
        return move._replace(target=before.up.index(()))
    return move


ACTIONS = Actions(WORDS, action_of, is_reversible, is_safe, first_alike=first_alike)
