"""People play at the table: on a phone and on a desktop, by finger, mouse and keys."""

import json
import re
import urllib.request
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from browsing import settle
from engine.patience.own_slugs import slug_of
from engine.patience.rules import Options
from patience import SECONDS, wait_until
from playing import ask_board, button, open_table, play_by_touch, play_line, question_of

SIZES = ((360, 640), (740, 360), (1280, 800))
LOST_BY = ("thoughtful-1:13", "klondike-draw3")


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 360, "height": 640}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    yield page
    context.close()


def choose_game(page: Page, rules: str, band: str) -> None:
    button(page, "New game").click()
    page.get_by_role("radio", name=rules, exact=True).click()
    button(page, band).click()
    expect(page.get_by_test_id("title")).to_contain_text(rules)


def test_an_easy_deal_is_played_to_the_end_with_two_hints_and_reviewed(
    phone: Page, dashboard: str
) -> None:
    open_table(phone, dashboard)
    choose_game(phone, "Klondike, draw 1", "Easy")
    expect(phone.get_by_test_id("title")).to_contain_text(re.compile("easy|effortless"))
    win = ask_board(dashboard, "solution", moves=[], **question_of(phone))["moves"]
    # The ladder: whether it can be won, and which card.
    button(phone, "Hint").tap()
    expect(phone.get_by_test_id("notice")).to_contain_text("It can still be won.")
    button(phone, "Which card?").tap()
    expect(phone.locator(".play .card.hinted").first).to_be_attached()
    # At another position another hint; how far one goes at a position does not count.
    play_by_touch(phone, win[0])
    button(phone, "Hint").tap()
    expect(phone.get_by_test_id("notice")).to_contain_text("It can still be won.")
    made = 1 + play_line(phone, win[1:])
    if made < len(win):
        button(phone, "Finish").tap()
    facts = phone.get_by_test_id("facts")
    expect(facts).to_contain_text(re.compile(rf"Moves\s*{len(win)}"))
    expect(facts).to_contain_text(re.compile(r"Hints\s*2"))
    expect(facts).to_contain_text(re.compile(r"Mistakes\s*0"))
    button(phone, "Review").tap()
    expect(phone.get_by_test_id("review")).to_have_text("No move lost the win.")
    # A win plays by itself until it is stopped.
    button(phone, "Watch the win").tap()
    expect(phone.get_by_test_id("sentence")).to_have_text(re.compile("^2 of "))
    button(phone, "Pause").tap()
    expect(button(phone, "Pause")).to_have_count(0)
    button(phone, "To my game").tap()
    # It stands in the history, and what is exported is what is kept.
    phone.keyboard.press("Escape")
    button(phone, "Menu").tap()
    button(phone, "My games").tap()
    expect(phone.get_by_test_id("win-rates")).to_contain_text("1 of 1")
    expect(phone.get_by_test_id("history")).to_contain_text(f"won, {len(win)} moves")
    kept = json.loads(phone.evaluate("localStorage.getItem('thoughtful-games')"))
    with phone.expect_download() as started:
        phone.get_by_role("link", name="Export").tap()
    assert json.loads(started.value.path().read_text(encoding="utf-8")) == kept[::-1]
    button(phone, "Delete all").tap()
    button(phone, "Delete").tap()
    expect(phone.get_by_test_id("history").locator("li")).to_have_count(0)
    # The game on the table, which ends up kept whenever the page is left, is gone, too.
    phone.reload()
    expect(phone.locator(".play .card").first).to_be_visible()
    assert phone.evaluate("localStorage.getItem('thoughtful-games')") == "[]"


def test_a_lost_game_tells_where_it_was_lost(phone: Page, dashboard: str) -> None:
    deal, rules = LOST_BY
    open_table(phone, dashboard, f"?deal={deal}&rules={rules}")
    # A deal that was not chosen by its level has one, too.
    expect(phone.get_by_test_id("title")).to_have_text(re.compile("deal 13 · [a-z]+$"))
    line: list[str] = []

    def analysed() -> list[dict[str, object]]:
        answer = ask_board(dashboard, "analysis", deal=deal, rules=rules, moves=line, again=True)
        moves: list[dict[str, object]] = answer["moves"]
        return moves if "undecided" not in {move["verdict"] for move in moves} else []

    losing = None
    for _ in range(60):
        moves = wait_until(analysed, "all verdicts are known") or []
        losing = next((move for move in moves if move["verdict"] == "unwinnable"), None)
        move = losing or moves[0]
        play_by_touch(phone, move)
        line.append(str(move["name"]))
        if losing:
            break
    assert losing is not None
    more = ask_board(dashboard, "table", deal=deal, rules=rules, moves=line)["moves"]
    play_by_touch(phone, more[0])
    button(phone, "Check").tap()
    notice = phone.get_by_test_id("notice")
    expect(notice).to_contain_text("It cannot be won any more.")
    button(phone, "End the game").tap()
    facts = phone.get_by_test_id("facts")
    expect(facts).to_contain_text(re.compile(r"Mistakes\s*1"))
    expect(facts).to_contain_text(re.compile("Level[A-Z]"))
    button(phone, "Review").tap()
    expect(phone.get_by_test_id("mistakes")).to_contain_text(f"Move {len(line)} lost it:")
    button(phone, "Retry from there").tap()
    expect(notice).to_contain_text("Here it can still be won.")
    expect(phone.get_by_test_id("clock")).to_contain_text(f"{len(line) - 1} moves")
    button(phone, "Check").tap()
    expect(notice).to_contain_text("It can still be won.")


def test_who_loses_a_game_of_spider_may_search_longer_for_the_move(
    phone: Page, dashboard: str
) -> None:
    deal, rules = "thoughtful-1:0", "spider-4"
    open_table(phone, dashboard, f"?deal={deal}&rules={rules}")
    line: list[str] = []
    for number in range(30):
        moves = ask_board(dashboard, "table", deal=deal, rules=rules, moves=line)["moves"]
        if not moves:
            break
        move = moves[7 * number % len(moves)]
        words = re.compile(f"^([1-9]. )?{re.escape(move['foreseen'])}$")
        button(phone, words).first.dispatch_event("click")
        line.append(move["name"])
        expect(phone.get_by_test_id("clock")).to_contain_text(f"{number + 1} move")
    button(phone, "Menu").tap()
    button(phone, "Give up").tap()
    button(phone, "Review").tap()
    told = phone.get_by_test_id("review")
    expect(told).to_have_text(re.compile("^Where a win was lost was not found within 5 s."))
    button(phone, "Search longer: up to 10 s").tap()
    expect(button(phone, "Cancel the search of up to 10 s")).to_be_visible()
    # It ends with the move, or with the next longer search.
    move = phone.get_by_test_id("mistakes").get_by_role("button")
    longest = button(phone, "Search longer: up to 100 s")
    expect(longest.or_(move).first).to_be_visible()
    if longest.is_visible():
        # Who leaves the sheet ends the search: nothing opens over the game.
        longest.tap()
        expect(button(phone, "Cancel the search of up to 100 s")).to_be_visible()
        with phone.expect_request(lambda request: '"cancel":true' in (request.post_data or "")):
            phone.get_by_role("button", name="Close").first.tap()
        expect(phone.get_by_role("dialog")).to_have_count(0)


def test_a_deal_that_cannot_be_won_is_reviewed_as_one(phone: Page, dashboard: str) -> None:
    open_table(phone, dashboard, "?deal=thoughtful-1:8&rules=klondike-draw3")
    button(phone, "Menu").tap()
    button(phone, "Give up").tap()
    expect(phone.get_by_test_id("facts")).to_contain_text(re.compile(r"Mistakes\s*0"))
    button(phone, "Review").tap()
    words = "It could not be won from the start, whatever you play."
    expect(phone.get_by_test_id("review")).to_have_text(words)
    expect(phone.locator(".lines")).to_contain_text("There is no win.")


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("puzzles?rules=spider-4", "There are no puzzles under spider-4"),
        ("puzzles?rules=spider-1&theme=king", "'king' is not a theme of puzzles under spider-1"),
        ("puzzles?theme=nope", "'nope' is not a theme of puzzles"),
        ("play?rules=nope", "Unknown ruleset 'nope'"),
        ("daily?date=2999-01-01", "The deal of 2999-01-01 is not drawn yet"),
    ],
)
def test_a_link_to_what_is_not_there_says_so(
    phone: Page, dashboard: str, link: str, words: str
) -> None:
    phone.goto(f"{dashboard}/{link}")
    told = phone.get_by_test_id("stAlert").or_(phone.get_by_test_id("notice"))
    expect(told.filter(has_text=words).first).to_be_visible()


def test_the_rules_of_a_link_are_played(phone: Page, dashboard: str) -> None:
    open_table(phone, dashboard, "?rules=klondike-draw2")
    expect(phone.get_by_test_id("title")).to_have_text(re.compile("^Klondike, draw 2 · deal"))
    phone.goto(f"{dashboard}/daily?rules=freecell")
    chosen = phone.get_by_role("radio", name="FreeCell", exact=True)
    expect(chosen).to_have_attribute("aria-checked", "true")
    button(phone, "Today").tap()
    expect(phone.get_by_test_id("title")).to_contain_text("FreeCell · daily")
    # Another game from there has an address and a title of its own.
    choose_game(phone, "Klondike, draw 1", "Easy")
    expect(phone).to_have_url(re.compile("/play[?]"))
    expect(phone).to_have_title("Play · Thoughtful")


def cards_on(page: Page) -> list[str]:
    """The cards of a table, in the order in which they lie."""
    cards = "cards => cards.map(c => [c.dataset.card, c.style.getPropertyValue('--x')].join(' '))"
    found: list[str] = page.locator(".play .card").evaluate_all(cards)
    return found


def test_the_deal_of_the_day_and_of_yesterday(
    phone: Page, browser: Browser, dashboard: str
) -> None:
    phone.goto(f"{dashboard}/daily")
    expect(phone.get_by_test_id("calendar")).to_be_visible()
    button(phone, "Today").tap()
    expect(phone.get_by_test_id("title")).to_have_text(re.compile(r"daily, [-0-9]+ · [a-z]+$"))
    today, address = cards_on(phone), phone.url
    assert "date=" in address
    # The link leads another visitor to the same cards.
    context = browser.new_context(viewport={"width": 360, "height": 640})
    other = context.new_page()
    other.goto(address)
    expect(other.get_by_test_id("title")).to_contain_text("daily")
    assert cards_on(other) == today
    context.close()
    phone.locator(".play .card[data-pile=stock]").last.tap()
    expect(phone.get_by_test_id("clock")).to_contain_text("1 move")
    phone.reload()
    expect(phone.get_by_test_id("clock")).to_contain_text("1 move")
    phone.goto(f"{dashboard}/daily")
    button(phone, "Yesterday").tap()
    expect(phone.get_by_test_id("clock")).to_contain_text("0 moves")
    assert cards_on(phone) != today


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_whole_table_is_in_the_first_view(
    browser: Browser, dashboard: str, width: int, height: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=width < 1000
    )
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    refused: list[str] = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status > 399 else None)
    for rules in ("klondike-draw3", "spider-1", "freecell"):
        open_table(page, dashboard, f"?deal=thoughtful-1:7&rules={rules}")
        boxes = page.locator(".play .card, .play .slot, .play .bar button").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect())"
            ".map(box => [box.left, box.top, box.right, box.bottom])"
        )
        assert len(boxes) >= 52 + 4 + 8  # cards, buttons, slots
        for left, top, right, bottom in boxes:
            assert min(left, top, width + 1 - right, height + 1 - bottom) >= 0
        assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight")
    page.goto(f"{dashboard}/puzzles?rules=klondike-draw3&key=test+0")
    expect(page.get_by_test_id("sentence")).to_contain_text("keeps the win")
    expect_whole_cards(page)
    assert refused == []
    context.close()


def expect_whole_cards(page: Page) -> None:
    """Wait until the table, laid out for its size, shows each of its cards whole."""
    # A table of another size is laid out anew with the next frame.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    # The cards that the table does not show whole.
    cut = """stage => {
      const inside = stage.getBoundingClientRect();
      const cards = [...stage.querySelectorAll(".card")].map(card => card.getBoundingClientRect());
      return document.getAnimations().length || cards.length < 52 || cards.filter(card =>
        Math.min(card.left - inside.left, card.top - inside.top) < -1 ||
        Math.min(inside.right - card.right, inside.bottom - card.bottom) < -1).length;
    }"""
    stage = page.locator(".play .stage")
    wait_until(lambda: not stage.evaluate(cut), "the table shows all its cards whole")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_large_print_hides_no_rank(
    browser: Browser, dashboard: str, width: int, height: int
) -> None:
    """Of a covered card in FreeCell, whose columns are pressed together most."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(1000 * SECONDS)
    page.add_init_script("localStorage.setItem('thoughtful-play', '{\"large\": true}')")
    open_table(page, dashboard, "?deal=microsoft:7&rules=freecell")
    expect(page.locator(".large .card")).to_have_count(52)
    # From the line on which a rank stands to the edge of the next card, in pixels.
    gaps = page.locator(".play .card").evaluate_all(
        """cards => {
          const places = cards.map(card => {
            const rank = card.querySelector("text.ink");
            const foot = new DOMPoint(6, 27).matrixTransform(rank.getScreenCTM()).y;
            const { left, top } = card.getBoundingClientRect();
            return { left, top, foot };
          });
          return places.flatMap(one => {
            const column = places.filter(other => Math.abs(other.left - one.left) < 1);
            const below = column.map(other => other.top).filter(top => top > one.top + 1);
            return below.length ? [Math.min(...below) - one.foot] : [];
          });
        }"""
    )
    assert len(gaps) == 52 - 8
    assert min(gaps) > 0
    page.close()


def test_all_is_done_by_keys(page: Page, dashboard: str) -> None:
    open_table(page, dashboard, "?deal=thoughtful-1:7&rules=klondike-draw1")
    sentence, clock = page.get_by_test_id("sentence"), page.get_by_test_id("clock")
    moves = ask_board(dashboard, "table", deal="thoughtful-1:7", rules="klondike-draw1", moves=[])
    page.keyboard.press("1")
    expect(sentence).to_have_text(f"Move 1: {moves['moves'][0]['sentence']}")
    page.keyboard.press("t")
    expect(sentence).to_contain_text("Move 2: Turn one card")
    page.keyboard.press("Control+z")
    expect(sentence).to_contain_text("Move 1:")
    page.keyboard.press("Control+Shift+z")
    expect(sentence).to_contain_text("Move 2:")
    expect(clock).to_contain_text("2 moves")
    page.keyboard.press("h")
    expect(page.get_by_test_id("notice")).to_contain_text("won")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("notice")).to_be_hidden()
    page.keyboard.press("m")
    expect(page.get_by_test_id("sheet")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("sheet")).to_be_hidden()
    # The list of moves shows while the focus is in it.
    page.get_by_test_id("stage").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_test_id("choices").get_by_role("button").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(sentence).to_contain_text("Move 3:")
    # It is there again after a reload, undone moves as well.
    page.keyboard.press("u")
    expect(sentence).to_contain_text("Move 2:")
    page.reload()
    expect(sentence).to_contain_text("Move 2:")
    page.keyboard.press("ArrowRight")
    expect(sentence).to_contain_text("Move 3:")


def test_two_passes_without_a_change_are_told(page: Page, dashboard: str) -> None:
    open_table(page, dashboard, "?deal=thoughtful-1:7&rules=klondike-draw3")
    for number in range(1, 19):
        page.keyboard.press("t")
        expect(page.get_by_test_id("sentence")).to_contain_text(f"Move {number}:")
        expect(page.locator(".play .choices button").first).to_be_attached()
    notice = page.get_by_test_id("notice")
    expect(notice).to_contain_text("Two passes through the stock have changed nothing.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_table_and_its_sheets_are_accessible(
    browser: Browser, dashboard: str, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": 360, "height": 640},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    open_table(page, dashboard, "?deal=thoughtful-1:7&rules=klondike-draw3")

    def check(what: str) -> None:
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response
        bad = [
            each["id"] for each in found["violations"] if each["impact"] in ("serious", "critical")
        ]
        assert bad == [], what

    check("table")
    button(page, "Hint").click()
    expect(page.get_by_test_id("notice")).to_contain_text("won")
    check("hint")
    for name in ("New game", "Menu"):
        button(page, name).click()
        expect(page.get_by_test_id("sheet")).to_be_visible()
        check(name)
        if name == "New game":
            button(page, "Deal of the day").click()
            check("daily")
        page.keyboard.press("Escape")
    context.close()


def test_spider_is_played_with_a_hint(phone: Page, dashboard: str) -> None:
    open_table(phone, dashboard, "?deal=thoughtful-1:7&rules=spider-1")
    button(phone, "Hint").tap()
    notice = phone.get_by_test_id("notice")
    expect(notice).to_contain_text("It can still be won")
    button(phone, "Which card?").tap()
    button(phone, "Show the move").tap()
    button(phone, "Play it").tap()
    expect(phone.get_by_test_id("sentence")).to_contain_text("Move 1:")
    button(phone, "Menu").tap()
    button(phone, "Review my moves").tap()
    expect(phone.get_by_test_id("review")).to_have_text("No move lost the win.")


@pytest.mark.parametrize(
    "rules", ["klondike-draw1", pytest.param("spider-1", marks=pytest.mark.thorough)]
)
def test_five_puzzles_are_solved_and_one_is_not(phone: Page, dashboard: str, rules: str) -> None:
    notice, own_size = phone.get_by_test_id("notice"), phone.viewport_size
    assert own_size is not None
    for number in range(5):
        query = {"rules": rules, "theme": None, "key": f"test {number}"}
        made = ask_board(dashboard, "puzzle_position", **query)
        phone.goto(f"{dashboard}/puzzles?rules={rules}&key=test+{number}")
        plays = f"Only one of {made['puzzle']['plays']} plays keeps the win"
        expect(phone.get_by_test_id("sentence")).to_contain_text(plays)
        for width, height in (*SIZES, (own_size["width"], own_size["height"])):
            phone.set_viewport_size({"width": width, "height": height})
            expect_whole_cards(phone)
        for move in made["puzzle"]["solution"]:
            play_by_touch(phone, move)
        expect(notice).to_contain_text("Right: it is the only one of")
    # Another play loses, and the one that does not is shown.
    button(phone, "Next puzzle").tap()
    expect(phone).not_to_have_url(re.compile("test"))
    losing = None
    for number in range(20):
        made = ask_board(
            dashboard, "puzzle_position", rules=rules, theme=None, key=f"lost {number}"
        )
        question = {"rules": rules, "deal": made["deal"]}
        moves = ask_board(dashboard, "analysis", moves=[], again=True, **question)["moves"]
        losing = next((move for move in moves if move["verdict"] == "unwinnable"), None)
        if losing:
            phone.goto(f"{dashboard}/puzzles?rules={rules}&key=lost+{number}")
            expect(phone.get_by_test_id("sentence")).to_contain_text("keeps the win")
            break
    assert losing is not None
    play_by_touch(phone, losing)
    expect(notice).to_contain_text("That loses the win.")
    # Another try is told as well, and does not count.
    button(phone, "Try again").tap()
    play_by_touch(phone, losing)
    expect(notice).to_contain_text("That loses the win.")
    button(phone, "Show it").tap()
    expect(notice).to_contain_text("The play that keeps the win.")
    button(phone, "Next").tap()
    expect(notice).to_contain_text(made["puzzle"]["solution"][0]["sentence"])
    # What is watched is not played on.
    expect(phone.locator(".play .card.free")).to_have_count(0)
    button(phone, "To my game").tap()
    button(phone, "Menu").tap()
    button(phone, "Begin this deal again").tap()
    expect(phone.get_by_test_id("sentence")).to_contain_text("keeps the win: which card?")
    phone.goto(f"{dashboard}/puzzles?rules={rules}")
    expect(phone.get_by_test_id("puzzles-solved")).to_have_text("5 of 6 puzzles solved.")


def test_it_can_be_installed(dashboard: str) -> None:
    def fetched(path: str, accept: str) -> tuple[str, bytes]:
        request = urllib.request.Request(dashboard + path, headers={"Accept": accept})
        with urllib.request.urlopen(request) as answer:
            return answer.headers["Content-Type"], answer.read()

    for path in ("/", "/play", "/puzzles"):
        document = fetched(path, "text/html,*/*")[1].decode()
        assert document.count('<link rel="manifest" href="./manifest.webmanifest" />') == 1
        assert "<title>Thoughtful</title>" in document
    kind, content = fetched("/manifest.webmanifest", "*/*")
    assert kind == "application/manifest+json"
    manifest = json.loads(content)
    assert (manifest["start_url"], manifest["display"]) == ("./play", "standalone")
    for icon in manifest["icons"]:
        kind, content = fetched(icon["src"].removeprefix("."), "*/*")
        assert kind == icon["type"]
        if icon["sizes"] != "any":  # the size that a PNG states
            size = [int.from_bytes(content[at : at + 4]) for at in (16, 20)]
            assert icon["sizes"] == f"{size[0]}x{size[1]}"


def test_the_menu_of_a_phone_closes_and_links_stay_in_the_tab(phone: Page, dashboard: str) -> None:
    phone.goto(f"{dashboard}/find")
    phone.get_by_test_id("stExpandSidebarButton").click()
    phone.get_by_test_id("stSidebarNavLink").filter(has_text="Deals").click()
    expect(phone).to_have_url(re.compile("/deals"))
    expect(phone.get_by_test_id("stExpandSidebarButton")).to_be_visible()
    expect(phone).to_have_title("Deals · Thoughtful")
    phone.goto(f"{dashboard}/?deal=thoughtful-1:7&rules=klondike-draw1")
    settle(phone)
    phone.get_by_role("link", name="Play it").click()
    expect(phone.locator(".play .card").first).to_be_visible()
    assert len(phone.context.pages) == 1


def test_games_of_data_are_played(phone: Page, dashboard: str) -> None:
    """Also one that nobody had named when the table was first opened."""
    open_table(phone, dashboard)
    mine = slug_of(Options(columns=9, building="same-suit", cells=2, founded="all"))
    for rules, deal, cards in (("freecell", "microsoft:617", 52), (mine, "solvitaire:3", 52)):
        phone.goto(f"{dashboard}/play?rules={rules}&deal={deal}")
        expect(phone.get_by_test_id("title")).to_contain_text(f"deal {deal.partition(':')[2]}")
        expect(phone.locator(".play .card")).to_have_count(cards)
        moves = ask_board(dashboard, "table", deal=deal, rules=rules, moves=[])["moves"]
        play_by_touch(phone, moves[0])
        expect(phone.get_by_test_id("clock")).to_contain_text("1 move")


def test_freecell_is_chosen_and_dealt_by_microsofts_numbers(phone: Page, dashboard: str) -> None:
    open_table(phone, dashboard, "?deal=microsoft:617&rules=freecell")
    choose_game(phone, "FreeCell", "Hard")
    title = phone.get_by_test_id("title")
    expect(title).to_have_text(
        re.compile(r"^FreeCell · deal [0-9]{1,7} · (hard|very hard|fiendish)$")
    )
    expect(phone.get_by_test_id("sentence")).to_have_text("FreeCell. This deal can be won.")
    button(phone, "Hint").tap()
    expect(phone.get_by_test_id("notice")).to_contain_text("It can still be won.")
    # A number that is typed; nobody says that this one, which is impossible, can be won.
    button(phone, "New game").tap()
    number = phone.get_by_label("Or Microsoft’s number")
    number.fill("0")
    button(phone, "Deal it").tap()
    wrong = number.evaluate("field => field.validationMessage")
    assert wrong == "Numbers go from 1 to 8589934591."
    number.fill("781948")
    button(phone, "Deal it").tap()
    expect(title).to_have_text("FreeCell · deal 781948")
    expect(phone.get_by_test_id("sentence")).to_have_text("FreeCell.")
    button(phone, "Check").tap()
    expect(phone.get_by_test_id("notice")).to_contain_text("This deal cannot be won.")
    button(phone, "Another deal").tap()
    expect(phone.get_by_test_id("sentence")).to_have_text("FreeCell. This deal can be won.")


def test_a_game_without_levels_has_one_button_in_place_of_four(phone: Page, dashboard: str) -> None:
    open_table(phone, dashboard, "?deal=microsoft:617&rules=freecell")
    button(phone, "New game").tap()
    expect(button(phone, "Easy")).to_be_visible()
    phone.get_by_text("More games").tap()
    phone.get_by_role("radio", name="Yukon", exact=True).click()
    expect(button(phone, "Easy")).to_have_count(0)
    button(phone, "Deal").tap()
    expect(phone.get_by_test_id("title")).to_have_text(re.compile(r"^Yukon · deal [0-9]+$"))
    expect(phone.get_by_test_id("sentence")).to_have_text("Yukon. This deal can be won.")


def test_cards_in_order_move_as_one_and_come_back_as_one(phone: Page, dashboard: str) -> None:
    question = {"rules": "freecell", "deal": "microsoft:617", "moves": ["5-8"]}
    groups = {group["name"]: group for group in ask_board(dashboard, "table", **question)["groups"]}
    queen_and_jack = groups["8-2x2"]
    assert [step["name"] for step in queen_and_jack["steps"]] == ["8-a", "8-2", "a-2"]
    open_table(phone, dashboard, "?rules=freecell&deal=microsoft:617&line=5-8")
    clock = phone.get_by_test_id("clock")
    play_by_touch(phone, queen_and_jack)
    expect(phone.get_by_test_id("sentence")).to_have_text(
        "Move 3: Q♥, J♣ from column 8 onto K♠ of column 2."
    )
    expect(clock).to_contain_text("3 moves")
    button(phone, "Undo").tap()
    expect(clock).to_contain_text("0 moves")
    phone.keyboard.press("ArrowRight")
    expect(clock).to_contain_text("3 moves")


def test_safe_cards_go_up_by_themselves_if_that_is_asked_for(phone: Page, dashboard: str) -> None:
    line = ["1-a", "1-b", "3-1", "3-2", "6-3"]
    query = {"rules": "freecell", "deal": "microsoft:1", "moves": line}
    moves = ask_board(dashboard, "table", **query)["moves"]
    uncovering = next(move for move in moves if move["name"] == "6-3")
    open_table(phone, dashboard, "?rules=freecell&deal=microsoft:1&line=" + "+".join(line))
    button(phone, "Menu").tap()
    phone.get_by_label("Cards that are needed no more go up by themselves").check()
    phone.keyboard.press("Escape")
    play_by_touch(phone, uncovering)
    expect(phone.get_by_test_id("sentence")).to_contain_text("Then 2 cards went up.")
    expect(phone.get_by_test_id("clock")).to_contain_text("3 moves")
    button(phone, "Undo").tap()
    expect(phone.get_by_test_id("clock")).to_contain_text("0 moves")
