"""Tests of exceptions: each of ours reaches the parent of a worker as it was raised."""

import ast
import builtins
import pickle
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput, IllegalMove
from engine.games import game_of
from engine.replay import ReplayError, replay
from engine.rulesets import parse_ruleset
from paths import ROOT

PACKAGES = ("engine", "solvers", "catalogue", "dashboard", "migrations", "thoughtful", "benchmarks")
# What a constructor takes, where it is not one sentence.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "IllegalMove": (game_of(parse_ruleset("klondike-draw3")).parse_solution("T")[0], "no card"),
    "ReplayError": (3, game_of(parse_ruleset("spider-4")).parse_solution("D")[0], "no card"),
    "Problem": (503, "ask again in 5 s", 5),
}


def exception_names() -> Iterator[tuple[str, str]]:
    """Module and name of every exception class of ours, in the order of their bases."""
    classes = [
        (path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."), node)
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    ]
    known = {
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    while True:
        found = [
            (module, node)
            for module, node in classes
            if known & {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        ]
        if not found:
            return
        for module, node in found:
            known.add(node.name)
            yield module, node.name
        classes = [each for each in classes if each not in found]


NAMES = list(exception_names())


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_an_exception_survives_pickling(module: str, name: str) -> None:
    kind = getattr(import_module(module), name)
    raised = kind(*ARGUMENTS.get(name, ("one sentence",)))
    back = pickle.loads(pickle.dumps(raised))
    assert type(back) is kind
    assert str(back) == str(raised)
    assert vars(back) == vars(raised)


def test_all_exceptions_are_looked_at() -> None:
    names = {name for _, name in NAMES}
    # Of a base, of a base's base, and one with no base of ours.
    assert {"BadInput", "BadMove", "ReplayError", "BeyondLimit", "Problem", "Renamed"} <= names


@pytest.mark.parametrize(("rules", "text"), [("klondike-draw3", "R"), ("spider-4", "D D D D D D")])
def test_what_referees_raise_survives_pickling(rules: str, text: str) -> None:
    ruleset = parse_ruleset(rules)
    game = game_of(ruleset)
    start = game.start(deal_by_id("thoughtful-1:1", game), ruleset)
    *before, last = game.parse_solution(text)
    with pytest.raises(IllegalMove) as caught:
        replay(start, before).play(last)
    back = pickle.loads(pickle.dumps(caught.value))
    assert (str(back), vars(back)) == (str(caught.value), vars(caught.value))
    with pytest.raises(ReplayError) as failed:
        replay(start, [*before, last])
    back = pickle.loads(pickle.dumps(failed.value))
    assert (str(back), back.number, back.move) == (str(failed.value), len(before) + 1, last)


def test_long_words_lose_their_middle() -> None:
    path = "/p" * 140
    told = str(BadInput(f"{path}: '{'x' * 5_000}' is not a card"))
    assert told == f"{path}: '{'x' * 79}…{'x' * 19}' is not a card"
