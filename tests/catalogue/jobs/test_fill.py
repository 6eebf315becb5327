"""Tests of the initial jobs of a catalogue."""

from catalogue.jobs import queue as jobs
from catalogue.jobs.fill import PLAN, fill
from catalogue.store import Catalogue


def test_the_plan_is_submitted_once(sqlite_catalogue: Catalogue) -> None:
    first = fill(sqlite_catalogue, seeds=30)
    assert fill(sqlite_catalogue, seeds=30) == first
    listed = jobs.list_jobs(sqlite_catalogue)
    assert [job.id for job in listed] == first
    assert [job.ruleset for job in listed] == [ruleset for ruleset, _, _ in PLAN]
    samples = {"thoughtful-1:0-29", "microsoft:1-30"}
    assert {str(job.sample) for job in listed} == samples
    assert [len(job.solvers) for job in listed] == [len(solvers) for _, _, solvers in PLAN]


def test_another_size_is_another_sample(sqlite_catalogue: Catalogue) -> None:
    assert set(fill(sqlite_catalogue, seeds=30)).isdisjoint(fill(sqlite_catalogue, seeds=40))


def test_what_was_cancelled_stays_cancelled(sqlite_catalogue: Catalogue) -> None:
    first, *others = fill(sqlite_catalogue, seeds=30)
    jobs.cancel(sqlite_catalogue, first)
    assert fill(sqlite_catalogue, seeds=30) == others
    assert jobs.get_job(sqlite_catalogue, first).state == "cancelled"
