"""Spider on the pages, in a real browser: a replay to the last run, links, and what is refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from catalogue import store
from catalogue.browse import DealFilter, deal_detail, list_deals
from catalogue.jobs import submit
from dashboard import wording
from dashboard.spider_replay import Table, frame, frames
from engine.cards import card_name, parse_card
from engine.dealers import get_dealer, parse_sample
from engine.games import SPIDER
from engine.replay import ReplayError
from engine.rulesets import NAMED, SpiderRules
from engine.spider_moves import SpiderMove, parse_solution
from engine.spider_referee import SpiderPosition

RULES = "spider-1"
MONKEY = "monkey(level=3, period=50)"
SAMPLE = "thoughtful-1:0-11"


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


# --- frames and words ----------------------------------------------------------------------------


@pytest.fixture
def position() -> SpiderPosition:
    """A table of few cards: a run that lacks its ace, and one row to come."""
    run = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    up = [f"5H {run}", "AS", "JH TH", "QD", "", "9C", "9D", "9H", "8H", "2C"]
    down = ["", "3C", "7D", *[""] * 7]
    row = cards("AD 2D 3D 4D 5D 6D 7D 8D AC 2H")
    return SpiderPosition(
        SpiderRules(4), tuple(map(cards, down)), tuple(map(cards, up)), (0, 0, 1, 0), (row,)
    )


@pytest.mark.parametrize(
    ("moves", "sentence", "moved"),
    [
        ("34x2", "J♥, 10♥ from column 3 onto Q♦ of column 4, uncovering 7♦.", "JH TH"),
        ("35", "10♥ from column 3 to the empty column 5.", "TH"),
        (
            "21",
            "A♠ from column 2 onto 2♠ of column 1, completing a run of spades, king to ace, "
            "uncovering 3♣.",
            "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S",
        ),
        (
            "45 D",
            "Deal a row: A♦, 2♦, 3♦, 4♦, 5♦, 6♦, 7♦, 8♦, A♣, 2♥.",
            "AD 2D 3D 4D 5D 6D 7D 8D AC 2H",
        ),
    ],
)
def test_moves_in_words(position: SpiderPosition, moves: str, sentence: str, moved: str) -> None:
    start = replace(position, rules=SpiderRules(4, deal_onto_empty=True))
    _, steps = frames(start, parse_solution(moves))
    step = steps[-1]
    assert (step.name, step.sentence) == (moves.split()[-1], sentence)
    assert " ".join(name[:2] for name in step.moved) == moved


def of_frame(drawn: dict[str, list[list[str]]]) -> tuple[object, ...]:
    """What a frame shows, without what tells cards of one kind apart."""
    piles = {
        name: tuple(tuple(parse_card(card[:2]) for card in pile) for pile in drawn[name])
        for name in ("down", "up", "stock")
    }
    return piles["down"], piles["up"], piles["stock"], len(drawn["gone"])


def shown(position: SpiderPosition) -> tuple[object, ...]:
    return position.down, position.up, position.stock, sum(position.removed)


def winning_game() -> tuple[SpiderPosition, tuple[SpiderMove, ...]]:
    from solvers.registry import parse_solver

    deals = get_dealer("thoughtful-1").deal_block(0, 12, SPIDER)
    outcomes = parse_solver(MONKEY).solve(deals, NAMED[RULES])
    deal, moves = next((d, o.moves) for d, o in zip(deals, outcomes, strict=True) if o.moves)
    start = SPIDER.start(SPIDER.deal(deal), NAMED[RULES])
    assert isinstance(start, SpiderPosition)
    unpacked = SPIDER.unpack(moves)
    return start, tuple(move for move in unpacked if isinstance(move, SpiderMove))


def test_frames_are_the_referees_positions() -> None:
    start, moves = winning_game()
    drawn, steps = frames(start, moves)
    assert (len(drawn), len(steps)) == (len(moves) + 1, len(moves))
    position = start
    names = sorted(name for pile in drawn[0].values() for cards in pile for name in cards)
    assert len(set(names)) == 104
    assert {name[:2] for name in names} == {card_name(card) for card in range(52) if card % 4 == 2}
    for at, move in enumerate(moves):
        assert of_frame(drawn[at]) == shown(position)
        position = position.play(move)
        # The same 104 cards, each with the name that it began with.
        lying = [name for pile in drawn[at + 1].values() for cards in pile for name in cards]
        assert sorted(lying) == names
    assert of_frame(drawn[-1]) == shown(position)
    assert [len(run) for run in drawn[-1]["gone"]] == [13] * 8
    assert drawn[0] == frame(start)


def test_cards_that_do_not_move_keep_their_place() -> None:
    start, moves = winning_game()
    drawn, steps = frames(start, moves)
    for before, after, step in zip(drawn, drawn[1:], steps, strict=False):
        for name in ("down", "up"):
            for column, (was, now) in enumerate(zip(before[name], after[name], strict=True)):
                gone = set(was) - set(now) - set(step.moved)
                # Only a card that turned up may leave a pile without having moved.
                assert gone <= set(after["up"][column])


def test_a_position_in_mid_game_has_names_for_what_is_gone(position: SpiderPosition) -> None:
    table = Table(position)
    assert [name[:2] for name in table.gone[0]] == [f"{rank}S" for rank in "KQJT98765432A"]
    names = [name for pile in (*table.columns, *table.stock, *table.gone) for name in pile]
    assert len(set(names)) == len(names)


def test_an_illegal_game_is_refused(position: SpiderPosition) -> None:
    with pytest.raises(ReplayError, match="move 2, 51 "):
        frames(position, parse_solution("35 51"))


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("spider-4", "Spider, all four suits are told apart; a row is not dealt while a column"),
        ("spider-2", "black cards count as spades and red ones as hearts"),
        (
            "spider-1-monkey",
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


def test_the_pages_of_spider(page: Page, address: str, won: tuple[str, int]) -> None:
    deal, length = won
    # From the list to the deal, whose link says under which rules.
    page.goto(f"{address}/deals?ruleset={RULES}&status=winnable")
    page.get_by_role("link", name=deal, exact=True).click()
    expect(page.get_by_role("heading", name=deal, exact=True)).to_be_visible()
    expect(page.locator(".card")).to_have_count(104)
    expect(page.get_by_text(wording.rules_in_words(RULES))).to_be_visible()
    expect(page.get_by_test_id("count")).to_have_text(f"0 / {length}")
    expect(page.locator('.card[data-pile="stock"]')).to_have_count(50)
    expect(page.locator(".card.down")).to_have_count(50 + 44)
    expect(page.locator(".label.stock")).to_have_text("Stock (5 rows), the next row lowest")

    viewer = page.get_by_test_id("table")
    sentence = page.get_by_test_id("sentence")
    viewer.get_by_role("button", name="One move forward", exact=True).click()
    expect(sentence).to_contain_text("Move 1 (")
    expect(page.locator(".card.moved").first).to_be_visible()
    viewer.get_by_role("button", name="Last position", exact=True).click()
    expect(sentence).to_contain_text("completing a run of spades, king to ace")
    expect(sentence).to_contain_text("All eight runs are gone.")
    expect(page.locator('.card[data-pile="gone"]')).to_have_count(104)
    expect(page.locator(".label.gone")).to_have_text("Gone (8)")
    expect(page.locator(".label.stock")).to_have_text("Stock (empty)")

    # The same dealer and seed is another deal in the other game.
    page.get_by_role("radio", name="klondike-draw3", exact=True).click()
    expect(page.locator(".card")).to_have_count(52)
    page.get_by_role("radio", name="spider-4", exact=True).click()
    expect(page.locator(".card")).to_have_count(104)
    expect(page.get_by_text("--rules spider-4 --solver monkey --store")).to_be_visible()

    page.goto(f"{address}/difficulty?ruleset={RULES}")
    expect(page.get_by_text("No exact search plays this game yet")).to_be_visible()
    expect(page.get_by_test_id("solvers")).to_contain_text("monkey(level=3")

    page.goto(f"{address}/overview")
    expect(page.get_by_text(wording.rules_in_words(RULES))).to_be_visible()


def test_a_job_of_spider_is_submitted(page: Page, address: str) -> None:
    page.goto(f"{address}/jobs")
    page.get_by_role("combobox", name="Ruleset").fill("spider-2-monkey")
    page.get_by_role("option", name="spider-2-monkey", exact=True).click()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("exact does not play spider-2-monkey")).to_be_visible()


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


def test_the_page_of_no_deal_says_which_games_are_dealt(page: Page, address: str) -> None:
    page.goto(f"{address}/deal")
    expect(page.get_by_test_id("dealers").get_by_role("row", name="pysolfc")).to_contain_text(
        "Klondike, Spider"
    )
