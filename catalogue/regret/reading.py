"""Reading regrets: lost games on winnable deals, and the moves that lost them."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, LOST, RESULTS, UNWINNABLE, WINNABLE
from catalogue.reading.block_reader import dealing_of, read_outcomes, read_statuses
from catalogue.regret.games import PlayedGames, row_key
from catalogue.schema import BLOCK_SIZE, DealRow, RegretRow, within
from catalogue.statistics import Interval, clopper_pearson
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from solvers.outcome import Result

LEVEL = 0.99


@dataclass(frozen=True, slots=True)
class Regrets:
    """Summary of a player's games, especially of lost ones.

    Attributes:
        games: the player and the deals.
        attempted: number of deals of the sample that it has played.
        lost: number of these that it lost.
        winnable: number of lost games on deals known winnable.
        unwinnable: number of lost games on deals proved unwinnable; the rest are unresolved.
        kinds: number of the winnable ones by `solvers.regret.RegretKind`.
        actions: number of games lost by a move, by action (`engine.game.Actions`).
        numbers: int64[k] for the k games lost by a move, the number of that move, from 1.
        lengths: int64[k], the number of moves of those games.
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
        """The number of lost games on unresolved deals."""
        return self.lost - self.winnable - self.unwinnable

    @property
    def left(self) -> int:
        """The number of lost games on winnable deals whose regret is missing."""
        return self.winnable - self.kinds.total()

    @property
    def winnable_interval(self) -> Interval | None:
        """Clopper–Pearson interval at 99 % of the share of lost games that could be won.

        Its low end counts no unresolved deal as winnable, its high end all of them.
        """
        if not self.lost:
            return None
        return Interval(
            clopper_pearson(self.winnable, self.lost, LEVEL).low,
            clopper_pearson(self.winnable + self.unresolved, self.lost, LEVEL).high,
        )

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """Relative position of the losing move: lower quartile, median, upper quartile.

        Over the games lost by a move, as the share of moves up to and including the losing one.
        """
        if not len(self.numbers):
            return None
        low, middle, high = np.quantile(self.numbers / self.lengths, (0.25, 0.5, 0.75))
        return float(low), float(middle), float(high)


def read(cat: Catalogue, games: PlayedGames) -> Regrets:
    """Read the summary of stored games."""
    seen = _GameCounts()
    with cat.session() as session:
        key = row_key(session, games)
        if key is not None:
            _count(session, key, games.sample, seen)
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
class _GameCounts:
    """Counts from which `Regrets` is made."""

    results: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    numbers: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)


def _count(session: Session, key: tuple[int, int], sample: Sample, seen: _GameCounts) -> None:
    """Count the games of a sample, block by block."""
    ruleset_id, solver_id = key
    dealing_id = dealing_of(session, ruleset_id, sample.dealer)
    if dealing_id is None:
        return
    for block in range(sample.first // BLOCK_SIZE, sample.last // BLOCK_SIZE + 1):
        columns = read_outcomes(session, ruleset_id, dealing_id, block, [solver_id]).get(solver_id)
        if columns is None:
            continue
        statuses = read_statuses(session, ruleset_id, dealing_id, block)
        first = block * BLOCK_SIZE + columns.first
        inside = slice(max(sample.first - first, 0), max(sample.last + 1 - first, 0))
        results = np.bincount(columns.result[inside], minlength=5).tolist()
        seen.results.update(dict(zip(RESULTS, results[1:], strict=True)))
        at = columns.first - statuses.first
        of_games = statuses.status[at : at + len(columns)][inside]
        lost = np.bincount(of_games[columns.result[inside] == LOST], minlength=5)
        seen.statuses["winnable"] += int(lost[WINNABLE] + lost[ALARM])
        seen.statuses["unwinnable"] += int(lost[UNWINNABLE])
        low = max(first, sample.first)
        high = min(first + len(columns), sample.last + 1)
        _count_regrets(session, key, dealing_id, range(low, high), seen)


def _count_regrets(
    session: Session, key: tuple[int, int], dealing_id: int, seeds: range, seen: _GameCounts
) -> None:
    """Count the regrets of the games on some seeds, which always have rows."""
    for kind, action, step, length in session.execute(
        select(RegretRow.kind, RegretRow.action, RegretRow.step, RegretRow.length)
        .join(DealRow, DealRow.id == RegretRow.deal_id)
        .where(
            RegretRow.ruleset_id == key[0],
            RegretRow.solver_id == key[1],
            DealRow.dealing_id == dealing_id,
            within(DealRow.seed, seeds),
        )
        .order_by(DealRow.seed)
    ):
        seen.kinds[kind] += 1
        if action is not None and step is not None:  # lost by a move
            seen.actions[action] += 1
            seen.numbers.append(step + 1)
            seen.lengths.append(length)
