"""Rows of tables, inserted and overwritten as both databases do it fast."""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Table, func, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

# Values in one IN (…): far below the limit of either database.
BATCH = 5000


def table_of(model: Any) -> Table:
    """The table of a model."""
    table = model.__table__
    assert isinstance(table, Table)
    return table


def replace_row(session: Session, model: Any, values: dict[str, Any]) -> None:
    """Insert a row with all its columns, or overwrite the one with its key."""
    session.execute(_replacing(model, session.get_bind().dialect.name), values)


@cache
def _replacing(model: Any, dialect: str) -> Any:
    """The statement of `replace_row`, which takes long to build."""
    table = table_of(model)
    statement = _insert_of(table, dialect)
    keys = [column.name for column in table.primary_key.columns]
    others = [column.name for column in table.columns if column.name not in keys]
    return statement.on_conflict_do_update(
        index_elements=keys,
        set_={name: statement.excluded[name] for name in others},
    )


def insert_or_nothing(session: Session, model: Any) -> Any:
    """An INSERT that does nothing if there is such a row."""
    return _insert_of(table_of(model), session.get_bind().dialect.name).on_conflict_do_nothing()


def _insert_of(table: Table, dialect: str) -> Any:
    """An INSERT that supports ON CONFLICT, which both databases spell alike."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def insert_rows(
    session: Session, model: Any, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows that are known to be missing; their values need no conversion."""
    if not rows:
        return
    connection, table = session.connection(), table_of(model)
    listed = ", ".join(names)
    if connection.dialect.name != "postgresql":
        marks = ", ".join("?" * len(names))
        connection.exec_driver_sql(
            f"INSERT INTO {table.name} ({listed}) VALUES ({marks})", list(rows)
        )
        return
    # COPY takes a fraction of the time of INSERTs.
    cursor: Any = connection.connection.cursor()
    with cursor, cursor.copy(f"COPY {table.name} ({listed}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def new_ids(session: Session, model: Any, count: int) -> Sequence[int]:
    """Ids for new rows of a table, ascending."""
    connection, table = session.connection(), table_of(model)
    if connection.dialect.name == "postgresql":
        return list(
            connection.execute(
                text(
                    f"SELECT nextval(pg_get_serial_sequence('{table.name}', 'id')) "
                    "FROM generate_series(1, :count)"
                ),
                {"count": count},
            ).scalars()
        )
    first = (connection.execute(select(func.max(table.c.id))).scalar() or 0) + 1
    return range(first, first + count)


def among(column: Any, keys: Collection[Any]) -> Iterator[ColumnElement[bool]]:
    """Conditions that together select these keys and, where keys are close, some in between.

    A range is far faster to send and to look up than a list of thousands.
    """
    ordered = sorted(keys)
    if not ordered:
        return
    first, last = ordered[0], ordered[-1]
    if isinstance(first, int) and last - first < 2 * len(ordered):
        yield column.between(first, last)
        return
    for start in range(0, len(ordered), BATCH):
        yield column.in_(ordered[start : start + BATCH])
