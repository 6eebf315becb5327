"""Check of the statuses of imported deals, recomputed from outcomes."""

from typing import Any

from sqlalchemy import Integer, Table, case, cast, func, select

from catalogue.outcomes.imported import status_of
from catalogue.schema import (
    DeadEndRow,
    DealingRow,
    DealRow,
    OutcomeRow,
    SolutionRow,
    SolverRow,
    StatusRow,
    same_outcome,
)
from catalogue.verify.context import Context, DealKey
from solvers.outcome import Result

_NAMES = ("solvers", "wins", "proofs", "nodes", "solution_length", "dead_end")


def check_statuses(context: Context) -> None:
    """Recompute the status of every imported deal of a piece, which is a range of deals."""
    table = DealRow.__table__
    assert isinstance(table, Table)
    deals = select(DealRow.id).join(DealingRow, DealingRow.id == DealRow.dealing_id)
    imported = deals.where(DealingRow.dealer.is_(None), *context.inside(table)).subquery()
    own = deals.where(*context.inside(table)).subquery()
    with context.cat.session() as session:
        expected = {(row[0], row[1]): row for row in session.execute(_recomputed(imported))}
        stored = session.execute(
            select(StatusRow.__table__, DealRow.dealing_id, DealRow.seed)
            .join(DealRow, DealRow.id == StatusRow.deal_id)
            .where(StatusRow.deal_id.in_(select(own.c.id)))
        )
        for row in stored:
            where = context.where(row.ruleset_id, DealKey(row.deal_id, row.dealing_id, row.seed))
            recomputed = expected.pop((row.ruleset_id, row.deal_id), None)
            context.checked["status"] += 1
            if recomputed is None:
                dealing = context.dealings.get(row.dealing_id)
                dealt = dealing is not None and dealing.dealer is not None
                no_row = "there is a row, but the status of a deal of a dealer is in its block"
                context.fault("status", where, no_row if dealt else "there is no outcome")
                continue
            wanted = dict(zip(_NAMES, recomputed[4:], strict=True))
            wanted["status"] = status_of(wanted["wins"], wanted["proofs"])
            context.compare("status", where, wanted, row)
            _report_alarm(context, where, wanted)
        for row in expected.values():
            where = context.where(row[0], DealKey(*row[1:4]))
            context.fault("status", where, "missing, though there are outcomes")


def _recomputed(deals: Any) -> Any:
    """Query the contents of `status`, except its column `status`, from outcomes alone."""
    decided = OutcomeRow.result.in_((Result.WON.value, Result.UNWINNABLE.value))
    key = (OutcomeRow.ruleset_id, OutcomeRow.deal_id)
    proofs = case((OutcomeRow.result == Result.UNWINNABLE.value, 1), else_=0)
    grades = cast(SolverRow.grades, Integer) != 0
    return (
        select(
            *key,
            DealRow.dealing_id,
            DealRow.seed,
            func.count(),
            func.sum(case((OutcomeRow.result == Result.WON.value, 1), else_=0)),
            func.sum(proofs),
            func.min(case((grades & decided, OutcomeRow.nodes))),
            func.min(SolutionRow.length),
            func.min(DeadEndRow.kind),
        )
        .join(deals, deals.c.id == OutcomeRow.deal_id)
        .join(DealRow, DealRow.id == OutcomeRow.deal_id)
        .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
        .outerjoin(SolutionRow, same_outcome(SolutionRow))
        .outerjoin(DeadEndRow, same_outcome(DeadEndRow))
        .group_by(*key, DealRow.dealing_id, DealRow.seed)
    )


def _report_alarm(context: Context, where: str, wanted: dict[str, Any]) -> None:
    wins, proofs = wanted["wins"], wanted["proofs"]
    if wins and proofs:
        context.fault("alarm", where, f"{wins} solvers won it, {proofs} proved it unwinnable")
