"""Browser tests of empty pages that start a job with one click, and then show what it found."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from browsing import settle, unfold
from catalogue import store
from catalogue.jobs.queue import list_jobs, submit
from dashboard.elements.wording import ruleset_title
from engine.dealing.dealers import parse_sample
from patience import SECONDS

RULES = "klondike-draw1"


@pytest.mark.thorough
def test_an_empty_page_starts_a_job_and_shows_what_it_found(
    page: Page,
    served: Callable[[str], str],
    empty: Path,
    run_jobs: Callable[[Path], None],
) -> None:
    address = served(f"sqlite:///{empty}")
    page.goto(f"{address}/bounds?rules={RULES}")
    page.get_by_role("button", name=re.compile("Solve 1,000 deals of Klondike, draw 1")).click()
    expect(page.locator(".st-key-started-1")).to_contain_text("0 of 1,000 outcomes")
    expect(page.locator(".st-key-started-1")).to_contain_text("No runner is alive")
    # It is the same job after a reload: nothing is queued twice.
    page.reload()
    expect(page.locator(".st-key-started-1")).to_be_visible()
    with store.open_catalogue(f"sqlite:///{empty}") as catalogue:
        (job,) = list_jobs(catalogue)
        assert (job.ruleset, str(job.sample)) == (RULES, "thoughtful-1:0-999")
    run_jobs(empty)
    expect(page.get_by_test_id("bounds-now")).to_contain_text("of 1,000")
    # One solver is known now, so the comparison offers a second one.
    page.goto(f"{address}/compare?rules={RULES}")
    settle(page)
    expect(page.get_by_text("two are needed")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Solve .* deals of Klondike, draw 1")).click()
    expect(page.locator(".st-key-started-2")).to_be_visible()
    # And Find offers to look at the winnable ones.
    page.goto(f"{address}/find?rules={RULES}")
    unfold(page, "Further conditions")
    page.get_by_role("button", name=re.compile("^Analyse the winnable")).click()
    expect(page.locator(".st-key-started-3")).to_contain_text("features")


@pytest.mark.thorough
def test_solvers_without_a_common_deal_are_offered_one_job_of_both(
    empty: Path, run_jobs: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{empty}")
    with store.open_catalogue(f"sqlite:///{empty}") as catalogue:
        submit(catalogue, RULES, parse_sample("thoughtful-1:0-9"), ["exact(nodes=2000)"])
        submit(catalogue, RULES, parse_sample("thoughtful-1:10-14"), ["dead-end"])
    run_jobs(empty)

    def compared() -> AppTest:
        app = AppTest.from_string("from dashboard.pages import compare\ncompare.show()")
        app.run(timeout=SECONDS)
        assert not app.exception
        return app

    why = "No deal was attempted by both"
    app = compared()
    assert sum(why in each.value for each in app.info) == 1
    (button,) = app.button
    assert button.label == f"Solve 10 deals of {ruleset_title(RULES)} by dead-end and exact"
    button.click().run(timeout=SECONDS)
    with store.open_catalogue(f"sqlite:///{empty}") as catalogue:
        (job,) = [each for each in list_jobs(catalogue) if each.state == "queued"]
        assert str(job.sample) == "thoughtful-1:0-9"
    run_jobs(empty)
    assert not any(why in each.value for each in compared().info)
    # What an older version found cannot be found again: nothing is offered for it.
    with closing(sqlite3.connect(empty)) as database, database:
        database.execute("UPDATE solver SET version = version + 1 WHERE method = 'dead-end'")
    app = AppTest.from_string("from dashboard.pages import compare\ncompare.show()")
    app.query_params["sample"] = "thoughtful-1:12-14"
    app.run(timeout=SECONDS)
    assert sum(why in each.value for each in app.info) == 1
    assert not app.button


@pytest.mark.thorough
@pytest.mark.parametrize("link", ["overview", "deals", "difficulty", "compare"])
def test_every_empty_page_offers_a_job(
    page: Page, served: Callable[[str], str], empty: Path, link: str
) -> None:
    page.goto(f"{served(f'sqlite:///{empty}')}/{link}")
    expect(page.get_by_role("button", name=re.compile("^Solve 1,000 deals"))).to_be_enabled()
