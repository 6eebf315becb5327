"""A browser test of putting cards down by hand on the page Ask."""

import re

import pytest
from playwright.sync_api import Page, expect

from browsing import settle


@pytest.mark.thorough
def test_a_position_is_put_down_by_mouse_and_keys(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/ask")
    settle(page)
    page.get_by_text("Or put the cards down by hand").click()
    table = page.get_by_test_id("setting")
    told = page.get_by_test_id("setting-told")
    expect(told).to_have_text("52 cards have no place yet.")
    ask = table.get_by_role("button", name="Is this position winnable?")
    expect(ask).to_be_disabled()
    # The tops of three foundations bring all cards below with them.
    for left, suit in zip((39, 26, 13), ("clubs", "diamonds", "spades"), strict=True):
        table.get_by_role("button", name=f"Foundation of {suit}").click()
        table.get_by_role("button", name=f"K of {suit}", exact=True).click()
        expect(told).to_have_text(f"{left} cards have no place yet.")
    # A card cannot be put down twice.
    table.get_by_role("button", name="Waste").click()
    expect(table.get_by_role("button", name="K of spades", exact=True)).to_be_disabled()
    table.get_by_role("button", name="Foundation of hearts").click()
    table.get_by_role("button", name="Q of hearts", exact=True).click()
    expect(told).to_have_text("1 card has no place yet.")
    table.get_by_role("button", name="Column 3").click()
    page.keyboard.press("k")
    page.keyboard.press("h")
    expect(told).to_have_text("All cards have their places.")
    ask.click()
    expect(page.get_by_role("heading", name="✓ Winnable")).to_be_visible()
    expect(page).to_have_url(re.compile("text=Foundations"))
    page.reload()
    expect(page.get_by_role("heading", name="✓ Winnable")).to_be_visible()
