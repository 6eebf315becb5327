"""Tests of `thoughtful import --outcomes`: results of other programs' solvers."""

import json
from pathlib import Path
from typing import Any

import pytest

from catalogue.reading.deal_detail import deal_detail
from catalogue.store import open_catalogue
from command_line import Thoughtful, assert_one_sentence
from engine.dealing.dealers import deal_by_id
from engine.klondike.formats import write_digits

pytestmark = pytest.mark.slow


@pytest.fixture
def solved(thoughtful: Thoughtful) -> list[dict[str, Any]]:
    """Results of a few deals, wins and proofs among them."""
    lines = thoughtful("solve", "thoughtful-1:0-11", "--json").lines
    assert {"won", "unwinnable"} <= {line["outcome"] for line in lines}
    return lines


def imported(thoughtful: Thoughtful, lines: list[dict[str, Any]], *more: str) -> Any:
    Path("results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return thoughtful("import", "results.jsonl", "--outcomes", "lonelybot", "--json", *more)


def outcomes(name: str) -> dict[tuple[str, int], str]:
    with open_catalogue() as catalogue:
        found = deal_detail(catalogue, name).outcomes
    return {(each.solver, each.version): each.result for each in found}


def test_results_become_outcomes_of_that_solver(
    thoughtful: Thoughtful, solved: list[dict[str, Any]]
) -> None:
    ran = imported(thoughtful, solved, "--version", "3")
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines == [{"read": 12, "kept": 12, "new": 12, "wrong": 0}]
    for line in solved:
        assert outcomes(line["id"]) == {("foreign-lonelybot", 3): line["outcome"]}
    again = imported(thoughtful, solved, "--version", "3")
    assert again.lines == [{"read": 12, "kept": 12, "new": 0, "wrong": 0}]
    newer = imported(thoughtful, solved[:4], "--version", "4")
    assert newer.lines[0]["new"] == 4
    assert len(outcomes(solved[0]["id"])) == 2
    ran = thoughtful("verify", "--share", "1", "--resolve", "0.3")
    assert ran.code == 0, ran.out
    won = next(line for line in solved if line["outcome"] == "won")
    # Nobody here could make the moves of another program again.
    ran = thoughtful("catalogue", "compact")
    assert ran.code == 0, ran.err
    assert thoughtful("replay", won["id"]).out.splitlines()[-1].endswith(": won")


@pytest.mark.parametrize("notation", ["minimal-klondike", "klondike-solver", "pysolfc"])
def test_moves_in_any_notation_and_deals_by_their_cards(
    notation: str, thoughtful: Thoughtful
) -> None:
    lines = thoughtful("solve", "thoughtful-1:2-9", "--json", "--notation", notation).lines
    won = [line for line in lines if line["outcome"] == "won"]
    answer = [
        {
            "id": number,
            "deal": write_digits(deal_by_id(line["id"])),
            "outcome": "won",
            "moves": line["moves"],
        }
        for number, line in enumerate(won)
    ]
    assert imported(thoughtful, answer).lines[0]["new"] == len(won)
    assert imported(thoughtful, answer, "--notation", notation).lines[0]["kept"] == len(won)
    for line in won:
        digest = deal_by_id(line["id"]).digest
        assert outcomes(digest) == {("foreign-lonelybot", 1): "won"}
    assert thoughtful("verify", "--share", "1").code == 0


def test_a_claimed_win_that_is_none_is_a_wrong_line(
    thoughtful: Thoughtful, solved: list[dict[str, Any]]
) -> None:
    won = next(line for line in solved if line["outcome"] == "won")
    bad = [
        (won | {"moves": won["moves"][:-1]}, "it claims a win, but its"),
        (won | {"moves": ["T", *won["moves"]]}, "it claims a win, but its solution does not"),
        (won | {"id": "thoughtful-1:500"}, "it claims a win, but"),
        (won | {"moves": None}, 'a win needs "moves"'),
        (won | {"moves": [*won["moves"][:-1], "ZZ"]}, "'ZZ' is not a move"),
        (won | {"moves": "AC", "notation": "minimal-klondike"}, "move 1, WF"),
        (won | {"outcome": "maybe"}, "\"outcome\" is 'maybe': expected one of won, lost"),
        (won | {"nodes": -1}, '"nodes" must be a whole number'),
        (won | {"cpu_ms": "fast"}, '"cpu_ms" must be a number'),
        ({"id": "thoughtful-1:2"}, '"outcome" is None'),
    ]
    ran = imported(thoughtful, [*(line for line, _ in bad), *solved], "--report", "wrong.jsonl")
    assert ran.code == 2
    assert ran.lines == [{"read": 22, "kept": 12, "new": 12, "wrong": 10}]
    answer = {
        each["line"]: each["reason"]
        for each in map(json.loads, Path("wrong.jsonl").read_text().splitlines())
    }
    for number, (_, said) in enumerate(bad, start=1):
        assert said in answer[number]
    assert thoughtful("verify", "--share", "1").code == 0


def test_a_contradiction_is_an_alarm(thoughtful: Thoughtful, solved: list[dict[str, Any]]) -> None:
    won = next(line for line in solved if line["outcome"] == "won")
    assert thoughtful("solve", won["id"], "--store").code == 0
    liar = {"id": won["id"], "outcome": "unwinnable", "nodes": 7, "cpu_ms": 1.5}
    assert imported(thoughtful, [liar]).lines[0]["new"] == 1
    ran = thoughtful("verify", "--share", "1")
    assert ran.code == 1
    assert "1 solvers won it, 1 proved it unwinnable" in ran.out


def test_only_results_are_outcomes(thoughtful: Thoughtful) -> None:
    Path("deals.txt").write_text("thoughtful-1:1\n")
    ran = thoughtful("import", "deals.txt", "--outcomes", "lonelybot")
    assert ran.code == 2
    assert 'line 1: "outcome" is None: expected one of won, lost, unwinnable, gave_up' in ran.err
    assert_one_sentence(
        thoughtful("import", "deals.txt", "--outcomes", "a" * 41), "is no name of a solver"
    )


def test_what_is_unwinnable_on_word_alone_is_told_apart(
    thoughtful: Thoughtful, solved: list[dict[str, Any]]
) -> None:
    """200 lines could claim any upper bound; bounds, exports and datasets say whose word it is."""
    proved = {line["id"] for line in solved if line["outcome"] == "unwinnable"}
    thoughtful("solve", *sorted(proved), "--solver", "exact", "--store")
    claims = [{"id": line["id"], "deal": line["id"], "outcome": "unwinnable"} for line in solved]
    assert imported(thoughtful, claims, "--version", "3").lines[0]["new"] == 12
    named = len(claims) - len(proved)
    (bound,) = thoughtful("bounds", "--sample", "thoughtful-1:0-11", "--json").lines
    assert (bound["upper"], bound["claimed"]) == (0.0, named)
    assert bound["claimed_by"] == ["lonelybot version 3"]
    assert bound["upper_proved"] == pytest.approx(named / 12)
    answer = thoughtful("bounds", "--sample", "thoughtful-1:0-11").out
    assert f"{named} of the unwinnable are claimed by lonelybot version 3, and not proved" in answer
    assert thoughtful("export", "all", "--format", "jsonl").code == 0
    rows = [json.loads(line) for line in Path("all/statuses.jsonl").read_text().splitlines()]
    assert {r["deal"] for r in rows if 0 < r["claims"] == r["proofs"]} == {
        line["id"] for line in solved
    } - proved
    assert thoughtful("dataset", "build", "small").code == 0
    card = Path("small-1.0.0/README.md").read_text()
    assert f"{named} deals count as unwinnable on the word of other programs alone" in card
    assert thoughtful("dataset", "check", "small-1.0.0", "--replay").code == 0
    # Nothing follows from a claim under another ruleset.
    ran = thoughtful(
        "job", "submit", "thoughtful-1:0-11", "-r", "klondike-draw3-no-worrying-back",
        "--infer", "--dry-run", "--json",
    )  # fmt: skip
    assert ran.lines[0]["inferred"] == len(proved)
