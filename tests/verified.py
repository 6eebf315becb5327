"""Blocks of a catalogue, found and written anew as only a program can."""

from typing import Any

from sqlalchemy import select

from catalogue.blocks import Outcomes
from catalogue.outcomes.block_rows import grading_solvers, store_all_statuses, store_block
from catalogue.schema import IMPORTED, BlockRow, DealingRow, RulesetRow, SolverRow


def key_of(session: Any, method: str, ruleset: str) -> tuple[int, int, int, int]:
    """The key of the only block of dealt deals of a method under a ruleset."""
    row = session.execute(
        select(BlockRow.ruleset_id, BlockRow.dealing_id, BlockRow.block, BlockRow.solver_id)
        .join(RulesetRow, RulesetRow.id == BlockRow.ruleset_id)
        .join(SolverRow, SolverRow.id == BlockRow.solver_id)
        .join(DealingRow, DealingRow.id == BlockRow.dealing_id)
        .where(SolverRow.method == method, RulesetRow.slug == ruleset)
        .where(DealingRow.dealer != IMPORTED)
    ).one()
    return tuple(row)


def rewritten(session: Any, key: tuple[int, int, int, int], columns: Outcomes) -> None:
    """Write a block anew, with its checksum and statuses, as only a program can."""
    row = session.get_one(BlockRow, key)
    tried = columns.result > 0
    totals = (int(columns.nodes[tried].sum()), row.cpu_us)
    store_block(session, key, columns, totals, row.provenance)
    session.expire_all()
    everyone = session.scalars(
        select(BlockRow).where(BlockRow.ruleset_id == key[0], BlockRow.dealing_id == key[1])
    )
    known = {each.solver_id: Outcomes.decode(each.columns) for each in everyone}
    store_all_statuses(session, key[:3], known, grading_solvers(session))
