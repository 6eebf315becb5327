"""Tests of the comparison page and of values in links, on a catalogue filled by real jobs."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

Sql = Callable[..., list[tuple[Any, ...]]]


def test_the_table_is_the_databases_and_its_deals_are_listed(
    page: Page, dashboard: str, sql: Sql
) -> None:
    results = sql(
        "SELECT d.seed, max(CASE WHEN s.method = 'dead-end' THEN o.result END), "
        "max(CASE WHEN s.method = 'exact' THEN o.result END) FROM outcome o "
        "JOIN deal d ON d.id = o.deal_id JOIN solver s ON s.id = o.solver_id "
        "JOIN ruleset r ON r.id = o.ruleset_id WHERE r.slug = 'klondike-draw3' GROUP BY d.seed"
    )
    won = [seed for seed, dead, exact in results if dead != "won" and exact == "won"]
    assert 0 < len(won) < len(results)
    page.goto(f"{dashboard}/compare?cell=first+not+won%2C+second+won&rules=nonsense")
    alert = page.get_by_role("alert")
    expect(alert).to_have_text(re.compile("ruleset 'nonsense' is none of those here"))
    cell = page.get_by_test_id("won-and-not-won").locator("tbody tr:nth-child(2) td:nth-child(2)")
    expect(cell).to_have_text(re.compile(rf"^{len(won)} \("))
    listed = page.get_by_test_id("deals-of-the-cell").locator("tbody tr td:first-child")
    expect(listed).to_have_text([f"thoughtful-1:{seed}" for seed in won[:50]])
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.thorough
def test_an_unknown_value_in_a_link_of_the_list_is_one_sentence(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/deals?rules=nonsense&min_nodes=few")
    alerts = page.get_by_role("alert")
    expect(alerts.filter(has_text="ruleset 'nonsense' is none of those here")).to_have_count(1)
    expect(page.get_by_text(re.compile("^120 deals$"))).to_be_visible()
    page.goto(f"{dashboard}/deals?status=winnable&order=largest+first")
    expect(page.get_by_text(re.compile(r"^\d+ deals$"))).to_be_visible()
    expect(alerts).to_have_count(0)
