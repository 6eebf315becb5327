"""Damage to pages and bits of a file: `verify` always reports, all others say one sentence."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from catalogue import store
from catalogue.database import Damaged
from catalogue.verify.running import verify, workers_for
from samples import thorough_case
from thoughtful import command_line

PAGE = 4096
COMMANDS = (
    ["bounds"],
    ["bounds", "--rules", "klondike-draw1", "--sample", "thoughtful-1:0-99"],
    ["compare", "dead-end", "greedy"],
    ["job", "list"],
    ["job", "submit", "thoughtful-1:0-5", "--solver", "dead-end"],
    ["replay", "thoughtful-1:2"],
    ["difficulty", "show", "thoughtful-1:3"],
    ["find"],
    ["list", "--dealer", "thoughtful-1", "--seeds", "0-15", "--stored", "--output", "seeds.txt"],
    ["export", "exported"],
    ["dataset", "build", "built"],
    ["solve", "thoughtful-1:3", "--solver", "dead-end", "--store"],
    ["doctor"],
    ["verify", "--last"],
)


@pytest.fixture(scope="module")
def whole(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a filled catalogue, without free pages."""
    path = tmp_path_factory.mktemp("damaged") / "packed.db"
    with closing(sqlite3.connect(sound)) as database:
        database.execute(f"VACUUM INTO '{path}'")
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "damaged.db"


def put(path: Path, content: bytes) -> None:
    for log in ("-wal", "-shm"):
        path.with_name(f"{path.name}{log}").unlink(missing_ok=True)
    path.write_bytes(content)


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def zeroed(content: bytes, page: int) -> bytes:
    return content[: page * PAGE] + bytes(PAGE) + content[(page + 1) * PAGE :]


def flipped(content: bytes, place: int, bit: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


def stored(path: Path) -> dict[str, list[tuple[object, ...]]] | None:
    """All that can be read of a file; None if not all can."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as database:
        database.text_factory = bytes
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name.decode(): database.execute(f"SELECT * FROM {name.decode()}").fetchall()
            for (name,) in tables
        }
    return None


def run(path: Path, command: list[str]) -> int:
    """The exit code of a command; whatever else it raises ends the test."""
    return command_line.run([*command, "--database", url(path)])


FEW = ("outcome", "solver", "job")
REST = (
    "ruleset",
    "batch",
    "block",
    "deal",
    "seal",
    "ledger",
    "verification",
    "dealing",
    "provenance",
)


@pytest.mark.parametrize("tables", [FEW, thorough_case(REST)], ids=["few", "rest"])
def test_a_table_that_is_gone_is_a_finding_and_the_report_comes(
    whole: bytes, path: Path, tables: tuple[str, ...]
) -> None:
    for table in tables:
        put(path, whole)
        with closing(sqlite3.connect(path)) as database:
            query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
            ((root,),) = database.execute(query, (table,)).fetchall()
        put(path, zeroed(whole, root - 1))
        with store.open_catalogue(url(path)) as cat:
            workers_for(cat, 0.1, 0.01, 2)
            report = verify(cat, resolve_share=0.0, record=True)
        assert report.state == "done", table
        assert any("malformed" in str(fault) for fault in report.faults), table


def test_what_cannot_even_be_opened_is_a_finding_and_elsewhere_one_sentence(
    whole: bytes, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(path, whole)
    with closing(sqlite3.connect(path)) as database:
        ((words,),) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'runner'")
    place = whole.index(words.encode())
    for damaged in (flipped(whole, place, 7), zeroed(whole, 0), flipped(whole, 16, 6)):
        put(path, damaged)
        assert run(path, ["verify"]) == 1
        assert "1 fault" in capsys.readouterr().out
        assert run(path, ["bounds"]) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert "damaged" in err


def test_a_block_that_cannot_be_decoded_is_one_sentence(
    whole: bytes, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(path, whole)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE block SET columns = x'0102', checksum = checksum + 1")
        database.commit()
    assert run(path, COMMANDS[1]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "is damaged (" in err


def damages(whole: bytes, count: int) -> Iterator[bytes]:
    """Zeroed pages and flipped bits at places that a fixed seed draws."""
    rng = random.Random(38)
    for number in range(count):
        if number % 4 == 0:
            yield zeroed(whole, rng.randrange(1, len(whole) // PAGE))
        else:
            yield flipped(whole, rng.randrange(100, len(whole)), rng.randrange(8))


@pytest.mark.thorough
def test_no_damage_ends_a_verification(whole: bytes, path: Path) -> None:
    put(path, whole)
    sound, seen = stored(path), 0
    for content in damages(whole, 48):
        put(path, content)
        found = stored(path)
        put(path, content)
        try:
            with store.open_catalogue(url(path)) as cat:
                report = verify(cat, share=1.0, resolve_share=0.0)
        except Damaged:
            seen += 1
            continue
        assert report.state == "done"
        # What is in no row, such as an unused place of a page, is no damage of what is stored.
        assert report.found or found == sound
        seen += report.found > 0
    assert seen > 10


@pytest.mark.thorough
def test_no_damage_ends_a_command_in_a_traceback(whole: bytes, path: Path) -> None:
    codes = set()
    for content in damages(whole, 12):
        for command in COMMANDS:
            put(path, content)
            codes.add(run(path, command))
    assert codes == {0, 1, 2}
