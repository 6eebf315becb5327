"""One word for one thing: provenance (was maker, made), features (trait), shards (piece).

The judge of a regret is its reference solver. What changes is names alone: of tables, columns and
constraints, of a kind of jobs, and in the reports of verifications. The seals of jobs and
verifications are over such words; those of other rows stay.
"""

import re
from typing import Any

import sqlalchemy as sa
from alembic import op

from catalogue.outcomes.seals import seal_of_job, seal_of_named
from catalogue.schema import UtcDateTime

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_WORDS = {
    "maker": "provenance",
    "made": "provenance",
    "trait": "features",
    "traits": "features",
    "piece": "shard",
    "judge": "reference",
}
_OLD = re.compile(rf"(?<![a-z])({'|'.join(_WORDS)})(?![a-z])")
# One constraint is named after all its columns, and would be longer than PostgreSQL allows.
_LONG = re.compile(r"\buq_maker_\w+")

# The tables of 0011: others in the database are somebody else's.
_TABLES = {
    *("alembic_version", "batch", "block", "bound", "dead_end", "deal", "dealing", "difficulty"),
    *("job", "job_solver", "ledger", "maker", "outcome", "piece", "regret", "ruleset", "runner"),
    *("seal", "solution", "solver", "status", "status_block", "trait", "verification"),
}


def upgrade() -> None:
    connection = op.get_bind()
    found = sa.inspect(connection)
    for table in _TABLES & set(found.get_table_names()):
        for column in found.get_columns(table):
            new = _renamed(column["name"])
            if new != column["name"]:
                op.execute(f"ALTER TABLE {table} RENAME COLUMN {column['name']} TO {new}")
    if connection.dialect.name == "sqlite":
        _rebuild(connection)
    else:
        _rename(connection)
    _convert(connection)


def _renamed(text: str) -> str:
    return _OLD.sub(lambda word: _WORDS[word[1]], _LONG.sub("uq_provenance", text))


def _rebuild(connection: sa.Connection) -> None:
    """Rebuild the tables whose definitions have an old word, since SQLite renames no constraint."""
    # Otherwise renaming a table would change the references to it in others.
    op.execute("PRAGMA legacy_alter_table = ON")
    definitions = sa.text(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    )
    stored = connection.execute(definitions).all()
    for table in stored:
        if table.name not in _TABLES or table.type != "table" or _renamed(table.sql) == table.sql:
            continue
        indexes = [each for each in stored if each.type == "index" and each.tbl_name == table.name]
        for index in indexes:
            op.drop_index(index.name, table.name)
        op.rename_table(table.name, "old")
        new = _renamed(table.name)
        for definition in (table, *indexes):
            connection.exec_driver_sql(_renamed(definition.sql))
        op.execute(f"INSERT INTO {new} SELECT * FROM old")
        op.drop_table("old")
    op.execute("PRAGMA legacy_alter_table = OFF")


def _rename(connection: sa.Connection) -> None:
    """Rename tables, indexes, sequences and constraints on PostgreSQL."""
    here = "= current_schema()::regnamespace"
    kinds = {"r": "TABLE", "i": "INDEX", "S": "SEQUENCE"}
    classes = f"SELECT relkind::text, relname FROM pg_class WHERE relnamespace {here}"
    for kind, name in connection.execute(sa.text(classes)).all():
        if kind in kinds and _renamed(name) != name and (kind != "r" or name in _TABLES):
            op.execute(f"ALTER {kinds[kind]} {name} RENAME TO {_renamed(name)}")
    others = (
        f"SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE connamespace {here}"
    )
    for table, name in connection.execute(sa.text(others)).all():
        if _renamed(name) != name:
            op.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {name} TO {_renamed(name)}")


def _convert(connection: sa.Connection) -> None:
    """Rename in rows. One that was changed by hand keeps a seal that does not fit."""
    metadata = sa.MetaData()
    metadata.reflect(connection, only=("job", "job_solver", "seal", "verification"))
    job, members, seal, verification = (
        metadata.tables[name] for name in ("job", "job_solver", "seal", "verification")
    )
    for table in (job, verification):
        for column in table.columns:
            if isinstance(column.type, sa.DateTime):
                column.type = UtcDateTime()
    connection.execute(seal.update().filter_by(kind="maker").values(kind="provenance"))
    for row in connection.execute(sa.select(job).filter_by(kind="traits")).mappings().all():
        of_job = sa.select(members.c.solver_id).filter_by(job_id=row["id"])
        solvers = connection.execute(of_job.order_by(members.c.place)).scalars().all()
        values: dict[str, Any] = {"kind": "features"}
        if seal_of_job(dict(row), solvers) == row["seal"]:
            values["seal"] = seal_of_job({**row, **values}, solvers)
        connection.execute(job.update().where(job.c.id == row["id"]).values(values))
    for row in connection.execute(sa.select(verification)).mappings().all():
        names = ("options", "progress", "checked", "findings")
        values = {name: _in_json(row[name]) for name in names}
        this = verification.update().where(verification.c.id == row["id"])
        connection.execute(this.values(values))
        fits = seal.update().filter_by(kind="verification", row_id=row["id"])
        fits = fits.where(seal.c.seal == seal_of_named("verification", dict(row)))
        connection.execute(fits.values(seal=seal_of_named("verification", {**row, **values})))


def _in_json(value: Any) -> Any:
    """A value of JSON with each key, and each string, that is an old word renamed."""
    if isinstance(value, dict):
        return {_WORDS.get(key, key): _in_json(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_in_json(each) for each in value]
    return _WORDS.get(value, value) if isinstance(value, str) else value
