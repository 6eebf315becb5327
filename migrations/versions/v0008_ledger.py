"""The ledger of rows that are never deleted, and the clock of each maker."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from catalogue.outcomes.seals import add_up, seal_of_named, seal_of_row
from catalogue.schema import UtcDateTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

# By which kernels that were compiled within a deal count as its time.
FIRST_CLOCK = 1
BEFORE = ("program", "revision", "python", "numba", "processor", "machine")
MAKER = sa.Table(
    "maker",
    sa.MetaData(),
    sa.Column("id", sa.Integer(), nullable=False),
    sa.Column("program", sa.String(length=40), nullable=False),
    sa.Column("revision", sa.String(length=40), nullable=False),
    sa.Column("python", sa.String(length=20), nullable=False),
    sa.Column("numba", sa.String(length=20), nullable=False),
    sa.Column("processor", sa.String(length=120), nullable=False),
    sa.Column("machine", sa.String(length=80), nullable=False),
    sa.PrimaryKeyConstraint("id", name="pk_maker"),
    sa.UniqueConstraint(*BEFORE, name=f"uq_maker_{'_'.join(BEFORE)}"),
)
SEAL = sa.Table(
    "seal",
    sa.MetaData(),
    sa.Column("kind", sa.String(length=20), primary_key=True),
    sa.Column("row_id", sa.BigInteger(), primary_key=True),
    sa.Column("seal", sa.BigInteger(), nullable=False),
)

# Of each kind, a table, the columns that make a row what it is.
KINDS = {
    "deal": ("id", "dealing_id", "digest"),
    "batch": ("id", "maker_id", "created_at"),
    "block": ("ruleset_id", "dealing_id", "block", "solver_id"),
    "difficulty": ("ruleset_id",),
    "job": ("id", "created_at"),
    "bound": ("job_id", "created_at", "seal"),
    "verification": ("id", "started_at"),
}


def upgrade() -> None:
    connection = op.get_bind()
    stored = [dict(each) for each in connection.execute(MAKER.select()).mappings()]
    with op.batch_alter_table("maker", copy_from=MAKER) as batch:
        batch.add_column(
            sa.Column("clock", sa.Integer(), nullable=False, server_default=str(FIRST_CLOCK))
        )
        batch.drop_constraint(f"uq_maker_{'_'.join(BEFORE)}", type_="unique")
        batch.create_unique_constraint(
            f"uq_maker_{'_'.join((*BEFORE, 'clock'))}", [*BEFORE, "clock"]
        )
    with op.batch_alter_table("maker") as batch:
        batch.alter_column("clock", server_default=None)
    for row in stored:
        mine = (SEAL.c.kind == "maker") & (SEAL.c.row_id == row["id"])
        was = connection.execute(sa.select(SEAL.c.seal).where(mine)).scalar()
        # A row that was changed by hand keeps a seal that does not fit.
        if was == seal_of_named("maker", row):
            now = seal_of_named("maker", {**row, "clock": FIRST_CLOCK})
            connection.execute(SEAL.update().where(mine).values(seal=now))
    ledger = op.create_table(
        "ledger",
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("seal", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", name="pk_ledger"),
        sqlite_with_rowid=False,
    )
    op.bulk_insert(ledger, list(_counts(connection)))


def _counts(connection: sa.Connection) -> Iterator[dict[str, Any]]:
    """The rows of the ledger: how many rows of each kind there are, and a sum over them."""
    for kind, names in KINDS.items():
        types = {"digest": sa.LargeBinary()} | {
            name: UtcDateTime() for name in names if "_at" in name
        }
        columns = [sa.column(name, types.get(name)) for name in names]
        table = sa.table(kind, *columns, sa.column("seed"))
        query = sa.select(*(table.c[name] for name in names))
        if kind == "deal":  # imported ones
            query = query.where(table.c.seed.is_(None))
        rows, total = 0, 0
        for row in connection.execute(query.execution_options(yield_per=10_000)):
            rows += 1
            total += seal_of_row("ledger", kind, *row)
        total = add_up([total])
        seal = seal_of_row("ledger", kind, rows, total)
        yield {"kind": kind, "rows": rows, "total": total, "seal": seal}
