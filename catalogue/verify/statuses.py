"""Checks of statuses: those of imported deals, recomputed, and contradictions across rulesets."""

from typing import Any

from sqlalchemy import Integer, cast, select

from catalogue.outcomes.imported import Status, status_of
from catalogue.reading.alarms import cross_alarms
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

_NAMES = Status.__dataclass_fields__.keys()


def check_rulesets(context: Context) -> None:
    """Report deals won under a ruleset and proved unwinnable under one that allows more."""
    found = cross_alarms(context.cat)
    for alarm in found.alarms:
        context.fault("alarm", alarm.deal, str(alarm))
    context.checked["rulesets"] += found.compared


def check_statuses(context: Context) -> None:
    """Recompute the status of every imported deal of a shard, which is a range of deals."""
    deal = (DealRow.id, DealRow.dealing_id, DealRow.seed)
    mine = context.inside(context.table)
    with context.cat.session() as session:
        expected = _recomputed(session.execute(_outcomes(deal).where(*mine)))
        stored = session.execute(
            select(StatusRow.__table__, *deal[1:])
            .join(DealRow, DealRow.id == StatusRow.deal_id)
            .where(*mine)
        ).all()
    for row in stored:
        where = context.where(row.ruleset_id, DealKey(row.deal_id, row.dealing_id, row.seed))
        _, status = expected.pop((row.ruleset_id, row.deal_id), (None, None))
        context.checked["status"] += 1
        if status is None:
            known = row.dealing_id in context.dealings
            no_row = "there is a row, but the status of a deal of a dealer is in its block"
            dealt = known and not context.is_imported(row.dealing_id)
            context.fault("status", where, no_row if dealt else "there is no outcome")
            continue
        wanted = {name: getattr(status, name) for name in _NAMES}
        wanted["status"] = status_of(status.wins, status.proofs)
        context.compare("status", where, wanted, row)
        if status.wins and status.proofs:
            what = f"{status.wins} solvers won it, {status.proofs} proved it unwinnable"
            context.fault("alarm", where, what)
    for (ruleset_id, _), (key, _) in expected.items():
        context.fault(
            "status", context.where(ruleset_id, key), "missing, though there are outcomes"
        )


def _outcomes(deal: Any) -> Any:
    """Query the outcomes on imported deals."""
    return (
        select(*deal, OutcomeRow.ruleset_id, OutcomeRow.result, OutcomeRow.nodes)
        .add_columns(cast(SolverRow.grades, Integer), SolutionRow.length, DeadEndRow.kind)
        .join(OutcomeRow, OutcomeRow.deal_id == DealRow.id)
        .join(DealingRow, DealingRow.id == DealRow.dealing_id)
        .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
        .outerjoin(SolutionRow, same_outcome(SolutionRow))
        .outerjoin(DeadEndRow, same_outcome(DeadEndRow))
        .where(DealingRow.dealer.is_(None))
    )


def _recomputed(rows: Any) -> dict[tuple[int, int], tuple[DealKey, Status]]:
    """The statuses that follow from outcomes, by ruleset and deal."""
    found: dict[tuple[int, int], tuple[DealKey, Status]] = {}
    for *deal, ruleset_id, result, nodes, grades, length, kind in rows:
        won, proved = result == Result.WON.value, result == Result.UNWINNABLE.value
        graded = nodes if grades and (won or proved) else None
        key = DealKey(*deal)
        _, status = found.setdefault((ruleset_id, deal[0]), (key, Status()))
        status.absorb(Status(1, int(won), int(proved), graded, length, kind))
    return found
