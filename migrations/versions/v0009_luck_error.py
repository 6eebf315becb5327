"""The standard error of the luck of deals.

Traits that are there have none: their luck is of the first version, which was no estimate.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TRAIT = sa.Table(
    "trait",
    sa.MetaData(),
    sa.Column("ruleset_id", sa.Integer(), nullable=False),
    sa.Column("dealing_id", sa.Integer(), nullable=False),
    sa.Column("seed", sa.BigInteger(), nullable=False),
    sa.Column("solver_id", sa.Integer(), nullable=False),
    sa.Column("version", sa.Integer(), nullable=False),
    sa.Column("nodes", sa.BigInteger(), nullable=False),
    *(
        sa.Column(name, sa.Integer(), nullable=False)
        for name in ("length", "plays", "winning", "choices", "critical")
    ),
    sa.Column("first_critical", sa.Integer(), nullable=True),
    *(
        sa.Column(name, sa.Double(), nullable=False)
        for name in ("walk_choices", "walk_critical", "luck")
    ),
    sa.Column("needs", sa.String(length=80), nullable=False),
    sa.Column("unsure", sa.String(length=80), nullable=False),
    sa.Column("batch_id", BIG_KEY, nullable=False),
    sa.Column("difficulty", sa.Double(), nullable=True),
    sa.Column("deviation", sa.Double(), nullable=True),
    sa.Column("level", sa.Integer(), nullable=True),
    sa.Column("games", sa.Integer(), nullable=True),
    sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_trait_ruleset_id"),
    sa.ForeignKeyConstraint(["dealing_id"], ["dealing.id"], name="fk_trait_dealing_id"),
    sa.ForeignKeyConstraint(["solver_id"], ["solver.id"], name="fk_trait_solver_id"),
    sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name="fk_trait_batch_id"),
    sa.PrimaryKeyConstraint("ruleset_id", "dealing_id", "seed", name="pk_trait"),
    sa.Index("ix_trait_level", "ruleset_id", "level", "dealing_id", "seed"),
    sqlite_with_rowid=False,
)


def upgrade() -> None:
    with op.batch_alter_table("trait", copy_from=TRAIT) as batch:
        batch.add_column(sa.Column("luck_error", sa.Double(), nullable=True))
