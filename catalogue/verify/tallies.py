"""Checks of tallies, the counts of outcomes and statuses in blocks of seeds."""

from typing import Any

from sqlalchemy import case, func, select

from catalogue.schema import BLOCK_SIZE, DealRow, OutcomeRow, StatusTallyRow, TallyRow
from catalogue.verify.context import Context
from catalogue.verify.statuses import recomputed_statuses


def recomputed_tallies() -> Any:
    """Query the contents of `tally`, its columns in order, from outcomes alone."""
    block = (DealRow.seed // BLOCK_SIZE).label("block")
    key = (OutcomeRow.ruleset_id, OutcomeRow.solver_id, DealRow.dealer, block)
    return (
        select(
            *key,
            func.count(),
            *(
                func.sum(case((OutcomeRow.result == result, 1), else_=0))
                for result in ("won", "lost", "unwinnable", "gave_up")
            ),
            func.sum(OutcomeRow.nodes),
            func.sum(OutcomeRow.cpu_ms),
        )
        .join(DealRow, DealRow.id == OutcomeRow.deal_id)
        .where(DealRow.dealer.is_not(None))
        .group_by(*key)
    )


def check_tallies(context: Context) -> None:
    """Recompute the tallies of solvers."""
    with context.cat.session() as session:
        names = ("attempted", "won", "lost", "unwinnable", "gave_up", "nodes", "cpu_ms")
        expected = {
            tuple(row[:4]): dict(zip(names, row[4:], strict=True))
            for row in session.execute(recomputed_tallies())
        }
        for stored in session.scalars(select(TallyRow)):
            key = (stored.ruleset_id, stored.solver_id, stored.dealer, stored.block)
            where = (
                f"{context.solver(stored.solver_id)} under {context.slug(stored.ruleset_id)}, "
                f"block {stored.block} of {stored.dealer}"
            )
            context.checked["tally"] += 1
            context.compare("tally", where, expected.pop(key, dict.fromkeys(names, 0)), stored)
        for key in expected:
            context.fault(
                "tally", f"block {key[3]} of {key[2]}", "missing, though there are outcomes"
            )


def check_status_tallies(context: Context) -> None:
    """Recompute the tallies of statuses."""
    with context.cat.session() as session:
        names = ("deals", "winnable", "unwinnable", "alarms")
        known = recomputed_statuses().subquery()
        block = (known.c.seed // BLOCK_SIZE).label("block")
        won, proved = known.c.wins > 0, known.c.proofs > 0
        expected = {
            tuple(row[:3]): dict(zip(names, row[3:], strict=True))
            for row in session.execute(
                select(
                    known.c.ruleset_id,
                    known.c.dealer,
                    block,
                    func.count(),
                    func.sum(case((won, 1), else_=0)),
                    func.sum(case((proved & ~won, 1), else_=0)),
                    func.sum(case((proved & won, 1), else_=0)),
                )
                .where(known.c.dealer.is_not(None))
                .group_by(known.c.ruleset_id, known.c.dealer, block)
            )
        }
        for stored in session.scalars(select(StatusTallyRow)):
            where = f"{context.slug(stored.ruleset_id)}, block {stored.block} of {stored.dealer}"
            key = (stored.ruleset_id, stored.dealer, stored.block)
            context.checked["status tally"] += 1
            context.compare(
                "status tally", where, expected.pop(key, dict.fromkeys(names, 0)), stored
            )
        for key in expected:
            context.fault(
                "status tally", f"block {key[2]} of {key[1]}", "missing, though there are outcomes"
            )
