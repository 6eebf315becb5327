"""How Alembic meets the catalogue.

`catalogue.store.init`, which is what users run, hands over a connection. On Alembic's own command
line, which is for writing migrations, the database is the one of THOUGHTFUL_DATABASE_URL.
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
        # On SQLite too, because transactions there begin as below: all or nothing.
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def database() -> URL:
    given = os.environ.get("THOUGHTFUL_DATABASE_URL")
    if not given:
        raise CommandError("set THOUGHTFUL_DATABASE_URL to the database that Alembic shall use")
    url = make_url(given)
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def migrate_by_ourselves() -> None:
    engine = create_engine(database())
    if engine.dialect.name == "sqlite":
        # Python's module would commit before changing a table.
        event.listen(engine, "connect", lambda c, _record: setattr(c, "isolation_level", None))
        event.listen(engine, "begin", lambda c: c.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.connect() as connection, connection.begin():
        migrate(connection)
    engine.dispose()


handed_over: Connection | None = context.config.attributes.get("connection")
if handed_over is not None:
    migrate(handed_over)
elif context.is_offline_mode():
    context.configure(url=database(), target_metadata=Base.metadata, literal_binds=True)
    with context.begin_transaction():
        context.run_migrations()
else:
    migrate_by_ourselves()
