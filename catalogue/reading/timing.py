"""Which stored CPU times may hold the compiling of kernels: those of an earlier clock.

Until schema 0008 the time of a deal held what was compiled within it: seconds, for a few deals of a
machine. Such times are sealed, and stay; the provenance of outcomes says by which clock they are
(`catalogue.outcomes.provenance.CLOCK`).
"""

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from catalogue.outcomes.provenance import CLOCK
from catalogue.schema import BatchRow, BlockRow, OutcomeRow, ProvenanceRow

REMARK = "may hold the compiling of kernels, as they were stored before schema 0008"


def may_hold_compiling(session: Session, ruleset_id: int, solver_id: int) -> bool:
    """Whether a CPU time that is stored of a solver under a ruleset is of an earlier clock."""
    earlier = set(session.scalars(select(ProvenanceRow.id).where(ProvenanceRow.clock < CLOCK)))
    if not earlier:
        return False
    rows = (
        select(OutcomeRow.deal_id)
        .join(BatchRow, BatchRow.id == OutcomeRow.batch_id)
        .where(
            OutcomeRow.ruleset_id == ruleset_id,
            OutcomeRow.solver_id == solver_id,
            OutcomeRow.cpu_us.is_not(None),
            BatchRow.provenance_id.in_(earlier),
        )
    )
    if session.scalar(select(exists(rows))):
        return True
    blocks = select(BlockRow.provenance).where(
        BlockRow.ruleset_id == ruleset_id, BlockRow.solver_id == solver_id, BlockRow.cpu_us > 0
    )
    return any(each[2] in earlier for ranges in session.scalars(blocks) for each in ranges)
