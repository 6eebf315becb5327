"""Check of seals: what nothing can compute again is as it was when it was stored."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from catalogue.blocks import RESULT_CODES
from catalogue.outcomes import seals
from catalogue.schema import (
    BatchRow,
    BoundRow,
    DeadEndRow,
    DealingRow,
    DealRow,
    DifficultyRow,
    JobRow,
    JobSolverRow,
    MakerRow,
    OutcomeRow,
    RegretRow,
    RulesetRow,
    SealRow,
    SolutionRow,
    SolverRow,
    TraitRow,
    VerificationRow,
    same_outcome,
)
from catalogue.verify.context import Context, DealKey

# Sums over the rows of a batch: their number, the sum of their seals, and the first and last name.
Sums = dict[int, list[Any]]

_SEALED = (RulesetRow, DealingRow, SolverRow, MakerRow, VerificationRow)


def check_sealed_rows(context: Context) -> None:
    """Sum the seals of outcomes, regrets or traits by batch; `check_batches` compares the sums."""
    rows = {
        OutcomeRow.__tablename__: _outcomes,
        RegretRow.__tablename__: _regrets,
        TraitRow.__tablename__: _traits,
    }[context.piece.part](context)
    sums: Sums = {}
    for batch_id, seal, key in rows:
        mine = sums.setdefault(batch_id, [0, 0, key, key])
        mine[0] += 1
        mine[1] = (mine[1] + seal) % 2**64
        mine[3] = key
    for mine in sums.values():
        mine[2:] = (context.where(key[0], DealKey(*key[1:])) for key in mine[2:])
    context.found.sums = sums


def merge(total: Sums, more: Sums) -> None:
    """Add the sums of a piece to those of the pieces before it."""
    for batch_id, (rows, seal, first, last) in more.items():
        mine = total.setdefault(batch_id, [0, 0, first, last])
        mine[0] += rows
        mine[1] = (mine[1] + seal) % 2**64
        mine[3] = last


def check_batches(context: Context, sums: Sums, known: set[int]) -> None:
    """Compare the seals of batches with the sums over their rows.

    Args:
        context: the context.
        sums: over all rows.
        known: ids of the batches that were there when the rows began to be read; rows of others
            may have been added since.
    """
    with context.cat.session() as session:
        for row in _each(context, session, BatchRow):
            if row.id not in known:
                continue
            context.checked["batch"] += 1
            rows, total, first, last = sums.get(row.id, [0, 0, None, None])
            where = f"batch {row.id}"
            if first is not None:
                where += f", from {first} to {last}" if rows > 1 else f", {first}"
            if rows != row.rows:
                context.fault("seal", where, f"it has {rows} rows, it was stored with {row.rows}")
                continue
            own = seals.seal_of_batch(row.maker_id, row.created_at, row.rows)
            if seals.add_up([total, own]) != row.seal:
                context.fault(
                    "seal", where, "its seal is not that of its rows, its maker and its moment"
                )


def check_seals(context: Context) -> None:
    """Compare the seals of bounds, jobs and rows that others refer to with their values."""
    with context.cat.session() as session:
        before: dict[int | None, int] = {}
        for row in _each(context, session, BoundRow):
            bound = row._mapping
            context.checked["seal"] += 1
            job_id = bound["job_id"]
            if seals.seal_of_bound(dict(bound), before.get(job_id)) != bound["seal"]:
                where = f"bound {bound['id']} of job {job_id}"
                what = "its seal is not that of its values, or a bound before it is missing"
                context.fault("seal", where, what)
            before[job_id] = bound["seal"]
        for row in _each(context, session, JobRow):
            job = row._mapping
            context.checked["seal"] += 1
            solvers = session.scalars(
                select(JobSolverRow.solver_id)
                .where(JobSolverRow.job_id == job["id"])
                .order_by(JobSolverRow.place)
            ).all()
            if seals.seal_of_job(dict(job), solvers) != job["seal"]:
                what = "its seal is not that of its values and its solvers"
                context.fault("seal", f"job {job['id']}", what)
        _check_models(context, session)
        stored = {(row.kind, row.row_id): row.seal for row in session.scalars(select(SealRow))}
        for model in _SEALED:
            name = model.__tablename__
            for row in _each(context, session, model):
                context.checked["seal"] += 1
                where = f"{name} {row.id}{_told(name, row._mapping)}"
                seal = stored.pop((name, row.id), None)
                if seal is None:
                    context.fault("seal", where, "its seal is missing")
                elif seals.seal_of_named(name, dict(row._mapping)) != seal:
                    context.fault("seal", where, "its seal is not that of its values")
    for kind, row_id in stored:
        context.fault("seal", f"{kind} {row_id}", "there is a seal, but the row is missing")


def _check_models(context: Context, session: Session) -> None:
    table = DifficultyRow.__table__
    for ruleset_id in session.scalars(select(table.c.ruleset_id)).all():
        where = f"difficulty under {context.slug(ruleset_id)}"
        context.checked["seal"] += 1
        try:
            row = session.execute(select(table).where(table.c.ruleset_id == ruleset_id)).one()
        except (TypeError, ValueError) as error:
            context.fault("seal", where, f"it cannot be read: {error}")
            continue
        if seals.seal_of_difficulty(dict(row._mapping)) != row.seal:
            context.fault("seal", where, "its seal is not that of its values")


def _each(context: Context, session: Session, model: Any) -> Iterator[Any]:
    """The rows of a table by their ids; one that cannot be read is a fault."""
    table = model.__table__
    for row_id in session.scalars(select(table.c.id).order_by(table.c.id)).all():
        try:
            row = session.execute(select(table).where(table.c.id == row_id)).one()
        except (TypeError, ValueError) as error:
            context.fault("seal", f"{table.name} {row_id}", f"it cannot be read: {error}")
            continue
        yield row


def _told(kind: str, row: Any) -> str:
    names = {"ruleset": "slug", "solver": "name", "maker": "machine", "dealing": "dealer"}
    return f" ({row[names[kind]]})" if kind in names else ""


def _outcomes(context: Context) -> Any:
    table = OutcomeRow.__table__
    assert isinstance(table, Table)
    with context.cat.session() as session:
        rows = session.execute(
            select(
                OutcomeRow.ruleset_id,
                OutcomeRow.solver_id,
                OutcomeRow.deal_id,
                OutcomeRow.result,
                OutcomeRow.nodes,
                OutcomeRow.cpu_us,
                OutcomeRow.batch_id,
                DealRow.dealing_id,
                DealRow.seed,
                DealRow.digest,
                SolutionRow.moves,
                DeadEndRow.kind,
                DeadEndRow.witness,
            )
            .join(DealRow, DealRow.id == OutcomeRow.deal_id)
            .outerjoin(SolutionRow, same_outcome(SolutionRow))
            .outerjoin(DeadEndRow, same_outcome(DeadEndRow))
            .where(*context.inside(table))
            .order_by(OutcomeRow.ruleset_id, OutcomeRow.solver_id, OutcomeRow.deal_id)
        ).all()
    if not rows:
        return
    shares = seals.seal_of_outcomes(
        np.array([row[:3] for row in rows], dtype=np.int64),
        [row[9] for row in rows],
        np.array([RESULT_CODES[row[3]] for row in rows], dtype=np.uint8),
        np.array([row[4] for row in rows], dtype=np.int64),
        np.array([-1 if row[5] is None else row[5] for row in rows], dtype=np.int64),
        np.array(
            [
                seals.content_of(row[10], None if row[11] is None else (row[11], row[12]))
                for row in rows
            ],
            dtype=np.int64,
        ),
    )
    context.checked["sealed row"] += len(rows)
    for row, seal in zip(rows, shares.tolist(), strict=True):
        yield row[6], seal, (row[0], row[2], row[7], row[8])


def _regrets(context: Context) -> Any:
    table = RegretRow.__table__
    assert isinstance(table, Table)
    with context.cat.session() as session:
        rows = session.execute(
            select(table, DealRow.dealing_id, DealRow.seed)
            .join(DealRow, DealRow.id == table.c.deal_id)
            .where(*context.inside(table))
            .order_by(*table.primary_key.columns)
        ).mappings()
        for row in rows:
            context.checked["sealed row"] += 1
            key = (row["ruleset_id"], row["deal_id"], row["dealing_id"], row["seed"])
            yield row["batch_id"], seals.seal_of_regret(dict(row)), key


def _traits(context: Context) -> Any:
    table = TraitRow.__table__
    assert isinstance(table, Table)
    with context.cat.session() as session:
        rows = session.execute(
            select(table).where(*context.inside(table)).order_by(*table.primary_key.columns)
        ).mappings()
        for row in rows:
            context.checked["sealed row"] += 1
            key = (row["ruleset_id"], None, row["dealing_id"], row["seed"])
            yield row["batch_id"], seals.seal_of_traits(dict(row)), key
