"""Claims of runners on shards of jobs, and the detection of dead runners.

Each runner has a row with its name and a heartbeat, which it renews every few seconds. It writes
its number into the shards that it claims; on PostgreSQL others skip the rows that are being claimed
(``SKIP LOCKED``), on SQLite the write lock keeps them apart. The shards of a runner whose heartbeat
is too old, or whose process no longer exists on this machine, go back to the queue. A runner that
only slept then finds its shards gone, and stores nothing of them.

A shard that is done is deleted in the transaction that stores its outcomes.
"""

import contextlib
import hashlib
import os
import platform
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session

from catalogue.jobs.queue import STALE, change, locked
from catalogue.outcomes.names import ensure_provenance
from catalogue.outcomes.provenance import this_provenance
from catalogue.schema import JobRow, RunnerRow, ShardRow
from catalogue.store import Catalogue

# Two readings of the start time of a process may differ by this many seconds: clocks are adjusted
# where it is not counted from the boot of the machine.
_SAME_START = 2.0


@dataclass(frozen=True, slots=True)
class Claimed:
    """A shard that a runner has claimed.

    Attributes:
        id: its row.
        job_id: its job.
        first: its first seed.
        deals: number of its seeds.
        attempts: how often its worker hung, or its runner died.
        suspect: whether its workers died, though perhaps of another shard that they had.
    """

    id: int
    job_id: int
    first: int
    deals: int
    attempts: int
    suspect: bool = False

    @property
    def seeds(self) -> range:
        """Its seeds."""
        return range(self.first, self.first + self.deals)


def new_runner() -> str:
    """Make a name for a runner in this process: ``host/machine/pid/start/token``."""
    process = psutil.Process()
    return "/".join(
        (
            _host(),
            _machine(),
            str(process.pid),
            f"{_started(process.pid):.2f}",
            uuid.uuid4().hex[:6],
        )
    )


def register(cat: Catalogue, workers: int, name: str | None = None) -> int:
    """Add the row of a runner, and return its number; by default one of this process."""
    with cat.begin() as session:
        now = database_time(session)
        runner = RunnerRow(
            name=name or new_runner(),
            provenance_id=ensure_provenance(session, this_provenance()),
            workers=workers,
            started_at=now,
            heartbeat=now,
        )
        session.add(runner)
        session.flush()
        return runner.id


def beat(session: Session, runner_id: int, workers: int | None = None) -> bool:
    """Renew the heartbeat of a runner; False if it was declared dead meanwhile."""
    _do_not_wait(session)
    values: dict[str, Any] = {"heartbeat": database_time(session)}
    if workers is not None:
        values["workers"] = workers
    return bool(
        _rows(session.execute(update(RunnerRow).where(RunnerRow.id == runner_id).values(**values)))
    )


def leave(session: Session, runner_id: int, *, died: bool = False) -> None:
    """Return the shards of a runner to the queue, and delete its row."""
    _give_back(session, ShardRow.runner_id == runner_id, died=died)
    running = session.scalars(
        select(JobRow.id).where(JobRow.state == "running").order_by(JobRow.id)
    )
    for job_id in running.all():
        _queue_if_idle(session, job_id)
    session.execute(delete(RunnerRow).where(RunnerRow.id == runner_id))


def give_back(session: Session, runner_id: int, shard_ids: Collection[int]) -> None:
    """Return some shards of a runner to the queue."""
    if shard_ids:
        mine = (ShardRow.runner_id == runner_id) & ShardRow.id.in_(shard_ids)
        _give_back(session, mine, died=False)


def give_back_job(session: Session, runner_id: int, job_id: int) -> None:
    """Return all shards of a job that a runner has to the queue."""
    _give_back(session, (ShardRow.runner_id == runner_id) & (ShardRow.job_id == job_id), died=False)


def reap(cat: Catalogue) -> int:
    """Return the shards of dead runners to the queue; the number of these runners."""
    with cat.session() as session:
        rows = session.execute(select(RunnerRow.id, RunnerRow.name, RunnerRow.heartbeat)).all()
        now = database_time(session) if rows else datetime.now(UTC)
    dead = [row for row in rows if is_dead(row.name, row.heartbeat, now)]
    found = 0
    for row in dead:
        with cat.begin() as session:
            # It may have been alive after all: then its heartbeat is no longer the one read.
            still = session.execute(
                select(RunnerRow.id)
                .where(RunnerRow.id == row.id, RunnerRow.heartbeat == row.heartbeat)
                .with_for_update()
            ).first()
            if still is not None:
                leave(session, row.id, died=True)
                found += 1
    return found


def claim(session: Session, runner_id: int, job_id: int, most: int) -> list[Claimed]:
    """Claim waiting shards of a job, those of the lowest seeds; at most as many as given."""
    _do_not_wait(session)
    chosen = (
        select(ShardRow.id)
        .where(ShardRow.job_id == job_id, ShardRow.state == "waiting")
        .order_by(ShardRow.first_seed)
        .limit(most)
    )
    claimed = update(ShardRow).returning(
        ShardRow.id, ShardRow.first_seed, ShardRow.deals, ShardRow.attempts, ShardRow.error
    )
    values: dict[str, Any] = {"state": "running", "runner_id": runner_id}
    if session.get_bind().dialect.name == "postgresql":
        values["claimed_at"] = func.clock_timestamp()
        # In an IN (…) the choice might be made more than once.
        locking = chosen.with_for_update(skip_locked=True).cte("chosen")
        claimed = claimed.where(ShardRow.id == locking.c.id)
    else:
        values["claimed_at"] = datetime.now(UTC)
        claimed = claimed.where(ShardRow.id.in_(chosen))
    rows = session.execute(
        claimed.values(**values), execution_options={"synchronize_session": False}
    ).all()
    return sorted(
        (
            Claimed(row.id, job_id, row.first_seed, row.deals, row.attempts, row.error is not None)
            for row in rows
        ),
        key=lambda shard: shard.first,
    )


def complete(session: Session, runner_id: int, shard_ids: Collection[int]) -> set[int]:
    """Delete shards of a runner that are done; those that were still its own.

    Call it at the beginning of the transaction that stores what came of them. Of a shard that is
    not among those returned, another runner takes care.
    """
    return set(
        session.execute(
            delete(ShardRow)
            .where(
                ShardRow.id.in_(shard_ids),
                ShardRow.runner_id == runner_id,
                ShardRow.state == "running",
            )
            .returning(ShardRow.id),
            execution_options={"synchronize_session": False},
        ).scalars()
    )


def add_shards(
    session: Session,
    job_id: int,
    ranges: Sequence[range],
    *,
    attempts: int = 0,
    error: str | None = None,
) -> None:
    """Add waiting shards of a job, one for each range of seeds."""
    if ranges:
        session.execute(
            insert(ShardRow),
            [
                {
                    "job_id": job_id,
                    "first_seed": seeds.start,
                    "deals": len(seeds),
                    "state": "waiting",
                    "attempts": attempts,
                    "error": error,
                }
                for seeds in ranges
            ],
        )


def split(
    session: Session, runner_id: int, shard: Claimed, *, suspicion: str | None = None
) -> None:
    """Split a shard of several seeds that could not be solved, to find the guilty one.

    With a suspicion, an error, the halves are suspects too.
    """
    if complete(session, runner_id, [shard.id]):
        middle = shard.first + shard.deals // 2
        halves = [range(shard.first, middle), range(middle, shard.seeds.stop)]
        add_shards(session, shard.job_id, halves, error=suspicion)


def put_off(
    session: Session, runner_id: int, shard: Claimed, state: str, error: str | None
) -> None:
    """Store that a shard could not be solved: as waiting for another attempt, or as failed."""
    session.execute(
        update(ShardRow)
        .where(ShardRow.id == shard.id, ShardRow.runner_id == runner_id)
        .values(
            state=state,
            attempts=ShardRow.attempts + 1,
            runner_id=None,
            claimed_at=None,
            error=error,
        ),
        execution_options={"synchronize_session": False},
    )


def is_dead(runner: str, heartbeat: datetime, now: datetime) -> bool:
    """Whether a runner is dead.

    A heartbeat far ahead of now was written before the clock was set back. One that lives renews it
    within seconds.
    """
    if abs(now - heartbeat) > STALE:
        return True
    parts = runner.split("/")
    if len(parts) != 5 or (parts[0], parts[1]) != (_host(), _machine()):
        return False  # on another machine, where only its heartbeat is visible
    try:
        process = psutil.Process(int(parts[2]))
        other = abs(_started(process.pid) - float(parts[3])) > _SAME_START
        return other or bool(process.status() == psutil.STATUS_ZOMBIE)
    except (psutil.NoSuchProcess, ValueError):
        return True
    except psutil.AccessDenied:
        return False


def live_workers(session: Session) -> int:
    """The number of workers of all runners that are alive."""
    now = database_time(session)
    rows = session.execute(
        select(RunnerRow.workers).where(RunnerRow.heartbeat.between(now - STALE, now + STALE))
    )
    return sum(row.workers for row in rows)


def database_time(session: Session) -> datetime:
    """The current time by the clock of the database, since clocks of machines may differ."""
    if session.get_bind().dialect.name == "postgresql":
        now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        return now.astimezone(UTC)
    return datetime.now(UTC)


def _do_not_wait(session: Session) -> None:
    """Do not wait at the end of the transaction until it has reached the disk of PostgreSQL.

    If the server fails at that moment, a claim is lost with it, and the shard is claimed again.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SET LOCAL synchronous_commit TO off"))


def _give_back(session: Session, which: Any, *, died: bool) -> None:
    jobs = set(
        session.execute(
            update(ShardRow)
            .where(which, ShardRow.state == "running")
            .values(
                state="waiting",
                runner_id=None,
                claimed_at=None,
                attempts=ShardRow.attempts + int(died),
            )
            .returning(ShardRow.job_id),
            execution_options={"synchronize_session": False},
        ).scalars()
    )
    for job_id in sorted(jobs):
        _queue_if_idle(session, job_id)


def _queue_if_idle(session: Session, job_id: int) -> None:
    """Mark a running job as queued if no runner has a shard of it."""
    if not _running(session, job_id):
        job = locked(session, job_id)
        if job.state == "running" and not _running(session, job_id):
            change(session, job, state="queued", rate=None)


def _running(session: Session, job_id: int) -> bool:
    """Whether a runner has a shard of a job."""
    query = select(ShardRow.id).where(ShardRow.job_id == job_id, ShardRow.state == "running")
    return session.execute(query.limit(1)).first() is not None


def open_jobs(session: Session) -> list[tuple[int, str]]:
    """The numbers and states of jobs that can be worked on, the most urgent first."""
    rows = session.execute(
        select(JobRow.id, JobRow.state)
        .where(JobRow.state.in_(("queued", "running", "paused")))
        .order_by(JobRow.priority.desc(), JobRow.id)
    )
    return [(row.id, row.state) for row in rows]


def _rows(result: object) -> int:
    assert isinstance(result, CursorResult)
    return int(result.rowcount)


def _started(pid: int) -> float:
    """When a process began, in seconds; where the system tells, since the machine was booted.

    The start by the clock seems to be another one after the clock was set, and the runner dead.
    """
    with contextlib.suppress(OSError):
        # The name of the program, in parentheses, may contain anything.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return float(psutil.Process(pid).create_time())


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
