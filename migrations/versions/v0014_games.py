"""Games may have long slugs: that of a user's own rules holds all its options."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_RULESET = sa.Table(
    "ruleset",
    sa.MetaData(),
    sa.Column("id", sa.Integer(), nullable=False),
    sa.Column("slug", sa.String(length=120), nullable=False),
    sa.Column("game", sa.String(length=20), nullable=False),
    sa.Column("options", sa.JSON(), nullable=False),
    sa.PrimaryKeyConstraint("id", name="pk_ruleset"),
    sa.UniqueConstraint("slug", name="uq_ruleset_slug"),
)
_DEALING = sa.Table(
    "dealing",
    sa.MetaData(),
    sa.Column("id", sa.Integer(), nullable=False),
    sa.Column("game", sa.String(length=20), nullable=False),
    sa.Column("dealer", sa.String(length=40), nullable=False),
    sa.PrimaryKeyConstraint("id", name="pk_dealing"),
    sa.UniqueConstraint("game", "dealer", name="uq_dealing_game_dealer"),
)


def upgrade() -> None:
    for table in (_RULESET, _DEALING):
        with op.batch_alter_table(table.name, copy_from=table) as batch:
            batch.alter_column(
                "game", existing_type=sa.String(length=20), type_=sa.String(length=120)
            )
