"""End-to-end tests of the runner: real solvers on real Dask workers into real databases."""

import contextlib
import dataclasses
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import dask
import numpy as np
import psutil
import pytest
from distributed import LocalCluster
from sqlalchemy import func, select

from catalogue import store
from catalogue.jobs import claims, runner, worker_pool
from catalogue.jobs.outcomes_task import OutcomesTask, missing_outcomes
from catalogue.jobs.piece import solve_piece
from catalogue.jobs.queue import JobInfo, cancel, get_job, submit
from catalogue.jobs.task import JobSpec, read_task
from catalogue.outcomes.chunk import SolverKey
from catalogue.reading import bounds
from catalogue.schema import BoundRow, DealRow, OutcomeRow, SolverRow
from catalogue.verify.checks import verify
from engine.dealing.dealers import parse_sample
from engine.errors import BadInput
from patience import SECONDS, wait_until
from samples import sizes
from solvers import registry
from solvers.outcome import Outcome as Achieved
from solvers.outcome import Result

SOLVERS = ("dead-end", "exact(nodes=2000)")
IN_THIS_PROCESS: dict[str, Any] = {
    "n_workers": 2,
    "threads_per_worker": 1,
    "processes": False,
    "protocol": "tcp",
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "silence_logs": logging.CRITICAL,
    "memory_limit": 0,
}


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A Dask scheduler that stands already, with two workers in this very process."""
    with LocalCluster(**IN_THIS_PROCESS) as cluster:
        yield cluster.scheduler_address


def submit_range(
    cat: store.Catalogue,
    seeds: str,
    solvers: Sequence[str] = SOLVERS,
    rules: str = "klondike-draw3",
) -> int:
    return submit(cat, rules, parse_sample(f"thoughtful-1:{seeds}"), solvers)


def outcomes(cat: store.Catalogue) -> dict[tuple[int, int, int], Any]:
    """When each outcome was written, by ruleset, solver and deal."""
    with cat.session() as session:
        return {
            (row.ruleset_id, row.solver_id, row.deal_id): row.created_at
            for row in session.scalars(select(OutcomeRow))
        }


def assert_complete(cat: store.Catalogue, job_id: int) -> None:
    """Done, every outcome there once, and every count equal to a recount."""
    job = get_job(cat, job_id)
    assert (job.state, job.error, job.done) == ("done", None, job.total)
    with cat.session() as session:
        deals = session.scalar(
            select(func.count())
            .select_from(DealRow)
            .where(DealRow.seed.between(job.sample.first, job.sample.last))
        )
        rows = session.scalar(
            select(func.count())
            .select_from(OutcomeRow)
            .join(DealRow, DealRow.id == OutcomeRow.deal_id)
            .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
            .where(
                DealRow.seed.between(job.sample.first, job.sample.last),
                SolverRow.name.in_(job.solvers),
            )
        )
    assert deals == job.sample.count
    assert rows == job.total  # the key of the table forbids doubles
    assert verify(cat, share=0.05, resolve_share=0.0).faults == ()


@contextlib.contextmanager
def runner_process(cat: store.Catalogue, workers: int = 2) -> Iterator[subprocess.Popen[str]]:
    """A runner as a process of its own, with the workers that it starts."""
    url = cat.engine.url.render_as_string(hide_password=False)
    program = (
        "from catalogue import store\n"
        "from catalogue.jobs import runner\n"
        f"with store.open_catalogue({url!r}) as cat:\n"
        f"    print(runner.run(cat, workers={workers}))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def children(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return [p for p in psutil.Process(process.pid).children(recursive=True) if p.is_running()]


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


def test_every_solver_of_the_catalogue(sqlite_catalogue: store.Catalogue, scheduler: str) -> None:
    jobs = [
        submit_range(sqlite_catalogue, "0-39", ["yan-heuristic", "dead-end"], "klondike-yan"),
        submit_range(sqlite_catalogue, "0-39", ["exact(nodes=2000)"], "klondike-draw1"),
    ]
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 2
    assert [get_job(sqlite_catalogue, job).state for job in jobs] == ["done", "done"]
    assert verify(sqlite_catalogue, share=1.0, resolve_share=0.0).faults == ()


def test_two_runners_at_once(catalogue: store.Catalogue, scheduler: str) -> None:
    """Each takes a job; the jobs overlap, so both write outcomes of the same deals."""
    jobs = [submit_range(catalogue, "0-119"), submit_range(catalogue, "0-119", SOLVERS[::-1])]
    url = catalogue.engine.url.render_as_string(hide_password=False)
    holders: dict[int, set[str | None]] = {job_id: set() for job_id in jobs}
    done: list[int] = []

    def work() -> None:
        with store.open_catalogue(url) as own:
            done.append(
                runner.run(
                    own,
                    scheduler=scheduler,
                    on_progress=lambda job: holders[job.id].add(job.runner),
                )
            )

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(done) == 2
    assert [len(names) for names in holders.values()] == [1, 1]
    for job_id in jobs:
        assert_complete(catalogue, job_id)


def test_only_the_jobs_asked_for_are_run(catalogue: store.Catalogue, scheduler: str) -> None:
    """Also one that another runner holds is waited for, and taken up when that one dies."""
    other, mine, held = (submit_range(catalogue, f"{k}-{k + 9}") for k in (0, 10, 20))
    holder = claims.new_runner()
    assert claims.claim_next(catalogue, holder, [held]) == held
    assert claims.claim_next(catalogue, holder, []) is None
    seen: list[tuple[int, str]] = []

    def see(job: JobInfo) -> None:
        seen.append((job.id, job.state))
        if (job.id, job.runner) == (held, holder):
            with catalogue.begin() as session:
                claims.release(session, held, holder)

    assert runner.run(catalogue, scheduler=scheduler, only=[mine, held], on_progress=see) == 2
    assert {job_id for job_id, _ in seen} == {mine, held}
    assert seen.index((mine, "done")) < seen.index((held, "running"))
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
    assert verify(catalogue, share=0.0, resolve_share=0.0).faults == ()

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
    assert (job.state, job.runner) == ("queued", None)
    assert verify(sqlite_catalogue, share=0.0, resolve_share=0.0).faults == ()


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
    assert verify(sqlite_catalogue, share=0.0, resolve_share=0.0).faults == ()


def test_a_worker_that_dies_is_replaced(sqlite_catalogue: store.Catalogue) -> None:
    job_id = submit_range(sqlite_catalogue, "0-299", ("dead-end", "exact(nodes=20000)"))
    killed = []

    def kill_one(job: JobInfo) -> None:
        if job.done and not killed:
            victim = _workers_of_this_process()[0]
            killed.append(victim)
            victim.kill()

    assert runner.run(sqlite_catalogue, workers=2, on_progress=kill_one) == 1
    assert killed
    assert_complete(sqlite_catalogue, job_id)


def test_a_piece_that_kills_its_workers_fails_the_job(sqlite_catalogue: store.Catalogue) -> None:
    job_id = submit_range(sqlite_catalogue, "0-4999", ("exact(nodes=20000)",))
    killed = []

    def kill_all(job: JobInfo) -> None:
        if job.done and not killed:
            killed.extend(_workers_of_this_process())
            for victim in killed:
                victim.kill()

    # With no failure allowed, one death is as good as four.
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        assert runner.run(sqlite_catalogue, workers=1, on_progress=kill_all) == 0
    job = get_job(sqlite_catalogue, job_id)
    assert job.state == "failed"
    assert job.error is not None
    assert "the worker died repeatedly" in job.error
    assert job.error.startswith("seeds ")
    assert verify(sqlite_catalogue, share=0.0, resolve_share=0.0).faults == ()


@pytest.mark.parametrize(
    ("lie", "sentence"),
    [
        (
            lambda deals: [Achieved(Result.WON, 1, 0.0, b"\x00") for _ in deals],
            r"exact\(.*\) claims to win thoughtful-1:[0-3] under klondike-draw3, but its 1 moves",
        ),
        # Which piece is the first to fail is the workers' affair.
        (lambda deals: 1 / 0, "seeds [0-3] to .* of thoughtful-1: ZeroDivisionError: division by "),
    ],
)
def test_a_solver_with_a_bug_fails_the_job(
    sqlite_catalogue: store.Catalogue,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    lie: Any,
    sentence: str,
) -> None:
    """The workers are threads of this process, so the registry they see can be tampered with."""
    honest = registry.get_method("exact")
    wrong = dataclasses.replace(honest, solve=lambda deals, _rules, _values: lie(deals))
    failing = submit_range(sqlite_catalogue, "0-3", ["exact(nodes=500)"])
    after = submit_range(sqlite_catalogue, "0-3", ["dead-end"])
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["solvers.klondike.exact.method"], "METHOD", wrong)
        patch.setattr(worker_pool, "warm_up", lambda _ruleset, _names: None)
        assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    job = get_job(sqlite_catalogue, failing)
    assert job.state == "failed"
    assert job.error is not None
    assert re.match(sentence, job.error), job.error
    assert_complete(sqlite_catalogue, after)
    # It is mended; submitted again, the same job runs.
    assert submit_range(sqlite_catalogue, "0-3", ["exact(nodes=500)"]) == failing
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    assert_complete(sqlite_catalogue, failing)


def test_a_scheduler_that_goes_away(sqlite_catalogue: store.Catalogue) -> None:
    job_id = submit_range(sqlite_catalogue, "0-4999")
    cluster = LocalCluster(**IN_THIS_PROCESS)
    closing = threading.Thread(target=cluster.close)

    def close(job: JobInfo) -> None:
        if job.done and not closing.ident:
            closing.start()

    with pytest.raises(
        BadInput, match="the connection to the Dask scheduler was lost while a job was running"
    ):
        runner.run(sqlite_catalogue, scheduler=cluster.scheduler_address, on_progress=close)
    closing.join()
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.runner) == ("queued", None)
    assert job.done > 0


def test_a_solver_of_another_version_is_refused(
    sqlite_catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = submit_range(sqlite_catalogue, "0-3", ["dead-end"])
    method = registry.get_method("dead-end")
    newer = dataclasses.replace(method, version=method.version + 1)
    monkeypatch.setattr(sys.modules["solvers.klondike.dead_ends.method"], "METHOD", newer)
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 0
    error = get_job(sqlite_catalogue, job_id).error
    assert error == (
        f"the job asks for version {method.version} of dead-end, but this program has version "
        f"{newer.version}: submit it again"
    )
    with pytest.raises(BadInput, match="but the program on this worker has version"):
        solve_piece(
            "klondike-draw3",
            "thoughtful-1",
            0,
            [("dead-end", method.version, np.ones(2, dtype=bool))],
        )


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


@pytest.mark.parametrize(
    ("chunk", "count", "workers", "size"),
    [
        (100, 10_000, 2, 100),
        (150, 10_000, 2, 143),  # seven pieces to a block
        (5_000, 10_000, 1, 5_000),
        (7_777, 1_000_000, 4, 7_000),
        (1_000_000, 10**9, 4, 10_000),
        (100, 12, 2, 3),  # nobody stands idle
        (100, 1, 64, 1),
    ],
)
def test_sizes_of_pieces(
    monkeypatch: pytest.MonkeyPatch, chunk: int, count: int, workers: int, size: int
) -> None:
    method = registry.get_method("dead-end")
    monkeypatch.setattr(
        sys.modules["solvers.klondike.dead_ends.method"],
        "METHOD",
        dataclasses.replace(method, chunk=chunk),
    )
    key = SolverKey("dead-end", 1, "dead-end", ())
    spec = JobSpec(1, "klondike-draw3", 1, "thoughtful-1", 0, count, (key,), (1,))
    assert OutcomesTask(spec).piece_size(workers) == size


@pytest.mark.parametrize(("first", "count", "size"), [(0, 2500, 143), (777, 1500, 100), (5, 3, 1)])
@pytest.mark.parametrize("stored", [(), (0, 100), (1000, 1000), (770, 800)])
def test_pieces_are_the_seeds_that_are_missing(
    sqlite_catalogue: store.Catalogue,
    scheduler: str,
    first: int,
    count: int,
    size: int,
    stored: tuple[int, ...],
) -> None:
    if stored:
        submit_range(sqlite_catalogue, f"{stored[0]}-{stored[0] + stored[1] - 1}", ["dead-end"])
        runner.run(sqlite_catalogue, scheduler=scheduler)
    job_id = submit_range(sqlite_catalogue, f"{first}-{first + count - 1}", ["dead-end"])
    spec = read_task(sqlite_catalogue, job_id).spec
    seeds = [
        start + int(at)
        for start, missing in missing_outcomes(sqlite_catalogue, spec, size)
        for at in np.flatnonzero(missing[0])
    ]
    done = range(stored[0], stored[0] + stored[1]) if stored else range(0)
    assert seeds == [seed for seed in range(first, first + count) if seed not in done]


def _once(action: Callable[[JobInfo], None]) -> Callable[[JobInfo], None]:
    """For the first report alone."""
    reported: list[JobInfo] = []

    def report(job: JobInfo) -> None:
        if not reported:
            reported.append(job)
            action(job)

    return report


def _workers_of_this_process() -> list[psutil.Process]:
    """The Dask workers among our children; PostgreSQL and Python's tracker are none."""
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if "spawn_main" in " ".join(child.cmdline())
    ]
