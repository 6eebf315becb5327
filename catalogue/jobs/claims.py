"""Claims of runners on jobs, and the detection of dead runners.

A runner writes its name into the job that it claims, and a heartbeat every few seconds. Another
runner takes the job over when the heartbeat is too old or, without delay, when the process no
longer exists on this machine. Every statement changes a row only if it is still as it was read, so
of two runners that try to claim a job exactly one succeeds.
"""

import contextlib
import hashlib
import os
import platform
import uuid
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

import psutil
from sqlalchemy import func, or_, select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session

from catalogue.jobs.queue import STALE
from catalogue.schema import JobRow
from catalogue.store import Catalogue

# Two readings of the start time of a process may differ by this many seconds: clocks are adjusted.
_SAME_START = 2.0


def new_runner() -> str:
    """Make a name for a runner in this process: ``host/machine/pid/start/token``."""
    process = psutil.Process()
    return "/".join(
        (
            _host(),
            _machine(),
            str(process.pid),
            f"{process.create_time():.2f}",
            uuid.uuid4().hex[:6],
        )
    )


def claim_next(cat: Catalogue, runner: str, among: Collection[int] | None = None) -> int | None:
    """Claim the oldest job that is queued or whose runner is dead; None if there is none.

    With `among`, only jobs with these numbers are considered.
    """
    with cat.session() as session:
        now = database_time(session)
        candidates = session.execute(
            select(JobRow.id, JobRow.state, JobRow.runner, JobRow.heartbeat)
            .where(or_(JobRow.state == "queued", JobRow.state == "running"))
            .order_by(JobRow.id)
        ).all()
    for job_id, state, holder, heartbeat in candidates:
        if among is not None and job_id not in among:
            continue
        if state == "running" and not is_dead(holder, heartbeat, now):
            continue
        with cat.begin() as session:
            now = database_time(session)
            taken = session.execute(
                update(JobRow)
                .where(
                    JobRow.id == job_id,
                    JobRow.state == state,
                    JobRow.runner == holder,
                    JobRow.heartbeat == heartbeat,
                )
                .values(
                    state="running",
                    runner=runner,
                    heartbeat=now,
                    started_at=func.coalesce(JobRow.started_at, now),
                    finished_at=None,
                    rate=None,
                    error=None,
                )
            )
            if _rows(taken):
                return int(job_id)
    return None


def beat(session: Session, job_id: int, runner: str) -> bool:
    """Renew the heartbeat; False if the job is no longer the runner's own.

    At the beginning of a transaction it also holds the claim until the transaction ends.
    """
    return _change(session, job_id, runner, heartbeat=database_time(session))


def release(session: Session, job_id: int, runner: str) -> bool:
    """Return the job to the queue, for any runner to claim."""
    return _change(session, job_id, runner, state="queued", runner_after=None, rate=None)


def finish(session: Session, job_id: int, runner: str, error: str | None = None) -> bool:
    """Mark the job as done or, with an error, as failed."""
    state = "done" if error is None else "failed"
    now = database_time(session)
    return _change(session, job_id, runner, state=state, error=error, finished_at=now, rate=None)


def is_dead(runner: str | None, heartbeat: datetime | None, now: datetime) -> bool:
    """Whether the runner that holds a job is dead."""
    if runner is None or heartbeat is None or now - heartbeat > STALE:
        return True
    parts = runner.split("/")
    if len(parts) != 5 or (parts[0], parts[1]) != (_host(), _machine()):
        return False  # on another machine, where only its heartbeat is visible
    try:
        process = psutil.Process(int(parts[2]))
        other = abs(float(process.create_time()) - float(parts[3])) > _SAME_START
        return other or bool(process.status() == psutil.STATUS_ZOMBIE)
    except (psutil.NoSuchProcess, ValueError):
        return True
    except psutil.AccessDenied:
        return False


def database_time(session: Session) -> datetime:
    """The current time by the clock of the database, since clocks of machines may differ."""
    if session.get_bind().dialect.name == "postgresql":
        now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        return now.astimezone(UTC)
    return datetime.now(UTC)


def _change(session: Session, job_id: int, runner: str, **values: object) -> bool:
    if "runner_after" in values:
        values["runner"] = values.pop("runner_after")
    return bool(
        _rows(
            session.execute(
                update(JobRow)
                .where(JobRow.id == job_id, JobRow.runner == runner, JobRow.state == "running")
                .values(**values)
            )
        )
    )


def _rows(result: object) -> int:
    assert isinstance(result, CursorResult)
    return int(result.rowcount)


def _host() -> str:
    return (platform.node() or "unknown").replace("/", "-")[:60]


def _machine() -> str:
    """An identifier of this machine and container, unlike that of others with the same host name.

    A process number means nothing outside its namespace.
    """
    marks = [str(uuid.getnode())]
    with contextlib.suppress(OSError):
        marks.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    with contextlib.suppress(OSError):
        marks.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256(" ".join(marks).encode()).hexdigest()[:8]
