"""Databases: their addresses, how they are connected to, and what their errors say.

`catalogue.store` has the contract that connections obey.
"""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from catalogue.logs import keep_secret
from catalogue.settings import get_settings
from engine.errors import BadInput

_log = logging.getLogger(__name__)

# How long a writer on SQLite waits for the one before it. Chunks take well under a second.
BUSY_SECONDS = 60
# How long it waits in silence.
NOTICE_SECONDS = 3
CONNECT_SECONDS = 10
_SECRET_OPTIONS = ("password", "sslpassword")
# Codes of PostgreSQL: insufficient privilege, read-only transaction.
_REFUSALS = ("42501", "25006")
# What the databases say of pages, or indexes, that are not as they were written.
_SQLITE_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_POSTGRESQL_DAMAGE = ("XX001", "XX002")


def parse_url(url: str | None) -> URL:
    """Parse a URL and select its driver; None stands for the URL of the settings.

    Raises:
        BadInput: it is not a URL of SQLite or PostgreSQL.
    """
    given = get_settings().database_url if url is None else url
    expected = (
        "expected sqlite:///PATH/thoughtful.db or postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
    )
    try:
        address = make_url(given)
        backend = address.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        # There may be a password before an @.
        text_shown = "" if "@" in given else f" {given!r}"
        raise BadInput(f"the database URL{text_shown} cannot be read: {expected}") from None
    for secret in (address.password, *map(address.query.get, _SECRET_OPTIONS)):
        keep_secret(secret if isinstance(secret, str) else None)
    if backend in ("postgresql", "postgres"):
        return address.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise BadInput(f"the database URL {shown(address)} is not supported: {expected}")
    if address.database in (None, "", ":memory:") or str(address.database).startswith("file:"):
        raise BadInput(
            f"the database URL {shown(address)} names no file, and a catalogue in memory cannot "
            f"be shared: {expected}"
        )
    if address.host or address.query:
        wrong = (
            f"a host, {address.host}" if address.host else f"options, {', '.join(address.query)}"
        )
        raise BadInput(
            f"the database URL {shown(address)} has {wrong}, but a SQLite file has none: {expected}"
        )
    path = Path(str(address.database)).expanduser().absolute()
    return address.set(drivername="sqlite+pysqlite", database=path.as_posix())


def shown(url: URL) -> str:
    """The URL without its password, for messages."""
    safe = url.set(drivername=url.get_backend_name())
    return safe.difference_update_query(_SECRET_OPTIONS).render_as_string()


def make_engine(url: URL, *, foreign_keys: bool = True) -> Engine:
    """Make an engine whose connections obey the storage contract, without connecting."""
    if url.get_backend_name() == "sqlite":
        if is_fixed(Path(str(url.database))):
            return _engine_of_fixed_file(url)
        engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
        event.listen(engine, "connect", _sqlite_connect(foreign_keys))
        event.listen(engine, "begin", _sqlite_begin)
        return engine
    waits = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_SECONDS}
    return create_engine(url, connect_args=waits, pool_pre_ping=True)


def is_fixed(path: Path) -> bool:
    """Whether nobody has a SQLite file open, and we may write neither it nor beside it.

    Reading a file with a write-ahead log needs an index in a file beside it. Where that is missing
    and cannot be made, SQLite can still read a file that nobody writes.
    """
    return (
        path.exists()
        and not os.access(path, os.W_OK)
        and not os.access(path.parent, os.W_OK)
        and not _log_of(path).exists()
    )


def file_of(url: URL) -> tuple[int, int] | None:
    """Device and number of a SQLite file; None if there is none."""
    if url.get_backend_name() != "sqlite":
        return None
    try:
        stat = os.stat(str(url.database))
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _engine_of_fixed_file(url: URL) -> Engine:
    """Make an engine for a file that does not change; it refuses to go on once the file does."""
    path = Path(str(url.database))
    stat = path.stat()
    known = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    changed = sqlite3.OperationalError(
        "it may only be read here, and another program has begun to write to it"
    )

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            f"{path.as_uri()}?immutable=1", uri=True, timeout=BUSY_SECONDS, check_same_thread=False
        )

    def check(_connection: Connection) -> None:
        now = path.stat()
        if (now.st_ino, now.st_size, now.st_mtime_ns) != known or _log_of(path).exists():
            raise unreachable(url, changed) from changed

    engine = create_engine(url, creator=connect)
    event.listen(engine, "connect", _sqlite_connect(foreign_keys=True))
    event.listen(engine, "begin", check)
    event.listen(engine, "begin", _sqlite_begin)
    return engine


def _sqlite_connect(foreign_keys: bool) -> Any:
    def prepare(connection: sqlite3.Connection, _record: Any) -> None:
        # Python's sqlite3 must never begin or commit by itself; the "begin" event does it.
        connection.isolation_level = None
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    return prepare


def _sqlite_begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("thoughtful_writes", False)
    connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
    if writes:
        _begin_writing(connection)
    else:
        connection.exec_driver_sql("BEGIN")


def _begin_writing(connection: Connection) -> None:
    """Take the write lock of a SQLite file; after a while, say what it waits for."""
    driver: Any = connection.connection.driver_connection
    driver.execute(f"PRAGMA busy_timeout = {int(1000 * NOTICE_SECONDS)}")
    try:
        driver.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise
        _log.warning(
            "waiting up to %s s for another program that is writing to %s",
            BUSY_SECONDS,
            connection.engine.url.database,
        )
        driver.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_SECONDS)}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        driver.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_SECONDS)}")


def why_refused_by_file(engine: Engine) -> str | None:
    """The reason why a SQLite file cannot be written; None if it can, and somebody else may do so.

    Only writing tells: a file that may be written is of no use where its log may not.
    """
    connection = engine.raw_connection()
    try:
        driver: Any = connection.driver_connection
        driver.execute("PRAGMA query_only = OFF")
        driver.execute("PRAGMA busy_timeout = 0")
        try:
            # Taking the lock alone succeeds where nothing can be written.
            driver.execute("BEGIN IMMEDIATE")
            driver.execute("UPDATE alembic_version SET version_num = version_num")
        except sqlite3.OperationalError as error:
            return None if "locked" in str(error) else reason_of(error)
        finally:
            driver.rollback()
            driver.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_SECONDS)}")
    finally:
        connection.close()
    return None


@contextmanager
def answering(url: str | None = None) -> Iterator[None]:
    """Turn the error of a database that stops responding into one sentence.

    Raises:
        BadInput: it does not respond, or the URL, by default that of the settings, is malformed.
    """
    with one_sentence(parse_url(url)):
        yield


@contextmanager
def one_sentence(url: URL) -> Iterator[None]:
    """Turn a database driver's errors about an unreachable database into one sentence."""
    try:
        yield
    except (DBAPIError, PoolTimeout, sqlite3.Error) as error:
        raise unreachable(url, error) from error
    except UnicodeDecodeError as error:
        # Even the driver's own words are damaged.
        raise Damaged(
            f"the database at {shown(url)} cannot be used: its tables are described by what is no "
            "text; it is damaged: a backup has what it was"
        ) from error


class Damaged(BadInput):
    """The database has pages that are not as they were written."""


def is_refusal(error: DBAPIError) -> bool:
    """Whether a database refuses something to its user, or to everybody, as it may only be read."""
    name = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "sqlite_errorname", None)
    return name in _REFUSALS or str(name).startswith("SQLITE_READONLY")


def unreachable(url: URL, error: BaseException) -> BadInput:
    """The error for a database that does not respond, with the driver's reason."""
    kind = Damaged if is_damage(error) else BadInput
    return kind(f"the database at {shown(url)} cannot be used: {reason_of(error)}")


def reason_of(error: BaseException) -> str:
    """The reason that a database's driver gives for an error, without a full stop."""
    # PostgreSQL's driver adds questions and hints; its first line states the error.
    reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0].rstrip(".")
    if is_damage(error):
        reason += "; it is damaged: `thoughtful verify` says where, a backup has what it was"
    return reason


def is_damage(error: BaseException) -> bool:
    """Whether an error of a database is that what it has stored is damaged."""
    cause = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlite_errorcode", None)
    # Of extended codes the last byte is the kind.
    if isinstance(code, int) and code & 0xFF in _SQLITE_DAMAGE:
        return True
    return getattr(cause, "sqlstate", None) in _POSTGRESQL_DAMAGE
