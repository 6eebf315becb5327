"""Tests of what a person sees while kernels are compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from thoughtful.terminal.console import CompilingNotice


def test_a_pipe_gets_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    answer = CompilingNotice()
    for _ in range(3):
        answer.begin(3)
        answer.step(1)
        answer.end()
    captured = capsys.readouterr()
    assert captured.err == "Compiling the search, once on this machine ...\n"
    assert captured.out == ""


def test_a_terminal_gets_a_line_that_counts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    answer = CompilingNotice()
    answer.begin(3)
    answer.step(1)
    answer.begin(3)
    answer.end()
    answer.end()
    captured = capsys.readouterr()
    assert "Compiling the search, once on this machine: 2 of 3 ..." in captured.err
    assert captured.out == ""


@pytest.mark.thorough
def test_nothing_is_compiled_in_silence(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}

    def solved() -> tuple[str, dict[str, object]]:
        ended = subprocess.run(
            [sys.executable, "-m", "thoughtful", "solve", "thoughtful-1:42", "--json"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return ended.stderr, json.loads(ended.stdout)

    said, first = solved()
    assert said == "Compiling the search, once on this machine ...\n"
    # Perhaps before the other processes have compiled everything.
    _, again = solved()
    assert [first[key] for key in ("outcome", "nodes")] == [
        again[key] for key in ("outcome", "nodes")
    ]
    # What the interpreter or compiling took is not the deal's.
    assert first["cpu_ms"] is None or first["cpu_ms"] < 1000
    assert again["cpu_ms"] is None or again["cpu_ms"] < 1000


@pytest.mark.thorough
def test_what_is_compiled_once_is_announced_once(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-m", "thoughtful", "shortest", "thoughtful-1:2", "--seconds", "1"]
    said = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr
        for _ in range(2)
    ]
    assert said == ["Compiling the search, once on this machine ...\n", ""]
