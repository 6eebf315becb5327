"""Checks of blocks: compared with rows and other rulesets; their statuses follow from them."""

import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue import blocks
from catalogue.blocks import RESULTS, Bytes, Cells, Outcomes, decode_follows
from catalogue.outcomes.block_rows import outcomes_of_rows
from catalogue.outcomes.following import Verdicts, follow, order_of
from catalogue.reading.alarms import cross_alarms
from catalogue.schema import (
    BLOCK_SIZE,
    BlockRow,
    DealRow,
    OutcomeRow,
    ProvenanceRow,
    StatusBlockRow,
    seeds_of_block,
    within,
)
from catalogue.verify.context import Context

# The columns over which the checksum of a block is, beside those of its key and its outcomes.
_SUMMED = ("attempted", *RESULTS, "rowed", "nodes", "cpu_us", "provenance")
# A clock may be this far ahead.
_AHEAD = timedelta(days=1)
_WORDS = ("none", *RESULTS)


def check_blocks(context: Context) -> None:
    """Recompute a block of seeds: the columns of all solvers, their counts, and the statuses."""
    dealing_id, block = context.block
    row, block_name = BlockRow, context.block_name(dealing_id, block)
    known: dict[int, dict[int, Outcomes]] = defaultdict(dict)
    broken: set[int] = set()
    with context.cat.session() as session:
        pairs = session.execute(
            select(row.ruleset_id, row.solver_id).where(
                row.dealing_id == dealing_id, row.block == block
            )
        )
        keys = {(pair[0], pair[1]) for pair in pairs}
        rowed = _pairs_with_rows(session, dealing_id, block)
        for ruleset_id, solver_id in sorted(keys | rowed, key=str):
            by = f"{context.solver(solver_id).name} under {context.slug(ruleset_id)}"
            name = f"{by}, {block_name}"
            context.checked["block"] += 1
            if (ruleset_id, solver_id) not in keys:
                context.fault("block", name, "missing, though there are outcomes")
                broken.add(ruleset_id)
                continue
            key = (ruleset_id, dealing_id, block, solver_id)
            try:
                known[ruleset_id][solver_id] = _check_block(context, session, key, name)
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                context.fault("block", name, str(error).partition("\n")[0])
                broken.add(ruleset_id)
        _check_statuses(context, session, known, broken)


def check_rulesets(context: Context) -> None:
    """Report deals won under a ruleset and proved unwinnable under one that allows more."""
    found = cross_alarms(context.cat)
    for alarm in found.alarms:
        context.fault("alarm", alarm.deal, str(alarm))
    context.checked["rulesets"] += found.compared


def _pairs_with_rows(session: Session, dealing_id: int, block: int) -> set[tuple[int, int]]:
    """Rulesets and solvers that have rows of outcomes on deals of the block."""
    rows = session.execute(
        select(OutcomeRow.ruleset_id, OutcomeRow.solver_id)
        .distinct()
        .join(DealRow, DealRow.id == OutcomeRow.deal_id)
        .where(DealRow.dealing_id == dealing_id, within(DealRow.seed, seeds_of_block(block)))
    )
    return {(row[0], row[1]) for row in rows}


def _check_block(
    context: Context, session: Session, key: tuple[int, int, int, int], name: str
) -> Outcomes:
    """Check the block of a solver, and return its columns."""
    ruleset_id, dealing_id, block, solver_id = key
    row = session.execute(
        select(BlockRow.__table__).filter_by(
            ruleset_id=ruleset_id, dealing_id=dealing_id, block=block, solver_id=solver_id
        )
    ).one()
    sums = (getattr(row, each) for each in _SUMMED)
    if blocks.checksum(row.columns, *key, *sums) != row.checksum:
        context.fault("block", name, "its checksum is not that of its columns and counts")
    columns = Outcomes.decode(row.columns)
    if np.any(columns.result > len(RESULTS)):
        raise ValueError("its columns have codes that are no results")
    if np.any(columns.dead_end > len(columns.kinds)):
        raise ValueError("its columns have codes that are no kinds of dead ends")
    context.compare("block", name, columns.counts(), row)
    rows = outcomes_of_rows(session, ruleset_id, dealing_id, block, solver_id)
    for at, what in _differences(columns, rows):
        where = context.of_block(ruleset_id, block * BLOCK_SIZE + at, solver_id)
        context.fault("block", where, what)
    provenances = set(session.scalars(select(ProvenanceRow.id)))
    context.faults("block", name, _of_provenance(columns, row.provenance, block, provenances))
    nodes, cpu_us = (int(np.maximum(each, 0).sum()) for each in (columns.nodes, columns.cpu_us))
    if not columns.unknown.any():
        context.compare("block", name, {"nodes": nodes, "cpu_us": cpu_us}, row)
    elif row.nodes < nodes or row.cpu_us < 0:
        what = f"nodes is {row.nodes}, those of its columns are at least {nodes}"
        context.fault("block", name, what)
    return columns


def _differences(mine: Outcomes, rows: Outcomes) -> Iterator[tuple[int, str]]:
    """The places where the columns of a block are not those of its rows, each with a sentence."""
    present = [each for each in (mine, rows) if len(each)]
    low = min((each.first for each in present), default=0)
    high = max((each.end for each in present), default=0)
    mine, rows = mine.widened(low, high), rows.widened(low, high)
    for at in np.flatnonzero(mine.rowed != rows.rowed).tolist():
        has = "a row" if rows.rowed[at] else "no row"
        yield low + at, f"it has {has}, its block tells otherwise"
    both = mine.rowed & rows.rowed
    same = both & (mine.result == rows.result)
    exact = same & (mine.nodes >= 0)
    kinds = [np.array(["", *each.kinds])[each.dead_end] for each in (mine, rows)]
    compared: Any = (
        ("the result", both, np.array(_WORDS)[mine.result], np.array(_WORDS)[rows.result]),
        ("nodes", exact, mine.nodes, rows.nodes),
        ("length", exact, mine.length, rows.length),
        ("cpu_us", exact, mine.cpu_us, rows.cpu_us),
        ("the dead end", both, *kinds),
    )
    for name, which, one, other in compared:
        for at in np.flatnonzero(which & (one != other)).tolist():
            yield low + at, f"its block has {name} {one[at]}, its row {other[at]}"


def _of_provenance(columns: Outcomes, stored: Any, block: int, known: set[int]) -> Iterator[str]:
    """Faults of the record of who made each outcome of a block, and when."""
    covered = np.zeros(BLOCK_SIZE, dtype=np.bool_)
    latest = datetime.now(UTC) + _AHEAD
    for first, count, provenance_id, moment in stored:
        low = first - block * BLOCK_SIZE
        if not 0 <= low < low + count <= BLOCK_SIZE:
            yield f"{count} seeds from {first} on, which are not in the block, have a provenance"
            continue
        covered[low : low + count] = True
        if provenance_id not in known:
            yield f"its provenance {provenance_id} is missing"
        when = datetime.fromisoformat(moment)
        if when.tzinfo is None or when > latest:
            yield f"it was made at {moment}, which cannot be"
    left = np.flatnonzero((columns.result > 0) & ~covered[columns.first : columns.end])
    if len(left):
        seed = block * BLOCK_SIZE + columns.first + int(left[0])
        yield f"{len(left)} seeds, such as {seed}, have no provenance"


def _check_statuses(
    context: Context,
    session: Session,
    known: Mapping[int, Mapping[int, Outcomes]],
    broken: set[int],
) -> None:
    """Compare the statuses of a block with those that follow from the outcomes of all solvers."""
    dealing_id, block = context.block
    query = select(StatusBlockRow.__table__).filter_by(dealing_id=dealing_id, block=block)
    stored = {row.ruleset_id: row for row in session.execute(query)}
    grading = [solver_id for solver_id, each in context.solvers.items() if each.grades]
    verdicts = {
        ruleset_id: Verdicts.of((context.solver(each).method, mine[each]) for each in mine)
        for ruleset_id, mine in known.items()
    }
    dealing = context.dealings.get(dealing_id)
    game = None if dealing is None else dealing.game
    order = {} if game is None else order_of(session, game.slug)
    for ruleset_id in sorted({*stored, *known}, key=str):
        name = f"{context.slug(ruleset_id)}, {context.block_name(dealing_id, block)}"
        context.checked["status block"] += 1
        follows = follow(order, ruleset_id, verdicts) if ruleset_id in verdicts else None
        statuses = blocks.combine(known.get(ruleset_id, {}), grading, follows)
        for at in np.flatnonzero(statuses.status == blocks.ALARM).tolist():
            where = context.of_block(ruleset_id, block * BLOCK_SIZE + statuses.first + at)
            wins, proofs = statuses.wins[at], statuses.proofs[at]
            context.fault("alarm", where, f"{wins} solvers won it, {proofs} proved it unwinnable")
        # What follows from a block that cannot be read is not known.
        if not broken & {ruleset_id}.union(*order.get(ruleset_id, ())):
            faults = _of_statuses(stored.get(ruleset_id), statuses, follows, block)
            context.faults("status block", name, faults)


def _of_statuses(
    row: Any, statuses: blocks.Statuses, follows: Bytes | None, block: int
) -> Iterator[str]:
    """The differences of a row of statuses from what it should be."""
    if row is None:
        yield "missing, though there are outcomes"
        return
    counts = statuses.counts()
    if not counts[0]:
        yield "there is no outcome"
    for name, count in zip(("deals", "winnable", "unwinnable", "alarms"), counts, strict=True):
        if getattr(row, name) != count:
            yield f"{name} is {getattr(row, name)}, recomputed it is {count}"
    try:
        if _contents(Cells.decode(row.cells)) != _contents(Cells.of(statuses)):
            yield "its cells are not those of its outcomes"
    except (LookupError, TypeError, ValueError) as error:
        yield f"its cells cannot be read: {error}"
    try:
        stored = decode_follows(row.follows)
    except (TypeError, ValueError) as error:
        yield f"what follows cannot be read: {error}"
        return
    checksum = None if stored is None else zlib.crc32(row.follows)
    if row.checksum != checksum:
        yield f"checksum is {row.checksum}, recomputed it is {checksum}"
    none = np.zeros(BLOCK_SIZE, np.uint8)
    wrong = np.flatnonzero(
        (none if stored is None else stored) != (none if follows is None else follows)
    )
    if len(wrong):
        deals = f"{len(wrong)} deals, such as seed {block * BLOCK_SIZE + int(wrong[0])}"
        yield f"what follows from other rulesets differs: {deals}"


def _contents(cells: Cells) -> Any:
    """The contents of cells, however they are packed."""
    arrays = (cells.status, cells.effort, cells.detail, cells.deals)
    return (*(each.tolist() for each in arrays), cells.kinds)
