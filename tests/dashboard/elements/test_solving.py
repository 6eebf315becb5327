"""Tests of the button that solves a deal which nobody has attempted."""

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from catalogue import asking
from catalogue.difficulty.playable import Band, playable_deal
from catalogue.reading.deal_detail import deal_detail
from catalogue.store import Catalogue, open_catalogue
from engine.dealing.dealers import deal_by_id
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from patience import SECONDS, wait_until

RULES = parse_ruleset("klondike-draw3")


def deal_page() -> None:
    from dashboard.pages import deal

    deal.show()


def ask_page() -> None:
    from dashboard.pages import check

    check.show()


@pytest.fixture
def url(tmp_path: Path, initialised_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "thoughtful.db"
    shutil.copy(initialised_sqlite, path)
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{path}")
    return f"sqlite:///{path}"


def solve(deal: str) -> AppTest:
    """Open a deal's page and solve it by its button."""
    app = AppTest.from_function(deal_page, default_timeout=SECONDS)
    app.query_params["deal"] = deal
    app.query_params["rules"] = RULES.slug
    app.run()
    assert "No solver has attempted this deal yet" in app.info[0].value
    app.button(key=f"solve-{deal}-{RULES.slug}").click().run()
    wait_until(
        lambda: not any("goes on" in each.value for each in app.run().info), "the deal is solved"
    )
    assert not app.exception
    assert not app.error
    return app


def test_a_deal_that_was_chosen_for_play_is_known_to_be_winnable(url: str) -> None:
    chosen = playable_deal(RULES.slug, Band.ANY, "a deal that nobody has stored")
    app = AppTest.from_function(deal_page, default_timeout=SECONDS)
    app.query_params["deal"] = chosen.deal
    app.query_params["rules"] = RULES.slug
    app.run()
    assert not app.exception
    assert "This deal can be won, but no outcome of a solver is stored yet" in app.info[0].value
    assert any(f"{chosen.level_name}" in each.value for each in app.markdown)


def outcomes(cat: Catalogue, deal: str) -> list[str]:
    return [each.result for each in deal_detail(cat, deal, quick_seconds=0).outcomes]


def test_a_deal_is_solved_and_stored_by_a_button(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app = solve("thoughtful-1:3")
    assert not app.info
    assert any(each.label.startswith("All outcomes") for each in app.expander)
    with open_catalogue(url) as cat:
        (outcome,) = deal_detail(cat, "thoughtful-1:3", quick_seconds=0).outcomes
    assert outcome.result in ("won", "unwinnable")
    if outcome.moves is not None:
        game = game_of(RULES)
        start = game.start(deal_by_id("thoughtful-1:3"), RULES)
        assert replay(start, game.unpack(outcome.moves)).is_won
    # The page tells what is stored, and searches nothing: it would have no time.
    monkeypatch.setattr(asking, "MILLISECONDS", 0.0)
    asked = AppTest.from_function(ask_page, default_timeout=SECONDS)
    asked.query_params["text"] = "thoughtful-1:3"
    asked.run()
    assert any("Known in the catalogue since" in each.value for each in asked.markdown)


def test_a_reader_sees_the_outcome_which_is_not_stored(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THOUGHTFUL_READ_ONLY", "1")
    app = solve("thoughtful-1:4")
    answer = app.info[0].value.replace("\\", "")
    assert "It is shown but not stored: THOUGHTFUL_READ_ONLY is set" in answer
    assert any(each.label.startswith("All outcomes") for each in app.expander)
    with open_catalogue(url) as cat:
        assert outcomes(cat, "thoughtful-1:4") == []
