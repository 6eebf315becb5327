"""Results that follow from other rulesets are derived, not stored; skipped deals are marked.

Until now a solver by the name of ``inferred(from=…)`` had the outcomes that follow. Jobs that did
not solve these deals are of the usual kind, with a number, and the blocks of their solvers have
marks.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import sqlalchemy as sa
from alembic import op
from sqlalchemy.orm import Session

from catalogue.outcomes import ledger
from catalogue.outcomes.block_rows import Blocks, grading_solvers, store_all_statuses
from catalogue.outcomes.compaction import BlockKey, drop_rows
from catalogue.outcomes.seals import seal_of_job
from catalogue.schema import (
    BLOCK_SIZE,
    SOLVING,
    BlockRow,
    DealingRow,
    JobRow,
    JobSolverRow,
    SealRow,
    SolverRow,
)

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_INFERRED = "inferred"
_KEYS = sa.select(BlockRow.ruleset_id, BlockRow.dealing_id, BlockRow.block, BlockRow.solver_id)


def upgrade() -> None:
    with op.batch_alter_table("job") as job:
        job.add_column(sa.Column("inferred", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("status_block") as status:
        status.add_column(sa.Column("follows", sa.LargeBinary(), nullable=True))
        status.add_column(sa.Column("checksum", sa.BigInteger(), nullable=True))
    with Session(op.get_bind()) as session:
        jobs = session.scalars(sa.select(JobRow).where(JobRow.kind == _INFERRED)).all()
        counts = dict.fromkeys((job.id for job in jobs), 0)
        solvers = session.scalars(sa.select(SolverRow.id).where(SolverRow.method == _INFERRED))
        for solver_id in solvers.all():
            for block in session.execute(_KEYS.where(BlockRow.solver_id == solver_id)).all():
                _mark(session, BlockKey(*block), jobs, counts)
            seal = (SealRow.kind == "solver", SealRow.row_id == solver_id)
            session.execute(sa.delete(SealRow).where(*seal))
            session.execute(sa.delete(SolverRow).where(SolverRow.id == solver_id))
        for each in jobs:
            _convert(session, each, counts[each.id])
        _derive(session)
        ledger.settle(session)
        session.commit()


def _mark(session: Session, key: BlockKey, jobs: Sequence[JobRow], counts: dict[int, int]) -> None:
    """Delete a block of outcomes that follow, and mark its deals in those of the jobs' solvers."""
    drop_rows(session, key, decides=False)
    stored = Blocks(session, key.ruleset_id, key.dealing_id)
    stored.load({key.block})
    gone = stored.found.pop((key.block, key.solver_id)).outcomes
    session.execute(sa.delete(BlockRow).filter_by(**asdict(key)))
    ledger.remove(session, "block", asdict(key))
    dealer = session.scalar(sa.select(DealingRow.dealer).where(DealingRow.id == key.dealing_id))
    followed = np.flatnonzero(gone.result) + gone.first
    for job in jobs:
        if (job.ruleset_id, job.dealer) != (key.ruleset_id, dealer):
            continue
        seeds = followed + key.block * BLOCK_SIZE
        places = followed[(seeds >= job.first_seed) & (seeds - job.first_seed < job.deals)]
        counts[job.id] += len(places)
        for solver_id in _solvers_of(session, job) if len(places) else ():
            block = stored.of(key.block, solver_id)
            mine = block.outcomes.widened(int(places[0]), int(places[-1]) + 1)
            mine.skipped[places - mine.first] = mine.result[places - mine.first] == 0
            block.outcomes, block.changed = mine, True
    stored.store()


def _solvers_of(session: Session, job: JobRow) -> Sequence[int]:
    rows = sa.select(JobSolverRow.solver_id).where(JobSolverRow.job_id == job.id)
    return session.scalars(rows.order_by(JobSolverRow.place)).all()


def _convert(session: Session, job: JobRow, inferred: int) -> None:
    """Make a job one of the usual kind; one that was changed by hand keeps a wrong seal."""
    row = {column.name: getattr(job, column.name) for column in JobRow.__table__.columns}
    solvers = _solvers_of(session, job)
    job.kind, job.inferred = SOLVING, inferred
    if seal_of_job(row, solvers) == job.seal:
        job.seal = seal_of_job(row | {"kind": SOLVING, "inferred": inferred}, solvers)


def _derive(session: Session) -> None:
    """Write the statuses of all blocks that are stored under several rulesets."""
    grading = grading_solvers(session)
    keys = {tuple(key)[:3] for key in session.execute(_KEYS)}
    shared = Counter(key[1:] for key in keys)
    for ruleset_id, dealing_id, number in sorted(keys):
        if shared[dealing_id, number] > 1:
            stored = Blocks(session, ruleset_id, dealing_id)
            stored.load({number})
            known = {solver_id: each.outcomes for (_, solver_id), each in stored.found.items()}
            store_all_statuses(session, (ruleset_id, dealing_id, number), known, grading)
