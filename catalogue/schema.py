"""The tables of the catalogue; Alembic's migrations in `migrations/` build exactly these.

Outcomes are the only primary facts. Each has a place in a block of seeds (`block`); beside it some
have rows (`deal`, `outcome`, `solution`, `dead_end`), all of them or few, as their job asked for.
`status_block` is derived from the facts in the same transaction, so that no page ever scans
outcomes.
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
    select,
    text,
)
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Mapped, Session, mapped_column
from sqlalchemy.types import TypeDecorator

# Seeds of one block: seed // BLOCK_SIZE is its number.
BLOCK_SIZE = 65_536
# The largest seed of a BIGINT; larger seeds can be dealt but not stored.
MAX_STORED_SEED = 2**63 - 1
# The newest migration in `migrations/versions`, the only revision that can be opened.
REVISION = "0014"
# In place of a dealer, of the deals that come from texts. Their seeds are numbers from 0 on, in the
# order in which they came; people know them by the digests of their cards.
IMPORTED = "imported"
# The kind of the jobs that want outcomes.
SOLVING = "outcomes"

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


class SeedEnd(TypeDecorator[int]):
    """One more than a seed: 2^63, the only one that a BIGINT cannot hold, becomes −2^63."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:
        return -value if value == MAX_STORED_SEED + 1 else value

    def process_result_value(self, value: int | None, dialect: Dialect) -> int | None:
        return -value if value == -MAX_STORED_SEED - 1 else value


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
    type_annotation_map: ClassVar = {
        datetime: UtcDateTime,
        float: Double,
        dict[str, Any]: JSON,
        list[Any]: JSON,
    }


class RulesetRow(Base):
    __tablename__ = "ruleset"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(120), unique=True)
    game: Mapped[str] = mapped_column(String(120))
    options: Mapped[dict[str, Any]]

    @classmethod
    def id_of(cls, session: Session, slug: str) -> int | None:
        """The number of a ruleset; None if the catalogue has nothing under it."""
        return session.scalar(select(cls.id).where(cls.slug == slug))


class DealingRow(Base):
    """A game with a dealer, or with `IMPORTED`."""

    __tablename__ = "dealing"
    __table_args__ = (UniqueConstraint("game", "dealer"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(120))
    dealer: Mapped[str] = mapped_column(String(40))


class DealRow(Base):
    """A deal of a game; for each seed a dealer has one deal for each of its games.

    The cards of a deal that has a dealer are not stored, since the dealer deals them again, and the
    digest tells whether they are the same. Those of an imported deal are.
    """

    __tablename__ = "deal"
    __table_args__ = (
        Index("ix_deal_seed", "dealing_id", "seed", unique=True),
        Index(
            "ix_deal_imported",
            "dealing_id",
            "digest",
            unique=True,
            sqlite_where=text("cards IS NOT NULL"),
            postgresql_where=text("cards IS NOT NULL"),
        ),
        Index("ix_deal_digest", "digest"),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    dealing_id: Mapped[int] = mapped_column(ForeignKey("dealing.id"))
    # Never null, but nullable: so no migration had to copy a table of all deals.
    seed: Mapped[int] = mapped_column(BigInteger, nullable=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary)  # 16 bytes, the start of the SHA-256
    cards: Mapped[bytes | None] = mapped_column(LargeBinary)  # flat order, one byte per card


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

    @classmethod
    def id_of(cls, session: Session, name: str, version: int) -> int | None:
        """The number of a version of a solver; None if the catalogue has none of its outcomes."""
        return session.scalar(select(cls.id).where(cls.name == name, cls.version == version))


class ProvenanceRow(Base):
    """A program on a machine: where outcomes come from."""

    __tablename__ = "provenance"
    __table_args__ = (
        UniqueConstraint(
            *("program", "revision", "python", "numba", "processor", "machine", "clock"),
            name="uq_provenance",
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    program: Mapped[str] = mapped_column(String(40))  # version of Thoughtful
    revision: Mapped[str] = mapped_column(String(40))  # of its source; empty if unknown
    python: Mapped[str] = mapped_column(String(20))
    numba: Mapped[str] = mapped_column(String(20))  # empty if the compiler was off
    processor: Mapped[str] = mapped_column(String(120))
    machine: Mapped[str] = mapped_column(String(80))
    clock: Mapped[int]  # by which its outcomes are timed (`catalogue.outcomes.provenance.CLOCK`)


class BatchRow(Base):
    """The provenance and the seal of the outcomes, or the regrets, that were stored together.

    The seal is a checksum over these rows, their solutions and dead ends, and over this row itself
    (`catalogue.outcomes.seals`). It shows a change of values that nothing can compute again.
    """

    __tablename__ = "batch"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    provenance_id: Mapped[int] = mapped_column(ForeignKey("provenance.id"))
    created_at: Mapped[datetime]
    rows: Mapped[int]
    seal: Mapped[int] = mapped_column(BigInteger)


class OutcomeRow(Base):
    """The outcome of one solver on one deal under one ruleset."""

    __tablename__ = "outcome"
    __table_args__ = (Index("ix_outcome_deal", "deal_id"), _CLUSTERED)

    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"), primary_key=True)
    solver_id: Mapped[int] = mapped_column(ForeignKey("solver.id"), primary_key=True)
    deal_id: Mapped[int] = mapped_column(BigKey, ForeignKey("deal.id"), primary_key=True)
    result: Mapped[str] = mapped_column(String(10))  # won, lost, unwinnable, gave_up
    nodes: Mapped[int] = mapped_column(BigInteger)
    cpu_us: Mapped[int | None] = mapped_column(BigInteger)  # null if it was not timed by itself
    batch_id: Mapped[int] = mapped_column(BigKey, ForeignKey("batch.id"))


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
    # As `engine.game.Game.pack` makes them, compressed (`catalogue.outcomes.compression`).
    moves: Mapped[bytes] = mapped_column(LargeBinary)


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

    It is determined by the reference solver, which decides positions; `solvers.regret.RegretKind`
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
    step: Mapped[int | None]  # moves after which the game could still be won
    action: Mapped[str | None] = mapped_column(String(20))  # kind of the losing move
    length: Mapped[int]
    moves: Mapped[bytes] = mapped_column(LargeBinary)  # of the game as it was played, compressed
    reference_version: Mapped[int]
    reference: Mapped[str] = mapped_column(String(60))
    batch_id: Mapped[int] = mapped_column(BigKey, ForeignKey("batch.id"))


class FeaturesRow(Base):
    """The features of a winnable deal (`solvers.features`), and its difficulty.

    `solver_id` gave the line along which they were counted. `difficulty`, `deviation`, `level` and
    `games` follow from the features, the outcomes of players and the ruleset's `difficulty` row;
    they are null where there is no such row, or where it is of another version of the features.
    """

    __tablename__ = "features"
    __table_args__ = (
        Index("ix_features_level", "ruleset_id", "level", "dealing_id", "seed"),
        _CLUSTERED,
    )

    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"), primary_key=True)
    dealing_id: Mapped[int] = mapped_column(ForeignKey("dealing.id"), primary_key=True)
    seed: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    solver_id: Mapped[int] = mapped_column(ForeignKey("solver.id"))
    version: Mapped[int]  # of `solvers.features`
    nodes: Mapped[int] = mapped_column(BigInteger)
    length: Mapped[int]
    plays: Mapped[int]
    winning: Mapped[int]
    choices: Mapped[int]
    critical: Mapped[int]
    first_critical: Mapped[int | None]
    walk_choices: Mapped[float]
    walk_critical: Mapped[float]
    luck: Mapped[float]
    needs: Mapped[str] = mapped_column(String(80))  # options, separated by blanks
    unsure: Mapped[str] = mapped_column(String(80))
    batch_id: Mapped[int] = mapped_column(BigKey, ForeignKey("batch.id"))
    difficulty: Mapped[float | None]  # in logits
    deviation: Mapped[float | None]
    level: Mapped[int | None]
    games: Mapped[int | None]  # of players, on which it rests beside the features
    luck_error: Mapped[float | None]  # of version 2 and later; null where luck is a bound


class DifficultyRow(Base):
    """The Rasch model of the difficulty of a ruleset's deals (`catalogue.difficulty`)."""

    __tablename__ = "difficulty"

    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"), primary_key=True)
    dealer: Mapped[str] = mapped_column(String(40))
    first_seed: Mapped[int] = mapped_column(BigInteger)
    deals: Mapped[int] = mapped_column(BigInteger)  # of the sample
    fitted: Mapped[int]  # deals of it that had features and games
    features_version: Mapped[int]
    players: Mapped[list[Any]]  # name, solvers as [name, version], ability, error, games, won
    features: Mapped[list[Any]]  # name, center, weight
    spread: Mapped[float]
    limits: Mapped[list[Any]]  # difficulties at which levels 2 to 10 begin
    validation: Mapped[dict[str, Any]]
    provenance_id: Mapped[int] = mapped_column(ForeignKey("provenance.id"))
    created_at: Mapped[datetime]
    seal: Mapped[int] = mapped_column(BigInteger)


# Tables whose rows belong to an outcome, by its key.
OnOutcome = type[SolutionRow] | type[DeadEndRow] | type[RegretRow]


def within(
    seed: ColumnElement[int] | InstrumentedAttribute[Any], seeds: range
) -> ColumnElement[bool]:
    """The condition that a seed is in a range, whose end may be more than a BIGINT holds."""
    return seed.between(seeds.start, seeds.stop - 1)


def seeds_of_block(block: int) -> range:
    """The seeds of a block."""
    return range(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE)


def same_outcome(model: OnOutcome) -> ColumnElement[bool]:
    """The condition that a row belongs to an outcome."""
    return and_(
        model.ruleset_id == OutcomeRow.ruleset_id,
        model.solver_id == OutcomeRow.solver_id,
        model.deal_id == OutcomeRow.deal_id,
    )


def is_dealt(dealing_id: Any) -> ColumnElement[bool]:
    """The condition that a column of ids of dealings names a dealer, not imported deals."""
    dealt: ColumnElement[bool] = dealing_id.in_(
        select(DealingRow.id).where(DealingRow.dealer != IMPORTED)
    )
    return dealt


class BlockRow(Base):
    """The outcomes of one solver on the deals of one block of seeds of a dealer.

    The block is the fact: `columns` has the values of each deal (`catalogue.blocks`), also of those
    whose outcomes have rows too.
    """

    __tablename__ = "block"

    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"), primary_key=True)
    dealing_id: Mapped[int] = mapped_column(ForeignKey("dealing.id"), primary_key=True)
    block: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    solver_id: Mapped[int] = mapped_column(ForeignKey("solver.id"), primary_key=True)
    attempted: Mapped[int]
    won: Mapped[int]
    lost: Mapped[int]
    unwinnable: Mapped[int]
    gave_up: Mapped[int]
    rowed: Mapped[int]  # outcomes that have rows, too
    nodes: Mapped[int] = mapped_column(BigInteger)
    cpu_us: Mapped[int] = mapped_column(BigInteger)  # of the outcomes that were timed
    # Each as [first seed, number of seeds, id of `provenance`, moment].
    provenance: Mapped[list[Any]]
    checksum: Mapped[int] = mapped_column(BigInteger)  # of all other columns
    columns: Mapped[bytes] = mapped_column(LargeBinary)


class StatusBlockRow(Base):
    """The statuses of the deals of one block of seeds of a dealer, derived from `block` rows.

    `cells` counts them by status, effort and length (`catalogue.blocks.Cells`). `follows` has the
    results that follow from the blocks of other rulesets, of deals that no solver has decided.
    """

    __tablename__ = "status_block"

    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"), primary_key=True)
    dealing_id: Mapped[int] = mapped_column(ForeignKey("dealing.id"), primary_key=True)
    block: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    deals: Mapped[int]
    winnable: Mapped[int]
    unwinnable: Mapped[int]
    alarms: Mapped[int]  # deals both won and proved unwinnable; they count as winnable too
    cells: Mapped[bytes] = mapped_column(LargeBinary)
    follows: Mapped[bytes | None] = mapped_column(LargeBinary)
    checksum: Mapped[int | None] = mapped_column(BigInteger)  # of `follows`


class JobRow(Base):
    """A job: outcomes of solvers, regrets of a player, or features, on a sample under a ruleset.

    A job with `inferred` has only those deals solved whose outcomes do not follow from those under
    other rulesets.
    """

    __tablename__ = "job"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))  # outcomes, regrets, features
    ruleset_id: Mapped[int] = mapped_column(ForeignKey("ruleset.id"))
    dealer: Mapped[str] = mapped_column(String(40))
    first_seed: Mapped[int] = mapped_column(BigInteger)
    deals: Mapped[int] = mapped_column(BigInteger)  # size of the sample
    keep: Mapped[str] = mapped_column(String(10))  # everything, verdicts
    priority: Mapped[int]  # of two jobs the one with the larger number runs first
    until: Mapped[dict[str, Any]]  # rules by which it stops early: width, cpu_hours, deals
    state: Mapped[str] = mapped_column(String(10), index=True)
    # queued, running, paused, done, failed, cancelled
    total: Mapped[int] = mapped_column(BigInteger)
    done: Mapped[int] = mapped_column(BigInteger)  # outcomes or regrets present, of the total
    next_seed: Mapped[int] = mapped_column(SeedEnd)  # the first that is in no shard yet
    cpu_ms: Mapped[float]  # spent by its shards
    rate: Mapped[float | None]  # outcomes per second while running
    error: Mapped[str | None] = mapped_column(Text)  # why it failed, or by which rule it stopped
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    seal: Mapped[int] = mapped_column(BigInteger)  # of what cannot be computed again
    # Deals that it did not have solved, as their outcomes followed; null if it has all solved.
    inferred: Mapped[int | None] = mapped_column(BigInteger)


class RunnerRow(Base):
    """A runner, a process that has shards of jobs solved."""

    __tablename__ = "runner"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120), unique=True)
    provenance_id: Mapped[int | None] = mapped_column(ForeignKey("provenance.id"))
    workers: Mapped[int]
    started_at: Mapped[datetime]
    heartbeat: Mapped[datetime]


class ShardRow(Base):
    """Seeds of a job that are solved together: waiting, with a runner, or given up.

    A shard that is done has no row any more.
    """

    __tablename__ = "shard"
    __table_args__ = (Index("ix_shard_job", "job_id", "state", "first_seed"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("job.id"))
    first_seed: Mapped[int] = mapped_column(BigInteger)
    deals: Mapped[int]
    state: Mapped[str] = mapped_column(String(10))  # waiting, running, failed
    runner_id: Mapped[int | None] = mapped_column(ForeignKey("runner.id"))
    attempts: Mapped[int]
    claimed_at: Mapped[datetime | None]
    error: Mapped[str | None] = mapped_column(Text)


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
    seal: Mapped[int] = mapped_column(BigInteger)  # of the whole row


class SealRow(Base):
    """The seal of a row that others refer to, kept apart from it (`catalogue.outcomes.seals`)."""

    __tablename__ = "seal"
    __table_args__ = (_CLUSTERED,)

    kind: Mapped[str] = mapped_column(String(20), primary_key=True)  # the table of the row
    row_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seal: Mapped[int] = mapped_column(BigInteger)


class LedgerRow(Base):
    """Of a kind of row that is never deleted, how many there are (`catalogue.outcomes.ledger`)."""

    __tablename__ = "ledger"
    __table_args__ = (_CLUSTERED,)

    kind: Mapped[str] = mapped_column(String(20), primary_key=True)  # the table of the rows
    rows: Mapped[int] = mapped_column(BigInteger)
    total: Mapped[int] = mapped_column(BigInteger)  # of the seals of these rows
    seal: Mapped[int] = mapped_column(BigInteger)


class VerificationRow(Base):
    """A run of `thoughtful verify`: what was checked, when, and what was found."""

    __tablename__ = "verification"

    id: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(String(10))  # running, stopped, done
    options: Mapped[dict[str, Any]]  # shares, random seed, checks
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    progress: Mapped[dict[str, Any]]  # shards checked of each check, to go on from
    checked: Mapped[dict[str, Any]]  # numbers of objects, by kind
    faults: Mapped[int]
    findings: Mapped[dict[str, Any]]  # the first of them
