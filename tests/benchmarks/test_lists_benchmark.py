"""Tests of the benchmark of lists: it says that they are right, and sees it when they are not."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lists
from engine.rulesets import parse_ruleset
from readers import NEEDED, lacking

RULES = parse_ruleset("klondike-draw1")
# Of these, 32007, 32008, 32016 and 32020 are unwinnable.
FIRST, DEALS = 32_001, 20


@pytest.mark.parametrize("wrong", [None, "listed", "left out"])
def test_a_list_is_held_against_proofs(
    wrong: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = lists.listing

    def listing(*arguments: str, url: str) -> Any:
        answer = real(*arguments, url=url)
        path = Path(arguments[arguments.index("--output") + 1])
        text = path.read_text()
        changes = {
            "listed": ("32006, ", "32006, 32007, "),
            "left out": ("32006, ", ""),
        }
        if wrong is not None:
            assert changes[wrong][0] in text
            path.write_text(text.replace(*changes[wrong]))
        return answer

    monkeypatch.setattr(lists, "listing", listing)
    assert lists.verdicts(RULES, DEALS, 100_000, 1, FIRST) == (wrong is None)
    out = capsys.readouterr().out
    if wrong is None:
        assert "16 seeds listed, covering 32001-32020" in out
        assert "16 of 16" in out
        assert "4 other seeds by exact(" in out


def test_the_readers_are_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for language in NEEDED:
        reason = lacking(language)
        if reason is not None:
            pytest.skip(f"the readers cannot be compared: {reason}")
    assert lists.readers(RULES, 3_000)
    out = capsys.readouterr().out
    assert out.count("3000 seeds, crc32 ") == 8
    assert "| binary |" in out
    real = lists.drawn_grades

    def answer(header: Any, grades: Any) -> str:
        return lines(header, np.roll(grades, 1))

    lines = lists._lines
    monkeypatch.setattr(lists, "_lines", answer)
    assert not lists.readers(RULES, 3_000)
    assert set(real(3_000).tolist()) == {*range(11), 128, 129}
