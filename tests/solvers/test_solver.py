"""Tests of solvers: the warm-up loads every kernel that a game needs."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.kernels import compiling
from engine.kernels.compiling import Part
from engine.klondike.rules import PRESETS, KlondikeRules
from engine.spider.rules import PRESETS as SPIDER_PRESETS
from klondike_rulesets import COVERING
from paths import ROOT
from solvers.choice import Ability, capable
from solvers.method import Values
from solvers.outcome import Outcome, Result
from solvers.registry import get_method, method_slugs, who_plays
from solvers.solver import configure, parse_solver

PLAYS = """
import json, sys
from numba.core.dispatcher import Dispatcher
from engine.dealing.dealers import get_dealer
from engine.games import games, get_game
from solvers.solver import parse_solver

def loaded():
    return sum(
        len(each.overloads)
        for name, module in list(sys.modules.items())
        if name.split(".")[0] in ("engine", "solvers")
        for each in vars(module).values()
        if isinstance(each, Dispatcher)
    )

found = []
for slug in json.loads(sys.argv[1]):
    solver = parse_solver(slug)
    rules = next(
        r for game in games() for r in game.rulesets.presets.values() if solver.plays(r)
    )
    deals = get_dealer("thoughtful-1").deal_block(361_000, 2, get_game(rules.game))
    deals.flags.writeable = False
    before = loaded()
    solver.warm_up(rules)
    between = loaded()
    solver.solve(deals, rules)
    found.append((slug, between - before, loaded() - between))
print(json.dumps(found))
"""


@pytest.mark.thorough
@pytest.mark.parametrize("step", [1, -1])
def test_a_game_needs_no_kernel_that_the_warm_up_does_not(step: int) -> None:
    """In both orders, as methods share kernels with those that come before them."""
    slugs = method_slugs()[::step]
    ran = subprocess.run(
        [sys.executable, "-c", PLAYS, json.dumps(slugs)],
        env={name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(ran.stdout)
    assert [slug for slug, _, _ in found] == slugs
    assert {slug: after for slug, _, after in found if after} == {}
    assert sum(before > 0 for _, before, _ in found) > len(slugs) / 2


def test_a_name_has_a_younger_parameter_only_where_it_says_something() -> None:
    plain, found = parse_solver("exact(shorten=1)"), parse_solver("exact(shorten=0)")
    assert str(plain) == str(parse_solver("exact")) == "exact(nodes=1000000000, memory_mib=768)"
    assert str(found) == "exact(nodes=1000000000, memory_mib=768, shorten=0)"
    assert plain == parse_solver(str(plain)) != found == parse_solver(str(found))
    assert "shorten" not in dict(plain.said)
    assert dict(plain.values)["shorten"] == 1
    with pytest.raises(BadInput, match="shorten=5 of exact is out of range: expected 0 to 4"):
        parse_solver("exact(shorten=5)")


@pytest.mark.parametrize("slug", method_slugs())
def test_the_parts_of_a_method_are_known_by_kernels_alone(slug: str) -> None:
    """The kernel cache keeps nothing else: the part would seem to be compiled at each start."""
    method = get_method(slug)
    for rules in (*PRESETS.values(), *SPIDER_PRESETS.values()):
        if method.is_for(rules.game) and method.plays(rules):
            for part in configure(method, {}).parts(rules):
                assert {hasattr(root, "_cache") for root in part.roots} == {compiling.COMPILED}


def test_methods_are_warmed_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[tuple[int, dict[str, int]]] = []

    def solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
        played.append((len(deals), dict(values)))
        return [Outcome(Result.LOST, 1, 0.0) for _ in deals]

    monkeypatch.setattr("solvers.solver._warm", set())
    monkeypatch.setattr("solvers.solver.COMPILED", True)
    method: Any = replace(get_method("uct"), solve=solve)
    solver = configure(method, {"trajectories": 50})
    rules = PRESETS["klondike-draw3"]
    deals = get_dealer("thoughtful-1").deal_block(0, 3)
    for _ in range(2):
        assert len(solver.solve(deals, rules)) == 3
    least = {"trajectories": 1, "c": 0, "random_seed": 0}
    given = {"trajectories": 50, "c": 1, "random_seed": 0}
    assert played == [(2, least), (3, given), (3, given)]


def test_times_that_hold_more_than_solving_are_none() -> None:
    """A method that measures by another clock counts kernels that it compiles within a deal."""
    rules = PRESETS["klondike-draw3"]
    deals = get_dealer("thoughtful-1").deal_block(0, 3)

    def solve(cpu_ms: float) -> list[float | None]:
        def search(deals: NDArray[np.uint8], rules: Any, values: Values) -> list[Outcome]:
            with compiling.not_solving():
                sum(range(1_000_000))
            return [Outcome(Result.LOST, 1, cpu_ms) for _ in deals]

        method = replace(get_method("uct"), solve=search)
        return [outcome.cpu_ms for outcome in configure(method, {}).solve(deals, rules)]

    assert solve(0.0) == [0.0] * 3
    assert solve(60_000.0) == [None] * 3


# Compiles the kernels of a method anew: those that find a witness are needed only for some deals.
COMPILED_WITHIN = """
from engine.dealing.dealers import get_dealer
from engine.rulesets import parse_ruleset
from solvers.choice import Ability, capable
from solvers.solver import parse_solver
deals = get_dealer("thoughtful-1").deal_block(0, 60)
outcomes = parse_solver("dead-end").solve(deals, parse_ruleset("klondike-draw3"))
print(max(outcome.cpu_ms for outcome in outcomes))
"""


@pytest.mark.thorough
def test_no_time_of_a_deal_holds_what_was_compiled_within_it(tmp_path: Path) -> None:
    environment = dict(os.environ, NUMBA_CACHE_DIR=str(tmp_path), PYTHONPATH=str(ROOT))
    ran = subprocess.run(
        [sys.executable, "-c", COMPILED_WITHIN],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    # Compiling them takes seconds; a deal of these takes less than 10 ms.
    assert 0 < float(ran.stdout) < 500


def test_a_method_is_warmed_up_for_the_parts_of_each_ruleset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the kernels of another ruleset would be compiled within the time of a search."""
    needed: list[str] = []
    parts = {slug: (Part(slug, (), partial(needed.append, slug)),) for slug in PRESETS}

    def solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
        return [Outcome(Result.LOST, 1, 0.0) for _ in deals]

    def parts_of(rules: KlondikeRules, values: Values) -> tuple[Part, ...]:
        return parts[rules.slug]

    monkeypatch.setattr("solvers.solver._warm", set())
    monkeypatch.setattr("solvers.solver.COMPILED", True)
    monkeypatch.setattr(compiling, "COMPILED", True)
    method: Any = replace(get_method("exact"), solve=solve, parts=parts_of)
    solver = configure(method, {})
    for slug in ("klondike-draw3", "klondike-draw1", "klondike-draw3"):
        solver.prepare(PRESETS[slug])
        assert solver.is_warm(PRESETS[slug])
    assert needed == ["klondike-draw3", "klondike-draw1"]
    assert not solver.is_warm(PRESETS["klondike-yan"])


def test_a_game_that_is_not_played_is_not_warmed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    warm: set[Any] = set()
    monkeypatch.setattr("solvers.solver._warm", warm)
    with pytest.raises(BadInput):
        configure(get_method("uct"), {}).warm_up(PRESETS["klondike-vegas"])
    assert warm == set()


@pytest.mark.parametrize(
    "rules", [each for each in COVERING if not each.has_usual_tableau], ids=str
)
def test_who_plays_klondike_with_another_tableau(rules: KlondikeRules) -> None:
    assert sorted(who_plays(rules)) == ["dead-end", "exact", "exact-plain"]
    decider = capable(rules, Ability.DECIDE)
    assert decider is not None
    assert decider.method.slug == "exact"
    with pytest.raises(BadInput, match=r"who plays .*: exact, exact-plain, dead-end"):
        parse_solver("random").check_plays(rules)
