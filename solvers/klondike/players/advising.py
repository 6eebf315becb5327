"""Advice on a position of Klondike with hidden cards, by the search of `exact-uct`.

It begins in the middle of a game, without what it would have learned by playing there.

Before the first redeal the stock may not be seen either. With unlimited redeals it costs nothing to
look: turning the stock to its end and the waste over leads back to a position from which the same
cards can be drawn, if nothing lies in the waste, or as many cards as whole turns bring; otherwise
the cards that lie under the waste's top in the turns to come are given up, and the chance of
turning is slightly too high. So the chance of a move for a player that does not know the stock is
the mean, over all orders of the unseen cards, of the best chance after it for one that does.
`Adviser.advise` takes that mean over some orders drawn at random.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any

from engine.cards import HIDDEN as UNSEEN
from engine.klondike.moves import KlondikeKind, KlondikeMove, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.klondike.seen import fill_in, stand_in
from engine.replay import positions
from solvers.advice import Advice, Calibration
from solvers.klondike.exact.searching import BY_STOCKS
from solvers.klondike.players.exact_uct_player import (
    LAST_NODES,
    MEBIBYTES,
    ExactUctPlayer,
    moves_of,
)
from solvers.method import Values
from solvers.outcome import Result

# Orders of the unseen cards where the stock is among them; the trajectories for each position are
# this share of the usual ones.
_ORDERS = 30
_SHARE = 10
_TURNING = (KlondikeKind.TURN, KlondikeKind.REDEAL)

_LAST = {"nodes": LAST_NODES, "memory_mib": MEBIBYTES}


@dataclass(frozen=True)
class Adviser:
    """How a player advises.

    player: makes it.
    offset, slope, each_face_down: what the share of the trajectories that were won is worth as a
        chance to win; see `Calibration`. Leaves are decided with all cards known, so that shares
        are too high while many cards are hidden. Fitted by `benchmarks/hint_calibration.py --fit`
        to games of the player at draws 3 and 1.
    """

    player: Callable[[KlondikeRules, Values], ExactUctPlayer]
    offset: float
    slope: float
    each_face_down: float

    def advise(
        self, observation: Mapping[str, Any], rules: KlondikeRules, values: Values
    ) -> list[Advice]:
        """Advise on the plays from a position in mid-game; see `solvers.method.Method`."""
        values = {**values, "trajectories": max(1, values["trajectories"])}
        shown = stand_in(observation, rules)
        if UNSEEN not in observation["stock"]:
            return self._advise_on(shown, values)
        # With the same cards for all moves, their differences vary less than their chances.
        chances: dict[KlondikeMove, list[float]] = {}
        fewer = {**values, "trajectories": max(1, values["trajectories"] // _SHARE)}
        for number in range(_ORDERS):
            position = fill_in(observation, rules, Random(f"{values['random_seed']}:{number}"))
            for move in position.legal_moves():
                chance = self._best_chance(position.play(move), fewer)
                chances.setdefault(move, []).append(chance)
        found = [_mean(move, each, fewer["trajectories"]) for move, each in chances.items()]
        # Of equal chances, in per cent, a move for which the stock need not be looked at.
        return sorted(
            found,
            key=lambda each: (-round(100 * (each.chance or 0.0)), each.moves[0].kind in _TURNING),
        )

    def _best_chance(self, position: KlondikePosition, values: Values) -> float:
        """The chance of the best play for who has seen the stock, but no face-down card."""
        if position.is_won:
            return 1.0
        plays = self._advise_on(stand_in(position.observation(), position.rules), values)
        return plays[0].chance or 0.0 if plays else 0.0

    def _advise_on(self, shown: KlondikePosition, values: Values) -> list[Advice]:
        """Advise on the plays from the stand-in of what is seen, by who knows the stock."""
        player = self.player(shown.rules, values)
        player.begin_at(shown, values["random_seed"])
        if not player.sees_all:
            face_down = sum(map(len, shown.down))
            calibration = Calibration(self.offset + self.each_face_down * face_down, self.slope)
            return [
                Advice(moves_of(play, shown), wins, trajectories, calibration=calibration)
                for play, wins, trajectories in player.explore()
            ]
        # At most one card is hidden, so that the stand-in is the position itself.
        found = []
        for step in player.steps():
            moves = moves_of([step], shown)
            after = deque(positions(shown, moves), maxlen=1).pop()
            outcome = BY_STOCKS.solve_position(after, _LAST)
            decided = outcome.result in (Result.WON, Result.UNWINNABLE)
            rest = unpack_solution(outcome.moves) if outcome.moves is not None else ()
            wins = int(outcome.result == Result.WON)
            found.append(Advice(moves + rest, wins, 1, certain=decided))
        return sorted(found, key=lambda advice: (-advice.wins, len(advice.moves)))


def _mean(move: KlondikeMove, chances: list[float], trajectories: int) -> Advice:
    """The advice on a move with the mean of chances, and its standard error."""
    spread = stdev(chances) / sqrt(len(chances))
    total = trajectories * len(chances)
    return Advice((move,), round(fmean(chances) * total), total, spread=spread)
