"""Tests of `thoughtful fairness` on the command line."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from catalogue.spider.assessment import FairnessReport, FairnessTest, Share, examine
from catalogue.spider.hands import read_hands
from catalogue.spider.watch import log_evidence
from catalogue.spider.words import conclusions
from thoughtful import command_line

HAND = "JC TD 9D 4S 4H KC 2S 7D QH 5C"
Thoughtful = Callable[..., tuple[int, str, str]]


@pytest.fixture
def thoughtful(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Thoughtful:
    """Run a command in this process, in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = command_line.run(arguments)
        return (code, *capfd.readouterr())

    return run


def test_the_command_prints_what_was_found(thoughtful: Thoughtful) -> None:
    Path("hands.txt").write_text("thoughtful-1:0-99\n")
    code, out, err = thoughtful("fairness", "hands.txt", "--simulations", "199", "--every", "40")
    assert (code, err) == (0, "")
    assert "100 games of 4-suit Spider" in out
    assert "Conclusions\n" in out
    assert "Limits\n" in out
    assert [line.split()[0] for line in out.splitlines() if line.strip()[:3] in ("40 ", "80 ")] == [
        "40",
        "80",
    ]


def test_the_command_prints_the_report_as_json(thoughtful: Thoughtful) -> None:
    Path("hands.txt").write_text("thoughtful-1:0-99\n")
    code, out, _ = thoughtful(
        "fairness", "hands.txt", "--suits", "2", "--simulations", "199", "--watch", "50",
        "--hard", "21/40", "--reference", "50/100", "--json",
    )  # fmt: skip
    assert code == 0
    data = json.loads(out)
    expected = examine(
        read_hands("thoughtful-1:0-99", 2).cards,
        2,
        simulations=199,
        hard=Share(21, 40),
        reference=Share(50, 100),
    )
    assert data["games"] == 100
    assert data["e_value"] == expected.e_value
    assert [q["p_value"] for q in data["questions"]] == [q.p_value for q in expected.questions]
    assert [q["slug"] for q in data["questions"]][-1] == "hard"
    assert [row["games"] for row in data["grown"]] == [50, 100]
    assert sum(data["guaranteed_turnovers"]) == 100
    assert data["conclusions"] == conclusions(expected)
    assert data["hard"] == {"count": 21, "total": 40}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["needs a FILE", "--hard"]),
        (("nowhere.txt",), ["cannot read nowhere.txt"]),
        (("bad.txt",), ["bad.txt: line 2: 9 cards"]),
        (("good.txt", "--suits", "3"), ["not 3"]),
        (("good.txt", "--suits", "four"), ["--suits", "four"]),
        (("good.txt", "--hard", "half"), ["--hard is 'half'", "K/N"]),
        (("good.txt", "--hard", "3/2", "--reference", "1/2"), ["3/2 is not a share"]),
        (("good.txt", "--hard", "1/2", "--suits", "2"), ["needs a reference"]),
        (("good.txt", "--reference", "1/2"), ["--reference needs --hard"]),
        (("tries.csv", "--hard", "1/2", "--reference", "1/2"), ["already has tries"]),
        (("good.txt", "--simulations", "1"), ["--simulations", "199 to"]),
        (("good.txt", "--every", "0"), ["--every", "0"]),
    ],
)
def test_wrong_input_is_one_sentence(
    thoughtful: Thoughtful, arguments: Sequence[str], words: Sequence[str]
) -> None:
    Path("bad.txt").write_text(f"{HAND}\n{HAND[:-3]}\n")
    Path("good.txt").write_text(f"{HAND}\n")
    Path("tries.csv").write_text("hand,tries,wins\na,50,0\n")
    code, out, err = thoughtful("fairness", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert ". " not in err
    for each in words:
        assert each in err


def test_a_large_e_value_stays_a_number() -> None:
    zeros = np.zeros(2000, dtype=np.int64)
    logs = log_evidence(zeros, zeros, 4)
    report = FairnessReport(4, 2000, (), (2000, *[0] * 10), logs, {}, 99, 0, None, 1)
    assert 1e300 < report.e_value < float("inf")
    assert FairnessTest("places", "?", 1.0, 1.0, None, 0.01, 0.05).odd
    json.dumps(report.grown(500), allow_nan=False)
