"""Tests of the levels on the page of difficulty: their model, and the way to one without one."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from browsing import settle, unfold
from catalogue import store
from catalogue.difficulty.grading import LEVELS
from catalogue.difficulty.playing import chosen_players
from catalogue.difficulty.reading import DealConditions, find, model
from catalogue.difficulty.shipped import shipped_model
from dashboard.elements import level_model
from dashboard.elements.wording import ruleset_title
from engine.dealing.dealers import deal_by_id
from engine.game import Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from patience import SECONDS, wait_until
from solvers.features import tracer
from solvers.outcome import Result
from solvers.solver import Solver

Sql = Callable[..., list[tuple[Any, ...]]]
RULES = "klondike-draw1"
# The package has no model of it.
UNSHIPPED = "klondike-draw2"


def test_the_deals_of_each_level_are_counted(page: Page, dashboard: str, sql: Sql) -> None:
    counts = dict(sql("SELECT level, count(*) FROM features GROUP BY level"))
    page.goto(f"{dashboard}/difficulty?rules={RULES}")
    rows = page.get_by_test_id("levels").locator("tbody tr")
    expect(rows.locator("td:last-child")).to_have_text(
        [str(counts.get(level, 0)) for level in range(1, len(LEVELS) + 1)]
    )
    unfold(page, "The bots, and how difficulty is measured")
    expect(page.get_by_test_id("bots-of-the-fit")).to_contain_text("2 of 12")
    unfold(page, "How well levels tell who wins")
    expect(page.get_by_text("No bot can be held out")).to_be_visible()
    # Of other rulesets the model is shown that the program brings, with its validation.
    for ruleset in ("klondike-draw3", "spider-4"):
        page.goto(f"{dashboard}/difficulty?rules={ruleset}")
        settle(page)
        expect(page.get_by_text("These levels come with the program")).to_be_visible()
        unfold(page, "How well levels tell who wins")
        found = shipped_model(ruleset)
        assert found is not None
        area = found.validation["auc"]["predicted"]["auc"]
        expect(page.get_by_test_id("auc")).to_contain_text(f"{area:.3f}")


@pytest.fixture
def quickly(empty: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty catalogue, for pages where players that are done in no time are those of a fit."""

    def players(rules: Rules, _: None) -> list[Solver]:
        return chosen_players(rules, ["greedy", "random"])

    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{empty}")
    monkeypatch.setattr(level_model, "chosen_players", players)
    return empty


def shown(ruleset: str = UNSHIPPED) -> AppTest:
    """The levels, or the way to them."""
    app = AppTest.from_string(
        "from dashboard.server.connection import catalogue\n"
        "from dashboard.elements.level_model import show_levels\n"
        f"show_levels(catalogue(), '{ruleset}')"
    )
    app.run(timeout=SECONDS)
    assert not app.exception
    return app


def click(label: str, ruleset: str = UNSHIPPED) -> None:
    """Click the one button that there is."""
    (button,) = shown(ruleset).button
    assert button.label.startswith(label)
    button.click().run(timeout=SECONDS)


@pytest.mark.thorough
def test_three_clicks_lead_to_levels(
    page: Page,
    served: Callable[[str], str],
    quickly: Path,
    run_jobs: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(level_model, "DEALS", 130)
    of = ruleset_title(UNSHIPPED)
    labels = f"Solve 130 deals of {of} by exact and greedy and random", "Analyse the winnable"
    for step, label in enumerate(labels, start=1):
        assert f"Step {step} of 3" in shown().info[0].value
        click(label)
        assert not shown().button  # it is queued
        run_jobs(quickly)
    click("Fit the levels")
    wait_until(lambda: not shown().info, "the model is fitted")
    with store.open_catalogue(f"sqlite:///{quickly}") as catalogue:
        found = model(catalogue, UNSHIPPED)
        assert found is not None
        assert {each.name for each in found.players} == {"greedy", "random"}
        assert found.fitted == find(catalogue, DealConditions(UNSHIPPED), 0).graded
    app = shown()
    assert not app.button
    assert re.match(f"Found from {found.fitted} winnable deals", app.caption[0].value)
    # What the fit was validated by is drawn when it is unfolded.
    page.goto(f"{served(f'sqlite:///{quickly}')}/difficulty?rules={UNSHIPPED}")
    settle(page)
    unfold(page, "How well levels tell who wins")
    areas = found.validation["auc"]
    expect(page.get_by_test_id("auc").locator("tbody td:nth-child(2)")).to_have_text(
        [f"{area['auc']:.3f}" for name, area in areas.items() if name != "games"]
    )
    chart = page.get_by_label(
        "Share of games won against the chance that the model gave", exact=True
    )
    expect(chart).to_contain_text("Expected to be won, %")
    bins = sum(len(kind["bins"]) for kind in found.validation["calibration"].values())
    expect(chart.locator(".mark-symbol.role-mark path")).to_have_count(bins)


@pytest.mark.thorough
def test_too_few_winnable_deals_are_said_to_be(
    quickly: Path, run_jobs: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(level_model, "DEALS", 20)
    for label in ("Solve 20 deals", "Analyse the winnable"):
        click(label)
        run_jobs(quickly)
    click("Fit the levels")

    def refused() -> bool:
        return any("expected" in each.value for each in shown().error)

    wait_until(refused, "the fit is refused")
    assert refused()  # for as long as somebody looks
    click("Fit the levels")  # it can be tried again


@pytest.mark.thorough
def test_a_deal_without_features_is_looked_at_by_a_button(
    page: Page, dashboard: str, sql: Sql
) -> None:
    """A deal nobody has named gets a predicted level at once, and its features by a button."""
    rules = parse_ruleset(RULES)
    solver, game = tracer(rules), game_of(rules)
    deals = (deal_by_id(f"thoughtful-1:{seed}", game) for seed in range(900, 1000))
    deal = next(
        deal
        for deal in deals
        if solver.solve_position(game.start(deal, rules)).result == Result.WON
    )
    page.goto(f"{dashboard}/check?rules={RULES}&text={quote(json.dumps(deal.to_json()))}")
    expect(page.get_by_text(re.compile(r"Level \d+ of 10.*predicted"))).to_be_visible()
    page.get_by_role("button", name="How hard is it?").click()
    expect(page.get_by_text(re.compile(r"Level \d+ of 10.*a solution of"))).to_be_visible()
    expect(page.get_by_text("the next deal like this one")).to_be_visible()
    [(seed,)] = sql(
        "SELECT s.seed FROM STATUSES s JOIN ruleset r ON r.id = s.ruleset_id "
        "WHERE r.slug = 'klondike-draw3' AND s.status = 'winnable' LIMIT 1"
    )
    page.goto(f"{dashboard}/?deal=thoughtful-1:{seed}&rules=klondike-draw3")
    page.get_by_role("button", name="How hard is it?").click()
    expect(page.get_by_text(re.compile(r"Level \d+ of 10.*a solution of"))).to_be_visible()


def test_two_clicks_lead_to_levels_of_a_game_of_open_cards(
    empty: Path, run_jobs: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its features are trials, which the fit itself plays, and its players are the usual ones."""
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{empty}")
    monkeypatch.setattr(level_model, "DEALS", 110)
    assert "Step 1 of 2" in shown("penguin").info[0].value
    click("Solve 110 deals of Penguin by patience-player", "penguin")
    run_jobs(empty)
    assert "Step 2 of 2" in shown("penguin").info[0].value
    click("Fit the levels", "penguin")
    wait_until(lambda: not shown("penguin").info, "the model is fitted")
    with store.open_catalogue(f"sqlite:///{empty}") as catalogue:
        found = model(catalogue, "penguin")
    assert found is not None
    assert {each.name.partition("(")[0] for each in found.players} == {"patience-player"}
    assert re.match(f"Found from {found.fitted} winnable deals", shown("penguin").caption[0].value)
