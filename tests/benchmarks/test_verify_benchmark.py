"""Test of the benchmark of verification: what it fills, and that every check has a line."""

import pytest

import verify
from catalogue.verify.checks import CHECKS


@pytest.mark.slow
def test_each_check_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify.main(["--deals", "30", "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "of 30 deals under klondike-draw1, exact" in out
    names = [check.name for check in CHECKS if not check.sampled]
    assert all(f"\n{name} " in out for name in names)
    assert out.splitlines()[-1].startswith("all of these  1 processes")
