"""Tests of `thoughtful list`, and of `thoughtful find` where the catalogue has too little."""

import csv
import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import asdict
from datetime import date
from pathlib import Path

import pytest

from catalogue.difficulty.fitting import store_model
from catalogue.difficulty.playable import level_of
from catalogue.lists import binary_form
from catalogue.lists.forms import FORMS
from command_line import Ran, Thoughtful, assert_one_sentence
from engine.dealing.dealers import Sample, deal_by_id, get_dealer
from engine.games import game_of
from engine.rulesets import parse_ruleset
from graded import plausible_model, put_ratings
from paths import ROOT
from patience import SECONDS
from samples import thorough_case
from solvers.outcome import Result
from solvers.solver import parse_solver
from thoughtful.terminal import console

DRAW1 = "klondike-draw1"
SEEDS = range(32_001, 32_021)
RANGE = ("--dealer", "pysolfc", "--seeds", f"{SEEDS[0]}-{SEEDS[-1]}", "--rules", DRAW1)
HERE = ("--workers", "1")


@pytest.fixture(scope="module")
def winnable() -> list[int]:
    """The winnable ones among SEEDS; not all are."""
    dealt = get_dealer("pysolfc").deal_block(SEEDS[0], len(SEEDS))
    solved = parse_solver("exact").solve(dealt, parse_ruleset(DRAW1))
    found = [seed for seed, o in zip(SEEDS, solved, strict=True) if o.result == Result.WON]
    assert 0 < len(found) < len(SEEDS)
    return found


def test_every_format_names_the_same_deals(thoughtful: Thoughtful, winnable: list[int]) -> None:
    for form in FORMS:
        ran = thoughtful("list", *RANGE, *HERE, "--format", form, "-o", f"list.{form}")
        assert (ran.code, ran.out) == (0, "")
        answer = f"{len(winnable)} winnable, {len(SEEDS) - len(winnable)} unwinnable"
        assert ran.err == (f"pysolfc:32001-32020 under {DRAW1}: {len(winnable)} listed; {answer}\n")
        ran = thoughtful("list", "--read", f"list.{form}", "--json")
        (told_back,) = ran.lines
        assert (told_back["format"], told_back["listed"]) == (form, len(winnable))
        assert told_back["undecided"] == {}
        ran = thoughtful("list", "--read", f"list.{form}", "--seeds", "32001-32020", "--json")
        assert [each["seed"] for each in ran.lines if each["verdict"] == "listed"] == winnable
        ran = thoughtful("list", "--read", f"list.{form}")
        assert ran.out.startswith(f"list.{form}: a list in the format {form}, sound\n")
        assert f"listed          {len(winnable)}\n" in ran.out
    assert not list(Path().glob("*.part"))


def test_a_list_goes_through_a_pipe(thoughtful: Thoughtful, winnable: list[int]) -> None:
    ran = thoughtful("list", *RANGE, *HERE)
    assert [int(line) for line in ran.out.splitlines() if line[0] != "#"] == winnable
    assert ran.out.isascii()
    ran = thoughtful("list", *RANGE, *HERE, "--format", "pysolfc")
    space: dict[str, object] = {}
    exec(ran.out, space)
    assert space["SOLVABLE_SEEDS"] == tuple(winnable)
    command = [sys.executable, "-m", "thoughtful", "list", "--read", "-"]
    raw = thoughtful("list", *RANGE, *HERE, "--format", "json").out
    piped = subprocess.run(
        command, input=raw, capture_output=True, text=True, timeout=SECONDS, cwd=ROOT
    )
    assert piped.stdout.startswith("standard input: a list in the format json, sound\n")


def test_other_commands_read_the_table(thoughtful: Thoughtful, winnable: list[int]) -> None:
    thoughtful("list", *RANGE, *HERE, "--format", "csv", "-o", "list.csv")
    ran = thoughtful("import", "list.csv", "--json")
    assert (ran.code, ran.lines[0]["new"], ran.lines[0]["wrong"]) == (0, len(winnable), 0)
    ran = thoughtful("solve", "list.csv", "--rules", DRAW1, "--json")
    assert [each["outcome"] for each in ran.lines] == ["won"] * len(winnable)


def test_nothing_but_what_is_stored_counts(thoughtful: Thoughtful) -> None:
    """A catalogue that knows nothing lists nothing, and says so of every deal."""
    arguments = ("list", "--dealer", "thoughtful-1", "--seeds", "0-4", "--stored", "--format")
    for form in FORMS:
        if form == "pysolfc":
            continue
        ran = thoughtful(*arguments, form, "-o", "list")
        assert ran.code == 0
        assert "0 listed; 5 unattempted\n" in ran.err
        assert ran.err.endswith("undecided: thoughtful-1:0-4 unattempted\n")
        (answer,) = thoughtful("list", "--read", "list", "--json").lines
        assert (answer["listed"], answer["undecided"]) == (0, {"unattempted": 5})
    assert json.loads(thoughtful(*arguments, "json").out)["winnable"] == []
    # Outcomes that are stored are taken.
    assert thoughtful("solve", "thoughtful-1:0-2", "--store").code == 0
    ran = thoughtful(*arguments, "csv")
    assert "undecided: thoughtful-1:3-4 unattempted\n" in ran.err
    rows = [line.split(",") for line in ran.out.splitlines()[1:]]
    assert {row[0]: row[2] for row in rows}["thoughtful-1:3"] == "unattempted"
    assert all(row[2] in ("winnable", "unattempted") for row in rows)


def test_undecided_deals_are_named_and_never_listed(thoughtful: Thoughtful) -> None:
    solver = ("--solver", "exact(nodes=300)")
    ran = thoughtful("list", "--dealer", "thoughtful-1", "--seeds", "0-299", *HERE, *solver)
    named = [line for line in ran.err.splitlines() if line.startswith("undecided: ")]
    spans = [line.split()[1].removeprefix("thoughtful-1:").split("-") for line in named]
    undecided = {seed for span in spans for seed in range(int(span[0]), int(span[-1]) + 1)}
    assert len(undecided) > 20
    listed = {int(line) for line in ran.out.splitlines() if line[0] != "#"}
    assert listed
    assert not listed & undecided
    assert f"{len(undecided)} unresolved" in ran.err


def test_only_so_many_runs_of_undecided_deals_are_named(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    from thoughtful.commands import list as list_deals

    monkeypatch.setattr(list_deals, "_NAMED", 2)
    solver = ("--solver", "exact(nodes=30)")
    ran = thoughtful("list", "--dealer", "thoughtful-1", "--seeds", "0-60", *HERE, *solver)
    lines = [line for line in ran.err.splitlines() if line.startswith("undecided: ")]
    assert len(lines) == 3
    assert "further runs of seeds are unresolved; the formats text, json" in lines[-1]


def test_levels_are_predicted_where_they_are_asked_for(thoughtful: Thoughtful) -> None:
    from catalogue.store import open_catalogue

    assert thoughtful("solve", "thoughtful-1:0", "--store").code == 0
    with open_catalogue() as catalogue:
        sample = Sample("thoughtful-1", 0, 10)
        store_model(catalogue, parse_ruleset("klondike-draw3"), plausible_model(sample))
    asked = ("list", "--dealer", "thoughtful-1", "--seeds", "0-3", *HERE, "--format", "csv")
    for options in ((), ("--grade",), ("--level", "1-10")):
        ran = thoughtful(*asked, *options)
        rows = list(csv.DictReader(ran.out.splitlines()))
        has_level = [bool(row["level"]) for row in rows if row["category"] == "winnable"]
        assert has_level == [bool(options)] * len(has_level) != []


def test_a_pipe_gets_sparse_lines_of_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(console.time, "monotonic", lambda: now)
    with console.progress("grading", 100_000) as advance:
        for done in range(100_000):
            now = done / 10
            advance(done, "")
    answer = capsys.readouterr().err.splitlines()
    assert answer[0] == "grading: 300 of 100,000 after 30 s"
    assert answer[1] == "grading: 600 of 100,000 after 60 s"
    assert 15 < len(answer) < 25


def test_levels_need_a_model(thoughtful: Thoughtful) -> None:
    rules = ("--rules", "klondike-draw2")
    ran = thoughtful("list", *RANGE, *HERE, *rules, "--level", "3-5")
    assert_one_sentence(ran, "no levels under klondike-draw2", "thoughtful difficulty fit SAMPLE")
    # For draw 1 a model is shipped.
    seeds = ("--dealer", "thoughtful-1", "--seeds", "0-3", "--rules", DRAW1, *HERE)
    ran = thoughtful("list", *seeds, "--level", "1-10", "--format", "csv")
    rows = [row for row in csv.DictReader(ran.out.splitlines()) if row["category"] == "winnable"]
    assert rows
    for row in rows:
        deal = deal_by_id(row["deal"], game_of(parse_ruleset(DRAW1)))
        level = level_of(deal, parse_ruleset(DRAW1))
        assert level is not None
        assert row["level"] == str(level.number)


def test_no_catalogue_is_needed_unless_it_is(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    ran = thoughtful("list", "--dealer", "thoughtful-1", "--seeds", "3", *HERE)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "3")
    assert not (tmp_path / "none.db").exists()
    for option in (("--stored",), ("--level", "3", "--rules", "klondike-draw2")):
        ran = thoughtful("list", "--dealer", "thoughtful-1", "--seeds", "3", *option)
        assert_one_sentence(ran, "never initialised")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "list needs a dealer and seeds"),
        ("--dealer thoughtful-1", "list needs a dealer and seeds"),
        ("--dealer nobody --seeds 1-2", "unknown dealer 'nobody'"),
        ("--dealer thoughtful-1 --seeds 2-1", "'2-1' runs backwards"),
        ("--dealer thoughtful-1 --seeds one", "'one': expected a seed or a range"),
        ("--dealer thoughtful-1 --seeds -1", "expected a seed or a range"),
        ("--dealer pysolfc --seeds 0-5", "seed 0 is out of range for dealer pysolfc"),
        ("--dealer thoughtful-1 --seeds 0-999999999999", "too many for one list: expected at most"),
        ("--dealer thoughtful-1 --seeds 1-2 --format xml", "unknown format 'xml'"),
        ("--dealer thoughtful-1 --seeds 1-2 --format pysolfc", "expected --dealer pysolfc"),
        ("--dealer pysolfc --seeds 99999999999999999999 --format binary", "at most 2^64 - 1"),
        ("--dealer thoughtful-1 --seeds 1-2 --level 0-3", "'0-3': expected levels from 1 to 10"),
        ("--dealer thoughtful-1 --seeds 1-2 --level 5-3", "'5-3' runs backwards"),
        ("--dealer greenfelt --seeds 1-2 --rules spider-4", "does not deal Spider"),
        ("--dealer thoughtful-1 --seeds 1-2 --rules none", "none"),
        ("--dealer thoughtful-1 --seeds 1-2 --solver none", "unknown solver 'none'"),
        ("--dealer thoughtful-1 --seeds 1-2 -r spider-4 --solver exact", "exact does not play"),
        ("--dealer thoughtful-1 --seeds 1-2 --json", "--json applies only to --read"),
        ("--read nothing.bin", "cannot read nothing.bin: No such file"),
        ("--read nothing.bin --dealer pysolfc", "leave --dealer out"),
        ("--read nothing.bin --stored", "--read writes nothing"),
        ("--read nothing.bin -o other", "--read writes nothing"),
    ],
)
def test_wrong_input_gets_one_sentence(arguments: str, said: str, thoughtful: Thoughtful) -> None:
    assert_one_sentence(thoughtful("list", *arguments.split()), said)


def test_an_output_that_cannot_be_written(thoughtful: Thoughtful) -> None:
    ran = thoughtful(
        "list", "--dealer", "thoughtful-1", "--seeds", "0", *HERE, "-o", "none/list.txt"
    )
    assert_one_sentence(ran, "cannot write none/list.txt")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda raw: raw[:-3], "it is truncated"),
        (lambda raw: raw[:-9] + b"x" + raw[-8:], "is damaged: the checksum is wrong"),
        (lambda raw: raw.replace(b"klondike", b"klondiKe"), "its header is damaged"),
    ],
)
def test_a_damaged_file_gets_one_sentence(
    damage: object, said: str, thoughtful: Thoughtful
) -> None:
    arguments = ("list", "--dealer", "thoughtful-1", "--seeds", "0-20", "--stored")
    assert thoughtful(*arguments, "--format", "binary", "-o", "list.bin").code == 0
    raw = Path("list.bin").read_bytes()
    assert raw.startswith(binary_form.MAGIC)
    Path("list.bin").write_bytes(damage(raw))  # type: ignore[operator]
    ran = thoughtful("list", "--read", "list.bin")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("thoughtful: list.bin: ")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_binary_list_is_not_thrown_at_a_terminal() -> None:
    """As somebody would see it who forgot --output."""
    command = [sys.executable, "-m", "thoughtful", "list", "--dealer", "thoughtful-1"]
    end, terminal = pty.openpty()
    try:
        ran = subprocess.run(
            [*command, "--seeds", "0", "--format", "binary"],
            stdout=terminal,
            stderr=subprocess.PIPE,
            text=True,
            timeout=SECONDS,
            cwd=ROOT,
        )
    finally:
        os.close(terminal)
        os.close(end)
    assert ran.returncode == 2
    assert "a binary list is no text for a terminal" in ran.stderr


def find(thoughtful: Thoughtful, *arguments: str) -> Ran:
    return thoughtful("find", "--winnable", "--count", "1000", "--level", "3-5", *arguments)


def test_the_deal_of_the_day_is_that_of_the_date_and_the_rules_alone(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    from catalogue.difficulty.deal_of_day import deal_of_day

    ran = thoughtful("find", "--day", "--json")
    (answer,) = ran.lines
    known = deal_of_day(date.fromisoformat(answer["date"]), "klondike-draw3")
    assert answer == asdict(known)
    assert known.deal in thoughtful("find", "--day").out
    assert "level of" not in thoughtful("find", "--day", "-r", "spider-2").out
    # Deals with levels change nothing, and neither does a catalogue that is not there.
    assert thoughtful("solve", "thoughtful-1:0-2", "--store").code == 0
    assert thoughtful("find", "--day", "--json").lines == [answer]
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", "sqlite:///nowhere.db")
    assert thoughtful("find", "--day", "--json").lines == [answer]
    assert_one_sentence(thoughtful("find", "--day", "--level", "3"), "leave --level out")


def test_find_says_what_the_catalogue_lacks(thoughtful: Thoughtful) -> None:
    from catalogue.store import open_catalogue

    ran = find(thoughtful, "--rules", "klondike-draw2")
    assert (ran.code, ran.out) == (0, "")
    assert "no deal under klondike-draw2 has a level: fit them with `thoughtful" in ran.err
    # A model is shipped for draw 3.
    assert "no deal under klondike-draw3 is known to be winnable; solve" in find(thoughtful).err
    assert thoughtful("solve", "thoughtful-1:0-9", "--store").code == 0
    ran = find(thoughtful)
    assert "0 of the 7 winnable deals under klondike-draw3 have a level" in ran.err
    assert "thoughtful difficulty grade SAMPLE --rules klondike-draw3" in ran.err
    from catalogue.reading.levels import Rating

    with open_catalogue() as catalogue:
        rating = Rating(level=4, difficulty=0.1, deviation=0.5, games=0)
        put_ratings(catalogue, "klondike-draw3", "thoughtful-1", {0: rating})
    ran = find(thoughtful, "--json")
    assert [each["deal"] for each in ran.lines] == ["thoughtful-1:0"]
    shown = thoughtful("difficulty", "show", "thoughtful-1:0", "--json")
    assert [each["deal"] for each in shown.lines] == ["thoughtful-1:0"]
    assert ran.err.startswith("1 of the 1,000 deals asked for: 1 of the ")
    assert "thoughtful difficulty grade SAMPLE" in ran.err
    ran = find(thoughtful)
    assert "thoughtful-1:0" in ran.out
    assert "that is fewer than the 1,000 asked for" in ran.err
    assert "fewer" not in find(thoughtful, "--count", "1").err
    with open_catalogue() as catalogue:
        sample = Sample("thoughtful-1", 0, 10)
        store_model(catalogue, parse_ruleset("klondike-draw3"), plausible_model(sample))
    answer = thoughtful("difficulty", "show")
    assert (answer.code, "explain 50% of the variance" in answer.out) == (0, True)
    ran = find(thoughtful, "--dealer", "pysolfc")
    assert "no deal under klondike-draw3 of pysolfc is known to be winnable" in ran.err


@pytest.mark.parametrize("slug", ["klondike-draw2", thorough_case("klondike-yan"), "spider-1"])
def test_what_is_advised_is_not_refused(slug: str, thoughtful: Thoughtful) -> None:
    """A fit that no solver makes possible is not advised, and one of few deals plays none."""
    for asked in (
        ("find",),
        ("difficulty", "show"),
        ("list", "--dealer", "thoughtful-1", "--seeds", "0", "--level", "3"),
    ):
        said = thoughtful(*asked, "--rules", slug).err
        advised = re.search("`thoughtful ([^`]*)`", said)
        if advised is None:
            assert "difficulty fit" not in said
            continue
        words = advised[1].replace("SAMPLE", "thoughtful-1:0-98").replace("A-B", "0")
        ran = thoughtful(*words.replace("DEALER", "thoughtful-1").split())
        if words.startswith("difficulty fit"):
            assert_one_sentence(ran, "a fit needs 100 or more winnable deals with games")
            assert thoughtful("job", "list", "--json").out == ""
        else:
            assert (words.split()[0], ran.code) == ("list", 0)
    for refused in (("show", "thoughtful-1:0"), ("grade", "thoughtful-1:0-1")):
        ran = thoughtful("difficulty", *refused, "--rules", slug)
        assert (ran.code == 0) == (slug == "klondike-draw2")
    lone = (
        "difficulty",
        "fit",
        "thoughtful-1:0-199",
        "-p",
        "random",
        "-p",
        "random(random_seed=2)",
    )
    assert_one_sentence(thoughtful(*lone), "a fit needs two or more players")
