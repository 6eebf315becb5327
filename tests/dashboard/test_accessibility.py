"""Every page in a browser: axe-core, a phone's width, and the system's light and dark setting."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page

from patience import SECONDS
from samples import thorough_case
from visits import VISITS, Visit

# Parts of Streamlit's own markup, each with the one rule that it breaks and we cannot mend.
NOT_OURS: dict[str, tuple[str, ...]] = {
    # The groups of pages are headings within the list.
    "list": ('data-testid="stSidebarNavItems"',),
    "listitem": ('<li class="st-emotion-cache-',),
}

DESKTOP, PHONE = 1280, 360
DARK = "dark"

# What sticks out of the window and cannot be reached by scrolling within its own frame.
STICKS_OUT = """() => {
  const wide = innerWidth + 1, found = [];
  const up = (element) => element.parentElement ?? element.getRootNode().host ?? null;
  const reachable = (element) => {
    for (let frame = up(element); frame; frame = up(frame)) {
      const { overflowX } = getComputedStyle(frame);
      if (overflowX !== "visible" && frame.getBoundingClientRect().right <= wide) {
        // Streamlit's own frame of the page scrolls too, sideways, which is what must not be.
        return overflowX !== "clip" && !frame.matches("[data-testid=stMain], .stApp");
      }
    }
    return false;
  };
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      const { right, width, height } = element.getBoundingClientRect();
      if (width && height && right > wide && element.checkVisibility() && !reachable(element))
        found.push(`${element.tagName} ${element.className} to ${Math.round(right)}`);
    }
  };
  walk(document.querySelector("[data-testid=stMain]"));
  return found;
}"""


def window(browser: Browser, scheme: str, width: int) -> Iterator[Page]:
    """A window of this width on a system with this setting."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == DARK else "light",
        has_touch=width == PHONE,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    yield page
    context.close()


# A visit takes seconds: one setting at one width is for `make test`, the other setting at the other
# width for `make thorough`. Colours depend on the setting alone, and what sticks out on the width.
@pytest.fixture(
    scope="module",
    params=[
        (DARK, PHONE),
        thorough_case(("light", DESKTOP)),
    ],
    ids=lambda case: f"{case[0]}-{case[1]}",
)
def seen(browser: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Page, str, int]]:
    """A window, with the system's setting and the width."""
    scheme, width = request.param
    for page in window(browser, scheme, width):
        yield page, scheme, width


def serious(page: Page) -> list[str]:
    """What axe-core finds on the page that is serious or critical, but for `NOT_OURS`."""
    found: dict[str, Any] = Axe().run(page, options={"resultTypes": ["violations"]}).response
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:200]} {node['failureSummary']}"
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
        if not any(part in node["html"] for part in NOT_OURS.get(rule["id"], ()))
    ]


def brightness(part: Locator, of: str = "backgroundColor") -> float:
    """Of an element's background or another of its colours, from 0 to 255."""
    found: float = part.evaluate(
        "(e, of) => getComputedStyle(e)[of].match(/[0-9.]+/g).slice(0, 3)"
        ".reduce((sum, each) => sum + Number(each) / 3, 0)",
        of,
    )
    return found


@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: visit.name)
def test_nothing_serious_and_nothing_sticks_out(
    seen: tuple[Page, str, int], dashboard: str, visit: Visit
) -> None:
    page, scheme, width = seen
    visit.pay(page, dashboard)
    assert serious(page) == []
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    assert page.evaluate(STICKS_OUT) == []
    assert (brightness(page.get_by_test_id("stApp")) < 80) == (scheme == DARK)


def test_the_board_follows_the_setting(seen: tuple[Page, str, int], dashboard: str) -> None:
    """Its own parts too: the text, the gauge and the list of moves."""
    page, scheme, _ = seen
    next(visit for visit in VISITS if visit.name == "board").pay(page, dashboard)
    for part in ("sentence", "gauge", "tally"):
        light = brightness(page.get_by_test_id(part), "color")
        assert (light > 160) == (scheme == DARK), part
    move = page.get_by_test_id("choices").get_by_role("button").first
    assert (brightness(move) < 90) == (scheme == DARK)


def test_axe_and_the_width_notice_what_is_wrong(page: Page, dashboard: str) -> None:
    VISITS[-1].pay(page, dashboard)
    page.evaluate(
        """document.querySelector("[data-testid=stMain]").insertAdjacentHTML("beforeend",
        "<div style='width: 5000px'><button></button></div>");
        document.querySelector("h1").style.color = "#ddd";"""
    )
    rules = {finding.split()[0] for finding in serious(page)}
    assert {"button-name", "color-contrast"} <= rules
    assert any("5000" in f or "DIV" in f for f in page.evaluate(STICKS_OUT))
