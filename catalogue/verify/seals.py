"""Checks of seals and of the ledger: what nothing can compute again is as it was stored."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import RESULT_CODES
from catalogue.outcomes import seals
from catalogue.outcomes.ledger import KINDS, recount, seal_of_ledger
from catalogue.outcomes.rows import table_of
from catalogue.schema import (
    BatchRow,
    BoundRow,
    DeadEndRow,
    DealRow,
    FeaturesRow,
    JobSolverRow,
    LedgerRow,
    OutcomeRow,
    RegretRow,
    SealRow,
    SolutionRow,
    same_outcome,
)
from catalogue.verify.context import Context

_LEDGER = {
    "deal": "imported deals",
    "batch": "batches of outcomes, regrets or features",
    "block": "blocks of seeds",
    "difficulty": "models of difficulty",
    "job": "jobs",
    "bound": "bounds",
    "verification": "verifications",
}
assert _LEDGER.keys() == KINDS.keys()
# What a seal is over, beside the values of its row.
_BESIDE = {"job": " and its solvers", "bound": ", or a bound before it is missing"}


def check_seals(context: Context) -> None:
    """Compare the seals of bounds, jobs and rows that others refer to with their values."""
    kind, before = context.shard.part, {}
    # In one query, since a verification that is running changes its own row and its seal.
    kept = (SealRow.seal, SealRow.kind == kind, SealRow.row_id) if kind in seals.NAMED else None
    with context.cat.session() as session:
        for row, where in context.each("seal", kept):
            values = dict(row._mapping)
            if kind == "bound":
                if row.job_id not in before:
                    before[row.job_id] = _seal_before(session, row)
                seal = seals.seal_of_bound(values, before[row.job_id])
                before[row.job_id] = row.seal
            elif kind == "job":
                solvers = session.scalars(
                    select(JobSolverRow.solver_id)
                    .where(JobSolverRow.job_id == row.id)
                    .order_by(JobSolverRow.place)
                ).all()
                seal = seals.seal_of_job(values, solvers)
            elif kind == "difficulty":
                seal = seals.seal_of_difficulty(values)
            else:
                seal = seals.seal_of_named(kind, values)
            if row.seal is None:
                context.fault("seal", where, "its seal is missing")
            elif seal != row.seal:
                what = f"its seal is not that of its values{_BESIDE.get(kind, '')}"
                context.fault("seal", where, what)


def _seal_before(session: Session, row: Any) -> int | None:
    """The seal of the bound of the same job before the first one of a shard."""
    return session.scalar(
        select(BoundRow.seal)
        .where(BoundRow.job_id == row.job_id, BoundRow.id < row.id)
        .order_by(BoundRow.id.desc())
        .limit(1)
    )


def check_batches(context: Context) -> None:
    """Sum the seals of outcomes, regrets or features by batch, and compare them with theirs."""
    if context.shard.part == BatchRow.__tablename__:
        _compare_batches(context)
        return
    batches, shares = _SEALS[context.shard.part](context)
    context.checked["sealed row"] += len(batches)
    found, of, counts = np.unique(batches, return_inverse=True, return_counts=True)
    sums = np.zeros(len(found), np.uint64)
    np.add.at(sums, of, shares)  # modulo 2^64
    for batch, count, total in zip(found, counts, sums, strict=True):
        context.found.add_to_batch(str(batch), int(count), int(total))


def _compare_batches(context: Context) -> None:
    for row, where in context.each("batch"):
        if row.id > context.options.last_batch or row.id in context.options.open_batches:
            continue  # it came while the rows were read
        rows, total = context.sums.get(str(row.id), [0, 0])
        own = seals.seal_of_batch(row.provenance_id, row.created_at, row.rows)
        if rows != row.rows:
            what = f"it has {rows} rows, it was stored with {row.rows}"
        elif seals.add_up([total, own]) != row.seal:
            what = "its seal is not that of its rows, its provenance and its moment"
        else:
            continue
        context.fault("seal", f"{where}{_range_of(context, row.id)}", what)


def _range_of(context: Context, batch_id: int) -> str:
    """The first and the last row of a batch, in words."""
    for model in (OutcomeRow, RegretRow, FeaturesRow):
        table = table_of(model)
        keys = list(table.primary_key.columns)
        rows = select(*keys).where(table.c.batch_id == batch_id).limit(1)
        with context.cat.session() as session:
            ends = [
                session.execute(rows.order_by(*order)).mappings().first()
                for order in (keys, [key.desc() for key in keys])
            ]
        if all(ends):
            names = (context.row_name(table, dict(each)) for each in ends if each is not None)
            return f", from {' to '.join(names)}"
    return ""


# The batches of some rows, int64[n], and their shares in the seals, uint64[n].
_Shares = tuple[NDArray[np.int64], NDArray[np.uint64]]


def _outcomes(context: Context) -> _Shares:
    row, end = OutcomeRow, DeadEndRow
    key = (row.ruleset_id, row.solver_id, row.deal_id)
    with context.cat.session() as session:
        rows = session.execute(
            select(*key, row.result, row.nodes, row.cpu_us, row.batch_id)
            .add_columns(DealRow.digest, SolutionRow.moves, end.kind, end.witness)
            .join(DealRow, DealRow.id == row.deal_id)
            .outerjoin(SolutionRow, same_outcome(SolutionRow))
            .outerjoin(end, same_outcome(end))
            .where(*context.inside(context.table))
        ).all()
    if not rows:
        return np.zeros(0, np.int64), np.zeros(0, np.uint64)
    *keys, results, nodes, cpu_us, batches, digests, moves, kinds, witnesses = zip(
        *rows, strict=True
    )
    dead_ends = (each if each[0] else None for each in zip(kinds, witnesses, strict=True))
    content = map(seals.content_of, moves, dead_ends)
    shares = seals.seal_of_outcomes(
        np.array(keys, dtype=np.int64).T,
        digests,
        np.array([RESULT_CODES[result] for result in results], dtype=np.uint8),
        np.array(nodes, dtype=np.int64),
        np.array([-1 if each is None else each for each in cpu_us], dtype=np.int64),
        np.array(list(content), dtype=np.int64),
    )
    return np.array(batches, np.int64), shares


def _of_rows(seal: Callable[[Any], int], context: Context) -> _Shares:
    query = select(context.table).where(*context.inside(context.table))
    with context.cat.session() as session:
        rows = session.execute(query).mappings().all()
    shares = np.array([seal(row) for row in rows], np.int64)
    return np.array([row["batch_id"] for row in rows], np.int64), shares.view(np.uint64)


_SEALS: dict[str, Callable[[Context], _Shares]] = {
    "outcome": _outcomes,
    "regret": partial(_of_rows, seals.seal_of_regret),
    "features": partial(_of_rows, seals.seal_of_features),
}


def check_ledger(context: Context) -> None:
    """Compare the number of rows of each kind, and the sum over them, with those recorded."""
    with context.cat.session() as session:
        stored = {row.kind: row for row in session.execute(select(LedgerRow.__table__))}
        counted = {row["kind"]: row for row in recount(session)}
    for kind, found in counted.items():
        context.checked["ledger"] += 1
        where, row = _LEDGER[kind], stored.pop(kind, None)
        if row is None:
            what = "the ledger has no row of them"
        elif row.seal != seal_of_ledger(kind, row.rows, row.total):
            what = "the seal of their row is not that of its values"
        elif found["rows"] < row.rows:
            what = f"{row.rows - found['rows']:,} of {row.rows:,} are missing: they were deleted"
        elif found["rows"] > row.rows:
            what = f"there are {found['rows'] - row.rows:,} more than the {row.rows:,} recorded"
        elif found["total"] != row.total:
            what = f"they are as many as recorded, {row.rows:,}, but not the same"
        else:
            continue
        context.fault("ledger", where, what)
    for kind in stored:
        context.fault("ledger", str(kind), "the ledger has a row of a kind that it does not know")
