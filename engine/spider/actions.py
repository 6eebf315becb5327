"""Kinds of Spider moves for people."""

from engine.game import Actions
from engine.spider.moves import SpiderKind, SpiderMove
from engine.spider.referee import SpiderPosition

WORDS = {
    "row": "row dealt",
    "run": "run to another column",
    "run-reveal": "run to another column, turning a card up",
}


def is_reversible(before: SpiderPosition, move: SpiderMove) -> bool:
    """Always False, which is safe: no move is treated as reversible."""
    return False


def action_of(before: SpiderPosition, move: SpiderMove) -> str:
    """Key of `WORDS` for a legal move from a position."""
    if move.kind is SpiderKind.DEAL:
        return "row"
    revealed = len(before.play(move).down[move.source]) < len(before.down[move.source])
    return "run-reveal" if revealed else "run"


def first_alike(before: SpiderPosition, move: SpiderMove) -> SpiderMove:
    """The same move to the first empty column, once no row is to be dealt from the left."""
    if move.kind is SpiderKind.RUN and not before.stock and not before.up[move.target]:
        return move._replace(target=before.up.index(()))
    return move


ACTIONS = Actions(WORDS, action_of, is_reversible, first_alike=first_alike, stage="row")
