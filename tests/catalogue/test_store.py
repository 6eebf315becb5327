"""Tests of the store: creating, opening and sharing a catalogue, on both databases."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from catalogue import store
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


def test_tables_of_another_program(empty_database: str) -> None:
    engine = store.make_engine(store.parse_url(empty_database))
    writes = engine.execution_options(thoughtful_writes=True)
    with writes.connect() as connection, connection.begin():
        connection.execute(text("CREATE TABLE deal (id integer)"))
    engine.dispose()
    with pytest.raises(BadInput, match=r"tables of another program \(deal\)"):
        store.init(empty_database)


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
    assert store.shown(url) == "postgresql://me:***@host/db?sslmode=require"


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


@pytest.mark.parametrize("value", ["many", "0", "-2", "1.5"])
def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("THOUGHTFUL_WORKERS", value)
    with pytest.raises(BadInput, match=f"THOUGHTFUL_WORKERS='{value}' in the environment"):
        get_settings()


def _set_revision(url: str, revision: str) -> None:
    engine = store.make_engine(store.parse_url(url))
    writes = engine.execution_options(thoughtful_writes=True)
    with writes.connect() as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = :r"), {"r": revision})
    engine.dispose()
