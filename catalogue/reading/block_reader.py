"""Reading blocks: the outcomes and statuses of runs of seeds, kept in memory for a while."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import literal, select, union_all
from sqlalchemy.orm import Session

from catalogue.blocks import Bytes, Outcomes, Statuses, combine, decode_follows
from catalogue.outcomes.block_rows import grading_solvers
from catalogue.reading.recent import Recent
from catalogue.schema import (
    BLOCK_SIZE,
    BlockRow,
    DealingRow,
    RulesetRow,
    StatusBlockRow,
)

# The columns of numbers that statuses follow from.
STATUS_COLUMNS = ("nodes", "length")
# In the place of the id of a solver, for what follows from other rulesets.
FOLLOWS = 0
# Memory for statuses of blocks, about 100 of them; the least recently used are dropped.
CACHE_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class BlockSummary:
    """A row of `block` without its columns."""

    block: int
    solver_id: int
    attempted: int
    won: int
    lost: int
    unwinnable: int
    gave_up: int
    nodes: int
    cpu_us: int
    checksum: int


_SUMMARY = tuple(getattr(BlockRow, name) for name in BlockSummary.__slots__)


def dealing_of(session: Session, ruleset_id: int, dealer: str | None) -> int | None:
    """The id of the dealing of a ruleset's game with a dealer; None if nothing is stored of it."""
    found: int | None = session.execute(
        select(DealingRow.id)
        .join(RulesetRow, RulesetRow.game == DealingRow.game)
        .where(RulesetRow.id == ruleset_id, DealingRow.dealer == dealer)
    ).scalar()
    return found


def summaries(
    session: Session,
    ruleset_id: int,
    dealing_id: int,
    blocks: range | None = None,
    solver_ids: Collection[int] | None = None,
) -> list[BlockSummary]:
    """The blocks of a ruleset and dealing, in order, by default all of them.

    Beside those of all solvers there is one of the solver `FOLLOWS`, without outcomes, where any
    result follows from other rulesets: all together change with whatever statuses depend on.
    """
    query = select(*_SUMMARY)
    if solver_ids is not None:
        query = query.where(BlockRow.solver_id.in_(solver_ids))
    queries: list[tuple[Any, Any]] = [(BlockRow, query)]
    if solver_ids is None:
        row = StatusBlockRow
        none = (literal(0).label(name) for name in BlockSummary.__slots__[2:-1])
        follows = select(row.block, literal(FOLLOWS).label("solver_id"), *none, row.checksum)
        queries.append((row, follows.where(row.follows.is_not(None))))
    parts = []
    for model, each in queries:
        each = each.where(model.ruleset_id == ruleset_id, model.dealing_id == dealing_id)
        if blocks is not None:
            each = each.where(model.block >= blocks.start, model.block < blocks.stop)
        parts.append(each)
    found = session.execute(union_all(*parts))
    return sorted((BlockSummary(*row) for row in found), key=lambda r: (r.block, r.solver_id))


def read_outcomes(
    session: Session,
    ruleset_id: int,
    dealing_id: int,
    block: int,
    solver_ids: Collection[int] | None = None,
    only: Collection[str] = ("nodes", "length", "cpu_us"),
) -> dict[int, Outcomes]:
    """The outcomes on a block, by solver; `only` as of `Outcomes.decode`."""
    query = select(BlockRow.solver_id, BlockRow.columns).where(
        BlockRow.ruleset_id == ruleset_id,
        BlockRow.dealing_id == dealing_id,
        BlockRow.block == block,
    )
    if solver_ids is not None:
        query = query.where(BlockRow.solver_id.in_(solver_ids))
    return {row.solver_id: Outcomes.decode(row.columns, only) for row in session.execute(query)}


def read_follows(session: Session, ruleset_id: int, dealing_id: int, block: int) -> Bytes | None:
    """The codes of the results that follow for the deals of a block; None for none."""
    row = StatusBlockRow
    return decode_follows(
        session.scalar(
            select(row.follows).where(
                row.ruleset_id == ruleset_id, row.dealing_id == dealing_id, row.block == block
            )
        )
    )


def read_statuses(
    session: Session,
    ruleset_id: int,
    dealing_id: int,
    block: int,
    known: Sequence[BlockSummary] | None = None,
) -> Statuses:
    """The statuses of a block, from the outcomes of all solvers.

    `known` are the summaries of its rows, if they have been read.
    """
    if known is None:
        known = summaries(session, ruleset_id, dealing_id, range(block, block + 1))
    key = (
        ruleset_id,
        dealing_id,
        block,
        tuple((each.solver_id, each.checksum) for each in known if each.block == block),
    )
    cached = _cache.get(key)
    if cached is not None:
        return cached
    found = read_outcomes(session, ruleset_id, dealing_id, block, only=STATUS_COLUMNS)
    follows = None
    if any(each.block == block and each.solver_id == FOLLOWS for each in known):
        follows = read_follows(session, ruleset_id, dealing_id, block)
    statuses = combine(found, grading_solvers(session), follows)
    _cache.put(key, statuses)
    return statuses


def cut(statuses: Statuses, block: int, seeds: range) -> slice:
    """The slice of a block's statuses that lies in a range of seeds."""
    start = block * BLOCK_SIZE + statuses.first
    low = min(max(seeds.start - start, 0), len(statuses))
    high = min(max(seeds.stop - start, low), len(statuses))
    return slice(low, high)


def _size(statuses: Statuses) -> int:
    arrays = (getattr(statuses, name) for name in statuses.__slots__)
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


_cache: Recent[Statuses] = Recent(CACHE_BYTES, _size)
