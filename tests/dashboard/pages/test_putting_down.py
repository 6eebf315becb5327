"""Browser tests of putting the cards of a game on the table of the page that checks it."""

import json
import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from browsing import settle, unfold
from dashboard.pages.check import read_asked
from engine.cards import HIDDEN
from patience import SECONDS, wait_until

COMPLETE = "All cards have their places."
# Klondike in the first pass through the stock: column -> the number of face-down cards left, and
# the face-up cards. The rest is not seen.
COLUMNS = {
    **{1: (0, "TH"), 2: (0, "KD QC"), 3: (2, "9D"), 4: (3, "TD 9C")},
    **{5: (3, "8S"), 6: (5, "QH"), 7: (6, "5D")},
}
WASTE = "KS 6D"
SPIDER = "KS QS JH TS 9S 8H 4S 5S AH 2S"


def opened(page: Page, dashboard: str, slug: str) -> Locator:
    """The page with a table that is not complete; the sentence about it."""
    page.goto(f"{dashboard}/check?rules={slug}")
    settle(page)
    said = page.get_by_test_id("setting-status")
    expect(said).to_have_text(re.compile("^Tap a place|has face-down cards and no open one"))
    return said


def place(page: Page, label: str) -> Locator:
    return page.get_by_test_id("setting").get_by_role("button", name=re.compile(f"^{label}: "))


def card(page: Page, name: str) -> Locator:
    return page.locator(f'.deck button[data-card="{name}"]')


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True)
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    yield page
    context.close()


def checked(page: Page) -> str:
    """Tap the button for the answer; the heading of the answer."""
    page.get_by_role("button", name="Check this position").tap()
    heading = page.get_by_role("heading", level=3).first
    expect(heading).to_have_text(re.compile(r".+: wins about \d+.%, give or take \d+.%"))
    return heading.inner_text()


def test_a_half_played_game_with_an_unseen_stock_is_put_down_on_a_phone(
    phone: Page, dashboard: str
) -> None:
    said = opened(phone, dashboard, "klondike-draw1")
    for number, (down, up) in COLUMNS.items():
        place(phone, f"Column {number}").tap()
        for _ in range(number - 1 - down):
            phone.get_by_role("button", name="Fewer face-down cards").tap()
        for name in up.split():
            card(phone, name).tap()
            expect(card(phone, name)).to_be_disabled()
    place(phone, "Waste, playable card last").tap()
    for name in WASTE.split():
        card(phone, name).tap()
        expect(card(phone, name)).to_be_disabled()
    place(phone, "Foundation of hearts").tap()
    card(phone, "AH").tap()
    expect(said).to_have_text(COMPLETE)
    # Nobody had to count the stock: 52 cards less those on the table.
    expect(place(phone, "Stock, next card first")).to_have_accessible_name(
        re.compile(f": {52 - 19 - 9 - 2 - 1} cards not seen$")
    )
    heading = checked(phone)
    # A picture with the card to move marked, and no code of a move.
    expect(phone.locator(".card.marked")).not_to_have_count(0)
    assert not re.search(r"\b(T|WF|[1-7]{2}|W\d)\b", heading.partition(":")[0])
    rows = phone.get_by_role("table", name="Other plays").get_by_role("row")
    expect(rows).not_to_have_count(1)
    assert phone.evaluate("document.scrollingElement.scrollWidth") <= 360
    # The link shows the same game to whoever opens it, and it is the one that was put down.
    (text,) = parse_qs(urlsplit(phone.url).query)["text"]
    seen = read_asked(text, "klondike-draw3")
    assert seen.rules.slug == "klondike-draw1"
    assert seen.observation is not None
    assert seen.observation["waste"] == WASTE.split()
    assert [len(down) for down in seen.observation["down"]] == [
        down for down, _ in COLUMNS.values()
    ]
    assert seen.observation["up"] == [up.split() for _, up in COLUMNS.values()]
    assert set(seen.observation["stock"]) == {HIDDEN}
    phone.reload()
    expect(phone.get_by_role("heading", name=heading)).to_be_visible()
    # The codes stand behind a mark.
    unfold(phone, "Details")
    expect(phone.get_by_role("table", name="Plays", exact=True)).to_be_visible()


def test_a_game_of_spider_is_put_down_on_a_phone(phone: Page, dashboard: str) -> None:
    said = opened(phone, dashboard, "spider-2")
    expect(said).to_have_text("Tap a place, then its cards.")  # nothing is wrong yet
    for number, name in enumerate(SPIDER.split(), start=1):
        place(phone, f"Column {number}").tap()
        card(phone, name).tap()
        expect(place(phone, f"Column {number}")).to_have_accessible_name(
            re.compile(r": \d cards not seen; \w+ of \w+$")
        )
    expect(said).to_have_text(COMPLETE)
    # A row that has been dealt is no longer in the stock, and its cards have no places yet.
    place(phone, "Stock, next row first").tap()
    phone.get_by_role("button", name="Fewer unseen cards").tap()
    expect(said).to_have_text("10 cards have no place yet.")
    phone.get_by_role("button", name="More unseen cards").tap()
    expect(said).to_have_text(COMPLETE)
    heading = checked(phone)
    assert re.search(r" column \d+", heading)
    expect(phone.locator(".card.marked")).to_have_count(1)
    shown = phone.get_by_role("table", name="Other plays")
    expect(shown).to_contain_text("Deal a row")
    expect(shown).to_contain_text(re.compile(r"\d+.% ± \d+.%"))


@pytest.mark.thorough
def test_a_placed_card_is_tapped_again_to_change_it(phone: Page, dashboard: str) -> None:
    opened(phone, dashboard, "klondike-draw3")
    column = place(phone, "Column 1")
    column.tap()
    card(phone, "KS").tap()
    expect(column).to_have_accessible_name("Column 1: king of spades")
    column.tap()  # the place is chosen: this taps its card
    expect(phone.locator(".card.chosen")).to_have_count(1)
    card(phone, "KC").tap()
    expect(column).to_have_accessible_name("Column 1: king of clubs")
    expect(card(phone, "KS")).to_be_enabled()
    phone.get_by_role("button", name="Change king of clubs").tap()
    phone.get_by_role("button", name="Remove").tap()
    expect(column).to_have_accessible_name("Column 1: empty")
    # What cannot lie so is said in a sentence by the server.
    card(phone, "KC").tap()
    card(phone, "2C").tap()
    for number in range(2, 8):
        place(phone, f"Column {number}").tap()
        card(phone, f"{number + 1}D").tap()
    expect(phone.get_by_test_id("setting-status")).to_have_text(
        "Column 1: 2♣ cannot lie face up on K♣."
    )
    expect(phone.get_by_role("button", name="Check this position")).to_be_hidden()


@pytest.mark.thorough
def test_a_position_is_put_down_by_keys_alone(page: Page, dashboard: str) -> None:
    said = opened(page, dashboard, "klondike-draw3")
    for number, keys in enumerate(["kh", "", "", "", "", "", ""], start=1):
        column = place(page, f"Column {number}")
        column.focus()
        page.keyboard.press("Enter")
        for _ in range(number - 1):
            page.keyboard.press("-")
        for key in keys:
            page.keyboard.press(key)
        expect(column).to_have_accessible_name(
            f"Column {number}: {'king of hearts' if keys else 'empty'}"
        )
    for suit, rank in (("clubs", "k"), ("diamonds", "k"), ("spades", "k"), ("hearts", "q")):
        foundation = place(page, f"Foundation of {suit}")
        foundation.focus()
        page.keyboard.press("Enter")
        page.keyboard.press(rank)
        page.keyboard.press(suit[0])
        expect(foundation).to_have_accessible_name(re.compile(": (king|queen) of"))
    expect(said).to_have_text(COMPLETE)
    page.get_by_role("button", name="Check this position").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="✓ Winnable")).to_be_visible()
    expect(page).to_have_url(re.compile("text=Foundations"))
    page.reload()
    expect(page.get_by_role("heading", name="✓ Winnable")).to_be_visible()


@pytest.mark.thorough
def test_what_was_put_down_is_kept_until_the_table_is_cleared(page: Page, dashboard: str) -> None:
    opened(page, dashboard, "klondike-draw3")
    column = place(page, "Column 2")
    column.click()
    card(page, "TC").click()
    expect(column).to_have_accessible_name("Column 2: 1 card not seen; ten of clubs")
    opened(page, dashboard, "klondike-draw1")
    expect(column).to_have_accessible_name("Column 2: 1 card not seen")
    opened(page, dashboard, "klondike-draw3")
    expect(column).to_have_accessible_name("Column 2: 1 card not seen; ten of clubs")
    page.get_by_role("button", name="Clear the table").click()
    expect(column).to_have_accessible_name("Column 2: 1 card not seen")
    opened(page, dashboard, "klondike-draw3")
    expect(column).to_have_accessible_name("Column 2: 1 card not seen")


@pytest.mark.thorough
def test_cards_typed_faster_than_the_server_answers_all_count(page: Page, dashboard: str) -> None:
    opened(page, dashboard, "klondike-draw3")
    column = place(page, "Column 7")
    column.click()
    held: list[Route] = []
    page.route("**/api/board/setting", lambda route: held.append(route))
    for key in "khqs":
        column.press(key)
    # Each lands on the place that was chosen when it was typed.
    other = place(page, "Column 6")
    other.click()
    for key in "jd":
        other.press(key)
    for turn in range(3):

        def asked(turn: int = turn) -> bool:
            page.wait_for_timeout(50)  # routes come in while the page is waited for
            return len(held) > turn

        wait_until(asked, "the next card is asked for")
        assert len(held) == turn + 1  # and the one after it waits
        held[turn].continue_()
    expect(other).to_have_accessible_name("Column 6: 5 cards not seen; jack of diamonds")
    expect(column).to_have_accessible_name(
        "Column 7: 6 cards not seen; king of hearts; queen of spades"
    )


@pytest.mark.thorough
def test_a_table_that_cannot_be_is_as_at_first(page: Page, dashboard: str) -> None:
    """As one may be that another version kept."""
    opened(page, dashboard, "klondike-draw3")
    kept = json.dumps({"klondike-draw3": {"cellar": ["KH"]}, "klondike-draw1": 7})
    page.evaluate("kept => localStorage.setItem('thoughtful-table', kept)", kept)
    for slug in ("klondike-draw3", "klondike-draw1"):
        opened(page, dashboard, slug)
        expect(place(page, "Column 2")).to_have_accessible_name("Column 2: 1 card not seen")
