"""Blocks as the fact: they know who made what and how many outcomes have rows, and have no depth.

The columns stay as they are. Where they have classes in place of nodes and lengths, these are not
known any more, and the cells of their statuses are counted without them.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from catalogue import blocks
from catalogue.schema import BLOCK_SIZE, UtcDateTime

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_KEY = ("ruleset_id", "dealing_id", "block", "solver_id")
_COUNTS = ("attempted", *blocks.RESULTS)
_BIG = sa.BigInteger()


AFTER = sa.Table(
    "block",
    sa.MetaData(),
    sa.Column("ruleset_id", sa.Integer(), nullable=False),
    sa.Column("dealing_id", sa.Integer(), nullable=False),
    sa.Column("block", _BIG, nullable=False),
    sa.Column("solver_id", sa.Integer(), nullable=False),
    *(sa.Column(name, sa.Integer(), nullable=False) for name in (*_COUNTS, "rowed")),
    *(sa.Column(name, _BIG, nullable=False) for name in ("nodes", "cpu_us")),
    sa.Column("made", sa.JSON(), nullable=False),
    sa.Column("checksum", _BIG, nullable=False),
    # The last: SQLite reads all of it to get at what would follow.
    sa.Column("columns", sa.LargeBinary(), nullable=False),
    sa.PrimaryKeyConstraint(*_KEY, name="pk_block"),
    *(
        sa.ForeignKeyConstraint([f"{name}_id"], [f"{name}.id"], name=f"fk_block_{name}_id")
        for name in ("ruleset", "dealing", "solver")
    ),
)
BLOCK = sa.table("block", sa.column("depth"), *(sa.column(c.name, c.type) for c in AFTER.c))
CELLS = sa.table("status_block", *map(sa.column, (*_KEY[:3], "cells")))
SOLVER = sa.table("solver", sa.column("id"), sa.column("grades", sa.Boolean()))
DEAL = sa.table("deal", *map(sa.column, ("id", "dealing_id", "seed")))
OUTCOME = sa.table("outcome", *map(sa.column, ("ruleset_id", "solver_id", "deal_id", "batch_id")))
BATCH = sa.table(
    "batch", sa.column("id"), sa.column("maker_id"), sa.column("created_at", UtcDateTime())
)


def upgrade() -> None:
    connection = op.get_bind()
    rowed = sa.Column("rowed", sa.Integer(), nullable=False, server_default="0")
    op.add_column("block", rowed)
    grading = set(connection.execute(sa.select(SOLVER.c.id).where(SOLVER.c.grades)).scalars())
    keys = connection.execute(sa.select(*(BLOCK.c[name] for name in _KEY)).order_by(*_KEY)).all()
    inexact = set()
    for key in keys:
        row = connection.execute(sa.select(BLOCK).where(*_is(BLOCK, key))).mappings().one()
        if row["depth"] != blocks.EVERYTHING:
            inexact.add(tuple(key[:3]))
        _change(connection, key, row)
    for status in sorted(inexact):
        _count_anew(connection, status, grading)
    if connection.dialect.name == "sqlite":
        op.rename_table("block", "old_block")
        for name in ("ruleset", "dealing", "solver"):
            sa.Table(name, AFTER.metadata, sa.Column("id", sa.Integer(), primary_key=True))
        AFTER.create(connection)
        old = sa.table("old_block", *(sa.column(column.name) for column in AFTER.c))
        connection.execute(AFTER.insert().from_select(list(AFTER.c), sa.select(old)))
        op.drop_table("old_block")
    else:
        op.drop_column("block", "depth")
        op.alter_column("block", "rowed", server_default=None)


def _is(table: Any, key: Any) -> list[Any]:
    return [table.c[name] == value for name, value in zip(_KEY, key, strict=False)]


def _change(connection: sa.Connection, key: Any, row: Any) -> None:
    """Give a block the number of its rows, its makers and its new checksum."""
    try:
        columns = blocks.Outcomes.decode(row["columns"])
    except (LookupError, TypeError, ValueError):
        return  # damaged, as its checksum says
    made = [*row["made"], *_made(connection, key, row["made"])]
    rowed, counts = int(columns.rowed.sum()), [row[name] for name in _COUNTS]
    totals = (row["nodes"], row["cpu_us"])
    before = blocks.checksum(row["columns"], *key, row["depth"], *counts, *totals, row["made"])
    values = {"rowed": rowed, "made": made}
    # A row that was changed by hand keeps a checksum that does not fit.
    if before == row["checksum"]:
        values["checksum"] = blocks.checksum(row["columns"], *key, *counts, rowed, *totals, made)
    connection.execute(BLOCK.update().where(*_is(BLOCK, key)).values(values))


def _made(connection: sa.Connection, key: Any, known: Any) -> list[list[object]]:
    """Who made the outcomes that have rows and of which the block does not tell it."""
    ruleset_id, dealing_id, block, solver_id = key
    first = block * BLOCK_SIZE
    rows = connection.execute(
        sa.select(DEAL.c.seed, BATCH.c.maker_id, BATCH.c.created_at)
        .select_from(DEAL)
        .join(OUTCOME, OUTCOME.c.deal_id == DEAL.c.id)
        .join(BATCH, BATCH.c.id == OUTCOME.c.batch_id)
        .where(
            DEAL.c.dealing_id == dealing_id,
            DEAL.c.seed.between(first, first + BLOCK_SIZE - 1),
            OUTCOME.c.ruleset_id == ruleset_id,
            OUTCOME.c.solver_id == solver_id,
        )
        .order_by(DEAL.c.seed)
    )
    made: list[list[Any]] = []
    for seed, maker_id, created_at in rows:
        if any(low <= seed < low + count for low, count, _, _ in known):
            continue
        moment = created_at.isoformat()
        if made and made[-1][2:] == [maker_id, moment]:
            made[-1][1] = seed - made[-1][0] + 1
        else:
            made.append([seed, 1, maker_id, moment])
    return made


def _count_anew(connection: sa.Connection, key: tuple[int, int, int], grading: set[int]) -> None:
    """Count the cells of the statuses of a block."""
    try:
        outcomes = {
            row.solver_id: blocks.Outcomes.decode(row.columns)
            for row in connection.execute(
                sa.select(BLOCK.c.solver_id, BLOCK.c.columns).where(*_is(BLOCK, key))
            )
        }
    except (LookupError, TypeError, ValueError):
        return
    cells = blocks.Cells.of(blocks.combine(outcomes, grading)).encode()
    connection.execute(CELLS.update().where(*_is(CELLS, key)).values(cells=cells))
