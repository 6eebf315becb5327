"""Bounds of a ruleset on a sample: what share of its deals can be won, from below and above."""

from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.samples import attempted_prefix, status_counts
from catalogue.schema import Bound, Job, JobSolver


def record_bound(session: Session, job_id: int) -> bool:
    """Write a `bound` row for a job's sample, if its numbers moved since the job's last one.

    The row counts statuses over the contiguous prefix of the sample's seeds on which *all* the
    job's solvers have an outcome, so that deals that take long are never left out. The statuses
    come from all outcomes of any solver. Call it inside the transaction that wrote the outcomes;
    it costs a few small queries, however large the sample is.

    Returns:
        Whether a row was written.
    """
    job = session.get_one(Job, job_id)
    solver_ids = session.scalars(
        select(JobSolver.solver_id).where(JobSolver.job_id == job_id)
    ).all()
    last = session.execute(
        select(Bound.n, Bound.winnable, Bound.unwinnable)
        .where(
            Bound.ruleset_id == job.ruleset_id,
            Bound.dealer == job.dealer,
            Bound.first_seed == job.first_seed,
            Bound.job_id == job_id,
        )
        .order_by(Bound.n.desc(), Bound.id.desc())
        .limit(1)
    ).first()
    n = attempted_prefix(
        session,
        job.ruleset_id,
        solver_ids,
        job.dealer,
        job.first_seed,
        job.deals,
        known=last.n if last else 0,
    )
    if n == 0:
        return False
    counts = status_counts(session, job.ruleset_id, job.dealer, job.first_seed, n)
    if last is not None and tuple(last) == (n, counts.winnable, counts.unwinnable):
        return False
    session.add(
        Bound(
            ruleset_id=job.ruleset_id,
            dealer=job.dealer,
            first_seed=job.first_seed,
            n=n,
            winnable=counts.winnable,
            unwinnable=counts.unwinnable,
            job_id=job_id,
            at=datetime.now(UTC),
        )
    )
    session.flush()
    return True
