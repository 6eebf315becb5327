"""The store: opening and initialising the database, SQLite or PostgreSQL.

The storage contract
====================

*Who writes what.* Each table has exactly one writer:

- `ruleset`, `dealing`, `solver`, `provenance`, `deal`, `batch`, `outcome`, `solution`, `dead_end`,
  and what is derived from them, `block` and `status_block`, are written by
  `catalogue.outcomes.writing`. `catalogue.jobs.queue` also adds missing rulesets and solvers,
  through its functions. Outcomes are only ever added, never changed;
  `catalogue.outcomes.compaction` deletes the rows of outcomes whose verdict stays in its block.
- `job`, `job_solver`, `runner` and `shard` are written by `catalogue.jobs`. A runner writes the
  results of a shard only while the shard is its own, which it checks in the same transaction.
- `regret` is written by `catalogue.regret.task`. Its rows refer to outcomes that were stored
  before; they too are never changed or deleted.
- `bound` is written by `catalogue.reading.bounds`, in the transaction that adds the outcomes.
- `verification` is written by `catalogue.verify`.
- `seal` is written together with the rows that it is of, and `ledger` at the end of the transaction
  that adds rows of its kinds.
- The tables themselves are created and altered by the migrations, through `init`.

*When.* The outcomes of a shard, the blocks and statuses derived from them, the progress of the job
and the new bound are written in one transaction, in which the shard is deleted too. So for every
reader the counts equal a recount, and whatever is killed, an outcome is stored once or not at all.

*How.* On PostgreSQL rows are copied in by COPY, straight into their tables: the lock of the block
and the columns of the block tell beforehand which outcomes are missing, so that no staging table
and no merge are needed.

*From where.* A `Catalogue` may be shared by threads; a session may not. Any number of processes
may read and write at once, on PostgreSQL from any number of machines. On SQLite they must be on
the machine that has the file, because the index of its write-ahead log is in shared memory. A
catalogue does not survive a fork: open it in the process that uses it. Workers never open it.

*Locking.* On SQLite a writing transaction takes the write lock with its first statement (BEGIN
IMMEDIATE): there is one writer at a time and the others wait. On PostgreSQL a writer of outcomes
holds advisory locks on the blocks of seeds that it writes (`catalogue.outcomes.writing`); writers
of different blocks do not wait for each other.

*Readers.* A session that reads sees a snapshot from its first to its last query. It never waits
for writers and never blocks them; the database refuses its writes.

*Durability.* Every committed transaction survives `kill -9` of any process at any time. After a
power failure SQLite may have lost the last few (synchronous NORMAL), but never part of one.
"""

import os
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DatabaseError, DBAPIError
from sqlalchemy.orm import Session

from catalogue.database import (
    BUSY_SECONDS,
    file_of,
    is_damage,
    is_fixed,
    is_refusal,
    make_engine,
    one_sentence,
    parse_url,
    reason_of,
    shown,
    unreachable,
    why_refused_by_file,
)
from catalogue.limits import Limits, limited
from catalogue.schema import REVISION, Base, RulesetRow
from catalogue.settings import check_writable
from engine.errors import BadInput
from engine.rulesets import OWN, call_own_rules

# The first of the two keys of all our advisory locks, to keep them apart from other programs'.
LOCK_SPACE = 0x7468_6F75
INIT_LOCK = -1
# Tables of every revision of the schema. Another program may have some of these names, and its
# Alembic the same revision, but not all of them.
OWN_TABLES = {"alembic_version", "ruleset", "solver", "deal", "outcome", "job", "job_solver"}
_NAMES_SHOWN = 5
_SQLITE_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' "
    "ESCAPE '!'"
)
# Without those that extensions bring.
_POSTGRESQL_TABLES = (
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') "
    "AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass "
    "AND d.objid = c.oid AND d.deptype = 'e')"
)
# The first bytes of a SQLite file, and where it says that it has a write-ahead log.
_SQLITE_HEADER = b"SQLite format 3\0"
_SQLITE_WAL_BYTE = 18


_latest: URL | None = None


class Catalogue:
    """An open catalogue. Close it, or use it in a ``with`` statement.

    Attributes:
        engine: the SQLAlchemy engine, for reading with pandas.
        url: its URL without the password.
        limits: of each query of a session; None for none.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        limits: Limits | None = None,
        check_write: Callable[[], None] = check_writable,
    ) -> None:
        self.engine = engine
        self.limits = limits
        self._check_write = check_write
        self.url = shown(engine.url)
        read: dict[str, Any] = {}
        write: dict[str, Any] = {"thoughtful_writes": True}
        if engine.dialect.name == "postgresql":
            read = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
            # Whatever the server's default, a writer must see after waiting for a lock what the
            # previous writer has committed.
            write["isolation_level"] = "READ COMMITTED"
        self._readers = engine.execution_options(**read)
        self._writers = engine.execution_options(**write)
        self._file = file_of(engine.url)

    @property
    def is_replaced(self) -> bool:
        """Whether the file is gone, or another one lies in its place; never true of a server's.

        Its connections would go on reading the old one until they are closed.
        """
        return file_of(self.engine.url) != self._file

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session that reads a snapshot of the catalogue; the database refuses its writes."""
        with Session(self._readers) as session:
            if self.limits is None:
                yield session
            else:
                with limited(session, self.limits):
                    yield session

    def with_limits(self, limits: Limits | None) -> "Catalogue":
        """The same catalogue, on the same connections, with other limits."""
        return Catalogue(self.engine, limits=limits, check_write=self._check_write)

    @contextmanager
    def begin(self) -> Iterator[Session]:
        """A transaction that writes: committed at the end, rolled back on an exception.

        Raises:
            BadInput: the installation, the database's user, or the visitor who asks, may only read.
        """
        self._check_write()
        try:
            with Session(self._writers) as session, session.begin():
                # Take the write lock now; otherwise a first statement that reads would see, on
                # SQLite, an older snapshot than the one to be changed.
                session.connection()
                yield session
                # Imported here, because commands that only read do without it.
                from catalogue.outcomes.ledger import settle

                settle(session)
        except DBAPIError as error:
            if not is_refusal(error):
                raise
            raise BadInput(self._refused(reason_of(error))) from error

    def check_may_write(self) -> None:
        """Refuse what `begin` would refuse, before anything is computed that is to be written.

        Raises:
            BadInput: the installation, the database's user, or the visitor who asks, may only read.
        """
        self._check_write()
        reason = self._why_refused()
        if reason is not None:
            raise BadInput(self._refused(reason))

    def _refused(self, reason: str) -> str:
        return f"the catalogue at {self.url} can only be read here: {reason}"

    def _why_refused(self) -> str | None:
        """The reason of the database why nothing can be written; None if something can."""
        if self.engine.dialect.name == "sqlite":
            return why_refused_by_file(self.engine)
        asked = text(
            "SELECT name FROM unnest(CAST(:names AS text[])) name "
            "WHERE NOT has_table_privilege(name, :to)"
        )
        with Session(self._writers) as session:
            if session.scalar(text("SHOW transaction_read_only")) == "on":
                return "transactions of this server or user are read-only"
            names = {"names": list(Base.metadata.tables), "to": "INSERT"}
            closed = session.scalars(asked, names).all()
        return f"permission denied for table {min(closed)}" if closed else None

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


def _call_own_rules(connection: Connection) -> None:
    """Have the rules of users called as they were when they were stored."""
    query = select(RulesetRow.slug, RulesetRow.options).where(RulesetRow.slug.startswith(OWN))
    try:
        rows = connection.execute(query).all()
    except DatabaseError as error:
        if is_damage(error):  # a verification, which needs no names, reports it
            return
        raise
    for slug, options in rows:
        title = options.get("title") if isinstance(options, dict) else None
        if isinstance(title, str):
            with suppress(BadInput):  # a verification reports it
                call_own_rules(slug, title)


def open_catalogue(
    url: str | None = None,
    *,
    limits: Limits | None = None,
    check_write: Callable[[], None] = check_writable,
) -> Catalogue:
    """Open an initialised catalogue, by default that of the settings.

    A database user that may only read is enough to read.

    Args:
        url: of the catalogue.
        limits: of each query of a session that reads.
        check_write: called before every transaction that writes, to refuse it by an exception.

    Raises:
        BadInput: malformed URL, unreachable or uninitialised database, one of another program, or
            one with an older or newer schema than this program's.
    """
    address = parse_url(url)
    if address.get_backend_name() == "sqlite" and not Path(str(address.database)).exists():
        raise _not_initialised(address)
    engine = make_engine(address)
    catalogue = Catalogue(engine, limits=limits, check_write=check_write)
    try:
        with one_sentence(address):
            with engine.connect() as connection:
                found = _revision(connection)
            if found == REVISION:
                with catalogue.session() as session:
                    _call_own_rules(session.connection())
    except BaseException:
        engine.dispose()
        raise
    if found == REVISION:
        global _latest
        _latest = address
        return catalogue
    engine.dispose()
    if found is None:
        raise _not_initialised(address)
    if found in known_revisions():
        raise BadInput(
            f"the catalogue at {shown(address)} has tables of schema {found}, older than this "
            f"program's {REVISION}: upgrade it with `thoughtful init`"
        )
    raise _newer(address, found)


def latest() -> URL | None:
    """The catalogue that was opened last, by which an error in reading it can be explained."""
    return _latest


def init(url: str | None = None) -> None:
    """Create the catalogue, or upgrade it to the current schema if necessary.

    The directory of a SQLite file is created too. Several processes may call this at once.

    Raises:
        BadInput: malformed URL, unreachable database, a newer schema, a database that holds tables
            of another program, a file that is no database, or an installation that only reads.
    """
    check_writable()
    # Imported here, because importing it takes longer than opening a catalogue.
    from alembic import command

    address = parse_url(url)
    if address.get_backend_name() == "sqlite":
        _prepare_file(address)
    # Migrations rebuild tables on SQLite, which foreign keys would prevent.
    engine = make_engine(address, foreign_keys=False)
    try:
        with (
            one_sentence(address),
            engine.execution_options(thoughtful_writes=True).connect() as connection,
            connection.begin(),
        ):
            # A second process waits here and then finds nothing left to do.
            lock(connection, INIT_LOCK)
            found = _revision(connection)
            if found == REVISION:
                return
            if found is not None and found not in known_revisions():
                raise _newer(address, found)
            config = alembic_config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        engine.dispose()


def lock(session: Session | Connection, key: int) -> None:
    """Take a lock until the transaction ends; SQLite already holds its only one.

    `key` is a 32-bit number. Several locks must be taken in ascending order.
    """
    connection = session.connection() if isinstance(session, Session) else session
    if connection.dialect.name == "postgresql":
        connection.execute(
            text("SELECT pg_advisory_xact_lock(:space, :key)"), {"space": LOCK_SPACE, "key": key}
        )


def alembic_config() -> Any:
    """Alembic's configuration for the migrations of this installation, without an ini file."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "migrations:")
    config.set_main_option("path_separator", "os")
    return config


def known_revisions() -> list[str]:
    """All schema revisions known to this program, newest first."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(alembic_config())
    return [script.revision for script in scripts.walk_revisions()]


def _prepare_file(url: URL) -> None:
    path = Path(str(url.database))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"the directory {path.parent} for the catalogue cannot be created: {error.strerror}"
        ) from None
    if not path.exists() and not os.access(path.parent, os.W_OK):
        raise BadInput(
            f"the catalogue {path} cannot be created: nothing may be written to {path.parent}"
        )
    with one_sentence(url):
        _check_file(path, url)
        if is_fixed(path):
            return  # there is nothing to do, or else it will be refused
        # The journal mode is stored in the file. Switching it takes an exclusive lock, for which
        # SQLite does not wait if another process is switching it too.
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode = WAL")
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        finally:
            connection.close()
    if mode != "wal" and not os.access(path, os.W_OK):
        raise BadInput(f"the catalogue at {shown(url)} cannot be written to")


def _check_file(path: Path, url: URL) -> None:
    """Raise BadInput if a file is not an empty database or ours; nothing about it is changed."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(f"the catalogue at {shown(url)} cannot be read: {error.strerror}") from None
    if not header:
        return
    if not header.startswith(_SQLITE_HEADER):
        raise unreachable(url, sqlite3.DatabaseError("file is not a database"))
    if header[_SQLITE_WAL_BYTE] != 1:
        return  # it has our journal mode already, so looking at it later changes nothing
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    try:
        names = {name for (name,) in connection.execute(_SQLITE_TABLES)}
    finally:
        connection.close()
    if names and not names >= OWN_TABLES:
        raise _foreign(url, names)


def _revision(connection: Connection) -> str | None:
    """The schema revision of a database; None if it is empty.

    Raises:
        BadInput: it holds tables of another program.
    """
    query = _SQLITE_TABLES if connection.dialect.name == "sqlite" else _POSTGRESQL_TABLES
    names = set(connection.execute(text(query)).scalars())
    if not names:
        return None
    if not names >= OWN_TABLES:
        raise _foreign(connection.engine.url, names)
    return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar())


def _foreign(url: URL, names: Collection[str]) -> BadInput:
    some = sorted(names)[:_NAMES_SHOWN]
    more = f" and {len(names) - len(some)} more" if len(names) > len(some) else ""
    return BadInput(
        f"the database at {shown(url)} already has tables of another program "
        f"({', '.join(some)}{more}): give the catalogue a database of its own"
    )


def _not_initialised(url: URL) -> BadInput:
    return BadInput(
        f"the catalogue at {shown(url)} was never initialised: run `thoughtful init` first"
    )


def _newer(url: URL, found: str) -> BadInput:
    return BadInput(
        f"the catalogue at {shown(url)} has tables of schema {found}, newer than this program's "
        f"{REVISION}: use the newer version of Thoughtful that made them"
    )
