"""The progress of jobs: their rate, bounds on the way, rules that stop them, and their end."""

import time
from collections import deque
from datetime import UTC, datetime
from enum import Enum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue.jobs import stop_rules
from catalogue.jobs.queue import change
from catalogue.jobs.shards import end_of
from catalogue.jobs.task import Task
from catalogue.reading.bounds import record_bound
from catalogue.schema import SOLVING, BoundRow, JobRow, ShardRow

# When this many shards have failed, the solver is at fault, and the job is given up.
MAX_FAILED = 16
# The time that a rate is taken over.
RATE_SECONDS = 30.0


class Settled(Enum):
    """The state of a job after a look at its shards."""

    GOES_ON = 0
    AGAIN = 1  # something is missing that was there: it begins again
    ENDED = 2


class Throughput:
    """Moving average of outcomes per second, once every worker is under way."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()
        self._workers: set[str | None] = set()

    def begins(self, worker: str | None) -> bool:
        """Whether this is the first shard of a worker, whose time does not count.

        It has compiled or loaded the kernels meanwhile, and the others worked without it.
        """
        if worker in self._workers:
            return False
        self._workers.add(worker)
        self._seen.clear()
        return True

    def update(self, done: int) -> float | None:
        """The average, given the number of outcomes that are done now; None if it is too early."""
        now = time.monotonic()
        if self._seen and done < self._seen[-1][1]:  # the job has begun again
            self._seen.clear()
        self._seen.append((now, done))
        while now - self._seen[0][0] > RATE_SECONDS and len(self._seen) > 2:
            self._seen.popleft()
        since, before = self._seen[0]
        return (done - before) / (now - since) if now - since >= 1 else None


def settle(session: Session, task: Task, job: JobRow, made: bool) -> Settled:
    """End a job of which nothing is left.

    Call it in the transaction that has locked the job, after its shards were changed.

    Args:
        session: of the transaction.
        task: the job's task.
        job: its row.
        made: whether a shard was made since the job last began at its first seed. If not, and
            something is missing all the same, the job cannot be completed.
    """
    rows = session.execute(
        select(ShardRow.state, func.count())
        .where(ShardRow.job_id == job.id)
        .group_by(ShardRow.state)
    )
    counts: dict[str, int] = dict(rows.all())
    failed = counts.pop("failed", 0)
    if failed >= MAX_FAILED:
        return _fail(session, job, _failure(session, job))
    if counts or job.next_seed < end_of(job):
        return Settled.GOES_ON
    if failed:
        return _fail(session, job, _failure(session, job))
    if job.kind == SOLVING:
        record_bound(session, job.id)
    done, total = task.count(session, range(job.first_seed, end_of(job)))
    if done < total:
        if not made:
            return _fail(
                session,
                job,
                f"only {done} of {total} are counted, but none is missing: the blocks are wrong",
            )
        job.next_seed, job.done = job.first_seed, 0
        session.flush()
        return Settled.AGAIN
    if job.kind != SOLVING:
        change(session, job, total=total)
    job.done = done
    _end(session, job, "done", stop_rules.enough(job.until, job.deals))
    return Settled.ENDED


def record(session: Session, job: JobRow) -> Settled:
    """Record the bound of a running job, and stop the job if one of its rules says so."""
    if job.kind == SOLVING:
        record_bound(session, job.id)
    why = stop_rules.spent(job.until, job.cpu_ms)
    if why is None and "width" in job.until:
        bound = session.execute(
            select(BoundRow.n, BoundRow.winnable, BoundRow.unwinnable)
            .where(BoundRow.job_id == job.id)
            .order_by(BoundRow.id.desc())
            .limit(1)
        ).first()
        if bound is not None:
            why = stop_rules.narrow(job.until, *bound)
    if why is None or job.state not in ("queued", "running", "paused"):
        return Settled.GOES_ON
    _end(session, job, "done", why)
    return Settled.ENDED


def fail(session: Session, job: JobRow, error: str) -> None:
    """Mark a job as failed."""
    _end(session, job, "failed", error)


def has_shards(session: Session, job_id: int, state: str | None = None) -> bool:
    """Whether a job has shards, or any in that state."""
    query = select(ShardRow.id).where(ShardRow.job_id == job_id).limit(1)
    if state is not None:
        query = query.where(ShardRow.state == state)
    return session.execute(query).first() is not None


def _fail(session: Session, job: JobRow, error: str) -> Settled:
    fail(session, job, error)
    return Settled.ENDED


def _end(session: Session, job: JobRow, state: str, error: str | None) -> None:
    now = datetime.now(UTC)
    # A job of which nothing was missing began when that was seen.
    started = job.started_at or now if state == "done" else job.started_at
    change(session, job, state=state, error=error, rate=None, started_at=started, finished_at=now)


def _failure(session: Session, job: JobRow) -> str:
    """Which shards have failed, and why the first of them did."""
    rows = session.execute(
        select(ShardRow.first_seed, ShardRow.deals, ShardRow.error)
        .where(ShardRow.job_id == job.id, ShardRow.state == "failed")
        .order_by(ShardRow.first_seed)
    ).all()
    seeds = ", ".join(
        str(row.first_seed)
        if row.deals == 1
        else f"{row.first_seed} to {row.first_seed + row.deals - 1}"
        for row in rows
    )
    what = "1 shard failed" if len(rows) == 1 else f"{len(rows)} shards failed"
    return (
        f"{what}: seed{'s' if len(rows) > 1 or rows[0].deals > 1 else ''} {seeds} of {job.dealer} "
        f"({rows[0].error}); try again with `thoughtful job retry {job.id}`"
    )
