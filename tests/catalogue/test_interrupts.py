"""Tests of Ctrl-C and SIGTERM: real processes, in the middle of work that no handler interrupts."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from patience import SECONDS, wait_until

# The promise is two seconds; a busy machine may take longer, and a kernel would take hours.
MOST_SECONDS = 20
SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Python cannot interrupt it: like a kernel, it is one instruction that does not hold the lock.
STUCK = """
import hashlib, sys
from pathlib import Path
from catalogue.interrupts import ended_by_signals, removed_if_ended

with ended_by_signals(), removed_if_ended(Path(sys.argv[1])):
    Path(sys.argv[1]).write_text("half")
    for number in range(3):
        print("line", number)
    print("stuck", file=sys.stderr, flush=True)
    hashlib.pbkdf2_hmac("sha256", b"deal", b"seed", 2**31 - 1)
"""
# Ends of itself, but the interpreter would wait for a thread.
LINGERING = """
import sys, threading, time
from catalogue.interrupts import ended_by_signals

with ended_by_signals():
    threading.Thread(target=time.sleep, args=(10_000,)).start()
    print("line")
    print("stuck", file=sys.stderr, flush=True)
    time.sleep(10_000)
"""
CLEAN = """
import signal, sys, threading
from catalogue.interrupts import ended_by_signals, first_signal_handled

with ended_by_signals(), first_signal_handled():
    stop = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: stop.set() or signal.signal(15, before))
    print("stuck", file=sys.stderr, flush=True)
    stop.wait()
    threading.Event().wait(3)  # longer than a command that does not handle signals is given
    print("stopped cleanly")
"""


@pytest.fixture
def start() -> "Iterator[Callable[..., subprocess.Popen[str]]]":
    """Start a process of its own session; it is killed at the end."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def ended_after(process: "subprocess.Popen[str]", number: signal.Signals) -> tuple[str, str]:
    """Send a signal as a terminal does, to the process with all its children; its output."""
    since = time.monotonic()
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=SECONDS)
    assert time.monotonic() - since < MOST_SECONDS
    return out, err


@pytest.mark.parametrize("number", SIGNALS)
def test_code_that_python_cannot_interrupt_is_ended(
    number: signal.Signals, start: "Callable[..., subprocess.Popen[str]]", tmp_path: Path
) -> None:
    unfinished = tmp_path / "unfinished"
    process = start("-c", STUCK, str(unfinished))
    assert process.stderr is not None
    assert process.stderr.readline() == "stuck\n"
    assert unfinished.exists()
    wait_until(lambda: busy(psutil.Process(process.pid)) > 2, "it computes")
    out, _ = ended_after(process, number)
    assert process.returncode == 130
    assert out == "line 0\nline 1\nline 2\n"
    assert not unfinished.exists()


def test_threads_that_go_on_do_not_keep_the_process(
    start: "Callable[..., subprocess.Popen[str]]",
) -> None:
    process = start("-c", LINGERING)
    assert process.stderr is not None
    assert process.stderr.readline() == "stuck\n"
    out, _ = ended_after(process, signal.SIGTERM)
    assert process.returncode == 130
    assert out == "line\n"


def test_a_command_that_stops_cleanly_is_not_cut_short(
    start: "Callable[..., subprocess.Popen[str]]",
) -> None:
    process = start("-c", CLEAN)
    assert process.stderr is not None
    assert process.stderr.readline() == "stuck\n"
    out, _ = ended_after(process, signal.SIGTERM)
    assert process.returncode == 0
    assert out == "stopped cleanly\n"


def busy(process: psutil.Process) -> float:
    """CPU seconds of a process and its children; those that ended count no more."""
    assert process.status() != psutil.STATUS_ZOMBIE, "the process ended"
    total = 0.0
    for each in [process, *process.children(recursive=True)]:
        try:
            total += each.cpu_times().user
        except psutil.NoSuchProcess:
            continue
    return total


@pytest.mark.thorough
@pytest.mark.parametrize(("number", "workers"), list(zip(SIGNALS, (1, 2), strict=True)))
def test_solve_ends_in_the_middle_of_a_kernel(
    number: signal.Signals, workers: int, start: "Callable[..., subprocess.Popen[str]]"
) -> None:
    command = ("-m", "thoughtful", "solve", "thoughtful-1:0-3", "-r", "klondike-draw3")
    # Compiles what the long one needs.
    assert start(*command, "-s", "hop(samples=1,level=1)").wait(SECONDS) == 0
    process = start(*command, "-s", "hop(samples=100000,level=1)", "--workers", str(workers))
    seen = psutil.Process(process.pid)
    # Far more than starting and loading kernels takes.
    wait_until(lambda: busy(seen) > 10 * workers, "the kernels run")
    children = seen.children(recursive=True)
    assert len(children) >= (workers if workers > 1 else 0)
    out, err = ended_after(process, number)
    assert (process.returncode, out, err) == (130, "", "")
    wait_until(lambda: not any(map(alive, children)), "no worker is left")


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.thorough
def test_workers_end_when_their_parent_is_killed(
    start: "Callable[..., subprocess.Popen[str]]",
) -> None:
    process = start(
        *("-m", "thoughtful", "solve", "thoughtful-1:0-3", "-r", "klondike-draw3"),
        *("-s", "hop(samples=100000,level=1)", "--workers", "2"),
    )
    seen = psutil.Process(process.pid)
    wait_until(lambda: busy(seen) > 20, "the kernels run")
    children = seen.children(recursive=True)
    process.kill()
    wait_until(lambda: not any(map(alive, children)), "no worker is left")
