"""Tests of the store: creating, opening and sharing a catalogue, on both databases."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from catalogue import database, store
from catalogue.limits import Limits
from catalogue.schema import RulesetRow
from catalogue.settings import Settings, default_database_url, get_settings
from engine.errors import BadInput
from patience import SECONDS


def add_ruleset(cat: store.Catalogue, slug: str) -> None:
    with cat.begin() as session:
        session.add(RulesetRow(slug=slug, game="klondike", options={}))


def slugs(cat: store.Catalogue) -> set[str]:
    with cat.session() as session:
        return set(session.scalars(select(RulesetRow.slug)))


def test_init_creates_directories_and_is_repeatable(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'some' / 'where' / 'thoughtful.db'}"
    store.init(url)
    with store.open_catalogue(url) as cat:
        add_ruleset(cat, "kept")
    store.init(url)
    with store.open_catalogue(url) as cat:
        assert slugs(cat) == {"kept"}


def test_what_is_committed_is_there_and_what_raised_is_not(catalogue: store.Catalogue) -> None:
    add_ruleset(catalogue, "one")

    def fail_half_way() -> None:
        with catalogue.begin() as session:
            session.add(RulesetRow(slug="two", game="klondike", options={}))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert slugs(catalogue) == {"one"}


def test_reading_sessions_refuse_to_write(catalogue: store.Catalogue) -> None:
    with catalogue.session() as session, pytest.raises(DBAPIError, match=r"read-?only"):
        session.execute(text("DELETE FROM deal"))
    # The refusal must not stick to the connection, which the pool hands on.
    add_ruleset(catalogue, "one")


def test_reading_sessions_see_one_moment(catalogue: store.Catalogue) -> None:
    add_ruleset(catalogue, "one")
    count = text("SELECT count(*) FROM ruleset")
    with catalogue.session() as session:
        assert session.execute(count).scalar() == 1
        add_ruleset(catalogue, "two")  # does not wait for the reader
        assert session.execute(count).scalar() == 1
    assert slugs(catalogue) == {"one", "two"}


def test_writers_on_sqlite_wait_for_each_other(sqlite_catalogue: store.Catalogue) -> None:
    """Reading first and writing then would otherwise fail with "database is locked"."""
    add_ruleset(sqlite_catalogue, "0")

    def count_up() -> None:
        with store.open_catalogue(sqlite_catalogue.url) as own:
            for _ in range(20):
                with own.begin() as session:
                    row = session.scalars(select(RulesetRow)).one()
                    row.slug = str(int(row.slug) + 1)

    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert slugs(sqlite_catalogue) == {"80"}


def test_sqlite_connections_obey_the_contract(sqlite_catalogue: store.Catalogue) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "busy_timeout": 60_000}
    with sqlite_catalogue.session() as session:
        for pragma, value in wanted.items():
            assert session.execute(text(f"PRAGMA {pragma}")).scalar() == value, pragma


def test_foreign_keys_are_enforced(catalogue: store.Catalogue) -> None:
    with pytest.raises(DBAPIError), catalogue.begin() as session:
        session.execute(text("INSERT INTO status_tally VALUES (99, 'thoughtful-1', 0, 1, 0, 0, 0)"))


def test_never_initialised(empty_database: str) -> None:
    with pytest.raises(BadInput, match="never initialised: run `thoughtful init` first"):
        store.open_catalogue(empty_database)


def test_opening_creates_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        store.open_catalogue(f"sqlite:///{tmp_path / 'none.db'}")
    assert list(tmp_path.iterdir()) == []


def test_newer_schema(database_url: str) -> None:
    _set_revision(database_url, "9999")
    for use in (store.open_catalogue, store.init):
        with pytest.raises(BadInput, match="schema 9999, newer than this program's"):
            use(database_url)


def test_older_schema(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    current = store.REVISION
    monkeypatch.setattr(store, "REVISION", "9998")
    with pytest.raises(BadInput, match=f"schema {current}, older .* `thoughtful init`"):
        store.open_catalogue(database_url)


FOREIGN = {
    "deal": ["CREATE TABLE deal (id integer)"],
    "customer": ["CREATE TABLE customer (id integer)"],
    # Another program's Alembic, at a revision that we have too.
    "alembic_version, invoice": [
        "CREATE TABLE alembic_version (version_num varchar(32))",
        f"INSERT INTO alembic_version VALUES ('{store.REVISION}')",
        "CREATE TABLE invoice (id integer)",
    ],
    "alembic_version": [
        "CREATE TABLE alembic_version (version_num varchar(32))",
        "INSERT INTO alembic_version VALUES ('ae1027a6acf')",
    ],
    "only_a_view": ["CREATE VIEW only_a_view AS SELECT 1 AS one"],
    "t0, t1, t2, t3, t4 and 2 more": [f"CREATE TABLE t{n} (id integer)" for n in range(7)],
}


@pytest.mark.parametrize("named", FOREIGN)
def test_a_database_of_another_program_is_left_alone(empty_database: str, named: str) -> None:
    engine = create_engine(database.parse_url(empty_database))
    with engine.begin() as connection:
        for statement in FOREIGN[named]:
            connection.execute(text(statement))
    engine.dispose()
    url = make_url(empty_database)
    file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
    before = file.read_bytes() if file else None
    for use in (store.init, store.open_catalogue):
        with pytest.raises(BadInput, match=rf"tables of another program \({named}\)"):
            use(empty_database)
    if file:
        assert file.read_bytes() == before  # neither its tables nor its journal mode
        assert [path.name for path in file.parent.iterdir()] == [file.name]
    with engine.connect() as connection:
        assert len(inspect(connection).get_table_names()) == sum(
            "CREATE TABLE" in statement for statement in FOREIGN[named]
        )
    engine.dispose()


def test_a_file_of_another_program_with_a_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE customer (id integer)")
    before = path.read_bytes()
    with pytest.raises(BadInput, match=r"tables of another program \(customer\)"):
        store.init(f"sqlite:///{path}")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_written_where_the_installation_only_reads(
    database_url: str, empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THOUGHTFUL_READ_ONLY", "1")
    sentence = "THOUGHTFUL_READ_ONLY is set: this installation only reads"
    with pytest.raises(BadInput, match=sentence):
        store.init(empty_database)
    with store.open_catalogue(database_url) as cat:
        with pytest.raises(BadInput, match=sentence), cat.begin():
            pytest.fail("it began")
        assert slugs(cat) == set()


def test_a_write_is_refused_by_whoever_is_asked(sqlite_catalogue: store.Catalogue) -> None:
    def refuse() -> None:
        raise BadInput("not you")

    url = sqlite_catalogue.engine.url.render_as_string(hide_password=False)
    with store.open_catalogue(url, check_write=refuse) as cat:
        for each in (cat, cat.with_limits(Limits(1, 1))):
            with pytest.raises(BadInput, match="not you"):
                add_ruleset(each, "one")
        assert slugs(cat) == set()


# Run as another user, since nothing is read-only for the super-user.
READ = """
import contextlib, os, sys
from sqlalchemy import text
from catalogue.store import open_catalogue
# What is imported later may be closed to other users.
with contextlib.suppress(Exception), open_catalogue(sys.argv[2]) as cat, cat.begin() as session:
    session.execute(text("DELETE FROM nothing"))
os.setuid(65534)
try:
    with open_catalogue(sys.argv[1]) as cat:
        try:
            cat.check_may_write()
        except ValueError as error:
            print(error, flush=True)
        for line in sys.stdin:
            with cat.session() as session:
                print(session.execute(text("SELECT count(*) FROM ruleset")).scalar(), flush=True)
        with cat.begin() as session:
            session.execute(text("DELETE FROM ruleset"))
except Exception as error:
    print(f"{type(error).__name__}: {error}".splitlines()[0])
"""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="not the super-user")
@pytest.mark.slow
@pytest.mark.parametrize("left", ["nothing", "a log and its index", "a log alone"])
def test_a_file_that_may_only_be_read(initialised_sqlite: Path, left: str) -> None:
    with tempfile.TemporaryDirectory() as place:  # pytest's own is closed to other users
        os.chmod(place, 0o755)
        directory = Path(place) / "public"
        directory.mkdir()
        path = directory / "thoughtful.db"
        shutil.copy(initialised_sqlite, path)
        if left != "nothing":
            leave_log(path)
        if left == "a log alone":
            path.with_name("thoughtful.db-shm").unlink()
        for file in directory.iterdir():
            file.chmod(0o444)
        directory.chmod(0o555)
        reader = subprocess.Popen(
            [sys.executable, "-c", READ, f"sqlite:///{path}", f"sqlite:///{initialised_sqlite}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert reader.stdin is not None
        assert reader.stdout is not None
        if left == "a log alone":
            out, _ = reader.communicate("", SECONDS)
            assert out.startswith("BadInput: the database at sqlite:////"), out
            assert "cannot be used: " in out
            return
        refused = f"the catalogue at sqlite:///{path} can only be read here: attempt to write a "
        assert reader.stdout.readline().startswith(refused)
        print("count", file=reader.stdin, flush=True)
        found = reader.stdout.readline()
        assert found == ("0\n" if left == "nothing" else "1\n")
        if left == "nothing":
            # Somebody who may begins to write: what was assumed no longer holds.
            with store.open_catalogue(f"sqlite:///{path}") as cat:
                add_ruleset(cat, "one")
        out, _ = reader.communicate("count\n", SECONDS)
        if left == "nothing":
            assert "another program has begun to write to it" in out
        else:
            assert f"BadInput: {refused}" in out


def leave_log(path: Path) -> None:
    """Add a ruleset and leave it in the write-ahead log, as a killed process does."""
    code = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        "c.execute(\"INSERT INTO ruleset (slug, game, options) VALUES ('a', 'b', '{}')\"); "
        "c.commit(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert path.with_name("thoughtful.db-wal").stat().st_size


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("nonsense", "'nonsense' cannot be read: expected sqlite:///"),
        ("mysql://me:secret@host/db", "is not supported"),
        ("oracle+cx://me:secret@host/db", "is not supported|cannot be read"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("postgresql://me:secret@127.0.0.1:1/db", "Connection refused"),
        ("postgresql://me@127.0.0.1:1/db?password=secret", "Connection refused"),
        ("postgresql://me:secret@127.0.0.1:1/db?nonsense=1", "nonsense"),
        ("postgresql://me:secret@[::1/db", "cannot be read"),
    ],
)
def test_unusable_urls_get_one_sentence_without_the_password(url: str, sentence: str) -> None:
    for use in (store.open_catalogue, store.init):
        with pytest.raises(BadInput, match=sentence) as caught:
            use(url)
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes, and long enough to be no empty database file." * 20)
    for use in (store.open_catalogue, store.init):
        with pytest.raises(BadInput, match="file is not a database"):
            use(f"sqlite:///{path}")
    assert path.read_text().startswith("These are my notes")


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be created"):
        store.init(f"sqlite:///{tmp_path / 'file' / 'thoughtful.db'}")


def test_the_url_shown_has_no_password() -> None:
    url = make_url("postgresql+psycopg://me:secret@host/db?password=secret&sslmode=require")
    assert database.shown(url) == "postgresql://me:***@host/db?sslmode=require"


def test_several_processes_may_initialise_at_once(empty_database: str) -> None:
    program = f"from catalogue import store; store.init({empty_database!r})"
    started = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(3)]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    store.open_catalogue(empty_database).close()


def test_init_works_from_any_directory(tmp_path: Path) -> None:
    """The migrations are found as a package, not by where the program was started."""
    url = f"sqlite:///{tmp_path / 'thoughtful.db'}"
    subprocess.run(
        [sys.executable, "-c", "from catalogue import store; store.init()"],
        cwd=tmp_path,
        env={**os.environ, "THOUGHTFUL_DATABASE_URL": url},
        check=True,
        timeout=SECONDS,
    )
    store.open_catalogue(url).close()


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"THOUGHTFUL_{name.upper()}", raising=False)
    settings = get_settings()
    assert settings.database_url == default_database_url()
    assert settings.database_url.endswith("/thoughtful.db")
    assert settings.workers >= 1
    assert settings.scheduler is None
    monkeypatch.setenv("THOUGHTFUL_WORKERS", "3")
    monkeypatch.setenv("THOUGHTFUL_SCHEDULER", "tcp://127.0.0.1:8786")
    assert get_settings().workers == 3
    assert get_settings().scheduler == "tcp://127.0.0.1:8786"


WRONG_SETTINGS = [
    *(("WORKERS", value, "should be ") for value in ("many", "0", "-2", "1.5")),
    ("API_NODES", "abc", "should be a valid integer"),
    ("SHARD_TIMEOUT", "abc", "should be a valid number"),
    ("PIECE_TIMEOUT", "abc", "should be a valid number"),  # a former name
    ("API_DATASETS", "no/where", "expected a folder that is there"),
    ("API_ORIGINS", "games.example", "expected origins such as https://games.example, without"),
    ("API_ORIGINS", "https://a.example, https://b.example/", "not 'https://b.example/'"),
    ("API_ORIGINS", "https://a.example https://b.example", "with commas between them"),
    ("SCHEDULER", "10.0.0.5", "expected the address of a Dask scheduler, such as tcp://"),
    ("EDITORS", "ada@example.org bob@example.org", "expected e-mail addresses with commas"),
    ("LOG", "xml", "should be 'text' or 'json'"),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG_SETTINGS)
def test_a_wrong_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"THOUGHTFUL_{name}", value)
    with pytest.raises(BadInput) as caught:
        get_settings()
    sentence = str(caught.value)
    assert sentence.startswith(f"THOUGHTFUL_{name}={value!r} in the environment is wrong: ")
    assert said in sentence


def _set_revision(url: str, revision: str) -> None:
    engine = database.make_engine(database.parse_url(url))
    writes = engine.execution_options(thoughtful_writes=True)
    with writes.connect() as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = :r"), {"r": revision})
    engine.dispose()
