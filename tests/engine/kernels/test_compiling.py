"""Tests of parts that other processes compile, and of what is told meanwhile."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from paths import ROOT
from patience import wait_until

# Two parts with a kernel each, one that takes in another kernel, and a third that fails elsewhere.
PARTS = """\
from engine.kernels.compiling import Part
from engine.kernels.decorators import kernel, search_kernel


@search_kernel
def _twice(number):
    return 2 * number


@kernel
def first(number):
    return _twice(number) + 1


@kernel
def second(number):
    return _twice(number) + 2


FIRST = Part("parts:FIRST", (first,), lambda: first(1))
SECOND = Part("parts:SECOND", (second,), lambda: second(1))
LOST = Part("nowhere:LOST", (first,), lambda: first(1.5))
"""
PROGRAM = """\
import json
import time
from engine.kernels import compiling
from parts import FIRST, LOST, SECOND, first, second

told = []


class Teller:
    def begin(self, total):
        told.append(["begin", total])

    def step(self, done):
        told.append(["step", done])

    def end(self):
        told.append(["end"])


compiling.tell_with(Teller())
if {on}:
    compiling._processors = lambda: 2
    compiling.side_by_side()
parts = [{parts}]
compiling.begin(parts)
if {wait}:
    deadline = time.monotonic() + 100
    while SECOND.is_missing and time.monotonic() < deadline:
        time.sleep(0.02)
for part in parts:
    part.need()
    part.need()
assert first(2) == 5 and second(2) == 6
print(json.dumps([told, sum(first.stats.cache_hits.values()),
                  sum(second.stats.cache_hits.values())]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts.py").write_text(PARTS)
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    """The environment of processes that find the parts, with a kernel cache of their own."""
    return {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "NUMBA_DISABLE_JIT": "0",
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
    }


def run(
    folder: Path, on: bool, wait: bool, parts: str = "FIRST, SECOND"
) -> tuple[list[list[object]], int, int]:
    """What was told, and how often each kernel came from the cache."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(on=on, wait=wait, parts=parts)],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    answer, first, second = json.loads(ended.stdout)
    return answer, first, second


def test_another_process_compiles_what_is_needed_later(folder: Path) -> None:
    answer, first, second = run(folder, on=True, wait=True)
    # The first is compiled here and the second elsewhere.
    assert (first, second) == (0, 1)
    assert answer[0] == ["begin", 2]
    assert answer[-1] == ["end"]
    # Once both are in the cache, there is nothing to tell.
    assert run(folder, on=True, wait=False) == ([], 1, 1)


def test_without_other_processes_everything_is_compiled_here(folder: Path) -> None:
    answer, first, second = run(folder, on=False, wait=False)
    assert (first, second) == (0, 0)
    assert answer.count(["begin", None]) == answer.count(["end"]) == 2


def test_what_another_process_cannot_compile_is_compiled_here(folder: Path) -> None:
    answer, first, _ = run(folder, on=True, wait=False, parts="FIRST, LOST, SECOND")
    assert first == 0
    assert answer[-1] == ["end"]


def test_a_kernel_within_another_is_not_kept_by_itself(folder: Path) -> None:
    run(folder, on=False, wait=False)
    kept = {path.name.split("-")[0] for path in (folder / "cache").rglob("*.nbi")}
    assert kept == {"parts.first", "parts.second"}


ABANDONED = """\
from engine.kernels import compiling
from parts import FIRST, SECOND

compiling._processors = lambda: 2
compiling.side_by_side()
assert compiling.begin_elsewhere([FIRST, SECOND])
try:
    with compiling.unless(lambda: True):
        FIRST.need()
except compiling.NotWaitedFor:
    print("not waited for")
"""


def started(folder: Path, program: str) -> "subprocess.Popen[str]":
    """A process that finds the parts, in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kept(folder: Path) -> set[str]:
    """The kernels that are in the cache."""
    return {path.name.split("-")[0] for path in (folder / "cache").rglob("*.nbc")}


def test_what_is_not_waited_for_is_compiled_all_the_same(folder: Path) -> None:
    ended = started(folder, ABANDONED)
    assert ended.communicate()[0] == "not waited for\n"
    wait_until(lambda: kept(folder) == {"parts.first", "parts.second"}, "both kernels in the cache")
    assert run(folder, on=True, wait=False) == ([], 1, 1)


def test_a_kernel_that_was_not_finished_is_compiled_again(folder: Path) -> None:
    ended = started(folder, ABANDONED)
    ended.communicate()
    # All at once, whatever they are doing.
    os.killpg(ended.pid, signal.SIGKILL)
    run(folder, on=True, wait=False)
    assert run(folder, on=True, wait=False) == ([], 1, 1)
    # Numba writes the index of a kernel before its code: a process may end between the two.
    (code,) = (folder / "cache").rglob("parts.first-*.nbc")
    code.unlink()
    assert run(folder, on=True, wait=False)[1:] == (0, 1)
    assert run(folder, on=True, wait=False) == ([], 1, 1)


STRANGER = """\
from engine.kernels import compiling
from parts import FIRST

with compiling._locked(FIRST, wait=True):
    print("locked", flush=True)
    input()
    FIRST.run()
"""
WAITING = """\
from engine.kernels import compiling
from parts import FIRST, first


class Teller:
    def begin(self, total):
        print("begins", flush=True)

    def step(self, done):
        pass

    def end(self):
        pass


compiling.tell_with(Teller())
FIRST.need()
print(sum(first.stats.cache_hits.values()))
"""


def test_what_another_command_compiles_is_waited_for(folder: Path) -> None:
    stranger = started(folder, STRANGER)
    assert stranger.stdout is not None
    assert stranger.stdout.readline() == "locked\n"
    waiting = started(folder, WAITING)
    assert waiting.stdout is not None
    assert waiting.stdout.readline() == "begins\n"
    stranger.communicate("compile it\n")
    assert waiting.communicate()[0] == "1\n"
