"""The tables of the catalogue; Alembic's migrations in `migrations/` build exactly these.

Outcomes are the only primary facts; `status`, `tally` and `status_tally` are derived from them in
the same transaction, so that no page ever scans outcomes.
"""

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnElement,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    and_,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

# Seeds of one tally row: seed // BLOCK_SIZE is its block.
BLOCK_SIZE = 1000
# The largest seed of a BIGINT; larger seeds can be dealt but not stored.
MAX_STORED_SEED = 2**63 - 1
# The newest migration in `migrations/versions`, the only revision that can be opened.
REVISION = "0004"

# On SQLite the large tables are stored in the order of their keys, which saves a second tree.
_CLUSTERED = {"sqlite_with_rowid": False}

BigKey = BigInteger().with_variant(Integer, "sqlite")


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC with its time zone on every database (SQLite would drop it)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    # Every constraint has its own name, so that a later migration can drop it.
    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        }
    )
    type_annotation_map: ClassVar = {datetime: UtcDateTime, float: Double, dict[str, Any]: JSON}


class RulesetRow(Base):
    __tablename__ = "ruleset"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(80), unique=True)
    game: Mapped[str] = mapped_column(String(20))
    options: Mapped[dict[str, Any]]


class DealRow(Base):
    """A deal of a game; for each seed a dealer has one deal for each of its games.

    `dealer` and `seed` are both null for an imported deal.
    """

    __tablename__ = "deal"
    __table_args__ = (
        UniqueConstraint("game", "dealer", "seed"),
        Index(
            "ix_deal_imported_digest",
            "digest",
            unique=True,
            sqlite_where=text("dealer IS NULL"),
            postgresql_where=text("dealer IS NULL"),
        ),
        Index("ix_deal_digest", "digest"),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    game: Mapped[str] = mapped_column(String(20))
    dealer: Mapped[str | None] = mapped_column(String(40))
    seed: Mapped[int | None] = mapped_column(BigInteger)
    digest: Mapped[str] = mapped_column(String(32))
    cards: Mapped[bytes] = mapped_column(LargeBinary)  # flat order, one byte per card


class SolverRow(Base):
    """A method with its parameters, in one version."""

    __tablename__ = "solver"
    __table_args__ = (UniqueConstraint("name", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))  # as text: exact(nodes=1000000)
    version: Mapped[int]
    method: Mapped[str] = mapped_column(String(60), index=True)
    parameters: Mapped[dict[str, Any]]
    grades: Mapped[bool]  # whether its nodes measure how hard a deal is


class OutcomeRow(Base):
    """The outcome of one solver on one deal under one ruleset."""

    __tablename__ = "outcome"
    __table_args__ = (Index("ix_outcome_deal", "deal_id"), _CLUSTERED)

    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"), primary_key=True)
    solver_id: Mapped[int] = mapped_column(ForeignKey("solver.id"), primary_key=True)
    deal_id: Mapped[int] = mapped_column(BigKey, ForeignKey("deal.id"), primary_key=True)
    result: Mapped[str] = mapped_column(String(10))  # won, lost, unwinnable, gave_up
    nodes: Mapped[int] = mapped_column(BigInteger)
    cpu_ms: Mapped[float]
    created_at: Mapped[datetime]


_OUTCOME_KEY = ("ruleset_id", "solver_id", "deal_id")


class SolutionRow(Base):
    """The moves of a win, which the referee has replayed."""

    __tablename__ = "solution"
    __table_args__ = (
        ForeignKeyConstraint(_OUTCOME_KEY, [f"outcome.{name}" for name in _OUTCOME_KEY]),
        _CLUSTERED,
    )

    ruleset_id: Mapped[int] = mapped_column(primary_key=True)
    solver_id: Mapped[int] = mapped_column(primary_key=True)
    deal_id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    length: Mapped[int]
    moves: Mapped[bytes] = mapped_column(LargeBinary)  # as `engine.game.Game.pack` makes them


class DeadEndRow(Base):
    """The classification of a starting deal that a dead-end test proved unwinnable."""

    __tablename__ = "dead_end"
    __table_args__ = (
        ForeignKeyConstraint(_OUTCOME_KEY, [f"outcome.{name}" for name in _OUTCOME_KEY]),
        _CLUSTERED,
    )

    ruleset_id: Mapped[int] = mapped_column(primary_key=True)
    solver_id: Mapped[int] = mapped_column(primary_key=True)
    deal_id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    kind: Mapped[str] = mapped_column(String(40))
    witness: Mapped[str] = mapped_column(String(200))  # card names separated by spaces


class RegretRow(Base):
    """The analysis of a game that a player lost on a winnable deal.

    It is determined by the judge, a method that decides positions; `solvers.regret.RegretKind`
    defines the kinds.
    """

    __tablename__ = "regret"
    __table_args__ = (
        ForeignKeyConstraint(_OUTCOME_KEY, [f"outcome.{name}" for name in _OUTCOME_KEY]),
        _CLUSTERED,
    )

    ruleset_id: Mapped[int] = mapped_column(primary_key=True)
    solver_id: Mapped[int] = mapped_column(primary_key=True)
    deal_id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))  # move, stopped, unwinnable, undecided
    step: Mapped[int | None]  # moves before the losing one; all of them if the player stopped
    action: Mapped[str | None] = mapped_column(String(20))  # kind of the losing move
    length: Mapped[int]
    moves: Mapped[bytes] = mapped_column(LargeBinary)  # of the game as it was played
    judge_version: Mapped[int]
    judge: Mapped[str] = mapped_column(String(60))


# Tables whose rows belong to an outcome, by its key.
OnOutcome = type[SolutionRow] | type[DeadEndRow] | type[RegretRow]


def same_outcome(model: OnOutcome) -> ColumnElement[bool]:
    """The condition that a row belongs to an outcome."""
    return and_(
        model.ruleset_id == OutcomeRow.ruleset_id,
        model.solver_id == OutcomeRow.solver_id,
        model.deal_id == OutcomeRow.deal_id,
    )


class StatusRow(Base):
    """The status of a deal under a ruleset, derived from all its outcomes.

    `wins` counts the solvers that won it and `proofs` those that proved it unwinnable. If both are
    above zero, the row is a contradiction, which every page and command reports.
    """

    __tablename__ = "status"
    __table_args__ = (
        Index("ix_status_seed", "ruleset_id", "dealer", "seed"),
        Index("ix_status_nodes", "ruleset_id", "nodes"),
        Index("ix_status_length", "ruleset_id", "solution_length"),
        Index("ix_status_status", "ruleset_id", "status", "dealer", "seed"),
        _CLUSTERED,
    )

    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"), primary_key=True)
    deal_id: Mapped[int] = mapped_column(BigKey, ForeignKey("deal.id"), primary_key=True)
    dealer: Mapped[str | None] = mapped_column(String(40))  # copies of the deal's, for paging
    seed: Mapped[int | None] = mapped_column(BigInteger)
    status: Mapped[str] = mapped_column(String(10))  # winnable, unwinnable, unresolved
    solvers: Mapped[int]  # number of solvers with an outcome
    wins: Mapped[int]
    proofs: Mapped[int]
    nodes: Mapped[int | None] = mapped_column(BigInteger)  # of the exact search that decided it
    solution_length: Mapped[int | None]  # of the shortest solution stored
    dead_end: Mapped[str | None] = mapped_column(String(40))  # kind of a classification, if any


class TallyRow(Base):
    """Counts of one solver's outcomes in one block of seeds, without imported deals."""

    __tablename__ = "tally"

    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"), primary_key=True)
    solver_id: Mapped[int] = mapped_column(ForeignKey("solver.id"), primary_key=True)
    dealer: Mapped[str] = mapped_column(String(40), primary_key=True)
    block: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    attempted: Mapped[int]
    won: Mapped[int]
    lost: Mapped[int]
    unwinnable: Mapped[int]
    gave_up: Mapped[int]
    nodes: Mapped[int] = mapped_column(BigInteger)
    cpu_ms: Mapped[float]


class StatusTallyRow(Base):
    """Counts of statuses in one block of seeds."""

    __tablename__ = "status_tally"

    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"), primary_key=True)
    dealer: Mapped[str] = mapped_column(String(40), primary_key=True)
    block: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    deals: Mapped[int]
    winnable: Mapped[int]
    unwinnable: Mapped[int]
    alarms: Mapped[int]  # deals both won and proved unwinnable; they count as winnable too


class JobRow(Base):
    """A job: the outcomes of solvers, or the regrets of a player, on a sample under a ruleset."""

    __tablename__ = "job"

    id: Mapped[int] = mapped_column(primary_key=True)
    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"))
    dealer: Mapped[str] = mapped_column(String(40))
    first_seed: Mapped[int] = mapped_column(BigInteger)
    deals: Mapped[int] = mapped_column(BigInteger)  # size of the sample
    state: Mapped[str] = mapped_column(String(10), index=True)
    # queued, running, done, failed, cancelled
    done: Mapped[int] = mapped_column(BigInteger)  # outcomes or regrets present, of the total
    rate: Mapped[float | None]  # outcomes per second while running
    error: Mapped[str | None] = mapped_column(Text)
    runner: Mapped[str | None] = mapped_column(String(120))
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    heartbeat: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    kind: Mapped[str] = mapped_column(String(10))  # outcomes, regrets
    total: Mapped[int] = mapped_column(BigInteger)


class JobSolverRow(Base):
    """The solvers of a job, in the order in which they run."""

    __tablename__ = "job_solver"

    job_id: Mapped[int] = mapped_column(ForeignKey("job.id"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    solver_id: Mapped[int] = mapped_column(ForeignKey("solver.id"))


class BoundRow(Base):
    """The counts behind the bound of a ruleset on a sample at a moment.

    The sample is the seeds first_seed … first_seed + n − 1 of the dealer, all of them attempted.
    Percentages and intervals are functions of the counts and are computed when read.
    """

    __tablename__ = "bound"
    __table_args__ = (Index("ix_bound_sample", "ruleset_id", "dealer", "first_seed", "n"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"))
    dealer: Mapped[str] = mapped_column(String(40))
    first_seed: Mapped[int] = mapped_column(BigInteger)
    n: Mapped[int] = mapped_column(BigInteger)
    winnable: Mapped[int] = mapped_column(BigInteger)
    unwinnable: Mapped[int] = mapped_column(BigInteger)
    job_id: Mapped[int | None] = mapped_column(ForeignKey("job.id"))
    created_at: Mapped[datetime]
