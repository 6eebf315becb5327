"""Tests of the page that finds deals, on a catalogue whose deals have features and levels."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browsing import unfold
from catalogue.difficulty.deal_of_day import deal_of_day

Served = Callable[[str], str]
Sql = Callable[..., list[tuple[Any, ...]]]


def test_four_buttons_give_a_deal_at_once(page: Page, served: Served, empty: Path) -> None:
    """A person's task: a hard deal, on a catalogue without any deal."""
    page.goto(f"{served(f'sqlite:///{empty}')}/find?rules=klondike-draw3")
    expect(page.get_by_role("combobox", name="Game")).to_have_value("Klondike, draw 3")
    yours = page.get_by_role("paragraph").filter(has_text="Your deal")
    expect(yours).to_contain_text(re.compile(r"level \d+ of 10 · can be won in \d+ moves"))
    expect(page.get_by_role("button", name=re.compile("^Solve|^Compute"))).to_have_count(0)
    names = set()
    for band, levels in (("Hard", range(8, 11)), ("Easy", range(1, 4)), ("Medium", range(4, 8))):
        page.get_by_role("button", name=band, exact=True).click()
        expect(yours).to_contain_text(
            re.compile(f"level ({'|'.join(map(str, levels))}) of 10 · can be won in")
        )
        link = yours.get_by_role("link", name="play it")
        name = yours.get_by_role("link").first.inner_text()
        expect(link).to_have_attribute(
            "href", re.compile(f"/play\\?deal={name}&rules=klondike-draw3$")
        )
        names.add(name)
    assert len(names) == 3
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_deal_of_a_level_is_found_and_played(page: Page, dashboard: str, sql: Sql) -> None:
    """A person's task: find a deal of a level, and play it."""
    rows = sql("SELECT seed, level FROM features ORDER BY seed")
    level = rows[0][1]
    suit = [seed for seed, of in rows if of == level]
    page.goto(f"{dashboard}/find?rules=klondike-draw1")
    unfold(page, "Further conditions")
    expect(page.get_by_text(re.compile(f"^{len(rows)} of {len(rows)} deals"))).to_be_visible()
    for label in ("Level from (1 is the easiest)", "Level to (10 is the hardest)"):
        page.get_by_label(label).fill(str(level))
        page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(f"^{len(suit)} of {len(rows)} deals"))).to_be_visible()
    names = page.get_by_test_id("matching-deals").locator("tbody tr td:first-child")
    expect(names).to_have_text([f"Deal {seed}" for seed in suit])
    # The filters stand in the link.
    assert f"level_from={level}" in page.url
    page.reload()
    expect(names).to_have_text([f"Deal {seed}" for seed in suit])
    # The deal of the day is what it is everywhere, whatever is chosen.
    today = datetime.now(UTC).date()
    names_of_days = {deal_of_day(today + timedelta(more), "klondike-draw1").deal for more in (0, 1)}
    of_day = page.get_by_role("paragraph").filter(has_text="Deal of the day")
    expect(of_day).to_contain_text(re.compile("|".join(names_of_days)))
    page.get_by_role("button", name="Another deal").click()
    suited = page.get_by_role("paragraph").filter(has_text="A deal like this")
    expect(suited).to_be_visible()
    expect(suited.get_by_role("link", name="play it")).to_have_attribute(
        "href", re.compile(r"/play\?deal=thoughtful-1:\d+&rules=klondike-draw1$")
    )
    suited.get_by_role("link").first.click()
    expect(page.get_by_text(f"Level {level} of 10")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    link = page.get_by_role("link", name="the next deal like this one")
    expect(link).to_have_attribute("href", re.compile(f"level_from={level}&level_to={level}&after"))


def test_the_list_of_deals_has_the_levels(page: Page, dashboard: str, sql: Sql) -> None:
    graded = sql(
        "SELECT t.seed, t.level, r.slug FROM features t JOIN ruleset r ON r.id = t.ruleset_id "
        "WHERE t.level IS NOT NULL ORDER BY t.seed"
    )
    level, slug = graded[0][1:]
    suit = [seed for seed, *of in graded if of == [level, slug]]
    link = f"{dashboard}/deals?rules={slug}&min_level={level}&max_level={level}"
    page.goto(link)
    rows = page.get_by_test_id("deals").locator("tbody tr")
    expect(rows.locator("td:first-child")).to_have_text([f"Deal {seed}" for seed in suit])
    for cell in rows.locator("td:nth-child(3)").all():
        expect(cell).to_have_text(re.compile(rf"^{level} [A-Za-z ]+$"))
    page.goto(f"{link}1")
    expect(page.get_by_role("alert")).to_contain_text(f"{level}1")


@pytest.mark.thorough
def test_nonsense_in_a_link_is_a_sentence(page: Page, dashboard: str) -> None:
    for query, said in (
        ("level_from=11", "There is no level 11"),
        ("level_from=7&level_to=3", "Invalid range of levels 7–3"),
        ("rules=whist", "'whist' is none of those here"),
        ("needs=luck", "'luck' is none of those here"),
        ("moves_from=few", "'few' is no whole number"),
        ("after=nowhere", "nowhere"),
        ("critical_before=0", "before move 0"),
    ):
        page.goto(f"{dashboard}/find?{query}")
        expect(page.get_by_role("alert").filter(has_text=said)).to_have_count(1)
        expect(page.get_by_test_id("stException")).to_have_count(0)
