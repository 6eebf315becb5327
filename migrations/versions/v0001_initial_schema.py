"""Initial schema: rulesets, deals, solvers, outcomes and derived tables, jobs and bounds."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "deal",
        sa.Column("id", BIG_KEY, nullable=False),
        sa.Column("game", sa.String(length=20), nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("digest", sa.String(length=32), nullable=False),
        sa.Column("cards", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deal"),
        sa.UniqueConstraint("dealer", "seed", name="uq_deal_dealer_seed"),
    )
    op.create_index("ix_deal_digest", "deal", ["digest"])
    op.create_index(
        "ix_deal_imported_digest",
        "deal",
        ["digest"],
        unique=True,
        sqlite_where=sa.text("dealer IS NULL"),
        postgresql_where=sa.text("dealer IS NULL"),
    )

    op.create_table(
        "ruleset",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=80), nullable=False),
        sa.Column("game", sa.String(length=20), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ruleset"),
        sa.UniqueConstraint("slug", name="uq_ruleset_slug"),
    )
    op.create_table(
        "solver",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("method", sa.String(length=60), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_solver"),
        sa.UniqueConstraint("name", "version", name="uq_solver_name_version"),
    )
    op.create_index("ix_solver_method", "solver", ["method"])

    op.create_table(
        "job",
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
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_job_ruleset_id"),
        sa.PrimaryKeyConstraint("id", name="pk_job"),
    )
    op.create_index("ix_job_state", "job", ["state"])

    op.create_table(
        "outcome",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("result", sa.String(length=10), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("cpu_ms", sa.Double(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_outcome_ruleset_id"),
        sa.ForeignKeyConstraint(["solver_id"], ["solver.id"], name="fk_outcome_solver_id"),
        sa.ForeignKeyConstraint(["deal_id"], ["deal.id"], name="fk_outcome_deal_id"),
        sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "deal_id", name="pk_outcome"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_outcome_deal", "outcome", ["deal_id"])

    op.create_table(
        "status",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("solvers", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("proofs", sa.Integer(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=True),
        sa.Column("solution_length", sa.Integer(), nullable=True),
        sa.Column("dead_end", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_status_ruleset_id"),
        sa.ForeignKeyConstraint(["deal_id"], ["deal.id"], name="fk_status_deal_id"),
        sa.PrimaryKeyConstraint("ruleset_id", "deal_id", name="pk_status"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_status_length", "status", ["ruleset_id", "solution_length"])
    op.create_index("ix_status_nodes", "status", ["ruleset_id", "nodes"])
    op.create_index("ix_status_seed", "status", ["ruleset_id", "dealer", "seed"])
    op.create_index("ix_status_status", "status", ["ruleset_id", "status", "dealer", "seed"])

    op.create_table(
        "status_tally",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=False),
        sa.Column("block", sa.BigInteger(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("winnable", sa.Integer(), nullable=False),
        sa.Column("unwinnable", sa.Integer(), nullable=False),
        sa.Column("alarms", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_status_tally_ruleset_id"),
        sa.PrimaryKeyConstraint("ruleset_id", "dealer", "block", name="pk_status_tally"),
    )
    op.create_table(
        "tally",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=False),
        sa.Column("block", sa.BigInteger(), nullable=False),
        sa.Column("attempted", sa.Integer(), nullable=False),
        sa.Column("won", sa.Integer(), nullable=False),
        sa.Column("lost", sa.Integer(), nullable=False),
        sa.Column("unwinnable", sa.Integer(), nullable=False),
        sa.Column("gave_up", sa.Integer(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("cpu_ms", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_tally_ruleset_id"),
        sa.ForeignKeyConstraint(["solver_id"], ["solver.id"], name="fk_tally_solver_id"),
        sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "dealer", "block", name="pk_tally"),
    )
    op.create_table(
        "bound",
        sa.Column("id", BIG_KEY, nullable=False),
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("dealer", sa.String(length=40), nullable=False),
        sa.Column("first_seed", sa.BigInteger(), nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.Column("winnable", sa.BigInteger(), nullable=False),
        sa.Column("unwinnable", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["ruleset_id"], ["ruleset.id"], name="fk_bound_ruleset_id"),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_bound_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_bound"),
    )
    op.create_index("ix_bound_sample", "bound", ["ruleset_id", "dealer", "first_seed", "n"])

    op.create_table(
        "dead_end",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("witness", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["ruleset_id", "solver_id", "deal_id"],
            ["outcome.ruleset_id", "outcome.solver_id", "outcome.deal_id"],
            name="fk_dead_end_ruleset_id_solver_id_deal_id",
        ),
        sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "deal_id", name="pk_dead_end"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "job_solver",
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_job_solver_job_id"),
        sa.ForeignKeyConstraint(["solver_id"], ["solver.id"], name="fk_job_solver_solver_id"),
        sa.PrimaryKeyConstraint("job_id", "place", name="pk_job_solver"),
    )
    op.create_table(
        "solution",
        sa.Column("ruleset_id", sa.Integer(), nullable=False),
        sa.Column("solver_id", sa.Integer(), nullable=False),
        sa.Column("deal_id", BIG_KEY, nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("moves", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ruleset_id", "solver_id", "deal_id"],
            ["outcome.ruleset_id", "outcome.solver_id", "outcome.deal_id"],
            name="fk_solution_ruleset_id_solver_id_deal_id",
        ),
        sa.PrimaryKeyConstraint("ruleset_id", "solver_id", "deal_id", name="pk_solution"),
        sqlite_with_rowid=False,
    )
