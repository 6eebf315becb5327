"""Rulesets of Klondike by what is built on what and what goes to empty columns.

The rulesets stored so far have the usual ones. Slugs of the new ones are longer than any before.
"""

import sqlalchemy as sa
from alembic import op

from catalogue.outcomes.seals import seal_of_named

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

USUAL = {"building": "alternating", "spaces": "kings"}
RULESET = sa.Table(
    "ruleset",
    sa.MetaData(),
    sa.Column("id", sa.Integer(), nullable=False),
    sa.Column("slug", sa.String(length=80), nullable=False),
    sa.Column("game", sa.String(length=20), nullable=False),
    sa.Column("options", sa.JSON(), nullable=False),
    sa.PrimaryKeyConstraint("id", name="pk_ruleset"),
    sa.UniqueConstraint("slug", name="uq_ruleset_slug"),
)

SEAL = sa.Table(
    "seal",
    sa.MetaData(),
    sa.Column("kind", sa.String(length=20), primary_key=True),
    sa.Column("row_id", sa.BigInteger(), primary_key=True),
    sa.Column("seal", sa.BigInteger(), nullable=False),
)


def upgrade() -> None:
    with op.batch_alter_table("ruleset", copy_from=RULESET) as batch:
        batch.alter_column("slug", existing_type=sa.String(length=80), type_=sa.String(length=120))
    connection = op.get_bind()
    table, seals = RULESET, SEAL
    stored = connection.execute(table.select().where(table.c.game == "klondike")).mappings()
    for row in [dict(each) for each in stored]:
        mine = (seals.c.kind == "ruleset") & (seals.c.row_id == row["id"])
        was = connection.execute(sa.select(seals.c.seal).where(mine)).scalar()
        now = {**row, "options": {**row["options"], **USUAL}}
        connection.execute(
            table.update().where(table.c.id == row["id"]).values(options=now["options"])
        )
        # A row that was changed by hand keeps a seal that does not fit.
        if was == seal_of_named("ruleset", row):
            connection.execute(
                seals.update().where(mine).values(seal=seal_of_named("ruleset", now))
            )
