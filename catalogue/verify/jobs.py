"""Checks of jobs and of the history of bounds, against the outcomes that are stored."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue.difficulty.features import traced_seeds
from catalogue.reading.samples import (
    attempted_prefix,
    done_count,
    outcome_counts,
    status_counts,
)
from catalogue.schema import (
    SOLVING,
    BoundRow,
    DealingRow,
    DealRow,
    JobRow,
    JobSolverRow,
    RegretRow,
    RulesetRow,
    ShardRow,
    within,
)
from catalogue.verify.context import Context
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.games import get_game


def check_jobs(context: Context) -> None:
    """Recount the outcomes of jobs, and check that a job is one that could be submitted."""
    if not context.shard.part:
        _check_shards(context)
        return
    with context.cat.session() as session:
        for job, where in context.each("job"):
            context.faults("job", where, _of_job(session, job))


def _of_job(session: Session, job: Any) -> Iterator[str]:
    solvers = _solvers(session, job.id)
    places = [place for place, _ in solvers]
    if places != list(range(len(solvers))) or not solvers:
        yield f"its solvers have the places {', '.join(map(str, places)) or 'none'}"
    try:
        sample = Sample(job.dealer, job.first_seed, job.deals)
        game = session.scalar(select(RulesetRow.game).where(RulesetRow.id == job.ruleset_id))
        get_dealer(job.dealer).check_game(get_game(game or ""))
    except BadInput as error:
        yield str(error)
        return
    if job.kind == SOLVING:
        yield from _recount(session, job, sample, [solver_id for _, solver_id in solvers])
        return
    if job.state == "done" and job.done != job.total:
        yield f"it is done, but only {job.done} of {job.total} are"
    for _, solver_id in solvers:
        if job.kind == "features":
            # A job of an older program found those of its version.
            key = (session, job.ruleset_id, sample.dealer, sample.seeds)
            stored = len(traced_seeds(*key, of_any_version=True))
        else:
            stored = _regrets(session, job, sample, solver_id)
        if job.done > stored:
            yield f"done is {job.done}, but {stored} are stored"


def _recount(session: Session, job: Any, sample: Sample, solver_ids: list[int]) -> Iterator[str]:
    total = sample.count * len(solver_ids)
    if job.total != total:
        yield f"its total is {job.total}, of its deals and solvers it is {total}"
    stored = _stored(session, job, solver_ids, sample.count)
    reached = min(job.next_seed - job.first_seed, sample.count)
    if reached > 0 and job.state != "done":
        # Before what is stored: a shard that is completed meanwhile counts in both.
        waiting = session.scalar(
            select(func.coalesce(func.sum(ShardRow.deals), 0)).where(ShardRow.job_id == job.id)
        )
        given = (reached - int(waiting or 0)) * len(solver_ids)
        lost = given - _stored(session, job, solver_ids, reached)
        if lost > 0:
            seeds = f"seeds before {job.next_seed}"
            yield f"{lost:,} outcomes of {seeds} are neither stored nor in a shard"
    # A job that has a rule to stop by may be done earlier, and says so.
    whole = job.state == "done" and not (job.until and job.error)
    if whole and stored < total:
        yield f"it is done, but {stored:,} of {total:,} outcomes are stored"
    # Outcomes of other jobs on the same deals may have come later.
    if job.done > stored or (whole and job.done != total):
        yield f"done is {job.done}, but {stored} outcomes are stored"


def _solvers(session: Session, job_id: int) -> list[Any]:
    """The solvers of a job, each with its place."""
    return list(
        session.execute(
            select(JobSolverRow.place, JobSolverRow.solver_id)
            .where(JobSolverRow.job_id == job_id)
            .order_by(JobSolverRow.place)
        )
    )


def _stored(session: Session, job: Any, solver_ids: list[int], count: int) -> int:
    """The number of outcomes of the first deals of a job that it counts."""
    sample = (job.dealer, job.first_seed, count)
    if job.inferred is not None:
        return done_count(session, job.ruleset_id, solver_ids, *sample)
    return sum(
        outcome_counts(session, job.ruleset_id, solver_id, *sample).attempted
        for solver_id in solver_ids
    )


def _regrets(session: Session, job: Any, sample: Sample, solver_id: int) -> int:
    """The number of regrets of a player on a sample."""
    return (
        session.scalar(
            select(func.count())
            .select_from(RegretRow)
            .join(DealRow, DealRow.id == RegretRow.deal_id)
            .join(DealingRow, DealingRow.id == DealRow.dealing_id)
            .where(
                RegretRow.ruleset_id == job.ruleset_id,
                RegretRow.solver_id == solver_id,
                DealingRow.dealer == sample.dealer,
                within(DealRow.seed, sample.seeds),
            )
        )
        or 0
    )


def _check_shards(context: Context) -> None:
    """Check that shards are of seeds of their jobs that were reached, and of each only one."""
    # One statement, since a runner may make and split shards meanwhile.
    job = JobRow
    query = (
        select(ShardRow.__table__, job.first_seed.label("first"), job.deals.label("count"))
        .add_columns(job.next_seed, job.state.label("job_state"), job.until)
        .add_columns(job.error.label("why"))
        .join(job, job.id == ShardRow.job_id)
        .order_by(ShardRow.job_id, ShardRow.first_seed, ShardRow.id)
    )
    with context.cat.session() as session:
        rows = session.execute(query).all()
    before: tuple[int, int, int] | None = None  # job, shard, and its last seed
    for row in rows:
        context.checked["shard"] += 1
        last = row.first_seed + row.deals - 1
        where, seeds = f"shard {row.id} of job {row.job_id}", f"{row.first_seed} to {last}"
        if not row.first <= row.first_seed <= last <= row.first + row.count - 1:
            context.fault("shard", where, f"its seeds {seeds} are not those of its job")
        elif last >= row.next_seed:
            context.fault("shard", where, f"its seeds {seeds} are not before {row.next_seed}")
        # One that a rule has stopped goes on with its shards if it gets another rule.
        if row.job_state == "done" and row.state != "failed" and not (row.until and row.why):
            context.fault("shard", where, f"it is {row.state}, but its job is done")
        if before is not None and before[0] == row.job_id and row.first_seed <= before[2]:
            context.fault("shard", where, f"seed {row.first_seed} is also one of shard {before[1]}")
        if before is None or before[0] != row.job_id or last > before[2]:
            before = (row.job_id, row.id, last)


def check_bounds(context: Context) -> None:
    """Check that bounds belong to their jobs, never fall, and are reached by what is stored."""
    with context.cat.session() as session:
        if context.shard.part == "job":
            for job, where in context.each("last bound"):
                context.faults("bound", where, _of_last_bound(session, job))
            return
        before: dict[int | None, Any] = {}
        for bound, where in context.each("bound"):
            if bound.job_id not in before:
                before[bound.job_id] = _bound_of(session, bound.job_id, BoundRow.id < bound.id)
            faults = _of_bound(session, bound, before[bound.job_id])
            context.faults("bound", f"{where} of job {bound.job_id}", faults)
            before[bound.job_id] = bound


def _bound_of(session: Session, job_id: int | None, *where: Any) -> Any:
    """The newest bound of a job; None if it has none."""
    query = select(BoundRow.__table__).where(BoundRow.job_id == job_id, *where)
    return session.execute(query.order_by(BoundRow.id.desc()).limit(1)).first()


def _of_bound(session: Session, bound: Any, last: Any) -> Iterator[str]:
    sample = (bound.dealer, bound.first_seed, bound.n)
    counts = status_counts(session, bound.ruleset_id, *sample)
    for name in ("n", "winnable", "unwinnable"):
        # A contradiction turns an unwinnable deal into a winnable one.
        fallen = counts.alarms if name == "unwinnable" else 0
        if last is not None and getattr(bound, name) < getattr(last, name) - fallen:
            yield f"{name} is {getattr(bound, name)}, before it was {getattr(last, name)}"
    job = None if bound.job_id is None else session.get(JobRow, bound.job_id)
    if job is None:
        return  # the check of references reports it
    for name in ("ruleset_id", "dealer", "first_seed"):
        if getattr(bound, name) != getattr(job, name):
            yield f"{name} is {getattr(bound, name)}, that of its job is {getattr(job, name)}"
    if bound.n > job.deals:
        yield f"n is {bound.n}, but its job has {job.deals} deals"
    for name in ("winnable", "unwinnable"):
        found, stored = getattr(bound, name), getattr(counts, name)
        if found > stored + counts.alarms:
            yield f"{name} is {found}, but only {stored} are stored"


def _of_last_bound(session: Session, job: Any) -> Iterator[str]:
    """The newest bound of a job counts what the job has attempted."""
    if job.kind != SOLVING:
        return
    bound = _bound_of(session, job.id)
    solver_ids = [solver_id for _, solver_id in _solvers(session, job.id)]
    if bound is None:
        if job.state == "done":
            yield "it is done, but has no bound"
    elif solver_ids:
        sample = (job.dealer, job.first_seed, job.deals)
        skipped = job.inferred is not None
        n = attempted_prefix(session, job.ruleset_id, solver_ids, *sample, skipped=skipped)
        # A job that was cancelled, or that waits, may have been overtaken by others.
        if bound.n > n or (job.state == "done" and not job.until and bound.n < n):
            yield f"its bound {bound.id} has the n {bound.n}, recounted it is {n}"
