"""Check of statuses, recomputed from outcomes."""

from typing import Any

from sqlalchemy import case, func, select

from catalogue.outcomes.writing import status_of
from catalogue.schema import (
    DeadEndRow,
    DealRow,
    OutcomeRow,
    SolutionRow,
    SolverRow,
    StatusRow,
    same_outcome,
)
from catalogue.verify.context import Context
from solvers.outcome import Result

_BATCH = 500


def recomputed_statuses() -> Any:
    """Query the contents of `status`, except its column `status`, from outcomes alone."""
    decided = OutcomeRow.result.in_((Result.WON.value, Result.UNWINNABLE.value))
    key = (OutcomeRow.ruleset_id, OutcomeRow.deal_id)
    return (
        select(
            *key,
            DealRow.dealer,
            DealRow.seed,
            func.count().label("solvers"),
            func.sum(case((OutcomeRow.result == Result.WON.value, 1), else_=0)).label("wins"),
            func.sum(case((OutcomeRow.result == Result.UNWINNABLE.value, 1), else_=0)).label(
                "proofs"
            ),
            func.min(case((SolverRow.grades & decided, OutcomeRow.nodes))).label("nodes"),
            func.min(SolutionRow.length).label("solution_length"),
            func.min(DeadEndRow.kind).label("dead_end"),
        )
        .join(DealRow, DealRow.id == OutcomeRow.deal_id)
        .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
        .outerjoin(SolutionRow, same_outcome(SolutionRow))
        .outerjoin(DeadEndRow, same_outcome(DeadEndRow))
        .group_by(*key, DealRow.dealer, DealRow.seed)
    )


def check_statuses(context: Context) -> None:
    """Recompute every status from its outcomes."""
    with context.cat.session() as session:
        expected = recomputed_statuses().where(*context.is_asked(OutcomeRow.deal_id)).subquery()
        names = (
            *("dealer", "seed", "solvers", "wins", "proofs"),
            *("nodes", "solution_length", "dead_end"),
        )
        # In both directions, since a row may be missing on either side.
        same = (StatusRow.ruleset_id == expected.c.ruleset_id) & (
            StatusRow.deal_id == expected.c.deal_id
        )
        for row in session.execute(
            select(expected, StatusRow)
            .outerjoin(StatusRow, same)
            .execution_options(yield_per=_BATCH)
        ):
            *values, stored = row
            ruleset_id, deal_id = values[:2]
            wanted = dict(zip(names, values[2:], strict=True))
            wanted["status"] = status_of(wanted["wins"], wanted["proofs"])
            where = context.where(ruleset_id, wanted["dealer"], wanted["seed"], deal_id)
            context.checked["status"] += 1
            if stored is None:
                context.fault("status", where, "missing, though there are outcomes")
            else:
                context.compare("status", where, wanted, stored)
            if wanted["wins"] and wanted["proofs"]:
                context.fault(
                    "contradiction",
                    where,
                    f"{wanted['wins']} solvers won it, {wanted['proofs']} proved it unwinnable",
                )
        for stored in session.scalars(
            select(StatusRow)
            .outerjoin(expected, same)
            .where(expected.c.deal_id.is_(None), *context.is_asked(StatusRow.deal_id))
        ):
            where = context.where(stored.ruleset_id, stored.dealer, stored.seed, stored.deal_id)
            context.fault("status", where, "there is no outcome")
