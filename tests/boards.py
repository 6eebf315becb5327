"""The analysis board in a browser: what tests of it share."""

import json
import re
import urllib.request
from typing import Any

from playwright.sync_api import FloatRect, Locator, Page, expect

from patience import wait_until

DEAL, RULES = "thoughtful-1:42", "klondike-draw3"


def ask(address: str, what: str, moves: list[str], rules: str = RULES) -> dict[str, Any]:
    """What the endpoint answers for a line of the deal."""
    body = json.dumps({"rules": rules, "deal": DEAL, "moves": moves}).encode()
    request = urllib.request.Request(f"{address}/api/board/{what}", body)

    def content() -> dict[str, Any] | None:
        with urllib.request.urlopen(request) as answer:
            found: dict[str, Any] = json.load(answer)
        # Time may be too short for all verdicts, the first time above all.
        return found if rules != RULES or found.get("complete", True) else None

    return wait_until(content, "all verdicts are known") or {}


def open_board(page: Page, address: str, line: str = "", rules: str = RULES) -> None:
    page.goto(f"{address}/?deal={DEAL}&rules={rules}&view=board&line={line.replace(' ', '+')}")
    expect_at(page, len(line.split()), len(line.split()))


def expect_at(page: Page, number: int, of: int) -> None:
    """The board stands at this move of the line, and the moves from there are listed."""
    expect(page.get_by_test_id("count")).to_have_text(f"{number} / {of}")
    expect(page.get_by_test_id("gauge")).to_have_attribute("data-verdict", re.compile("."))


def button(page: Page, name: str) -> Locator:
    return page.get_by_test_id("board").get_by_role("button", name=name, exact=True)


def line_of(page: Page) -> list[str]:
    texts = page.locator("[data-testid=line] .step").all_inner_texts()
    return [text.partition(" ")[2] for text in texts]


def box_of(target: Locator) -> FloatRect:
    """Where an element lies, once nothing moves."""
    while True:
        expect(target).to_be_visible()
        target.page.wait_for_function("() => document.getAnimations().length === 0")
        box = target.bounding_box()
        if box is not None:  # otherwise the table was drawn anew in the meantime
            return box


def point_of(target: Locator, down: float = 0.08) -> tuple[float, float]:
    """A point of an element: in the middle, at this share of its height.

    No other card covers the top of a card.
    """
    box = box_of(target)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] * down


def tap(card: Locator) -> None:
    """Click a card where no other covers it, as soon as it lies still."""
    box = box_of(card)
    card.click(position={"x": box["width"] / 2, "y": box["height"] * 0.08})
