"""Tests of the benchmark of the referees: what it times, and that what is no win shows."""

import numpy as np
import pytest

import referee
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

MONKEY = "spider-1-relaxed=monkey(level=3, period=50)"


def test_each_ruleset_has_a_line_for_each_referee(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [MONKEY, "klondike-draw3=dead-end"]
    assert referee.main([*asked, "--deals", "30", "--plain", "4", "--rounds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rules, solver = parse_ruleset("spider-1-relaxed"), parse_solver(MONKEY.split("=", 1)[1])
    cards, solutions = referee.wins_of(rules, solver, 30)
    assert 4 < len(solutions) == len(cards) < 30
    assert lines[1] == f"spider-1-relaxed, {solver}: {len(solutions)} wins of 30 deals"
    counts = [line[30:].split()[0] for line in lines[3:6]]
    assert counts == ["4", str(len(solutions)), str(len(solutions))]
    assert lines[7:] == ["klondike-draw3, dead-end: 0 wins of 30 deals"]


def test_what_is_no_win_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, solver = parse_ruleset("spider-1-relaxed"), parse_solver(MONKEY.split("=", 1)[1])
    cards, solutions = referee.wins_of(rules, solver, 10)
    assert solutions
    cut = (np.array(cards), [moves[:-2] for moves in solutions])
    monkeypatch.setattr(referee, "wins_of", lambda *_: cut)
    assert referee.main([MONKEY, "--rounds", "1"]) == 1
    assert "does not accept" in capsys.readouterr().err
    assert referee.main(["klondike-draw9000"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
