"""Tests of long searches: their results are kept, and what went wrong does not stay for ever."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import wait
from typing import Any

import pytest

from dashboard.searching import begin, begun, result_of
from engine.errors import BadInput
from patience import SECONDS


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
