"""Tests of the benchmark of puzzles, of games whose players of graded strength do not advise."""

from pathlib import Path

import pytest

import puzzles as benchmark
from engine.errors import BadInput


def test_puzzles_of_open_cards_are_measured_without_levels(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert benchmark.measure("freecell", 2, None) == 0
    assert "plays  puzzles" in capsys.readouterr().out
    with pytest.raises(BadInput, match="nobody advises under freecell at several strengths"):
        benchmark.measure("freecell", 2, tmp_path / "levels.json")
