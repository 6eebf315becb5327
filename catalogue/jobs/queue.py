"""The queue of jobs: submitting, listing and cancelling their rows.

A job names solvers, a sample and a ruleset. It is declarative: it states which outcomes are wanted,
and running it computes those that are missing. Jobs are claimed in `catalogue.jobs.claims` and run
in `catalogue.jobs.runner`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalogue.outcomes.chunk import SolverKey
from catalogue.outcomes.writing import check_seed, ensure_ruleset, ensure_solver
from catalogue.schema import JobRow, JobSolverRow, RulesetRow, SolverRow
from catalogue.store import Catalogue, lock
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers import registry
from solvers.registry import parse_solver

# A runner without a heartbeat for this long is considered dead.
STALE = timedelta(seconds=30)
_JOBS_LOCK = -2
_OPEN = ("queued", "running")


@dataclass(frozen=True, slots=True)
class JobInfo:
    """The current state of a job.

    Attributes:
        id: its number.
        kind: what it computes, ``outcomes`` or ``regrets``.
        ruleset: slug of the ruleset.
        ruleset_id: its row.
        sample: the deals.
        solvers: the solvers as text, in the order in which they run.
        state: queued, running, done, failed or cancelled.
        done: outcomes or regrets present, of `total`.
        total: deals × solvers for outcomes; for regrets the number known to be needed.
        rate: recent outcomes or regrets per second, while it runs.
        eta_seconds: time left at that rate, while it runs.
        error: the reason for its failure, in a sentence.
        created_at: when it was submitted; all moments here are in UTC.
        started_at: when a runner first claimed it.
        heartbeat: the last heartbeat of its runner.
        finished_at: when it was done, failed or was cancelled.
        runner: the current or last runner.
    """

    id: int
    kind: str
    ruleset: str
    ruleset_id: int
    sample: Sample
    solvers: tuple[str, ...]
    state: str
    done: int
    total: int
    rate: float | None
    eta_seconds: float | None
    error: str | None
    created_at: datetime
    started_at: datetime | None
    heartbeat: datetime | None
    finished_at: datetime | None
    runner: str | None

    @property
    def is_open(self) -> bool:
        """Whether it is queued or running."""
        return self.state in _OPEN

    @property
    def stalled(self) -> bool:
        """Whether it is marked as running but its runner has stopped responding."""
        return (
            self.state == "running"
            and self.heartbeat is not None
            and datetime.now(UTC) - self.heartbeat > STALE
        )


def submit(cat: Catalogue, ruleset: str, sample: Sample, solvers: Sequence[str]) -> int:
    """Queue a job that solves deals, and return its number.

    Submitting a job that is queued, running or done returns its number; submitting one that failed
    or was cancelled queues it again. So it is safe to repeat.

    Raises:
        BadInput: unknown ruleset or solver, a dealer that does not deal the ruleset's game, seeds
            too large to be stored, no solver, one named twice, or one that does not play the
            ruleset.
    """
    rules = parse_ruleset(ruleset)
    configured = [parse_solver(text) for text in solvers]
    if not configured:
        raise BadInput("a job needs at least one solver, such as exact")
    for solver in configured:
        if configured.count(solver) > 1:
            raise BadInput(f"solver {solver} is named twice in the job")
    total = sample.count * len(configured)
    return enqueue(cat, "outcomes", rules, sample, configured, total)


def enqueue(
    cat: Catalogue,
    kind: str,
    rules: Rules,
    sample: Sample,
    solvers: Sequence[registry.Solver],
    total: int,
    *,
    again: bool = False,
) -> int:
    """Queue a job of any kind, or find the existing one, and return its number.

    Args:
        cat: the catalogue.
        kind: of `catalogue.schema.JobRow`.
        rules: the ruleset.
        sample: the deals.
        solvers: in the order in which they run.
        total: number of results of the finished job, as far as known.
        again: whether to queue a job again that is done.

    Raises:
        BadInput: a dealer that does not deal the ruleset's game, seeds too large to be stored, or a
            solver that does not play the ruleset.
    """
    get_dealer(sample.dealer).check_game(game_of(rules))
    check_seed(sample.last)
    for solver in solvers:
        solver.check_plays(rules)
    with cat.begin() as session:
        ruleset_id = ensure_ruleset(session, rules)
        keys = [SolverKey.of(solver) for solver in solvers]
        # Rows are added in the same order everywhere, so that no two transactions deadlock.
        ids = {key: ensure_solver(session, key) for key in sorted(keys, key=lambda k: k.name)}
        solver_ids = [ids[key] for key in keys]
        lock(session, _JOBS_LOCK)
        same = session.execute(
            select(JobRow.id, JobRow.state)
            .where(
                JobRow.kind == kind,
                JobRow.ruleset_id == ruleset_id,
                JobRow.dealer == sample.dealer,
                JobRow.first_seed == sample.first,
                JobRow.deals == sample.count,
            )
            .order_by(JobRow.id)
        ).all()
        for job_id, state in same:
            if _solver_ids(session, job_id) == solver_ids:
                if state in ("failed", "cancelled") or (again and state == "done"):
                    _queue_again(session, job_id)
                return job_id
        job = JobRow(
            kind=kind,
            ruleset_id=ruleset_id,
            dealer=sample.dealer,
            first_seed=sample.first,
            deals=sample.count,
            state="queued",
            done=0,
            total=total,
            created_at=datetime.now(UTC),
        )
        session.add(job)
        session.flush()
        session.add_all(
            JobSolverRow(job_id=job.id, place=place, solver_id=solver_id)
            for place, solver_id in enumerate(solver_ids)
        )
        return job.id


def list_jobs(cat: Catalogue) -> list[JobInfo]:
    """All jobs, the oldest first."""
    with cat.session() as session:
        return _read(session)


def get_job(cat: Catalogue, job_id: int) -> JobInfo:
    """Get a job by its number.

    Raises:
        BadInput: there is no job of that number.
    """
    with cat.session() as session:
        return read_job(session, job_id)


def read_job(session: Session, job_id: int) -> JobInfo:
    """`get_job` in an open session."""
    found = _read(session, job_id)
    if not found:
        raise BadInput(f"there is no job {job_id}: `thoughtful job list` lists all jobs")
    return found[0]


def cancel(cat: Catalogue, job_id: int) -> None:
    """Cancel a job, with a short delay if it is running; the outcomes it has stored are kept.

    Raises:
        BadInput: there is no job of that number, or it is already done or failed.
    """
    with cat.begin() as session:
        stopped = session.execute(
            update(JobRow)
            .where(JobRow.id == job_id, JobRow.state.in_(_OPEN))
            .values(state="cancelled", rate=None, finished_at=datetime.now(UTC))
            .returning(JobRow.id)
        ).scalar()
        if stopped is None:
            state = read_job(session, job_id).state
            if state != "cancelled":
                raise BadInput(f"job {job_id} cannot be cancelled: it is already {state}")


def _read(session: Session, job_id: int | None = None) -> list[JobInfo]:
    jobs = (
        select(JobRow, RulesetRow.slug)
        .join(RulesetRow, RulesetRow.id == JobRow.ruleset_id)
        .order_by(JobRow.id)
    )
    solvers = (
        select(JobSolverRow.job_id, SolverRow.name)
        .join(SolverRow, SolverRow.id == JobSolverRow.solver_id)
        .order_by(JobSolverRow.job_id, JobSolverRow.place)
    )
    if job_id is not None:
        jobs = jobs.where(JobRow.id == job_id)
        solvers = solvers.where(JobSolverRow.job_id == job_id)
    names = defaultdict(list)
    for key, name in session.execute(solvers):
        names[key].append(name)
    return [_info(job, slug, tuple(names[job.id])) for job, slug in session.execute(jobs)]


def _info(job: JobRow, ruleset: str, solvers: tuple[str, ...]) -> JobInfo:
    rate = job.rate if job.state == "running" else None
    return JobInfo(
        id=job.id,
        kind=job.kind,
        ruleset=ruleset,
        ruleset_id=job.ruleset_id,
        sample=Sample(job.dealer, job.first_seed, job.deals),
        solvers=solvers,
        state=job.state,
        done=job.done,
        total=job.total,
        rate=rate,
        eta_seconds=(job.total - job.done) / rate if rate else None,
        error=job.error,
        created_at=job.created_at,
        started_at=job.started_at,
        heartbeat=job.heartbeat,
        finished_at=job.finished_at,
        runner=job.runner,
    )


def _solver_ids(session: Session, job_id: int) -> list[int]:
    return list(
        session.scalars(
            select(JobSolverRow.solver_id)
            .where(JobSolverRow.job_id == job_id)
            .order_by(JobSolverRow.place)
        )
    )


def _queue_again(session: Session, job_id: int) -> None:
    session.execute(
        update(JobRow)
        .where(JobRow.id == job_id)
        .values(state="queued", error=None, runner=None, rate=None, finished_at=None)
    )
