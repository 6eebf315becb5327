"""Regret: the first move of a lost game after which no win was possible any more.

A win that can be reached from a position can be reached from every position before it on the way
there. So winnability is lost at most once along a game and never regained, and binary search finds
the move with a logarithmic number of calls of a solver that decides positions. Where it gives up on
a position, the last of those that it won is found all the same.

Reversible moves lose nothing, so the search skips them; each game defines its reversible moves
(`engine.game.Actions`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine import replay
from engine.errors import BadInput
from engine.game import Move, Position, Rules
from engine.games import game_of
from solvers.outcome import Result
from solvers.solver import Solver


class RegretKind(StrEnum):
    """Kind of regret of a lost game; the values are the words stored in SQL."""

    MOVE = "move"  # a move took away the last way to win
    STOPPED = "stopped"  # the player stopped although it could still win
    UNWINNABLE = "unwinnable"  # there was no way to win from the start, so nothing to regret
    UNDECIDED = "undecided"  # the solver gave up on a position that it had to decide


@dataclass(frozen=True, slots=True)
class Regret:
    """The move at which a lost game was lost.

    Attributes:
        kind: the kind of regret.
        step: number of moves before the one that lost it; the length of the game if
            the player stopped although it could still win; the number of moves after which it
            could still be won, as far as is known, where that was not decided; else None.
        action: kind of the losing move, a key of `engine.game.Actions.words`; None if
            there is none.
    """

    kind: RegretKind
    step: int | None = None
    action: str | None = None


class Reference(Protocol):
    """Whatever decides positions in mid-game, as `solvers.solver.Solver` does."""

    def decide_position(self, position: Position) -> Result: ...


def find_regret(start: Position, moves: Sequence[Move], reference: Reference) -> Regret:
    """Find the move at which a game was lost.

    Args:
        start: its first position.
        moves: the moves of the game, which was not won.
        reference: a solver that decides positions in mid-game, see `solvers.choice.Ability`.

    Raises:
        ReplayError: the referee forbids one of the moves.
        BadInput: the game was won, or the reference does not play its ruleset or such positions.
    """
    actions = game_of(start.rules).load_actions()
    positions = list(replay.positions(start, moves))
    if positions[-1].is_won:
        raise BadInput("a game that was won has no regret: expected the moves of a lost one")
    # Steps that may lose the last possible win.
    steps = [
        step for step, move in enumerate(moves) if not actions.is_reversible(positions[step], move)
    ]
    # The positions to be decided: the start, and the one after each of these steps.
    asked = [positions[0], *(positions[step + 1] for step in steps)]
    # The position before `lost` was won; that at `end` was not, and is proved lost or not.
    lost, end, is_decided = 0, len(asked), True
    while lost < end:
        middle = (lost + end) // 2
        result = reference.decide_position(asked[middle])
        if result == Result.WON:
            lost = middle + 1
        else:
            end, is_decided = middle, result == Result.UNWINNABLE
    if lost == len(asked):
        return Regret(RegretKind.STOPPED, len(moves))
    step = steps[lost - 1] if lost else None
    if not is_decided:
        return Regret(RegretKind.UNDECIDED, step)
    if step is None:
        return Regret(RegretKind.UNWINNABLE)
    return Regret(RegretKind.MOVE, step, actions.action_of(positions[step], moves[step]))


def play_again(
    cards: NDArray[np.uint8], rules: Rules, player: Solver, reference: Solver
) -> list[tuple[bytes, Regret]]:
    """Replay games that a player lost; returns the packed moves and the regret of each.

    Args:
        cards: the deals, uint8[n, cards] in flat order.
        rules: the ruleset.
        player: the player, which always plays a deal in the same way, so it loses again.
        reference: the solver that decides positions in mid-game.

    Raises:
        BadInput: a game is won this time, or the player does not report its moves.
    """
    game = game_of(rules)
    found = []
    for row, outcome in zip(cards, player.solve(cards, rules), strict=True):
        deal = game.deal(row)
        if outcome.played is None:
            raise BadInput(
                f"{player} should lose the deal {deal.digest} under {rules.slug} again, but it "
                + ("won it" if outcome.result == Result.WON else "does not report its moves")
            )
        start = game.start(deal, rules)
        regret = find_regret(start, game.unpack(outcome.played), reference)
        found.append((outcome.played, regret))
    return found
