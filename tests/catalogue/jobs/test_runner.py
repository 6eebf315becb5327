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
from datetime import UTC, datetime
from typing import Any

import dask
import numpy as np
import psutil
import pytest
from distributed import LocalCluster
from sqlalchemy import func, select

import faulty
from catalogue import store
from catalogue.blocks import Outcomes
from catalogue.jobs import claims, outcomes_task, progress, runner, worker_pool
from catalogue.jobs.piece import solve_piece
from catalogue.jobs.pieces import Pace, cut, make_pieces
from catalogue.jobs.queue import (
    JobInfo,
    cancel,
    change,
    get_job,
    list_jobs,
    locked,
    pause,
    resume,
    retry,
    set_priority,
    submit,
)
from catalogue.jobs.task import read_task
from catalogue.outcomes.block_rows import outcomes_of_rows
from catalogue.reading import bounds
from catalogue.schema import (
    BLOCK_SIZE,
    BlockRow,
    BoundRow,
    DealRow,
    OutcomeRow,
    PieceRow,
    RunnerRow,
    SolverRow,
)
from catalogue.verify.running import verify
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
    """The batch in which each outcome was written, by ruleset, solver and deal."""
    with cat.session() as session:
        return {
            (row.ruleset_id, row.solver_id, row.deal_id): row.batch_id
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
    assert_sound(cat)
    assert verify(cat, share=0.05, resolve_share=0.0).faults == ()


def assert_sound(cat: store.Catalogue) -> None:
    """Every block equals a recount of its rows, and every job's progress that of its blocks."""
    with cat.session() as session:
        for block in session.scalars(select(BlockRow).where(BlockRow.depth == "everything")):
            key = (block.ruleset_id, block.dealing_id, block.block, block.solver_id)
            stored = Outcomes.decode(block.columns)
            recounted = outcomes_of_rows(session, *key)
            for name in ("result", "nodes", "length", "cpu_us"):
                assert np.array_equal(getattr(recounted, name), getattr(stored, name)), name
            # Kinds have the order in which they were stored.
            assert [recounted.kinds[code - 1] for code in recounted.dead_end if code] == [
                stored.kinds[code - 1] for code in stored.dead_end if code
            ]
            assert stored.counts() == {
                name: getattr(block, name)
                for name in ("attempted", "won", "lost", "unwinnable", "gave_up")
            }
    for job in list_jobs(cat):
        if job.kind != "outcomes":
            continue
        seeds = range(job.sample.first, job.sample.last + 1)
        with cat.session() as session:
            done, total = read_task(cat, job.id).count(session, seeds)
        assert job.done <= done <= total == job.total
        if job.state == "done" and job.error is None:
            assert job.done == done == total
            assert job.pieces == {}


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
    """Also one of which another runner has a piece is waited for, until that one gives it back."""
    other, mine, held = (submit_range(catalogue, f"{k}-{k + 9}") for k in (0, 10, 20))
    holder = claims.register(catalogue, 1)
    with catalogue.begin() as session:
        claims.add_pieces(session, held, [range(20, 30)])
        locked(session, held).next_seed = 30
        (piece,) = claims.claim(session, holder, held, 1)
        change(session, locked(session, held), state="running", started_at=datetime.now(UTC))
    seen: list[tuple[int, str]] = []

    def see(job: JobInfo) -> None:
        seen.append((job.id, job.state))
        if job.id == held and job.pieces == {"running": 1} and not job.done:
            with catalogue.begin() as session:
                claims.give_back(session, holder, [piece.id])

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
            victim = _workers_of_this_process()[0]
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


def test_the_seed_that_breaks_a_solver_is_named(
    sqlite_catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All others are solved; tried again when it is mended, it is solved too."""
    job_id = submit_range(sqlite_catalogue, "0-63", ("dead-end",))
    with monkeypatch.context() as patch:
        patch.setattr(outcomes_task, "solve_piece", faulty.fragile_piece)
        assert runner.run(sqlite_catalogue, scheduler=scheduler) == 0
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done, job.pieces) == ("failed", 63, {"failed": 1})
    assert job.error == (
        f"1 piece failed: seed {faulty.SEED} of thoughtful-1 (seeds {faulty.SEED} to {faulty.SEED} "
        "of thoughtful-1: RuntimeError: it cannot solve this one); try again with "
        f"`thoughtful job retry {job_id}`"
    )
    assert_sound(sqlite_catalogue)
    assert retry(sqlite_catalogue, job_id) == 1
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    assert_complete(sqlite_catalogue, job_id)


@pytest.mark.thorough
def test_the_seed_that_kills_its_workers_is_named(
    sqlite_catalogue: store.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = submit_range(sqlite_catalogue, "0-15", ("dead-end",))
    monkeypatch.setattr(outcomes_task, "solve_piece", faulty.deadly_piece)
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        assert runner.run(sqlite_catalogue, workers=1) == 0
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done, job.pieces) == ("failed", 15, {"failed": 1})
    assert job.error is not None
    assert f"seed {faulty.SEED} of thoughtful-1 (" in job.error
    assert "the worker died repeatedly" in job.error
    assert_sound(sqlite_catalogue)


@pytest.mark.thorough
def test_the_seed_on_which_a_worker_hangs_is_named(
    sqlite_catalogue: store.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker is ended, and the others do not wait for it."""
    job_id = submit_range(sqlite_catalogue, "8-15", ("dead-end",))
    monkeypatch.setenv("THOUGHTFUL_PIECE_TIMEOUT", "5")
    monkeypatch.setattr(outcomes_task, "solve_piece", faulty.endless_piece)
    assert runner.run(sqlite_catalogue, workers=2) == 0
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done, job.pieces) == ("failed", 7, {"failed": 1})
    assert job.error is not None
    assert f"seed {faulty.SEED} of thoughtful-1 (" in job.error
    assert re.search(r"no end after \d+ s", job.error)
    assert_sound(sqlite_catalogue)


@pytest.mark.parametrize(
    ("lie", "sentence"),
    [
        (
            lambda deals: [Achieved(Result.WON, 1, 0.0, b"\x00") for _ in deals],
            r"exact\(.*\) claims to win thoughtful-1:0 under klondike-draw3, but its 1 moves",
        ),
        (lambda deals: 1 / 0, "seeds 0 to 0 of thoughtful-1: ZeroDivisionError: division by "),
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
    head = r"4 pieces failed: seeds 0, 1, 2, 3 of thoughtful-1 \("
    assert re.match(head + sentence, job.error), job.error
    assert_complete(sqlite_catalogue, after)
    # It is mended; submitted again, the same job runs.
    assert submit_range(sqlite_catalogue, "0-3", ["exact(nodes=500)"]) == failing
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    assert_complete(sqlite_catalogue, failing)


def test_a_job_whose_every_piece_fails_is_given_up(
    sqlite_catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not try a million seeds one by one."""
    job_id = submit_range(sqlite_catalogue, "0-999999", ("dead-end",))
    monkeypatch.setattr(outcomes_task, "solve_piece", faulty.broken_piece)
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 0
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done) == ("failed", 0)
    assert job.error is not None
    assert job.error.startswith(f"{progress.MAX_FAILED} pieces failed: seeds 0, 1, 2, ")
    assert sum(job.pieces.values()) < 200


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
    assert (job.state, job.runners) == ("queued", ())
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
            "everything",
        )


def test_workers_of_another_version_are_not_used(
    sqlite_catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it is all of them, so the runner says so and ends; the job waits for another."""
    job_id = submit_range(sqlite_catalogue, "0-99", ["dead-end"])
    other = dataclasses.replace(worker_pool.this_maker(), program="99.0")
    with monkeypatch.context() as patch:
        patch.setattr(worker_pool, "this_maker", lambda: other)
        with pytest.raises(BadInput, match=f"none of the workers of {scheduler} can be used"):
            runner.run(sqlite_catalogue, scheduler=scheduler)
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done, job.error) == ("queued", 0, None)
    assert set(job.pieces) == {"waiting"}
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


@pytest.mark.parametrize(
    ("chunk", "left", "workers", "size"),
    [
        (100, 10_000, 2, 100),
        (100, 12, 2, 3),  # nobody stands idle
        (100, 1, 64, 1),
    ],
)
def test_sizes_of_first_pieces(chunk: int, left: int, workers: int, size: int) -> None:
    assert Pace(chunk, 10_000).size(left, workers) == size


def test_pieces_grow_to_a_minute() -> None:
    """A second, 4, 16, a minute, by the time that the last ones took."""
    pace = Pace(100, 16_384)
    seconds = []
    for _ in range(6):
        deals = pace.size(10**9, 2)
        seconds.append(deals / 50)  # this machine solves 50 a second
        pace.finished(deals, seconds[-1])
    assert seconds == pytest.approx([2, 4, 16, 60, 60, 60])
    # Deals turn out ten times as hard: the next piece is shorter.
    pace.finished(3000, 600)
    assert pace.size(10**9, 2) < 1000
    # Never larger than what fits, and small at the end of a job.
    fast = Pace(4000, 16_384)
    for _ in range(6):
        fast.finished(fast.size(10**9, 2), 0.01)
    assert fast.size(10**9, 2) == 16_384
    assert pace.size(1000, 2) == 250
    # But not so small that sending it takes longer than solving it.
    assert fast.size(1000, 2) == 16_384


def test_pieces_respect_blocks() -> None:
    assert cut(range(10, 20), 100) == range(10, 20)
    assert cut(range(0, BLOCK_SIZE), 16_384) == range(16_384)
    # Equal parts of what is left, rather than a small one at the end.
    assert cut(range(0, BLOCK_SIZE), 40_000) == range(32_768)
    assert cut(range(5, 105), 40) == range(5, 39)


@pytest.mark.parametrize(("first", "count"), [(0, 2500), (777, 1500), (5, 3)])
@pytest.mark.parametrize("stored", [(), (0, 100), (1000, 1000), (770, 800)])
def test_pieces_are_the_seeds_that_are_missing(
    sqlite_catalogue: store.Catalogue,
    scheduler: str,
    first: int,
    count: int,
    stored: tuple[int, ...],
) -> None:
    if stored:
        submit_range(sqlite_catalogue, f"{stored[0]}-{stored[0] + stored[1] - 1}", ["dead-end"])
        runner.run(sqlite_catalogue, scheduler=scheduler)
    job_id = submit_range(sqlite_catalogue, f"{first}-{first + count - 1}", ["dead-end"])
    task = read_task(sqlite_catalogue, job_id)
    seeds = []
    with sqlite_catalogue.begin() as session:
        job = locked(session, job_id)
        while job.next_seed < first + count:
            make_pieces(session, task, job, Pace(100, 1000), 2, 3)
        pieces = session.execute(
            select(PieceRow.first_seed, PieceRow.deals).order_by(PieceRow.first_seed)
        ).all()
        for start, deals in pieces:
            work = task.work(session, range(start, start + deals))
            assert work is not None
            ((_, _, missing),) = work.arguments[3]
            seeds += [start + int(at) for at in np.flatnonzero(missing)]
            assert work.deals == missing.sum()
        covered = sum(deals for _, deals in pieces)
        assert job.done + covered == count
    done = range(stored[0], stored[0] + stored[1]) if stored else range(0)
    assert seeds == [seed for seed in range(first, first + count) if seed not in done]


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


@pytest.mark.parametrize(
    ("until", "words"),
    [
        ({"deals": 150}, "stopped by its rule: 150 deals are solved"),
        ({"width": 60.0}, r"stopped by its rule: after [\d,]+ deals the 99 % interval is "),
        ({"cpu_hours": 1e-9}, "stopped by its rule: 1e-09 CPU hours are spent"),
    ],
)
def test_jobs_stop_by_their_rules(
    sqlite_catalogue: store.Catalogue,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    until: dict[str, Any],
    words: str,
) -> None:
    monkeypatch.setattr(runner, "BOUND_SECONDS", 0.0)
    job_id = submit(
        sqlite_catalogue,
        "klondike-draw3",
        parse_sample("thoughtful-1:0-99999"),
        ["exact(nodes=5000)"],
        until=until,
    )
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    job = get_job(sqlite_catalogue, job_id)
    assert job.state == "done"
    assert 0 < job.done < job.total
    assert job.error is not None
    assert re.match(words, job.error), job.error
    if "deals" in until:
        assert job.done == 150
    assert_sound(sqlite_catalogue)
    # With another rule it goes on.
    monkeypatch.undo()
    assert job_id == submit(
        sqlite_catalogue,
        "klondike-draw3",
        job.sample,
        ["exact(nodes=5000)"],
        until={"deals": job.done + 30},
    )
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    assert get_job(sqlite_catalogue, job_id).done == job.done + 30


def test_pausing_a_running_job(sqlite_catalogue: store.Catalogue, scheduler: str) -> None:
    """What is being solved is stored; the next job runs; resumed, it goes on."""
    first = submit_range(sqlite_catalogue, "0-999", ["exact(nodes=5000)"])
    second = submit_range(sqlite_catalogue, "0-9", ["dead-end"])

    def pause_it(job: JobInfo) -> None:
        if job.id == first and job.done and job.state == "running":
            pause(sqlite_catalogue, first)

    assert runner.run(sqlite_catalogue, scheduler=scheduler, on_progress=pause_it) == 1
    assert get_job(sqlite_catalogue, second).state == "done"
    paused = get_job(sqlite_catalogue, first)
    assert paused.state == "paused"
    assert 0 < paused.done < 1000
    assert "running" not in paused.pieces
    assert_sound(sqlite_catalogue)
    resume(sqlite_catalogue, first)
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    assert_complete(sqlite_catalogue, first)


def test_the_most_urgent_job_runs_first(sqlite_catalogue: store.Catalogue, scheduler: str) -> None:
    first = submit_range(sqlite_catalogue, "0-9", ["dead-end"])
    second = submit_range(sqlite_catalogue, "10-19", ["dead-end"])
    set_priority(sqlite_catalogue, second, 1)
    ended: list[int] = []

    def see(job: JobInfo) -> None:
        if job.state == "done":
            ended.append(job.id)

    assert runner.run(sqlite_catalogue, scheduler=scheduler, on_progress=see) == 2
    assert ended == [second, first]


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
            wait_until(lambda: not _workers_of_this_process(), "the workers have ended")
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


def _workers_of_this_process() -> list[psutil.Process]:
    """The Dask workers among our children; PostgreSQL and Python's tracker are none."""
    found = []
    for child in psutil.Process().children(recursive=True):
        # One that has just ended has no command line any more.
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found
