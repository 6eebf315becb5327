"""Repeating a published experiment through the catalogue, and comparing its results.

Each row is a job, so its outcomes are stored, an interrupted row can be resumed, and its outcomes
can be compared deal by deal with those of other solvers. The comparison uses the outcomes of
exactly the row's sample, however many more the catalogue has.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from catalogue.blocks import EVERYTHING, WON, Outcomes
from catalogue.jobs import queue as jobs
from catalogue.outcomes.chunk import SolverKey
from catalogue.outcomes.names import check_seed
from catalogue.reading.block_reader import dealing_of, read_outcomes
from catalogue.reproduction.definitions import AnyRow, ExperimentRow
from catalogue.schema import BLOCK_SIZE, RulesetRow, SolverRow
from catalogue.statistics import (
    Agreement,
    Interval,
    clopper_pearson,
    intervals,
    mean_interval,
)
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from solvers.solver import parse_solver

LEVEL = 0.99
# Time limits, in seconds, for the share of wins: Bjarnason et al. 2007, table 3.
WITHIN = (1.0, 4.0, 16.0, 64.0)


@dataclass(frozen=True, slots=True)
class Attempt(Generic[AnyRow]):
    """A row and the sample that it is played on here."""

    row: AnyRow
    sample: Sample


@dataclass(frozen=True, slots=True)
class WinsWithin:
    """The games won within a limit of CPU time.

    Attributes:
        seconds: the limit.
        won: games won in less; `interval` is of their share of all games, Clopper–Pearson.
    """

    seconds: float
    won: int
    share: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Reproduced:
    """One row as it was played here, with its published figure.

    Attributes:
        row: the row, with its published figure.
        sample: the deals.
        solver: the solver as text; `version` is that of its method.
        won: games won, of all deals of the sample.
        interval: of the share won, Clopper–Pearson at 99 %.
        agreement: of that share with the published one; its difference is ours minus theirs.
        seconds: float64[n], CPU seconds of each game in the order of the seeds; not a number where
            no time is stored.
        wins: bool[n], which of them were won.
        mean_seconds: of a game, None unless all have times; `mean_interval` at 99 %, None where
            `timed_alone` is false.
        timed_alone: whether each game was timed by itself; for some games an average over a batch
            of them was stored.
    """

    row: ExperimentRow
    sample: Sample
    solver: str
    version: int
    won: int
    interval: Interval
    agreement: Agreement
    seconds: NDArray[np.float64]
    wins: NDArray[np.bool_]
    mean_seconds: float | None
    mean_interval: Interval | None
    timed_alone: bool

    @property
    def games(self) -> int:
        return len(self.wins)

    @property
    def share(self) -> float:
        """The share of games won."""
        return self.won / self.games

    @property
    def consistent(self) -> bool:
        """Whether the difference from the published share is consistent with chance, at 99 %."""
        return self.agreement.agrees

    @property
    def speed_up(self) -> float | None:
        """The published mean time divided by ours; None where none was published."""
        then = self.row.figure.seconds
        return None if then is None or not self.mean_seconds else then / self.mean_seconds

    @property
    def speed_up_interval(self) -> Interval | None:
        """Interval of the speed-up, from that of our mean; the published mean is taken as exact."""
        then, now = self.row.figure.seconds, self.mean_interval
        if then is None or now is None or now.low <= 0:
            return None
        return Interval(then / now.high, then / now.low)

    def within(self, seconds: Iterable[float]) -> list[WinsWithin]:
        """The wins within each of these limits of CPU seconds; none if games have no times."""
        if self.mean_seconds is None:
            return []
        limits = np.asarray(list(seconds), dtype=np.float64)
        won = np.searchsorted(np.sort(self.seconds[self.wins]), limits, side="left")
        low, high = intervals(won, np.full(won.shape, self.games), LEVEL)
        return [
            WinsWithin(float(limit), int(k), int(k) / self.games, Interval(float(a), float(b)))
            for limit, k, a, b in zip(limits, won, low, high, strict=True)
        ]

    def within_scaled(self, seconds: Iterable[float]) -> list[WinsWithin]:
        """The wins within each of these limits, given in seconds of the paper.

        The limits are divided by the row's speed-up, so that the distribution of work over games
        can be compared whatever the machine. Empty if the row has no speed-up.
        """
        return [] if self.speed_up is None else self.within(s / self.speed_up for s in seconds)


def plan(
    rows: Sequence[AnyRow],
    games: int | None = None,
    first: tuple[str, int] = ("thoughtful-1", 0),
) -> list[Attempt[AnyRow]]:
    """Assign each row its sample; all samples begin with the same deal.

    Args:
        rows: of an experiment.
        games: number of games of each row; by default that of the experiment.
        first: dealer and seed of the first deal.

    Raises:
        BadInput: unknown dealer, seeds that are out of its range or too large to be stored, or a
            row whose solver is not in the registry.
    """
    dealer, seed = first
    attempts = [Attempt(row, Sample(dealer, seed, games or row.games)) for row in rows]
    for attempt in attempts:
        check_seed(attempt.sample.last)
        _ = attempt.row.solver
    return attempts


def submit(
    cat: Catalogue,
    attempts: Sequence[Attempt[AnyRow]],
    keep: str = EVERYTHING,
    *,
    infer: bool = False,
) -> list[int]:
    """Submit a job for each row and return their numbers; stored games are not played again.

    `keep` is one of `catalogue.blocks.KEEPS`; with `infer`, deals are not solved whose outcomes
    follow from those under other rulesets.
    """
    return [
        jobs.submit(cat, each.row.ruleset, each.sample, [each.row.solver], keep=keep, infer=infer)
        for each in attempts
    ]


def read(cat: Catalogue, attempts: Sequence[Attempt[ExperimentRow]]) -> list[Reproduced]:
    """Read the results of each row from the catalogue.

    Raises:
        BadInput: a deal of a sample has not been played.
    """
    return [_read(cat, attempt) for attempt in attempts]


def _read(cat: Catalogue, attempt: Attempt[ExperimentRow]) -> Reproduced:
    solver = SolverKey.of(parse_solver(attempt.row.solver))
    seconds, wins = games_of(cat, attempt.row.ruleset, attempt.sample, solver.name)
    won, games = int(wins.sum()), len(wins)
    timed = not np.isnan(seconds).any()
    # A batch that assigns the average to each of its games leaves few distinct values.
    alone = timed and (games == 1 or len(np.unique(seconds)) > games / 2)
    return Reproduced(
        attempt.row,
        attempt.sample,
        solver.name,
        solver.version,
        won,
        clopper_pearson(won, games, LEVEL),
        attempt.row.figure.agreement(won, games - won, games, LEVEL),
        seconds,
        wins,
        math.fsum(seconds) / games if timed else None,
        mean_interval(seconds, LEVEL) if alone else None,
        alone,
    )


def games_of(
    cat: Catalogue, ruleset: str, sample: Sample, name: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """CPU seconds float64[n] and wins bool[n] of the deals of a sample, in the order of seeds.

    Seconds are not a number where no time is stored.

    Args:
        cat: the catalogue.
        ruleset: its slug.
        sample: the deals.
        name: the solver as text; only outcomes of the current version of its method count.

    Raises:
        BadInput: there is no such solver, or a deal has not been played.
    """
    solver = SolverKey.of(parse_solver(name))
    seconds = np.full(sample.count, np.nan)
    result = np.zeros(sample.count, dtype=np.uint8)
    with cat.session() as session:
        key = stored_key(session, ruleset, sample.dealer, solver)
        if key is not None:
            for block in blocks_of(sample):
                _read_block(session, key, block, sample, result, seconds)
    check_played(result, sample, solver.name)
    return seconds, result == WON


def stored_key(
    session: Session, ruleset: str, dealer: str, solver: SolverKey
) -> tuple[int, int, int] | None:
    """The ids of ruleset, dealing and solver; None if nothing has been played."""
    ruleset_id = RulesetRow.id_of(session, ruleset)
    solver_id = SolverRow.id_of(session, solver.name, solver.version)
    if ruleset_id is None or solver_id is None:
        return None
    dealing_id = dealing_of(session, ruleset_id, dealer)
    return None if dealing_id is None else (ruleset_id, dealing_id, solver_id)


def blocks_of(sample: Sample) -> range:
    """The numbers of the blocks that have seeds of a sample."""
    return range(sample.first // BLOCK_SIZE, sample.last // BLOCK_SIZE + 1)


def overlap(block: int, columns: Outcomes, sample: Sample) -> tuple[slice, slice] | None:
    """The common seeds of a block's columns and a sample, as slices of each; None without any."""
    first = block * BLOCK_SIZE + columns.first
    low, high = max(first, sample.first), min(first + len(columns), sample.last + 1)
    if low >= high:
        return None
    return slice(low - first, high - first), slice(low - sample.first, high - sample.first)


def check_played(result: NDArray[np.uint8], sample: Sample, name: str) -> None:
    """Check that all deals of a sample have a result.

    Raises:
        BadInput: some have none.
    """
    missing = int((result == 0).sum())
    if missing:
        raise BadInput(
            f"{missing:,} of the {sample.count:,} games of {name} on {sample} "
            "have not been played yet"
        )


def _read_block(
    session: Session,
    key: tuple[int, int, int],
    block: int,
    sample: Sample,
    result: NDArray[np.uint8],
    seconds: NDArray[np.float64],
) -> None:
    """Put the games of a block in the places of a sample.

    Args:
        session: a session.
        key: ids of ruleset, dealing and solver.
        block: number of the block.
        sample: the deals.
        result: uint8[n], their results, written here.
        seconds: float64[n], CPU seconds, written here.
    """
    ruleset_id, dealing_id, solver_id = key
    columns = read_outcomes(session, ruleset_id, dealing_id, block, [solver_id]).get(solver_id)
    if columns is None:
        return
    common = overlap(block, columns, sample)
    if common is None:
        return
    here, there = common
    result[there] = columns.result[here]
    cpu_us = columns.cpu_us[here].astype(np.float64)
    seconds[there] = np.where(cpu_us < 0, np.nan, cpu_us / 1_000_000)
