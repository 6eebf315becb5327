"""Tests of wrong input on the command line: exit code 2 and one sentence that names it."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from catalogue import database, logs
from command_line import Thoughtful, assert_one_sentence
from engine.dealing.dealers import deal_by_id
from thoughtful import command_line

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
    (("solve", "thoughtful-1:42x"), ["'thoughtful-1:42x' is not a deal"]),
    (("solve", "thoughtful-1:1", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
    (("solve", "thoughtful-1:1", "--solver", "magic"), ["unknown solver 'magic'", "exact"]),
    (("solve", "thoughtful-1:1", "--solver", "exact(nodes=0)"), ["nodes=0", "out of range"]),
    (("solve", "thoughtful-1:1", "--solver", "exact(depth=3)"), ["no parameter 'depth'"]),
    (("solve", "thoughtful-1:1", "--solver", "exact(("), ["'exact((' is not a solver"]),
    (
        ("solve", "thoughtful-1:1", "--rules", "klondike-yan", "-s", "shortest"),
        ["shortest does not play klondike-yan"],
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
    (("solve", "--input", "n" * 5_000), ["nn…nn", "nn cannot be used", "name too long"]),
    (("export", "n" * 5_000), ["…nn", "nn cannot be used", "name too long"]),
    # What is typed is not repeated in full.
    (("x" * 5_000,), ["no such command 'xx", "xx…xx"]),
    (("solve", "thoughtful-1:" + "9" * 5_000), ["'thoughtful-1:99", "99…99", "is not a deal"]),
    (("solve", "thoughtful-1:1", "--rules", "x" * 5_000), ["unknown ruleset 'xx", "xx…xx"]),
    (
        ("replay", "thoughtful-1:1", "--moves", "T " + "x" * 5_000),
        ["move 2: 'xx", "xx…xx", "is not a move"],
    ),
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
    (("job", "priority", "7", "high"), ["'high', expected a whole number"]),
    (("job", "submit", "thoughtful-1:0-9", "--priority", "1.5"), ["--priority", "'1.5'"]),
    (("job", "submit", "thoughtful-1:0-9", "--until-deals", "few"), ["--until-deals", "'few'"]),
    (("job", "submit", "thoughtful-1:0-9", "--until-width", "thin"), ["--until-width", "'thin'"]),
    (("job", "submit", "thoughtful-1:0-9", "--until-cpu-hours", "x"), ["'x', expected a number"]),
    (("job",), ["missing command"]),
    (("bounds", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
    (("bounds", "--sample", "nobody:0-9"), ["unknown dealer 'nobody'"]),
    (("export", "out", "--rules", "bridge"), ["unknown ruleset 'bridge'"]),
    (("export", "out", "--format", "xls"), ["unknown format 'xls'", "parquet"]),
    (("export", "out", "--status", "lost"), ["'lost'", "winnable"]),
    (("export", "out", "--dealer", "nobody"), ["nobody"]),
    (
        ("export", "out", "--dealer", "pysolfc", "--sample", "pysolfc:1-2"),
        ["leave the dealer pysolfc out"],
    ),
    (("reproduce",), ["missing argument", "thoughtful reproduce --help"]),
    (("reproduce", "yan-2005"), ["unknown experiment 'yan-2005'", "yan-2004, bjarnason-2007"]),
    (("reproduce", "yan-2005"), ["monkey, blake-gent-2026"]),
    (("reproduce", "blake-gent-2026", "--rows", "draw14"), ["no row 'draw14'", "draw13-whole"]),
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
    (("regret", "thoughtful-1:0-9", "--player", "magic"), ["unknown solver 'magic'"]),
    (("regret", "thoughtful-1:0-9", "-p", "yan-heuristic"), ["not a player", "greedy, hop"]),
    (("regret", "thoughtful-1:0-9", "--workers", "0"), ["--workers", "'0'"]),
    (("verify", "--share", "2"), ["--share", "'2'", "from 0 to 1"]),
    (("verify", "--resolve", "some"), ["--resolve", "'some'"]),
    (("verify", "--everything", "--share", "0.5"), ["--everything", "leave out --share"]),
    (("verify", "--resolve", "1", "--everything"), ["--everything", "leave out --resolve"]),
    (("verify", "--seed", "some"), ["--seed", "'some', expected a whole number"]),
    (("verify", "--seed", "-5"), ["random seed -5 is out of range", "0 to 4294967295"]),
    (("verify", "--seed", "4294967296"), ["random seed 4294967296 is out of range"]),
    (("catalogue",), ["missing command"]),
    (("catalogue", "compact", "--dealer", "nobody"), ["unknown dealer 'nobody'"]),
    (("catalogue", "compact", "--rules", "spider-1"), ["has nothing under spider-1"]),
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


def test_no_part_of_a_secret_is_left_of_a_long_word(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_secrets", {"swordfish" * 4})
    ran = thoughtful("x" * 60 + "swordfish" * 4 + "x" * 5_000)
    assert_one_sentence(ran, "no such command", "xx…xx")
    assert "swordfish" not in ran.err


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
        (f"sqlite:///{tmp_path}/missing.db?mode=ro", "has options, mode, but a SQLite file has"),
        ("sqlite://tmp/missing.db", "has a host, tmp, but a SQLite file has none"),
    ]
    for url, said in cases:
        ran = thoughtful(*arguments, "--database", url)
        if arguments == ("verify",) and url.endswith("text.db"):
            # A damaged file is a finding: the report says so.
            assert (ran.code, ran.err) == (1, "")
            assert "file is not a database; it is damaged" in ran.out
        else:
            assert_one_sentence(ran, said)
        assert "secret" not in ran.err
    assert list(Path.cwd().iterdir()) == []


def test_a_wrong_setting_is_named(thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THOUGHTFUL_WORKERS", "many")
    assert_one_sentence(thoughtful("bounds"), "THOUGHTFUL_WORKERS", "'many'")
    # Before anything is started that would say it in its own words.
    for command in (("serve",), ("dashboard",), ("up", "--no-fill")):
        assert_one_sentence(thoughtful(*command), "thoughtful: THOUGHTFUL_WORKERS='many'")
    monkeypatch.delenv("THOUGHTFUL_WORKERS")
    assert_one_sentence(thoughtful("serve", "--database", "mysql://a/b"), "is not supported")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"rules": "klondike-draw1"}', "a deal needs"),
        ('{"rules": 5}', "must be the slug of a ruleset, not 5"),
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


def test_a_locked_file_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, caplog: Any
) -> None:
    path = tmp_path / "locked.db"
    url = f"sqlite:///{path}"
    assert command_line.run(["init", "--database", url]) == 0
    monkeypatch.setattr(database, "NOTICE_SECONDS", 0.1)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.2)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert command_line.run(["job", "submit", "thoughtful-1:0-9", "--database", url]) == 2
    said = capsys.readouterr().err
    assert said.endswith("thoughtful: the database cannot be used: database is locked\n")
    assert f"another program that is writing to {path}" in caplog.text
    assert command_line.run(["job", "submit", "thoughtful-1:0-9", "--database", url]) == 0
