"""Tests of `thoughtful shortest`."""

import json
from pathlib import Path

import pytest

from command_line import Thoughtful, assert_one_sentence
from engine.dealing.dealers import deal_by_id
from engine.games import get_game
from engine.notations import read_moves
from engine.replay import replay
from engine.rulesets import parse_ruleset

DEAL = "thoughtful-1:2"
DRAW3 = parse_ruleset("klondike-draw3")
START = get_game("klondike").start(deal_by_id(DEAL), DRAW3)


def test_a_proved_solution(thoughtful: Thoughtful) -> None:
    ran = thoughtful("shortest", DEAL)
    verdict, moves = ran.out.splitlines()
    assert verdict.startswith(f"{DEAL} under klondike-draw3: 101 moves, and there is no shorter")
    assert replay(START, read_moves(moves, START)).is_won
    assert len(moves.split()) == 101


@pytest.mark.parametrize(
    ("count", "length"), [("standard", 101), ("minimal-klondike", 99), ("klondike-solver", 120)]
)
def test_counts(count: str, length: int, thoughtful: Thoughtful) -> None:
    ran = thoughtful("shortest", DEAL, "--count", count, "--json", "--notation", "minimal-klondike")
    (line,) = ran.lines
    assert (line["outcome"], line["count"], line["proved"]) == ("won", count, True)
    assert line["length"] == line["bound"] == length
    assert line["ended_by"] is None
    assert line["notation"] == "minimal-klondike"
    assert replay(START, read_moves(" ".join(line["moves"]), START, "minimal-klondike")).is_won


def test_what_is_known_after_no_time(thoughtful: Thoughtful) -> None:
    (line,) = thoughtful("shortest", DEAL, "--seconds", "0.000001", "--json").lines
    assert not line["proved"]
    assert line["bound"] < 101 < line["length"]
    assert line["ended_by"] == "time"
    ran = thoughtful("shortest", DEAL, "--seconds", "0.000001")
    assert f"{line['length']} moves; none of fewer than {line['bound']} exists" in ran.out
    assert "1e-06" not in ran.out
    assert "the 0.000001 s of CPU time were spent, more are given with --seconds" in ran.out


def test_memory_that_was_spent_is_named(thoughtful: Thoughtful) -> None:
    given = (DEAL, "--seconds", "0", "--memory", "1")
    (line,) = thoughtful("shortest", *given, "--json").lines
    assert (line["proved"], line["ended_by"]) == (False, "memory")
    assert (
        "the 1 MiB of memory were spent, more are given with --memory"
        in thoughtful("shortest", *given).out
    )


def test_a_lost_deal(thoughtful: Thoughtful) -> None:
    (line,) = thoughtful("shortest", "thoughtful-1:0-9", "--seconds", "0.001", "--json").lines[:1]
    assert line["outcome"] in ("won", "unwinnable")
    lost = [
        each
        for each in thoughtful("shortest", "thoughtful-1:0-9", "--seconds", ".001", "--json").lines
        if each["outcome"] == "unwinnable"
    ]
    assert lost
    assert all(each["length"] is each["bound"] is None and each["proved"] for each in lost)
    assert "unwinnable" in thoughtful("shortest", lost[0]["id"]).out


def test_a_known_solution_is_shortened(thoughtful: Thoughtful) -> None:
    solved = thoughtful("solve", DEAL, "--solver", "exact-plain(nodes=100000)", "--json")
    Path("won.jsonl").write_text(solved.out)
    (before,) = solved.lines
    ran = thoughtful("shortest", DEAL, "--shorten", "--file", "won.jsonl", "--json")
    (line,) = ran.lines
    assert line["length"] == len(line["moves"]) < len(before["moves"])
    assert not line["proved"]
    moves = " ".join(line["moves"])
    assert replay(START, read_moves(moves, START)).is_won
    text = thoughtful("shortest", DEAL, "--shorten", "--moves", moves).out
    length = int(text.partition("shortened to ")[2].split()[0])
    assert 101 <= length <= line["length"]
    (searched,) = thoughtful("shortest", DEAL, "--moves", moves, "--json").lines
    assert searched["proved"]
    assert searched["length"] < line["length"]


def test_wrong_input(thoughtful: Thoughtful) -> None:
    assert_one_sentence(
        thoughtful("shortest", DEAL, "--count", "steps"),
        "unknown count 'steps': expected one of standard, minimal-klondike, klondike-solver",
    )
    assert_one_sentence(thoughtful("shortest", DEAL, "--shorten"), "--shorten needs a solution")
    assert_one_sentence(thoughtful("shortest", DEAL, "--seconds", "-1"), "--seconds -1")
    assert_one_sentence(
        thoughtful("shortest", DEAL, "--moves", "T T"), f"the moves given for {DEAL} are legal and"
    )
    assert_one_sentence(thoughtful("shortest", DEAL, "--moves", "R"), "move 1, R")
    assert_one_sentence(
        thoughtful("shortest", "thoughtful-1:2-3", "--moves", "T"), "of one deal, and 2 are given"
    )
    assert_one_sentence(
        thoughtful("shortest", DEAL, "--moves", "T", "--file", "x"), "cannot be given together"
    )
    assert_one_sentence(
        thoughtful("shortest", DEAL, "-r", "klondike-yan"), "no solver finds shortest solutions"
    )
    assert_one_sentence(thoughtful("shortest", DEAL, "-r", "spider-4"), "under spider-4")
    Path("other.jsonl").write_text(json.dumps({"id": "thoughtful-1:9", "moves": ["T"]}))
    assert_one_sentence(thoughtful("shortest", DEAL, "--file", "other.jsonl"), f"the id {DEAL}")
