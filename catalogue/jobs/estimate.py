"""The cost of a job: CPU time, time by the clock and bytes, before it is submitted.

The CPU time of an outcome is that of the same solver under the same ruleset in this catalogue, or
else that of some deals that are solved now, or else what the method says of itself.

A few hard deals take most of the time, so the deals that are solved now must not be those that
happen to fit in some seconds: the deal that overruns them would count in full. Their number is
chosen by a few other deals; then that many are drawn at random, and all of them are solved. So the
expectation of their mean is the mean of the sample.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue import statistics
from catalogue.blocks import EVERYTHING, Outcomes
from catalogue.jobs.claims import live_workers
from catalogue.jobs.queue import Submission
from catalogue.jobs.stop_rules import last_deals
from catalogue.outcomes.chunk import SolverKey
from catalogue.outcomes.following import following
from catalogue.reading.samples import outcome_counts, parts_of, tried_by
from catalogue.schema import BLOCK_SIZE, BlockRow, DealingRow, RulesetRow, SolverRow, is_dealt
from catalogue.settings import get_settings
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample, get_dealer
from engine.game import Rules
from engine.games import game_of
from solvers.solver import Solver

# Bytes of a deal with the outcome and solution of one solver, and of each further outcome, indexes
# included, as `benchmarks/keeping.py` measures them.
_ROW_BYTES = 230
_MORE_BYTES = 60
_VERDICT_BYTES = 3
# Outcomes of the catalogue from which a mean is taken.
_ENOUGH = 200
# Blocks of which the times of single deals are read.
_BLOCKS = 8
_MEASURE_SECONDS = 2.0
_MEASURE_DEALS = 2_048
_FEWEST_DEALS = 4
_PILOT_DEALS = 32
_PILOT_SECONDS = 0.5
# Groups of deals, of equal size, whose means are resampled for the interval.
_GROUPS = 256
# From here on a person is asked before a job is submitted.
LONG_SECONDS = 86_400.0
MANY_DEALS = 10**9


@dataclass(frozen=True, slots=True)
class CpuTime:
    """CPU seconds of an outcome: their mean, its 99 % interval, and the number of outcomes."""

    mean: float
    interval: statistics.Interval | None = None
    sampled: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """The rest of a job, and its cost.

    Attributes:
        outcomes: that are missing.
        deals: of the job.
        cpu_seconds: of all solvers.
        cpu_low: the lower end of its 99 % interval; None where the sample has none.
        cpu_high: the upper end.
        sampled: number of outcomes whose CPU times it is estimated from.
        seconds: by the clock, on the workers.
        workers: their number.
        bytes: in the database.
        source: where the CPU time comes from.
        inferred: of a job that infers, the deals whose outcomes follow now; they are not missing.
    """

    outcomes: int
    deals: int
    cpu_seconds: float
    seconds: float
    workers: int
    bytes: int
    source: str
    inferred: int | None = None
    cpu_low: float | None = None
    cpu_high: float | None = None
    sampled: int = 0

    @property
    def is_large(self) -> bool:
        """Whether a person is asked first."""
        return self.seconds > LONG_SECONDS or self.deals > MANY_DEALS


def estimate(cat: Catalogue, asked: Submission, *, measure: bool = False) -> Estimate:
    """Estimate a job.

    Args:
        cat: the catalogue.
        asked: the job.
        measure: whether deals are solved, for some seconds, where the catalogue has too few
            outcomes of a solver.
    """
    rules, solvers = asked.rules, asked.solvers
    count = last_deals(asked.until or {}, asked.sample.count)
    sample = replace(asked.sample, count=count)
    costs: list[tuple[int, CpuTime]] = []
    sources = set()
    with cat.session() as session:
        workers = live_workers(session) or get_settings().workers
        ruleset_id = RulesetRow.id_of(session, rules.slug)
        ids = [_solver_id(session, solver) for solver in solvers]
        inferring = _inferring(session, rules, ruleset_id, ids, sample) if asked.infer else None
        for at, (solver, solver_id) in enumerate(zip(solvers, ids, strict=True)):
            left, cost, source = count, None, "outcomes of this catalogue"
            if ruleset_id is not None and solver_id is not None:
                key = (ruleset_id, solver_id, sample.dealer)
                left -= outcome_counts(session, *key, sample.first, count).attempted
                cost = _known(session, ruleset_id, solver_id)
            if inferring is not None:
                left = inferring[0][at]
            if cost is None and measure and left:
                solver.warm_up(rules)
                cost = measured(partial(_cpu_of, solver, rules, sample), sample)
                source = "deals drawn at random and solved just now"
            if cost is None:
                cost, source = CpuTime(1.0 / solver.chunk), "what the method says of itself"
            sources.add(source)
            costs.append((left, cost))
    outcomes = sum(left for left, _ in costs)
    cpu_seconds = sum(left * cost.mean for left, cost in costs)
    intervals = [(left, cost.interval) for left, cost in costs if left]
    known = [(left, interval) for left, interval in intervals if interval is not None]
    size = _VERDICT_BYTES * outcomes
    if asked.keep == EVERYTHING:
        per_deal = _ROW_BYTES + _MORE_BYTES * (len(solvers) - 1)
        size = per_deal * outcomes // len(solvers)
    return Estimate(
        outcomes,
        count,
        cpu_seconds,
        cpu_seconds / workers,
        workers,
        size,
        " and ".join(sorted(sources)),
        None if inferring is None else inferring[1],
        sum((left * each.low for left, each in known), 0.0) if known == intervals else None,
        sum((left * each.high for left, each in known), 0.0) if known == intervals else None,
        sum(cost.sampled for _, cost in costs),
    )


def _inferring(
    session: Session,
    rules: Rules,
    ruleset_id: int | None,
    solver_ids: Sequence[int | None],
    sample: Sample,
) -> tuple[list[int], int]:
    """For each solver the number of deals that it would solve, and that of those that follow."""
    dealing_id = session.scalar(
        select(DealingRow.id).where(
            DealingRow.game == rules.game, DealingRow.dealer == sample.dealer
        )
    )
    if dealing_id is None:
        return [sample.count] * len(solver_ids), 0
    asked = [-1 if each is None else each for each in solver_ids]
    left, inferred = np.zeros(len(asked), np.int64), 0
    for seeds in parts_of(range(sample.first, sample.first + sample.count)):
        block, place = divmod(seeds.start, BLOCK_SIZE)
        follows = following(session, rules, dealing_id, block)[place : place + len(seeds)] > 0
        key = (session, ruleset_id or 0, dealing_id)
        tried = np.array(tried_by(*key, seeds, asked, skipped=True))
        inferred += int((follows & ~tried.all(axis=0)).sum())
        left += (~tried & ~follows).sum(axis=1)
    return left.tolist(), inferred


def _solver_id(session: Session, solver: Solver) -> int | None:
    key = SolverKey.of(solver)
    return SolverRow.id_of(session, key.name, key.version)


def _known(session: Session, ruleset_id: int, solver_id: int) -> CpuTime | None:
    """The CPU time of the outcomes of a solver; None if there are too few."""
    timed = (
        BlockRow.ruleset_id == ruleset_id,
        BlockRow.solver_id == solver_id,
        BlockRow.cpu_us > 0,
        # Imported deals were chosen by somebody: they may all be hard.
        is_dealt(BlockRow.dealing_id),
    )
    attempted, cpu_us = session.execute(
        select(
            func.coalesce(func.sum(BlockRow.attempted), 0),
            func.coalesce(func.sum(BlockRow.cpu_us), 0),
        ).where(*timed)
    ).one()
    if attempted < _ENOUGH:
        return None
    rows = session.scalars(
        select(BlockRow.columns)
        .where(*timed)
        .order_by(BlockRow.attempted.desc(), BlockRow.dealing_id, BlockRow.block)
        .limit(_BLOCKS)
    )
    each = [columns.cpu_us[columns.cpu_us >= 0] for columns in map(Outcomes.decode, rows)]
    times = np.concatenate([np.zeros(0), *each]) / 1e6
    if len(times) < _ENOUGH:  # of an earlier version, which kept only the sum
        return CpuTime(float(cpu_us) / float(attempted) / 1e6, None, int(attempted))
    return _cost(times)


def measured(cpu_of: Callable[[int], float], sample: Sample) -> CpuTime:
    """The CPU time of deals of a sample, drawn at random.

    Args:
        cpu_of: solves the deal of a seed, and returns the CPU seconds that it took.
        sample: the deals.
    """
    places = range(sample.count)
    pilot: list[float] = []
    for place in random.sample(places, min(_PILOT_DEALS, sample.count)):
        pilot.append(cpu_of(sample.first + place))
        if len(pilot) >= _FEWEST_DEALS and sum(pilot) > _PILOT_SECONDS:
            break
    # Without the longest, since one hard deal must not leave too few to be drawn.
    rest = sorted(pilot)[:-1] or pilot
    fitting = _MEASURE_SECONDS * len(rest) / max(sum(rest), 1e-6)
    count = min(max(int(fitting), _FEWEST_DEALS), _MEASURE_DEALS, sample.count)
    drawn = random.sample(places, count)
    return _cost(np.array([cpu_of(sample.first + place) for place in drawn]))


def _cost(times: NDArray[np.float64]) -> CpuTime:
    size = -(-len(times) // _GROUPS)
    groups = times[: len(times) // size * size].reshape(-1, size).mean(axis=1)
    return CpuTime(float(times.mean()), statistics.mean_interval(groups), len(times))


def _cpu_of(solver: Solver, rules: Rules, sample: Sample, seed: int) -> float:
    """CPU seconds of solving a deal; of the solver alone, since a job deals many at a time."""
    cards = get_dealer(sample.dealer).deal_block(seed, 1, game_of(rules))
    begin = time.thread_time()
    solver.solve(cards, rules)
    return time.thread_time() - begin
