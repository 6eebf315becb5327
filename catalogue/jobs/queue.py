"""The queue of jobs: submitting, listing and steering their rows.

A job names solvers, a sample and a ruleset. It is declarative: it states which outcomes are wanted,
and running it computes those that are missing. Runners claim its shards in `catalogue.jobs.claims`
and have them solved in `catalogue.jobs.runner`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from catalogue.blocks import EVERYTHING, KEEPS
from catalogue.jobs.stop_rules import check_rules
from catalogue.outcomes import ledger
from catalogue.outcomes.chunk import SolverKey
from catalogue.outcomes.names import check_seed, ensure_ruleset, ensure_solver
from catalogue.outcomes.seals import seal_of_job
from catalogue.schema import (
    MAX_STORED_SEED,
    SOLVING,
    JobRow,
    JobSolverRow,
    RulesetRow,
    RunnerRow,
    ShardRow,
    SolverRow,
)
from catalogue.store import Catalogue, lock
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.solver import Solver, parse_solver

# A runner without a heartbeat for this long is considered dead. So is one whose heartbeat is as far
# ahead, which was written before the clock was set back.
STALE = timedelta(seconds=30)
MAX_PRIORITY = 1000
_JOBS_LOCK = -2
# States in which runners claim shards of a job.
OPEN = ("queued", "running")


@dataclass(frozen=True, slots=True)
class JobInfo:
    """The current state of a job.

    Attributes:
        id: its number.
        kind: what it computes: ``outcomes``, ``regrets`` or ``features``.
        ruleset: slug of the ruleset.
        ruleset_id: its row.
        sample: the deals.
        solvers: the solvers as text, in the order in which they run.
        keep: what is kept of its outcomes, ``everything`` or ``verdicts``.
        priority: of two jobs the one with the larger number runs first.
        until: rules by which it stops early (`catalogue.jobs.stop_rules`).
        state: queued, running, paused, done, failed or cancelled.
        done: outcomes or regrets of its finished shards, of `total`.
        total: deals × solvers for outcomes; for regrets the number known to be needed.
        rate: recent outcomes or regrets per second, while it runs.
        eta_seconds: time left at that rate, while it runs.
        cpu_ms: milliseconds of CPU time spent by its shards.
        error: why it failed, or by which rule it stopped, in a sentence.
        created_at: when it was submitted; all moments here are in UTC.
        started_at: when a runner first claimed a shard of it.
        finished_at: when it was done, failed or was cancelled.
        shards: numbers of its shards, by their state: waiting, running, failed.
        runners: names of the runners that have shards of it.
        heartbeat: the newest heartbeat of these runners.
        inferred: number of its deals that were skipped, as their outcomes follow from those under
            other rulesets; None if it has all of them solved.
    """

    id: int
    kind: str
    ruleset: str
    ruleset_id: int
    sample: Sample
    solvers: tuple[str, ...]
    keep: str
    priority: int
    until: dict[str, Any]
    state: str
    done: int
    total: int
    rate: float | None
    eta_seconds: float | None
    cpu_ms: float
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    shards: dict[str, int]
    runners: tuple[str, ...]
    heartbeat: datetime | None
    inferred: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether runners work on it: it is queued or running."""
        return self.state in OPEN

    @property
    def stalled(self) -> bool:
        """Whether it is marked as running but its runners have stopped responding."""
        return (
            self.state == "running"
            and self.heartbeat is not None
            and abs(datetime.now(UTC) - self.heartbeat) > STALE
        )


@dataclass(frozen=True, slots=True)
class Submission:
    """A job that somebody asks for.

    Attributes:
        rules: the ruleset.
        sample: the deals.
        solvers: in the order in which they run.
        kind: of `catalogue.schema.JobRow`.
        keep: one of `catalogue.blocks.KEEPS`.
        priority: of the job; None for 0, or that of the existing job.
        until: rules by which it stops early; None for none, or those of the existing job.
        infer: whether deals are not solved whose outcomes follow from those under other rulesets.
    """

    rules: Rules
    sample: Sample
    solvers: Sequence[Solver]
    kind: str = SOLVING
    keep: str = EVERYTHING
    priority: int | None = None
    until: Mapping[str, Any] | None = None
    infer: bool = False

    def check(self) -> None:
        """Check that such a job can be run.

        Raises:
            BadInput: no solver, one named twice, one that does not play the ruleset, a player in a
                job that infers, a dealer that does not deal the ruleset's game, seeds too large to
                be stored, or a word for what is kept, priority or rule that does not exist.
        """
        if not self.solvers:
            raise BadInput("a job needs at least one solver, such as exact")
        for solver in self.solvers:
            if self.solvers.count(solver) > 1:
                raise BadInput(f"solver {solver} is named twice in the job")
        get_dealer(self.sample.dealer).check_game(game_of(self.rules))
        check_seed(self.sample.last)
        results = self.sample.count * len(self.solvers)
        if results > MAX_STORED_SEED:
            raise BadInput(
                f"a job of {results:,} outcomes cannot be counted: expected at most "
                f"{MAX_STORED_SEED:,}"
            )
        for solver in self.solvers:
            solver.check_plays(self.rules)
        if self.keep not in KEEPS:
            raise BadInput(f"{self.keep!r} cannot be kept: expected one of {', '.join(KEEPS)}")
        _check_priority(self.priority or 0)
        check_rules(self.until or {})
        for solver in self.solvers if self.infer else ():
            # Its outcomes tell how well it plays.
            if solver.method.sees == "observation":
                raise BadInput(
                    f"{solver.method.slug} is a player, and what it would do does not follow: "
                    "expected solvers that are given the whole deal where outcomes are inferred"
                )


def submit(
    cat: Catalogue,
    ruleset: str,
    sample: Sample,
    solvers: Sequence[str],
    *,
    keep: str = EVERYTHING,
    priority: int | None = None,
    until: Mapping[str, Any] | None = None,
    infer: bool = False,
) -> int:
    """Queue a job that solves deals, and return its number.

    Submitting a job that is queued, running, paused or done returns its number; submitting one that
    failed, was cancelled, or stopped by a rule that is no longer given, queues it again. So it is
    safe to repeat.

    The arguments are those of `Submission`, with ruleset and solvers as text.

    Raises:
        BadInput: unknown ruleset or solver, or see `Submission.check`.
    """
    rules = parse_ruleset(ruleset)
    configured = [parse_solver(text) for text in solvers]
    return enqueue(
        cat, Submission(rules, sample, configured, SOLVING, keep, priority, until, infer)
    )


def enqueue(
    cat: Catalogue, asked: Submission, total: int | None = None, *, again: bool = False
) -> int:
    """Queue a job of any kind, or find the existing one, and return its number.

    Args:
        cat: the catalogue.
        asked: the job.
        total: number of results of the finished job, as far as known; None for an outcome of each
            solver on each deal.
        again: whether to queue a job again that is done.

    Raises:
        BadInput: see `Submission.check`.
    """
    asked.check()
    with cat.begin() as session:
        ruleset_id = ensure_ruleset(session, asked.rules)
        keys = [SolverKey.of(solver) for solver in asked.solvers]
        # Rows are added in the same order everywhere, so that no two transactions deadlock.
        ids = {key: ensure_solver(session, key) for key in sorted(keys, key=lambda k: k.name)}
        solver_ids = [ids[key] for key in keys]
        lock(session, _JOBS_LOCK)
        identity = {
            "kind": asked.kind,
            "ruleset_id": ruleset_id,
            "dealer": asked.sample.dealer,
            "first_seed": asked.sample.first,
            "deals": asked.sample.count,
            "keep": asked.keep,
        }
        infers = JobRow.inferred.is_not(None) if asked.infer else JobRow.inferred.is_(None)
        same = select(JobRow.id).filter_by(**identity).where(infers).order_by(JobRow.id)
        for job_id in session.scalars(same).all():
            if _solver_ids(session, job_id) == solver_ids:
                _submit_again(session, job_id, asked.priority, asked.until, again)
                return job_id
        job = JobRow(
            **identity,
            priority=asked.priority or 0,
            until=dict(asked.until or {}),
            state="queued",
            done=0,
            total=asked.sample.count * len(keys) if total is None else total,
            next_seed=asked.sample.first,
            cpu_ms=0.0,
            created_at=datetime.now(UTC),
            seal=0,
            inferred=0 if asked.infer else None,
        )
        session.add(job)
        session.flush()
        ledger.add(session, "job", {"id": job.id, "created_at": job.created_at})
        session.add_all(
            JobSolverRow(job_id=job.id, place=place, solver_id=solver_id)
            for place, solver_id in enumerate(solver_ids)
        )
        session.flush()
        change(session, job)
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
        job = locked(session, job_id)
        if job.state in (*OPEN, "paused"):
            change(session, job, state="cancelled", rate=None, finished_at=datetime.now(UTC))
        elif job.state != "cancelled":
            raise BadInput(f"job {job_id} cannot be cancelled: it is already {job.state}")


def pause(cat: Catalogue, job_id: int) -> None:
    """Pause a job: shards that are being solved are finished, and no further one is begun.

    Raises:
        BadInput: there is no job of that number, or it has ended.
    """
    with cat.begin() as session:
        job = locked(session, job_id)
        if job.state in OPEN:
            change(session, job, state="paused", rate=None)
        elif job.state != "paused":
            raise BadInput(f"job {job_id} cannot be paused: it is already {job.state}")


def resume(cat: Catalogue, job_id: int) -> None:
    """Let a paused job go on.

    Raises:
        BadInput: there is no job of that number, or it has ended.
    """
    with cat.begin() as session:
        job = locked(session, job_id)
        if job.state == "paused":
            change(session, job, state="queued")
        elif job.state not in OPEN:
            raise BadInput(f"job {job_id} cannot be resumed: it is {job.state}")


def set_priority(cat: Catalogue, job_id: int, priority: int) -> None:
    """Set the priority of a job: of two jobs the one with the larger number runs first.

    Raises:
        BadInput: there is no job of that number, or the priority is out of range.
    """
    _check_priority(priority)
    with cat.begin() as session:
        change(session, locked(session, job_id), priority=priority)


def retry(cat: Catalogue, job_id: int) -> int:
    """Queue a job that failed or was cancelled again, and return the number of failed shards.

    The failed shards of a job that is still open are tried again as well.

    Raises:
        BadInput: there is no job of that number, or nothing of it has failed.
    """
    with cat.begin() as session:
        shards = session.scalars(
            update(ShardRow)
            .where(ShardRow.job_id == job_id, ShardRow.state == "failed")
            .values(state="waiting", attempts=0, error=None)
            .returning(ShardRow.id)
        ).all()
        job = locked(session, job_id)
        if job.state in ("failed", "cancelled"):
            _queue_again(session, job)
        elif not shards:
            raise BadInput(f"nothing of job {job_id} has failed: it is {job.state}")
        return len(shards)


def locked(session: Session, job_id: int) -> JobRow:
    """The row of a job, locked until the transaction ends.

    Of shards and their job, shards are locked first, so that no two transactions deadlock.

    Raises:
        BadInput: there is no job of that number.
    """
    job = session.scalars(
        select(JobRow)
        .where(JobRow.id == job_id)
        # New shards refer to the row, for which they need not wait.
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).first()
    if job is None:
        raise BadInput(f"there is no job {job_id}: `thoughtful job list` lists all jobs")
    return job


def change(session: Session, job: JobRow, **values: Any) -> None:
    """Change columns of a job, and its seal with them; nothing else changes sealed columns."""
    for name, value in values.items():
        setattr(job, name, value)
    row = {column.name: getattr(job, column.name) for column in JobRow.__table__.columns}
    job.seal = seal_of_job(row, _solver_ids(session, job.id))
    session.flush()


def _read(session: Session, job_id: int | None = None) -> list[JobInfo]:
    """All jobs, or one; shards are few, since runners make them as they need them."""
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
    shards = (
        select(ShardRow.job_id, ShardRow.state, RunnerRow.name, RunnerRow.heartbeat, func.count())
        .outerjoin(RunnerRow, RunnerRow.id == ShardRow.runner_id)
        .group_by(ShardRow.job_id, ShardRow.state, RunnerRow.name, RunnerRow.heartbeat)
        .order_by(ShardRow.job_id, RunnerRow.name)
    )
    if job_id is not None:
        jobs = jobs.where(JobRow.id == job_id)
        solvers = solvers.where(JobSolverRow.job_id == job_id)
        shards = shards.where(ShardRow.job_id == job_id)
    names = defaultdict(list)
    for key, name in session.execute(solvers):
        names[key].append(name)
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    holders: dict[int, dict[str, datetime]] = defaultdict(dict)
    for key, state, runner, heartbeat, count in session.execute(shards):
        counts[key][state] = counts[key].get(state, 0) + count
        if runner is not None:
            holders[key][runner] = heartbeat
    return [
        _info(job, slug, tuple(names[job.id]), counts[job.id], holders[job.id])
        for job, slug in session.execute(jobs)
    ]


def _info(
    job: JobRow,
    ruleset: str,
    solvers: tuple[str, ...],
    shards: dict[str, int],
    holders: dict[str, datetime],
) -> JobInfo:
    rate = job.rate if job.state == "running" else None
    return JobInfo(
        id=job.id,
        kind=job.kind,
        ruleset=ruleset,
        ruleset_id=job.ruleset_id,
        sample=Sample(job.dealer, job.first_seed, job.deals),
        solvers=solvers,
        keep=job.keep,
        priority=job.priority,
        until=dict(job.until),
        state=job.state,
        done=job.done,
        total=job.total,
        rate=rate,
        eta_seconds=(job.total - job.done) / rate if rate else None,
        cpu_ms=job.cpu_ms,
        error=job.error,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        shards=shards,
        runners=tuple(holders),
        heartbeat=max(holders.values(), default=None),
        inferred=job.inferred,
    )


def _solver_ids(session: Session, job_id: int) -> list[int]:
    return list(
        session.scalars(
            select(JobSolverRow.solver_id)
            .where(JobSolverRow.job_id == job_id)
            .order_by(JobSolverRow.place)
        )
    )


def _submit_again(
    session: Session,
    job_id: int,
    priority: int | None,
    until: Mapping[str, Any] | None,
    again: bool,
) -> None:
    """Submit an existing job."""
    session.execute(
        update(ShardRow)
        .where(ShardRow.job_id == job_id, ShardRow.state == "failed")
        .values(state="waiting", attempts=0, error=None)
    )
    job = locked(session, job_id)
    # Of the states that end a job, only done has an error that names the rule.
    stopped = job.state == "done" and job.error is not None
    other_rule = stopped and until is not None and dict(until) != job.until
    values: dict[str, Any] = {}
    if priority is not None and priority != job.priority:
        values["priority"] = priority
    if until is not None and dict(until) != job.until:
        values["until"] = dict(until)
    if values and (job.state != "done" or other_rule):
        change(session, job, **values)
    if job.state in ("failed", "cancelled") or other_rule:
        _queue_again(session, job)
    elif again and job.state == "done":
        _queue_again(session, job, from_start=True)


def _queue_again(session: Session, job: JobRow, *, from_start: bool = False) -> None:
    if from_start:
        job.next_seed, job.done = job.first_seed, 0
    change(session, job, state="queued", error=None, rate=None, finished_at=None)


def _check_priority(priority: int) -> None:
    if isinstance(priority, bool) or not isinstance(priority, int):
        raise BadInput(f"priority {priority!r} is no whole number")
    if not -MAX_PRIORITY <= priority <= MAX_PRIORITY:
        raise BadInput(
            f"priority {priority} is out of range: expected -{MAX_PRIORITY} to {MAX_PRIORITY}"
        )
