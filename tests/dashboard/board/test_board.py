"""Browser tests of the analysis board, on the served dashboard with its own endpoint."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from boards import DEAL, RULES, ask, button, expect_at, line_of, open_board, point_of, tap
from browsing import pick
from engine.dealing.dealers import deal_by_id
from engine.games import game_of
from engine.patience.language import read_options
from engine.patience.own_slugs import slug_of
from engine.rulesets import parse_ruleset
from paths import ROOT
from patience import SECONDS
from playing import ask_board, open_table, play_by_touch
from solvers.moments import critical_moments


def card_and_goal(page: Page, address: str, line: list[str]) -> tuple[dict[str, Any], Locator]:
    """A move from column to column that the endpoint lists, and the card that begins it."""
    content = ask(address, "analysis", line)
    move = next(each for each in content["moves"] if re.fullmatch("[1-7][1-7]", each["name"]))
    return move, page.locator(f'.card[data-card="{move["moved"][0]}"]')


def click_the_stock(page: Page) -> None:
    # Of most cards of the stock only the left edge shows.
    page.locator('.card[data-pile="stock"]').last.click(position={"x": 4, "y": 20})


def test_moves_are_listed_with_verdicts_and_played_by_click(page: Page, dashboard: str) -> None:
    open_board(page, dashboard)
    expect(page.get_by_test_id("tally")).to_contain_text(re.compile(r"\d of \d"))
    content = ask(dashboard, "analysis", [])
    listed = page.get_by_test_id("choices").get_by_role("button")
    expect(listed).to_have_count(content["legal"])
    words = {
        "winnable": "✓ keeps the win",
        "unwinnable": "✗ loses it",
        "undecided": "? not decided",
    }
    # Another search may find wins of other lengths, and winning moves are listed by length.
    for move in content["moves"]:
        line = page.get_by_test_id("choices").locator(f'[data-move="{move["name"]}"]')
        expect(line).to_contain_text(words[move["verdict"]])
        expect(line).to_contain_text(move["sentence"])
    order = [one.get_attribute("data-verdict") for one in listed.all()]
    assert order == [move["verdict"] for move in content["moves"]]
    expect(page.get_by_test_id("tally")).to_contain_text(
        f"{content['winning']} of {content['legal']}"
    )
    first = listed.first.get_attribute("data-move")
    listed.first.click()
    expect_at(page, 1, 1)
    assert line_of(page) == [first]
    # A card, then where it goes.
    button(page, "First position").click()
    expect_at(page, 0, 1)
    move, card = card_and_goal(page, dashboard, [])
    tap(card)
    page.locator(f'.drop[data-move="{move["name"]}"]').click(force=True)  # it lets clicks through
    expect(page.get_by_test_id("sentence")).to_contain_text(f"Move 1 ({move['name']})")
    # The stock, as soon as the moves from here are known.
    expect(page.get_by_test_id("gauge")).to_have_attribute("data-verdict", re.compile("."))
    click_the_stock(page)
    expect(page.get_by_test_id("sentence")).to_contain_text("Move 2 (T)")


@pytest.mark.thorough
def test_a_card_is_dragged(page: Page, dashboard: str) -> None:
    open_board(page, dashboard)
    move, card = card_and_goal(page, dashboard, [])
    page.get_by_test_id("board").scroll_into_view_if_needed()
    card.scroll_into_view_if_needed()
    x, y = point_of(card)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 20, steps=2)
    goal = page.locator(f'.drop[data-move="{move["name"]}"]')
    expect(goal).to_be_visible()
    page.mouse.move(*point_of(goal, 0.5), steps=4)
    page.mouse.up()
    expect_at(page, 1, 1)
    assert line_of(page) == [move["name"]]
    # Dropped on nothing, a card goes back.
    move, card = card_and_goal(page, dashboard, [move["name"]])
    x, y = point_of(card)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 5, y + 900, steps=4)
    page.mouse.up()
    expect(page.locator(".card.held")).to_have_count(0)
    expect_at(page, 1, 1)


@pytest.mark.thorough
def test_a_card_is_dragged_by_touch_on_a_phone(browser: Browser, dashboard: str) -> None:
    context = browser.new_context(has_touch=True, viewport={"width": 360, "height": 1400})
    page = context.new_page()
    open_board(page, dashboard)
    move, card = card_and_goal(page, dashboard, [])
    card.scroll_into_view_if_needed()
    x, y = point_of(card)
    touch = context.new_cdp_session(page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    send("touchStart", (x, y))
    send("touchMove", (x + 10, y))
    send("touchMove", (x + 20, y))
    goal = page.locator(f'.drop[data-move="{move["name"]}"]')
    expect(goal).to_be_visible()
    send("touchMove", point_of(goal, 0.5))
    send("touchEnd")
    expect_at(page, 1, 1)
    assert line_of(page) == [move["name"]]
    page.wait_for_function("() => document.getAnimations().length === 0")
    main = page.get_by_test_id("stMain")
    board = page.get_by_test_id("board")
    for part in (main, board):
        assert part.evaluate("e => e.scrollWidth <= e.clientWidth")
    heights = board.locator("button:visible").evaluate_all(
        "all => all.map(e => [e.innerText, e.getBoundingClientRect().height])"
    )
    # Where a button begins at a fraction of a pixel, its height may miss 40 by as much.
    assert [(text, height) for text, height in heights if height < 39.5] == []
    context.close()


@pytest.mark.thorough
def test_keys_play_undo_and_redo_and_branches_are_kept(page: Page, dashboard: str) -> None:
    open_board(page, dashboard)
    page.get_by_test_id("stage").focus()
    names = [move["name"] for move in ask(dashboard, "analysis", [])["moves"]]
    page.keyboard.press("1")
    expect_at(page, 1, 1)
    page.keyboard.press("t")
    expect_at(page, 2, 2)
    page.keyboard.press("Home")
    expect_at(page, 0, 2)
    page.keyboard.press("ArrowRight")
    expect_at(page, 1, 2)
    page.keyboard.press("End")
    expect_at(page, 2, 2)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect_at(page, 0, 2)
    page.keyboard.press("2")
    expect_at(page, 1, 1)
    assert line_of(page) == [names[1]]
    branch = page.locator("[data-testid=line] .branch")
    expect(branch).to_have_text(f"or {names[0]}")
    branch.press("Enter")
    expect_at(page, 1, 2)
    assert line_of(page) == [names[0], "T"]
    # Enter on a focused move plays it, and the focus stays with the moves.
    page.get_by_test_id("choices").get_by_role("button").first.press("Enter")
    expect(page.get_by_test_id("count")).to_have_text(re.compile("^2 /"))


@pytest.mark.thorough
def test_win_from_here_ends_won_and_the_graph_counts_as_the_endpoint(
    page: Page, dashboard: str
) -> None:
    open_board(page, dashboard, "T")
    assert ask(dashboard, "analysis", ["T"])["verdict"] == "winnable"
    button(page, "Win from here").click()
    expect(page.get_by_test_id("sentence")).to_contain_text("Move 2 ")
    line = line_of(page)
    # Every position of the line is asked for in the background.
    columns = page.locator("[data-testid=graph] g")
    expect(columns).to_have_count(len(line) + 1)
    expect(page.locator("[data-testid=graph] g[data-legal]")).to_have_count(len(line) + 1)
    for at in range(0, len(line), 10):
        content = ask(dashboard, "analysis", line[:at])
        expect(columns.nth(at)).to_have_attribute("data-legal", str(content["legal"]))
        expect(columns.nth(at)).to_have_attribute("data-winning", str(content["winning"]))
    # The signs of critical moments are those of the features of the deal along the same line.
    rules = parse_ruleset(RULES)
    game = game_of(rules)
    start = game.start(deal_by_id(DEAL, game), rules)
    moments = critical_moments(start, [game.parse_move(name) for name in line])
    expect(page.locator(".critical-list button")).to_have_count(len(moments))
    for at in moments:
        expect(columns.nth(at).locator(".critical")).to_have_count(1)
    columns.nth(10).click()
    expect_at(page, 10, len(line))
    button(page, "Last position").click()
    expect_at(page, len(line), len(line))
    expect(page.get_by_test_id("gauge")).to_have_text("✓ Won")
    expect(page.get_by_test_id("sentence")).to_contain_text("All four foundations are full.")
    # The game is over: no card comes back from the foundations, and nothing lost it.
    expect(page.get_by_test_id("choices").get_by_role("button")).to_have_count(0)
    page.get_by_test_id("stage").press("1")
    page.get_by_test_id("stage").press("r")
    expect(page.locator(".board .alert")).to_have_text("Nothing to regret: the game is won.")
    expect_at(page, len(line), len(line))
    # After a reload the moves can be taken back as before.
    expect(page).to_have_url(re.compile(rf"line=.*{line[-1]}$"))
    page.reload()
    expect_at(page, len(line), len(line))
    expect(page.get_by_test_id("gauge")).to_have_text("✓ Won")
    button(page, "Undo").click()
    expect_at(page, len(line) - 1, len(line))


@pytest.mark.thorough
def test_safe_moves_are_played_on_demand_and_by_themselves(page: Page, dashboard: str) -> None:
    won = [move["name"] for move in ask(dashboard, "solution", [])["moves"]]
    # The first of them of which the server has a safe move, and the one before.
    at = next(at for at in range(1, len(won)) if ask(dashboard, "analysis", won[:at])["safe"])
    safe = [move["name"] for move in ask(dashboard, "analysis", won[:at])["safe"]]
    open_board(page, dashboard, " ".join(won[: at - 1]))
    expect(button(page, "Play safe moves")).to_be_disabled()
    page.locator(f'[data-testid=choices] button[data-move="{won[at - 1]}"]').click()
    expect_at(page, at, at)
    page.get_by_test_id("stage").focus()
    page.keyboard.press("s")
    expect_at(page, at + len(safe), at + len(safe))
    assert line_of(page) == won[:at] + safe
    page.get_by_role("checkbox", name="Safe moves by themselves").check()
    button(page, "First position").click()
    for _ in range(at - 1):
        page.get_by_test_id("stage").press("ArrowRight")
    expect_at(page, at - 1, at + len(safe))
    page.locator(f'[data-testid=choices] button[data-move="{won[at - 1]}"]').click()
    expect_at(page, at + len(safe), at + len(safe))
    # A step back stays back.
    button(page, "Undo").click()
    expect_at(page, at + len(safe) - 1, at + len(safe))


@pytest.mark.thorough
def test_a_link_opens_the_same_board(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/?deal={DEAL}&rules={RULES}")
    pick(page, "Play and analyse")
    expect_at(page, 0, 0)
    page.get_by_test_id("stage").focus()
    page.keyboard.press("t")
    expect_at(page, 1, 1)
    page.keyboard.press("1")
    expect_at(page, 2, 2)
    line = line_of(page)
    button(page, "Copy link").click()
    link = page.get_by_test_id("copied").input_value()
    button(page, "Copy as text").click()
    expect(page.get_by_test_id("copied")).to_have_value(
        re.compile(f"Deal: {DEAL}\nRules: {RULES}\nMoves: {' '.join(line)}\nPosition: {{")
    )
    page.goto("about:blank")
    page.goto(link)
    expect_at(page, 2, 2)
    assert line_of(page) == line
    page.reload()
    expect_at(page, 2, 2)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("line", "sentence"),
    [("T nonsense", "'nonsense' is not a move"), ("1F", "move 1, 1F"), ("T " * 9000, "at most")],
)
def test_a_nonsense_line_gets_one_sentence(
    page: Page, dashboard: str, line: str, sentence: str
) -> None:
    page.goto(f"{dashboard}/?deal={DEAL}&rules={RULES}&view=board&line={line.replace(' ', '+')}")
    expect(page.get_by_test_id("stAlert").filter(has_text=sentence)).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.thorough
def test_the_board_goes_on_when_the_server_refuses(page: Page, dashboard: str) -> None:
    open_board(page, dashboard)
    page.context.set_offline(True)
    page.get_by_test_id("stage").focus()
    page.keyboard.press("t")
    expect(page.get_by_test_id("board-alert")).to_contain_text("The server does not answer")
    page.context.set_offline(False)
    page.keyboard.press("ArrowLeft")
    expect_at(page, 0, 1)
    page.keyboard.press("ArrowRight")
    expect_at(page, 1, 1)
    expect(page.get_by_test_id("board-alert")).to_be_hidden()


def test_a_game_of_a_file_is_analysed_and_played(browser: Browser, dashboard: str) -> None:
    """The server knows it by its slug and by the catalogue, and has never seen the file."""
    text = (ROOT / "docs" / "examples" / "my-game.json").read_text()
    rules = slug_of(read_options(json.loads(text)["rules"]))
    context = browser.new_context(viewport={"width": 1280, "height": 900}, has_touch=True)
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    page.goto(f"{dashboard}/?deal=solvitaire:5&rules={rules}&view=board")
    expect_at(page, 0, 0)
    expect(page.get_by_text("Two Cell Fan").first).to_be_visible()
    body = {"deal": "solvitaire:5", "rules": rules}
    content = ask_board(dashboard, "analysis", moves=[], **body)
    words = {"winnable": "✓ keeps the win", "unwinnable": "✗ loses it"}
    # Moves to another free cell are not listed again.
    verdicts = [words[move["verdict"]] for move in content["moves"] if not move["same_as"]]
    assert len(verdicts) == content["legal"] < len(content["moves"])
    assert {*verdicts} == {*words.values()}
    listed = page.get_by_test_id("choices").get_by_role("button")
    expect(listed).to_contain_text(verdicts)
    losing = next(move for move in content["moves"] if move["verdict"] == "unwinnable")
    tap(page.locator(f'.card[data-card="{losing["moved"][0]}"]'))
    page.locator(f'.drop[data-move="{losing["name"]}"]').click(force=True)
    expect_at(page, 1, 1)
    expect(page.get_by_test_id("gauge")).to_have_attribute("data-verdict", "unwinnable")
    button(page, "First position").click()
    button(page, "Win from here").click()
    expect(page.get_by_test_id("count")).to_have_text(re.compile(r"^1 / \d\d$"))
    # The same deal at the table, up to its end.
    win = ask_board(dashboard, "solution", moves=[], **body)["moves"]
    open_table(page, dashboard, f"?deal=solvitaire:5&rules={rules}")
    expect(page.get_by_test_id("title")).to_contain_text("Two Cell Fan")
    for move in win[:2]:
        play_by_touch(page, move)
    page.keyboard.press("c")
    expect(page.get_by_test_id("notice")).to_contain_text("It can still be won.")
    context.close()


@pytest.mark.thorough
def test_moves_of_spider_have_verdicts(page: Page, dashboard: str) -> None:
    open_board(page, dashboard, rules="spider-1")
    expect(page.get_by_test_id("gauge")).to_have_text("✓ Winnable from here")
    listed = page.get_by_test_id("choices").get_by_role("button")
    expect(listed.first).to_contain_text("✓ keeps the win")
    expect(listed.filter(has_text="✗ loses it")).to_have_count(0)
    click_the_stock(page)
    expect_at(page, 1, 1)
    assert line_of(page) == ["D"]


@pytest.mark.thorough
def test_a_hard_position_is_searched_for_longer_and_the_search_is_cancelled(
    page: Page, dashboard: str
) -> None:
    page.goto(f"{dashboard}/?deal=thoughtful-1:9724&rules={RULES}&view=board")
    gauge, longer = page.get_by_test_id("gauge"), page.get_by_test_id("longer")
    expect(gauge).to_have_text("? Not decided: no win found within 850 ms")
    expect(longer).to_have_text("Search longer: up to 10 s")
    longer.click()
    expect(longer).to_have_text("Cancel the search of up to 10 s")
    longer.click()
    expect(longer).to_have_text("Search longer: up to 10 s")
    # As long as it takes; a busy machine may need more than the first time.
    while longer.is_visible():
        longer.click()
        expect(longer).not_to_contain_text("Cancel")
    expect(gauge).to_have_text("✓ Winnable from here")
    button(page, "Win from here").click()
    # The win is made shorter where it is shown: proved shortest are 102 moves or more.
    expect(page.get_by_test_id("count")).to_have_text(re.compile(r"^1 / 1[01]\d$"))
