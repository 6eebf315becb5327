"""Tests of long searches: their results are kept, and what went wrong does not stay for ever."""

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import wait
from functools import partial
from typing import Any

import pytest

from dashboard.board.answers import longer, read, solution
from dashboard.server import searching
from dashboard.server.searching import begin, begun, result_of
from engine.errors import BadInput
from patience import SECONDS, wait_until
from solvers import apart
from solvers.solver import parse_solver

# Won with four million nodes.
HARD = "thoughtful-1:433"


def searched(key: str, work: Callable[[], Any]) -> Any:
    doing = begin(key, work)
    wait([doing], SECONDS)
    return result_of(key, doing)


def failing(error: Exception) -> Callable[[], Any]:
    def work() -> Any:
        raise error

    return work


def test_a_result_is_kept() -> None:
    assert searched("kept", lambda: 7) == 7
    assert searched("kept", lambda: 8) == 7


def test_what_cannot_be_answered_stays_so() -> None:
    for _ in range(2):
        with pytest.raises(BadInput, match="no such deal"):
            searched("refused", failing(BadInput("no such deal")))
    assert begun("refused") is not None


def test_an_accident_is_told_once_and_can_be_tried_again() -> None:
    with pytest.raises(sqlite3.OperationalError):
        searched("accident", failing(sqlite3.OperationalError("database is locked")))
    assert begun("accident") is None
    assert searched("accident", lambda: 7) == 7


def test_a_search_in_a_process_of_its_own_returns_raises_and_ends() -> None:
    assert apart.call(partial(sorted, [2, 1]), threading.Event()) == [1, 2]
    with pytest.raises(BadInput, match="is not a solver"):
        apart.call(partial(parse_solver, "?"), threading.Event())
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(apart.Cancelled):
        apart.call(partial(time.sleep, 10 * SECONDS), cancelled)


def asked_longer(**more: object) -> dict[str, Any]:
    body = {"rules": "klondike-draw3", "deal": HARD, "seconds": 1_000, **more}
    return longer(read(json.dumps(body).encode()))[0]


def until_done(**more: object) -> dict[str, Any]:
    wait_until(lambda: asked_longer(**more)["state"] != "searching", "the search is done")
    return asked_longer(**more)


@pytest.mark.slow
def test_what_a_longer_search_finds_all_know() -> None:
    assert asked_longer(about="solution")["state"] == "searching"
    answer = until_done(about="solution")
    assert (answer["state"], answer["verdict"], answer["limit"]) == ("done", "winnable", None)
    found, final = solution(read(json.dumps({"rules": "klondike-draw3", "deal": HARD}).encode()))
    assert (found["verdict"], final) == ("winnable", True)
    assert found["moves"] == answer["moves"]
    line = [each["name"] for each in found["moves"]]
    answer = until_done(about="regret", moves=line[:40])
    none = {"ending": None, "limit": None, "reason": None}
    assert answer == {"state": "done", "kind": "stopped", "step": 40, **none}


@pytest.mark.slow
def test_a_longer_search_is_cancelled() -> None:
    for about in ("solution", "regret"):
        asked = {"about": about, "deal": "thoughtful-1:9724", "moves": ["27"]}
        assert asked_longer(**asked)["state"] == "searching"
        searches = [each.doing for each in searching._begun.values()]
        (doing,) = [each for each in searches if not each.done()]
        assert asked_longer(**asked, cancel=True) == {"state": "cancelled"}
        wait_until(doing.done, "the process of the search is ended")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"about": "advice"}, '"about" is neither'),
        ({"about": "solution", "seconds": 7}, '"seconds" is none of 10, 100, 1000'),
        ({"about": "solution", "cancel": 1}, '"cancel" is neither'),
    ],
)
def test_a_wrong_request_for_longer_is_one_sentence(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        asked_longer(**wrong)
