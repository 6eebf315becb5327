"""Browser tests of Spider: a replay to the last completed run, links, and refused input."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browsing import choose, settle, unfold
from catalogue import store
from catalogue.jobs.queue import submit
from catalogue.reading.deal_detail import deal_detail
from catalogue.reading.deal_list import DealFilter, list_deals
from dashboard.elements import wording
from engine.dealing.dealers import parse_deal_id, parse_sample
from engine.spider import GAME as SPIDER

RULES = "spider-1"
MONKEY = "monkey(level=3, period=50)"
SAMPLE = "thoughtful-1:0-11"


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("spider-4", "Spider, all four suits count; a row is not dealt while a column"),
        ("spider-2", "black cards count as spades and red ones as hearts"),
        (
            "spider-1-relaxed",
            "as spades; a row may be dealt while a column is empty",
        ),
    ],
)
def test_rules_in_words(slug: str, words: str) -> None:
    assert words in wording.rules_in_words(slug)


# --- the pages -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def filled_spider(
    tmp_path_factory: pytest.TempPathFactory, run_jobs: Callable[[Path], None]
) -> Path:
    """The file of a catalogue with jobs of both games on the same seeds."""
    path = tmp_path_factory.mktemp("spider") / "thoughtful.db"
    store.init(f"sqlite:///{path}")
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        submit(catalogue, RULES, parse_sample(SAMPLE), [MONKEY])
        submit(catalogue, "klondike-draw3", parse_sample(SAMPLE), ["dead-end"])
    run_jobs(path)
    return path


@pytest.fixture
def address(filled_spider: Path, served: Callable[[str], str]) -> str:
    return served(f"sqlite:///{filled_spider}")


@pytest.fixture
def won(filled_spider: Path) -> tuple[str, int]:
    """A deal that the Monkey won, and the length of its game."""
    with store.open_catalogue(f"sqlite:///{filled_spider}") as catalogue:
        row = list_deals(catalogue, DealFilter(RULES, status="winnable")).rows[0]
        best = deal_detail(catalogue, row.deal, SPIDER).best(RULES)
    assert best is not None
    assert best.length is not None
    return row.deal, best.length


@pytest.mark.thorough
def test_the_pages_of_spider(page: Page, address: str, won: tuple[str, int]) -> None:
    deal, length = won
    # From the list to the deal, whose link says under which rules.
    page.goto(f"{address}/deals?rules={RULES}&status=winnable")
    dealer, seed = parse_deal_id(deal)
    settle(page)
    page.get_by_role("link", name=wording.deal_title(dealer.slug, seed), exact=True).click()
    expect(
        page.get_by_role("heading", name=f"Deal {deal.rpartition(':')[2]}", exact=True)
    ).to_be_visible()
    expect(page.locator(".card")).to_have_count(104)
    expect(page.get_by_text(wording.rules_in_words(RULES))).to_be_visible()
    expect(page.get_by_test_id("count")).to_have_text(f"0 / {length}")
    expect(page.locator('.card[data-pile="stock"]')).to_have_count(50)
    expect(page.locator(".card.down")).to_have_count(50 + 44)
    expect(page.locator(".label.stock")).to_have_text("Stock (5 rows), next row lowest")

    viewer = page.get_by_test_id("table")
    sentence = page.get_by_test_id("sentence")
    viewer.get_by_role("button", name="One move forward", exact=True).click()
    expect(sentence).to_contain_text("Move 1 (")
    expect(page.locator(".card.moved").first).to_be_visible()
    viewer.get_by_role("button", name="Last position", exact=True).click()
    expect(sentence).to_contain_text("completing a run of spades, king to ace")
    expect(sentence).to_contain_text("All eight runs are completed.")
    expect(page.locator('.card[data-pile="completed"]')).to_have_count(104)
    expect(page.locator(".label.completed")).to_have_text("Completed (8)")
    expect(page.locator(".label.stock")).to_have_text("Stock (empty)")

    # The same dealer and seed is another deal in the other game.
    other = "The same number in another game"
    choose(page, other, "Klondike, draw 3", is_long=True, is_link=True)
    expect(page.locator(".card")).to_have_count(52)
    choose(page, other, "Spider, 4 suits", is_long=True, is_link=True)
    expect(page.locator(".card")).to_have_count(104)
    expect(
        page.get_by_text("No solver has attempted this deal under Spider, 4 suits")
    ).to_be_visible()
    expect(page.get_by_role("button", name="Solve it by")).to_be_enabled()

    page.goto(f"{address}/difficulty?rules={RULES}")
    expect(page.get_by_text("No solver of this game tells by its nodes")).to_be_visible()
    expect(page.get_by_test_id("solvers")).to_contain_text("monkey")
    unfold(page, "The solvers with their parameters")
    expect(page.get_by_text("monkey is monkey(level=3")).to_be_visible()

    page.goto(f"{address}/overview")
    expect(page.get_by_text(wording.rules_in_words(RULES))).to_be_visible()


@pytest.mark.thorough
def test_a_job_of_spider_is_submitted(page: Page, address: str) -> None:
    page.goto(f"{address}/jobs")
    page.get_by_role("combobox", name="Ruleset").fill("spider-2-relaxed")
    page.get_by_role("option", name="spider-2-relaxed", exact=True).click()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("exact does not play spider-2-relaxed")).to_be_visible()


@pytest.mark.thorough
def test_links_that_do_not_go_together(
    page: Page, address: str, won: tuple[str, int], filled_spider: Path
) -> None:
    deal, _ = won
    page.goto(f"{address}/?deal=greenfelt:5&rules=spider-4")
    expect(page.get_by_text("dealer greenfelt does not deal Spider")).to_be_visible()
    with store.open_catalogue(f"sqlite:///{filled_spider}") as catalogue:
        digest = deal_detail(catalogue, deal, SPIDER).digest
    page.goto(f"{address}/?deal={digest}&rules=klondike-draw3")
    expect(page.get_by_text("is a ruleset of Klondike: this is a deal of Spider")).to_be_visible()
    expect(page.locator(".card")).to_have_count(104)


@pytest.mark.thorough
def test_the_page_of_no_deal_says_which_games_are_dealt(page: Page, address: str) -> None:
    page.goto(f"{address}/deal")
    expect(page.get_by_test_id("dealers").get_by_role("row", name="pysolfc 1 to")).to_contain_text(
        "Klondike, Spider"
    )
