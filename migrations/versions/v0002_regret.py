"""Regrets: the moves with which players lost winnable games."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "regret",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=20), nullable=True),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("moves", sa.LargeBinary(), nullable=False),
        sa.Column("exact_version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ruleset_id", "solver_id", "deal_id"],
            ["outcome.ruleset_id", "outcome.solver_id", "outcome.deal_id"],
            name="fk_regret_ruleset_id_solver_id_deal_id",
        ),
        sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "deal_id", name="pk_regret"),
        sqlite_with_rowid=False,
    )
