"""Tests of the shards of a job: their sizes, and the seeds that are in them."""

import random

import numpy as np
import pytest
from sqlalchemy import select

from catalogue import store
from catalogue.jobs import progress, runner
from catalogue.jobs.estimate import measured
from catalogue.jobs.queue import locked
from catalogue.jobs.shards import Pace, cut, make_shards
from catalogue.jobs.task import read_task
from catalogue.schema import BLOCK_SIZE, ShardRow
from engine.dealing.dealers import Sample
from job_runs import submit_range


@pytest.mark.parametrize(
    ("chunk", "left", "workers", "size"),
    [
        (100, 10_000, 2, 100),
        (100, 12, 2, 3),  # nobody stands idle
        (100, 1, 64, 1),
    ],
)
def test_sizes_of_first_shards(chunk: int, left: int, workers: int, size: int) -> None:
    assert Pace(chunk, 10_000).size(left, workers) == size


def test_shards_grow_to_a_minute() -> None:
    """A second, 4, 16, a minute, by the time that the last ones took."""
    pace = Pace(100, 16_384)
    seconds = []
    for _ in range(6):
        deals = pace.size(10**9, 2)
        seconds.append(deals / 50)  # this machine solves 50 a second
        pace.finished(deals, seconds[-1])
    assert seconds == pytest.approx([2, 4, 16, 60, 60, 60])
    # Deals turn out ten times as hard: the next shard is shorter.
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


def test_shards_respect_blocks() -> None:
    assert cut(range(10, 20), 100) == range(10, 20)
    assert cut(range(0, BLOCK_SIZE), 16_384) == range(16_384)
    # Equal parts of what is left, rather than a small one at the end.
    assert cut(range(0, BLOCK_SIZE), 40_000) == range(32_768)
    assert cut(range(5, 105), 40) == range(5, 39)


@pytest.mark.parametrize(("first", "count"), [(0, 2500), (777, 1500), (5, 3)])
@pytest.mark.parametrize("stored", [(), (0, 100), (1000, 1000), (770, 800)])
def test_shards_are_the_seeds_that_are_missing(
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
            make_shards(session, task, job, Pace(100, 1000), 2, 3)
        shards = session.execute(
            select(ShardRow.first_seed, ShardRow.deals).order_by(ShardRow.first_seed)
        ).all()
        for start, deals in shards:
            work = task.work(session, range(start, start + deals))
            assert work is not None
            ((_, _, missing),) = work.arguments[3]
            seeds += [start + int(at) for at in np.flatnonzero(missing)]
            assert work.deals == missing.sum()
        covered = sum(deals for _, deals in shards)
        assert job.done + covered == count
    done = range(stored[0], stored[0] + stored[1]) if stored else range(0)
    assert seeds == [seed for seed in range(first, first + count) if seed not in done]


def test_the_rate_of_a_job_does_not_count_warm_ups(monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker is ready at once, the other only after half a minute."""
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    rate = progress.Throughput()
    for seconds, worker, first, done, expected in (
        (0, "A", True, 10, None),
        (30, "A", False, 20, 10 / 30),
        (1, "B", True, 30, None),
        (2, "A", False, 130, 50.0),
        (2, "B", False, 230, 50.0),
        (2, "A", False, 0, None),  # it has begun again
    ):
        clock[0] += seconds
        assert rate.begins(worker) == first
        assert rate.update(done) == (None if expected is None else pytest.approx(expected))


def test_the_mean_of_what_is_measured_has_no_bias() -> None:
    """A deal in fifty takes 500 times as long; the mean of many estimates is that of the deals."""
    sample = Sample("thoughtful-1", 7, 10_000)
    mean, estimates, holding = (0.98 * 0.002 + 0.02 * 1.0), [], 0
    random.seed(38)
    for _ in range(300):
        cost = measured(lambda seed: 1.0 if seed % 50 == 0 else 0.002, sample)
        estimates.append(cost.mean)
        assert cost.interval is not None
        holding += cost.interval.low <= mean <= cost.interval.high
    error = np.std(estimates) / len(estimates) ** 0.5
    assert abs(np.mean(estimates) - mean) < 4 * error
    assert error < 0.05 * mean
    assert holding > 240  # a bootstrap of few deals with a long tail holds less than it says
