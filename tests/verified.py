"""Blocks of a catalogue, found and written anew as only a program can."""

from typing import Any

from sqlalchemy import select

from catalogue.blocks import EVERYTHING, Known, Outcomes
from catalogue.outcomes.block_rows import store_block, store_statuses
from catalogue.schema import BlockRow, RulesetRow, SolverRow


def key_of(session: Any, method: str, ruleset: str) -> tuple[int, int, int, int]:
    """The key of the only block of a method under a ruleset."""
    row = session.execute(
        select(BlockRow.ruleset_id, BlockRow.dealing_id, BlockRow.block, BlockRow.solver_id)
        .join(RulesetRow, RulesetRow.id == BlockRow.ruleset_id)
        .join(SolverRow, SolverRow.id == BlockRow.solver_id)
        .where(SolverRow.method == method, RulesetRow.slug == ruleset)
    ).one()
    return tuple(row)


def rewritten(session: Any, key: tuple[int, int, int, int], columns: Outcomes) -> None:
    """Write a block anew, with its checksum and statuses, as only a program can."""
    row = session.get_one(BlockRow, key)
    depth = row.depth
    tried = columns.result > 0
    totals = (int(columns.nodes[tried].sum()), row.cpu_us)
    store_block(session, key, depth, columns, totals, row.made)
    session.expire_all()
    everyone = session.scalars(
        select(BlockRow).where(BlockRow.ruleset_id == key[0], BlockRow.dealing_id == key[1])
    )
    solvers = {each.id: each.grades for each in session.scalars(select(SolverRow))}
    known = [
        Known(Outcomes.decode(each.columns), solvers[each.solver_id], each.depth == EVERYTHING)
        for each in everyone
    ]
    store_statuses(session, key[:3], known)
