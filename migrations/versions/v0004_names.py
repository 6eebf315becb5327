"""Standard names, properties of solvers, and kinds of jobs.

Columns of moments are renamed to ``created_at``, Spider's rulesets after the rule they relax,
``spider-4-relaxed``, and a player of hidden cards is no longer called thoughtful. New columns state
whether a solver's nodes grade deals, which method judged a regret, and the kind and total of a job.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
RULESETS = {f"spider-{suits}-monkey": f"spider-{suits}-relaxed" for suits in (1, 2, 4)}
PLAYER, ITS_NAME = "thoughtful-player", "exact-uct"

# The tables with new columns, which are nullable at first. SQLite cannot change a column, so a
# table is rebuilt there, and its reflection is incomplete.
SOLVER = sa.Table(
    "solver",
    sa.MetaData(),
    sa.Column("id", sa.Integer(), nullable=False),
    sa.Column("name", sa.String(length=200), nullable=False),
    sa.Column("version", sa.Integer(), nullable=False),
    sa.Column("method", sa.String(length=60), nullable=False),
    sa.Column("parameters", sa.JSON(), nullable=False),
    sa.Column("grades", sa.Boolean()),
    sa.PrimaryKeyConstraint("id", name="pk_solver"),
    sa.UniqueConstraint("name", "version", name="uq_solver_name_version"),
    sa.Index("ix_solver_method", "method"),
)
REGRET = sa.Table(
    "regret",
    sa.MetaData(),
    sa.Column("ruleset_id", sa.Integer(), nullable=False),
    sa.Column("solver_id", sa.Integer(), nullable=False),
    sa.Column("deal_id", BIG_KEY, nullable=False),
    sa.Column("kind", sa.String(length=10), nullable=False),
    sa.Column("step", sa.Integer(), nullable=True),
    sa.Column("action", sa.String(length=20), nullable=True),
    sa.Column("length", sa.Integer(), nullable=False),
    sa.Column("moves", sa.LargeBinary(), nullable=False),
    sa.Column("judge_version", sa.Integer(), nullable=False),
    sa.Column("judge", sa.String(length=60)),
    sa.ForeignKeyConstraint(
        ["ruleset_id", "solver_id", "deal_id"],
        ["outcome.ruleset_id", "outcome.solver_id", "outcome.deal_id"],
        name="fk_regret_ruleset_id_solver_id_deal_id",
    ),
    sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "deal_id", name="pk_regret"),
    sqlite_with_rowid=False,
)
JOB = sa.Table(
    "job",
    sa.MetaData(),
    sa.Column("id", sa.Integer(), nullable=False),
    sa.Column("ruleset_id", sa.Integer(), nullable=False),
    sa.Column("dealer", sa.String(length=40), nullable=False),
    sa.Column("first_seed", sa.BigInteger(), nullable=False),
    sa.Column("deals", sa.BigInteger(), nullable=False),
    sa.Column("state", sa.String(length=10), nullable=False),
    sa.Column("done", sa.BigInteger(), nullable=False),
    sa.Column("rate", sa.Double(), nullable=True),
    sa.Column("error", sa.Text(), nullable=True),
    sa.Column("runner", sa.String(length=120), nullable=True),
    sa.Column("created_at", MOMENT, nullable=False),
    sa.Column("started_at", MOMENT, nullable=True),
    sa.Column("heartbeat", MOMENT, nullable=True),
    sa.Column("finished_at", MOMENT, nullable=True),
    sa.Column("kind", sa.String(length=10)),
    sa.Column("total", sa.BigInteger()),
    sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_job_ruleset_id"),
    sa.PrimaryKeyConstraint("id", name="pk_job"),
    sa.Index("ix_job_state", "state"),
)
# Each new column, and its value for existing rows.
NEW = (
    (SOLVER, {"grades": "method = 'exact'"}),
    (REGRET, {"judge": "'exact'"}),
    (
        JOB,
        {
            "kind": "'outcomes'",
            "total": "deals * (SELECT count(*) FROM job_solver WHERE job_id = job.id)",
        },
    ),
)


def upgrade() -> None:
    # Both databases rename a column without copying the table.
    for table in ("outcome", "bound"):
        op.execute(f'ALTER TABLE {table} RENAME COLUMN "at" TO created_at')
    op.execute("ALTER TABLE regret RENAME COLUMN exact_version TO judge_version")
    for made, values in NEW:
        for name, value in values.items():
            op.add_column(made.name, sa.Column(name, made.c[name].type))
            op.execute(f"UPDATE {made.name} SET {name} = {value}")
        with op.batch_alter_table(made.name, copy_from=made) as batch:
            for name in values:
                batch.alter_column(name, existing_type=made.c[name].type, nullable=False)
    for old, new in RULESETS.items():
        op.execute(f"UPDATE ruleset SET slug = '{new}' WHERE slug = '{old}'")
    op.execute(
        f"UPDATE solver SET method = '{ITS_NAME}', name = replace(name, '{PLAYER}', '{ITS_NAME}') "
        f"WHERE method = '{PLAYER}'"
    )
