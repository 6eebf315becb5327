"""Checks of jobs and of the history of bounds, against the outcomes that are stored."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue.difficulty.traits import traced_seeds
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
    PieceRow,
    RegretRow,
    RulesetRow,
    within,
)
from catalogue.verify.context import Context
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.games import get_game


def check_jobs(context: Context) -> None:
    """Recount the outcomes of jobs, and check that a job is one that could be submitted."""
    with context.cat.session() as session:
        games = {
            row.id: row.game for row in session.execute(select(RulesetRow.id, RulesetRow.game))
        }
        for job in session.scalars(select(JobRow).order_by(JobRow.id)):
            context.checked["job"] += 1
            where = f"job {job.id}"
            solvers = session.execute(
                select(JobSolverRow.place, JobSolverRow.solver_id)
                .where(JobSolverRow.job_id == job.id)
                .order_by(JobSolverRow.place)
            ).all()
            if [place for place, _ in solvers] != list(range(len(solvers))) or not solvers:
                places = ", ".join(str(place) for place, _ in solvers) or "none"
                context.fault("job", where, f"its solvers have the places {places}")
            try:
                sample = Sample(job.dealer, job.first_seed, job.deals)
                get_dealer(job.dealer).check_game(get_game(games.get(job.ruleset_id, "")))
            except BadInput as error:
                context.fault("job", where, str(error))
                continue
            if job.kind == SOLVING:
                _recount(context, session, job, sample, [solver_id for _, solver_id in solvers])
            else:
                if job.state == "done" and job.done != job.total:
                    what = f"it is done, but only {job.done} of {job.total} are"
                    context.fault("job", where, what)
                for _, solver_id in solvers:
                    if job.kind == "traits":
                        _recount_traits(context, session, job, sample)
                    else:
                        _recount_regrets(context, session, job, sample, solver_id)
        _check_pieces(context, session)


def _recount(
    context: Context, session: Session, job: JobRow, sample: Sample, solver_ids: list[int]
) -> None:
    where = f"job {job.id}"
    total = sample.count * len(solver_ids)
    if job.total != total:
        context.fault(
            "job", where, f"its total is {job.total}, of its deals and solvers it is {total}"
        )
    stored = _stored(session, job, solver_ids, sample.first, sample.count)
    _check_reached(context, session, job, sample, solver_ids)
    # A job that has a rule to stop by may be done earlier, and says so.
    whole = job.state == "done" and not (job.until and job.error)
    if whole and stored < total:
        context.fault("job", where, f"it is done, but {stored:,} of {total:,} outcomes are stored")
    # Outcomes of other jobs on the same deals may have come later.
    if job.done > stored or (whole and job.done != total):
        context.fault("job", where, f"done is {job.done}, but {stored} outcomes are stored")


def _stored(session: Session, job: JobRow, solver_ids: list[int], first: int, count: int) -> int:
    """The number of outcomes of some deals that a job counts."""
    if job.inferred is not None:
        return done_count(session, job.ruleset_id, solver_ids, job.dealer, first, count)
    return sum(
        outcome_counts(session, job.ruleset_id, solver_id, job.dealer, first, count).attempted
        for solver_id in solver_ids
    )


def _recount_regrets(
    context: Context, session: Session, job: JobRow, sample: Sample, solver_id: int
) -> None:
    stored = session.scalar(
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
    if job.done > (stored or 0):
        context.fault("job", f"job {job.id}", f"done is {job.done}, but {stored} are stored")


def _recount_traits(context: Context, session: Session, job: JobRow, sample: Sample) -> None:
    seeds = range(sample.first, sample.last + 1)
    # A job of an older program found those of its version.
    key = (session, job.ruleset_id, sample.dealer, seeds)
    stored = len(traced_seeds(*key, of_any_version=True))
    if job.done > stored:
        context.fault("job", f"job {job.id}", f"done is {job.done}, but {stored} are stored")


def _check_pieces(context: Context, session: Session) -> None:
    """Check that pieces are of seeds of their jobs that were reached, and of each only one."""
    # One statement, since a runner may make and split pieces meanwhile.
    rows = session.execute(
        select(
            PieceRow.id,
            PieceRow.job_id,
            PieceRow.first_seed,
            PieceRow.deals,
            PieceRow.state,
            JobRow.first_seed.label("first"),
            JobRow.deals.label("count"),
            JobRow.next_seed,
            JobRow.state.label("job_state"),
            JobRow.until,
            JobRow.error.label("why"),
        )
        .join(JobRow, JobRow.id == PieceRow.job_id)
        .order_by(PieceRow.job_id, PieceRow.first_seed, PieceRow.id)
    )
    before: tuple[int, int, int] | None = None  # job, piece, and its last seed
    for row in rows:
        context.checked["piece"] += 1
        where = f"piece {row.id} of job {row.job_id}"
        first, last = row.first_seed, row.first_seed + row.deals - 1
        if not row.first <= first <= last <= row.first + row.count - 1:
            context.fault("piece", where, f"its seeds {first} to {last} are not those of its job")
        elif last >= row.next_seed:
            context.fault(
                "piece", where, f"its seeds {first} to {last} are not before {row.next_seed}"
            )
        # One that a rule has stopped goes on with its pieces if it gets another rule.
        stopped = row.until and row.why
        if row.job_state == "done" and row.state != "failed" and not stopped:
            context.fault("piece", where, f"it is {row.state}, but its job is done")
        if before is not None and before[0] == row.job_id and first <= before[2]:
            context.fault("piece", where, f"seed {first} is also one of piece {before[1]}")
        if before is None or before[0] != row.job_id or last > before[2]:
            before = (row.job_id, row.id, last)


def _check_reached(
    context: Context, session: Session, job: JobRow, sample: Sample, solver_ids: list[int]
) -> None:
    """Check that what a job has reached is stored or in one of its pieces."""
    reached = min(job.next_seed - job.first_seed, sample.count)
    if reached <= 0 or job.state == "done":
        return
    # Before what is stored: a piece that is completed meanwhile counts in both.
    waiting = session.scalar(
        select(func.coalesce(func.sum(PieceRow.deals), 0)).where(PieceRow.job_id == job.id)
    )
    stored = _stored(session, job, solver_ids, sample.first, reached)
    lost = (reached - int(waiting or 0)) * len(solver_ids) - stored
    if lost > 0:
        context.fault(
            "job",
            f"job {job.id}",
            f"{lost:,} outcomes of seeds before {job.next_seed} are neither stored nor in a piece",
        )


def check_bounds(context: Context) -> None:
    """Check that bounds belong to their jobs, never fall, and are reached by what is stored."""
    with context.cat.session() as session:
        before: dict[int | None, BoundRow] = {}
        for bound in session.scalars(select(BoundRow).order_by(BoundRow.id)):
            context.checked["bound"] += 1
            where = f"bound {bound.id} of job {bound.job_id}"
            last = before.get(bound.job_id)
            before[bound.job_id] = bound
            counts = status_counts(
                session, bound.ruleset_id, bound.dealer, bound.first_seed, bound.n
            )
            for name in ("n", "winnable", "unwinnable"):
                # A contradiction turns an unwinnable deal into a winnable one.
                fallen = counts.alarms if name == "unwinnable" else 0
                if last is not None and getattr(bound, name) < getattr(last, name) - fallen:
                    context.fault(
                        "bound",
                        where,
                        f"{name} is {getattr(bound, name)}, before it was {getattr(last, name)}",
                    )
            job = None if bound.job_id is None else session.get(JobRow, bound.job_id)
            if job is None:
                continue  # the check of references reports it
            for name in ("ruleset_id", "dealer", "first_seed"):
                if getattr(bound, name) != getattr(job, name):
                    context.fault(
                        "bound",
                        where,
                        f"{name} is {getattr(bound, name)}, that of its job is "
                        f"{getattr(job, name)}",
                    )
            if bound.n > job.deals:
                context.fault("bound", where, f"n is {bound.n}, but its job has {job.deals} deals")
            for name in ("winnable", "unwinnable"):
                found, stored = getattr(bound, name), getattr(counts, name)
                if found > stored + counts.alarms:
                    context.fault(
                        "bound", where, f"{name} is {found}, but only {stored} are stored"
                    )
        for job_id, bound in before.items():
            if job_id is not None:
                _check_last(context, session, job_id, bound)
        _check_bounds_of_jobs(context, session, set(before))


def _check_last(context: Context, session: Session, job_id: int, bound: BoundRow) -> None:
    """The newest bound of a job counts what the job has attempted."""
    solver_ids = session.scalars(
        select(JobSolverRow.solver_id).where(JobSolverRow.job_id == job_id)
    ).all()
    job = session.get(JobRow, job_id)
    if job is None or not solver_ids:
        return
    n = attempted_prefix(
        session,
        job.ruleset_id,
        solver_ids,
        job.dealer,
        job.first_seed,
        job.deals,
        skipped=job.inferred is not None,
    )
    # A job that was cancelled, or that waits, may have been overtaken by others.
    if bound.n > n or (job.state == "done" and not job.until and bound.n < n):
        context.fault(
            "bound", f"bound {bound.id} of job {job_id}", f"n is {bound.n}, recounted it is {n}"
        )


def _check_bounds_of_jobs(context: Context, session: Session, known: set[int | None]) -> None:
    done = session.scalars(select(JobRow.id).where(JobRow.state == "done", JobRow.kind == SOLVING))
    for job_id in done:
        if job_id not in known:
            context.fault("bound", f"job {job_id}", "it is done, but has no bound")
