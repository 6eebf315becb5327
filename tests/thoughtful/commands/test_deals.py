"""Tests of `thoughtful deal`, `solve` and `replay`, for Klondike and Spider."""

import json
from pathlib import Path
from typing import Any

import pytest

from catalogue import pipe
from catalogue.outcomes import chunk
from catalogue.reading import deal_detail, overview
from catalogue.store import open_catalogue
from command_line import Thoughtful, assert_one_sentence
from engine import intake, notations
from engine.dealing.dealers import Dealer, deal_by_id, get_dealer
from engine.formats import formats
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS
from engine.rulesets import named_rulesets
from engine.spider import GAME as SPIDER
from engine.text.deal_lines import read_deal_lines

DRAW3 = PRESETS["klondike-draw3"]


def test_deal_lays_the_table(thoughtful: Thoughtful) -> None:
    ran = thoughtful("deal", "thoughtful-1:42")
    assert ran.code == 0
    assert str(KlondikePosition.start(deal_by_id("thoughtful-1:42"), DRAW3)) in ran.out


@pytest.mark.parametrize("slug", formats())
def test_deal_writes_what_the_reader_of_the_format_reads(slug: str, thoughtful: Thoughtful) -> None:
    ran = thoughtful("deal", "greenfelt:5", "--format", slug)
    assert formats()[slug].read(ran.out) == deal_by_id("greenfelt:5")


def test_deal_names_ranges(thoughtful: Thoughtful) -> None:
    ran = thoughtful("deal", "thoughtful-1:998-1001", "pysolfc:7", "--json")
    read = list(read_deal_lines(ran.out.splitlines()))
    expected = [f"thoughtful-1:{seed}" for seed in range(998, 1002)] + ["pysolfc:7"]
    assert [item.id for item in read] == expected
    assert [item.deal for item in read] == [deal_by_id(name) for name in expected]


@pytest.mark.slow
def test_solve_prints_a_solution_that_replays(thoughtful: Thoughtful) -> None:
    ran = thoughtful("solve", "thoughtful-1:42")
    first, moves = ran.out.splitlines()
    assert first.startswith("thoughtful-1:42 under klondike-draw3: won in ")
    replayed = thoughtful("replay", "thoughtful-1:42", "--moves", moves)
    assert replayed.code == 0
    assert replayed.out.splitlines()[-1].endswith("all legal under klondike-draw3: won")


@pytest.mark.slow
def test_the_win_of_a_deal_is_printed_as_it_was_judged(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    check = chunk.check_wins

    def checked(*arguments: Any, **named: Any) -> list[str | None]:
        counts.append(len(arguments[3]))
        return check(*arguments, **named)

    def replayed(*_: Any) -> None:
        raise AssertionError("it was replayed")

    monkeypatch.setattr(chunk, "check_wins", checked)
    monkeypatch.setattr(notations, "replay", replayed)
    won = thoughtful("solve", "thoughtful-1:42", "--solver", "exact")
    assert counts == [1]
    moves = thoughtful("solve", "thoughtful-1:42", "-s", "exact", "--json").lines[0]["moves"]
    assert won.out.splitlines()[1] == f"  {' '.join(moves)}"
    # Nobody has judged the solution of a position.
    start = deal_by_id("thoughtful-1:42")
    Path("start.json").write_text(json.dumps(KlondikePosition.start(start, DRAW3).to_json()))
    with pytest.raises(AssertionError, match="it was replayed"):
        thoughtful("solve", "--position", "start.json", "--solver", "exact")


@pytest.mark.parametrize("how", ["--input", "argument"])
def test_a_file_is_read_once_and_its_deals_are_dealt_once(
    how: str, thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    dealt: list[int] = []
    entries, block = intake.entries_of, Dealer.deal_block

    def counted(*arguments: Any) -> Any:
        read.append(arguments)
        return entries(*arguments)

    def counted_block(dealer: Dealer, first: int, *rest: Any) -> Any:
        dealt.append(first)
        return block(dealer, first, *rest)

    monkeypatch.setattr(intake, "entries_of", counted)
    monkeypatch.setattr(pipe, "entries_of", counted)
    monkeypatch.setattr(Dealer, "deal_block", counted_block)
    Path("names").write_text("thoughtful-1:2\npysolfc:7\n")
    given = ("--input", "names") if how == "--input" else ("names", "--json")
    lines = thoughtful("solve", *given, "--solver", "exact").lines
    assert [line["id"] for line in lines] == ["thoughtful-1:2", "pysolfc:7"]
    assert len(read) == 1
    assert dealt == [2, 7]


def test_solve_prints_json_that_replay_reads(thoughtful: Thoughtful) -> None:
    ran = thoughtful("solve", "thoughtful-1:2-5", "--solver", "exact(nodes=100000)", "--json")
    assert [line["id"] for line in ran.lines] == [f"thoughtful-1:{seed}" for seed in range(2, 6)]
    Path("results.jsonl").write_text(ran.out)
    won = next(line for line in ran.lines if line["outcome"] == "won")
    replayed = thoughtful("replay", str(won["id"]), "--file", "results.jsonl", "--json")
    assert replayed.lines[0]["won"] is True
    assert replayed.lines[0]["length"] == len(won["moves"])


@pytest.mark.slow
def test_solve_explains_a_dead_end(thoughtful: Thoughtful) -> None:
    ran = thoughtful("solve", "thoughtful-1:0-59", "--solver", "dead-end", "--json")
    dead = next(line for line in ran.lines if line["outcome"] == "unwinnable")
    assert dead["dead_end"]["witness"]
    shown = thoughtful("solve", str(dead["id"]), "--solver", "dead-end")
    verdict, explained = shown.out.splitlines()
    assert ": unwinnable by dead-end" in verdict
    assert explained.startswith("  ")
    assert len(explained) > 20


@pytest.mark.slow
def test_solve_goes_on_from_a_position(thoughtful: Thoughtful) -> None:
    won = thoughtful("solve", "thoughtful-1:42", "--json").lines[0]["moves"]
    assert isinstance(won, list)
    half = " ".join(won[: len(won) // 2])
    shown = thoughtful("replay", "thoughtful-1:42", "--moves", half, "--json").lines[0]
    Path("half.json").write_text(json.dumps(shown["position"]))
    solved = thoughtful("solve", "--position", "half.json", "--json").lines[0]
    assert solved["outcome"] == "won"
    rest = " ".join(solved["moves"])
    replayed = thoughtful("replay", "--position", "half.json", "--moves", rest)
    assert replayed.out.splitlines()[-1].endswith("won")


@pytest.mark.slow
def test_a_mark_or_carriage_returns_in_a_file_of_moves_do_no_harm(thoughtful: Thoughtful) -> None:
    Path("moves.txt").write_bytes("\ufeffT T\r\nT\r\n".encode())
    ran = thoughtful("replay", "thoughtful-1:42", "--file", "moves.txt")
    assert ran.code == 0
    assert "3 moves, all legal" in ran.out


@pytest.mark.slow
def test_replay_shows_every_position(thoughtful: Thoughtful) -> None:
    ran = thoughtful("replay", "thoughtful-1:42", "--moves", "T T T", "--show")
    position = KlondikePosition.start(deal_by_id("thoughtful-1:42"), DRAW3)
    assert ran.out.startswith(f"start\n{position}\n")
    assert "move 3: T (turn the stock)" in ran.out
    assert "not won: 0 of 52 cards" in ran.out
    shown = thoughtful("replay", "thoughtful-1:42", "--moves", "T T T", "--show", "--json").lines
    assert [line["move"] for line in shown] == [None, "T", "T", "T"]
    assert shown[0]["position"] == position.to_json()


@pytest.mark.slow
def test_store_keeps_outcomes_once(thoughtful: Thoughtful) -> None:
    command = ("solve", "thoughtful-1:42", "thoughtful-1:2-4", "pysolfc:3", "--store", "--json")
    first, second = thoughtful(*command), thoughtful(*command)
    assert first.err == "outcomes added to the catalogue: 5\n"
    assert second.err == "outcomes added to the catalogue: 0\n"
    with open_catalogue() as catalogue:
        assert overview.counts(catalogue).outcomes == 5
    replayed = thoughtful("replay", "thoughtful-1:42")
    assert replayed.code == 0
    assert replayed.out.splitlines()[-1].endswith("won")


MONKEY = "monkey(level=3, period=50)"


def test_deal_lays_a_table_of_spider(thoughtful: Thoughtful) -> None:
    dealt = get_dealer("thoughtful-1").deal(42, SPIDER)
    for slug in ("spider-4", "spider-1"):
        ran = thoughtful("deal", "thoughtful-1:42", "--rules", slug)
        start = SPIDER.start(dealt, named_rulesets()[slug])
        name, *table = ran.out.splitlines()
        assert (ran.code, name) == (0, "thoughtful-1:42")
        assert "\n".join(table).startswith(str(start))
        rows = [line.partition("  ")[2].split() for line in table if "to be dealt" in line]
        assert rows == start.to_json()["stock"]


@pytest.mark.parametrize("slug", ["json", "pysolfc"])
def test_deal_writes_spider_for_other_programs(slug: str, thoughtful: Thoughtful) -> None:
    ran = thoughtful("deal", "pysolfc:5", "--rules", "spider-2", "--format", slug)
    assert formats()[slug].read(ran.out, SPIDER) == get_dealer("pysolfc").deal(5, SPIDER)


@pytest.mark.slow
def test_spider_is_dealt_solved_and_replayed(thoughtful: Thoughtful) -> None:
    lines = thoughtful("deal", "thoughtful-1:0-9", "--rules", "spider-1", "--json").out
    Path("deals.jsonl").write_text(lines)
    rules = ("--rules", "spider-1", "--solver", MONKEY)
    ran = thoughtful("solve", "--input", "deals.jsonl", *rules)
    named = thoughtful("solve", "thoughtful-1:0-9", *rules, "--json")
    assert [{**line, "cpu_ms": 0} for line in ran.lines] == [
        {**line, "cpu_ms": 0} for line in named.lines
    ]
    won = next(line for line in ran.lines if line["outcome"] == "won")
    Path("results.jsonl").write_text(ran.out)
    deal = str(won["id"])
    replayed = thoughtful("replay", deal, "-r", "spider-1", "--file", "results.jsonl")
    assert replayed.out.splitlines()[-1].endswith("all legal under spider-1: won")
    shown = thoughtful("solve", deal, *rules).out.splitlines()
    assert shown[0].startswith(f"{deal} under spider-1: won in ")
    assert shown[1].split() == won["moves"]


@pytest.mark.slow
def test_replay_shows_every_position_of_spider(thoughtful: Thoughtful) -> None:
    command = ("replay", "thoughtful-1:42", "--rules", "spider-4", "--moves", "D D")
    ran = thoughtful(*command, "--show")
    assert "move 2: D (deal a row)" in ran.out
    assert ran.out.splitlines()[-1] == (
        "2 moves, all legal under spider-4: not won: 0 of 8 runs completed"
    )
    shown = thoughtful(*command, "--json").lines[0]
    Path("position.json").write_text(json.dumps(shown["position"]))
    on = ("--position", "position.json", "--rules", "spider-4")
    went_on = thoughtful("replay", *on, "--moves", "D", "--json").lines[0]
    assert len(went_on["position"]["stock"]) == 2
    other = ("replay", "--position", "position.json", "--moves", "D")
    assert thoughtful(*other, "--json").lines[0] == went_on
    assert_one_sentence(
        thoughtful(*other, "--rules", "klondike-draw3"),
        "states the ruleset spider-4, and klondike-draw3 was asked for",
    )
    assert_one_sentence(thoughtful("solve", *on, "-s", "monkey"), "only from the start of a deal")
    # Its player plays on from any position, and loses what can be won with all cards known.
    player = ("-s", "spider-player")
    assert "under spider-4: lost by spider-player" in thoughtful("solve", *on, *player).out
    assert "under spider-4: won in" in thoughtful("solve", *on).out


@pytest.mark.slow
def test_spider_is_stored_beside_klondike(thoughtful: Thoughtful) -> None:
    rules = ("--rules", "spider-1", "--solver", MONKEY, "--store")
    assert thoughtful("solve", "thoughtful-1:0-9", *rules).err.endswith(" 10\n")
    klondike = thoughtful("solve", "thoughtful-1:3", "--store")
    assert klondike.err == "outcomes added to the catalogue: 1\n"
    for slug in ("spider-1", "klondike-draw3"):
        ran = thoughtful("replay", "thoughtful-1:3", "--rules", slug)
        assert ran.out.splitlines()[-1].endswith(f"all legal under {slug}: won")
    [digest] = {browse_digest("thoughtful-1:3")}
    ran = thoughtful("replay", digest, "--rules", "spider-1")
    assert ran.code == 0
    assert_one_sentence(thoughtful("replay", digest), "a deal of Spider: expected one of Klondike")
    assert thoughtful("verify", "--share", "1").code == 0


def browse_digest(name: str) -> str:
    with open_catalogue() as catalogue:
        return deal_detail.deal_detail(catalogue, name, SPIDER).digest
