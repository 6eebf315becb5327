"""Alembic environment of the catalogue.

`catalogue.store.init`, which users run, passes a connection. With Alembic's own command line, which
is for writing migrations, the database is that of THOUGHTFUL_DATABASE_URL.
"""

import os

from alembic import context
from alembic.util import CommandError
from sqlalchemy import URL, Connection, create_engine, event, make_url

from catalogue.schema import Base


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_type=True,
        render_as_batch=connection.dialect.name == "sqlite",
        # Atomic on SQLite too, because transactions begin explicitly there, as below.
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def database() -> URL:
    given = os.environ.get("THOUGHTFUL_DATABASE_URL")
    if not given:
        raise CommandError("set THOUGHTFUL_DATABASE_URL to the database that Alembic should use")
    url = make_url(given)
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def migrate_by_ourselves() -> None:
    engine = create_engine(database())
    if engine.dialect.name == "sqlite":
        # Python's sqlite3 would commit before a change of a table.
        event.listen(engine, "connect", lambda c, _record: setattr(c, "isolation_level", None))
        event.listen(engine, "begin", lambda c: c.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.connect() as connection, connection.begin():
        migrate(connection)
    engine.dispose()


handed_over: Connection | None = context.config.attributes.get("connection")
if handed_over is not None:
    migrate(handed_over)
elif context.is_offline_mode():
    raise CommandError("migrations convert what is stored, so they cannot be printed as SQL")
else:
    migrate_by_ourselves()
