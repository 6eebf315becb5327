"""Whoever asks is told the same of a position: page, board, Ask, API, command line and package.

Each face is asked as its users ask it, without what the searches of another one found. What is
stored is asked for with next to no time, so that a hard deal is known from the catalogue or not at
all; what is not stored, with more than is needed.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import thoughtful
from api_client import ApiClient
from catalogue import asking, store
from catalogue.pipe import solve_chunks
from catalogue.solving import store_solved
from command_line import Ran
from dashboard.board import answers
from dashboard.elements.wording import ruleset_title
from dashboard.http_api import answering, stored
from dashboard.http_api.questions import question
from dashboard.serve import make_api_app
from engine.dealing.dealers import deal_by_id
from engine.game import Game, Position, Rules
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal
from patience import SECONDS
from solvers.solver import parse_solver
from thoughtful import command_line

DRAW3, SPIDER = "klondike-draw3", "spider-1"
# Too hard for a second, and won with four million nodes.
HARD = "thoughtful-1:433"
WON, LOST = "thoughtful-1:42", "thoughtful-1:1"
STORED = [
    (HARD, DRAW3, "exact"),
    (LOST, DRAW3, "exact"),
    (WON, SPIDER, "spider-player"),
]

Face = Callable[[str, str, str], str]


@pytest.fixture(scope="module")
def catalogue_file(tmp_path_factory: pytest.TempPathFactory, initialised_sqlite: Path) -> Path:
    path = tmp_path_factory.mktemp("one-answer") / "thoughtful.db"
    shutil.copy(initialised_sqlite, path)
    with store.open_catalogue(f"sqlite:///{path}") as catalogue:
        for name, slug, solver in STORED:
            rules = parse_ruleset(slug)
            deal = deal_by_id(name, game_of(rules))
            dealer, seed = name.split(":")
            given = [InputDeal(name, deal, dealer, int(seed))]
            store_solved(catalogue, solve_chunks(given, rules, parse_solver(solver)))
    return path


@pytest.fixture(autouse=True)
def milliseconds(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, catalogue_file: Path
) -> Iterator[int]:
    """The time that every face has, 1 unless the test says otherwise."""
    time: int = getattr(request, "param", 1)
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{catalogue_file}")
    monkeypatch.setenv("THOUGHTFUL_API_RATE", "0")
    monkeypatch.setattr(stored, "_opened", None)
    monkeypatch.setattr(asking, "MILLISECONDS", float(time))
    for name in ("VERDICTS", "AGAIN", "WIN", "REGRET"):
        monkeypatch.setattr(answers, f"{name}_MILLISECONDS", float(time))
    yield time
    answering.forget()


def start_of(deal: str, slug: str) -> tuple[Game, Rules, Position]:
    rules = parse_ruleset(slug)
    game = game_of(rules)
    return game, rules, game.start(deal_by_id(deal, game), rules)


def solution_of(deal: str, slug: str) -> list[str]:
    """The moves that the catalogue has."""
    _, _, start = start_of(deal, slug)
    with store.open_catalogue() as catalogue:
        found = asking.known(question(deal, slug), catalogue)
    assert found is not None
    assert replay(start, found.win).is_won
    return list(map(str, found.win))


def request(deal: str, slug: str, line: str) -> dict[str, Any]:
    given = {"rules": slug, "deal": deal, "moves": line.split()}
    return answers.read(json.dumps(given).encode())


def board(deal: str, slug: str, line: str) -> str:
    return str(answers.analysis(request(deal, slug, line))[0]["verdict"])


def win_from_here(deal: str, slug: str, line: str) -> str:
    content, _ = answers.solution(request(deal, slug, line))
    if content["verdict"] == "winnable":
        game, _, start = start_of(deal, slug)
        moves = [*line.split(), *(each["name"] for each in content["moves"])]
        assert replay(start, map(game.parse_move, moves)).is_won
    return str(content["verdict"])


def api(call: str, time: int) -> Face:
    def ask(deal: str, slug: str, line: str) -> str:
        client = ApiClient(make_api_app())
        content = client.reply(call, deal=deal, rules=slug, line=line, milliseconds=time)
        return str(content["verdict"])

    return ask


@pytest.fixture
def hint(capfd: pytest.CaptureFixture[str], milliseconds: int) -> Face:
    def ask(deal: str, slug: str, line: str) -> str:
        capfd.readouterr()
        moves = ["--moves", line] if line else []
        code = command_line.run(
            ["hint", deal, "-r", slug, *moves, "--seconds", str(milliseconds / 1000), "--json"]
        )
        ran = Ran(code, *capfd.readouterr())
        assert ran.code == 0, ran.err
        return str(ran.lines[0]["verdict"])

    return ask


def ask_page() -> None:
    from dashboard.pages import check

    check.show()


def deal_page() -> None:
    from dashboard.pages import deal

    deal.show()


def page(deal: str, slug: str, line: str) -> str:
    app = AppTest.from_function(deal_page, default_timeout=SECONDS)
    app.query_params.update({"deal": deal, "rules": slug})
    app.run()
    assert not app.exception
    heading = next(
        (m.value for m in app.markdown if f"**{ruleset_title(slug)}**: " in m.value), "undecided"
    )
    return next(word for word in ("unwinnable", "winnable", "undecided") if word in heading)


def ask(deal: str, slug: str, line: str) -> str:
    app = AppTest.from_function(ask_page, default_timeout=SECONDS)
    game, _, start = start_of(deal, slug)
    text = deal
    if line:
        reached = replay(start, map(game.parse_move, line.split()))
        assert game.write_table is not None
        text = game.write_table(reached)
    app.query_params.update({"text": text, "rules": slug})
    app.run()
    assert not app.exception
    return app.subheader[0].value[2:].lower()


def package(deal: str, slug: str, line: str) -> str:
    return thoughtful.verdict(deal, slug, seconds=SECONDS).verdict


def agreed(faces: dict[str, Face], deal: str, slug: str, line: str = "") -> str:
    """What all faces say of a position, each asked for itself."""
    content = {}
    for name, face in faces.items():
        asking.forget()
        answering.forget()
        content[name] = face(deal, slug, line)
    assert len(set(content.values())) == 1, content
    return next(iter(content.values()))


@pytest.fixture
def faces(hint: Face, milliseconds: int) -> dict[str, Face]:
    calls = {call: api(call, milliseconds) for call in ("verdict", "solution", "moves")}
    return {"board": board, "win from here": win_from_here, "hint": hint, **calls}


@pytest.mark.slow
def test_all_say_the_same_of_stored_deals(faces: dict[str, Face]) -> None:
    faces |= {"page": page, "ask": ask}
    assert agreed(faces, HARD, DRAW3) == "winnable"
    assert agreed(faces, LOST, DRAW3) == "unwinnable"
    assert agreed(faces, WON, SPIDER) == "winnable"


@pytest.mark.slow
def test_all_say_the_same_of_positions_reached_from_them(faces: dict[str, Face]) -> None:
    """Along a stored win it is won; whatever is reached from a lost deal is lost."""
    for deal, slug in ((HARD, DRAW3), (WON, SPIDER)):
        moves = solution_of(deal, slug)
        for count in (1, len(moves) // 4, len(moves) - 2):
            assert agreed(faces, deal, slug, " ".join(moves[:count])) == "winnable"
    _, _, start = start_of(LOST, DRAW3)
    assert agreed(faces, LOST, DRAW3, str(start.legal_moves()[-1])) == "unwinnable"


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", [5_000], indirect=True)
def test_all_say_the_same_of_deals_that_nobody_has_stored(faces: dict[str, Face]) -> None:
    """Easy ones."""
    both = {"ask": ask, "package": package}
    assert agreed(faces | both, WON, DRAW3) == "winnable"
    assert agreed(faces | both, "thoughtful-1:41", SPIDER) == "winnable"
    later = " ".join(solution_of(WON, SPIDER)[:40])
    assert agreed({"ask": ask, "win from here": win_from_here}, WON, SPIDER, later) == "winnable"


def test_where_it_was_lost_is_known_of_stored_deals() -> None:
    """A lost deal was lost at the start, whatever was played."""
    _, _, start = start_of(LOST, DRAW3)
    content, final = answers.regret(request(LOST, DRAW3, str(start.legal_moves()[0])))
    assert (content["kind"], final) == ("unwinnable", True)
    moves = solution_of(HARD, DRAW3)
    content, final = answers.regret(request(HARD, DRAW3, " ".join(moves[:60])))
    assert (content["kind"], final) == ("stopped", True)
