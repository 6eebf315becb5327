"""Browser tests of entering cards one by one on the page Ask."""

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from browsing import settle
from patience import SECONDS, wait_until


def unfold(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/ask")
    settle(page)
    page.get_by_text("Or enter the cards one by one").click()


@pytest.mark.thorough
def test_a_position_is_put_down_by_mouse_and_keys(page: Page, dashboard: str) -> None:
    unfold(page, dashboard)
    table = page.get_by_test_id("setting")
    answer = page.get_by_test_id("setting-status")
    expect(answer).to_have_text("52 cards have no place yet.")
    ask = table.get_by_role("button", name="Is this position winnable?")
    expect(ask).to_be_disabled()
    # The tops of three foundations bring all cards below with them.
    for left, suit in zip((39, 26, 13), ("clubs", "diamonds", "spades"), strict=True):
        table.get_by_role("button", name=f"Foundation of {suit}").click()
        table.get_by_role("button", name=f"K of {suit}", exact=True).click()
        expect(answer).to_have_text(f"{left} cards have no place yet.")
    # A card cannot be put down twice.
    table.get_by_role("button", name="Waste").click()
    expect(table.get_by_role("button", name="K of spades", exact=True)).to_be_disabled()
    table.get_by_role("button", name="Foundation of hearts").click()
    table.get_by_role("button", name="Q of hearts", exact=True).click()
    expect(answer).to_have_text("1 card has no place yet.")
    table.get_by_role("button", name="Column 3").click()
    page.keyboard.press("k")
    page.keyboard.press("h")
    expect(answer).to_have_text("All cards have their places.")
    ask.click()
    expect(page.get_by_role("heading", name="✓ Winnable")).to_be_visible()
    expect(page).to_have_url(re.compile("text=Foundations"))
    page.reload()
    expect(page.get_by_role("heading", name="✓ Winnable")).to_be_visible()


@pytest.mark.thorough
def test_fingers_on_a_phone_and_a_reload(browser: Browser, dashboard: str) -> None:
    """What was put down is there again after a reload, until the table is cleared."""
    context = browser.new_context(viewport={"width": 360, "height": 800}, has_touch=True)
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    unfold(page, dashboard)
    table, answer = page.get_by_test_id("setting"), page.get_by_test_id("setting-status")
    table.get_by_role("button", name="Column 2").tap()
    table.get_by_role("checkbox", name="face down").tap()
    table.get_by_role("button", name="5 of hearts", exact=True).tap()
    expect(answer).to_have_text("column 2 has face-down cards but none face up.")
    table.get_by_role("checkbox", name="face down").tap()
    table.get_by_role("button", name="T of clubs", exact=True).tap()
    expect(answer).to_contain_text("50 cards")
    laid = table.get_by_role("button", name="Column 2")
    text = laid.inner_text()
    assert re.fullmatch("Column 2: <5♥> 10♣", text)
    unfold(page, dashboard)
    expect(laid).to_have_text(text)
    table.get_by_role("button", name="Clear the table").tap()
    expect(answer).to_have_text("52 cards have no place yet.")
    unfold(page, dashboard)
    expect(answer).to_have_text("52 cards have no place yet.")
    context.close()


@pytest.mark.thorough
def test_cards_typed_faster_than_the_server_answers_all_count(page: Page, dashboard: str) -> None:
    unfold(page, dashboard)
    table, answer = page.get_by_test_id("setting"), page.get_by_test_id("setting-status")
    column = table.get_by_role("button", name="Column 7")
    column.click()
    held: list[Route] = []
    page.route("**/api/board/setting", lambda route: held.append(route))
    for key in "khqsjd":
        column.press(key)  # a page that is still being built may take the focus away
    for turn in range(3):

        def asked(turn: int = turn) -> bool:
            page.wait_for_timeout(50)  # routes come in while the page is waited for
            return len(held) > turn

        wait_until(asked, "the next card is asked for")
        assert len(held) == turn + 1  # and the one after it waits
        held[turn].continue_()
    expect(answer).to_contain_text("49 cards")
    expect(column).to_have_text("Column 7: K♥ Q♠ J♦")


@pytest.mark.thorough
def test_a_table_that_cannot_be_is_empty_again(page: Page, dashboard: str) -> None:
    """As one may be that another version kept."""
    unfold(page, dashboard)
    expect(page.get_by_test_id("setting-status")).to_have_text("52 cards have no place yet.")
    page.evaluate(
        """localStorage.setItem("thoughtful-setting",
        JSON.stringify({"klondike-draw3": {"column 1": ["KH", "KH"]}, "klondike-draw1": 7}))"""
    )
    unfold(page, dashboard)
    expect(page.get_by_test_id("setting-status")).to_have_text("52 cards have no place yet.")
