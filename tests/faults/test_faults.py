"""Faults by name: each ends with a sentence, nothing lost or doubled, and the next run goes on.

Tested elsewhere are:

- kills of a runner, a worker, the scheduler, a backend and the postmaster, at random: `kills.py`
  beside this file; one of each: `tests/catalogue/jobs/test_runner.py`;
- two runners on one SQLite file, a job with another version of a solver, workers that all have
  another version, a scheduler that goes away: `tests/catalogue/jobs/test_runner.py`;
- stops of a runner by signals: `test_stops.py` beside this file;
- a file that may only be read, as it is opened and read: `tests/catalogue/test_store.py`;
- a migration that is killed half way: `tests/catalogue/test_migrations.py`.
"""

import contextlib
import dataclasses
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from distributed import LocalCluster, get_worker
from sqlalchemy import event, func, select, text, update
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session

from catalogue import database, store
from catalogue.jobs import claims, outcomes_task, progress, runner, shard
from catalogue.jobs.queue import STALE, JobInfo, get_job, locked, submit
from catalogue.schema import OutcomeRow, RunnerRow, ShardRow
from catalogue.verify.running import verify
from engine.dealing.dealers import parse_sample
from engine.errors import BadInput
from patience import SECONDS, wait_until

SOLVERS = ("dead-end", "greedy")
UNLIMITED = 4_294_967_294


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A Dask scheduler with a worker in this very process."""
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        memory_limit=0,
    ) as cluster:
        yield cluster.scheduler_address


def submit_range(cat: store.Catalogue, seeds: str) -> int:
    return submit(cat, "klondike-draw3", parse_sample(f"thoughtful-1:{seeds}"), SOLVERS)


def outcomes(cat: store.Catalogue) -> dict[tuple[int, int], tuple[Any, ...]]:
    """Every outcome, and the batch in which it was written, by solver and deal."""
    with cat.session() as session:
        return {
            (row.solver_id, row.deal_id): (row.result, row.nodes, row.batch_id)
            for row in session.scalars(select(OutcomeRow))
        }


def assert_goes_on(
    cat: store.Catalogue,
    job_id: int,
    scheduler: str,
    before: dict[tuple[int, int], tuple[Any, ...]],
) -> None:
    """The next run completes the job; what was there before stays; everything is sound."""
    if get_job(cat, job_id).is_open:
        assert runner.run(cat, scheduler=scheduler) == 1
    job = get_job(cat, job_id)
    assert (job.state, job.error, job.done) == ("done", None, job.total)
    after = outcomes(cat)
    assert len(after) == job.total == len(SOLVERS) * job.sample.count
    assert {key: after[key] for key in before} == before
    with cat.session() as session:
        assert session.scalar(select(func.count()).select_from(ShardRow)) == 0
        assert session.scalar(select(func.count()).select_from(RunnerRow)) == 0
    assert verify(cat, share=0.05, resolve_share=0.0).faults == ()


def test_the_disk_is_full(sqlite_catalogue: store.Catalogue, scheduler: str) -> None:
    """SQLite itself says so, because the file may not have one page more."""
    cat = sqlite_catalogue
    job_id = submit_range(cat, "0-499")
    pages = [UNLIMITED]

    @event.listens_for(cat.engine, "checkout")
    def limit(connection: Any, _record: object, _proxy: object) -> None:
        # It cannot be less than what the file has.
        connection.execute(f"PRAGMA max_page_count = {pages[0]}")

    def fill(job: JobInfo) -> None:
        if job.done:
            pages[0] = 1

    with pytest.raises(BadInput, match=r"cannot be used: database or disk is full$"):
        runner.run(cat, scheduler=scheduler, on_progress=fill)
    before = outcomes(cat)
    assert 0 < len(before) < 1000
    assert verify(cat, share=0.05, resolve_share=0.0).faults == ()
    pages[0] = UNLIMITED
    assert_goes_on(cat, job_id, scheduler, before)


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> list[timedelta]:
    """How far the clock of the machine and its database has been set; to be changed in place."""
    shift = [timedelta()]
    real = claims.database_time

    def shifted(session: Session) -> datetime:
        return real(session) + shift[0]

    class Shifted(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) + shift[0]

    monkeypatch.setattr(claims, "database_time", shifted)
    monkeypatch.setattr(progress, "datetime", Shifted)
    return shift


def test_the_clock_is_set_back_while_a_job_runs(
    catalogue: store.Catalogue, scheduler: str, set_clock: list[timedelta]
) -> None:
    """Moments are what the clock showed, so the job ends before it began, which is no fault."""
    job_id = submit_range(catalogue, "0-199")

    def set_back(job: JobInfo) -> None:
        if job.done:
            set_clock[0] = timedelta(hours=-5)

    assert runner.run(catalogue, scheduler=scheduler, on_progress=set_back) == 1
    assert set_clock[0]
    job = get_job(catalogue, job_id)
    assert job.started_at is not None
    assert job.finished_at is not None
    assert job.created_at <= job.started_at
    assert job.finished_at < job.started_at
    assert_goes_on(catalogue, job_id, scheduler, {})


def test_the_clock_is_set_back_between_runs(
    catalogue: store.Catalogue, scheduler: str, set_clock: list[timedelta]
) -> None:
    """The heartbeat of a runner that died on another machine lies an hour ahead."""
    job_id = submit_range(catalogue, "0-99")
    set_clock[0] = timedelta(hours=1)
    gone = claims.register(catalogue, 5, name="elsewhere/00000000/1/1.00/aaaaaa")
    with catalogue.begin() as session:
        claims.add_shards(session, job_id, [range(5)])
        locked(session, job_id).next_seed = 5
        assert len(claims.claim(session, gone, job_id, 1)) == 1
    set_clock[0] = timedelta()
    with catalogue.session() as session:
        assert claims.live_workers(session) == 0
    assert_goes_on(catalogue, job_id, scheduler, {})


def test_a_clock_a_little_behind_is_no_reason(catalogue: store.Catalogue) -> None:
    mine = claims.register(catalogue, 1)
    with catalogue.begin() as session:
        ahead = claims.database_time(session) + STALE - timedelta(seconds=5)
        session.execute(update(RunnerRow).where(RunnerRow.id == mine).values(heartbeat=ahead))
    assert claims.reap(catalogue) == 0
    with catalogue.session() as session:
        assert claims.live_workers(session) == 1


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_a_living_runner_is_known_after_the_clock_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock, its process then seems to have begun an hour earlier."""
    name = claims.new_runner()
    started = psutil.Process().create_time()
    monkeypatch.setattr(psutil.Process, "create_time", lambda _self: started - 3600)
    now = datetime.fromtimestamp(started).astimezone()
    assert not claims.is_dead(name, now, now)


def test_a_worker_of_another_version_is_not_used(
    sqlite_catalogue: store.Catalogue,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Its shards go back as they were, and the other worker solves them."""
    cat = sqlite_catalogue
    real = shard.this_provenance()
    asked: list[str] = []
    marks: set[tuple[int, str | None]] = set()

    def provenance() -> Any:
        name = str(get_worker().name)
        asked.append(name)
        return dataclasses.replace(real, program="99.0") if name == "0" else real

    def look(_job: JobInfo) -> None:
        with cat.session() as session:
            marks.update(
                (attempts, error)
                for attempts, error in session.execute(select(ShardRow.attempts, ShardRow.error))
            )

    monkeypatch.setattr(shard, "this_provenance", provenance)
    job_id = submit_range(cat, "0-399")
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        memory_limit=0,
    ) as cluster:
        assert set(map(str, cluster.workers)) == {"0", "1"}
        with caplog.at_level(logging.WARNING, "catalogue.jobs"):
            assert runner.run(cat, scheduler=cluster.scheduler_address, on_progress=look) == 1
        assert_goes_on(cat, job_id, cluster.scheduler_address, {})
    assert set(asked) == {"0", "1"}
    assert marks == {(0, None)}
    said = f"the runner has version {real.program} of Thoughtful, a worker 99.0: that worker is not"
    answer = [each.getMessage() for each in caplog.records if each.name.startswith("catalogue.")]
    assert answer
    assert all(said in line for line in answer), answer


@contextlib.contextmanager
def all_connections_ended(url: str, times: int) -> Iterator[list[int]]:
    """End every connection to a database of PostgreSQL so many times; how many were ended."""
    ended: list[int] = []
    address = database.parse_url(url).set(drivername="postgresql")
    stop = threading.Event()

    def work() -> None:
        with psycopg.connect(
            address.render_as_string(hide_password=False), autocommit=True
        ) as connection:
            while len(ended) < times and not stop.wait(0.2):
                rows = connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                    "datname = current_database() AND pid <> pg_backend_pid()"
                ).fetchall()
                if rows:
                    ended.append(len(rows))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield ended
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("backend", ["postgresql"])
def test_the_database_restarts_while_a_job_runs(catalogue: store.Catalogue, scheduler: str) -> None:
    job_id = submit_range(catalogue, "0-999")
    url = catalogue.engine.url.render_as_string(hide_password=False)
    committed: dict[tuple[int, int], tuple[Any, ...]] = {}

    def see(job: JobInfo) -> None:
        for _ in range(20 if job.done else 0):
            with contextlib.suppress(DBAPIError):  # this connection may be ended too
                committed.update(outcomes(catalogue))
                return

    with all_connections_ended(url, 10) as ended:
        for _ in range(10):
            with contextlib.suppress(BadInput):  # any other exception is not a sentence
                runner.run(catalogue, scheduler=scheduler, on_progress=see)
                break
    assert ended
    assert committed
    assert_goes_on(catalogue, job_id, scheduler, committed)


@pytest.mark.parametrize("drops", [1, 3])
def test_a_connection_drops_as_a_runner_leaves(
    sqlite_catalogue: store.Catalogue,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    drops: int,
) -> None:
    """It tries again; if that is in vain, too, it ends all the same, and its row stays."""
    job_id = submit_range(sqlite_catalogue, "0-19")
    leave, tried = claims.leave, []

    def dropping(session: Session, runner_id: int) -> None:
        tried.append(runner_id)
        if len(tried) <= drops:
            raise OperationalError("leaving", None, ConnectionError("dropped"))
        leave(session, runner_id)

    monkeypatch.setattr(claims, "leave", dropping)
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    assert get_job(sqlite_catalogue, job_id).state == "done"
    assert len(tried) == min(drops + 1, 3)
    with sqlite_catalogue.session() as session:
        left = session.scalar(select(func.count()).select_from(RunnerRow))
    assert left == (1 if drops == 3 else 0)


@pytest.mark.parametrize("backend", ["postgresql"])
def test_a_connection_drops_within_a_transaction(
    catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are written, its end is not: nothing of it stays."""
    job_id = submit_range(catalogue, "0-199")
    calls: list[dict[tuple[int, int], tuple[Any, ...]]] = []
    write = outcomes_task.write_chunks

    def write_and_drop(session: Session, *arguments: Any) -> Any:
        written = write(session, *arguments)
        calls.append(outcomes(catalogue))
        if len(calls) == 2:
            assert session.scalar(select(func.count()).select_from(OutcomeRow))
            pid = session.scalar(select(func.pg_backend_pid()))
            with catalogue.session() as other:
                other.execute(select(func.pg_terminate_backend(pid)))
                query = text("SELECT 1 FROM pg_stat_activity WHERE pid = :pid")
                wait_until(lambda: other.execute(query, {"pid": pid}).first() is None, "it ended")
        return written

    monkeypatch.setattr(outcomes_task, "write_chunks", write_and_drop)
    with pytest.raises(BadInput, match=r"the database at .* cannot be used: "):
        runner.run(catalogue, scheduler=scheduler)
    assert len(calls) == 2
    assert 0 < len(calls[1]) < 400
    assert outcomes(catalogue) == calls[1]
    assert_goes_on(catalogue, job_id, scheduler, calls[1])


# Everything is imported by a run that has nothing to do, before the right to read much is given up.
RUNNER = """
import os, sys
from thoughtful.command_line import run
assert run(["runner", "--database", sys.argv[1]]) == 0
os.setuid(65534)
print("now", file=sys.stderr, flush=True)
sys.exit(run(["runner", "--database", sys.argv[2]]))
"""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="not the super-user")
def test_a_runner_on_a_file_that_may_only_be_read(initialised_sqlite: Path) -> None:
    with tempfile.TemporaryDirectory() as place:  # pytest's own is closed to other users
        os.chmod(place, 0o755)
        path = Path(place) / "thoughtful.db"
        shutil.copy(initialised_sqlite, path)
        mine = shutil.copy(path, Path(place) / "mine.db")
        path.chmod(0o444)
        ran = subprocess.run(
            [sys.executable, "-c", RUNNER, f"sqlite:///{mine}", f"sqlite:///{path}"],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    assert ran.returncode == 2, ran.stderr
    (sentence,) = ran.stderr.partition("now\n")[2].splitlines()
    assert "thoughtful.db can only be read here: attempt to write a readonly database" in sentence
