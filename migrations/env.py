"""How Alembic meets the catalogue.

By a connection that `catalogue.store.init` hands over or, on Alembic's own command line, by the
URL of the settings.
"""

from alembic import context
from sqlalchemy import Connection

from catalogue.schema import Base


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_type=True,
        render_as_batch=connection.dialect.name == "sqlite",
        # Our SQLite connections begin transactions themselves, so tables change all or nothing.
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


handed_over: Connection | None = context.config.attributes.get("connection")
if handed_over is not None:
    migrate(handed_over)
elif context.is_offline_mode():
    from catalogue.store import parse_url

    context.configure(url=parse_url(None), target_metadata=Base.metadata, literal_binds=True)
    with context.begin_transaction():
        context.run_migrations()
else:
    from catalogue.store import make_engine, parse_url

    engine = make_engine(parse_url(None), foreign_keys=False)
    with engine.execution_options(thoughtful_writes=True).connect() as own, own.begin():
        migrate(own)
    engine.dispose()
