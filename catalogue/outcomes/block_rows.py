"""The rows of blocks and of their statuses, read, changed and written within a transaction."""

import zlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue import blocks
from catalogue.blocks import RESULT_CODES, Bytes
from catalogue.outcomes import ledger
from catalogue.outcomes.following import follow, order_of, read_verdicts
from catalogue.outcomes.rows import among, replace_row
from catalogue.schema import (
    BLOCK_SIZE,
    BlockRow,
    DeadEndRow,
    DealRow,
    OutcomeRow,
    RulesetRow,
    SolutionRow,
    SolverRow,
    StatusBlockRow,
    same_outcome,
    seeds_of_block,
    within,
)
from catalogue.store import lock

# Blocks share this many advisory locks, so that a chunk of scattered seeds never needs more.
STRIPES = 256


@dataclass(slots=True)
class Block:
    """A block while it is written."""

    outcomes: blocks.Outcomes
    nodes: int = 0
    cpu_us: int = 0
    provenance: list[Any] = field(default_factory=list)
    changed: bool = False


class Blocks:
    """The blocks of a ruleset and dealing that a transaction changes, of all solvers."""

    def __init__(self, session: Session, ruleset_id: int, dealing_id: int) -> None:
        self.session = session
        self.ruleset_id = ruleset_id
        self.dealing_id = dealing_id
        self.found: dict[tuple[int, int], Block] = {}  # by number and solver
        self._loaded: set[int] = set()

    def load(self, numbers: set[int]) -> None:
        """Read the stored blocks with these numbers, unless they have been read."""
        row = BlockRow
        query = select(
            row.block, row.solver_id, row.nodes, row.cpu_us, row.provenance, row.columns
        ).where(row.ruleset_id == self.ruleset_id, row.dealing_id == self.dealing_id)
        wanted = numbers - self._loaded
        for condition in among(row.block, wanted):
            for block, solver_id, nodes, cpu_us, provenance, columns in self.session.execute(
                query.where(condition)
            ):
                if block in wanted:
                    outcomes = blocks.Outcomes.decode(columns)
                    self.found[block, solver_id] = Block(outcomes, nodes, cpu_us, list(provenance))
        self._loaded |= wanted

    def of(self, number: int, solver_id: int) -> Block:
        """The block of a number and solver, new if it is not stored."""
        return self.found.setdefault((number, solver_id), Block(blocks.Outcomes.empty()))

    def store(self) -> None:
        """Write the blocks that have changed, and the statuses that follow."""
        grading = grading_solvers(self.session)
        changed = {number for (number, _), block in self.found.items() if block.changed}
        known: dict[int, dict[int, blocks.Outcomes]] = defaultdict(dict)
        for (number, solver_id), block in sorted(self.found.items(), key=lambda item: item[0]):
            key = (self.ruleset_id, self.dealing_id, number, solver_id)
            if block.changed:
                mine = block.outcomes
                if mine.unknown.any() and np.array_equal(mine.rowed, mine.result > 0):
                    # The rows have what an earlier version did not keep in the block.
                    block.outcomes = mine = outcomes_of_rows(self.session, *key)
                if not mine.unknown.any():
                    block.nodes = int(mine.nodes[mine.result > 0].sum())
                    block.cpu_us = int(np.maximum(mine.cpu_us, 0).sum())
                totals = (block.nodes, block.cpu_us)
                store_block(self.session, key, mine, totals, block.provenance)
            if number in changed:
                known[number][solver_id] = block.outcomes
        for number, everyone in known.items():
            store_all_statuses(
                self.session, (self.ruleset_id, self.dealing_id, number), everyone, grading
            )


def store_block(
    session: Session,
    key: tuple[int, int, int, int],
    outcomes: blocks.Outcomes,
    totals: tuple[int, int],
    provenance: list[Any],
) -> None:
    """Write the row of a block anew.

    Args:
        session: of a writing transaction.
        key: ids of ruleset and dealing, number of the block, and id of the solver.
        outcomes: the columns.
        totals: sum of nodes, and of microseconds of CPU time.
        provenance: as of `catalogue.schema.BlockRow`.
    """
    names = ("ruleset_id", "dealing_id", "block", "solver_id")
    columns = outcomes.encode()
    counts = outcomes.counts()
    values = {
        **dict(zip(names, key, strict=True)),
        **counts,
        "nodes": totals[0],
        "cpu_us": totals[1],
        "provenance": provenance,
        "checksum": blocks.checksum(columns, *key, *counts.values(), *totals, provenance),
        "columns": columns,
    }
    known = select(BlockRow.block).filter_by(**dict(zip(names, key, strict=True)))
    if session.scalar(known) is None:
        ledger.add(session, "block", values)
    replace_row(session, BlockRow, values)


def store_statuses(
    session: Session,
    key: tuple[int, int, int],
    known: Mapping[int, blocks.Outcomes],
    grading: Collection[int],
    follows: Bytes | None = None,
) -> None:
    """Write the row of the statuses of a block anew.

    Args:
        session: of a writing transaction.
        key: ids of ruleset and dealing, and number of the block.
        known: the outcomes of all solvers.
        grading: the solvers whose nodes measure how hard a deal is.
        follows: as of `catalogue.blocks.combine`.
    """
    statuses = blocks.combine(known, grading, follows)
    deals, winnable, unwinnable, alarms = statuses.counts()
    packed = None if follows is None else blocks.encode_follows(follows)
    values = {
        **dict(zip(("ruleset_id", "dealing_id", "block"), key, strict=True)),
        "follows": packed,
        "checksum": None if packed is None else zlib.crc32(packed),
        "deals": deals,
        "winnable": winnable,
        "unwinnable": unwinnable,
        "alarms": alarms,
        "cells": blocks.Cells.of(statuses).encode(),
    }
    replace_row(session, StatusBlockRow, values)


def store_all_statuses(
    session: Session,
    key: tuple[int, int, int],
    known: Mapping[int, blocks.Outcomes],
    grading: Collection[int],
) -> None:
    """Write the statuses of a block anew, and those under other rulesets that follow from them.

    Writers of a block wait for each other, whatever the ruleset (`lock_block`). The arguments are
    those of `store_statuses`; the outcomes are stored already.
    """
    ruleset_id, dealing_id, number = key
    game = select(RulesetRow.game).where(RulesetRow.id == ruleset_id)
    order = order_of(session, session.execute(game).scalar_one())
    related = frozenset[int]().union(*order.get(ruleset_id, ()))
    row = StatusBlockRow
    others = session.execute(
        select(row.ruleset_id, row.follows).where(
            row.ruleset_id.in_(related), row.dealing_id == dealing_id, row.block == number
        )
    ).all()
    if not others:
        store_statuses(session, key, known, grading)
        return
    verdicts = read_verdicts(session, order, dealing_id, number)
    store_statuses(session, key, known, grading, follow(order, ruleset_id, verdicts))
    for other, packed in others:
        follows = follow(order, other, verdicts)
        if blocks.encode_follows(follows) != packed:
            stored = Blocks(session, other, dealing_id)
            stored.load({number})
            theirs = {solver_id: each.outcomes for (_, solver_id), each in stored.found.items()}
            store_statuses(session, (other, dealing_id, number), theirs, grading, follows)


def outcomes_of_rows(
    session: Session, ruleset_id: int, dealing_id: int, block: int, solver_id: int
) -> blocks.Outcomes:
    """The columns of a block, from the rows of its outcomes."""
    deal, row, won, dead = DealRow, OutcomeRow, SolutionRow, DeadEndRow
    found = session.execute(
        select(deal.seed, row.result, row.nodes, row.cpu_us, won.length, dead.kind)
        .select_from(deal)
        .join(
            row,
            (row.ruleset_id == ruleset_id)
            & (row.solver_id == solver_id)
            & (row.deal_id == deal.id),
        )
        .outerjoin(won, same_outcome(won))
        .outerjoin(dead, same_outcome(dead))
        .where(
            deal.dealing_id == dealing_id,
            within(deal.seed, seeds_of_block(block)),
        )
        .order_by(deal.seed)
    ).all()
    if not found:
        return blocks.Outcomes.empty()
    first = found[0].seed - block * BLOCK_SIZE
    at = np.array([each.seed for each in found], dtype=np.int64) - found[0].seed
    return columns_of_rows(found, at, first, int(at[-1]) + 1)


def columns_of_rows(
    rows: Sequence[Any], at: blocks.Whole, first: int, count: int
) -> blocks.Outcomes:
    """Columns of `count` deals from a place on, of which rows have the outcomes at `at`."""
    columns = blocks.Outcomes.empty(first, count)
    columns.result[at] = [RESULT_CODES[each.result] for each in rows]
    columns.nodes[at] = [each.nodes for each in rows]
    columns.cpu_us[at] = [-1 if each.cpu_us is None else each.cpu_us for each in rows]
    columns.length[at] = [each.length or 0 for each in rows]
    columns.dead_end[at] = [columns.code_of(each.kind) for each in rows]
    columns.rowed[at] = True
    return columns


def lock_block(session: Session, dealer: str, block: int) -> None:
    """Take the lock of a block of a dealer's deals, as every writer of its outcomes does."""
    lock(session, stripe_of(dealer, block))


def stripe_of(dealer: str, block: int) -> int:
    """The advisory lock of a block."""
    return (zlib.crc32(dealer.encode()) + block) % STRIPES


def grading_solvers(session: Session) -> set[int]:
    """The ids of the solvers whose nodes measure how hard a deal is."""
    return set(session.scalars(select(SolverRow.id).where(SolverRow.grades)))
