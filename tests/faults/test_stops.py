"""Stops of a runner by signals: no trace of them on the terminal, and no worker is left."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import pytest
from distributed import Nanny

from catalogue import store
from catalogue.jobs.queue import get_job, submit
from catalogue.jobs.worker_pool import WorkerPool
from engine.dealing.dealers import parse_sample
from patience import SECONDS, wait_until
from samples import sizes


@contextmanager
def runner(cat: store.Catalogue, seen: list[psutil.Process]) -> Iterator[subprocess.Popen[str]]:
    """`thoughtful runner` in the middle of a job, in a group of its own; its workers are noted."""
    sample = parse_sample("thoughtful-1:0-99999")
    job_id = submit(cat, "klondike-draw3", sample, ["exact-plain(nodes=2000)"])
    url = cat.engine.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "thoughtful", "runner", "--workers", "2"]
    process = subprocess.Popen(
        [*command, "--database", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_until(lambda: get_job(cat, job_id).done > 0, "outcomes are stored")
        seen += psutil.Process(process.pid).children(recursive=True)
        yield process
        job = get_job(cat, job_id)
        assert 0 < job.done < job.total
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def terminate_all(pid: int) -> None:
    """As systemd does."""
    os.killpg(pid, signal.SIGTERM)


def terminate_twice(pid: int) -> None:
    """As `timeout` does: the process, and then its group."""
    os.kill(pid, signal.SIGTERM)
    os.killpg(pid, signal.SIGTERM)


@pytest.mark.parametrize("stop", sizes(terminate_twice, terminate_all))
def test_nothing_is_said(sqlite_catalogue: store.Catalogue, stop: Callable[[int], None]) -> None:
    workers: list[psutil.Process] = []
    with runner(sqlite_catalogue, workers) as process:
        stop(process.pid)
        output, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, output) == (130, "")
    assert errors.splitlines()[0].startswith("job 1: exact-plain(nodes=2000, ")
    assert errors.splitlines()[1:] == ["0 jobs done"]
    assert len(workers) >= 3  # with the tracker of resources
    assert psutil.wait_procs(workers, timeout=SECONDS)[1] == []
    job = get_job(sqlite_catalogue, 1)
    assert (job.state, job.runners, set(job.shards)) == ("queued", (), {"waiting"})


@pytest.mark.thorough
def test_a_killed_runner_leaves_nothing(sqlite_catalogue: store.Catalogue) -> None:
    """The tracker of resources removes its semaphores, and does not warn that it had to."""
    workers: list[psutil.Process] = []
    with runner(sqlite_catalogue, workers) as process:
        process.kill()
        _, errors = process.communicate(timeout=SECONDS)  # until the last process has ended
    assert psutil.wait_procs(workers, timeout=SECONDS)[1] == []
    (line,) = errors.splitlines()
    assert line.startswith("job 1: exact-plain(nodes=2000, ")


def test_workers_that_end_are_not_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[Nanny] = []
    instantiate = Nanny.instantiate

    async def start(nanny: Nanny) -> Any:
        starts.append(nanny)
        return await instantiate(nanny)

    monkeypatch.setattr(Nanny, "instantiate", start)
    with WorkerPool(2, None) as pool:
        pool.start()
        assert len(starts) == 2
    assert len(starts) == 2
