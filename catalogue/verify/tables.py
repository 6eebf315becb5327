"""Check of the tables themselves."""

from collections.abc import Iterator
from itertools import chain

from sqlalchemy import Connection, create_engine, text

from catalogue.schema import REVISION, Base
from catalogue.verify.context import Context

# An index or a view of one's own changes nothing that is stored; a trigger may.
_OWN = ("unknown index", "unknown view")


def check_tables(context: Context) -> None:
    """Check that the tables, indexes and constraints are those of this program's schema."""
    context.checked["tables"] += 1
    with context.cat.engine.connect() as connection:
        for difference in _differences(connection):
            if difference.startswith(_OWN):
                context.remark(f"{difference}: it is not of this program's schema")
            else:
                context.fault("schema", context.cat.url, difference)


def _differences(connection: Connection) -> Iterator[str]:
    """The differences of the database from the schema; other tables do not matter."""
    # Imported here, because it takes longer than most checks.
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    revisions = connection.scalars(text("SELECT version_num FROM alembic_version")).all()
    if list(revisions) != [REVISION]:
        yield f"alembic_version has {', '.join(map(str, revisions))}: expected {REVISION}"
    migration = MigrationContext.configure(connection, opts={"compare_type": True})
    for entry in compare_metadata(migration, Base.metadata):
        # Changes of one column come as a list.
        for kind, *what in entry if isinstance(entry, list) else [entry]:
            if kind == "remove_table":
                continue
            words = kind.replace("add_", "missing ").replace("remove_", "unknown ")
            named = [getattr(each, "name", None) or each for each in what if each is not None]
            yield f"{words.replace('_', ' ')}: {' '.join(str(each) for each in named[:3])}"
    if connection.dialect.name == "sqlite":
        yield from _other_words(connection)
        found = connection.execute(text("PRAGMA integrity_check(20)")).scalars().all()
        for line in chain(*(each.splitlines() for each in found if each != "ok")):
            yield f"SQLite finds: {line}"


def _other_words(connection: Connection) -> Iterator[str]:
    """Tables and indexes that SQLite describes in other words than ours, and what is not ours."""
    engine = create_engine("sqlite://")
    with engine.connect() as empty:
        Base.metadata.create_all(empty)
        ours = _described(empty)
    engine.dispose()
    found = _described(connection)
    for name, (kind, words) in ours.items():
        if name in found and found[name] != (kind, words):
            yield f"{kind} {name} is defined otherwise: {found[name][1][:200]}"
    for name, (kind, _) in found.items():
        if kind in ("trigger", "view"):
            yield f"unknown {kind}: {name}"


def _described(connection: Connection) -> dict[str, tuple[str, str]]:
    rows = connection.execute(
        text("SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL")
    )
    # A table that a migration has rebuilt has its name in quotes.
    return {
        row.name: (row.type, " ".join(row.sql.replace('"', "").split()).replace("( ", "("))
        for row in rows
    }
