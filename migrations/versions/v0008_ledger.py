"""The ledger of rows that are never deleted, and the clock of each maker."""

import sqlalchemy as sa
from alembic import op

from catalogue.outcomes.ledger import recount
from catalogue.outcomes.seals import seal_of_named

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
    op.bulk_insert(ledger, list(recount(connection)))
