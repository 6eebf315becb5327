"""Tests of jobs that are steered while they run: stop rules, pauses, priorities."""

import re
from typing import Any

import pytest

from catalogue import store
from catalogue.jobs import runner
from catalogue.jobs.queue import JobInfo, get_job, pause, resume, set_priority, submit
from catalogue.reading.bounds import bounds_of, latest
from engine.dealing.dealers import parse_sample
from job_runs import assert_complete, assert_sound, submit_range


@pytest.mark.parametrize(
    ("until", "words"),
    [
        ({"deals": 150}, "stopped by its rule: 150 deals are solved"),
        ({"width": 60.0}, r"stopped by its rule: after [\d,]+ deals the 99 % interval is "),
        ({"cpu_hours": 1e-9}, "stopped by its rule: 0.000000001 CPU hours are spent"),
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
    # A size that was chosen by looking at the interval has no fixed-sample interval.
    points = latest(sqlite_catalogue)
    # The first shard that comes, after which the CPU time is spent, may not be of the first seeds.
    assert len(points) == 1 or "cpu_hours" in until
    for point in points:
        assert point.attempted is not None
        samples = (job.sample, point.attempted)
        of_samples = (bounds_of(sqlite_catalogue, point.ruleset, each) for each in samples)
        for same in (point, *of_samples):
            assert same.stops_by_width == ("width" in until)
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
    assert "running" not in paused.shards
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
