"""Tests of worker processes: results and errors, when they are forked, and how they end."""

import contextlib
import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from catalogue.processes import LostWorker, Workers
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from patience import SECONDS, wait_until
from solvers.solver import parse_solver

DRAW3 = parse_ruleset("klondike-draw3")
# What is asked of a worker, and of the process that has it.
ASKED = """
import json, multiprocessing, os, signal, sys, threading
from contextlib import nullcontext
from catalogue.processes import Workers, may_fork
from catalogue.interrupts import SIGNALS, ended_by_signals
from engine import proof
from engine.kernels import compiling
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

def told(_item):
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return {
        "parent": os.getppid(),
        "loaded": "solvers.klondike.exact.method" in sys.modules,
        "interrupts": str(signal.getsignal(signal.SIGINT)),
        "terminates": str(signal.getsignal(signal.SIGTERM)),
        "wakes": signal.set_wakeup_fd(-1),
        "blocked": sorted(blocked & {*SIGNALS}),
        "others compile": compiling.is_side_by_side(),
        "drawn": proof._fresh_generator(os.getpid()).random(),
    }

rules = parse_ruleset("klondike-draw3")
command = ended_by_signals if "command" in sys.argv else nullcontext
with command():
    compiling.side_by_side()
    proof._fresh_generator(os.getpid())
    if "thread" in sys.argv:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    solver = parse_solver("exact-plain" if "no parts" in sys.argv else "exact")
    with Workers(2, told, fork=may_fork() and solver.load(rules)) as workers:
        way = "fork" if multiprocessing.active_children() else "spawn"
        if way == "fork":
            answer = workers.submit(None)
            workers.wait()
            print(json.dumps({"way": way, "here": os.getpid(), **answer.result()}))
            own = signal.getsignal(signal.SIGTERM).__name__
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
            print(json.dumps([own, sorted(blocked & {*SIGNALS}), compiling.is_side_by_side()]))
        else:
            print(json.dumps({"way": way}))
"""


@pytest.fixture(scope="module", autouse=True)
def _kernels() -> None:
    """Everything that a worker of `exact` needs is compiled."""
    for part in parse_solver("exact").parts(DRAW3):
        part.need()


def asked(*how: str) -> list[Any]:
    ended = subprocess.run(
        [sys.executable, "-c", ASKED, *how], capture_output=True, text=True, check=True
    )
    assert ended.stderr == ""
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_a_worker_of_the_command_has_what_is_loaded_and_its_own_signals() -> None:
    worker, (handler, blocked, side_by_side) = asked("command")
    drawn = worker.pop("drawn")
    assert 0 <= drawn < 1
    assert worker == {
        "way": "fork",
        "here": worker["here"],
        "parent": worker["here"],
        "loaded": True,
        "interrupts": str(signal.SIG_IGN),
        "terminates": str(signal.SIG_DFL),
        "wakes": -1,
        "blocked": [],
        "others compile": False,
    }
    assert (handler, blocked, side_by_side) == ("_interrupt", [], True)


@pytest.mark.parametrize(
    "how", [(), ("command", "thread"), ("command", "no parts")], ids=" and ".join
)
def test_no_other_process_is_forked(how: tuple[str, ...]) -> None:
    assert asked(*how) == [{"way": "spawn"}]


def test_a_solver_is_loaded_only_if_nothing_is_to_be_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solver = parse_solver("exact")
    assert solver.load(DRAW3)
    parts = solver.parts(DRAW3)
    monkeypatch.setattr(type(parts[-1]), "is_missing", property(lambda part: part is parts[-1]))
    monkeypatch.setattr(type(parts[-1]), "need", lambda part: pytest.fail("it was loaded"))
    assert not solver.load(DRAW3)
    assert not parse_solver("exact-plain").load(DRAW3)


@pytest.fixture
def solving() -> "Iterator[subprocess.Popen[str]]":
    """A command with two workers that has many deals to solve, and has solved the first."""
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "thoughtful", "solve", "thoughtful-1:0-9999999", "--json"),
            *("--rules", "klondike-draw3", "--solver", "exact", "--workers", "2"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["id"] == "thoughtful-1:0"
        yield process
        process.kill()


def rest_of(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """What a process prints until it ends; it is killed if that takes too long.

    Its own `communicate` would lose the lines that were read ahead with the first one.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    patience = threading.Timer(SECONDS, process.kill)
    patience.start()
    try:
        printed = process.stdout.read(), process.stderr.read()
        process.wait()
    finally:
        patience.cancel()
    return printed


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_and_its_workers(
    number: signal.Signals, solving: "subprocess.Popen[str]"
) -> None:
    children = psutil.Process(solving.pid).children(recursive=True)
    assert len(children) == 2
    for each in (solving, *children) if number == signal.SIGINT else (solving,):
        # A worker may have ended by its parent's word before its own signal is sent.
        with contextlib.suppress(psutil.NoSuchProcess):
            each.send_signal(number)
    out, err = rest_of(solving)
    # Whichever test is the first to need the search compiles it, and says so.
    said = [line for line in err.splitlines() if not line.startswith("Compiling ")]
    assert (solving.returncode, said) == (130, [])
    # What was printed is whole lines, in order.
    numbers = [json.loads(line)["id"] for line in out.splitlines()]
    assert numbers == [f"thoughtful-1:{seed}" for seed in range(1, len(numbers) + 1)]
    wait_until(lambda: not any(map(alive, children)), "no worker is left")


def test_workers_end_when_their_parent_is_killed(solving: "subprocess.Popen[str]") -> None:
    children = psutil.Process(solving.pid).children(recursive=True)
    assert len(children) == 2
    solving.kill()
    wait_until(lambda: not any(map(alive, children)), "no worker is left")


def test_a_worker_that_is_killed_ends_the_command(solving: "subprocess.Popen[str]") -> None:
    children = psutil.Process(solving.pid).children(recursive=True)
    children[0].kill()
    _, err = solving.communicate(timeout=SECONDS)
    assert solving.returncode == 2
    assert "thoughtful: a worker process ended with code -9 in the middle of its work" in err
    assert "Traceback" not in err
    wait_until(lambda: not any(map(alive, children)), "no worker is left")


def half(number: int) -> int:
    if number % 2:
        raise BadInput(f"{number} is odd")
    if number < 0:
        os._exit(7)
    return number // 2


def test_results_come_in_order_and_errors_in_their_places() -> None:
    with Workers(2, half) as workers:
        results = list(workers.map(iter(range(20)), ahead=5))
        assert [item for item, _ in results] == list(range(20))
        assert [result.result() for _, result in results[::2]] == list(range(10))
        for number, result in results[1::2]:
            assert str(result.exception()) == f"{number} is odd"


@pytest.mark.parametrize("per_process", [1, 2])
def test_a_worker_that_ends_takes_what_it_has_and_is_replaced(per_process: int) -> None:
    with Workers(1, half, per_process=per_process) as workers:
        results = dict(workers.map([4, -2, 6, 8, 10], ahead=5))
    lost = [item for item, result in results.items() if result.exception() is not None]
    assert lost == [-2, 6][:per_process]
    for item in lost:
        with pytest.raises(LostWorker, match="ended with code 7 in the middle of its work"):
            results[item].result()
    assert multiprocessing.active_children() == []


def test_a_process_with_room_is_not_always_idle() -> None:
    with Workers(2, time.sleep, per_process=2) as workers:
        states = [(workers.is_idle, workers.has_room)]
        for _ in range(4):
            workers.submit(SECONDS)
            states.append((workers.is_idle, workers.has_room))
    assert states == [(True, True), (True, True), (False, True), (False, True), (False, False)]


def test_the_command_prints_the_same_with_two_workers() -> None:
    command = (sys.executable, "-m", "thoughtful", "solve", "thoughtful-1:0-199", "--json")
    printed = [
        [
            {key: value for key, value in json.loads(line).items() if key != "cpu_ms"}
            for line in subprocess.run(
                [*command, "--workers", workers], capture_output=True, text=True, check=True
            ).stdout.splitlines()
        ]
        for workers in ("1", "2")
    ]
    assert len(printed[0]) == 200
    for one, two in itertools.zip_longest(*printed):
        assert one == two
        assert list(one) == list(two)
