"""A runner without its workers, scheduler or database, and with jobs that cannot be done."""

import contextlib
import logging
import re
import threading
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from distributed import Client, LocalCluster
from sqlalchemy import event, insert, update
from sqlalchemy.exc import OperationalError

from catalogue import store
from catalogue.jobs import outcomes_task, runner, worker_pool
from catalogue.jobs.queue import get_job
from catalogue.schema import JobRow, RulesetRow
from engine.errors import BadInput
from job_runs import (
    IN_THIS_PROCESS,
    assert_complete,
    submit_range,
    workers_of_this_process,
)
from patience import SECONDS, wait_until


@contextlib.contextmanager
def workers_killed_as_they_start(most: int | None = None) -> Iterator[list[int]]:
    """Kill the first workers that are started, or all of them; yields their process numbers."""
    killed: list[int] = []
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.02) and (most is None or len(killed) < most):
            for each in workers_of_this_process():
                if each.pid not in killed:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        each.kill()
                    killed.append(each.pid)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield killed
    finally:
        stop.set()
        thread.join()


def test_workers_that_are_killed_as_they_start(sqlite_catalogue: store.Catalogue) -> None:
    """It tries again; if that is in vain, it says so, and the job goes on with the next runner."""
    job_id = submit_range(sqlite_catalogue, "0-9", ["dead-end"])
    said = pytest.raises(BadInput, match="the workers of this machine cannot be started: ")
    with workers_killed_as_they_start() as killed, said:
        runner.run(sqlite_catalogue, workers=1)
    assert len(killed) >= 3
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.error, job.runners) == ("queued", None, ())
    with workers_killed_as_they_start(1) as killed:
        assert runner.run(sqlite_catalogue, workers=1) == 1
    assert len(killed) == 1
    assert_complete(sqlite_catalogue, job_id)


@contextlib.contextmanager
def watching(cat: store.Catalogue, scheduler: str) -> Iterator[list[int]]:
    """A runner that waits for jobs; afterwards the list has the number of those that it did."""
    stop, done = threading.Event(), list[int]()
    thread = threading.Thread(
        target=lambda: done.append(runner.run(cat, scheduler=scheduler, watch=True, stop=stop))
    )
    thread.start()
    try:
        yield done
    finally:
        stop.set()
        thread.join(SECONDS)


def test_a_scheduler_that_comes_back(
    sqlite_catalogue: store.Catalogue,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whether the runner is busy meanwhile or idle, and even if Dask has given it up."""
    monkeypatch.setattr(runner, "FIRST_WAIT_SECONDS", 0.1)
    monkeypatch.setattr(worker_pool, "CONNECT_SECONDS", 3)
    cluster = LocalCluster(**IN_THIS_PROCESS)
    address = cluster.scheduler_address
    warned = caplog.at_level(logging.WARNING, "catalogue.jobs")
    with warned, watching(sqlite_catalogue, address) as done:
        first = submit_range(sqlite_catalogue, "0-4999")
        wait_until(lambda: get_job(sqlite_catalogue, first).done > 0, "it has begun")
        cluster.close()
        wait_until(lambda: "waits until this is over" in caplog.text, "it waits")
        port = int(address.rpartition(":")[2])
        # Silenced, it would silence the records of this test, too.
        again = {**IN_THIS_PROCESS, "scheduler_port": port, "silence_logs": False}
        with LocalCluster(**again):
            wait_until(lambda: get_job(sqlite_catalogue, first).state == "done", "it is done")
            [client] = [each for each in Client._instances if each.status == "running"]
        wait_until(lambda: client.status == "closed", "Dask has given the scheduler up")
        second = submit_range(sqlite_catalogue, "5000-5009")
        wait_until(lambda: caplog.text.count("waits until this is over") == 2, "it waits")
        with LocalCluster(**again):
            wait_until(lambda: get_job(sqlite_catalogue, second).state == "done", "it is done")
    assert done == [2]
    over = "the runner goes on, for this is over: the connection to the Dask scheduler was lost"
    assert caplog.text.count(over) == 2
    assert "distributed.client" not in {record.name for record in caplog.records}
    job = get_job(sqlite_catalogue, first)
    assert job.done == job.total
    assert_complete(sqlite_catalogue, second)


def test_a_database_that_comes_back(
    catalogue: store.Catalogue,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(runner, "FIRST_WAIT_SECONDS", 0.1)
    away = threading.Event()

    @event.listens_for(catalogue.engine, "begin")
    def begin(_connection: Any) -> None:
        if away.is_set():
            raise OperationalError("BEGIN", None, ConnectionError("the server is away"))

    warned = caplog.at_level(logging.WARNING, "catalogue.jobs")
    with warned, watching(catalogue, scheduler) as done:
        first = submit_range(catalogue, "0-1999")
        wait_until(lambda: get_job(catalogue, first).done > 0, "it has begun")
        away.set()
        wait_until(lambda: "waits until this is over" in caplog.text, "it waits")
        away.clear()
        wait_until(lambda: get_job(catalogue, first).state == "done", "it is done")
    assert done == [1]
    assert_complete(catalogue, first)


def test_jobs_that_cannot_be_done_fail_alone(
    catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is that goes wrong with them, and wherever: the job after them is done."""
    gone, large, lost, twice, odd, sound = (
        submit_range(catalogue, f"{10 * number}-{10 * number + 9}", ["dead-end"])
        for number in range(6)
    )
    with catalogue.begin() as session:
        session.execute(update(JobRow).where(JobRow.id == gone).values(dealer="nobody"))
    store_results = outcomes_task.OutcomesTask.store
    missing = outcomes_task.OutcomesTask.missing

    def missing_or_wrong(task: Any, session: Any, seeds: range) -> Any:
        if task.spec.job_id == large:
            # A number that no column holds, from arithmetic that nobody thought of.
            session.get(JobRow, 2**63)
        elif task.spec.job_id == lost:
            session.get_one(RulesetRow, 10**6)
        elif task.spec.job_id == twice:
            row = {"slug": "klondike-draw3", "game": "klondike", "options": {}}
            session.execute(insert(RulesetRow).values(row))
        return missing(task, session, seeds)

    def broken(task: Any, session: Any, results: Any) -> None:
        if task.spec.job_id == odd:
            raise ZeroDivisionError("division by zero")
        store_results(task, session, results)

    monkeypatch.setattr(outcomes_task.OutcomesTask, "missing", missing_or_wrong)
    monkeypatch.setattr(outcomes_task.OutcomesTask, "store", broken)
    assert runner.run(catalogue, scheduler=scheduler) == 1
    assert get_job(catalogue, sound).state == "done"
    for job_id, error in (
        (large, "too large|out of range"),
        (lost, "^NoResultFound: "),
        (twice, "(?i)unique constraint"),
        (odd, "^ZeroDivisionError: division by zero$"),
    ):
        job = get_job(catalogue, job_id)
        assert job.state == "failed"
        assert re.search(error, str(job.error))
    with catalogue.session() as session:
        row = session.get_one(JobRow, gone)
        assert (row.state, str(row.error)[:23]) == ("failed", "unknown dealer 'nobody'")
