"""Imported deals are a dealing with running numbers for seeds; their outcomes are in blocks too.

Until now they had no dealer and no seed, and rows of their own for their statuses.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.orm import Session

from catalogue.outcomes import ledger
from catalogue.outcomes.block_rows import (
    grading_solvers,
    outcomes_of_rows,
    store_all_statuses,
    store_block,
)
from catalogue.outcomes.seals import seal_of_named
from catalogue.schema import BLOCK_SIZE, IMPORTED, UtcDateTime

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_BEFORE = sa.Table(
    "dealing",
    sa.MetaData(),
    sa.Column("id", sa.Integer(), nullable=False),
    sa.Column("game", sa.String(length=20), nullable=False),
    sa.Column("dealer", sa.String(length=40), nullable=True),
    sa.PrimaryKeyConstraint("id", name="pk_dealing"),
    sa.UniqueConstraint("game", "dealer", name="uq_dealing_game_dealer"),
)
_SEAL = sa.table("seal", *map(sa.column, ("kind", "row_id", "seal")))
_DEAL = sa.table("deal", *map(sa.column, ("id", "dealing_id", "seed")))
_OUTCOME = sa.table("outcome", *map(sa.column, ("ruleset_id", "solver_id", "deal_id", "batch_id")))
_BATCH = sa.table(
    "batch", sa.column("id"), sa.column("provenance_id"), sa.column("created_at", UtcDateTime())
)

_VERIFICATION = sa.table(
    "verification", sa.column("id"), sa.column("state"), sa.column("progress", sa.JSON())
)


def upgrade() -> None:
    op.drop_index("ix_dealing_imported", "dealing")
    op.drop_index("ix_deal_imported", "deal")
    connection = op.get_bind()
    dealings = _named(connection)
    with op.batch_alter_table("dealing", copy_from=_BEFORE) as batch:
        batch.alter_column("dealer", existing_type=sa.String(length=40), nullable=False)
    for dealing_id in dealings:
        _number(connection, dealing_id)
    condition = sa.text("cards IS NOT NULL")
    op.create_index(
        "ix_deal_imported",
        "deal",
        ["dealing_id", "digest"],
        unique=True,
        sqlite_where=condition,
        postgresql_where=condition,
    )
    with Session(connection) as session:
        for dealing_id in dealings:
            _build(session, dealing_id)
        ledger.settle(session)
        session.commit()
    op.drop_table("status")
    # A verification that goes on begins anew: its checks go over other tables, in another order.
    going_on = _VERIFICATION.c.state != "done"
    for row in connection.execute(sa.select(_VERIFICATION).where(going_on)).all():
        left = {name: each for name, each in row.progress.items() if name == "at"}
        this = _VERIFICATION.update().where(_VERIFICATION.c.id == row.id)
        connection.execute(this.values(progress=left))


def _named(connection: sa.Connection) -> list[int]:
    """Name the dealings of imported deals, and return their ids."""
    rows = connection.execute(_BEFORE.select().where(_BEFORE.c.dealer.is_(None))).mappings().all()
    for row in rows:
        mine = (_SEAL.c.kind == "dealing") & (_SEAL.c.row_id == row["id"])
        was = connection.execute(sa.select(_SEAL.c.seal).where(mine)).scalar()
        # A row that was changed by hand keeps a seal that does not fit.
        if was == seal_of_named("dealing", dict(row)):
            now = seal_of_named("dealing", {**row, "dealer": IMPORTED})
            connection.execute(_SEAL.update().where(mine).values(seal=now))
        named = _BEFORE.update().where(_BEFORE.c.id == row["id"])
        connection.execute(named.values(dealer=IMPORTED))
    return [row["id"] for row in rows]


def _number(connection: sa.Connection, dealing_id: int) -> None:
    """Give deals their numbers, in the order in which they came."""
    ids = sa.select(_DEAL.c.id).where(_DEAL.c.dealing_id == dealing_id).order_by(_DEAL.c.id)
    numbered = [
        {"number": number, "of_deal": deal_id}
        for number, deal_id in enumerate(connection.execute(ids).scalars())
    ]
    if numbered:
        update = _DEAL.update().where(_DEAL.c.id == sa.bindparam("of_deal"))
        connection.execute(update.values(seed=sa.bindparam("number")), numbered)


def _build(session: Session, dealing_id: int) -> None:
    """Write the blocks of a dealing, from the rows of its outcomes, and their statuses."""
    grading = grading_solvers(session)
    pairs = sa.select(_OUTCOME.c.ruleset_id, _OUTCOME.c.solver_id).distinct()
    last = session.scalar(sa.select(sa.func.max(_DEAL.c.seed)).where(_in(dealing_id)))
    for number in range(0 if last is None else last // BLOCK_SIZE + 1):
        known: dict[int, dict[int, Any]] = {}
        of_block = pairs.join(_DEAL, _DEAL.c.id == _OUTCOME.c.deal_id).where(
            _in(dealing_id, number)
        )
        for ruleset_id, solver_id in session.execute(of_block).all():
            key = (ruleset_id, dealing_id, number, solver_id)
            try:
                columns = outcomes_of_rows(session, *key)
                provenance = _provenance(session, key)
            except (AttributeError, LookupError, TypeError, ValueError):
                continue  # damaged, as `verify` says
            totals = (int(columns.nodes[columns.rowed].sum()), int(columns.cpu_us.clip(0).sum()))
            store_block(session, key, columns, totals, provenance)
            known.setdefault(ruleset_id, {})[solver_id] = columns
        for ruleset_id, outcomes in known.items():
            store_all_statuses(session, (ruleset_id, dealing_id, number), outcomes, grading)


def _provenance(session: Session, key: tuple[int, int, int, int]) -> list[list[Any]]:
    """The provenance of the outcomes of a block, as `catalogue.schema.BlockRow` has it."""
    ruleset_id, dealing_id, number, solver_id = key
    rows = session.execute(
        sa.select(_DEAL.c.seed, _BATCH.c.provenance_id, _BATCH.c.created_at)
        .select_from(_DEAL)
        .join(_OUTCOME, _OUTCOME.c.deal_id == _DEAL.c.id)
        .join(_BATCH, _BATCH.c.id == _OUTCOME.c.batch_id)
        .where(
            _in(dealing_id, number),
            _OUTCOME.c.ruleset_id == ruleset_id,
            _OUTCOME.c.solver_id == solver_id,
        )
        .order_by(_DEAL.c.seed)
    )
    runs: list[list[Any]] = []
    for seed, provenance_id, created_at in rows:
        by = [provenance_id, created_at.isoformat()]
        if runs and runs[-1][2:] == by and runs[-1][0] + runs[-1][1] == seed:
            runs[-1][1] += 1
        else:
            runs.append([seed, 1, *by])
    return runs


def _in(dealing_id: int, number: int | None = None) -> sa.ColumnElement[bool]:
    """The condition that a deal is of a dealing, and of a block of it."""
    mine = _DEAL.c.dealing_id == dealing_id
    if number is None:
        return mine
    return mine & _DEAL.c.seed.between(number * BLOCK_SIZE, (number + 1) * BLOCK_SIZE - 1)
