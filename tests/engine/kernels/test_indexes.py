"""Indexes of search kernels: unsigned, and none of them outside its array."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.kernels.compiler import COMPILED
from engine.kernels.decorators import search_kernel
from paths import ROOT

SEARCHING = {"search_kernel", "inlined_kernel", "looped_kernel", "small_kernel"}


@search_kernel
def stirred(array, table, number):  # type: ignore[no-untyped-def]
    """Reads and writes with indexes that are known only at run time, single ones and pairs."""
    array[number] += table[number, 1]
    table[number, number] = array[number]
    return array[number + 1]


def test_elements_are_those_of_their_indexes() -> None:
    array, table = np.arange(5), np.arange(16).reshape(4, 4)
    for number in range(4):
        expected = array[number] + table[number, 1]
        assert stirred(array, table, number) == array[number + 1]
        assert array[number] == expected == table[number, number]
    for kind in (np.int8, np.uint8, np.int32):
        narrow = np.arange(5).astype(kind)
        assert stirred(narrow, np.zeros((4, 4), dtype=np.int64), narrow[2]) == 3


def test_no_kernel_of_a_search_counts_from_the_end_of_an_array() -> None:
    """As far as an index is a constant; others are looked at below."""
    found, looked = [], 0
    paths = [path for folder in ("engine", "solvers") for path in (ROOT / folder).rglob("*.py")]
    for path in paths:
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef) or not any(
                isinstance(each, ast.Name) and each.id in SEARCHING
                for each in function.decorator_list
            ):
                continue
            looked += 1
            for access in ast.walk(function):
                if isinstance(access, ast.Subscript):
                    parts = getattr(access.slice, "elts", [access.slice])
                    if any(isinstance(getattr(part, "op", None), ast.USub) for part in parts):
                        found.append(f"{path}, line {access.lineno}")
    assert not found
    assert looked > 500


BOUNDS = """
import numpy as np
from test_indexes import stirred
for wrong in (-1, -3, 4, 5):
    try:
        stirred(np.arange(5), np.zeros((4, 4), dtype=np.int64), wrong)
    except IndexError:
        print(wrong, "is outside")
"""

# Each method that plays a ruleset solves a few deals of it, and positions in mid-game.
EVERY_METHOD = """
import sys
from random import Random
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.registry import methods_of
from solvers.solver import configure
from conformance.test_solvers import first_deals
for slug in sys.argv[1:]:
    rules = parse_ruleset(slug)
    game = game_of(rules)
    for method in methods_of(game.slug):
        if not method.plays(rules):
            continue
        least = {"nodes": 3000, "trajectories": 20, "width": 20, "games": 4, "memory_mib": 16}
        known = {each.name: each for each in method.parameters}
        values = {name: least[name] for name in least if name in known}
        solver = configure(method, values)
        deals = first_deals(game, 3)
        outcomes = solver.solve(deals, rules)
        print(slug, solver, [(each.result.value, each.nodes, each.moves) for each in outcomes])
        if method.solve_position is None:
            continue
        position, chance = game.start(game.deal(deals[0]), rules), Random(1)
        for _ in range(25):
            moves = position.legal_moves()
            if moves:
                position = position.play(chance.choice(moves))
        print(solver.solve_position(position).result.value)
"""
RULESETS = {
    "klondike": ("klondike-draw1", "klondike-draw3", "klondike-yan", "klondike-vegas"),
    "spider": ("spider-1", "spider-4", "spider-4-relaxed"),
    "patience": (
        *("freecell", "canfield", "spiderette", "yukon", "trigon", "gypsy", "simple-simon"),
        *("black-hole", "accordion", "gaps-one-deal", "golf"),
    ),
}


def run(program: str, cache: Path, *arguments: str, checked: bool) -> str:
    """What a program of kernels prints, with every index looked at or none."""
    places = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(places),
        "NUMBA_BOUNDSCHECK": str(int(checked)),
    }
    if checked:
        # Kernels that are kept have no checks.
        environment["NUMBA_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-c", program, *arguments]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout


@pytest.mark.skipif(not COMPILED, reason="there are no bounds without the compiler")
def test_where_bounds_are_checked_a_negative_index_is_an_error(tmp_path: Path) -> None:
    lines = run(BOUNDS, tmp_path, checked=True).splitlines()
    assert lines == [f"{wrong} is outside" for wrong in (-1, -3, 4, 5)]


@pytest.mark.thorough
@pytest.mark.parametrize("game", RULESETS)
@pytest.mark.skipif(not COMPILED, reason="there are no bounds without the compiler")
def test_no_method_reads_or_writes_outside_its_arrays(game: str, tmp_path: Path) -> None:
    """The kernels of every method, compiled with checks of all bounds, find what they find."""
    rulesets = RULESETS[game]
    checked = run(EVERY_METHOD, tmp_path, *rulesets, checked=True)
    assert checked.count("\n") >= 2 * len(rulesets)
    assert checked == run(EVERY_METHOD, tmp_path, *rulesets, checked=False)
