"""Checks of foreign keys, and of the tables themselves."""

from collections.abc import Iterator
from itertools import chain

from sqlalchemy import Connection, String, Table, and_, cast, create_engine, select, text

from catalogue.schema import REVISION, Base
from catalogue.verify.context import NAMED, Context
from catalogue.verify.values import models

# An index or a view of one's own changes nothing that is stored; a trigger may.
_OWN_INDEX, _OWN_VIEW = "unknown index", "unknown view"


def check_references(context: Context) -> None:
    """Check that every row of a piece refers to rows that exist."""
    (model,) = (each for each in models() if each.__tablename__ == context.piece.part)
    table: Table = model.__table__
    for constraint in table.foreign_key_constraints:
        parent = constraint.referred_table.alias()
        pairs = [(each.parent, parent.c[each.column.name]) for each in constraint.elements]
        query = (
            select(*(cast(key, String) for key in table.primary_key.columns))
            .select_from(table.outerjoin(parent, and_(*(a == b for a, b in pairs))))
            .where(
                pairs[0][1].is_(None),
                *(a.is_not(None) for a, _ in pairs),
                *context.inside(table),
            )
        )
        context.checked["reference"] += 1
        with context.cat.session() as session:
            rows = session.execute(query.limit(NAMED)).all()
        for row in rows:
            names = [key.name for key in table.primary_key.columns]
            context.fault(
                "reference",
                context.row_name(model, dict(zip(names, row, strict=True))),
                f"its {constraint.referred_table.name} is missing",
            )


def check_tables(context: Context) -> None:
    """Check that the tables, indexes and constraints are those of this program's schema."""
    context.checked["tables"] += 1
    with context.cat.engine.connect() as connection:
        revisions = connection.scalars(text("SELECT version_num FROM alembic_version")).all()
        if list(revisions) != [REVISION]:
            what = f"alembic_version has {', '.join(map(str, revisions))}: expected {REVISION}"
            context.fault("schema", context.cat.url, what)
        for difference in _differences(connection):
            if difference.startswith(_OWN_INDEX):
                context.remark(f"{difference}: it is not of this program's schema")
            else:
                context.fault("schema", context.cat.url, difference)
        if connection.dialect.name == "sqlite":
            for difference in _other_words(connection):
                if difference.startswith(_OWN_VIEW):
                    context.remark(f"{difference}: it is not of this program's schema")
                else:
                    context.fault("schema", context.cat.url, difference)
            found = connection.execute(text("PRAGMA integrity_check(20)")).scalars().all()
            for line in chain(*(each.splitlines() for each in found if each != "ok")):
                context.fault("schema", context.cat.url, f"SQLite finds: {line}")


def _differences(connection: Connection) -> Iterator[str]:
    """The differences of the database from the schema; other tables do not matter."""
    # Imported here, because it takes longer than most checks.
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    migration = MigrationContext.configure(connection, opts={"compare_type": True})
    for entry in compare_metadata(migration, Base.metadata):
        # Changes of one column come as a list.
        for kind, *what in entry if isinstance(entry, list) else [entry]:
            if kind == "remove_table":
                continue
            words = kind.replace("add_", "missing ").replace("remove_", "unknown ")
            named = [getattr(each, "name", None) or each for each in what if each is not None]
            yield f"{words.replace('_', ' ')}: {' '.join(str(each) for each in named[:3])}"


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
