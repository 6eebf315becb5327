"""Browser tests of the list of deals: filters, sorting, pages and links."""

import csv
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import choose, settle, unfold
from engine.klondike.dead_ends import KINDS

Sql = Callable[..., list[tuple[Any, ...]]]
FROM_STATUS = (
    "FROM STATUSES s JOIN ruleset r ON r.id = s.ruleset_id WHERE r.slug = 'klondike-draw3'"
)
PAGE_SIZE = 50


def rows(page: Page) -> Locator:
    return page.get_by_test_id("deals").locator("tbody tr")


def expect_deals(page: Page, number: int) -> None:
    expect(page.get_by_text(re.compile(rf"^{number} deals$"))).to_be_visible()


@pytest.fixture
def deals(page: Page, dashboard: str) -> Page:
    page.goto(f"{dashboard}/deals")
    expect(rows(page)).to_have_count(PAGE_SIZE)
    return page


def test_filters_agree_with_the_database(deals: Page, sql: Sql) -> None:
    [(everything,)] = sql(f"SELECT count(*) {FROM_STATUS}")
    [(unwinnable,)] = sql(f"SELECT count(*) {FROM_STATUS} AND s.status = 'unwinnable'")
    [(early,)] = sql(f"SELECT count(*) {FROM_STATUS} AND s.status = 'unwinnable' AND s.seed <= 60")
    dead = sql(
        f"SELECT s.seed {FROM_STATUS} AND s.dead_end = 'conflict' AND s.seed <= 60 ORDER BY s.seed"
    )
    assert everything > unwinnable > early > len(dead) > 0  # else the filters show nothing
    expect_deals(deals, everything)
    choose(deals, "Status", "unwinnable")
    expect_deals(deals, unwinnable)
    unfold(deals, "More filters")
    deals.get_by_role("spinbutton", name="Seeds to").fill("60")
    deals.keyboard.press("Enter")
    expect_deals(deals, early)
    choose(deals, "Dead end", KINDS["conflict"])
    expect_deals(deals, len(dead))
    names = rows(deals).locator("td:first-child")
    expect(names).to_have_text([f"Deal {seed}" for (seed,) in dead])
    expect(rows(deals).first).to_contain_text(KINDS["conflict"])
    # The list has an address of its own.
    address = deals.url
    deals.goto(address)
    expect_deals(deals, len(dead))


def test_levels_are_told_at_a_click(page: Page, dashboard: str) -> None:
    """No deal of these rules was analysed, but a model is shipped; a filter says that."""
    page.goto(f"{dashboard}/deals?rules=klondike-draw3&status=winnable&seed_to=8")
    levels = rows(page).locator("td:nth-child(3)")
    # Of a deal whose page was opened before, the server knows the level already.
    expect(levels.filter(has_text="–").first).to_be_visible()
    page.get_by_role("button", name="Tell the levels").click()
    expect(levels.first).to_have_text(re.compile(r"^≈ \d+ [A-Z]"))
    expect(page.get_by_role("button", name="Tell the levels")).to_have_count(0)
    # The page of the deal says the same.
    told = levels.first.inner_text().removeprefix("≈ ").partition(" ")
    rows(page).get_by_role("link").first.click()
    expect(page.get_by_text(f"Level {told[0]} of 10, {told[2]}, predicted")).to_be_visible()
    page.goto(f"{dashboard}/deals?rules=klondike-draw3&min_level=3")
    expect(page.get_by_text("has a stored level yet")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Analyse the winnable"))).to_be_visible()


@pytest.mark.thorough
def test_pages_and_order_are_the_databases(deals: Page, sql: Sql) -> None:
    choose(deals, "Sorted by", "positions searched")
    choose(deals, "Order", "largest first")
    hardest = sql(
        f"SELECT s.nodes {FROM_STATUS} AND s.nodes IS NOT NULL ORDER BY s.nodes DESC LIMIT 100"
    )
    nodes = rows(deals).locator("td:nth-child(5)")
    expect(nodes).to_have_text([f"{n:,}" for (n,) in hardest[:PAGE_SIZE]])
    deals.get_by_role("button", name="Page 2", exact=True).click()
    expect(nodes).to_have_text([f"{n:,}" for (n,) in hardest[PAGE_SIZE:]])
    # Another filter begins again at the first page.
    choose(deals, "Status", "winnable")
    best = sql(f"SELECT max(s.nodes) {FROM_STATUS} AND s.status = 'winnable'")
    expect(nodes.first).to_have_text(f"{best[0][0]:,}")


@pytest.mark.thorough
def test_an_empty_range_is_a_sentence(deals: Page) -> None:
    unfold(deals, "More filters")
    deals.get_by_role("spinbutton", name="Seeds from").fill("9")
    deals.keyboard.press("Enter")
    deals.get_by_role("spinbutton", name="Seeds to").fill("3")
    deals.keyboard.press("Enter")
    expect(deals.get_by_role("alert")).to_have_text(
        re.compile("The range of seeds 9 to 3 is empty")
    )


@pytest.mark.thorough
def test_a_row_leads_to_its_deal_and_back(deals: Page) -> None:
    choose(deals, "Status", "winnable")
    expect(rows(deals).first).to_contain_text("winnable")
    name = rows(deals).get_by_role("link").first.inner_text()
    settle(deals)
    deals.get_by_role("link", name=name, exact=True).click()
    expect(deals.get_by_role("heading", name=name, exact=True)).to_be_visible()
    deals.go_back()
    expect(deals.get_by_role("combobox", name="Status")).to_have_value("winnable")


def test_all_deals_of_a_list_are_saved_with_levels_and_features(
    page: Page, dashboard: str, sql: Sql
) -> None:
    page.goto(f"{dashboard}/deals?rules=klondike-draw1&status=winnable")
    expect(rows(page).first).to_be_visible()
    settle(page)
    button = page.locator(".st-key-deals-file").get_by_role("button")
    with page.expect_download() as started:
        button.click()
    assert started.value.suggested_filename == "deals-klondike-draw1.csv"
    with open(started.value.path(), newline="") as file:
        listed = list(csv.DictReader(file))
    stored = sql(
        "SELECT f.seed, f.level, f.critical, f.needs FROM features f "
        "JOIN ruleset r ON r.id = f.ruleset_id WHERE r.slug = 'klondike-draw1' ORDER BY f.seed"
    )
    assert stored
    assert [
        (row["deal"], row["status"], float(row["level"]), float(row["critical"]), row["needs"])
        for row in listed
        if row["critical"]
    ] == [(f"thoughtful-1:{s}", "winnable", level, crit, need) for s, level, crit, need in stored]
    # The page of found deals saves the same ones.
    page.goto(f"{dashboard}/find?rules=klondike-draw1&level_from=1")
    settle(page)
    with page.expect_download() as started:
        button.click()
    with open(started.value.path(), newline="") as file:
        assert [row["deal"] for row in csv.DictReader(file)] == [
            row["deal"] for row in listed if row["level"]
        ]
