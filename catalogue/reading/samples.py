"""Counts over a range of seeds: the attempted part, statuses and outcomes.

Counts come from the tallies of whole blocks of seeds; only the blocks at the two ends of a range
are counted deal by deal. So the cost is that of `size / BLOCK_SIZE` small rows and at most two
blocks of deals.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.orm import Session

from catalogue.schema import (
    BLOCK_SIZE,
    DealRow,
    OutcomeRow,
    RulesetRow,
    StatusRow,
    StatusTallyRow,
    TallyRow,
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
    """Numbers of outcomes of one solver in a range of seeds, and their cost."""

    attempted: int
    won: int
    lost: int
    unwinnable: int
    gave_up: int
    nodes: int
    cpu_ms: float


def of_game(ruleset_id: int) -> ColumnElement[bool]:
    """The condition that a deal is of the game of a ruleset."""
    return (
        DealRow.game == select(RulesetRow.game).where(RulesetRow.id == ruleset_id).scalar_subquery()
    )


def stored_deals(session: Session, ruleset_id: int, dealer: str, seeds: range) -> dict[int, int]:
    """Seeds of the stored deals in a range, of the ruleset's game, by the id of the deal.

    This is a separate query, not a join with outcomes: while PostgreSQL has no statistics of a
    table that is being filled, it would join them by reading all outcomes once for every deal.
    """
    rows = session.execute(
        select(DealRow.id, DealRow.seed).where(
            of_game(ruleset_id),
            DealRow.dealer == dealer,
            DealRow.seed >= seeds.start,
            DealRow.seed < seeds.stop,
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
    """
    end = first + count
    if known >= count:
        return count
    full = session.scalars(
        select(TallyRow.block)
        .where(
            TallyRow.ruleset_id == ruleset_id,
            TallyRow.solver_id.in_(solver_ids),
            TallyRow.dealer == dealer,
            TallyRow.block >= (first + known) // BLOCK_SIZE,
            TallyRow.block <= (end - 1) // BLOCK_SIZE,
            TallyRow.attempted == BLOCK_SIZE,
        )
        .group_by(TallyRow.block)
        .having(func.count() == len(solver_ids))
    )

    def attempted(low: int, high: int) -> Iterable[int]:
        seeds = stored_deals(session, ruleset_id, dealer, range(low, high))
        for solver_id in solver_ids:
            if not seeds:
                break
            # Deals were mostly stored together; a range of ids is faster to query than a list.
            lowest, highest = min(seeds), max(seeds)
            dense = highest - lowest < 4 * len(seeds)
            done = session.scalars(
                select(OutcomeRow.deal_id).where(
                    OutcomeRow.ruleset_id == ruleset_id,
                    OutcomeRow.solver_id == solver_id,
                    OutcomeRow.deal_id.between(lowest, highest)
                    if dense
                    else OutcomeRow.deal_id.in_(seeds),
                )
            )
            seeds = {deal_id: seeds[deal_id] for deal_id in done if deal_id in seeds}
        return seeds.values()

    return _first_gap(range(first + known, end), set(full), attempted) - first


def seen_prefix(session: Session, ruleset_id: int, dealer: str, first: int, count: int) -> int:
    """The number of seeds, from `first` on without a gap, with an outcome of any solver.

    The arguments are those of `attempted_prefix`.
    """
    end = first + count
    full = session.scalars(
        select(StatusTallyRow.block).where(
            StatusTallyRow.ruleset_id == ruleset_id,
            StatusTallyRow.dealer == dealer,
            StatusTallyRow.block >= first // BLOCK_SIZE,
            StatusTallyRow.block <= (end - 1) // BLOCK_SIZE,
            StatusTallyRow.deals == BLOCK_SIZE,
        )
    )

    def seen(low: int, high: int) -> Iterable[int]:
        return session.scalars(
            select(StatusRow.seed).where(
                StatusRow.ruleset_id == ruleset_id,
                StatusRow.dealer == dealer,
                StatusRow.seed >= low,
                StatusRow.seed < high,
            )
        )

    return _first_gap(range(first, end), set(full), seen) - first


def _first_gap(seeds: range, full: set[int], present: Callable[[int, int], Iterable[int]]) -> int:
    """The first missing seed, or the end of the range.

    `full` has the blocks without a missing seed; `present(low, high)` queries the seeds
    low … high − 1.
    """
    seed = seeds.start
    while seed < seeds.stop:
        block = seed // BLOCK_SIZE
        block_end = min((block + 1) * BLOCK_SIZE, seeds.stop)
        if block not in full:
            here = set(present(seed, block_end))
            while seed < block_end and seed in here:
                seed += 1
            if seed < block_end:
                return seed
        seed = block_end
    return seeds.stop


def _split(first: int, count: int) -> tuple[range, list[range]]:
    """Split a range of seeds into whole blocks and the seeds before and after them."""
    end = first + count
    low, high = -(-first // BLOCK_SIZE), end // BLOCK_SIZE
    if low >= high:
        return range(0), [range(first, end)] if count > 0 else []
    edges = [range(first, low * BLOCK_SIZE), range(high * BLOCK_SIZE, end)]
    return range(low, high), [edge for edge in edges if edge]


def _ones(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def status_counts(
    session: Session, ruleset_id: int, dealer: str, first: int, count: int
) -> StatusCounts:
    """Count the statuses under a ruleset of the seeds `first` … `first + count − 1` of a dealer."""
    blocks, edges = _split(first, count)
    rows: list[Sequence[Any]] = [
        session.execute(
            select(
                func.count(),
                _ones(StatusRow.status == "winnable"),
                _ones(StatusRow.status == "unwinnable"),
                _ones((StatusRow.wins > 0) & (StatusRow.proofs > 0)),
            ).where(
                StatusRow.ruleset_id == ruleset_id,
                StatusRow.dealer == dealer,
                StatusRow.seed >= edge.start,
                StatusRow.seed < edge.stop,
            )
        ).one()
        for edge in edges
    ]
    if blocks:
        rows.append(
            session.execute(
                select(
                    *(
                        func.coalesce(func.sum(column), 0)
                        for column in (
                            StatusTallyRow.deals,
                            StatusTallyRow.winnable,
                            StatusTallyRow.unwinnable,
                            StatusTallyRow.alarms,
                        )
                    )
                ).where(
                    StatusTallyRow.ruleset_id == ruleset_id,
                    StatusTallyRow.dealer == dealer,
                    StatusTallyRow.block >= blocks.start,
                    StatusTallyRow.block < blocks.stop,
                )
            ).one()
        )
    deals, winnable, unwinnable, alarms = (sum(int(row[k]) for row in rows) for k in range(4))
    return StatusCounts(deals, winnable, unwinnable, alarms)


def outcome_counts(
    session: Session, ruleset_id: int, solver_id: int, dealer: str, first: int, count: int
) -> OutcomeCounts:
    """Count the outcomes of a solver on the seeds `first` … `first + count − 1` of a dealer."""
    blocks, edges = _split(first, count)
    rows: list[Sequence[Any]] = [
        session.execute(
            select(
                func.count(),
                *(
                    _ones(OutcomeRow.result == result)
                    for result in ("won", "lost", "unwinnable", "gave_up")
                ),
                func.coalesce(func.sum(OutcomeRow.nodes), 0),
                func.coalesce(func.sum(OutcomeRow.cpu_ms), 0.0),
            ).where(
                OutcomeRow.ruleset_id == ruleset_id,
                OutcomeRow.solver_id == solver_id,
                OutcomeRow.deal_id.in_(stored_deals(session, ruleset_id, dealer, edge)),
            )
        ).one()
        for edge in edges
    ]
    if blocks:
        rows.append(
            session.execute(
                select(
                    *(
                        func.coalesce(func.sum(column), 0)
                        for column in (
                            TallyRow.attempted,
                            TallyRow.won,
                            TallyRow.lost,
                            TallyRow.unwinnable,
                            TallyRow.gave_up,
                            TallyRow.nodes,
                            TallyRow.cpu_ms,
                        )
                    )
                ).where(
                    TallyRow.ruleset_id == ruleset_id,
                    TallyRow.solver_id == solver_id,
                    TallyRow.dealer == dealer,
                    TallyRow.block >= blocks.start,
                    TallyRow.block < blocks.stop,
                )
            ).one()
        )
    attempted, won, lost, unwinnable, gave_up, nodes = (
        sum(int(row[k]) for row in rows) for k in range(6)
    )
    cpu_ms = sum(float(row[6]) for row in rows)
    return OutcomeCounts(attempted, won, lost, unwinnable, gave_up, nodes, cpu_ms)
