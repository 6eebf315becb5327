"""Tests of the command line: output streams, exit codes and one-sentence errors."""

import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from catalogue import cli, statistics, store
from catalogue.jobs import queue as jobs
from catalogue.reading import deal_detail, overview
from catalogue.store import open_catalogue
from engine.dealing.dealers import deal_by_id, get_dealer
from engine.formats import formats
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS
from engine.rulesets import named_rulesets
from engine.spider import GAME as SPIDER
from engine.text.deal_lines import read_deal_lines
from patience import SECONDS, wait_until
from serving import free_port, wait_for_dashboard

DRAW3 = PRESETS["klondike-draw3"]


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Thoughtful = Callable[..., Ran]


@pytest.fixture
def thoughtful(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    initialised_sqlite: Path,
) -> Thoughtful:
    """Run a command in this process, in an empty directory, with a fresh catalogue beside it."""
    place = tmp_path / "catalogue.db"
    shutil.copy(initialised_sqlite, place)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{place}")

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        code = cli.run(arguments)
        captured = capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


def assert_one_sentence(ran: Ran, *fragments: str) -> None:
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("thoughtful: ")
    assert ran.err.count("\n") == 1
    assert "? " not in ran.err
    assert ". " not in ran.err
    assert "Traceback" not in ran.err
    for fragment in fragments:
        assert fragment in ran.err


def test_starting_loads_nothing_heavy() -> None:
    heavy = (
        "{'numba', 'numpy', 'pandas', 'dask', 'distributed', 'streamlit', 'sqlalchemy', 'scipy'}"
    )
    code = f"import sys, catalogue.cli; print(sorted({heavy} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


def test_help_and_version(thoughtful: Thoughtful) -> None:
    bare, asked = thoughtful(), thoughtful("--help")
    assert bare.code == asked.code == 0
    assert "Usage: thoughtful" in bare.out
    assert thoughtful("--version").out.startswith("thoughtful ")


# --- wrong input ---------------------------------------------------------------------------------

WRONG = [
    (("deal", "nobody:1"), ["unknown dealer 'nobody'", "thoughtful-1"]),
    (("deal", "thoughtful-1"), ["'thoughtful-1' is not a", "dealer:"]),
    (("deal", "thoughtful-1:9223372036854775808"), ["9223372036854775808", "out of range"]),
    (("deal", "pysolfc:0"), ["seed 0", "pysolfc", "1 to"]),
    (("deal", "thoughtful-1:9-0"), ["backwards"]),
    (("deal", "thoughtful-1:1", "--format", "nope"), ["unknown format 'nope'", "solvitaire"]),
    (("deal", "thoughtful-1:1", "--format", "json", "--json"), ["--json", "--format"]),
    (("deal",), ["missing argument", "thoughtful deal --help"]),
    (("deal", "thoughtful-1:1", "--rules", "spider-3"), ["unknown ruleset 'spider-3'"]),
    (("deal", "solvitaire:1", "--rules", "spider-4"), ["solvitaire does not deal Spider"]),
    (
        ("deal", "pysolfc:1", "-r", "spider-4", "-f", "solvitaire"),
        ["does not support Spider", "pysolfc"],
    ),
    (("solve",), ["needs one of these"]),
    (("solve", "nobody:1"), ["unknown dealer 'nobody'"]),
    (("solve", "thoughtful-1:-5"), ["'thoughtful-1:-5'"]),
    (("solve", "thoughtful-1:1", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
    (("solve", "thoughtful-1:1", "--solver", "magic"), ["unknown solver 'magic'", "exact"]),
    (("solve", "thoughtful-1:1", "--solver", "exact(nodes=0)"), ["nodes=0", "out of range"]),
    (("solve", "thoughtful-1:1", "--solver", "exact(depth=3)"), ["no parameter 'depth'"]),
    (("solve", "thoughtful-1:1", "--solver", "exact(("), ["'exact((' is not a solver"]),
    (
        ("solve", "thoughtful-1:1", "--rules", "klondike-yan", "-s", "exact"),
        ["exact does not play klondike-yan"],
    ),
    (
        ("solve", "thoughtful-1:1", "--rules", "spider-4", "-s", "exact"),
        ["exact does not play spider-4"],
    ),
    (("solve", "thoughtful-1:1", "--solver", "monkey"), ["monkey does not play", "plays Spider"]),
    (
        ("solve", "thoughtful-1:1", "greenfelt:1", "-r", "spider-4", "-s", "monkey"),
        ["dealer greenfelt does not deal Spider", "thoughtful-1, pysolfc"],
    ),
    (("solve", "thoughtful-1:1", "--workers", "0"), ["--workers", "0"]),
    (("solve", "thoughtful-1:1", "--input", "x"), ["needs one of these"]),
    (("solve", "thoughtful-1:1", "--output", "x"), ["--output needs --input"]),
    (("solve", "--input", "x", "--store"), ["--store"]),
    (("solve", "--input", "missing.jsonl"), ["missing.jsonl", "No such file"]),
    (("solve", "--position", "missing.json"), ["missing.json", "No such file"]),
    (("replay",), ["needs either a deal"]),
    (("replay", "thoughtful-1:1", "--moves", "T T Q"), ["move 3", "'Q' is not a move"]),
    (("replay", "thoughtful-1:1", "--moves", "T T R"), ["move 3, R", "the stock is not empty"]),
    (("replay", "thoughtful-1:1", "--moves", "T", "--file", "x"), ["--moves", "--file"]),
    (("replay", "thoughtful-1:1", "--file", "missing"), ["missing", "No such file"]),
    (("replay", "thoughtful-1:1"), ["no solution of thoughtful-1:1", "--store"]),
    (("replay", "f" * 32), ["f" * 32]),
    (("replay", "thoughtful-1:1", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
    (("replay", "thoughtful-1:1", "-r", "spider-4", "-m", "T"), ["'T' is not a move of Spider"]),
    (("replay", "thoughtful-1:1", "-r", "spider-4", "-m", "D 11"), ["move 2: '11'"]),
    (("replay", "solvitaire:1", "-r", "spider-4", "-m", "D"), ["does not deal Spider"]),
    (("replay", "thoughtful-1:1", "-r", "spider-4"), ["no solution of", "under spider-4"]),
    (("job", "submit", "nobody:0-9"), ["unknown dealer 'nobody'"]),
    (("job", "submit", "pysolfc:0-9"), ["seed 0", "out of range"]),
    (("job", "submit", "thoughtful-1:42"), ["not a sample", "dealer:first-last"]),
    (("job", "submit", "thoughtful-1:0-9", "--solver", "magic"), ["unknown solver 'magic'"]),
    (("job", "submit", "thoughtful-1:0-9", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
    (
        ("job", "submit", "thoughtful-1:0-9", "-r", "spider-4", "-s", "exact"),
        ["exact does not play spider-4"],
    ),
    (("job", "submit", "greenfelt:1-9", "-r", "spider-4", "-s", "monkey"), ["does not deal"]),
    (("job", "show", "7"), ["no job 7"]),
    (("job", "show", "seven"), ["seven"]),
    (("job", "cancel", "7"), ["no job 7"]),
    (("job",), ["missing command"]),
    (("bounds", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
    (("bounds", "--sample", "nobody:0-9"), ["unknown dealer 'nobody'"]),
    (("export", "out", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
    (("export", "out", "--format", "xls"), ["unknown format 'xls'", "parquet"]),
    (("export", "out", "--status", "lost"), ["'lost'", "winnable"]),
    (("export", "out", "--dealer", "nobody"), ["nobody"]),
    (("export", "out", "--dealer", "pysolfc", "--sample", "pysolfc:1-2"), ["--dealer"]),
    (("reproduce",), ["missing argument", "thoughtful reproduce --help"]),
    (("reproduce", "yan-2005"), ["unknown experiment 'yan-2005'", "yan-2004, bjarnason-2007"]),
    (("reproduce", "yan-2004", "--rows", "6"), ["yan-2004 has no row '6'", "0, 1, 2, 3, 4, 5"]),
    (("reproduce", "yan-2004", "--rows", ""), ["yan-2004 has no row ''"]),
    (("reproduce", "yan-2004", "--rows", "0", "--rows", "1,n=0"), ["no row 'n=0'"]),
    (("reproduce", "bjarnason-2007", "--rows", "0"), ["no row '0'", "n=0, n=1", "n0=3;n1=1"]),
    (("reproduce", "yan-2004", "--rows", "0", "--games", "0"), ["--games", "'0'"]),
    (("reproduce", "yan-2004", "--rows", "0", "--first", "bob:1"), ["unknown dealer 'bob'"]),
    (("reproduce", "yan-2004", "--rows", "0", "--first", "pysolfc:0"), ["seed 0", "pysolfc"]),
    (("reproduce", "yan-2004", "--rows", "0", "--plot", "wins.pdf"), ["'wins.pdf'", ".svg"]),
    (("reproduce", "yan-2004", "--rows", "0", "--plot", "no/wins.svg"), ["no directory no"]),
    (("reproduce", "yan-2004", "--rows", "0", "--workers", "0"), ["--workers"]),
    (("regret",), ["missing argument", "thoughtful regret --help"]),
    (("regret", "thoughtful-1:42"), ["not a sample", "dealer:first-last"]),
    (("regret", "nobody:0-9"), ["unknown dealer 'nobody'"]),
    (("regret", "thoughtful-1:0-9", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
    (("regret", "thoughtful-1:0-9", "--rules", "klondike-vegas"), ["no player plays"]),
    (("regret", "thoughtful-1:0-9", "-r", "spider-4"), ["no solver decides positions under"]),
    (("regret", "thoughtful-1:0-9", "--player", "magic"), ["unknown solver 'magic'"]),
    (("regret", "thoughtful-1:0-9", "-p", "yan-heuristic"), ["not a player", "greedy, hop"]),
    (("regret", "thoughtful-1:0-9", "--workers", "0"), ["--workers", "'0'"]),
    (("verify", "--share", "2"), ["--share", "'2'", "from 0 to 1"]),
    (("verify", "--resolve", "some"), ["--resolve", "'some'"]),
    (("dashboard", "--port", "0"), ["--port", "'0'", "from 1 to 65535"]),
    (("dashboard", "--address", "no.such.host.invalid"), ["no.such.host.invalid"]),
    (("shuffle",), ["no such command 'shuffle'"]),
    (("deal", "--colour", "thoughtful-1:1"), ["no such option: --colour"]),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=lambda value: " ".join(value)[:60])
def test_wrong_input_is_one_sentence(
    arguments: tuple[str, ...], said: list[str], thoughtful: Thoughtful
) -> None:
    assert_one_sentence(thoughtful(*arguments), *said)
    assert list(Path.cwd().iterdir()) == []


def changed_line(change: str) -> str:
    line = deal_by_id("thoughtful-1:1").to_json()
    if change == "51 cards":
        line["stock"].remove("KC")
    elif change == "doubled":
        line["stock"][line["stock"].index("KC")] = "AC"
    return json.dumps(line)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("51 cards", ["51 cards of 52", "missing KC"]),
        ("doubled", ["missing KC", "more than once AC"]),
    ],
)
def test_a_wrong_deck_names_its_cards(change: str, said: list[str], thoughtful: Thoughtful) -> None:
    Path("deals.jsonl").write_text(f"{changed_line('none')}\n{changed_line(change)}\n")
    ran = thoughtful("solve", "--input", "deals.jsonl", "--output", "results.jsonl")
    assert_one_sentence(ran, "deals.jsonl, line 2", *said)
    assert [path.name for path in Path.cwd().iterdir()] == ["deals.jsonl"]


NEED_A_CATALOGUE = [
    ("job", "list"),
    ("job", "show", "1"),
    ("job", "cancel", "1"),
    ("job", "submit", "thoughtful-1:0-9"),
    ("bounds",),
    ("export", "out"),
    ("replay", "thoughtful-1:1"),
    ("solve", "thoughtful-1:2", "--store"),
    ("runner",),
    ("verify",),
]


@pytest.mark.parametrize("arguments", NEED_A_CATALOGUE, ids=" ".join)
def test_databases_that_do_not_serve(
    arguments: tuple[str, ...], thoughtful: Thoughtful, initialised_sqlite: Path, tmp_path: Path
) -> None:
    """Unreachable, never initialised, with a newer schema, or no database at all."""
    newer = tmp_path / "newer.db"
    shutil.copy(initialised_sqlite, newer)
    with sqlite3.connect(newer) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    (tmp_path / "text.db").write_text("this is no database, " * 100)
    cases = [
        ("postgresql://me:secret@127.0.0.1:1/none", "cannot be used"),
        (f"sqlite:///{tmp_path}/missing.db", "never initialised"),
        (f"sqlite:///{newer}", "schema 9999, newer than this program's"),
        (f"sqlite:///{tmp_path}/text.db", "cannot be used"),
        ("oracle://somewhere/db", "expected sqlite"),
        ("nonsense", "expected sqlite"),
    ]
    for url, said in cases:
        ran = thoughtful(*arguments, "--database", url)
        assert_one_sentence(ran, said)
        assert "secret" not in ran.err
    assert list(Path.cwd().iterdir()) == []


def test_a_wrong_setting_is_named(thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THOUGHTFUL_WORKERS", "many")
    assert_one_sentence(thoughtful("bounds"), "THOUGHTFUL_WORKERS", "'many'")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[]", "a position needs"),
        ('{"rules": "klondike-draw1"}', "klondike-draw1, not of klondike-draw3"),
        ('{"rules": 5}', "5, not of klondike-draw3"),
        ('{"down": [], "up": []}', "a position needs"),
    ],
)
def test_wrong_positions(content: str, said: str, thoughtful: Thoughtful) -> None:
    Path("position.json").write_text(content)
    for command in (("solve",), ("replay", "--moves", "T")):
        ran = thoughtful(*command, "--position", "position.json")
        assert_one_sentence(ran, "position.json", said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("T T X", "'X' is not a move"),
        ("{", "not JSON"),
        ('{"id": "thoughtful-1:2", "moves": ["T"]}', "no line has the id thoughtful-1:1"),
        ('{"id": "thoughtful-1:1", "outcome": "lost"}', "only a win has one"),
        ('{"id": "thoughtful-1:1", "moves": ["T", 5]}', "5 is not a move"),
    ],
)
def test_wrong_files_of_moves(content: str, said: str, thoughtful: Thoughtful) -> None:
    Path("moves").write_text(content)
    assert_one_sentence(thoughtful("replay", "thoughtful-1:1", "--file", "moves"), "moves", said)


# --- deal, solve, replay -------------------------------------------------------------------------


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
def test_solve_prints_json_that_replay_reads(thoughtful: Thoughtful) -> None:
    ran = thoughtful("solve", "thoughtful-1:2-5", "--solver", "exact(nodes=100000)", "--json")
    assert [line["id"] for line in ran.lines] == [f"thoughtful-1:{seed}" for seed in range(2, 6)]
    Path("results.jsonl").write_text(ran.out)
    won = next(line for line in ran.lines if line["outcome"] == "won")
    replayed = thoughtful("replay", str(won["id"]), "--file", "results.jsonl", "--json")
    assert replayed.lines[0]["won"] is True
    assert replayed.lines[0]["moves"] == len(won["moves"])


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


# --- Spider --------------------------------------------------------------------------------------

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
    other = thoughtful("replay", "--position", "position.json", "--moves", "D")
    assert_one_sentence(other, "spider-4, not of klondike-draw3")
    assert_one_sentence(thoughtful("solve", *on, "-s", "monkey"), "only from the start of a deal")
    assert_one_sentence(thoughtful("solve", *on), "monkey plays only from the start of a deal")


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


def test_lists_name_both_games(thoughtful: Thoughtful) -> None:
    rulesets = {line["slug"]: line for line in thoughtful("rulesets", "--json").lines}
    assert list(rulesets) == list(named_rulesets())
    assert rulesets["spider-2-relaxed"] == {
        "slug": "spider-2-relaxed",
        "game": "spider",
        "suits": 2,
        "deal_onto_empty": True,
    }
    assert rulesets["klondike-draw3"]["game"] == "klondike"
    text = thoughtful("rulesets").out
    assert all(slug in text for slug in named_rulesets())
    dealers = {line["slug"]: line["games"] for line in thoughtful("dealers", "--json").lines}
    assert dealers["pysolfc"] == ["klondike", "spider"]
    assert dealers["greenfelt"] == ["klondike"]
    assert "Klondike, Spider" in thoughtful("dealers").out
    solvers = {line["slug"]: line["game"] for line in thoughtful("solvers", "--json").lines}
    assert (solvers["monkey"], solvers["exact"]) == ("spider", "klondike")


# --- jobs, bounds, export ------------------------------------------------------------------------


def test_jobs_are_submitted_listed_and_cancelled(thoughtful: Thoughtful) -> None:
    empty = thoughtful("job", "list", "--json")
    assert (empty.code, empty.out) == (0, "")
    command = ("job", "submit", "thoughtful-1:0-9", "--solver", "dead-end", "--solver", "exact")
    submitted = thoughtful(*command, "--json").lines[0]
    assert submitted["sample"] == "thoughtful-1:0-9"
    assert submitted["state"] == "queued"
    assert submitted["total"] == 20
    assert thoughtful(*command, "--json").lines == [submitted]
    assert thoughtful("job", "list", "--json").lines == [submitted]
    assert thoughtful("job", "show", "1", "--json").lines == [submitted]
    assert "queued" in thoughtful("job", "list").out
    assert thoughtful("job", "cancel", "1", "--json").lines[0]["state"] == "cancelled"
    assert "cancelled" in thoughtful("job", "show", "1").out


def test_jobs_are_steered(thoughtful: Thoughtful) -> None:
    thoughtful("job", "submit", "thoughtful-1:0-9", "-s", "dead-end", "--priority", "3")
    for command, state in (
        (("pause", "1"), "paused"),
        (("resume", "1"), "queued"),
        (("cancel", "1"), "cancelled"),
        (("retry", "1"), "queued"),
    ):
        assert thoughtful("job", *command, "--json").lines[0]["state"] == state
    assert thoughtful("job", "priority", "1", "7", "--json").lines[0]["priority"] == 7
    assert_one_sentence(thoughtful("job", "retry", "1"), "nothing of job 1 has failed")
    assert_one_sentence(thoughtful("job", "priority", "1", "5000"), "priority 5000")
    rules = ("--until-width", "0.5", "--until-cpu-hours", "2", "--until-deals", "5")
    kept = ("--keep", "verdicts", *rules)
    job = thoughtful("job", "submit", "thoughtful-1:0-9", *kept, "--json").lines[0]
    assert job["keep"] == "verdicts"
    assert job["until"] == {"width": 0.5, "cpu_hours": 2.0, "deals": 5}
    assert "narrower than 0.5 points, until 2 CPU hours" in thoughtful("job", "show", "2").out
    for wrong, words in (
        (("--keep", "nothing"), "'nothing' cannot be kept"),
        (("--until-width", "0"), "cannot stop at width 0"),
        (("--until-deals", "-1"), "cannot stop at deals -1"),
    ):
        assert_one_sentence(thoughtful("job", "submit", "thoughtful-1:0-9", *wrong), words)


def test_large_jobs_are_submitted_after_a_question_only(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is there to answer, so the sentence says how to do without."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    large = ("job", "submit", "thoughtful-1:0-9999999999999", "--solver", "dead-end")
    refused = thoughtful(*large)
    assert_one_sentence(refused, "10,000,000,000,000 deals", "--yes")
    assert thoughtful("job", "list", "--json").out == ""
    # Few deals of it are solved; and a rule that stops it early makes it small.
    assert thoughtful(*large, "--until-deals", "1000").code == 0
    assert thoughtful(*large, "--yes").code == 0


@pytest.mark.slow
def test_a_dry_run_submits_nothing(thoughtful: Thoughtful) -> None:
    sample = ("thoughtful-1:0-999999", "--solver", "dead-end")
    cost = thoughtful("job", "submit", *sample, "--dry-run", "--json").lines[0]
    assert (cost["outcomes"], cost["deals"]) == (1_000_000, 1_000_000)
    assert 0 < cost["cpu_seconds"] < 10_000
    assert cost["bytes"] > 10_000_000
    assert cost["source"] == "some deals solved just now"
    told = thoughtful("job", "submit", *sample, "--dry-run", "--keep", "verdicts")
    assert "3.0 MB" in told.out
    assert thoughtful("job", "list", "--json").out == ""


@pytest.mark.slow
def test_a_job_runs_and_its_bound_is_printed_and_exported(thoughtful: Thoughtful) -> None:
    thoughtful("job", "submit", "thoughtful-1:0-59", "-s", "dead-end", "-s", "exact(nodes=20000)")
    ended = subprocess.run(
        [sys.executable, "-m", "catalogue.cli", "runner", "--workers", "1"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "job 1: done" in ended.stderr
    assert thoughtful("job", "show", "1", "--json").lines[0]["done"] == 120

    (bound,) = thoughtful("bounds", "--json").lines
    assert (bound["ruleset"], bound["sample"]) == ("klondike-draw3", "thoughtful-1:0-59")
    n, winnable, unwinnable = 60, int(str(bound["winnable"])), int(str(bound["unwinnable"]))
    assert bound["n"] == n
    assert bound["unresolved"] == n - winnable - unwinnable
    assert bound["lower"] == winnable / n
    assert bound["upper"] == 1 - unwinnable / n
    kinds = [(kind["method"], kind["level"]) for kind in bound["intervals"]]
    assert kinds == [(method, level) for method in statistics.METHODS for level in (0.95, 0.99)]
    for kind in bound["intervals"]:
        low = statistics.interval(winnable, n, kind["level"], kind["method"])
        high = statistics.interval(n - unwinnable, n, kind["level"], kind["method"])
        assert kind["lower"] == [low.low, low.high]
        assert kind["upper"] == [high.low, high.high]
        assert kind["span"] == [low.low, high.high]
    published = {figure["system"]: figure for figure in bound["published"]}
    assert any(figure["percent"] == 81.945 for figure in published.values())
    assert all(figure["agrees_at_99"] is True for figure in published.values())

    part = thoughtful("bounds", "--sample", "thoughtful-1:0-29", "--json").lines[0]
    assert part["n"] == 30
    text = thoughtful("bounds").out
    assert f"lower bound {100 * winnable / n:6.2f} %" in text
    assert "81.945 % ± 0.084 (95 %)" in text

    for form in ("parquet", "csv", "jsonl"):
        written = thoughtful("export", f"as-{form}", "--format", form, "--json").lines[0]
        assert written["rows"]["deals"] == 60
        assert written["rows"]["outcomes"] == 120
        assert Path(f"as-{form}", f"deals.{form}").is_file()
        assert Path(f"as-{form}", "README.md").is_file()
    assert_one_sentence(thoughtful("export", "as-csv"), "as-csv is not empty")
    some = thoughtful(
        "export", "won", "--status", "winnable", "--rules", "klondike-draw3", "--json"
    )
    assert some.lines[0]["rows"]["deals"] == winnable


@pytest.mark.slow
def test_verify_finds_a_count_that_somebody_changed(thoughtful: Thoughtful, tmp_path: Path) -> None:
    thoughtful("solve", "thoughtful-1:2-4", "--store")
    good = thoughtful("verify", "--share", "1", "--json")
    assert good.code == 0
    assert good.lines[0]["faults"] == []
    with sqlite3.connect(tmp_path / "catalogue.db") as connection:
        connection.execute("UPDATE status_block SET winnable = winnable + 1")
    connection.close()
    bad = thoughtful("verify", "--json")
    assert bad.code == 1
    assert [fault["kind"] for fault in bad.lines[0]["faults"]] == ["status block"]
    again = thoughtful("verify", "--seed", "7")
    assert again.code == 1
    last = thoughtful("verify", "--last")
    assert (last.code, last.out) == (0, again.out)
    assert "random seed of the selection: 7" in last.out
    assert_one_sentence(thoughtful("verify", "--resume"), "the last verification is done")


def test_lists_name_what_commands_take(thoughtful: Thoughtful) -> None:
    assert [line["slug"] for line in thoughtful("rulesets", "--json").lines] == list(
        named_rulesets()
    )
    dealers = thoughtful("dealers", "--json").lines
    assert dealers[0]["slug"] == "thoughtful-1"
    assert dealers[0]["max_seed"] == 2**63 - 1
    solvers = thoughtful("solvers", "--json").lines
    assert [line["slug"] for line in solvers] == [
        "dead-end",
        "ensemble-sparse-uct",
        "ensemble-uct",
        "exact",
        "exact-plain",
        "exact-uct",
        "greedy",
        "hop",
        "hop-uct",
        "look-ahead",
        "monkey",
        "multistage",
        "nested-rollout",
        "random",
        "sparse-uct",
        "spider-player",
        "uct",
        "yan-heuristic",
        "yan-rollout",
    ]
    for name in ("rulesets", "dealers", "solvers"):
        assert thoughtful(name).code == 0


# --- serving -------------------------------------------------------------------------------------


def start_up(port: int, url: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "catalogue.cli", "up", "--port", str(port), "--seeds", "20"],
        env={**os.environ, "THOUGHTFUL_DATABASE_URL": url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_end(processes: list[psutil.Process]) -> None:
    _gone, alive = psutil.wait_procs(processes, timeout=SECONDS)
    assert alive == []


@pytest.mark.slow
def test_up_fills_serves_and_ends(tmp_path: Path, thoughtful: Thoughtful) -> None:
    port, url = free_port(), f"sqlite:///{tmp_path}/new/thoughtful.db"
    process = start_up(port, url)
    try:
        wait_for_dashboard(port, process)
        assert_one_sentence(
            thoughtful("dashboard", "--port", str(port)), f"port {port} of 127.0.0.1 is in use"
        )
        with open_catalogue(url) as catalogue:
            listed = jobs.list_jobs(catalogue)
            assert [job.ruleset for job in listed] == [
                "klondike-draw3",
                "klondike-draw1",
                "klondike-yan",
            ]
            wait_until(
                lambda: jobs.list_jobs(catalogue)[0].state != "queued", "the runner takes a job up"
            )
        children = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        out, err = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert f"http://127.0.0.1:{port}" in err
    assert "Traceback" not in out + err
    wait_for_end(children)


@pytest.mark.slow
def test_the_runner_of_a_killed_up_ends_too(tmp_path: Path) -> None:
    port, url = free_port(), f"sqlite:///{tmp_path}/thoughtful.db"
    process = start_up(port, url)
    try:
        wait_for_dashboard(port, process)
        children = psutil.Process(process.pid).children(recursive=True)
        dashboards = [child for child in children if "dashboard" in " ".join(child.cmdline())]
    finally:
        process.kill()
    process.wait()
    for child in dashboards:
        child.kill()
    wait_for_end(children)


def test_a_locked_file_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, caplog: Any
) -> None:
    path = tmp_path / "locked.db"
    url = f"sqlite:///{path}"
    assert cli.run(["init", "--database", url]) == 0
    monkeypatch.setattr(store, "NOTICE_SECONDS", 0.1)
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.2)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert cli.run(["job", "submit", "thoughtful-1:0-9", "--database", url]) == 2
    said = capsys.readouterr().err
    assert said.endswith("thoughtful: the database cannot be used: database is locked\n")
    assert f"another program that is writing to {path}" in caplog.text
    assert cli.run(["job", "submit", "thoughtful-1:0-9", "--database", url]) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_cannot_be_written_is_one_sentence() -> None:
    for output, sentence in (
        (">/dev/full", "the output could not be written: No space left on device"),
        (">&-", "standard output is closed"),
    ):
        finished = subprocess.run(
            ["sh", "-c", f'"$0" -m catalogue.cli rulesets {output}', sys.executable],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        assert finished.stderr == f"thoughtful: {sentence}\n"
        assert finished.returncode == 2
