"""Regret in the catalogue: which lost games could have been won, and which move lost each."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.regret.games import PlayedGames, blocks, row_key
from catalogue.schema import OutcomeRow, RegretRow, StatusRow, same_outcome
from catalogue.statistics import Interval, clopper_pearson
from catalogue.store import Catalogue
from solvers.outcome import Result

LEVEL = 0.99


@dataclass(frozen=True, slots=True)
class Regrets:
    """What the catalogue knows of the games of a player, of those it lost above all.

    Attributes:
        games: whose, on which deals.
        attempted: deals of the sample that it has played.
        lost: of these, how many it lost.
        winnable: of those lost, how many are on deals known winnable.
        unwinnable: how many on deals proved unwinnable; the rest is unresolved.
        kinds: of the winnable ones, how many have a regret of each `solvers.regret.RegretKind`.
        actions: of those lost by a move, how many by each action of the game
            (`engine.game.Actions`).
        numbers: int64[k] for the k games lost by a move, which move it was, counted from 1.
        lengths: int64[k], how many moves those games have.
    """

    games: PlayedGames
    attempted: int
    lost: int
    winnable: int
    unwinnable: int
    kinds: Counter[str]
    actions: Counter[str]
    numbers: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @property
    def unresolved(self) -> int:
        """Lost games on deals of which nobody knows whether they can be won."""
        return self.lost - self.winnable - self.unwinnable

    @property
    def left(self) -> int:
        """Lost games on winnable deals of which no regret has been found yet."""
        return self.winnable - self.kinds.total()

    @property
    def winnable_interval(self) -> Interval | None:
        """Of the share of lost games that could be won: Clopper–Pearson at 99 %.

        From its low end were none of the unresolved winnable to its high end were all.
        """
        if not self.lost:
            return None
        return Interval(
            clopper_pearson(self.winnable, self.lost, LEVEL).low,
            clopper_pearson(self.winnable + self.unresolved, self.lost, LEVEL).high,
        )

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """How far into the game the losing move was: lower quartile, median, upper quartile.

        Over the games lost by a move, as the share of their moves up to and with it.
        """
        if not len(self.numbers):
            return None
        low, middle, high = np.quantile(self.numbers / self.lengths, (0.25, 0.5, 0.75))
        return float(low), float(middle), float(high)


def read(cat: Catalogue, games: PlayedGames) -> Regrets:
    """What the catalogue has of the games; it counts nothing that is not stored."""
    seen = _Seen()
    with cat.session() as session:
        key = row_key(session, games)
        if key is not None:
            for deals in blocks(session, key[0], games.sample):
                _count(session, key, deals, seen)
    return Regrets(
        games,
        seen.results.total(),
        seen.results[Result.LOST.value],
        seen.statuses["winnable"],
        seen.statuses["unwinnable"],
        seen.kinds,
        seen.actions,
        np.array(seen.numbers, dtype=np.int64),
        np.array(seen.lengths, dtype=np.int64),
    )


@dataclass(slots=True)
class _Seen:
    """Counts on their way to `Regrets`."""

    results: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    numbers: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)


def _count(session: Session, key: tuple[int, int], deals: dict[int, int], seen: _Seen) -> None:
    ruleset_id, solver_id = key
    for result, status, kind, action, step, length in session.execute(
        select(
            OutcomeRow.result,
            StatusRow.status,
            RegretRow.kind,
            RegretRow.action,
            RegretRow.step,
            RegretRow.length,
        )
        .join(
            StatusRow,
            (StatusRow.ruleset_id == OutcomeRow.ruleset_id)
            & (StatusRow.deal_id == OutcomeRow.deal_id),
        )
        .outerjoin(RegretRow, same_outcome(RegretRow))
        .where(
            OutcomeRow.ruleset_id == ruleset_id,
            OutcomeRow.solver_id == solver_id,
            OutcomeRow.deal_id.in_(deals),
        )
    ):
        seen.results[result] += 1
        if result != Result.LOST.value:
            continue
        seen.statuses[status] += 1
        if status != "winnable" or kind is None:
            continue
        seen.kinds[kind] += 1
        if action is not None and step is not None:  # lost by a move
            seen.actions[action] += 1
            seen.numbers.append(step + 1)
            seen.lengths.append(length)
