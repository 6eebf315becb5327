"""Tests of `thoughtful puzzle`."""

import csv
import json
from pathlib import Path

from catalogue.difficulty.puzzles import puzzle
from command_line import Thoughtful

DRAW3 = "klondike-draw3"


def test_a_puzzle_is_printed_and_its_solution_on_request(thoughtful: Thoughtful) -> None:
    found = puzzle(DRAW3, None, "monday")
    asked = thoughtful("puzzle", "-r", DRAW3, "--key", "monday").out
    assert asked.startswith(str(found.position))
    assert f"One of {found.plays} plays keeps the win, level {found.level}: " in asked
    solution = " ".join(found.solution)
    assert f"\n{solution} " not in asked
    told = thoughtful("puzzle", "-r", DRAW3, "--key", "monday", "--solution").out
    assert told.startswith(asked)
    assert f"\n{solution}" in told
    printed = json.loads(thoughtful("puzzle", "-r", DRAW3, "--key", "monday", "--json").out)
    assert printed == {**found.to_json(), "key": "monday"}


def test_several_are_a_table(thoughtful: Thoughtful, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.csv"
    told = thoughtful("puzzle", "--key", "mine", "--count", "2", "--output", str(file))
    assert told.out == f"2 puzzles in {file}\n"
    rows = list(csv.DictReader(file.open()))
    assert [row["key"] for row in rows] == ["mine 0", "mine 1"]
    assert rows[1]["deal"] == puzzle(DRAW3, None, "mine 1").deal
    line = " ".join(rows[0][name] for name in ("line", "answer", "rest"))
    replayed = thoughtful("replay", rows[0]["deal"], "--rules", DRAW3, "--moves", line)
    assert replayed.code == 0
    assert replayed.out.endswith("all legal under klondike-draw3: won\n")


def test_wrong_input_is_one_sentence(thoughtful: Thoughtful, tmp_path: Path) -> None:
    for wrong, sentence in (
        (("-r", "spider-4"), "there are no puzzles under spider-4"),
        (("--theme", "fun"), "'fun' is not a theme of puzzles"),
        (("--count", "0"), "expected a whole number from 1 to"),
        (("--output", str(tmp_path / "a.txt")), "unknown format 'txt'"),
        (("--output", str(tmp_path / "a.csv"), "--json"), "expected no --json"),
    ):
        told = thoughtful("puzzle", *wrong)
        assert told.code == 2
        assert sentence in told.err
        assert len(told.err.splitlines()) == 1
    assert not [*tmp_path.glob("a.*")]
