"""What a job will cost: CPU time, time by the clock and bytes, before it is submitted.

The CPU time of an outcome is that of the same solver under the same ruleset in this catalogue, or
else that of some deals that are solved now, or else what the method says of itself.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue.blocks import EVERYTHING
from catalogue.inference.sources import follow_counts
from catalogue.jobs.claims import live_workers
from catalogue.outcomes.chunk import SolverKey
from catalogue.reading.samples import outcome_counts
from catalogue.schema import BlockRow, RulesetRow, SolverRow
from catalogue.settings import get_settings
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample, get_dealer
from engine.game import Rules
from engine.games import game_of
from solvers.registry import Solver

# Bytes of a deal with the outcome and solution of one solver, and of each further outcome, indexes
# included, as `benchmarks/keeping.py` measures them.
_ROW_BYTES = 230
_MORE_BYTES = 60
_VERDICT_BYTES = 2
# Outcomes of the catalogue from which a mean is taken.
_ENOUGH = 200
_MEASURE_SECONDS = 2.0
_MEASURE_DEALS = 1_000
# From here on a person is asked before a job is submitted.
LONG_SECONDS = 86_400.0
MANY_DEALS = 10**9


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is left to do of a job, and what it will cost.

    Attributes:
        outcomes: that are missing.
        deals: of the job.
        cpu_seconds: of all solvers.
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

    @property
    def is_large(self) -> bool:
        """Whether a person is asked first."""
        return self.seconds > LONG_SECONDS or self.deals > MANY_DEALS


def estimate(
    cat: Catalogue,
    rules: Rules,
    sample: Sample,
    solvers: Sequence[Solver],
    keep: str = EVERYTHING,
    deals: int | None = None,
    *,
    measure: bool = False,
    infer: bool = False,
) -> Estimate:
    """Estimate a job.

    Args:
        cat: the catalogue.
        rules: the ruleset.
        sample: the deals.
        solvers: of the job.
        keep: one of `catalogue.blocks.DEPTHS`.
        deals: the number that are solved at most; by default the whole sample.
        measure: whether deals are solved, for about two seconds, where the catalogue has too few
            outcomes of a solver.
        infer: whether what follows from other rulesets is not solved.
    """
    count = min(sample.count, deals or sample.count)
    outcomes, cpu_seconds = 0, 0.0
    sources = set()
    with cat.session() as session:
        workers = live_workers(session) or get_settings().workers
        ruleset_id = session.scalar(select(RulesetRow.id).where(RulesetRow.slug == rules.slug))
        solver_ids = [_solver_id(session, solver) for solver in solvers]
        asked = replace(sample, count=count)
        inferring = follow_counts(session, rules, solver_ids, asked, keep) if infer else None
        for at, (solver, solver_id) in enumerate(zip(solvers, solver_ids, strict=True)):
            left, each = count, None
            if ruleset_id is not None and solver_id is not None:
                found = outcome_counts(
                    session, ruleset_id, solver_id, sample.dealer, sample.first, count
                )
                left -= found.attempted
                each = _known(session, ruleset_id, solver_id)
            if inferring is not None:
                left = inferring[0][at]
            source = "outcomes of this catalogue"
            if each is None and measure and left:
                each, source = _measured(rules, sample, solver), "some deals solved just now"
            if each is None:
                each, source = 1.0 / solver.chunk, "what the method says of itself"
            sources.add(source)
            outcomes += left
            cpu_seconds += left * each
    size = _VERDICT_BYTES * outcomes
    if keep == EVERYTHING:
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
    )


def _solver_id(session: Session, solver: Solver) -> int | None:
    key = SolverKey.of(solver)
    return session.scalar(
        select(SolverRow.id).where(SolverRow.name == key.name, SolverRow.version == key.version)
    )


def _known(session: Session, ruleset_id: int, solver_id: int) -> float | None:
    """Mean CPU seconds of the outcomes of a solver; None if there are too few."""
    attempted, cpu_us = session.execute(
        select(
            func.coalesce(func.sum(BlockRow.attempted), 0),
            func.coalesce(func.sum(BlockRow.cpu_us), 0),
        ).where(
            BlockRow.ruleset_id == ruleset_id,
            BlockRow.solver_id == solver_id,
            BlockRow.cpu_us > 0,
        )
    ).one()
    return float(cpu_us) / float(attempted) / 1e6 if attempted >= _ENOUGH else None


def _measured(rules: Rules, sample: Sample, solver: Solver) -> float:
    """Mean CPU seconds of some deals of a sample, spread over it."""
    solver.warm_up(rules)
    dealer, game = get_dealer(sample.dealer), game_of(rules)
    step = max(sample.count // _MEASURE_DEALS, 1)
    begin, cpu = time.perf_counter(), time.thread_time()
    solved, size = 0, 1
    while time.perf_counter() - begin < _MEASURE_SECONDS and solved * step < sample.count:
        places = range(solved, min(solved + size, -(-sample.count // step)))
        if not places:
            break
        cards = [dealer.deal_block(sample.first + step * place, 1, game)[0] for place in places]
        solver.solve(np.stack(cards), rules)
        solved += len(places)
        size = min(2 * size, 64)
    return (time.thread_time() - cpu) / max(solved, 1)
