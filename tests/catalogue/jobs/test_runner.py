"""End-to-end tests of the runner: real solvers on real Dask workers into real databases."""

import dataclasses
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import dask
import numpy as np
import psutil
import pytest
from distributed import LocalCluster
from sqlalchemy import func, select

from catalogue import store
from catalogue.jobs import claims, runner, worker_pool
from catalogue.jobs.queue import JobInfo, cancel, change, get_job, locked, submit
from catalogue.jobs.shard import solve_shard
from catalogue.reading import bounds
from catalogue.schema import BoundRow, RunnerRow
from catalogue.verify.running import verify
from engine.dealing.dealers import parse_sample
from engine.errors import BadInput
from job_runs import (
    IN_THIS_PROCESS,
    SOLVERS,
    assert_complete,
    assert_sound,
    children,
    outcomes,
    runner_process,
    submit_range,
    workers_of_this_process,
)
from patience import SECONDS, wait_until
from samples import sizes
from solvers.registry import get_method


def test_a_job_from_start_to_end(catalogue: store.Catalogue, scheduler: str) -> None:
    job_id = submit_range(catalogue, "950-1149")
    seen: list[JobInfo] = []
    assert runner.run(catalogue, scheduler=scheduler, on_progress=seen.append) == 1
    assert_complete(catalogue, job_id)
    assert seen[0].state == "running"
    assert seen[-1] == get_job(catalogue, job_id)
    progress = [job.done for job in seen]
    assert progress == sorted(progress)
    assert len(set(progress)) > 2
    job = seen[-1]
    assert job.started_at is not None
    assert job.finished_at is not None
    assert job.created_at <= job.started_at <= job.finished_at
    with catalogue.session() as session:
        points = session.execute(
            select(BoundRow.n, BoundRow.winnable, BoundRow.unwinnable).order_by(BoundRow.id)
        ).all()
    assert points[-1].n == 200
    assert [p.n for p in points] == sorted(p.n for p in points)
    fresh = bounds.bounds_of(catalogue, "klondike-draw3", job.sample)
    assert (fresh.winnable, fresh.unwinnable) == points[-1][1:]
    assert fresh.winnable > 0


def test_only_what_is_missing_is_solved(catalogue: store.Catalogue, scheduler: str) -> None:
    submit_range(catalogue, "0-59")
    runner.run(catalogue, scheduler=scheduler)
    before = outcomes(catalogue)
    assert runner.run(catalogue, scheduler=scheduler) == 0
    assert outcomes(catalogue) == before
    # One solver more on a range that overlaps.
    wider = submit_range(catalogue, "30-89", (*SOLVERS, "exact(nodes=50)"))
    assert runner.run(catalogue, scheduler=scheduler) == 1
    after = outcomes(catalogue)
    assert {key: after[key] for key in before} == before
    assert len(after) == 120 + 30 * 2 + 60
    assert get_job(catalogue, wider).done == 180
    # Nothing is missing: the job is done when a runner sees it, and began then.
    narrow = submit_range(catalogue, "10-19")
    runner.run(catalogue, scheduler=scheduler)
    job = get_job(catalogue, narrow)
    assert (job.state, job.done) == ("done", 20)
    assert job.started_at is not None
    assert verify(catalogue, resolve_share=0.0).faults == ()


def test_every_solver_of_the_catalogue(sqlite_catalogue: store.Catalogue, scheduler: str) -> None:
    jobs = [
        submit_range(sqlite_catalogue, "0-39", ["yan-heuristic", "dead-end"], "klondike-yan"),
        submit_range(sqlite_catalogue, "0-39", ["exact(nodes=2000)"], "klondike-draw1"),
    ]
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 2
    assert [get_job(sqlite_catalogue, job).state for job in jobs] == ["done", "done"]
    assert_sound(sqlite_catalogue)


def test_two_runners_at_once(catalogue: store.Catalogue, scheduler: str) -> None:
    """Both work on both jobs, which overlap: each outcome is there once, each job ends once."""
    jobs = [submit_range(catalogue, "0-399"), submit_range(catalogue, "0-399", SOLVERS[::-1])]
    url = catalogue.engine.url.render_as_string(hide_password=False)
    holders: set[str] = set()
    done: list[int] = []

    def work() -> None:
        with store.open_catalogue(url) as own:
            done.append(
                runner.run(
                    own, scheduler=scheduler, on_progress=lambda job: holders.update(job.runners)
                )
            )

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # One may be so late that nothing is left for it.
    assert sum(done) == 2
    assert 1 <= len(holders) <= 2
    for job_id in jobs:
        assert_complete(catalogue, job_id)
    with catalogue.session() as session:
        assert session.scalar(select(func.count()).select_from(RunnerRow)) == 0


def test_only_the_jobs_asked_for_are_run(catalogue: store.Catalogue, scheduler: str) -> None:
    """Also one of which another runner has a shard is waited for, until that one gives it back."""
    other, mine, held = (submit_range(catalogue, f"{k}-{k + 9}") for k in (0, 10, 20))
    holder = claims.register(catalogue, 1)
    with catalogue.begin() as session:
        claims.add_shards(session, held, [range(20, 30)])
        locked(session, held).next_seed = 30
        (shard,) = claims.claim(session, holder, held, 1)
        change(session, locked(session, held), state="running", started_at=datetime.now(UTC))
    seen: list[tuple[int, str]] = []

    def see(job: JobInfo) -> None:
        seen.append((job.id, job.state))
        if job.id == held and job.shards == {"running": 1} and not job.done:
            with catalogue.begin() as session:
                claims.give_back(session, holder, [shard.id])

    assert runner.run(catalogue, scheduler=scheduler, only=[mine, held], on_progress=see) == 2
    assert {job_id for job_id, _ in seen} == {mine, held}
    assert [job_id for job_id, state in seen if state == "done"] == [mine, held]
    assert [get_job(catalogue, job).state for job in (other, mine, held)] == [
        "queued",
        "done",
        "done",
    ]
    # They have ended; so there is nothing to wait for, even when watching is asked for.
    assert runner.run(catalogue, scheduler=scheduler, only=[mine, held], watch=True) == 0


@pytest.mark.parametrize("backend", sizes("postgresql", "sqlite"))
def test_killing_the_runner(catalogue: store.Catalogue, scheduler: str) -> None:
    """`kill -9` in mid-job loses at most what is in flight; the workers end by themselves."""
    job_id = submit_range(catalogue, "0-299", ("dead-end", "exact(nodes=20000)"))
    with runner_process(catalogue) as process:
        wait_until(lambda: get_job(catalogue, job_id).done > 0, "outcomes are stored")
        workers = children(process)
        assert len(workers) >= 2
        process.kill()
        process.wait()
        assert psutil.wait_procs(workers, timeout=SECONDS)[1] == []
    job = get_job(catalogue, job_id)
    assert job.state == "running"
    assert 0 < job.done < job.total
    before = outcomes(catalogue)
    assert_sound(catalogue)

    assert runner.run(catalogue, scheduler=scheduler) == 1
    assert_complete(catalogue, job_id)
    after = outcomes(catalogue)
    assert {key: after[key] for key in before} == before


@pytest.mark.parametrize("number", sizes(signal.SIGINT, signal.SIGTERM))
def test_stopping_by_a_signal(sqlite_catalogue: store.Catalogue, number: signal.Signals) -> None:
    """As from a terminal, which sends it to the workers too; nothing is said, the job waits."""
    job_id = submit_range(sqlite_catalogue, "0-4999", ("dead-end", "exact(nodes=20000)"))
    with runner_process(sqlite_catalogue) as process:
        wait_until(lambda: get_job(sqlite_catalogue, job_id).done > 0, "outcomes are stored")
        workers = children(process)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        output, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, output, errors) == (0, "0\n", "")
        assert psutil.wait_procs(workers, timeout=SECONDS)[1] == []
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.runners) == ("queued", ())
    assert_sound(sqlite_catalogue)


@pytest.mark.thorough
def test_workers_of_the_machine_are_its_own(sqlite_catalogue: store.Catalogue) -> None:
    """They cannot be reached from the network, and nothing is written to stderr."""
    job_id = submit_range(sqlite_catalogue, "0-3999", ("dead-end", "exact(nodes=20000)"))
    with runner_process(sqlite_catalogue, workers=1) as process:
        wait_until(lambda: get_job(sqlite_catalogue, job_id).done > 0, "outcomes are stored")
        listening = [
            connection.laddr
            for each in (psutil.Process(process.pid), *children(process))
            for connection in each.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert len(listening) >= 2
        assert {address.ip for address in listening} == {"127.0.0.1"}
        assert 8787 not in {address.port for address in listening}

        # Cancelling ends it soon, and what is stored stays.
        cancel(sqlite_catalogue, job_id)
        output, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, output, errors) == (0, "0\n", "")
    job = get_job(sqlite_catalogue, job_id)
    assert job.state == "cancelled"
    assert 0 < job.done == len(outcomes(sqlite_catalogue))
    assert_sound(sqlite_catalogue)


@pytest.mark.parametrize(
    "patience", ["15s", pytest.param("10ms", marks=pytest.mark.thorough)], ids=["again", "given-up"]
)
def test_a_worker_that_dies_is_replaced(patience: str, sqlite_catalogue: store.Catalogue) -> None:
    """Also where Dask gives it up, since a new one takes long to come."""
    job_id = submit_range(sqlite_catalogue, "0-299", ("dead-end", "exact(nodes=20000)"))
    killed = []

    def kill_one(job: JobInfo) -> None:
        if job.done and not killed:
            victim = workers_of_this_process()[0]
            killed.append(victim)
            victim.kill()

    stop = threading.Event()
    late = threading.Timer(SECONDS, stop.set)
    late.start()
    with dask.config.set({"distributed.deploy.lost-worker-timeout": patience}):
        done = runner.run(sqlite_catalogue, workers=1, on_progress=kill_one, stop=stop)
    late.cancel()
    assert done == 1, "there was no worker any more"
    assert killed
    assert_complete(sqlite_catalogue, job_id)


def test_a_worker_that_has_ended_for_good_is_replaced() -> None:
    """Even before Dask gives it up, which is what it lists of one that could not start."""
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        worker_pool.WorkerPool(1, None) as pool,
    ):
        client = pool.start()
        (first,) = client.nthreads()
        (nanny,) = pool._cluster.workers.values()
        pool._cluster.sync(nanny.close)
        assert pool.collect(1, 1) == []
        wait_until(lambda: set(client.nthreads()) - {first}, "a worker came in its place")
        assert pool.collect(1, 1) == []
        assert len(pool._cluster.workers) == len(pool._cluster.worker_spec) == 1


def test_a_scheduler_that_goes_away(sqlite_catalogue: store.Catalogue) -> None:
    job_id = submit_range(sqlite_catalogue, "0-4999")
    cluster = LocalCluster(**IN_THIS_PROCESS)
    closing = threading.Thread(target=cluster.close)

    def close(job: JobInfo) -> None:
        if job.done and not closing.ident:
            closing.start()

    with pytest.raises(BadInput, match="the connection to the Dask scheduler was lost"):
        runner.run(sqlite_catalogue, scheduler=cluster.scheduler_address, on_progress=close)
    closing.join()
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.runners) == ("queued", ())
    assert job.done > 0


def test_a_solver_of_another_version_is_refused(
    sqlite_catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = submit_range(sqlite_catalogue, "0-3", ["dead-end"])
    method = get_method("dead-end")
    newer = dataclasses.replace(method, version=method.version + 1)
    monkeypatch.setattr(sys.modules["solvers.klondike.dead_ends.method"], "METHOD", newer)
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 0
    error = get_job(sqlite_catalogue, job_id).error
    assert error == (
        f"the job asks for version {method.version} of dead-end, but this program has version "
        f"{newer.version}: submit it again"
    )
    with pytest.raises(BadInput, match="but the program on this worker has version"):
        solve_shard(
            "klondike-draw3",
            "thoughtful-1",
            0,
            [("dead-end", method.version, np.ones(2, dtype=bool))],
            "everything",
        )


def test_workers_of_another_version_are_not_used(
    sqlite_catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it is all of them, so the runner says so and ends; the job waits for another."""
    job_id = submit_range(sqlite_catalogue, "0-99", ["dead-end"])
    other = dataclasses.replace(worker_pool.this_provenance(), program="99.0")
    with monkeypatch.context() as patch:
        patch.setattr(worker_pool, "this_provenance", lambda: other)
        with pytest.raises(BadInput, match=f"none of the workers of {scheduler} can be used"):
            runner.run(sqlite_catalogue, scheduler=scheduler)
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done, job.error) == ("queued", 0, None)
    assert set(job.shards) == {"waiting"}
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    assert_complete(sqlite_catalogue, job_id)


def test_waiting_for_jobs(sqlite_catalogue: store.Catalogue, scheduler: str) -> None:
    stop = threading.Event()
    done: list[int] = []
    thread = threading.Thread(
        target=lambda: done.append(
            runner.run(sqlite_catalogue, scheduler=scheduler, watch=True, stop=stop)
        )
    )
    thread.start()
    for seeds in ("0-9", "10-19"):
        job_id = submit_range(sqlite_catalogue, seeds, ["dead-end"])
        wait_until(
            lambda job_id=job_id: get_job(sqlite_catalogue, job_id).state == "done", "it is done"
        )
    stop.set()
    thread.join(SECONDS)
    assert done == [2]


COMPILED = threading.Event()


def _compile_until_told(_ruleset: str, _names: Sequence[str]) -> None:
    """A warm-up that takes long; by its name, because an event cannot be sent to a worker."""
    COMPILED.wait(SECONDS)


def test_stopping_while_kernels_are_compiled(
    sqlite_catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That may take long, and neither a stop nor a cancellation waits for it."""
    COMPILED.clear()
    monkeypatch.setattr(worker_pool, "warm_up", _compile_until_told)
    monkeypatch.setattr(runner, "BEAT_SECONDS", 0.2)
    stop = threading.Event()

    def stop_soon(job: JobInfo) -> None:
        threading.Timer(0.3, stop.set).start()

    def cancel_soon(job: JobInfo) -> None:
        threading.Timer(0.3, cancel, (sqlite_catalogue, job.id)).start()

    job_id = submit_range(sqlite_catalogue, "0-9", ["dead-end"])
    for when_started, state in ((stop_soon, "queued"), (cancel_soon, "cancelled")):
        runner.run(
            sqlite_catalogue, scheduler=scheduler, on_progress=_once(when_started), stop=stop
        )
        assert get_job(sqlite_catalogue, job_id).state == state
        stop.clear()
    COMPILED.set()


def test_a_scheduler_out_of_reach(
    sqlite_catalogue: store.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "CONNECT_SECONDS", 1)
    job_id = submit_range(sqlite_catalogue, "0-9", ["dead-end"])
    for address in ("tcp://127.0.0.1:1", "nonsense://x", "nowhere"):
        if address == "nonsense://x":
            # From here on the address itself is wrong, and no client is even tried.
            monkeypatch.setattr("distributed.Client", lambda *_, **__: pytest.fail("tried"))
        with pytest.raises(BadInput, match=f"the Dask scheduler at {address} cannot be reached"):
            runner.run(sqlite_catalogue, scheduler=address)
        # It is no fault of the job's.
        assert get_job(sqlite_catalogue, job_id).state == "queued"


def test_outcomes_kept_as_verdicts(catalogue: store.Catalogue, scheduler: str) -> None:
    """They have no rows; a job that keeps everything makes the rows, and nothing is doubled."""
    sample = parse_sample("thoughtful-1:10-309")
    few = submit(catalogue, "klondike-draw3", sample, ["dead-end"], keep="verdicts")
    assert runner.run(catalogue, scheduler=scheduler) == 1
    assert get_job(catalogue, few).done == 300
    assert outcomes(catalogue) == {}
    before = bounds.bounds_of(catalogue, "klondike-draw3", sample)
    assert before.n == 300
    all_of = submit(catalogue, "klondike-draw3", sample, ["dead-end"])
    assert all_of != few
    assert runner.run(catalogue, scheduler=scheduler) == 1
    assert_complete(catalogue, all_of)
    assert len(outcomes(catalogue)) == 300
    after = bounds.bounds_of(catalogue, "klondike-draw3", sample)
    assert (after.n, after.unwinnable) == (300, before.unwinnable)
    # What is kept in rows is kept as verdicts too.
    again = submit(
        catalogue, "klondike-draw3", parse_sample("thoughtful-1:50-99"), ["dead-end"],
        keep="verdicts",
    )  # fmt: skip
    assert runner.run(catalogue, scheduler=scheduler) == 1
    assert get_job(catalogue, again).cpu_ms == 0


@pytest.mark.thorough
def test_idle_workers_end(
    sqlite_catalogue: store.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner stays, and starts new ones for the next job."""
    monkeypatch.setattr(runner, "IDLE_SECONDS", 0.5)
    stop = threading.Event()
    done: list[int] = []
    thread = threading.Thread(
        target=lambda: done.append(runner.run(sqlite_catalogue, workers=1, watch=True, stop=stop))
    )
    thread.start()
    try:
        for seeds in ("0-9", "10-19"):
            job_id = submit_range(sqlite_catalogue, seeds, ["dead-end"])
            wait_until(
                lambda job_id=job_id: get_job(sqlite_catalogue, job_id).state == "done", "done"
            )
            wait_until(lambda: not workers_of_this_process(), "the workers have ended")
    finally:
        stop.set()
        thread.join(SECONDS)
    assert done == [2]


def _once(action: Callable[[JobInfo], None]) -> Callable[[JobInfo], None]:
    """For the first report alone."""
    reported: list[JobInfo] = []

    def report(job: JobInfo) -> None:
        if not reported:
            reported.append(job)
            action(job)

    return report
