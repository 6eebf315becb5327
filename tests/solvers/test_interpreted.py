"""Tests of deals that another process solves without the compiler."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from catalogue.reading.deal_detail import deal_detail
from catalogue.store import init, open_catalogue
from engine.dealing.dealers import deal_by_id, get_dealer
from engine.errors import BadInput
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS
from engine.replay import replay
from paths import ROOT
from patience import wait_until
from solvers import interpreted
from solvers.interpreted import _Interpreter, solve_meanwhile
from solvers.outcome import Outcome, Result
from solvers.solver import Solver, parse_solver

RULES = PRESETS["klondike-draw3"]


@pytest.fixture
def exact() -> Solver:
    return parse_solver("exact(nodes=20000, memory_mib=16)")


@pytest.fixture
def process(exact: Solver) -> Iterator[_Interpreter]:
    started = _Interpreter(str(exact), RULES.slug)
    yield started
    started.stop()


def answer_of(process: _Interpreter, work: interpreted.Work) -> Outcome | BadInput:
    process.ask(work)
    wait_until(process.has_answered, "an answer without the compiler")
    assert process.answer is not None
    return process.answer


def test_its_outcomes_are_those_of_the_compiled_search(
    process: _Interpreter, exact: Solver
) -> None:
    deals = get_dealer("thoughtful-1").deal_block(40, 12)
    compiled = exact.solve(deals, RULES)
    assert {outcome.result for outcome in compiled} == {
        Result.WON,
        Result.UNWINNABLE,
        Result.GAVE_UP,
    }
    # Without a time, as that of the interpreter is not the solver's.
    assert all(outcome.cpu_ms is not None for outcome in compiled)
    assert [answer_of(process, deal) for deal in deals] == [
        replace(outcome, cpu_ms=None) for outcome in compiled
    ]


def test_positions_are_solved_and_impossible_ones_refused(
    process: _Interpreter, exact: Solver
) -> None:
    start = KlondikePosition.start(deal_by_id("thoughtful-1:42"), RULES)
    position = replay(start, start.legal_moves()[:1])
    assert answer_of(process, position) == replace(exact.solve_position(position), cpu_ms=None)
    refused = answer_of(process, replace(position, stock=position.stock[:1] * 2))
    with pytest.raises(BadInput) as error:
        exact.solve_position(replace(position, stock=position.stock[:1] * 2))
    assert str(refused) == str(error.value)


def test_nothing_is_lost_when_the_process_dies(
    monkeypatch: pytest.MonkeyPatch, process: _Interpreter, exact: Solver
) -> None:
    monkeypatch.setattr(interpreted._own, "interpreter", process)
    os.kill(process._process.pid, signal.SIGKILL)
    process._process.wait()
    deals = get_dealer("thoughtful-1").deal_block(42, 2)
    compiled = exact.solve(deals, RULES)
    for deal, outcome in zip(deals, compiled, strict=True):
        found = solve_meanwhile(str(exact), RULES.slug, deal, lambda outcome=outcome: outcome)
        assert found == outcome


def catalogue_of(folder: Path) -> str:
    return f"sqlite:///{folder / 'catalogue.db'}"


def solved(folder: Path, *arguments: str) -> tuple[int, str, str, bool]:
    """Run `solve` where nothing is compiled: its exit code, what it printed, and whether the search
    was compiled when it ended.
    """
    command = subprocess.Popen(
        [sys.executable, "-m", "thoughtful_command", "thoughtful", "solve", *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(folder / "kernels"),
            "NUMBA_DISABLE_JIT": "0",
            "THOUGHTFUL_DATABASE_URL": catalogue_of(folder),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # So that the processes which go on compiling can be ended with it.
        start_new_session=True,
    )
    out, err = command.communicate()
    is_compiled = bool(list(folder.rglob("search.search-*.nbc")))
    with suppress(ProcessLookupError):
        os.killpg(command.pid, signal.SIGKILL)
    return command.returncode, out, err, is_compiled


def test_a_command_ends_before_everything_is_compiled(tmp_path: Path) -> None:
    init(catalogue_of(tmp_path))
    code, out, err, is_compiled = solved(tmp_path, "thoughtful-1:42", "--store", "--json")
    assert (code, is_compiled) == (0, False), err
    line = json.loads(out)
    assert (line["outcome"], line["cpu_ms"]) == ("won", None)
    with open_catalogue(catalogue_of(tmp_path)) as catalogue:
        (stored,) = deal_detail(catalogue, "thoughtful-1:42").outcomes
    assert (stored.result, stored.cpu_ms) == (Result.WON, None)


def test_wrong_input_is_still_one_sentence(tmp_path: Path) -> None:
    position = KlondikePosition.start(deal_by_id("thoughtful-1:42"), RULES).to_json()
    position["stock"][0] = position["stock"][1]
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(position))
    code, out, err, _ = solved(tmp_path, "--position", str(wrong))
    assert (code, out) == (2, "")
    (sentence,) = err.splitlines()
    assert sentence.startswith("thoughtful: ")
