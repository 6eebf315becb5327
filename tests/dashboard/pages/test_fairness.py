"""Tests of the fairness page with honest hands, rigged hands and unreadable input."""

import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from browsing import settle
from catalogue.spider.honest_hands import honest_hands, seeded
from engine.cards import card_name
from engine.spider.turnovers import guaranteed_turnovers
from patience import SECONDS, wait_until


def script() -> None:
    from dashboard.pages import fairness

    fairness.show()


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_function(script, default_timeout=SECONDS).run()


def compared(app: AppTest, text: str, suits: int = 4) -> AppTest:
    app.text_area(key="fair-text").input(text)
    app.radio(key="fair-suits").set_value(suits)
    return app.button[0].click().run()


def shown(app: AppTest) -> str:
    """Every sentence on the page, as it reads."""
    return "\n".join(re.sub(r"\\(.)", r"\1", each.value) for each in app.markdown)


def rigged(hands: int) -> str:
    """Hands of a server that keeps those of at most four guaranteed turnovers."""
    dealt = honest_hands(seeded(1), 4 * hands)
    kept = dealt[np.flatnonzero(guaranteed_turnovers(dealt) <= 4)[:hands]]
    return "\n".join(" ".join(map(card_name, row)) for row in kept.tolist())


def test_before_anything_is_given_nothing_is_said(app: AppTest) -> None:
    assert not app.exception
    assert "Conclusions" not in [each.value for each in app.subheader]


def test_honest_hands(app: AppTest) -> None:
    compared(app, "thoughtful-1:0-299")
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert "None of 5 questions finds a significant difference" in shown(app)
    assert [each.value for each in app.subheader][-1] == "Limits"


def test_rigged_hands(app: AppTest) -> None:
    compared(app, rigged(100))
    assert not app.exception
    assert [each.value for each in app.warning] == [
        "The questions: inconsistent with an honest shuffle.",
        "The e-value: inconsistent with an honest shuffle.",
    ]
    assert "fewer guaranteed turnovers" in shown(app)
    assert "It first reached 20 after game" in shown(app)


def test_few_hands_and_one_suit(app: AppTest) -> None:
    compared(app, "J 10 9 4 4 K 2 7 Q 5", suits=1)
    assert not app.exception
    assert "Too few games: 1 game" in shown(app)
    assert "With one suit" in shown(app)


def test_counts_of_hard_hands(app: AppTest) -> None:
    for at, number in enumerate((40, 40, 50, 100)):
        app.number_input(key=f"fair-{at}").set_value(number)
    app.button[0].click().run()
    assert not app.exception
    assert "look-ahead never wins 40/40 hands" in shown(app)


def test_wrong_input_is_one_sentence(app: AppTest) -> None:
    compared(app, "JC TD")
    assert [each.value for each in app.error] == [
        "Line 1\\: 2 cards\\, expected 10\\: the face\\-up card of each column\\, "
        "from left to right\\."
    ]
    compared(app, "")
    assert "There are no hands" in app.error[0].value
    compared(app, "thoughtful-1:0-5000")
    assert "5\\,001 hands are too many for this page" in app.error[0].value
    app.number_input(key="fair-0").set_value(4)
    compared(app, "thoughtful-1:0-20")
    assert "Hard hands need two counts" in app.error[0].value
    assert not app.exception
    # The conclusions about earlier hands are gone.
    assert "Conclusions" not in [each.value for each in app.subheader]


@pytest.mark.thorough
def test_the_page_in_a_browser(
    page: Page, served: Callable[[str], str], initialised_sqlite: Path
) -> None:
    page.goto(f"{served(f'sqlite:///{initialised_sqlite}')}/fairness")
    rows = page.get_by_test_id("questions").locator("tbody tr")

    def compared() -> bool:
        """Whether the answer comes; a page still being drawn may drop what is typed or clicked."""
        page.get_by_role("textbox", name="Starting hands").fill(rigged(40))
        settle(page)
        page.get_by_role("button", name="Compare with an honest shuffle").click()
        try:
            expect(rows).to_have_count(5, timeout=1000 * SECONDS / 6)
        except AssertionError:
            return False
        return True

    wait_until(compared, "the hands are compared")
    expect(rows.first).to_contain_text("significant")
    expect(page.locator("[data-testid=stVegaLiteChart] canvas, svg.marks")).to_have_count(1)


def test_processes_can_be_spawned_after_these_tests() -> None:
    """In pytest's own process, although AppTest has made its script the main module."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(abs, -7).result() == 7
