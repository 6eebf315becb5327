"""Tests of what the HTTP API refuses: wrong calls, and more than its limits allow."""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from api_client import ApiClient, client_of
from dashboard.http_api import answering, guard
from dashboard.http_api.budgets import goes_on, quick
from dashboard.http_api.lanes import Lane
from dashboard.http_api.problems import Problem
from dashboard.http_api.questions import question
from engine.rulesets import parse_ruleset
from solvers.deciding import Budget, Ending

RULES = parse_ruleset("klondike-draw3")


# --- what is wrong -------------------------------------------------------------------------------

WRONG = [
    ("verdict", {}, "'deal' is missing"),
    ("verdict", {"deal": " "}, "there is no text"),
    ("verdict", {"deal": "thoughtful-1:1", "rules": "bridge"}, "unknown ruleset 'bridge'"),
    ("verdict", {"deal": "nobody:1"}, "unknown dealer 'nobody'"),
    ("verdict", {"deal": "thoughtful-1:1", "nodes": "many"}, "nodes='many' is wrong"),
    ("verdict", {"deal": "thoughtful-1:1", "nodes": 0}, "greater than or equal to 1"),
    ("verdict", {"deal": "thoughtful-1:1", "milliseconds": 10**9}, "60,000 at most"),
    ("verdict", {"deal": "thoughtful-1:1", "node": 5}, "no parameter 'node'"),
    ("verdict", {"deal": "{" + '"a":[' * 30}, "nested more than 16 deep"),
    ("verdict", {"deal": '{"down": 3}'}, "a position needs the keys"),
    ("moves", {"deal": "thoughtful-1:1", "line": "Q"}, "'Q' is not a move"),
    ("moves", {"deal": "thoughtful-1:1", "line": "R"}, "move 1, R"),
    ("moves", {"deal": "thoughtful-1:1", "line": "T " * 5_001}, "5,001 moves"),
    ("solution", {"deal": "thoughtful-1:1", "notation": "morse"}, "unknown notation 'morse'"),
    ("deal", {"deal": "thoughtful-1:1", "form": "tarot"}, "unknown format 'tarot'"),
    ("deal", {"deal": "0" * 32}, "cannot be read now"),
    ("random", {"level": "easy"}, "level='easy' is wrong"),
    ("random", {"dealer": "nobody"}, "unknown dealer 'nobody'"),
    ("rulesets", {"all": 1}, "no parameter 'all'"),
    ("verdict", {"deal": ["nobody:1", "thoughtful-1:1"]}, "'deal' is given 2 times"),
    ("bounds", {"rules": [RULES.slug, RULES.slug]}, "'rules' is given 2 times"),
    ("datasets/a/b", {"x": [1, 2, 3]}, "'x' is given 3 times"),
]


@pytest.mark.parametrize(("call", "parameters", "reply"), WRONG, ids=[each[2] for each in WRONG])
def test_what_is_wrong_is_one_sentence(
    client: ApiClient, call: str, parameters: dict[str, Any], reply: str
) -> None:
    answer = client.get(call, **parameters)
    assert answer.status_code in (400, 503)
    assert answer.headers["content-type"] == "application/problem+json"
    assert reply in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]
    assert answer.json()["status"] == answer.status_code


def test_bodies_that_are_wrong(client: ApiClient) -> None:
    for body, reply in (
        (b"", "there is no text"),
        (b"\xff", "not UTF-8"),
        (b"[" * 60_000, "nested more than 16 deep"),
        (b'{"a":' * 10_000, "nested more than 16 deep"),
        (b"0" * 65_000, "characters"),
    ):
        for call in ("verdict", "solution", "moves", "deal"):
            answer = client.post(call, body)
            assert answer.status_code == 400, answer.text
            assert reply in answer.json()["detail"]
    assert client.post("verdict", b" " * 65_537).status_code == 413


def test_calls_that_are_none(client: ApiClient) -> None:
    assert client.get("nothing").status_code == 404
    answer = client.request("DELETE", "/api/v1/verdict")
    assert answer.status_code == 405
    for path, methods in client.reply("openapi.json")["paths"].items():
        refused = client.request("DELETE", f"/api/v1{path}")
        allowed = {method.upper() for method in methods} | {"HEAD"}
        assert (refused.status_code, set(refused.headers["allow"].split(", "))) == (405, allowed)
    for path, allowed in (("/api/board/solution", {"POST"}), ("/healthz", {"GET", "HEAD"})):
        refused = client.request("DELETE", path)
        assert (refused.status_code, set(refused.headers["allow"].split(", "))) == (405, allowed)
    for each in (client.get("nothing"), client.get("datasets/a%0Ab/c"), answer):
        assert each.headers["content-type"] == "application/problem+json"


def test_a_fault_of_ours_is_a_problem_too(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise AssertionError("it was searched again")

    monkeypatch.setattr(answering, "quick", failing)
    answer = client.get("verdict", deal="thoughtful-1:9999")
    assert answer.status_code == 500
    assert "searched again" not in answer.text
    assert answer.headers["content-type"] == "application/problem+json"


# --- limits --------------------------------------------------------------------------------------


def test_limits_of_address_rate_and_requests_under_way(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("verdict", deal="x" * 17_000).status_code == 414

    async def endless() -> AsyncIterator[bytes]:
        yield b"thoughtful-1:42"
        await asyncio.Event().wait()

    with monkeypatch.context() as patch:
        patch.setattr(guard, "BODY_SECONDS", 0.01)
        late = client.request("POST", "/api/v1/verdict", content=endless())
    assert (late.status_code, late.json()["detail"]) == (
        408,
        "the body of the request did not arrive within 0.01 s",
    )
    slow = client_of(monkeypatch, API_RATE="3")
    codes = [slow.get("rulesets").status_code for _ in range(8)]
    assert codes[:6] == [200] * 6
    assert codes[-1] == 429
    refused = slow.get("rulesets")
    assert refused.headers["retry-after"] == "1"
    assert "more than 3 requests a second" in refused.json()["detail"]
    assert ApiClient(slow.app, "127.0.0.9").get("rulesets").status_code == 200
    monkeypatch.setattr(guard, "UNDER_WAY_MOST", 0)
    busy = client.get("rulesets")
    assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")


def test_head_and_other_origins(client: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.request("HEAD", "/api/v1/rulesets").status_code == 200
    theirs = {"Origin": "https://games.example"}
    assert (
        "access-control-allow-origin"
        not in client.request("GET", "/api/v1/rulesets", headers=theirs).headers
    )
    open_to = client_of(monkeypatch, API_ORIGINS="https://games.example, https://other.example")
    for path in ("/api/v1/rulesets", "/api/v1/nothing", "/api/v1/verdict?nodes=x"):
        answer = open_to.request("GET", path, headers=theirs)
        assert answer.headers["access-control-allow-origin"] == theirs["Origin"]
    asked = open_to.request(
        "OPTIONS",
        "/api/v1/verdict",
        headers={**theirs, "Access-Control-Request-Method": "POST"},
    )
    assert asked.status_code == 200
    refused = open_to.request("GET", "/api/v1/rulesets", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in refused.headers


def test_the_rate_of_a_client() -> None:
    buckets = guard.Buckets(10)
    assert [buckets.wait("a", 100.0) for _ in range(20)] == [0.0] * 20
    assert buckets.wait("a", 100.0) == pytest.approx(0.1)
    assert buckets.wait("b", 100.0) == 0.0
    assert buckets.wait("a", 100.1) == 0.0
    assert buckets.wait("a", 100.1) > 0
    assert guard.Buckets(0).wait("a", 0.0) == 0.0
    many = guard.Buckets(1)
    for number in range(30_000):
        many.wait(str(number), 0.0)
    assert len(many._clients) == 10_000
    one = {"client": ("2001:db8::1", 1)}, {"client": ("2001:db8::ffff", 1)}
    assert len({guard.client_of(each) for each in one}) == 1
    assert guard.client_of({"client": None}) == ""


def test_a_lane_refuses_what_it_has_no_place_or_no_time_for() -> None:
    lane = Lane("test", threads=1, waiting=1, patience=0.2, nice=0)
    release = threading.Event()

    async def ask() -> list[Any]:
        held = asyncio.ensure_future(lane.do(release.wait))
        await asyncio.sleep(0.05)
        waits = asyncio.ensure_future(lane.do(lambda: "waited"))
        await asyncio.sleep(0)
        refused: list[Any] = []
        for doing in (lane.do(lambda: "no place"), waits):
            with pytest.raises(Problem) as error:
                await doing
            refused.append((error.value.status, error.value.retry_after))
        release.set()
        assert await held
        return [*refused, await lane.do(lambda: "goes on")]

    # In a thread of its own: where a browser is open, this one has an event loop already.
    with ThreadPoolExecutor(1) as thread:
        reply = thread.submit(asyncio.run, ask()).result()
    assert reply == [(503, 1), (503, 1), "goes on"]


def test_a_quick_answer_is_quick_whatever_the_budget() -> None:
    """Where the question has no limit of nodes, too; this deal takes millions."""
    asked = question("thoughtful-1:9724", "klondike-draw3").within(Budget(60_000.0))
    found = quick(asked)
    assert (found.ending, found.verdict) == (Ending.NODES, "undecided")
    assert goes_on(found, asked.budget)
    assert not goes_on(found, found.question.budget)
