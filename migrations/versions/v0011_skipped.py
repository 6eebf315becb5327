"""Results that follow from other rulesets are derived, not stored; skipped deals are marked.

Until now a solver by the name of ``inferred(from=…)`` had the outcomes that follow. Jobs that did
not solve these deals are of the usual kind, with a number, and the blocks of their solvers have
marks.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from alembic import op

from catalogue import blocks
from catalogue.outcomes.following import Verdicts, follow, order_among
from catalogue.outcomes.seals import (
    add_up,
    content_of,
    seal_of_batch,
    seal_of_job,
    seal_of_outcomes,
    seal_of_row,
)
from catalogue.schema import BLOCK_SIZE, UtcDateTime

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_INFERRED, _USUAL = "inferred", "outcomes"
_KEY = ("ruleset_id", "dealing_id", "block", "solver_id")
# Of the kinds of the ledger that change here: the columns that make a row what it is.
_LEDGER = {"batch": ("id", "maker_id", "created_at"), "block": _KEY}


def upgrade() -> None:
    with op.batch_alter_table("job") as job:
        job.add_column(sa.Column("inferred", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("status_block") as status:
        status.add_column(sa.Column("follows", sa.LargeBinary(), nullable=True))
        status.add_column(sa.Column("checksum", sa.BigInteger(), nullable=True))
    stored = _Stored(op.get_bind())
    jobs = stored.rows("job", kind=_INFERRED)
    counts = dict.fromkeys((job.id for job in jobs), 0)
    changed = set()
    for solver in stored.rows("solver", method=_INFERRED):
        for row in stored.rows("block", solver_id=solver.id):
            key = tuple(getattr(row, name) for name in _KEY)
            _drop(stored, key)
            _mark(stored, key, blocks.Outcomes.decode(row.columns), jobs, counts)
            changed.add(key[:3])
        stored.delete("seal", kind="solver", row_id=solver.id)
        stored.delete("solver", id=solver.id)
    for each in jobs:
        _convert(stored, each, counts[each.id])
    _derive(stored, changed)
    stored.settle()


class _Stored:
    """The tables as they are at this revision, and what the ledger is to have in addition."""

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection
        metadata = sa.MetaData()
        metadata.reflect(connection)
        for table in metadata.tables.values():
            for column in table.columns:
                if isinstance(column.type, sa.DateTime):
                    column.type = UtcDateTime()
        self.tables = metadata.tables
        self.ledger: dict[str, list[tuple[int, int]]] = defaultdict(list)

    def rows(self, name: str, **values: Any) -> Sequence[Any]:
        """The rows of a table with some values, in the order of its key."""
        table = self.tables[name]
        query = sa.select(table).filter_by(**values).order_by(*table.primary_key.columns)
        return self.connection.execute(query).all()

    def delete(self, name: str, **values: Any) -> None:
        """Delete the rows of a table with some values."""
        self.connection.execute(sa.delete(self.tables[name]).filter_by(**values))

    def insert(self, name: str, values: dict[str, Any]) -> None:
        """Add a row."""
        self.connection.execute(self.tables[name].insert(), values)

    def update(self, name: str, row_id: int, values: dict[str, Any]) -> None:
        """Change the row with an id."""
        table = self.tables[name]
        self.connection.execute(table.update().where(table.c.id == row_id).values(values))

    def enter(self, kind: str, row: Any, sign: int) -> None:
        """Say that a row of a kind of the ledger is added (1), or deleted (-1)."""
        seal = seal_of_row("ledger", kind, *(row[name] for name in _LEDGER[kind]))
        self.ledger[kind].append((sign, sign * seal))

    def settle(self) -> None:
        """Write the ledger."""
        for kind, changes in self.ledger.items():
            (row,) = self.rows("ledger", kind=kind)
            rows = row.rows + sum(sign for sign, _ in changes)
            total = add_up([row.total, *(seal for _, seal in changes)])
            self.delete("ledger", kind=kind)
            seal = seal_of_row("ledger", kind, rows, total)
            self.insert("ledger", {"kind": kind, "rows": rows, "total": total, "seal": seal})


def _drop(stored: _Stored, key: tuple[Any, ...]) -> None:
    """Delete a block of outcomes that follow, with its rows."""
    ruleset_id, dealing_id, block, solver_id = key
    outcome, deal, batch = (stored.tables[name] for name in ("outcome", "deal", "batch"))
    solution, dead_end = stored.tables["solution"], stored.tables["dead_end"]
    same = {"ruleset_id": ruleset_id, "solver_id": solver_id}
    inside = (
        deal.c.dealing_id == dealing_id,
        deal.c.seed.between(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE - 1),
    )
    joined = outcome.join(deal, deal.c.id == outcome.c.deal_id)
    for other in (solution, dead_end):
        pairs = (other.c[name] == outcome.c[name] for name in (*same, "deal_id"))
        joined = joined.outerjoin(other, sa.and_(*pairs))
    found = stored.connection.execute(
        sa.select(outcome, deal.c.digest, solution.c.moves, dead_end.c.kind, dead_end.c.witness)
        .select_from(joined)
        .where(
            outcome.c.ruleset_id == ruleset_id,
            outcome.c.solver_id == solver_id,
            *inside,
        )
    ).all()
    shares = seal_of_outcomes(
        np.array([(ruleset_id, solver_id, row.deal_id) for row in found], np.int64).reshape(-1, 3),
        [row.digest for row in found],
        np.array([blocks.RESULT_CODES[row.result] for row in found], dtype=np.uint8),
        np.array([row.nodes for row in found], dtype=np.int64),
        np.array([-1 if row.cpu_us is None else row.cpu_us for row in found], dtype=np.int64),
        np.array(
            [
                content_of(row.moves, None if row.kind is None else (row.kind, row.witness))
                for row in found
            ],
            dtype=np.int64,
        ),
    )
    taken: dict[int, list[int]] = defaultdict(list)
    for row, share in zip(found, shares.tolist(), strict=True):
        taken[row.batch_id].append(-share)
    for table in (solution, dead_end, outcome):
        mine = table.c.deal_id.in_(sa.select(deal.c.id).where(*inside))
        stored.connection.execute(sa.delete(table).filter_by(**same).where(mine))
    used = sa.exists().where(outcome.c.deal_id == deal.c.id)
    stored.connection.execute(sa.delete(deal).where(*inside, ~used))
    for batch_id, gone in taken.items():
        (row,) = stored.rows("batch", id=batch_id)
        before, left = (row.maker_id, row.created_at, row.rows), row.rows - len(gone)
        after = (*before[:2], left)
        seal = add_up([row.seal, -seal_of_batch(*before), seal_of_batch(*after), *gone])
        stored.update(batch.name, batch_id, {"rows": left, "seal": seal})
        if not left:
            stored.delete("batch", id=batch_id)
            stored.enter("batch", row._mapping, -1)
    stored.delete("block", **dict(zip(_KEY, key, strict=True)))
    stored.enter("block", dict(zip(_KEY, key, strict=True)), -1)


def _mark(
    stored: _Stored,
    key: tuple[Any, ...],
    gone: blocks.Outcomes,
    jobs: Sequence[Any],
    counts: dict[int, int],
) -> None:
    """Mark the deals of a block of outcomes that followed in those of the solvers of their jobs."""
    ruleset_id, dealing_id, block, _ = key
    ((dealer,),) = ((row.dealer,) for row in stored.rows("dealing", id=dealing_id))
    followed = np.flatnonzero(gone.result) + gone.first
    for job in jobs:
        if (job.ruleset_id, job.dealer) != (ruleset_id, dealer):
            continue
        seeds = followed + block * BLOCK_SIZE
        places = followed[(seeds >= job.first_seed) & (seeds - job.first_seed < job.deals)]
        counts[job.id] += len(places)
        for solver_id in _solvers_of(stored, job) if len(places) else ():
            _skip(stored, (ruleset_id, dealing_id, block, solver_id), places)


def _skip(stored: _Stored, key: tuple[int, ...], places: Any) -> None:
    """Mark deals of a solver's block as skipped, unless they have outcomes."""
    named = dict(zip(_KEY, key, strict=True))
    found = stored.rows("block", **named)
    mine = blocks.Outcomes.decode(found[0].columns) if found else blocks.Outcomes.empty()
    mine = mine.widened(int(places[0]), int(places[-1]) + 1)
    mine.skipped[places - mine.first] = mine.result[places - mine.first] == 0
    columns, numbers = mine.encode(), mine.counts()
    totals = (found[0].nodes, found[0].cpu_us) if found else (0, 0)
    made = found[0].made if found else []
    checksum = blocks.checksum(columns, *key, *numbers.values(), *totals, made)
    if found:
        stored.delete("block", **named)
    else:
        stored.enter("block", named, 1)
    values = {"nodes": totals[0], "cpu_us": totals[1], "made": made, "checksum": checksum}
    stored.insert("block", {**named, **numbers, **values, "columns": columns})


def _solvers_of(stored: _Stored, job: Any) -> list[int]:
    return [row.solver_id for row in stored.rows("job_solver", job_id=job.id)]


def _convert(stored: _Stored, job: Any, inferred: int) -> None:
    """Make a job one of the usual kind; one that was changed by hand keeps a wrong seal."""
    row, solvers = dict(job._mapping), _solvers_of(stored, job)
    values: dict[str, Any] = {"kind": _USUAL, "inferred": inferred}
    if seal_of_job(row, solvers) == job.seal:
        values["seal"] = seal_of_job(row | values, solvers)
    stored.update("job", job.id, values)


def _derive(stored: _Stored, changed: set[tuple[Any, ...]]) -> None:
    """Write the statuses of blocks that have changed, or are stored under several rulesets."""
    names = (stored.tables["block"].c[name] for name in _KEY[:3])
    keys = {tuple(row) for row in stored.connection.execute(sa.select(*names))}
    rulesets = Counter(key[1:] for key in keys)
    rulesets.update(key[1:] for key in changed)
    methods = {row.id: row.method for row in stored.rows("solver")}
    grading = {row.id for row in stored.rows("solver") if row.grades}
    order: dict[int, Any] = {}
    for game in {row.game for row in stored.rows("ruleset")}:
        mine = stored.rows("ruleset", game=game)
        order.update(order_among(tuple((row.id, row.slug) for row in mine)))
    for key in changed:
        stored.delete("status_block", **dict(zip(_KEY, key, strict=False)))
    for (dealing_id, number), count in sorted(rulesets.items()):
        if count < 2:
            continue
        known: dict[int, dict[int, blocks.Outcomes]] = defaultdict(dict)
        for row in stored.rows("block", dealing_id=dealing_id, block=number):
            known[row.ruleset_id][row.solver_id] = blocks.Outcomes.decode(row.columns)
        verdicts = {
            ruleset_id: Verdicts.of((methods[each], own[each]) for each in own)
            for ruleset_id, own in known.items()
        }
        for ruleset_id, own in known.items():
            follows = None
            if len(known) > 1:
                follows = follow(order, ruleset_id, verdicts)
            statuses = blocks.combine(own, grading, follows)
            packed = None if follows is None else blocks.encode_follows(follows)
            named = dict(zip(_KEY, (ruleset_id, dealing_id, number), strict=False))
            stored.delete("status_block", **named)
            counts = zip(
                ("deals", "winnable", "unwinnable", "alarms"), statuses.counts(), strict=True
            )
            stored.insert(
                "status_block",
                {
                    **named,
                    **dict(counts),
                    "cells": blocks.Cells.of(statuses).encode(),
                    "follows": packed,
                    "checksum": None if packed is None else zlib.crc32(packed),
                },
            )
