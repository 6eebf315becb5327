"""Traits of winnable deals, and models of their difficulty."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "trait",
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
        sqlite_with_rowid=False,
    )
    op.create_index("ix_trait_level", "trait", ["ruleset_id", "level", "dealing_id", "seed"])
    op.create_table(
        "difficulty",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=False),
        sa.Column("first_seed", sa.BigInteger(), nullable=False),
        sa.Column("deals", sa.BigInteger(), nullable=False),
        sa.Column("fitted", sa.Integer(), nullable=False),
        sa.Column("trait_version", sa.Integer(), nullable=False),
        sa.Column("players", sa.JSON(), nullable=False),
        sa.Column("traits", sa.JSON(), nullable=False),
        sa.Column("spread", sa.Double(), nullable=False),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.Column("validation", sa.JSON(), nullable=False),
        sa.Column("maker_id", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("seal", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_difficulty_ruleset_id"),
        sa.ForeignKeyConstraint(["maker_id"], ["maker.id"], name="fk_difficulty_maker_id"),
        sa.PrimaryKeyConstraint("ruleset_id", name="pk_difficulty"),
    )
