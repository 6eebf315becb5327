"""Browser tests of submitting, watching and cancelling jobs."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browsing import settle
from catalogue import store
from catalogue.jobs.queue import list_jobs
from catalogue.schema import SOLVING


def test_jobs_are_submitted_checked_and_cancelled(
    page: Page, served: Callable[[str], str], initialised_sqlite: Path, tmp_path: Path
) -> None:
    path = tmp_path / "thoughtful.db"
    shutil.copy(initialised_sqlite, path)
    page.goto(f"{served(f'sqlite:///{path}')}/jobs")
    expect(page.get_by_text("No jobs yet")).to_be_visible()
    settle(page)
    seeds = page.get_by_role("textbox", name="Seeds")
    send = page.get_by_role("button", name="Submit")

    for wrong, sentence in {
        "nine": "'nine' names no seeds: expected the first and the last",
        "9-3": "run backwards",
        "": "names no seeds",
        "0-99999999999999999999": "out of range",
    }.items():
        seeds.fill(wrong)
        send.click()
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text(sentence)
        expect(alert).to_have_count(1)
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        assert list_jobs(catalogue) == []

    solvers = page.get_by_role("combobox", name="Solvers")
    solvers.fill("exact(nodes=0)")
    solvers.press("Enter")
    solvers.press("Escape")
    seeds.fill("0 - 99")
    send.click()
    expect(page.get_by_role("alert")).to_contain_text("nodes=0 of exact is out of range")
    page.get_by_role("button", name="Remove exact(nodes=0)").click()

    # A trillion deals are a slip until they are wanted.
    seeds.fill("0-999999999999")
    send.click()
    large = page.locator(".st-key-job-large")
    expect(large).to_contain_text("This job has 1,000,000,000,000 deals and would take about")
    expect(large).to_be_in_viewport()
    large.get_by_role("button", name="Do not submit it").click()
    expect(large).to_have_count(0)
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        assert list_jobs(catalogue) == []

    seeds.fill("0 - 99")
    send.click()
    expect(page.get_by_text("Job 1 is queued.")).to_be_visible()
    job = page.locator(".st-key-job-1")
    expect(job).to_contain_text("klondike-draw3 on thoughtful-1:0-99")
    expect(job).to_contain_text("0 of 100 outcomes")
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        assert [(j.state, str(j.sample)) for j in list_jobs(catalogue)] == [
            ("queued", "thoughtful-1:0-99")
        ]
    job.get_by_role("button", name="Pause").click()
    expect(job).to_contain_text("paused")
    settle(page)
    job.get_by_role("button", name="Resume").click()
    expect(job).to_contain_text("queued")
    settle(page)
    job.get_by_role("button", name="Cancel").click()
    expect(page.get_by_test_id("finished-jobs")).to_contain_text("cancelled")
    expect(job).to_have_count(0)
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        assert [(j.state, j.kind) for j in list_jobs(catalogue)] == [("cancelled", SOLVING)]

    page.get_by_text("Infer what follows").click()
    send.click()
    expect(page.get_by_text("Job 2 is queued.")).to_be_visible()
    expect(page.locator(".st-key-job-2")).to_contain_text("0 deals inferred")
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        assert [(j.kind, j.inferred) for j in list_jobs(catalogue)] == [
            (SOLVING, None),
            (SOLVING, 0),
        ]


@pytest.mark.thorough
def test_done_jobs_are_listed(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/jobs")
    rows = page.get_by_test_id("finished-jobs").locator("tbody tr")
    # Two of solvers under two rulesets, and one that looked at winnable deals.
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="klondike-draw3")).to_contain_text("240 of 240")
