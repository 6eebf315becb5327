"""Deals and replays of every game in a real browser, on one server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browsing import settle
from catalogue import store
from catalogue.asking import shown_win
from catalogue.reading.deal_detail import deal_detail
from conformance.checks import leaves
from conformance.conftest import Stored
from dashboard.elements.wording import deal_title
from dashboard.viewer.changes import steps
from dashboard.viewer.renderer import renderer_of
from engine.cards import HIDDEN
from engine.game import Game
from engine.replay import positions
from plug_in import installed
from serving import serving


@pytest.fixture(scope="module")
def address(stored: Stored, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The dashboard of the catalogue of every game."""
    with installed(), serving(stored.url, tmp_path_factory.mktemp("dashboard")) as served:
        yield served


def test_a_deal_is_shown_and_replayed(
    page: Page, address: str, stored: Stored, game: Game, tmp_path: Path
) -> None:
    rules, _ = stored.plan[game.slug]
    with store.open_catalogue(stored.url) as catalogue:
        details = (
            deal_detail(catalogue, f"{stored.sample.dealer}:{seed}", game)
            for seed in stored.sample.seeds
        )
        detail, best = next((each, best) for each in details if (best := each.best(rules.slug)))
    assert best.moves is not None
    start = game.start(detail.cards, rules)
    moves = shown_win(start, tuple(game.unpack(best.moves)), best.nodes or 0)
    game_positions = list(positions(start, moves))
    renderer = renderer_of(game.slug)
    assert renderer is not None
    _, answer = steps(renderer, game_positions[0], moves)

    page.goto(f"{address}/deals?rules={rules.slug}&status=winnable")
    assert detail.dealer is not None
    assert detail.seed is not None
    title = deal_title(detail.dealer, detail.seed)
    settle(page)
    page.get_by_role("link", name=title, exact=True).click()
    expect(page.get_by_role("heading", name=f"Deal {detail.seed}", exact=True)).to_be_visible()
    expect(page.get_by_text(game.rulesets.describe(rules))).to_be_visible()
    count, sentence = page.get_by_test_id("count"), page.get_by_test_id("sentence")
    page.get_by_text("All moves").click()
    listed = page.locator(".list button")
    expect(listed).to_have_count(len(moves))
    for number in (0, 1, len(moves) // 2, len(moves)):
        if number:
            listed.nth(number - 1).click()
            step, _ = answer[number - 1]
            expect(sentence).to_contain_text(f"Move {number} ({step.name}): {step.sentence}")
        expect(count).to_have_text(f"{number} / {len(moves)}")
        expect(page.locator(".card")).to_have_count(game.cards)
        # A stock may be drawn face down although people know its cards.
        hidden = list(leaves(game_positions[number].observation())).count(HIDDEN)
        down = page.locator(".card.down").count()
        assert down >= hidden if game.hidden else down == 0
    # The script of the game says how it ended.
    last = f"Move {len(moves)} ({answer[-1][0].name}): {answer[-1][0].sentence}"
    ending = (sentence.text_content() or "").removeprefix(last)
    assert ending.startswith(" ")
    assert ending.endswith(".")
    expect(page.locator(".closed")).to_be_visible(visible=bool(game.hidden))

    page.get_by_text("The solution as text").click()
    expect(page.get_by_text(game.text(game.pack(moves)), exact=True)).to_be_visible()


@pytest.mark.thorough
def test_the_lists_name_every_game(page: Page, address: str, stored: Stored, game: Game) -> None:
    rules, _ = stored.plan[game.slug]
    page.goto(address)
    expect(page.get_by_text(game.rulesets.describe(rules))).to_be_visible()
