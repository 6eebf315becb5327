"""Deleting the rows of outcomes, block by block; what is known of them stays in the blocks.

What is dropped is what the solver and the dealer make again: the rows of deals, outcomes, solutions
and dead ends. So nothing is dropped of imported deals and of other programs' solvers. Kept as rows
are the outcomes that a job keeps in any case (slow ones, and undecided ones of a solver that
decides deals) and those that a regret refers to.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sqlalchemy import delete, exists, select, text, update
from sqlalchemy.orm import Session

from catalogue.blocks import GAVE_UP, RESULT_CODES, Outcomes
from catalogue.outcomes import ledger
from catalogue.outcomes.block_rows import Blocks, lock_block
from catalogue.outcomes.chunk import FOREIGN
from catalogue.outcomes.packed import SLOW_US
from catalogue.outcomes.rows import BATCH
from catalogue.outcomes.seals import add_up, content_of, seal_of_batch, seal_of_outcomes
from catalogue.schema import (
    BLOCK_SIZE,
    IMPORTED,
    BatchRow,
    BlockRow,
    DeadEndRow,
    DealingRow,
    DealRow,
    OutcomeRow,
    RegretRow,
    RulesetRow,
    SolutionRow,
    SolverRow,
    same_outcome,
    seeds_of_block,
    within,
)
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from solvers.registry import get_method
from solvers.solver import parse_solver


@dataclass(frozen=True, slots=True)
class BlockKey:
    """The key of a row of `block`."""

    ruleset_id: int
    dealing_id: int
    block: int
    solver_id: int


def blocks_with_rows(
    cat: Catalogue,
    lacking: bool,
    ruleset_id: int | None = None,
    dealer: str | None = None,
    solver_ids: list[int] | None = None,
) -> list[BlockKey]:
    """The blocks with rows, or those with outcomes lacking one; None sets no condition."""
    query = (
        select(BlockRow.ruleset_id, BlockRow.dealing_id, BlockRow.block, BlockRow.solver_id)
        .join(DealingRow, DealingRow.id == BlockRow.dealing_id)
        .join(SolverRow, SolverRow.id == BlockRow.solver_id)
        .where(
            # Nobody here can make these again: the cards of imported deals, and the solutions of
            # other programs.
            DealingRow.dealer != IMPORTED,
            SolverRow.method.not_like(f"{FOREIGN}%"),
            BlockRow.rowed < BlockRow.attempted if lacking else BlockRow.rowed > 0,
        )
        .order_by(BlockRow.ruleset_id, BlockRow.dealing_id, BlockRow.block, BlockRow.solver_id)
    )
    if ruleset_id is not None:
        query = query.where(BlockRow.ruleset_id == ruleset_id)
    if dealer is not None:
        query = query.where(DealingRow.dealer == dealer)
    if solver_ids is not None:
        query = query.where(BlockRow.solver_id.in_(solver_ids))
    with cat.session() as session:
        return [BlockKey(*row) for row in session.execute(query)]


def compact(cat: Catalogue, keys: list[BlockKey]) -> Iterator[int]:
    """Drop the rows of blocks, each in a transaction; yield how many rows of each are dropped."""
    with cat.session() as session:
        methods = session.execute(select(SolverRow.id, SolverRow.method))
        decides = {row.id: _decides(row.method) for row in methods}
    for key in keys:
        with cat.begin() as session:
            yield drop_rows(session, key, decides[key.solver_id])


def sizes(cat: Catalogue, keys: list[BlockKey]) -> Iterator[int]:
    """The number of outcomes of each block that have rows."""
    with cat.session() as session:
        for key in keys:
            row = (key.ruleset_id, key.dealing_id, key.block, key.solver_id)
            block = session.get(BlockRow, row)
            yield 0 if block is None else block.rowed


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive deals of blocks, which their solver can solve again.

    Attributes:
        ruleset: slug of the ruleset.
        sample: the deals, all of them attempted.
        solver: the solver as text.
        missing: number of those whose outcome has no row.
    """

    ruleset: str
    sample: Sample
    solver: str
    missing: int


def spans(cat: Catalogue, keys: list[BlockKey]) -> list[Span]:
    """The attempted deals of blocks, as samples that are as long as possible.

    Raises:
        BadInput: this program does not have the solver of a block, or has it in another version.
    """
    found: list[Span] = []
    last: tuple[int, int, int] | None = None
    for key in sorted(keys, key=lambda k: (k.ruleset_id, k.solver_id, k.dealing_id, k.block)):
        with cat.session() as session:
            row = session.execute(
                select(
                    RulesetRow.slug,
                    DealingRow.dealer,
                    SolverRow.name,
                    SolverRow.version,
                    BlockRow.columns,
                )
                .join(RulesetRow, RulesetRow.id == BlockRow.ruleset_id)
                .join(DealingRow, DealingRow.id == BlockRow.dealing_id)
                .join(SolverRow, SolverRow.id == BlockRow.solver_id)
                .where(
                    BlockRow.ruleset_id == key.ruleset_id,
                    BlockRow.dealing_id == key.dealing_id,
                    BlockRow.block == key.block,
                    BlockRow.solver_id == key.solver_id,
                )
            ).one()
        here = parse_solver(row.name).method.version
        if here != row.version:
            raise BadInput(
                f"outcomes under {row.slug} are of version {row.version} of {row.name}, but "
                f"this program has version {here}, which may find others"
            )
        columns = Outcomes.decode(row.columns)
        tried = np.flatnonzero(np.diff(np.pad((columns.result > 0).astype(np.int8), 1)))
        start = key.block * BLOCK_SIZE + columns.first
        for low, high in tried.reshape(-1, 2).tolist():
            missing = int((~columns.rowed[low:high]).sum())
            same = (key.ruleset_id, key.solver_id, key.dealing_id)
            before = found[-1] if found and last == same else None
            if before is not None and before.sample.last + 1 == start + low:
                sample = Sample(row.dealer, before.sample.first, before.sample.count + high - low)
                found[-1] = replace(before, sample=sample, missing=before.missing + missing)
            else:
                sample = Sample(row.dealer, start + low, high - low)
                found.append(Span(row.slug, sample, row.name, missing))
            last = same
    return found


def give_back_space(cat: Catalogue) -> None:
    """Have the database free the space of deleted rows: of the file on SQLite, for reuse else."""
    if cat.engine.dialect.name == "sqlite":
        connection = sqlite3.connect(str(cat.engine.url.database), isolation_level=None)
        try:
            connection.execute("VACUUM")
        finally:
            connection.close()
        return
    with cat.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection_:
        for model in (SolutionRow, DeadEndRow, OutcomeRow, DealRow, BlockRow):
            connection_.execute(text(f"VACUUM (ANALYZE) {model.__tablename__}"))


def _decides(slug: str) -> bool:
    try:
        return get_method(slug).decides
    except BadInput:
        return False  # a method that this program no longer has


def drop_rows(session: Session, key: BlockKey, decides: bool) -> int:
    """Drop the rows of a block, but for those that a job keeps in any case; return their number.

    `decides` tells whether what the solver gives up is kept.
    """
    lock_block(session, session.get_one(DealingRow, key.dealing_id).dealer, key.block)
    stored = Blocks(session, key.ruleset_id, key.dealing_id)
    stored.load({key.block})
    block = stored.of(key.block, key.solver_id)
    if not block.outcomes.rowed.any():
        return 0  # another process has compacted it
    deals = session.execute(
        select(
            DealRow.id,
            DealRow.seed,
            DealRow.digest,
            OutcomeRow.result,
            OutcomeRow.nodes,
            OutcomeRow.cpu_us,
            OutcomeRow.batch_id,
            SolutionRow.moves,
            DeadEndRow.kind,
            DeadEndRow.witness,
            exists().where(same_outcome(RegretRow)).label("regretted"),
        )
        .select_from(DealRow)
        .join(OutcomeRow, OutcomeRow.deal_id == DealRow.id)
        .outerjoin(SolutionRow, same_outcome(SolutionRow))
        .outerjoin(DeadEndRow, same_outcome(DeadEndRow))
        .where(
            DealRow.dealing_id == key.dealing_id,
            within(DealRow.seed, seeds_of_block(key.block)),
            OutcomeRow.ruleset_id == key.ruleset_id,
            OutcomeRow.solver_id == key.solver_id,
        )
        .order_by(DealRow.seed)
    ).all()
    kept = np.array(
        [
            each.regretted
            or (each.cpu_us or 0) > SLOW_US
            or (decides and RESULT_CODES[each.result] == GAVE_UP)
            for each in deals
        ],
        dtype=np.bool_,
    )
    dropped = [each for each, keep in zip(deals, kept.tolist(), strict=True) if not keep]
    _take_from_batches(session, key, dropped)
    _delete_rows(session, key, [each.id for each in dropped])
    at = np.array([each.seed for each in deals], dtype=np.int64)
    block.outcomes.rowed[at - key.block * BLOCK_SIZE - block.outcomes.first] = kept
    block.changed = True
    stored.store()
    return len(dropped)


def _take_from_batches(session: Session, key: BlockKey, dropped: Sequence[Any]) -> None:
    """Take rows out of the seals of their batches; a batch without rows is deleted."""
    if not dropped:
        return
    shares = seal_of_outcomes(
        np.array([[key.ruleset_id, key.solver_id, each.id] for each in dropped], dtype=np.int64),
        [each.digest for each in dropped],
        np.array([RESULT_CODES[each.result] for each in dropped], dtype=np.uint8),
        np.array([each.nodes for each in dropped], dtype=np.int64),
        np.array([-1 if each.cpu_us is None else each.cpu_us for each in dropped], dtype=np.int64),
        np.array(
            [
                content_of(each.moves, None if each.kind is None else (each.kind, each.witness))
                for each in dropped
            ],
            dtype=np.int64,
        ),
    ).tolist()
    taken: dict[int, list[int]] = defaultdict(list)
    for each, share in zip(dropped, shares, strict=True):
        taken[each.batch_id].append(share)
    for batch_id, gone in sorted(taken.items()):
        # Another block may take rows out of the same batch at the same time.
        batch = session.get_one(BatchRow, batch_id, with_for_update=True)
        rows = batch.rows - len(gone)
        own = seal_of_batch(batch.provenance_id, batch.created_at, batch.rows)
        new = seal_of_batch(batch.provenance_id, batch.created_at, rows)
        session.execute(
            update(BatchRow)
            .where(BatchRow.id == batch_id)
            .values(rows=rows, seal=add_up([batch.seal, -own, new, *(-share for share in gone)]))
        )


def _delete_rows(session: Session, key: BlockKey, deal_ids: list[int]) -> None:
    """Delete the rows of outcomes, and of the deals and batches that have none left."""
    for among in _parts(deal_ids):
        for model in (SolutionRow, DeadEndRow, OutcomeRow):
            session.execute(
                delete(model).where(
                    model.ruleset_id == key.ruleset_id,
                    model.solver_id == key.solver_id,
                    model.deal_id.in_(among),
                )
            )
        session.execute(
            delete(DealRow).where(
                DealRow.id.in_(among), ~exists().where(OutcomeRow.deal_id == DealRow.id)
            )
        )
    emptied = delete(BatchRow).where(BatchRow.rows == 0)
    gone = emptied.returning(BatchRow.id, BatchRow.provenance_id, BatchRow.created_at)
    for row in session.execute(gone).mappings().all():
        ledger.remove(session, "batch", row)


def _parts(ids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]
