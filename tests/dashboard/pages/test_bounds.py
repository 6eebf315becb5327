"""Browser tests of the bounds over time and of charts that are saved, against the database."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browsing import choose, saved, settle
from catalogue import statistics
from dashboard.elements.wording import percent

Sql = Callable[..., list[tuple[Any, ...]]]
PNG = b"\x89PNG\r\n\x1a\n"


def test_the_bounds_are_the_databases_and_the_width_is_in_the_link(
    page: Page, dashboard: str, sql: Sql
) -> None:
    recorded = sql(
        "SELECT b.n, b.winnable, b.unwinnable FROM bound b JOIN ruleset r ON r.id = b.ruleset_id "
        "JOIN job j ON j.id = b.job_id WHERE r.slug = 'klondike-draw3' ORDER BY b.id"
    )
    n, won, lost = recorded[-1]
    page.goto(f"{dashboard}/bounds?width=0.5&along=nowhere&sample=thoughtful-1:900-909")
    alerts = page.get_by_role("alert")
    expect(alerts.filter(has_text="axis 'nowhere' is none of those here")).to_have_count(1)
    expect(alerts.filter(has_text="sample 'thoughtful-1:900-909' is none of")).to_have_count(1)
    now = page.get_by_test_id("bounds-now").locator("tbody tr")
    expect(now.nth(0)).to_contain_text(f"{won} of {n}")
    expect(now.nth(1)).to_contain_text(f"{n - lost} of {n}")
    expect(now.nth(2)).to_contain_text(f"{n - won - lost} of {n}")
    for row, k in ((0, won), (1, n - lost)):
        for method in ("clopper-pearson", "sequence"):
            span = statistics.interval(k, n, 0.99, method)
            expect(now.nth(row)).to_contain_text(f"{percent(span.low)} to {percent(span.high)}")
    rows = page.get_by_test_id("recorded-bounds").locator("tbody tr")
    expect(rows).to_have_count(len(recorded))
    expect(page.get_by_test_id("published-figures")).to_contain_text("Blake")
    ahead = page.locator(".st-key-forecast")
    # Some deals are given up, so half a point is never reached, and 40 points are.
    assert (n - won - lost) / n > 0.005
    expect(ahead).to_contain_text("A width of 0.5 points cannot be reached by more deals alone.")
    expect(ahead).to_contain_text(f"{n - won - lost} of {n} deals are given up")
    settle(page)
    wanted = page.get_by_role("spinbutton", name=re.compile("Width wanted"))
    wanted.fill("12")
    wanted.press("Enter")
    expect(page).to_have_url(re.compile(r"[?&]width=12"))
    expect(ahead).to_contain_text("it is narrower than 12 points after about")
    expect(ahead).to_contain_text(re.compile(r"deals per second, and [\d,]+ / [\d.,]+ is"))
    page.reload()
    expect(wanted).to_have_value("12.000")


def test_a_link_may_have_a_sample_of_no_job(page: Page, dashboard: str, sql: Sql) -> None:
    statuses = dict(
        sql(
            "SELECT status, count(*) FROM STATUSES JOIN ruleset r ON r.id = ruleset_id "
            "WHERE r.slug = 'klondike-draw3' AND seed BETWEEN 11 AND 60 GROUP BY status"
        )
    )
    page.goto(f"{dashboard}/bounds?sample=thoughtful-1:11-60")
    now = page.get_by_test_id("bounds-now").locator("tbody tr")
    expect(now.nth(0)).to_contain_text(f"{statuses['winnable']} of 50")
    expect(now.nth(1)).to_contain_text(f"{50 - statuses['unwinnable']} of 50")
    expect(page.get_by_role("combobox", name="Sample")).to_have_value("thoughtful-1:11-60")
    expect(page.get_by_text("No job has recorded how this bound came about.")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    settle(page)


def test_a_chart_is_saved_as_png_svg_and_data(page: Page, dashboard: str, sql: Sql) -> None:
    page.goto(f"{dashboard}/bounds")
    expect(page.locator("[data-testid=stVegaLiteChart] canvas, svg.marks")).to_have_count(1)
    settle(page)
    assert saved(page, "bounds", "png").startswith(PNG)
    root = ET.fromstring(saved(page, "bounds", "svg"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = " ".join(root.itertext())
    assert "lower bound" in words
    assert "Solvitaire: 81.945 ± 0.084" in words
    rows = list(csv.DictReader(io.StringIO(saved(page, "bounds", "csv").decode())))
    assert [tuple(int(row[name]) for name in ("n", "winnable", "unwinnable")) for row in rows] == (
        sql(
            "SELECT b.n, b.winnable, b.unwinnable FROM bound b JOIN ruleset r "
            "ON r.id = b.ruleset_id WHERE r.slug = 'klondike-draw3' ORDER BY b.id"
        )
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("link", "charts"),
    [
        ("/", ["published-klondike-draw3"]),
        ("/difficulty", ["nodes", "lengths", "solvers"]),
        ("/compare", ["wins-by-cost", "efforts"]),
    ],
)
def test_every_chart_has_its_files(
    page: Page, dashboard: str, link: str, charts: list[str]
) -> None:
    page.goto(f"{dashboard}{link}")
    for chart in charts:
        expect(page.locator(f".st-key-save-{chart}")).to_be_visible()
    settle(page)
    for chart in charts:
        assert saved(page, chart, "png").startswith(PNG)
        assert ET.fromstring(saved(page, chart, "svg")).tag.endswith("svg")
        assert len(saved(page, chart, "csv").decode().splitlines()) > 1


@pytest.mark.thorough
def test_the_overview_leads_there_and_back_returns(page: Page, dashboard: str) -> None:
    page.goto(dashboard)
    entry = page.locator(".st-key-ruleset-klondike-draw1")
    settle(page)
    entry.get_by_role("link", name="How these bounds came about").click()
    expect(page.get_by_test_id("bounds-now")).to_contain_text("of 20")
    choose(page, "Along", "time")
    expect(page).to_have_url(re.compile("along=time"))
    # Not before the choice has been drawn: Streamlit loses its way when it is left too early.
    expect(page.get_by_test_id("stVegaLiteChart").first).to_contain_text("Time, UTC")
    settle(page)
    # One step back is the page before the choice or, if the choice made no step, what led there.
    along = page.get_by_role("combobox", name="Along")
    page.go_back()
    expect(page).not_to_have_url(re.compile("along=time"))
    if "/bounds" in page.url:
        expect(along).to_have_value("deals")
    else:
        expect(along).to_have_count(0)
        expect(entry).to_be_visible()
    settle(page)
    page.go_forward()
    expect(along).to_have_value("time")
    expect(page).to_have_url(re.compile("along=time"))
