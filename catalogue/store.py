"""The store: one database, SQLite or PostgreSQL, and the way into it.

The storage contract
====================

*Who writes what.* Five kinds of rows, five writers, and nobody else:

- `ruleset`, `solver`, `deal`, `outcome`, `solution`, `dead_end`, and the counts kept beside them,
  `status`, `tally` and `status_tally`, are written by `catalogue.outcomes.writing` alone. All but
  the first three rest on outcomes, and outcomes are only ever added: never changed, never deleted.
- `job` and `job_solver` are created, queued and cancelled by `catalogue.jobs.queue`; while a job
  runs, only the runner named in its row writes there (`catalogue.jobs.claims`), and it makes sure
  of that in every transaction.
- `regret` is added to by `catalogue.regret.task` alone. Its rows rest on outcomes that were
  stored before; they too are never changed and never deleted.
- `bound` is appended to by `catalogue.reading.bounds`, in the transaction that wrote the outcomes.
- The tables themselves are made and changed by the migrations alone, through `init`.

*When.* A chunk of outcomes, the counts that rest on it, the progress of the job and the new bound
are one transaction. Whatever a reader sees, the counts equal a recount of the outcomes.

*From where.* A `Catalogue` may be shared by threads; a session may not. Any number of processes
may read and write at once, on PostgreSQL from any number of machines. On SQLite they must be on
the machine that has the file, because its write-ahead log lives in shared memory. A catalogue
does not survive a fork: open it in the process that uses it. Workers that solve never open it.

*How writers keep out of each other's way.* On SQLite a writing transaction is one from its first
statement (BEGIN IMMEDIATE): there is one writer at a time and the others wait. On PostgreSQL a
writer of outcomes holds advisory locks on the blocks of seeds it touches
(`catalogue.outcomes.writing`); writers of different blocks do not wait for each other.

*Readers* see one moment from the first to the last query of their session, never wait for
writers and never make them wait; the database refuses what they try to write.

*What survives.* After `kill -9` of anything at any time, every committed transaction is there
whole. After a power cut SQLite may have lost the last few (synchronous NORMAL), never part of one.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session

from catalogue.schema import REVISION, Base
from catalogue.settings import get_settings
from engine.errors import BadInput

# How long a writer on SQLite waits for the one before it. Chunks take well under a second.
BUSY_SECONDS = 60
CONNECT_SECONDS = 10
# Shared with nobody but ourselves: the first of the two keys of every advisory lock we take.
LOCK_SPACE = 0x7468_6F75
INIT_LOCK = -1


class Catalogue:
    """An open catalogue. Close it, or use it in a ``with`` statement.

    Attributes:
        engine: the SQLAlchemy engine, for those who read with pandas.
        url: where it lives, without the password.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.url = shown(engine.url)
        read: dict[str, Any] = {}
        write: dict[str, Any] = {"thoughtful_writes": True}
        if engine.dialect.name == "postgresql":
            read = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
            # Whatever the server's default: after waiting for a lock a writer must see what the
            # one before it has written.
            write["isolation_level"] = "READ COMMITTED"
        self._readers = engine.execution_options(**read)
        self._writers = engine.execution_options(**write)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session that reads one moment of the catalogue; the database refuses its writes."""
        with Session(self._readers) as session:
            yield session

    @contextmanager
    def begin(self) -> Iterator[Session]:
        """A transaction that writes: committed at the end, rolled back on an exception."""
        with Session(self._writers) as session, session.begin():
            # Take the writer's turn now: on SQLite a first statement that reads would otherwise
            # see a moment older than the one it is to change.
            session.connection()
            yield session

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_catalogue(url: str | None = None) -> Catalogue:
    """Open an initialised catalogue, by default the one of the settings.

    Raises:
        BadInput: malformed URL, unreachable database, never initialised, or its tables are older
            or newer than this program's.
    """
    address = parse_url(url)
    if address.get_backend_name() == "sqlite" and not Path(str(address.database)).exists():
        raise _not_initialised(address)
    engine = make_engine(address)
    try:
        with _one_sentence(address), engine.connect() as connection:
            found = _revision(connection)
    except BaseException:
        engine.dispose()
        raise
    if found == REVISION:
        return Catalogue(engine)
    engine.dispose()
    if found is None:
        raise _not_initialised(address)
    if found in known_revisions():
        raise BadInput(
            f"the catalogue at {shown(address)} has tables of schema {found}, older than this "
            f"program's {REVISION}: upgrade it with `thoughtful init`"
        )
    raise _newer(address, found)


def init(url: str | None = None) -> None:
    """Create the catalogue, or bring its tables up to this program's schema; else do nothing.

    The directory of a SQLite file is created too. Several processes may call it at once.

    Raises:
        BadInput: malformed URL, unreachable database, a newer schema, or a database that holds
            tables of these names made by another program.
    """
    # Here, because it takes longer to import than opening a catalogue takes.
    from alembic import command

    address = parse_url(url)
    if address.get_backend_name() == "sqlite":
        _prepare_file(address)
    # A migration on SQLite rebuilds tables, which foreign keys must not get in the way of.
    engine = make_engine(address, foreign_keys=False)
    try:
        with (
            _one_sentence(address),
            engine.execution_options(thoughtful_writes=True).connect() as connection,
            connection.begin(),
        ):
            # Whoever comes second waits here and then finds nothing left to do.
            lock(connection, INIT_LOCK)
            found = _revision(connection)
            if found == REVISION:
                return
            if found is not None and found not in known_revisions():
                raise _newer(address, found)
            if found is None:
                taken = set(inspect(connection).get_table_names()) & set(Base.metadata.tables)
                if taken:
                    raise BadInput(
                        f"the database at {shown(address)} already has tables of another program "
                        f"({', '.join(sorted(taken))}): give the catalogue a database of its own"
                    )
            config = alembic_config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        engine.dispose()


def parse_url(url: str | None) -> URL:
    """The address a URL names, with the driver we use; None is the one of the settings.

    Raises:
        BadInput: it is no URL of SQLite or PostgreSQL.
    """
    given = get_settings().database_url if url is None else url
    expected = (
        "expected sqlite:///PATH/thoughtful.db or postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
    )
    try:
        address = make_url(given)
        backend = address.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        # Where there is an @ there may be a password before it.
        text_shown = "" if "@" in given else f" {given!r}"
        raise BadInput(f"the database URL{text_shown} cannot be read: {expected}") from None
    if backend in ("postgresql", "postgres"):
        return address.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise BadInput(f"the database URL {shown(address)} is of a kind not supported: {expected}")
    if address.database in (None, "", ":memory:") or str(address.database).startswith("file:"):
        raise BadInput(
            f"the database URL {shown(address)} names no file, and a catalogue in memory could "
            f"not be shared: {expected}"
        )
    path = Path(str(address.database)).expanduser().absolute()
    return address.set(drivername="sqlite+pysqlite", database=path.as_posix())


def shown(url: URL) -> str:
    """The URL without any password, fit for messages."""
    safe = url.set(drivername=url.get_backend_name())
    return safe.difference_update_query(["password", "sslpassword"]).render_as_string()


def make_engine(url: URL, *, foreign_keys: bool = True) -> Engine:
    """An engine whose connections obey the storage contract; nothing connects yet."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
        event.listen(engine, "connect", _sqlite_connect(foreign_keys))
        event.listen(engine, "begin", _sqlite_begin)
        return engine
    waits = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_SECONDS}
    return create_engine(url, connect_args=waits, pool_pre_ping=True)


def lock(session: Session | Connection, key: int) -> None:
    """Hold a lock on PostgreSQL until the transaction ends; on SQLite it is held already.

    `key` is a 32-bit number. Whoever takes several takes them in rising order.
    """
    connection = session.connection() if isinstance(session, Session) else session
    if connection.dialect.name == "postgresql":
        connection.execute(
            text("SELECT pg_advisory_xact_lock(:space, :key)"), {"space": LOCK_SPACE, "key": key}
        )


def alembic_config() -> Any:
    """Alembic's configuration for the migrations of this installation, without its ini file."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "migrations:")
    config.set_main_option("path_separator", "os")
    return config


def known_revisions() -> list[str]:
    """Every schema this program knows, newest first."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(alembic_config())
    return [script.revision for script in scripts.walk_revisions()]


def _sqlite_connect(foreign_keys: bool) -> Any:
    def prepare(connection: sqlite3.Connection, _record: Any) -> None:
        # Python's module must never begin or commit on its own: SQLAlchemy's "begin" does it.
        connection.isolation_level = None
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    return prepare


def _sqlite_begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("thoughtful_writes", False)
    connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_file(url: URL) -> None:
    path = Path(str(url.database))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"the directory {path.parent} for the catalogue cannot be created: {error.strerror}"
        ) from None
    with _one_sentence(url):
        # The journal mode stays with the file; switching needs it for oneself for a moment, which
        # SQLite does not wait for by itself when another process is switching too.
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode = WAL")
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        finally:
            connection.close()
    if mode != "wal" and not os.access(path, os.W_OK):
        raise BadInput(f"the catalogue at {shown(url)} cannot be written to")


def _revision(connection: Connection) -> str | None:
    """The schema a database is at; None if it was never initialised."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _not_initialised(url: URL) -> BadInput:
    return BadInput(
        f"the catalogue at {shown(url)} was never initialised: run `thoughtful init` first"
    )


def _newer(url: URL, found: str) -> BadInput:
    return BadInput(
        f"the catalogue at {shown(url)} has tables of schema {found}, newer than this program's "
        f"{REVISION}: use the newer version of Thoughtful that made them"
    )


@contextmanager
def answering(url: str | None = None) -> Iterator[None]:
    """Turn the error of a database that stops answering, inside, into one sentence.

    Raises:
        BadInput: it did not answer; or the URL, by default that of the settings, is malformed.
    """
    with _one_sentence(parse_url(url)):
        yield


@contextmanager
def _one_sentence(url: URL) -> Iterator[None]:
    """Turn what a database driver has to say about an unreachable database into one sentence."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        raise unreachable(url, error) from error


def unreachable(url: URL, error: BaseException) -> BadInput:
    """The sentence for a database that does not answer, with the driver's reason."""
    # PostgreSQL's driver goes on with questions and hints; its first line says what happened.
    reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0].rstrip(".")
    return BadInput(f"the database at {shown(url)} cannot be used: {reason}")
