"""Jobs: "these solvers on this sample under this ruleset", as rows.

A job is declarative: it says what there shall be, and running it fills in what is missing. Who
runs one is the matter of `catalogue.claims` and `catalogue.runner`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalogue.chunk import SolverKey
from catalogue.outcomes import check_seed, ensure_ruleset, ensure_solver
from catalogue.schema import Job, JobSolver, Ruleset, Solver
from catalogue.store import Catalogue, lock
from engine.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.registry import parse_solver

# A runner that has not been heard of for so long is taken for dead.
STALE = timedelta(seconds=30)
_JOBS_LOCK = -2
_OPEN = ("queued", "running")


@dataclass(frozen=True, slots=True)
class JobInfo:
    """A job as it stands.

    Attributes:
        id: its number.
        ruleset: slug of the ruleset.
        sample: the deals.
        solvers: as they print, in the order in which they run.
        state: queued, running, done, failed or cancelled.
        done: outcomes present, of `total`.
        total: deals × solvers.
        rate: outcomes a second of late, while it runs.
        eta_seconds: until it is done at that rate, while it runs.
        error: why it failed, in a sentence.
        created_at: when it was submitted, as all moments here in UTC.
        started_at: when a runner first took it up.
        heartbeat: when its runner was last heard of.
        finished_at: when it was done, failed or was cancelled.
        runner: who works on it, or did last.
    """

    id: int
    ruleset: str
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
        """Whether it is queued or runs, so that more may come of it."""
        return self.state in _OPEN

    @property
    def stalled(self) -> bool:
        """Whether it counts as running but its runner has not been heard of for long."""
        return (
            self.state == "running"
            and self.heartbeat is not None
            and datetime.now(UTC) - self.heartbeat > STALE
        )


def submit(cat: Catalogue, ruleset: str, sample: Sample, solvers: Sequence[str]) -> int:
    """Queue a job; its number.

    Submitting what is queued, running or done already gives the number of that job; submitting
    again what failed or was cancelled queues that job again. So it is safe to repeat.

    Raises:
        BadInput: unknown ruleset or solver, a dealer that does not deal the ruleset's game, seeds
            too large to be stored, no solver, one named twice, or one that does not play the
            ruleset.
    """
    rules = parse_ruleset(ruleset)
    get_dealer(sample.dealer).check_game(game_of(rules))
    check_seed(sample.last)
    configured = [parse_solver(text) for text in solvers]
    if not configured:
        raise BadInput("a job needs at least one solver, such as exact")
    for solver in configured:
        solver.check_plays(rules)
        if configured.count(solver) > 1:
            raise BadInput(f"solver {solver} is named twice in the job")

    with cat.begin() as session:
        ruleset_id = ensure_ruleset(session, rules)
        keys = [SolverKey.of(solver) for solver in configured]
        # Rows are added in one order by all, so that no two wait for each other.
        ids = {key: ensure_solver(session, key) for key in sorted(keys, key=lambda k: k.name)}
        solver_ids = [ids[key] for key in keys]
        lock(session, _JOBS_LOCK)
        same = session.execute(
            select(Job.id, Job.state)
            .where(
                Job.ruleset_id == ruleset_id,
                Job.dealer == sample.dealer,
                Job.first_seed == sample.first,
                Job.deals == sample.count,
            )
            .order_by(Job.id)
        ).all()
        for job_id, state in same:
            if _solver_ids(session, job_id) == solver_ids:
                if state in ("failed", "cancelled"):
                    _queue_again(session, job_id)
                return job_id
        job = Job(
            ruleset_id=ruleset_id,
            dealer=sample.dealer,
            first_seed=sample.first,
            deals=sample.count,
            state="queued",
            done=0,
            created_at=datetime.now(UTC),
        )
        session.add(job)
        session.flush()
        session.add_all(
            JobSolver(job_id=job.id, place=place, solver_id=solver_id)
            for place, solver_id in enumerate(solver_ids)
        )
        return job.id


def list_jobs(cat: Catalogue) -> list[JobInfo]:
    """Every job, the oldest first."""
    with cat.session() as session:
        return _read(session)


def get_job(cat: Catalogue, job_id: int) -> JobInfo:
    """One job.

    Raises:
        BadInput: there is no job of that number.
    """
    with cat.session() as session:
        return read_job(session, job_id)


def read_job(session: Session, job_id: int) -> JobInfo:
    """`get_job` in a session that is open already."""
    found = _read(session, job_id)
    if not found:
        raise BadInput(f"there is no job {job_id}: `thoughtful job list` shows those there are")
    return found[0]


def cancel(cat: Catalogue, job_id: int) -> None:
    """Stop a job for good, soon if it runs; what it has stored stays.

    Raises:
        BadInput: there is no job of that number, or it is done or failed already.
    """
    with cat.begin() as session:
        stopped = session.execute(
            update(Job)
            .where(Job.id == job_id, Job.state.in_(_OPEN))
            .values(state="cancelled", rate=None, finished_at=datetime.now(UTC))
            .returning(Job.id)
        ).scalar()
        if stopped is None:
            state = read_job(session, job_id).state
            if state != "cancelled":
                raise BadInput(f"job {job_id} cannot be cancelled: it is {state} already")


def _read(session: Session, job_id: int | None = None) -> list[JobInfo]:
    jobs = select(Job, Ruleset.slug).join(Ruleset, Ruleset.id == Job.ruleset_id).order_by(Job.id)
    solvers = (
        select(JobSolver.job_id, Solver.name)
        .join(Solver, Solver.id == JobSolver.solver_id)
        .order_by(JobSolver.job_id, JobSolver.place)
    )
    if job_id is not None:
        jobs = jobs.where(Job.id == job_id)
        solvers = solvers.where(JobSolver.job_id == job_id)
    names = defaultdict(list)
    for key, name in session.execute(solvers):
        names[key].append(name)
    return [_info(job, slug, tuple(names[job.id])) for job, slug in session.execute(jobs)]


def _info(job: Job, ruleset: str, solvers: tuple[str, ...]) -> JobInfo:
    total = job.deals * len(solvers)
    rate = job.rate if job.state == "running" else None
    return JobInfo(
        id=job.id,
        ruleset=ruleset,
        sample=Sample(job.dealer, job.first_seed, job.deals),
        solvers=solvers,
        state=job.state,
        done=job.done,
        total=total,
        rate=rate,
        eta_seconds=(total - job.done) / rate if rate else None,
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
            select(JobSolver.solver_id).where(JobSolver.job_id == job_id).order_by(JobSolver.place)
        )
    )


def _queue_again(session: Session, job_id: int) -> None:
    session.execute(
        update(Job)
        .where(Job.id == job_id)
        .values(state="queued", error=None, runner=None, rate=None, finished_at=None)
    )
