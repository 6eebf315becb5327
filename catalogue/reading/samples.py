"""Counts over a range of seeds: the attempted part, statuses and outcomes.

Counts come from the rows of whole blocks; only the blocks at the two ends of a range are read deal
by deal. So the cost is that of `size / BLOCK_SIZE` small rows and at most two blocks.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue.blocks import RESULTS, Outcomes
from catalogue.reading.block_reader import (
    BlockSummary,
    cut,
    dealing_of,
    read_outcomes,
    read_statuses,
    summaries,
)
from catalogue.schema import (
    BLOCK_SIZE,
    BlockRow,
    DealRow,
    StatusBlockRow,
    within,
)


@dataclass(frozen=True, slots=True)
class StatusCounts:
    """Numbers of statuses in a range of seeds; `deals` counts deals with any outcome."""

    deals: int
    winnable: int
    unwinnable: int
    alarms: int  # deals both won and proved unwinnable; they count as winnable too


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Numbers of outcomes of one solver in a range of seeds, and their cost.

    Of a part of a block, nodes and time of outcomes of which they are not known are estimated from
    its totals.
    """

    attempted: int
    won: int
    lost: int
    unwinnable: int
    gave_up: int
    nodes: int
    cpu_ms: float


def stored_deals(session: Session, ruleset_id: int, dealer: str, seeds: range) -> dict[int, int]:
    """Seeds of the deals in a range that have rows, of the ruleset's game, by the id of the deal.

    This is a separate query, not a join with outcomes: while PostgreSQL has no statistics of a
    table that is being filled, it would join them by reading all outcomes once for every deal.
    """
    dealing_id = dealing_of(session, ruleset_id, dealer)
    rows = session.execute(
        select(DealRow.id, DealRow.seed).where(
            DealRow.dealing_id == dealing_id,
            within(DealRow.seed, seeds),
        )
    )
    return {row.id: row.seed for row in rows}


def attempted_prefix(
    session: Session,
    ruleset_id: int,
    solver_ids: Sequence[int],
    dealer: str,
    first: int,
    count: int,
    known: int = 0,
    *,
    skipped: bool = False,
) -> int:
    """The number of seeds, from `first` on without a gap, with an outcome of each of the solvers.

    Args:
        session: a session.
        ruleset_id: the ruleset of the outcomes.
        solver_ids: the solvers, at least one.
        dealer: slug of the dealer.
        first: the first seed of the range.
        count: size of the range, the largest possible result.
        known: an earlier result for the same arguments, to continue from. Outcomes are never
            deleted, so it still holds.
        skipped: whether a deal that a solver has skipped, as its outcome follows, counts as well.
    """
    dealing_id = dealing_of(session, ruleset_id, dealer)
    if known >= count or dealing_id is None:
        return min(known, count)
    asked = set(solver_ids)
    seeds = range(first + known, first + count)
    found: dict[int, list[BlockSummary]] = defaultdict(list)
    for each in summaries(session, ruleset_id, dealing_id, _blocks(seeds), asked):
        found[each.block].append(each)
    for block in _blocks(seeds):
        mine = found.get(block, [])
        if len(mine) < len(asked):
            return max(block * BLOCK_SIZE - first, known)
        if all(each.attempted == BLOCK_SIZE for each in mine):
            continue
        tried = np.logical_and.reduce(
            tried_by(
                session, ruleset_id, dealing_id, _part_of(block, seeds), solver_ids, skipped=skipped
            )
        )
        if not tried.all():
            return max(block * BLOCK_SIZE, seeds.start) + int(tried.argmin()) - first
    return count


def done_count(
    session: Session,
    ruleset_id: int,
    solver_ids: Sequence[int],
    dealer: str,
    first: int,
    count: int,
) -> int:
    """The number of outcomes of some solvers, counting the deals that they have skipped.

    The arguments are those of `attempted_prefix`.
    """
    dealing_id = dealing_of(session, ruleset_id, dealer)
    if dealing_id is None or count <= 0:
        return 0
    return sum(
        int(tried.sum())
        for seeds in parts_of(range(first, first + count))
        for tried in tried_by(session, ruleset_id, dealing_id, seeds, solver_ids, skipped=True)
    )


def tried_by(
    session: Session,
    ruleset_id: int,
    dealing_id: int,
    seeds: range,
    solver_ids: Sequence[int],
    *,
    skipped: bool,
) -> list[NDArray[np.bool_]]:
    """For each solver bool[n]: which seeds of one block it has attempted, or else skipped."""
    block = seeds.start // BLOCK_SIZE
    found = read_outcomes(session, ruleset_id, dealing_id, block, set(solver_ids), ())
    none = Outcomes.empty()
    return [
        _spread((columns.result > 0) | (columns.skipped & skipped), columns.first, block, seeds)
        for columns in (found.get(each, none) for each in solver_ids)
    ]


def seen_prefix(session: Session, ruleset_id: int, dealer: str, first: int, count: int) -> int:
    """The number of seeds, from `first` on without a gap, with an outcome of any solver.

    The arguments are those of `attempted_prefix`.
    """
    dealing_id = dealing_of(session, ruleset_id, dealer)
    if dealing_id is None:
        return 0
    seeds = range(first, first + count)
    blocks = _blocks(seeds)
    rows = session.execute(
        select(StatusBlockRow.block, StatusBlockRow.deals).where(
            StatusBlockRow.ruleset_id == ruleset_id,
            StatusBlockRow.dealing_id == dealing_id,
            StatusBlockRow.block >= blocks.start,
            StatusBlockRow.block < blocks.stop,
        )
    )
    deals = {row.block: row.deals for row in rows}
    for block in blocks:
        if deals.get(block, 0) == BLOCK_SIZE:
            continue
        start = max(block * BLOCK_SIZE, first)
        if block not in deals:
            return start - first
        statuses = read_statuses(session, ruleset_id, dealing_id, block)
        stop = min((block + 1) * BLOCK_SIZE, seeds.stop)
        seen = _spread(statuses.status > 0, statuses.first, block, range(start, stop))
        if not seen.all():
            return start + int(seen.argmin()) - first
    return count


def status_counts(
    session: Session, ruleset_id: int, dealer: str, first: int, count: int
) -> StatusCounts:
    """Count the statuses under a ruleset of the seeds `first` … `first + count − 1` of a dealer."""
    dealing_id = dealing_of(session, ruleset_id, dealer)
    if dealing_id is None or count <= 0:
        return StatusCounts(0, 0, 0, 0)
    whole, edges = _split(first, count)
    total = np.zeros(4, dtype=np.int64)
    for edge in edges:
        block = edge.start // BLOCK_SIZE
        statuses = read_statuses(session, ruleset_id, dealing_id, block)
        n = np.bincount(statuses.status[cut(statuses, block, edge)], minlength=5)
        total += (n[1:].sum(), n[2] + n[4], n[3], n[4])
    if whole:
        columns = (
            StatusBlockRow.deals,
            StatusBlockRow.winnable,
            StatusBlockRow.unwinnable,
            StatusBlockRow.alarms,
        )
        row = session.execute(
            select(*(func.coalesce(func.sum(column), 0) for column in columns)).where(
                StatusBlockRow.ruleset_id == ruleset_id,
                StatusBlockRow.dealing_id == dealing_id,
                StatusBlockRow.block >= whole.start,
                StatusBlockRow.block < whole.stop,
            )
        ).one()
        total += [int(value) for value in row]
    return StatusCounts(*total.tolist())


def outcome_counts(
    session: Session, ruleset_id: int, solver_id: int, dealer: str, first: int, count: int
) -> OutcomeCounts:
    """Count the outcomes of a solver on the seeds `first` … `first + count − 1` of a dealer."""
    dealing_id = dealing_of(session, ruleset_id, dealer)
    if dealing_id is None or count <= 0:
        return OutcomeCounts(0, 0, 0, 0, 0, 0, 0.0)
    whole, edges = _split(first, count)
    total = np.zeros(6, dtype=np.int64)
    cpu_us = 0.0
    for edge in edges:
        block = edge.start // BLOCK_SIZE
        found = read_outcomes(session, ruleset_id, dealing_id, block, [solver_id])
        if solver_id not in found:
            continue
        columns = found[solver_id]
        inside = _inside(columns, block, edge)
        n = np.bincount(columns.result[inside], minlength=5)
        total[:5] += (n[1:].sum(), *n[1:])
        nodes = int(np.maximum(columns.nodes[inside], 0).sum())
        spent = float(np.maximum(columns.cpu_us[inside], 0).sum())
        unknown = columns.unknown
        if unknown[inside].any():
            (stored,) = summaries(
                session, ruleset_id, dealing_id, range(block, block + 1), [solver_id]
            )
            part = unknown[inside].sum() / unknown.sum()
            nodes += round(part * (stored.nodes - np.maximum(columns.nodes, 0).sum()))
            spent += part * max(stored.cpu_us - np.maximum(columns.cpu_us, 0).sum(), 0)
        total[5] += nodes
        cpu_us += spent
    if whole:
        row = session.execute(
            select(
                *(
                    func.coalesce(func.sum(column), 0)
                    for column in (
                        BlockRow.attempted,
                        *(getattr(BlockRow, name) for name in RESULTS),
                        BlockRow.nodes,
                        BlockRow.cpu_us,
                    )
                )
            ).where(
                BlockRow.ruleset_id == ruleset_id,
                BlockRow.solver_id == solver_id,
                BlockRow.dealing_id == dealing_id,
                BlockRow.block >= whole.start,
                BlockRow.block < whole.stop,
            )
        ).one()
        total += [int(value) for value in row[:6]]
        cpu_us += float(row[6])
    attempted, won, lost, unwinnable, gave_up, nodes = total.tolist()
    return OutcomeCounts(attempted, won, lost, unwinnable, gave_up, nodes, cpu_us / 1000)


def attempts(
    session: Session, ruleset_id: int, solver_id: int, dealer: str, seeds: range
) -> NDArray[np.uint8]:
    """The results of a solver on a range of seeds, uint8[n]: codes of `RESULT_CODES`, 0 for none.

    The range must be short: it is read block by block.
    """
    found = np.zeros(len(seeds), dtype=np.uint8)
    dealing_id = dealing_of(session, ruleset_id, dealer)
    if dealing_id is None:
        return found
    for block in _blocks(seeds):
        of_solver = read_outcomes(session, ruleset_id, dealing_id, block, [solver_id])
        for columns in of_solver.values():
            inside = _inside(columns, block, seeds)
            at = block * BLOCK_SIZE + columns.first + inside.start - seeds.start
            values = columns.result[inside]
            found[at : at + len(values)] = values
    return found


def _blocks(seeds: range) -> range:
    """The blocks in which a range of seeds lies."""
    if not seeds:
        return range(0)
    return range(seeds.start // BLOCK_SIZE, (seeds.stop - 1) // BLOCK_SIZE + 1)


def _inside(columns: Outcomes, block: int, seeds: range) -> slice:
    """The slice of a block's columns that lies in a range of seeds."""
    start = block * BLOCK_SIZE + columns.first
    low = min(max(seeds.start - start, 0), len(columns))
    return slice(low, min(max(seeds.stop - start, low), len(columns)))


def parts_of(seeds: range) -> list[range]:
    """The parts of a range of seeds that lie in one block each."""
    return [_part_of(block, seeds) for block in _blocks(seeds)]


def _part_of(block: int, seeds: range) -> range:
    """The seeds of a range that lie in a block."""
    return range(max(block * BLOCK_SIZE, seeds.start), min((block + 1) * BLOCK_SIZE, seeds.stop))


def _spread(values: NDArray[np.bool_], place: int, block: int, seeds: range) -> NDArray[np.bool_]:
    """Values that begin at a place of a block, cut or extended by False to a range of seeds."""
    wide = np.zeros(BLOCK_SIZE, dtype=np.bool_)
    wide[place : place + len(values)] = values
    low = seeds.start - block * BLOCK_SIZE
    return wide[low : low + len(seeds)]


def _split(first: int, count: int) -> tuple[range, list[range]]:
    """Split a range of seeds into whole blocks and the seeds before and after them."""
    end = first + count
    low, high = -(-first // BLOCK_SIZE), end // BLOCK_SIZE
    if low >= high:
        edges = [
            range(first, min(low * BLOCK_SIZE, end)),
            range(max(high * BLOCK_SIZE, first), end),
        ]
        if low > high:  # all in one block
            edges = [range(first, end)]
        return range(0), [edge for edge in edges if edge]
    edges = [range(first, low * BLOCK_SIZE), range(high * BLOCK_SIZE, end)]
    return range(low, high), [edge for edge in edges if edge]
