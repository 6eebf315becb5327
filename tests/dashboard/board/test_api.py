"""Tests of `/api/board`: what the board asks for, and what it is told when it asks for nonsense."""

import asyncio
import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from cachetools import LRUCache
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette

from catalogue import store
from catalogue.asking import forget
from catalogue.difficulty.prediction import look_at
from dashboard.board import answers, api
from dashboard.elements.levels import features_in_words
from dashboard.http_api import guard, questions
from dashboard.server.searching import SHORT
from dashboard.viewer.renderer import renderer_of
from engine.dealing.dealers import deal_by_id
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from samples import sizes
from solvers.features import trace, tracer
from solvers.moments import critical_moments
from solvers.solver import configure
from thoughtful.commands.difficulty import _print_deal

RULES = parse_ruleset("klondike-draw3")
GAME = game_of(RULES)


@dataclass
class Client:
    """Who asks the application, without a server between them."""

    app: Starlette

    def post(self, path: str, **body: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
                return await client.post(path, **body)

        # In a thread of its own: where a browser is open, this one has an event loop already.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, ask()).result()


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    # On a busy machine a quarter of a second may not be enough.
    monkeypatch.setattr(answers, "VERDICTS_MILLISECONDS", 60_000.0)
    monkeypatch.setattr(answers, "WIN_MILLISECONDS", 60_000.0)
    # What another test asked is not known.
    monkeypatch.setattr(api, "_kept", LRUCache(10))
    return Client(Starlette(routes=api.routes()))


def asked(client: Client, what: str = "analysis", **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/board/{what}", json={"rules": RULES.slug, **body})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    reply: dict[str, Any] = answer.json()
    return reply


@pytest.mark.parametrize("name", ["thoughtful-1:6", "thoughtful-1:17", "thoughtful-1:34"])
def test_critical_moments_are_the_same_everywhere(
    client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Those of features, page, command line, package and board, along one line."""
    deal = deal_by_id(name, GAME)
    start = GAME.start(deal, RULES)
    by = tracer(RULES).method
    outcome = configure(by, by.traced).solve_position(start)
    assert outcome.moves is not None
    moves = GAME.unpack(outcome.moves)
    moments = critical_moments(start, moves)
    features = trace(deal, RULES)
    assert (features.length, features.critical) == (len(moves), len(moments))
    assert features.first_critical == (moments[0] if moments else None)
    # The board asks after each move whether it was made at such a moment.
    line = list(map(str, moves))
    marked = [
        at
        for at in range(len(line))
        if asked(client, "moment", deal=name, moves=line[: at + 1])["critical"]
    ]
    assert tuple(marked) == moments
    url = f"sqlite:///{tmp_path}/own.db"
    store.init(url)
    with store.open_catalogue(url) as cat:
        graded = look_at(cat, RULES, deal, name)
    assert (graded.critical, graded.first_critical) == (features.critical, features.first_critical)
    words = features_in_words(graded)
    _print_deal(graded)
    reply = capsys.readouterr().out
    assert f"{len(moments)} of them critical" in reply
    for said in words, reply:
        assert ("the first at move" in said) == bool(moments)
        if moments:
            assert f"the first at move {moments[0] + 1}" in said
    assert asked(client, "moment", deal=name, moves=[])["critical"] is False


def test_a_position_has_its_piles_and_its_moves_with_verdicts(client: Client) -> None:
    start = GAME.start(deal_by_id("thoughtful-1:42"), RULES)
    first = asked(client, deal="thoughtful-1:42")
    assert first["position"] == start.to_json()
    assert {move["name"] for move in first["moves"]} == set(map(str, start.legal_moves()))
    assert first["legal"] == len(start.legal_moves())
    assert first["complete"]
    assert first["winning"] == sum(move["verdict"] == "winnable" for move in first["moves"])
    assert first["safe"] == []
    renderer = renderer_of("klondike")
    assert renderer is not None
    for move in first["moves"]:
        after = start.play(GAME.parse_move(move["name"]))
        piles = {name: list(cards) for name, cards in first["piles"].items()}
        for name, keep, cards in move["changes"]:
            piles[name] = piles[name][:keep] + cards
        assert piles == renderer.table(after).piles
        if move["moved"]:
            assert move["moved"][-1] in piles[move["target"]]
        again = asked(client, deal="thoughtful-1:42", moves=[move["name"]])
        assert again["position"] == after.to_json()
        assert again["piles"] == piles
        assert again["verdict"] == move["verdict"]
        assert asked(client, deal=start.to_json(), moves=[move["name"]]) == again


def test_a_win_from_here_and_advice(client: Client) -> None:
    reply = asked(client, "solution", deal="thoughtful-1:42", moves=["T"])
    assert reply["verdict"] == asked(client, deal="thoughtful-1:42", moves=["T"])["verdict"]
    start = GAME.start(deal_by_id("thoughtful-1:42"), RULES)
    line = [GAME.parse_move(name) for name in ["T", *(move["name"] for move in reply["moves"])]]
    assert replay(start, line).is_won == (reply["verdict"] == "winnable")
    found = asked(client, "advice", deal="thoughtful-1:42", moves=["T"])
    assert found["player"].startswith("policy-uct(")
    assert found["plays"]
    for play in found["plays"]:
        assert 0 <= play["chance"] <= 1
        replay(start, [GAME.parse_move("T"), GAME.parse_move(play["moves"][0])])


def test_as_a_person_sees_it_moves_have_advice_in_place_of_verdicts(client: Client) -> None:
    reply = asked(client, deal="thoughtful-1:42", moves=["T"], hidden=True)
    start = GAME.start(deal_by_id("thoughtful-1:42"), RULES)
    position = start.play(GAME.parse_move("T"))
    assert reply["position"] == position.observation()
    assert reply["player"].startswith("policy-uct(")
    assert "verdict" not in reply
    assert sorted(each["name"] for each in reply["moves"]) == sorted(
        map(str, position.legal_moves())
    )
    advised = [each["advice"] for each in reply["moves"] if each["advice"] is not None]
    chances = [advice["chance"] for advice in advised]
    assert len(chances) > 1
    assert chances == sorted(chances, reverse=True)
    for move in reply["moves"]:
        assert "verdict" not in move
        assert move["advice"] is None or move["advice"]["moves"][0] == move["name"]
    # What a move turns up is not foreseen.
    foreseen = {move["foreseen"].partition(", ")[2] for move in reply["moves"]}
    assert foreseen == {"", "uncovering a card."}
    # Another deal that looks the same has the same advice.
    data = start.to_json()
    piles = [pile for pile in data["down"] if pile]
    piles[0][0], piles[-1][0] = piles[-1][0], piles[0][0]
    other = asked(client, deal=data, moves=["T"], hidden=True)
    assert [each["advice"] for each in other["moves"]] == [
        each["advice"] for each in reply["moves"]
    ]


def test_where_a_game_was_lost(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    won = asked(client, "solution", deal="thoughtful-1:42")["moves"]
    line = [move["name"] for move in won][: len(won) // 2]
    assert asked(client, "regret", deal="thoughtful-1:42", moves=line)["kind"] == "stopped"
    # Play on by a move that loses, the first that there is along the win.
    for at in range(len(won)):
        line = [move["name"] for move in won][:at]
        reply = asked(client, deal="thoughtful-1:42", moves=line)
        losing = [each["name"] for each in reply["moves"] if each["verdict"] == "unwinnable"]
        if losing:
            break
    lost = [*line, losing[0]]
    reply = asked(client, "regret", deal="thoughtful-1:42", moves=lost)
    assert (reply["kind"], reply["step"]) == ("move", len(line))
    whole = [each["name"] for each in won]
    assert asked(client, "regret", deal="thoughtful-1:42", moves=whole)["kind"] == "won"
    spider = asked(client, "regret", rules="spider-4", deal="thoughtful-1:42", moves=["D"])
    assert (spider["kind"], spider["step"], spider["ending"]) == ("stopped", 1, None)
    monkeypatch.setattr(answers, "REGRET_MILLISECONDS", 0.0)
    forget()
    hurried = asked(client, "regret", deal="thoughtful-1:42", moves=lost[:-1])
    assert hurried == {
        "kind": "undecided",
        "step": None,
        "ending": "time",
        "limit": "0 ms",
        "reason": "0 ms did not suffice",
    }


def test_safe_moves_are_told_one_after_another(client: Client) -> None:
    line = [move["name"] for move in asked(client, "solution", deal="thoughtful-1:42")["moves"]]
    reply = asked(client, deal="thoughtful-1:42", moves=line[:-8])
    safe = [move["name"] for move in reply["safe"]]
    assert safe
    after = asked(client, deal="thoughtful-1:42", moves=line[:-8] + safe)
    assert after["safe"] == []
    assert after["verdict"] == reply["verdict"] == "winnable"


def test_identical_cards_keep_their_places_along_a_line(client: Client) -> None:
    line: list[str] = []
    piles: dict[str, list[str]] = {}
    for _ in range(6):
        body = {"rules": "spider-4", "deal": "thoughtful-1:7", "moves": line}
        reply = client.post("/api/board/analysis", json=body).json()
        assert piles in ({}, reply["piles"])
        piles = {name: list(cards) for name, cards in reply["piles"].items()}
        move = reply["moves"][0]
        for name, keep, cards in move["changes"]:
            piles[name] = piles[name][:keep] + cards
        line.append(move["name"])


WRONG: list[tuple[Any, str]] = [
    (b"\xff\xfe", "not UTF-8"),
    (b"{", "not JSON"),
    (b"[" * 30_000, "nested too deeply"),
    (b"[]", "not a JSON object"),
    ({}, 'slug of a ruleset in "rules"'),
    ({"rules": "bridge", "deal": "thoughtful-1:1"}, "unknown ruleset 'bridge'"),
    ({"rules": "klondike-draw3"}, 'a deal or position in "deal"'),
    ({"rules": "klondike-draw3", "deal": "x"}, "'x' is not a deal"),
    ({"rules": "klondike-draw3", "deal": 7}, 'a deal or position in "deal"'),
    ({"rules": "klondike-draw3", "deal": "nobody:1"}, "unknown dealer 'nobody'"),
    ({"rules": "klondike-draw3", "deal": []}, 'a deal or position in "deal"'),
    ({"rules": "klondike-draw3", "deal": {"down": 3}}, "a position needs the keys"),
    ({"rules": "klondike-draw3", "deal": "thoughtful-1:1", "moves": "T"}, "not a list"),
    ({"rules": "klondike-draw3", "deal": "thoughtful-1:1", "moves": [1]}, "not a list"),
    ({"rules": "klondike-draw3", "deal": "thoughtful-1:1", "moves": ["Q"]}, "'Q' is not a move"),
    ({"rules": "klondike-draw3", "deal": "thoughtful-1:1", "hidden": 1}, "neither true nor false"),
    ({"rules": "klondike-draw3", "deal": "thoughtful-1:1", "moves": ["R"]}, "move 1, R"),
    ({"rules": "klondike-draw3", "deal": "thoughtful-1:1", "moves": ["T"] * 5001}, "5,001 moves"),
]


@pytest.mark.parametrize(("body", "reply"), WRONG, ids=[reply for _, reply in WRONG])
@pytest.mark.parametrize("what", ["analysis", "solution", "advice", "regret"])
def test_wrong_requests_are_one_sentence(client: Client, what: str, body: Any, reply: str) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = client.post(f"/api/board/{what}", content=content)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert reply in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


def test_equal_questions_are_answered_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    first = asked(client, "solution", deal="thoughtful-1:1")
    monkeypatch.setattr(SHORT, "_places", threading.Semaphore(0))
    assert asked(client, "solution", deal="thoughtful-1:1", moves=[], again=False, x=1) == first
    other = {"rules": RULES.slug, "deal": "thoughtful-1:2"}
    assert client.post("/api/board/solution", json=other).status_code == 503


def test_a_digest_where_the_database_fails_is_one_sentence(
    client: Client, sqlite_catalogue: store.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "needed", lambda: sqlite_catalogue)
    with closing(sqlite3.connect(str(sqlite_catalogue.engine.url.database))) as connection:
        connection.execute("ALTER TABLE deal RENAME TO lost")
    more = {"about": "solution", "seconds": 10}
    for what in ("analysis", "longer"):
        body = {"rules": RULES.slug, "deal": "0" * 32, **more}
        answer = client.post(f"/api/board/{what}", json=body)
        assert answer.status_code == 400
        assert answer.headers["content-type"] == "application/problem+json"
        assert "\n" not in answer.json()["detail"]


def test_a_large_request_and_a_full_house(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = client.post("/api/board/analysis", content=b" " * (guard.BODY_MOST + 1))
    assert answer.status_code == 413
    assert "65,536 bytes at most" in answer.json()["detail"]
    monkeypatch.setattr(SHORT, "_places", threading.Semaphore(0))
    answer = client.post(
        "/api/board/analysis", json={"rules": RULES.slug, "deal": "thoughtful-1:1"}
    )
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"


def test_no_player_advises_on_some_rulesets(client: Client) -> None:
    body = {"rules": "klondike-yan", "deal": "thoughtful-1:1"}
    answer = client.post("/api/board/advice", json=body)
    assert answer.status_code == 400
    assert "no bot that sees only the open cards" in answer.json()["detail"]


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
KEYS = st.sampled_from(["rules", "deal", "moves", "hidden"])


@pytest.mark.parametrize("count", sizes(100, 250))
def test_junk_is_one_sentence_and_the_server_goes_on(client: Client, count: int) -> None:
    known = {"rules": RULES.slug, "deal": "thoughtful-1:3", "moves": ["T"]}
    start = GAME.start(deal_by_id("thoughtful-1:3"), RULES).to_json()

    @settings(max_examples=count, deadline=None)
    @given(st.dictionaries(KEYS | st.text(max_size=5), JUNK), st.sets(KEYS), st.booleans(), JUNK)
    def send(junk: dict[str, Any], right: set[str], placed: bool, part: Any) -> None:
        body = {**junk, **{key: known[key] for key in right if key in known}}
        if placed:
            body = {**body, "deal": {**start, "stock": part}}
        answer = client.post("/api/board/analysis", json=body)
        assert answer.status_code in (200, 400)
        if answer.status_code == 400:
            assert answer.json()["detail"]

    send()
    assert asked(client, deal="thoughtful-1:3")["legal"]


def test_a_table_on_which_cards_are_put_down(client: Client) -> None:
    first = asked(client, "setting")
    assert sorted(map(len, first["piles"].values()))[-1] == 24
    cards = {place["name"]: place["cards"] for place in first["places"]}
    edit = {"kind": "put", "place": "C", "card": "KC"}
    reply = asked(client, "setting", cards=cards, edit=edit)
    assert len(reply["piles"]["foundationC"]) == 13
    assert sum(reply["left"].values()) == 39
    waste = next(place for place in reply["places"] if place["name"] == "waste")
    assert set(waste["takes"]) == {card for card, count in reply["left"].items() if count}
    for place in reply["places"]:
        assert len(place["drawn"]) == len(place["cards"])
    assert reply["problem"] == "column 2 has face-down cards and no open one"
    assert reply["text"] is None
    for wrong in ({"C": ["KC", "AC"]}, {"cellar": []}, {"waste": "KH"}, {"waste": [1]}, []):
        answer = client.post("/api/board/setting", json={"rules": RULES.slug, "cards": wrong})
        assert answer.status_code == 400, wrong
        assert answer.json()["detail"]
    for bad in ({}, [], {"kind": "put"}, {**edit, "at": "x"}, {**edit, "card": 3}, {"kind": 1}):
        answer = client.post("/api/board/setting", json={"rules": RULES.slug, "edit": bad})
        assert answer.status_code == 400, bad
        assert answer.json()["detail"]
    assert client.post("/api/board/setting", content=b"\xff").status_code == 400
    spider = client.post("/api/board/setting", json={"rules": "spider-4"}).json()
    assert len(spider["piles"]) == 2 * 10 + 5 + 8
