"""The table on which people play, in a browser: what tests of it share."""

import json
import re
import urllib.parse
import urllib.request
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Locator, Page, expect

from boards import point_of


def ask_board(address: str, what: str, **body: Any) -> dict[str, Any]:
    """What the endpoint answers."""
    request = urllib.request.Request(f"{address}/api/board/{what}", json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def open_table(page: Page, address: str, query: str = "") -> None:
    """Open the table, and wait until it shows a game."""
    page.goto(f"{address}/play{query}")
    expect(page.locator(".play .card").first).to_be_visible()
    expect(page.locator(".play .choices button").first).to_be_attached()


def question_of(page: Page) -> dict[str, Any]:
    """Ruleset and deal of the game on the table, which the address names."""
    query = urllib.parse.parse_qs(urllib.parse.urlparse(page.url).query)
    return {"rules": query["rules"][0], "deal": query["deal"][0]}


def button(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_test_id("play").get_by_role("button", name=name, exact=True)


def touch(page: Page, target: Locator) -> None:
    page.touchscreen.tap(*point_of(target))


def play_by_touch(page: Page, move: dict[str, Any]) -> None:
    """Make a move with a finger: tap the stock, or a card and, if it has a choice, a place."""
    expect(page.locator(".play .choices button").first).to_be_attached()  # the moves are known
    before = page.get_by_test_id("sentence").inner_text()
    cards = [page.locator(f'.play .card[data-card="{name[:2]}"]') for name in move["moved"]]
    if cards and cards[0].count() > 1:
        # Two decks: that on top of the column it leaves.
        changed = (name for name, _, _ in move["changes"] if name.startswith("up"))
        source = next(name for name in changed if name != move["target"])
        place = f"face up in column {source.removeprefix('up')}"
        cards = [cards[0].and_(page.locator(f'[aria-label$="{place}"]')).last]
    pile = cards[0].get_attribute("data-pile") if cards else None
    if pile is None:
        touch(page, page.locator(".play .slot.stock"))
    elif pile == "stock":
        touch(page, page.locator('.play .card[data-pile="stock"]').last)
    else:
        touch(page, cards[0])
        place = page.locator(f'.play .drop[data-move="{move["name"]}"]')
        if pile == "foundation" or place.count() > 0:
            touch(page, place)
    expect(page.get_by_test_id("sentence")).not_to_have_text(before)


def play_line(page: Page, moves: Sequence[dict[str, Any]]) -> int:
    """Make moves with a finger until the table offers to finish; how many were made."""
    for number, move in enumerate(moves):
        if button(page, "Finish").is_visible():
            return number
        play_by_touch(page, move)
    return len(moves)
