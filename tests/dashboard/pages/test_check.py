"""Tests of the page that checks a game: pasted, given as a file, or named."""

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from browsing import settle, unfold
from catalogue import asking, chances
from catalogue.difficulty.playable import PLAYED
from dashboard.http_api.questions import question
from dashboard.pages import check
from dashboard.server.searching import begun, compile_kernels, forget, key_of_longer
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.formats import get_format
from engine.game import Deal, Rules
from engine.games import game_of, get_game
from engine.intake import EntryReader, read_one
from engine.replay import replay
from engine.rulesets import parse_ruleset
from patience import SECONDS, wait_until
from samples import sizes
from solvers.deciding import Verdict
from solvers.solver import Solver, parse_solver

RULES = parse_ruleset("klondike-draw3")
GAME = game_of(RULES)


def script() -> None:
    from dashboard.pages import check

    check.show()


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AppTest:
    """The page without a catalogue."""
    # On a busy machine a second may not be enough.
    monkeypatch.setattr(asking, "MILLISECONDS", 60_000.0)
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    return AppTest.from_function(script, default_timeout=SECONDS).run()


def asked(app: AppTest, text: str, rules: str = "klondike-draw3") -> AppTest:
    app.text_area(key="check-text").input(text)
    app.selectbox(key="check-rules").set_value(rules)
    return sent(app)


def sent(app: AppTest) -> AppTest:
    """Send the form of the page."""
    return next(each for each in app.button if each.label == "Check it").click().run()


def headings(app: AppTest) -> list[str]:
    return [re.sub(r"\\(.)", r"\1", each.value) for each in app.subheader]


def wins(deal: Deal) -> bool:
    (outcome,) = parse_solver("exact").solve(deal.as_array()[None], RULES)
    return outcome.moves is not None


def page_or_another() -> None:
    import streamlit as st

    from dashboard.pages import check

    if not st.session_state.get("elsewhere"):
        check.show()


def test_the_games_of_play_are_the_first_rules(app: AppTest) -> None:
    rules = app.selectbox(key="check-rules")
    assert rules.value == "klondike-draw1"
    assert rules.options[:3] == ["Klondike, draw 1", "Klondike, draw 3", "Spider, 1 suit"]
    assert "FreeCell" in rules.options[: len(PLAYED)]
    rest = rules.options[len(PLAYED) :]
    assert rest == sorted(rest, key=str.casefold)
    linked = AppTest.from_function(page_or_another, default_timeout=SECONDS)
    linked.query_params["rules"] = "spider-2"
    assert linked.run().selectbox(key="check-rules").value == "spider-2"
    # Who comes back from another page, which has dropped the choice, by the same link.
    for elsewhere in (True, False):
        linked.session_state["elsewhere"] = elsewhere
        linked.run()
    assert linked.run().selectbox(key="check-rules").value == "spider-2"
    assert "spider-2" in linked.query_params["rules"]


@pytest.mark.parametrize("form", ["pysolfc", "klondike-solver", "solvitaire", "json"])
def test_a_pasted_deal_has_the_verdict_of_the_exact_search(app: AppTest, form: str) -> None:
    for seed in (3, 5, 11, 12):
        deal = deal_by_id(f"thoughtful-1:{seed}")
        asked(app, get_format(form).write(deal))
        assert not app.exception
        assert not app.error
        wanted = "✓ Winnable" if wins(deal) else "✗ Unwinnable"
        assert wanted in headings(app)
        assert "The same deal under other rules" in headings(app)


def test_a_programs_number_and_a_link(app: AppTest) -> None:
    app.selectbox(key="check-program").set_value("pysolfc")
    app.text_input(key="check-number").input("4")
    first = headings(sent(app))
    assert first[0] in ("✓ Winnable", "✗ Unwinnable")
    again = AppTest.from_function(script, default_timeout=SECONDS)
    again.query_params["text"] = "pysolfc:4"
    again.query_params["rules"] = "klondike-draw3"
    assert headings(again.run()) == first


def test_hidden_cards_get_the_advice_of_a_player(app: AppTest) -> None:
    start = GAME.start(deal_by_id("thoughtful-1:42"), RULES)
    asked(app, json.dumps(start.observation()))
    assert not app.exception
    (heading,) = headings(app)
    assert re.fullmatch(r".+: wins about \d+.%, give or take \d+.%", heading)
    assert not re.search(r"\b(T|WF|[1-7]{2})\b", heading.partition(":")[0])  # no codes
    assert "uncovering" in heading or "foundation" in heading or "urn the stock" in heading
    under_yan = GAME.start(deal_by_id("thoughtful-1:42"), parse_ruleset("klondike-yan"))
    asked(app, json.dumps(under_yan.observation()), "klondike-yan")
    said = app.info[0].value
    assert "sees only the open cards advises on Klondike, draw 3, whole runs only" in said


def content(app: AppTest) -> str:
    shown = "\n".join(each.value for each in [*app.markdown, *app.caption])
    return re.sub(r"\\(.)", r"\1", shown)  # without escapes


def test_an_unwinnable_deal_has_its_reason(app: AppTest) -> None:
    lost = [seed for seed in range(40) if not wins(deal_by_id(f"thoughtful-1:{seed}"))]
    why = [asking.dead_end_of(deal_by_id(f"thoughtful-1:{seed}"), RULES) for seed in lost]
    dead = lost[next(at for at, each in enumerate(why) if each is not None)]
    searched = lost[why.index(None)]
    asked(app, f"thoughtful-1:{dead}")
    assert "**A dead end before the first move:**" in content(app)
    assert "are outlined and numbered on the table" in content(app)
    assert re.search(r"that is a proof, after [\d,]+ positions?\.", content(app))
    asked(app, f"thoughtful-1:{searched}")
    assert "✗ Unwinnable" in headings(app)
    assert "dead end" not in content(app)
    assert re.search(r"that is a proof, after [\d,]+ positions\.", content(app))


def test_a_longer_search_goes_on_in_the_background(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MILLISECONDS", 0.0)
    name = "thoughtful-1:82"  # more than the first search of all decides
    deal = deal_by_id(name)
    asked(app, name)
    assert headings(app)[0] == "? Undecided"
    assert "Not decided: 0 ms did not suffice." in content(app)
    assert app.button(key="longer").label == "Search longer: up to 10 s"
    seconds = 10
    while headings(app)[0] == "? Undecided":  # a busy machine may need more than one search
        app.button(key="longer").click().run()
        assert app.query_params["seconds"] == str(seconds)
        wait_until(lambda: headings(app.run())[0] != "… Searching", "the search ends")
        seconds *= 10
    assert headings(app)[0] == ("✓ Winnable" if wins(deal) else "✗ Unwinnable")
    assert "goes on while this page is used" not in content(app)
    # All who ask now know of it.
    assert asking.answer(question(name, RULES.slug)).verdict == Verdict.WINNABLE


def test_a_longer_search_is_cancelled(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MILLISECONDS", 0.0)
    asked_for = question("thoughtful-1:9724", RULES.slug)
    key = key_of_longer(asked_for.within(asking.usual_budget(1_000_000.0)))
    app.query_params.update({"text": "thoughtful-1:9724", "rules": RULES.slug, "seconds": "1000"})
    assert headings(app.run())[0] == "… Searching"
    doing = begun(key)
    assert doing is not None
    app.button(key="cancel").click().run()
    assert headings(app)[0] == "? Undecided"
    wait_until(doing.done, "the process of the search is ended")
    assert begun(key) is None


def test_one_ruleset_holds_for_all_that_is_asked_on_the_page(app: AppTest) -> None:
    """Also for the table on which cards are put down, and for the question of a link."""
    asked(app, "thoughtful-1:42")
    assert app.query_params["rules"] == "klondike-draw3"
    app.selectbox(key="check-rules").set_value("klondike-draw1").run()
    assert app.query_params["rules"] == "klondike-draw1"
    assert "Klondike, one card turned at a time" in content(app)


def test_what_is_being_compiled_is_not_called_undecided(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ruleset whose solver is not there yet says so, until it is."""
    compiled = threading.Event()

    def is_ready(solver: Solver, rules: Rules) -> bool:
        return rules.slug != "klondike-yan" or compiled.is_set()

    monkeypatch.setattr(Solver, "is_ready", is_ready)
    forget(("kernels", "klondike-yan"))  # where an earlier test had it compiled
    with monkeypatch.context() as patched:
        patched.setattr(Solver, "prepare", lambda solver, rules: compiled.wait(SECONDS))
        key = compile_kernels(parse_ruleset("klondike-yan"))
    assert key is not None
    asked(app, "thoughtful-1:42")
    assert "… its solver is being compiled" in shown_tables(app)
    compiled.set()
    wait_until(lambda: "being compiled" not in shown_tables(app.run()), "the answer is there")
    assert "Undecided" not in shown_tables(app)
    forget(key)


def shown_tables(app: AppTest) -> str:
    """The markup of the tables of a page."""
    return "\n".join(str(each.proto) for each in app.get("html"))


@pytest.mark.thorough
def test_the_catalogue_is_asked_first(
    app: AppTest,
    filled: Path,
    sql: Callable[..., list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked(app, "thoughtful-1:1")
    assert "The catalogue was not asked:" in content(app)
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{filled}")
    # So no search of the page can have decided it.
    monkeypatch.setattr(asking, "MILLISECONDS", 0.0)
    for status, heading in (("winnable", "✓ Winnable"), ("unwinnable", "✗ Unwinnable")):
        ((seed,),) = sql(
            "SELECT min(seed) FROM STATUSES s JOIN ruleset r ON r.id = s.ruleset_id"
            " WHERE r.slug = 'klondike-draw3' AND status = ?",
            status,
        )
        # By its name, and by its cards alone.
        for text in (
            f"thoughtful-1:{seed}",
            get_format("pysolfc").write(deal_by_id(f"thoughtful-1:{seed}")),
        ):
            asked(app, text)
            assert headings(app)[0] == heading
            assert re.search(
                r"Known in the catalogue since \d{4}-\d\d-\d\d \d\d:\d\d UTC, by `", content(app)
            )


WRONG = {
    "hello": "is neither a deal nor a position that can be read",
    "thoughtful-1:99999999999999999999": "out of range",
    "Talon: 9H": "the board|columns",
    "": "Nothing was given: expected a text, a file, or a program and a number",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_cannot_be_read_is_one_sentence(app: AppTest, text: str) -> None:
    asked(app, text)
    assert not app.exception
    (error,) = app.error
    assert re.search(WRONG[text], re.sub(r"\\(.)", r"\1", error.value))


@pytest.mark.parametrize("count", sizes(10, 40))
def test_junk_never_breaks_the_page(app: AppTest, count: int) -> None:
    board = get_format("pysolfc").write(deal_by_id("thoughtful-1:9"))

    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(["", board]), st.text(max_size=40), st.integers(0, 300))
    def send(text: str, junk: str, at: int) -> None:
        asked(app, text[:at] + junk + text[at:])
        assert not app.exception
        assert len(app.error) <= 1

    send()


def pasted() -> st.SearchStrategy[str]:
    """Text of any kind: junk alone, and what can be read with junk in it or lines out of order."""
    deal = deal_by_id("thoughtful-1:9")
    start = GAME.start(deal, RULES)
    assert GAME.write_table is not None
    whole = [codec.write(deal) for codec in GAME.codecs]
    whole += [GAME.write_table(start), json.dumps(start.to_json()), "pysolfc:12", "thoughtful-1:"]
    whole += [json.dumps(start.observation()), GAME.write_table(start).replace("<", "<?")]

    def spoilt(text: str, junk: str, at: int, drop: int) -> str:
        return text[:at] + junk + text[at + drop :]

    cut = st.builds(
        spoilt,
        st.sampled_from(whole),
        st.text(max_size=12) | st.sampled_from(["-", "<??>", "10H", '"', "[", "}", "\n", "\0"]),
        st.integers(0, 400),
        st.integers(0, 8),
    )
    return st.text(max_size=60) | cut | st.from_regex(r"[a-z0-9-]{1,14}:[-0-9_]{0,25}")


@pytest.mark.parametrize("count", sizes(50, 150))
def test_garbage_is_one_sentence_for_what_the_page_calls(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Reading alone is meant; what is read is searched for no time.
    monkeypatch.setattr(asking, "MILLISECONDS", 0.0)

    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        pasted(),
        st.none() | st.binary(max_size=60),
        st.sampled_from(["", "pysolfc", "thoughtful-1"]),
        st.text(max_size=20),
    )
    def read(text: str, uploaded: bytes | None, program: str, number: str) -> None:
        sentence = "read"
        try:
            for each in check.given_texts(text, uploaded, program, number).values():
                found = check.read_asked(each, RULES.slug)
                if found.observation is None:
                    asking.answer(asking.Question.of(found))
        except BadInput as error:
            sentence = str(error)
        assert sentence.strip()
        assert "Traceback" not in sentence

    read()


@pytest.mark.parametrize("name", ["seconds", "rules", "held"])
def test_garbage_in_the_link_is_told(app: AppTest, name: str) -> None:
    again = AppTest.from_function(script, default_timeout=SECONDS)
    if name != "held":
        again.query_params["text"] = "pysolfc:12"
    again.query_params[name] = "1e9 [x](y)"
    again.run()
    assert not again.exception
    assert len(again.error) + len(again.warning) == 1


NUMBERS = {
    "": "The number of the deal of pysolfc is missing: expected a whole number from 1 to 100,",
    "twelve": "'twelve' is no number of a deal of pysolfc: expected a whole number from 1",
    "-3": "'-3' is no number of a deal of pysolfc",
    "9" * 29: "pysolfc has no deal 9999",
}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_that_is_none_is_one_sentence(app: AppTest, number: str) -> None:
    app.selectbox(key="check-program").set_value("pysolfc")
    app.text_input(key="check-number").input(number)
    (error,) = sent(app).error
    assert NUMBERS[number] in re.sub(r"\\(.)", r"\1", error.value)


def test_a_number_without_a_program_asks_for_it(app: AppTest) -> None:
    app.text_input(key="check-number").input("7")
    (error,) = sent(app).error
    assert "is a number of no program: expected the program, too" in error.value.replace("\\", "")


def test_a_text_and_a_program_together_ask_which_is_meant(app: AppTest) -> None:
    app.text_area(key="check-text").input("thoughtful-1:3")
    app.selectbox(key="check-program").set_value("pysolfc")
    app.text_input(key="check-number").input("#4")
    (question,) = sent(app).warning
    assert "Both the text and pysolfc" in question.value
    assert not headings(app)
    program = app.button(key="which-pysolfc #4")
    assert program.label == "Pysolfc #4"
    app.button(key="which-the text").click().run()
    assert app.query_params["text"] == "thoughtful-1:3"
    assert headings(app)[0] in ("✓ Winnable", "✗ Unwinnable")
    # The text of the link stands in the field; a program beside it is then what is meant.
    assert not app.warning


def spellings(board: str) -> dict[str, str]:
    """The text of a position as people and programs write it."""
    signs = dict(zip("CDSH", "♣♦♠♥", strict=True))
    cards = re.compile(r"\b([A2-9TJQK])([CDSH])\b")
    return {
        "small letters": board.lower(),
        "suit signs": cards.sub(lambda card: card[1].replace("T", "10") + signs[card[2]], board),
        "commas": re.sub(r"(?<=[CDSH0-9>]) (?=\S)", ", ", board),
    }


@pytest.mark.parametrize("slug", ["klondike-draw1", "klondike-draw3", "spider-2"])
def test_every_spelling_of_a_position_is_read_alike(slug: str) -> None:
    rules = parse_ruleset(slug)
    game = game_of(rules)
    start = game.start(deal_by_id("thoughtful-1:42", game), rules)
    assert game.write_seen is not None
    seen = start.observation()
    for board, known in ((game.write_seen(start.to_json()), True), (game.write_seen(seen), False)):
        for name, text in spellings(board).items():
            entry = check.read_asked(text, slug)
            if known:
                assert entry.position.to_json() == start.to_json(), name
            else:
                assert entry.observation is not None
                assert entry.observation["up"] == seen["up"], name
                assert entry.observation["stock"] == seen["stock"], name


def copied(slug: str, moves: list[str], hidden: bool) -> str:
    """What the board copies as text."""
    rules = parse_ruleset(slug)
    game = game_of(rules)
    at = game.start(deal_by_id("thoughtful-1:42", game), rules)
    for move in moves:
        at = at.play(game.parse_move(move))
    shown = at.observation() if hidden else at.to_json()
    lines = ["Deal: thoughtful-1:42", f"Rules: {slug}", f"Moves: {' '.join(moves)}"]
    return "\n".join([*lines, f"Position: {json.dumps(shown)}"])


@pytest.mark.parametrize(
    ("slug", "moves"),
    [("klondike-draw1", ["T", "T"]), ("klondike-draw3", []), ("spider-2", ["D"])],
)
def test_what_the_board_copies_is_read_with_its_rules(slug: str, moves: list[str]) -> None:
    rules = parse_ruleset(slug)
    game = game_of(rules)
    text = copied(slug, moves, hidden=False)
    # Under whatever rules the page has, in any case, and with the line ends of Windows.
    for given_text in (text, text.upper(), text.replace("\n", "\r\n"), text.rpartition("\n")[0]):
        entry = check.read_asked(given_text, "klondike-vegas")
        assert entry.rules == rules
        assert (entry.deal is None) == bool(moves)
        start = game.start(deal_by_id("thoughtful-1:42", game), rules)
        assert entry.position == replay(start, map(game.parse_move, moves))
    for data in (text.encode(), text.encode("utf-16")):  # of a file, or standard input
        reader = EntryReader(parse_ruleset("klondike-vegas"), asked=False)
        assert read_one(data, reader).position == entry.position
    seen = check.read_asked(copied(slug, moves, hidden=True), "klondike-vegas")
    assert seen.rules == rules
    assert seen.observation == entry.position.observation()


def test_a_copied_text_that_is_wrong_is_one_sentence() -> None:
    text = copied("klondike-draw1", ["T"], hidden=False)
    for wrong, says in (
        (text.replace("Moves: T", "Moves: R"), "the stock is not empty yet"),
        (text.replace("Moves: T", "Moves: what"), "what"),
        (text.replace("klondike-draw1", "klondike-draw99"), "out of range"),
        (text.replace("thoughtful-1:42", "thoughtful-1:x", 1), "thoughtful-1:x"),
    ):
        with pytest.raises(BadInput, match=says):
            check.read_asked(wrong, "klondike-draw3")


@pytest.mark.parametrize("slug", ["klondike-draw1", "spider-1"])
def test_a_link_leads_to_playing_on(app: AppTest, slug: str) -> None:
    """To the position itself, or to one that looks like it."""
    rules = parse_ruleset(slug)
    game = game_of(rules)
    start = game.start(deal_by_id("thoughtful-1:3", game), rules)
    at = start.play(start.legal_moves()[0])
    assert game.write_table is not None
    for text, seen in ((game.write_table(at), False), (json.dumps(at.observation()), True)):
        link = re.search(r"\[Play on here.*\]\(\./play\?(.+)\)", content(asked(app, text, slug)))
        assert link is not None
        query = parse_qs(link[1])
        assert query["rules"] == [slug]
        (given_text,) = query["text"]
        found = check.read_asked(given_text, slug).position
        assert found.observation() == at.observation()
        assert (found == at) or seen


def test_rules_that_the_text_states_are_named(app: AppTest) -> None:
    asked(app, copied("klondike-draw1", ["T"], hidden=False))
    assert "The text states its rules, Klondike, draw 1" in content(app)
    assert headings(app)[0] in ("✓ Winnable", "✗ Unwinnable")


def test_a_spider_position_that_is_not_decided_gets_moves_with_chances(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chances, "SECONDS", 1.0)
    game = get_game("spider")
    rules = parse_ruleset("spider-2")
    start = game.start(deal_by_id("thoughtful-1:42", game), rules)
    asked(app, json.dumps(start.observation()), "spider-2")
    (heading,) = headings(app)
    assert re.fullmatch(r".+ column \d+.*: wins about \d+.%, give or take \d+.%", heading)
    shown = re.findall(r"\d+.% ± \d+.%", shown_tables(app))
    assert len(shown) == len(start.legal_moves()) - 1
    # To look at the details is no reason to play other games.
    app.run()
    assert headings(app) == [heading]
    assert re.findall(r"\d+.% ± \d+.%", shown_tables(app)) == shown


def test_an_easy_spider_position_is_winnable(app: AppTest) -> None:
    """With all cards known, what the beam search wins is a verdict."""
    game = get_game("spider")
    rules = parse_ruleset("spider-1")
    start = game.start(deal_by_id("thoughtful-1:3", game), rules)
    asked(app, json.dumps(start.to_json()), "spider-1")
    assert headings(app)[0] == "✓ Winnable"
    assert re.search(r"First: .+ column \d+.+ The whole win, in \d+ moves:", content(app))


@pytest.mark.thorough
def test_paste_a_game_and_see_how_to_win_it(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/ask?rules=klondike-draw3")
    settle(page)
    deals = (deal_by_id(f"pysolfc:{number}") for number in range(1, 50))
    deal = next(deal for deal in deals if wins(deal))
    board = get_format("pysolfc").write(deal)
    expect(page).to_have_url(
        re.compile(r"/check\?rules=klondike-draw3")
    )  # the page's former address
    unfold(page, "Or paste it, choose a file")
    page.get_by_role("textbox", name="Deal or position").fill(board)
    settle(page)
    page.get_by_role("button", name="Check it").click()
    heading = page.get_by_role("heading", name=re.compile("Winnable|Unwinnable"))
    expect(heading).to_be_visible()
    expect(heading).to_contain_text("Winnable")
    count = page.get_by_test_id("count")
    expect(count).to_have_text(re.compile(r"0 / \d+"))
    total = count.inner_text().split(" / ")[1]
    page.get_by_role("button", name="Last position").click()
    expect(count).to_have_text(f"{total} / {total}")
    expect(page.get_by_test_id("sentence")).to_contain_text("All four foundations are full")
    # The link shows the same to whoever opens it.
    page.goto(page.url)
    expect(heading).to_be_visible()
