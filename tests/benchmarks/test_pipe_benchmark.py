"""Tests of the benchmark of the pipe: it prints all figures, and sees when outputs differ."""

import sys
from pathlib import Path
from typing import Any

import pytest

import pipe

SMALL = ("--deals", "12", "--times", "1", "--solver", "exact(nodes=10000)", "--rounds")


def test_the_figures_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert pipe.main([*SMALL, "1"]) == 0
    out = capsys.readouterr().out
    assert "start: one deal, 1 runs" in out
    for rules in pipe.RULESETS:
        for form in ("by name, JSON", "by name, text", "file of cards", "file of names"):
            assert f"{rules}, {form}" in out
    assert "do not print the same" not in out
    assert "gain" in out


def test_two_workers_that_print_something_else_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = pipe.Command.solve

    def solve(self: pipe.Command, *given: str, **named: Any) -> pipe.Run:
        run = real(self, *given, **named)
        if named.get("workers") == 2:
            return run._replace(output="".join(run.output.splitlines(keepends=True)[::-1]))
        return run

    monkeypatch.setattr(pipe, "RULESETS", pipe.RULESETS[:1])
    monkeypatch.setattr(pipe.Command, "solve", solve)
    assert pipe.main([*SMALL, "2", "--only-two"]) == 1
    out = capsys.readouterr().out
    assert f"{pipe.RULESETS[0]}: one worker and two do not print the same" in out
    assert "start" not in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--deals", "0"), "1 or more"),
        (("--first", "-1"), "0 or more"),
        (("--beside", "no/such", "--only-two"), "leave --only-two out"),
        (("--beside", "no/such"), "cannot run no/such: No such file"),
        (("--package", "no/such"), "cannot run no/such: No such file"),
        (("--package", sys.executable), "ended with exit code 2"),
    ],
)
def test_what_is_wrong_is_said(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pipe.main(arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.thorough
def test_two_commands_are_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pipe, "RULESETS", pipe.RULESETS[:1])
    own = str(Path(sys.executable).with_name("thoughtful"))
    assert pipe.main([*SMALL, "1", "--beside", own]) == 0
    out = capsys.readouterr().out
    for rules in pipe.RULESETS:
        for form in ("by name, JSON", "file of cards", "file of names"):
            assert f"{rules}, {form}" in out
    assert "start, CPU s" in out
    assert "two workers" not in out


def test_the_times_of_the_solver_are_added_up() -> None:
    run = pipe.Run(1.0, 0.5, '{"id": 1, "cpu_ms": 1500}\n{"id": 2, "cpu_ms": 250.5}\n')
    assert run.of_solver == pytest.approx(1.7505)
    assert run.untimed == [{"id": 1}, {"id": 2}]
