"""Games: a dealer may have one deal per seed for each of several games."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    # SQLite cannot change a constraint, so there the table is rebuilt. Its previous definition is
    # repeated here, because SQLite's reflection is incomplete.
    before = sa.Table(
        "deal",
        sa.MetaData(),
        sa.Column("id", BIG_KEY, nullable=False),
        sa.Column("game", sa.String(length=20), nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("digest", sa.String(length=32), nullable=False),
        sa.Column("cards", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deal"),
        sa.UniqueConstraint("dealer", "seed", name="uq_deal_dealer_seed"),
        sa.Index("ix_deal_digest", "digest"),
        sa.Index(
            "ix_deal_imported_digest",
            "digest",
            unique=True,
            sqlite_where=sa.text("dealer IS NULL"),
            postgresql_where=sa.text("dealer IS NULL"),
        ),
    )
    with op.batch_alter_table("deal", copy_from=before) as deal:
        deal.drop_constraint("uq_deal_dealer_seed", type_="unique")
        deal.create_unique_constraint("uq_deal_game_dealer_seed", ["game", "dealer", "seed"])
