"""Tests of shards that fail: the seed is named, all others are solved."""

import dataclasses
import re
import sys
from typing import Any

import dask
import pytest

import faulty
from catalogue import store
from catalogue.jobs import outcomes_task, progress, runner, worker_pool
from catalogue.jobs.queue import get_job, retry
from job_runs import assert_complete, assert_sound, submit_range
from solvers.outcome import Outcome as Achieved
from solvers.outcome import Result
from solvers.registry import get_method


def test_the_seed_that_breaks_a_solver_is_named(
    sqlite_catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All others are solved; tried again when it is mended, it is solved too."""
    job_id = submit_range(sqlite_catalogue, "0-63", ("dead-end",))
    with monkeypatch.context() as patch:
        patch.setattr(outcomes_task, "solve_shard", faulty.fragile_shard)
        assert runner.run(sqlite_catalogue, scheduler=scheduler) == 0
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done, job.shards) == ("failed", 63, {"failed": 1})
    assert job.error == (
        f"1 shard failed: seed {faulty.SEED} of thoughtful-1 (seeds {faulty.SEED} to {faulty.SEED} "
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
    monkeypatch.setattr(outcomes_task, "solve_shard", faulty.deadly_shard)
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        assert runner.run(sqlite_catalogue, workers=1) == 0
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done, job.shards) == ("failed", 15, {"failed": 1})
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
    monkeypatch.setenv("THOUGHTFUL_SHARD_TIMEOUT", "5")
    monkeypatch.setattr(outcomes_task, "solve_shard", faulty.endless_shard)
    assert runner.run(sqlite_catalogue, workers=2) == 0
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done, job.shards) == ("failed", 7, {"failed": 1})
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
    honest = get_method("exact")
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
    head = r"4 shards failed: seeds 0, 1, 2, 3 of thoughtful-1 \("
    assert re.match(head + sentence, job.error), job.error
    assert_complete(sqlite_catalogue, after)
    # It is mended; submitted again, the same job runs.
    assert submit_range(sqlite_catalogue, "0-3", ["exact(nodes=500)"]) == failing
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 1
    assert_complete(sqlite_catalogue, failing)


def test_a_job_whose_every_shard_fails_is_given_up(
    sqlite_catalogue: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not try a million seeds one by one."""
    job_id = submit_range(sqlite_catalogue, "0-999999", ("dead-end",))
    monkeypatch.setattr(outcomes_task, "solve_shard", faulty.broken_shard)
    assert runner.run(sqlite_catalogue, scheduler=scheduler) == 0
    job = get_job(sqlite_catalogue, job_id)
    assert (job.state, job.done) == ("failed", 0)
    assert job.error is not None
    assert job.error.startswith(f"{progress.MAX_FAILED} shards failed: seeds 0, 1, 2, ")
    assert sum(job.shards.values()) < 200
