"""Tests of `thoughtful import`: good lines kept, bad ones named."""

import json
import os
import resource
from pathlib import Path

import pytest

from catalogue.intake import deals as intake
from catalogue.reading.deal_detail import deal_detail
from catalogue.store import open_catalogue
from command_line import Thoughtful, assert_one_sentence
from engine.dealing.dealers import deal_by_id
from engine.klondike.formats import write_board, write_digits
from intake_lines import numbered_lines
from samples import sizes

DEALS = [deal_by_id(f"thoughtful-1:{seed}") for seed in range(6)]


@pytest.mark.parametrize(("count", "wrong"), sizes((2_000, 20), (20_000, 200)))
def test_good_lines_are_kept_and_bad_ones_named(
    count: int, wrong: int, thoughtful: Thoughtful
) -> None:
    lines, said = numbered_lines(count, wrong)
    Path("deals.txt").write_bytes(b"".join(line + b"\n" for line in lines))
    ran = thoughtful("import", "deals.txt", "--json", "--report", "wrong.jsonl")
    assert ran.code == 2
    assert ran.lines[0] == {
        "read": count,
        "kept": count - wrong,
        "new": ran.lines[0]["new"],
        "wrong": wrong,
    }
    answer = [json.loads(line) for line in Path("wrong.jsonl").read_text().splitlines()]
    assert [each["line"] for each in answer] == list(said)
    for each in answer:
        assert said[each["line"]] in each["reason"], each
    assert len(ran.err.splitlines()) == wrong
    for line, each in zip(ran.err.splitlines(), answer, strict=True):
        assert line.startswith(f"deals.txt, line {each['line']}: ")
    again = thoughtful("import", "deals.txt", "--json", "--skip-bad")
    assert again.code == 0
    assert again.lines == [{**ran.lines[0], "new": 0}]


def test_marks_line_ends_comments_and_boards(thoughtful: Thoughtful) -> None:
    text = (
        "\ufeff# two boards\n\n"
        + write_board(DEALS[0])
        + write_board(DEALS[1])
        + "# digits\n"
        + write_digits(DEALS[2])
        + "\n\n\nthoughtful-1:3"
    )
    Path("deals.txt").write_bytes(text.replace("\n", "\r\n").encode())
    ran = thoughtful("import", "deals.txt")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "4 deals kept, 4 of them new; 0 wrong entries left out\n"
    with open_catalogue() as catalogue:
        for deal in DEALS[:3]:
            assert deal_detail(catalogue, deal.digest).cards == deal
        assert deal_detail(catalogue, "thoughtful-1:3").cards == DEALS[3]
    assert thoughtful("verify", "--share", "1").code == 0


def test_a_table_of_deals_and_a_table_of_our_exports(thoughtful: Thoughtful) -> None:
    rows = ["id,deal", f"a,{write_digits(DEALS[0])}", "b,thoughtful-1:1", "c,", 'd,"', "e,f,g"]
    Path("deals.csv").write_text("\n".join(rows) + "\n")
    ran = thoughtful("import", "deals.csv", "--json")
    assert ran.lines == [{"read": 5, "kept": 2, "new": 2, "wrong": 3}]
    assert [line.partition(": ")[0] for line in ran.err.splitlines()] == [
        f"deals.csv, line {line}" for line in (4, 5, 6)
    ]
    assert thoughtful("solve", "thoughtful-1:2-5", "--store").code == 0
    assert thoughtful("export", "out", "--format", "csv").code == 0
    ran = thoughtful("import", "out/deals.csv", "--json")
    assert (ran.code, ran.lines) == (0, [{"read": 4, "kept": 4, "new": 0, "wrong": 0}])


def test_numbers_of_a_dealer(thoughtful: Thoughtful) -> None:
    Path("numbers.txt").write_text("1\n2147483647\n11982\n")
    ran = thoughtful("import", "numbers.txt", "--from", "greenfelt")
    assert ran.code == 2
    assert "line 2: seed 2147483647 is out of range for dealer greenfelt" in ran.err
    with open_catalogue() as catalogue:
        assert deal_detail(catalogue, "greenfelt:11982").cards == deal_by_id("greenfelt:11982")


def test_seeds_that_cannot_be_stored_are_wrong_lines(thoughtful: Thoughtful) -> None:
    Path("deals.txt").write_text("pysolfc:98765432109876543210\npysolfc:1\n")
    ran = thoughtful("import", "deals.txt")
    assert ran.code == 2
    assert "line 1: seed 98765432109876543210 cannot be stored" in ran.err
    assert ran.out == "1 deal kept, 1 of them new; 1 wrong entry left out\n"


WRONG = [
    (("import",), ["missing argument"]),
    (("import", "missing.txt"), ["cannot read missing.txt", "No such file"]),
    (("import", ".", "--from", "xls"), ["unknown format 'xls'", "pysolfc", "microsoft"]),
    (
        ("import", ".", "--from", "solvitaire", "-r", "spider-4"),
        ["solvitaire does not support Spider"],
    ),
    (("import", ".", "--outcomes", "My Solver"), ["'My Solver' is no name of a solver"]),
    (("import", ".", "--outcomes", "x", "--version", "0"), ["--version", "'0'"]),
    (("import", ".", "--notation", "pysolfc"), ["--notation needs --outcomes"]),
    (("import", ".", "--outcomes", "x", "--notation", "y"), ["unknown notation 'y'"]),
    (("import", ".", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_wrong_input(arguments: tuple[str, ...], said: list[str], thoughtful: Thoughtful) -> None:
    assert_one_sentence(thoughtful(*arguments), *said)


@pytest.mark.thorough
def test_a_million_lines_take_no_more_memory_than_some_thousands(thoughtful: Thoughtful) -> None:
    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with open("many.txt", "w", encoding="ascii") as stream:
        stream.writelines(f"thoughtful-1:{seed}\n" for seed in range(1_000_000))
    with open("few.txt", "w", encoding="ascii") as stream:
        stream.writelines(f"thoughtful-1:{seed}\n" for seed in range(3 * intake.BATCH))
    assert thoughtful("import", "few.txt").code == 0
    before = peak()
    ran = thoughtful("import", "many.txt", "--json")
    assert ran.lines[0]["kept"] == 1_000_000
    assert peak() - before < 20_000, f"KiB beyond {before} of {os.uname().sysname}"
