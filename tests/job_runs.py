"""Jobs of the tests: submitted, run by a process, and held against a recount."""

import contextlib
import logging
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import dask
import numpy as np
import psutil
from distributed import LocalCluster
from sqlalchemy import func, select

from catalogue import store
from catalogue.blocks import Outcomes
from catalogue.jobs.queue import get_job, list_jobs, submit
from catalogue.jobs.task import read_task
from catalogue.outcomes.block_rows import outcomes_of_rows
from catalogue.schema import BlockRow, DealRow, OutcomeRow, SolverRow
from catalogue.verify.running import verify
from engine.dealing.dealers import parse_sample

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
# Else each of these watches itself all the time, at three hundredths of a processor.
UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
}


@contextlib.contextmanager
def workers_in_this_process() -> Iterator[str]:
    """The address of a Dask scheduler with two workers in this very process."""
    with dask.config.set(UNWATCHED), LocalCluster(**IN_THIS_PROCESS) as cluster:
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
    """Every block with all rows equals these, and every job's progress that of its blocks."""
    with cat.session() as session:
        for block in session.scalars(select(BlockRow).where(BlockRow.rowed == BlockRow.attempted)):
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
                for name in ("attempted", "won", "lost", "unwinnable", "gave_up", "rowed")
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
            assert job.shards == {}


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


def workers_of_this_process() -> list[psutil.Process]:
    """The Dask workers among our children; PostgreSQL and Python's tracker are none."""
    found = []
    for child in psutil.Process().children(recursive=True):
        # One that has just ended has no command line any more.
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found
