"""The safe moves that can be made from a position without asking the player."""

from typing import Any

from engine.game import Position
from engine.games import game_of
from engine.replay import replay


def finishing_moves(position: Position) -> list[Any]:
    """The moves that win without a choice, safe ones or all to foundations; empty if none do."""
    actions = game_of(position.rules).load_actions()
    made = safe_moves(position)
    ended = replay(position, made)
    while not ended.is_won:
        legal = ended.legal_moves()
        move = next((each for each in legal if actions.action_of(ended, each) in actions.ups), None)
        if move is None:
            return []
        made.append(move)
        ended = ended.play(move)
    return made


def safe_moves(position: Position) -> list[Any]:
    """The moves proved to lose no win, one after another, until none is left.

    None for a game, or under rules, of which no such move is proved (`Actions.is_safe`).
    """
    is_safe = game_of(position.rules).load_actions().is_safe
    made: list[Any] = []
    while True:
        move = next((each for each in position.legal_moves() if is_safe(position, each)), None)
        if move is None:
            return made
        made.append(move)
        position = position.play(move)
