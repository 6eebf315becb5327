"""Regret: the first move of a lost game after which no win was possible any more.

A win that can be reached from a position can be reached from every position before it on the way
there. So along a game winnability is lost at most once and never comes back, and a search by halves
finds where, asking a solver that decides positions about a logarithm of the game's positions.

Some moves need no question because they can be taken back. Under unlimited redeals these are:

- *A redeal.* Turning the whole stock again brings every card back to where it lay.
- *A turn of the stock from a waste of a multiple of `draw` cards*, none included. Turn on to the
  end, redeal, and turn as often as it takes: the same waste lies there again, since every turn
  before the last of a pass takes `draw` cards.

Any other turn may lose the game. From a waste of two cards under draw 3, of whose third was played,
the second can be played now; after a turn it is not on top again until another card of the stock
has left. Such turns are asked about like plays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from engine.deals import KlondikeDeal
from engine.errors import BadInput
from engine.moves import Kind, Move, unpack_solution
from engine.referee import Position
from engine.replay import ReplayError
from engine.rulesets import KlondikeRules
from solvers.outcome import Result
from solvers.registry import Solver


class RegretKind(StrEnum):
    """How a lost game stands to winning; the values are the words stored in SQL."""

    MOVE = "move"  # a move took away the last way to win
    STOPPED = "stopped"  # the player stopped although it could still win
    UNWINNABLE = "unwinnable"  # there was no way to win from the start, so nothing to regret
    UNDECIDED = "undecided"  # the solver gave up on a position that it had to decide


class Action(StrEnum):
    """What a move does, and whether it turns a face-down card up."""

    TURN = "turn"
    REDEAL = "redeal"
    WASTE_UP = "waste-up"
    WASTE_DOWN = "waste-down"
    UP = "up"
    UP_REVEAL = "up-reveal"
    DOWN = "down"
    RUN = "run"
    RUN_REVEAL = "run-reveal"


ACTION_WORDS = {
    Action.TURN: "stock turned, burying a card of the waste",
    Action.REDEAL: "waste turned over",
    Action.WASTE_UP: "stock card to its foundation",
    Action.WASTE_DOWN: "stock card to the tableau",
    Action.UP: "tableau card to its foundation",
    Action.UP_REVEAL: "tableau card to its foundation, turning a card up",
    Action.DOWN: "foundation card back to the tableau",
    Action.RUN: "run within the tableau",
    Action.RUN_REVEAL: "run within the tableau, turning a card up",
}
_PLAIN = {kind: Action[kind.name] for kind in Kind}
_REVEALING = {Kind.UP: Action.UP_REVEAL, Kind.RUN: Action.RUN_REVEAL}


@dataclass(frozen=True, slots=True)
class Regret:
    """Where a lost game was lost.

    Attributes:
        kind: what there is to regret.
        step: how many moves were made before the one that lost it; the length of the game where
            the player stopped although it could still win; else None.
        action: what the losing move did; None where there is none.
    """

    kind: RegretKind
    step: int | None = None
    action: Action | None = None


def find_regret(start: Position, moves: Sequence[Move], judge: Solver) -> Regret:
    """Where a game was lost.

    Args:
        start: its first position.
        moves: the standard moves of the game, which was not won.
        judge: a solver that decides positions in mid-game, such as `exact`.

    Raises:
        ReplayError: the referee forbids one of the moves.
        BadInput: the game was won, or the judge does not play its ruleset or such positions.
    """
    positions = line(start, moves)
    if positions[-1].is_won:
        raise BadInput("a game that was won has no regret: expected the moves of a lost one")
    # Steps before which a win may be possible that is none afterwards.
    steps = [
        step for step, move in enumerate(moves) if not can_be_taken_back(positions[step], move)
    ]
    # What is asked about: the start, and what each of these steps leads to.
    asked = [positions[0], *(positions[step + 1] for step in steps)]
    lost, end = 0, len(asked)
    while lost < end:
        middle = (lost + end) // 2
        result = judge.solve_position(asked[middle]).result
        if result == Result.WON:
            lost = middle + 1
        elif result == Result.UNWINNABLE:
            end = middle
        else:
            return Regret(RegretKind.UNDECIDED)
    if lost == 0:
        return Regret(RegretKind.UNWINNABLE)
    if lost == len(asked):
        return Regret(RegretKind.STOPPED, len(moves))
    step = steps[lost - 1]
    return Regret(RegretKind.MOVE, step, action_of(positions[step], moves[step]))


def play_again(
    cards: NDArray[np.uint8], rules: KlondikeRules, player: Solver, judge: Solver
) -> list[tuple[bytes, Regret]]:
    """Play games again that a player lost; the packed moves and the regret of each.

    Args:
        cards: the deals, uint8[n, 52] in flat order.
        rules: the ruleset.
        player: it plays the same deal in the same way always, so it loses again.
        judge: a solver that decides positions in mid-game.

    Raises:
        BadInput: a game is won this time, or the player does not tell how it played.
    """
    found = []
    for row, outcome in zip(cards, player.solve(cards, rules), strict=True):
        deal = KlondikeDeal.of(row)
        if outcome.played is None:
            raise BadInput(
                f"{player} was to lose the deal {deal.digest} under {rules.slug} again, but "
                + ("won it" if outcome.result == Result.WON else "does not tell its moves")
            )
        start = Position.start(deal, rules)
        regret = find_regret(start, unpack_solution(outcome.played), judge)
        found.append((outcome.played, regret))
    return found


def can_be_taken_back(before: Position, move: Move) -> bool:
    """Whether the stock alone leads back from after a move to before it: the module says when."""
    if before.rules.redeals is not None:
        return False
    if move.kind is Kind.TURN:
        return len(before.waste) % before.rules.draw == 0
    return move.kind is Kind.REDEAL


def action_of(before: Position, move: Move) -> Action:
    """What a legal move does from a position."""
    if move.kind in _REVEALING:
        column = move.source
        hidden = len(before.play(move).down[column])
        if hidden < len(before.down[column]):
            return _REVEALING[move.kind]
    return _PLAIN[move.kind]


def line(start: Position, moves: Sequence[Move]) -> list[Position]:
    """The start and the position after each move: n + 1 positions.

    Raises:
        ReplayError: at the first illegal move.
    """
    positions = [start]
    for number, move in enumerate(moves, start=1):
        reason = positions[-1].why_illegal(move)
        if reason is not None:
            raise ReplayError(number, move, reason)
        positions.append(positions[-1].play(move))
    return positions
