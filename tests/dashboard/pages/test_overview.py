"""Browser tests of the overview against the contents of the database."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from scipy.stats import beta

from browsing import settle
from catalogue import store
from catalogue.jobs.queue import submit
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunk
from engine.dealing.dealers import get_dealer, parse_sample
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome, Result

Sql = Callable[..., list[tuple[Any, ...]]]


def metric(place: Locator, label: str) -> Locator:
    return place.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")


def percent(share: float) -> str:
    return f"{100 * share:.2f}\N{NO-BREAK SPACE}%"


@pytest.mark.thorough
@pytest.mark.parametrize("ruleset", ["klondike-draw3", "klondike-draw1"])
def test_numbers_equal_the_databases(page: Page, dashboard: str, sql: Sql, ruleset: str) -> None:
    counts = dict(
        sql(
            "SELECT s.status, count(*) FROM STATUSES s JOIN ruleset r ON r.id = s.ruleset_id "
            "WHERE r.slug = ? GROUP BY s.status",
            ruleset,
        )
    )
    n = sum(counts.values())
    won, lost, unresolved = (
        counts.get(status, 0) for status in ("winnable", "unwinnable", "unresolved")
    )

    page.goto(dashboard)
    entry = page.locator(f".st-key-ruleset-{ruleset}")
    expect(entry).to_contain_text(
        f"{n} deals attempted: {won} winnable, {lost} unwinnable, {unresolved} unresolved"
    )
    expect(metric(entry, "At least winnable")).to_have_text(percent(won / n))
    expect(metric(entry, "At most winnable")).to_have_text(percent(1 - lost / n))
    expect(metric(entry, "Unresolved")).to_have_text(percent(unresolved / n))
    expect(metric(entry, "Deals in the sample")).to_have_text(str(n))
    # Clopper and Pearson's interval, written out.
    low = beta.ppf(0.005, won, n - won + 1)
    high = beta.ppf(0.995, n - lost + 1, lost) if lost else 1.0
    expect(entry).to_contain_text(f"between {percent(low)} and {percent(high)}")
    expect(entry.get_by_role("link", name="How these bounds came about")).to_be_visible()


@pytest.mark.thorough
def test_published_figures_stand_beside_ours(page: Page, dashboard: str) -> None:
    page.goto(dashboard)
    entry = page.locator(".st-key-ruleset-klondike-draw3")
    row = entry.get_by_role("row").filter(has_text="Solvitaire")
    expect(row).to_contain_text("81.945 ± 0.084")
    expect(row).to_contain_text("agrees")
    expect(row).to_contain_text("Blake")


@pytest.mark.thorough
def test_totals_equal_the_databases(page: Page, dashboard: str, sql: Sql) -> None:
    held = [
        sql(f"SELECT count(*) FROM {t}")[0][0] for t in ("deal", "outcome", "solution", "dead_end")
    ]
    page.goto(dashboard)
    expect(
        page.get_by_text(
            "In the catalogue: {} deals, {} outcomes, {} wins, {} dead ends.".format(*held)
        )
    ).to_be_visible()
    expect(page.get_by_text("Contradiction")).to_have_count(0)


def test_an_empty_catalogue_fills_while_one_watches(
    page: Page,
    served: Callable[[str], str],
    run_jobs: Callable[[Path], None],
    initialised_sqlite: Path,
    tmp_path: Path,
) -> None:
    path = tmp_path / "thoughtful.db"
    shutil.copy(initialised_sqlite, path)
    page.goto(served(f"sqlite:///{path}"))
    expect(page.get_by_text("Nothing has been solved yet")).to_be_visible()
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        submit(catalogue, "klondike-draw3", parse_sample("thoughtful-1:0-29"), ["dead-end"])
    run_jobs(path)
    # Without reloading the page.
    expect(page.get_by_text("30 deals attempted")).to_be_visible()


@pytest.mark.thorough
def test_a_contradiction_is_an_alarm(
    page: Page, served: Callable[[str], str], initialised_sqlite: Path, tmp_path: Path
) -> None:
    path = tmp_path / "thoughtful.db"
    shutil.copy(initialised_sqlite, path)
    rules, dealer = parse_ruleset("klondike-draw1"), get_dealer("thoughtful-1")
    won = _won(dealer.deal_block(0, 20), rules.slug)
    seed, outcome = next((s, o) for s, o in enumerate(won) if o.result == Result.WON)
    chunk = Chunk(
        rules,
        dealer.slug,
        (seed,),
        dealer.deal_block(seed, 1),
        (
            (SolverKey("exact(nodes=1)", 1, "exact", (("nodes", 1),), True), (outcome,)),
            (SolverKey("wrong", 1, "wrong", ()), (Outcome(Result.UNWINNABLE, 1, 0.1),)),
        ),
    )
    with store.open_catalogue(f"sqlite:///{path}") as catalogue, catalogue.begin() as session:
        write_chunk(session, chunk)
    address = served(f"sqlite:///{path}")
    page.goto(address)
    expect(page.get_by_role("alert").filter(has_text="Contradiction")).to_be_visible()
    row = page.get_by_test_id("contradictions").get_by_role("row").nth(1)
    expect(row).to_contain_text("wrong v1")
    settle(page)
    row.get_by_role("link", name=f"thoughtful-1:{seed}").click()
    expect(page).to_have_url(re.compile(rf"/\?deal=thoughtful-1:{seed}&rules=klondike-draw1$"))
    expect(page.get_by_role("alert").filter(has_text="Contradiction")).to_be_visible()


def _won(deals: np.ndarray, ruleset: str) -> list[Outcome]:
    from solvers.solver import parse_solver

    return parse_solver("exact(nodes=20000)").solve(deals, parse_ruleset(ruleset))


@pytest.mark.thorough
def test_a_phone_shows_it_without_scrolling_sideways(browser: Browser, dashboard: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page = context.new_page()
    for link, sign in (("/", "In the catalogue"), ("/?deal=thoughtful-1:2", "All outcomes")):
        page.goto(dashboard + link)
        expect(page.get_by_text(sign)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        main = page.get_by_test_id("stMain")
        assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    context.close()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "path"),
    [("Play a deal that can be won", "play"), ("Check my game", "check"), ("Find a deal", "find")],
)
def test_the_first_page_leads_to_the_others(
    page: Page, dashboard: str, name: str, path: str
) -> None:
    page.goto(dashboard)
    settle(page)
    page.get_by_test_id("stMain").get_by_role("link", name=name).click()
    expect(page).to_have_url(re.compile(rf"/{path}"))
