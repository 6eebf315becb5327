"""Tests of the benchmark of solutions: that it measures what `exact` does."""

import sys

import pytest

import solutions


@pytest.mark.parametrize("slug", ["klondike-draw3", "klondike-draw1"])
def test_shorter_solutions_of_both_searches_win(
    slug: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--rules", slug, "--sample", "thoughtful-1:0-29", "--beside", "exact-plain(nodes=500)"]
    monkeypatch.setattr(sys, "argv", ["solutions", *asked])
    assert solutions.main() == 0
    lines = capsys.readouterr().out.splitlines()
    means = {
        name: float(line.removeprefix(name).split()[0])
        for name in ("as found", "shortened")
        for line in lines
        if line.startswith(name) and "%" not in line
    }
    assert 100 < means["shortened"] < means["as found"] < 300
    assert "replayed by the referee; 0 do not win" in lines
