"""Tests of the page that answers whether a deal is winnable."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from browsing import settle
from catalogue import asking
from engine.dealing.dealers import deal_by_id
from engine.formats import get_format
from engine.game import Deal
from engine.games import game_of
from engine.rulesets import parse_ruleset
from patience import SECONDS
from samples import sizes
from solvers.registry import parse_solver

RULES = parse_ruleset("klondike-draw3")
GAME = game_of(RULES)


def script() -> None:
    from dashboard.pages import ask

    ask.show()


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    # On a busy machine a second may not be enough.
    monkeypatch.setattr(asking, "MILLISECONDS", 60_000.0)
    return AppTest.from_function(script, default_timeout=SECONDS).run()


def asked(app: AppTest, text: str, rules: str = "klondike-draw3") -> AppTest:
    app.text_area(key="ask-text").input(text)
    app.selectbox(key="ask-rules").set_value(rules)
    return app.button[0].click().run()


def headings(app: AppTest) -> list[str]:
    return [each.value for each in app.subheader]


def wins(deal: Deal) -> bool:
    (outcome,) = parse_solver("exact").solve(deal.as_array()[None], RULES)
    return outcome.moves is not None


@pytest.mark.parametrize("form", ["pysolfc", "klondike-solver", "solvitaire", "json"])
def test_a_pasted_deal_has_the_verdict_of_the_exact_search(app: AppTest, form: str) -> None:
    for seed in (3, 5, 11, 12):
        deal = deal_by_id(f"thoughtful-1:{seed}")
        asked(app, get_format(form).write(deal))
        assert not app.exception
        assert not app.error
        wanted = "✓ Winnable" if wins(deal) else "✗ Unwinnable"
        assert wanted in headings(app)
        assert "The same deal under other rulesets" in headings(app)


def test_a_programs_number_and_a_link(app: AppTest) -> None:
    app.selectbox(key="ask-program").set_value("pysolfc")
    app.text_input(key="ask-number").input("12")
    app.button[0].click().run()
    first = headings(app)
    assert first[0] in ("✓ Winnable", "✗ Unwinnable")
    again = AppTest.from_function(script, default_timeout=SECONDS)
    again.query_params["text"] = "pysolfc:12"
    again.query_params["rules"] = "klondike-draw3"
    assert headings(again.run()) == first


def test_hidden_cards_get_the_advice_of_a_player(app: AppTest) -> None:
    start = GAME.start(deal_by_id("thoughtful-1:42"), RULES)
    asked(app, json.dumps(start.observation()))
    assert not app.exception
    assert headings(app) == ["What to play"]
    asked(app, json.dumps(start.observation()), "klondike-yan")
    assert "No player that sees only the open cards" in app.info[0].value


WRONG = {
    "hello": "does not begin anything that can be read",
    "thoughtful-1:99999999999999999999": "out of range",
    "Talon: 9H": "the board|columns",
    "": "there is no text",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_cannot_be_read_is_one_sentence(app: AppTest, text: str) -> None:
    asked(app, text)
    assert not app.exception
    (error,) = app.error
    assert re.search(WRONG[text], re.sub(r"\\(.)", r"\1", error.value))


@pytest.mark.parametrize("count", sizes(10, 150))
def test_junk_never_breaks_the_page(app: AppTest, count: int) -> None:
    board = get_format("pysolfc").write(deal_by_id("thoughtful-1:9"))

    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(["", board]), st.text(max_size=40), st.integers(0, 300))
    def send(text: str, junk: str, at: int) -> None:
        asked(app, text[:at] + junk + text[at:])
        assert not app.exception
        assert len(app.error) <= 1

    send()


@pytest.mark.thorough
def test_paste_a_game_and_see_how_to_win_it(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/ask")
    settle(page)
    deals = (deal_by_id(f"pysolfc:{number}") for number in range(1, 50))
    deal = next(deal for deal in deals if wins(deal))
    board = get_format("pysolfc").write(deal)
    page.get_by_role("textbox", name="Deal or position").fill(board)
    settle(page)
    page.get_by_role("button", name="Is it winnable?").click()
    heading = page.get_by_role("heading", name=re.compile("Winnable|Unwinnable"))
    expect(heading).to_be_visible()
    expect(heading).to_contain_text("Winnable")
    count = page.get_by_test_id("count")
    total = int(count.inner_text().split("/")[1])
    page.get_by_role("button", name="Last position").click()
    expect(count).to_have_text(f"{total} / {total}")
    expect(page.get_by_test_id("sentence")).to_contain_text("All four foundations are full")
    # The link shows the same to whoever opens it.
    page.goto(page.url)
    expect(heading).to_be_visible()
