"""Browser tests of the board as a person sees it: covered cards, advice, regret; what it keeps."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from boards import DEAL, RULES, ask, button, expect_at, line_of, open_board, tap
from browsing import pick


def hide(page: Page) -> None:
    page.get_by_test_id("board").get_by_label("Hide the face-down cards").check()
    expect(page.get_by_test_id("gauge")).to_have_attribute("data-verdict", "hidden")


def test_hidden_cards_are_covered_and_a_player_advises(page: Page, dashboard: str) -> None:
    open_board(page, dashboard)
    hide(page)
    covered = page.locator(".card.down")
    assert covered.count() == 21 + 24
    for label in covered.evaluate_all("cards => cards.map(card => card.ariaLabel)"):
        assert label.startswith("a card, ")
    expect(button(page, "Win from here")).to_be_hidden()
    listed = page.get_by_test_id("choices").get_by_role("button")
    expect(listed.first).to_contain_text(re.compile(r"\d+ % ± \d+ % won"))
    for text in listed.all_inner_texts():
        assert "keeps the win" not in text
        assert not re.search("uncovering [^a]|stock: ", text)
    expect(page.get_by_test_id("player")).to_contain_text("policy-uct")
    # A reload keeps the choice, which stands in the link.
    listed.first.click()
    expect_at(page, 1, 1)
    expect(page).to_have_url(re.compile("cards=hidden"))
    expect(page).to_have_url(re.compile(r"line=\w"))
    page.reload()
    expect_at(page, 1, 1)
    expect(page.get_by_test_id("gauge")).to_have_attribute("data-verdict", "hidden")
    page.get_by_test_id("board").get_by_label("Hide the face-down cards").uncheck()
    expect(page.get_by_test_id("gauge")).to_have_attribute("data-verdict", re.compile("win|loss"))
    assert not page.locator(".card.down").first.get_attribute("aria-label").startswith("a card")


@pytest.mark.thorough
def test_spider_has_hints_without_chances(page: Page, dashboard: str) -> None:
    open_board(page, dashboard, rules="spider-4")
    hide(page)
    first = page.get_by_test_id("choices").get_by_role("button").first
    expect(first).to_contain_text("the bot's choice")
    expect(page.get_by_test_id("player")).to_contain_text("spider-player")


def test_the_move_that_lost_is_found(page: Page, dashboard: str) -> None:
    open_board(page, dashboard)
    hide(page)
    line: list[str] = []
    while True:
        answer = ask(dashboard, "analysis", line)
        losing = [move["name"] for move in answer["moves"] if move["verdict"] == "unwinnable"]
        if losing:
            break
        line.append(answer["moves"][0]["name"])
    after = [*line, losing[0]]
    played = [*after, ask(dashboard, "analysis", after)["moves"][0]["name"]]
    open_board(page, dashboard, " ".join(played))
    hide(page)
    button(page, "Where was it lost?").click()
    lost = f"Move {len(after)} ({losing[0]}) lost the game"
    expect(page.get_by_test_id("board-alert")).to_contain_text(lost)
    expect(page.get_by_test_id("board-alert")).to_contain_text("show all cards to see how")
    expect_at(page, len(line), len(played))
    # One step on, what was said of another position is gone.
    button(page, "Redo").click()
    expect(page.get_by_test_id("board-alert")).to_be_hidden()
    # From a position that can be won nothing is lost.
    button(page, "Undo").click()
    expect_at(page, len(line), len(played))
    page.get_by_test_id("stage").press("r")
    expect(page.get_by_test_id("board-alert")).to_contain_text("can still be won")


@pytest.mark.thorough
def test_branches_stay_in_this_browser_until_forgotten(page: Page, dashboard: str) -> None:
    open_board(page, dashboard)
    names = [move["name"] for move in ask(dashboard, "analysis", [])["moves"]]
    for name in names[:2]:
        page.locator(f'.choices button[data-move="{name}"]').click()
        expect_at(page, 1, 1)
        button(page, "Undo").click()
        expect_at(page, 0, 1)
    branches = page.locator(".line .branch")
    expect(branches).to_have_count(1)
    # The replay in between, and a reload: both were played, and both are there.
    pick(page, "Replay")
    expect(page.get_by_test_id("board")).to_be_hidden()
    pick(page, "Play and analyse")
    expect(branches).to_have_count(1)
    page.reload()
    expect_at(page, 0, 1)
    expect(branches).to_have_count(1)
    branches.first.click()
    expect_at(page, 1, 1)
    assert line_of(page) == [names[0]]
    button(page, "Forget the branches").click()
    expect(branches).to_have_count(0)
    expect(page).to_have_url(re.compile(r"line=\w"))
    page.reload()
    expect_at(page, 1, 1)
    expect(branches).to_have_count(0)


@pytest.mark.thorough
def test_a_move_is_kept_however_soon_the_page_is_left(page: Page, dashboard: str) -> None:
    open_board(page, dashboard)
    page.get_by_test_id("choices").get_by_role("button").first.click()
    page.reload()
    # The link follows a moment after a move, which may have been too late.
    expect(page.get_by_test_id("count")).to_have_text(re.compile("^[01] / 1$"))


@pytest.mark.thorough
def test_the_board_comes_back_where_it_was_left(page: Page, dashboard: str) -> None:
    open_board(page, dashboard)
    page.get_by_test_id("choices").get_by_role("button").first.click()
    expect_at(page, 1, 1)
    pick(page, "Replay")
    expect(page.get_by_test_id("board")).to_be_hidden()
    pick(page, "Play and analyse")
    expect_at(page, 1, 1)


@pytest.mark.thorough
def test_a_tap_before_the_moves_are_known_is_not_lost(page: Page, dashboard: str) -> None:
    answer = ask(dashboard, "analysis", [])
    move = next(each for each in answer["moves"] if re.fullmatch("[1-7][1-7]", each["name"]))
    held: list[Route] = []
    page.route("**/api/board/analysis", lambda route: held.append(route))
    page.goto(f"{dashboard}/?deal={DEAL}&rules={RULES}&view=board")
    card = page.locator(f'.card[data-card="{move["moved"][0]}"]')
    tap(card)
    drop = page.locator(f'.drop[data-move="{move["name"]}"]')
    expect(drop).to_have_count(0)
    for route in held:
        route.continue_()
    expect(drop).to_be_visible()
