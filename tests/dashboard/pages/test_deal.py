"""Browser tests of the deal page: cards, outcomes, dead ends, replay and links."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import pick, settle, unfold
from catalogue.asking import shown_win
from catalogue.outcomes.compression import decompress
from dashboard.elements.wording import deal_title, ruleset_title
from engine.cards import SUITS, card_name
from engine.dealing.dealers import deal_by_id, parse_deal_id
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.rulesets import parse_ruleset

Sql = Callable[..., list[tuple[Any, ...]]]
RULES = "klondike-draw3"


@pytest.fixture(scope="session")
def winnable(sql: Sql) -> tuple[str, list[Any]]:
    """The deal with the shortest solution of all, and that solution as pages show it."""
    [(seed, moves)] = sql(
        "SELECT d.seed, s.moves FROM solution s JOIN deal d ON d.id = s.deal_id "
        "JOIN ruleset r ON r.id = s.ruleset_id WHERE r.slug = ? ORDER BY s.length LIMIT 1",
        RULES,
    )
    name = f"thoughtful-1:{seed}"
    start = KlondikePosition.start(deal_by_id(name), parse_ruleset(RULES))
    return name, list(shown_win(start, unpack_solution(decompress("klondike", moves)), 0))


def piles(page: Page) -> dict[str, str]:
    """Which pile the page shows each card in."""
    found: dict[str, str] = page.locator(".card").evaluate_all(
        "cards => Object.fromEntries(cards.map(c => [c.dataset.card, c.dataset.pile]))"
    )
    return found


def piles_of(position: KlondikePosition) -> dict[str, str]:
    found = {card_name(card): "waste" for card in position.waste}
    found |= {card_name(card): "stock" for card in position.stock}
    for column in range(7):
        for card in position.down[column] + position.up[column]:
            found[card_name(card)] = f"column {column + 1}"
    return {card_name(card): found.get(card_name(card), "foundation") for card in range(52)}


def expect_full_foundations(page: Page) -> None:
    for suit in SUITS:
        expect(page.locator(f'[data-foundation="{suit}"]')).to_have_attribute("data-height", "13")
    expect(page.get_by_test_id("sentence")).to_contain_text("All four foundations are full.")


def expect_move(page: Page, number: int, of: int) -> None:
    expect(page.get_by_test_id("count")).to_have_text(f"{number} / {of}")


def button(page: Page, name: str) -> Locator:
    return page.get_by_test_id("table").get_by_role("button", name=name, exact=True)


def title(deal: str) -> str:
    dealer, seed = parse_deal_id(deal)
    return deal_title(dealer.slug, seed)


def open_deal(page: Page, dashboard: str, deal: str, rules: str | None = None) -> None:
    page.goto(f"{dashboard}/?deal={deal}" + (f"&rules={rules}" if rules else ""))
    expect(page.get_by_role("heading", name=title(deal), exact=True)).to_be_visible()
    expect(page.locator(".card")).to_have_count(52)


def test_a_link_opens_the_deal(
    page: Page, dashboard: str, sql: Sql, winnable: tuple[str, list[Any]]
) -> None:
    deal, moves = winnable
    open_deal(page, dashboard, deal)
    assert piles(page) == piles_of(KlondikePosition.start(deal_by_id(deal), parse_ruleset(RULES)))
    # As a player says it; nodes, parameters and slugs are behind marks.
    expect(page.get_by_text(f"Klondike, draw 3: ✓ winnable in {len(moves)} moves")).to_be_visible()
    expect(page.get_by_test_id("outcomes")).to_be_hidden()
    expect_move(page, 0, len(moves))
    stored = sql(
        "SELECT r.slug, s.name, o.result, o.nodes FROM outcome o JOIN deal d ON d.id = o.deal_id "
        "JOIN ruleset r ON r.id = o.ruleset_id JOIN solver s ON s.id = o.solver_id "
        "WHERE d.seed = ?",
        int(deal.partition(":")[2]),
    )
    rows = page.get_by_test_id("outcomes").locator("tbody tr")
    expect(rows).to_have_count(len(stored))
    for slug, solver, result, nodes in stored:
        row = rows.filter(has_text=ruleset_title(slug)).filter(has_text=solver)
        expect(row).to_contain_text(result.replace("_", " "))
        expect(row).to_contain_text(f"{nodes:,}")


def test_the_link_chooses_the_ruleset(page: Page, dashboard: str, sql: Sql) -> None:
    [(seed, moves)] = sql(
        "SELECT d.seed, s.moves FROM solution s JOIN deal d ON d.id = s.deal_id "
        "JOIN ruleset r ON r.id = s.ruleset_id WHERE r.slug = 'klondike-draw1' LIMIT 1"
    )
    open_deal(page, dashboard, f"thoughtful-1:{seed}", "klondike-draw1")
    start = KlondikePosition.start(
        deal_by_id(f"thoughtful-1:{seed}"), parse_ruleset("klondike-draw1")
    )
    won = shown_win(start, unpack_solution(decompress("klondike", moves)), 0)
    expect_move(page, 0, len(won))
    told = page.get_by_text(f"Klondike, draw 1: ✓ winnable in {len(won)} moves")
    expect(told).to_be_visible()
    # Choosing another one is written into the address, and changes no word about this one.
    pick(page, ruleset_title(RULES))
    expect(page).to_have_url(re.compile(rf"rules={RULES}"))
    expect(page.get_by_text(ruleset_title(RULES), exact=True).first).to_be_visible()
    expect(told).to_be_visible()


@pytest.mark.thorough
def test_buttons_replay_to_four_full_foundations(
    page: Page, dashboard: str, winnable: tuple[str, list[Any]]
) -> None:
    deal, moves = winnable
    open_deal(page, dashboard, deal, RULES)
    expect(button(page, "One move back")).to_be_disabled()
    position = KlondikePosition.start(deal_by_id(deal), parse_ruleset(RULES))
    forward = button(page, "One move forward")
    for number, move in enumerate(moves, start=1):
        if number <= 20:
            forward.click()
        else:
            forward.press("Enter")  # presses the button too, and does not wait for it to settle
        position = position.play(move)
        if number % 10 == 0:
            expect_move(page, number, len(moves))
            assert piles(page) == piles_of(position)
    expect_full_foundations(page)
    expect(forward).to_be_disabled()
    button(page, "One move back").click()
    expect_move(page, len(moves) - 1, len(moves))
    button(page, "First position").click()
    expect_move(page, 0, len(moves))
    button(page, "Last position").click()
    expect_full_foundations(page)


def test_keys_replay_to_four_full_foundations(
    page: Page, dashboard: str, winnable: tuple[str, list[Any]]
) -> None:
    deal, moves = winnable
    open_deal(page, dashboard, deal, RULES)
    page.keyboard.press("ArrowRight")  # without any click before
    expect_move(page, 1, len(moves))
    page.get_by_test_id("stage").click(position={"x": 5, "y": 5})
    for _ in moves[1:]:
        page.keyboard.press("ArrowRight")
    expect_full_foundations(page)
    page.keyboard.press("ArrowLeft")
    expect_move(page, len(moves) - 1, len(moves))
    page.keyboard.press("Home")
    expect_move(page, 0, len(moves))
    page.keyboard.press("End")
    expect_full_foundations(page)
    # Keys typed into a field are the field's own.
    page.get_by_role("textbox", name="Deal").click()
    page.keyboard.press("Home")
    expect_move(page, len(moves), len(moves))


@pytest.mark.thorough
def test_autoplay_reaches_four_full_foundations(
    page: Page, dashboard: str, winnable: tuple[str, list[Any]]
) -> None:
    deal, moves = winnable
    open_deal(page, dashboard, deal, RULES)
    # From near the end: the film of all moves would take as long as it takes to watch.
    page.get_by_role("slider", name="Move number").fill(str(len(moves) - 40))
    page.get_by_label("Speed of play").select_option("20")
    page.get_by_test_id("stage").click(position={"x": 5, "y": 5})
    page.keyboard.press(" ")
    expect(button(page, "Pause")).to_be_visible()
    button(page, "Pause").click()
    expect(button(page, "Play")).to_be_visible()
    expect(page.get_by_test_id("count")).not_to_have_text(f"{len(moves)} / {len(moves)}")
    button(page, "Play").click()
    expect_full_foundations(page)
    expect(button(page, "Play")).to_be_visible()


@pytest.mark.thorough
def test_the_slider_and_the_list_of_moves_jump(
    page: Page, dashboard: str, winnable: tuple[str, list[Any]]
) -> None:
    deal, moves = winnable
    open_deal(page, dashboard, deal, RULES)
    page.get_by_role("slider", name="Move number").fill(str(len(moves) // 2))
    expect_move(page, len(moves) // 2, len(moves))
    page.get_by_text("All moves").click()
    page.locator(".list button").nth(6).click()
    expect_move(page, 7, len(moves))
    position = KlondikePosition.start(deal_by_id(deal), parse_ruleset(RULES))
    for move in moves[:7]:
        position = position.play(move)
    assert piles(page) == piles_of(position)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("relaxed", "wait for each other: none of them can be the first to leave"),
        ("conflict", "let every other card be wherever it is wanted and never in the way"),
    ],
)
def test_a_dead_end_is_explained_on_the_cards(
    page: Page, dashboard: str, sql: Sql, kind: str, sentence: str
) -> None:
    [(seed, witness)] = sql(
        "SELECT d.seed, e.witness FROM dead_end e JOIN deal d ON d.id = e.deal_id "
        "JOIN ruleset r ON r.id = e.ruleset_id WHERE e.kind = ? AND r.slug = ? "
        "ORDER BY length(e.witness) DESC LIMIT 1",
        kind,
        RULES,
    )
    open_deal(page, dashboard, f"thoughtful-1:{seed}", RULES)
    for number, name in enumerate(witness.split(), start=1):
        expect(page.locator(f'.card[data-card="{name}"]')).to_have_attribute(
            "data-mark", str(number)
        )
    expect(page.locator(".card.marked")).to_have_count(len(witness.split()))
    expect(page.get_by_text("A dead end before the first move")).to_be_visible()
    assert sentence in page.get_by_test_id("stMain").inner_text()
    expect(page.get_by_test_id("controls")).to_be_hidden()


@pytest.mark.thorough
def test_a_deal_nobody_tried_shows_its_cards(page: Page, dashboard: str) -> None:
    open_deal(page, dashboard, "pysolfc:25")
    expect(page.get_by_text("No solver has attempted this deal yet")).to_be_visible()
    expect(page.get_by_role("button", name="Solve it by exact")).to_be_visible()
    assert piles(page) == piles_of(
        KlondikePosition.start(deal_by_id("pysolfc:25"), parse_ruleset(RULES))
    )


NONSENSE = {
    "nonsense": "'nonsense' is not a deal: expected dealer:seed",
    "nobody:1": "Unknown dealer 'nobody'",
    "solvitaire:99999999999": "Seed 99999999999 is out of range for dealer solvitaire",
    "thoughtful-1:-1": "'thoughtful-1:-1' is not a deal",
    "0" * 32: "No deal in the catalogue has the digest 0000",
    "%3Cscript%3Ealert(1)%3C/script%3E": "is not a deal",
    "**a**:1": "Unknown dealer '**a**'",
    "![x](y)": "'![x](y)' is not a deal",
    "thoughtful-1:5&rules=bridge": "Unknown ruleset 'bridge'",
}


@pytest.mark.thorough
def test_a_nonsense_link_gets_one_sentence(page: Page, dashboard: str) -> None:
    for link, sentence in NONSENSE.items():
        page.goto(f"{dashboard}/?deal={link}")
        alert = page.get_by_role("alert")
        expect(alert).to_have_count(1)
        expect(alert).to_contain_text(sentence)
        expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.thorough
def test_a_link_without_rules_is_of_a_game_of_its_dealer(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/?deal=microsoft:617")
    expect(page.get_by_role("heading", name="Deal 617 of Microsoft", exact=True)).to_be_visible()
    refusal = page.get_by_role("alert").filter(has_text="does not deal")
    expect(refusal).to_have_count(0)


@pytest.mark.thorough
def test_the_page_goes_on_after_nonsense(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/?deal=nonsense")
    expect(page.get_by_role("alert")).to_be_visible()
    box = page.get_by_role("textbox", name="Deal")
    box.fill("thoughtful-1:3")
    box.press("Enter")
    expect(page.get_by_role("heading", name="Deal 3", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?deal=thoughtful-1(:|%3A)3"))
    expect(page.get_by_role("alert")).to_have_count(0)


def open_page(page: Page, name: str) -> None:
    """Open a page of the group *Catalogue* by the menu."""
    page.get_by_test_id("stTopNavSection").filter(has_text="Catalogue").click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=name).click()


@pytest.mark.thorough
def test_one_can_leave_a_linked_deal(page: Page, dashboard: str) -> None:
    open_deal(page, dashboard, "thoughtful-1:3")
    page.get_by_role("button", name="4 →").click()
    expect(page.get_by_role("heading", name="Deal 4", exact=True)).to_be_visible()
    open_page(page, "Deals")
    expect(page.get_by_role("heading", name="Deals")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Deal 4", exact=True)).to_be_visible()
    open_page(page, "Overview")
    expect(page.get_by_text("In the catalogue")).to_be_visible()
    expect(page).to_have_url(f"{dashboard}/")


@pytest.mark.thorough
def test_a_deal_opened_on_its_page_can_be_reloaded(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/deal")
    box = page.get_by_role("textbox", name="Deal")
    expect(box).to_be_visible()
    settle(page)
    box.fill("thoughtful-1:3")
    box.press("Enter")
    expect(page.get_by_role("heading", name="Deal 3", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?deal=thoughtful-1(:|%3A)3"))
    for reopen in (page.reload, lambda: page.goto(f"{dashboard}/deal?deal=thoughtful-1:3")):
        reopen()
        # A page that is not found is told so in a dialog that nothing can be clicked below.
        page.get_by_role("button", name="4 →").click()
        expect(page.get_by_role("heading", name="Deal 4", exact=True)).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.get_by_role("button", name="← 3").click()
        expect(page.get_by_role("heading", name="Deal 3", exact=True)).to_be_visible()


def test_texts_to_copy_are_drawn_when_unfolded(
    page: Page, dashboard: str, winnable: tuple[str, list[Any]]
) -> None:
    name, moves = winnable
    page.goto(f"{dashboard}/?deal={name}&rules={RULES}")
    settle(page)
    code = page.get_by_test_id("stCode")
    expect(page.get_by_text("The solution as text")).to_be_visible()
    expect(code).to_have_count(0)
    unfold(page, "The solution as text")
    expect(code).to_have_text(" ".join(map(str, moves)))
    # Another one leaves it open.
    unfold(page, "The cards as text")
    expect(page.get_by_text(f"Digest {deal_by_id(name).digest}")).to_be_visible()
    expect(code).to_have_count(2)
