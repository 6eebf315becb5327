"""Rows that outcomes refer to: rulesets, dealings, solvers, provenances, and their batches.

A row that is missing is added, with its seal.
"""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.outcomes import ledger
from catalogue.outcomes.chunk import SolverKey
from catalogue.outcomes.provenance import Provenance
from catalogue.outcomes.rows import insert_or_nothing, replace_row, table_of
from catalogue.outcomes.seals import add_up, seal_of_batch, seal_of_named
from catalogue.schema import (
    MAX_STORED_SEED,
    BatchRow,
    DealingRow,
    ProvenanceRow,
    RulesetRow,
    SealRow,
    SolverRow,
)
from engine.errors import BadInput
from engine.game import Rules


def check_seed(seed: int) -> None:
    """Raise BadInput unless the database can hold the seed."""
    if not 0 <= seed <= MAX_STORED_SEED:
        raise BadInput(f"seed {seed} cannot be stored: expected 0 to {MAX_STORED_SEED}")


def ensure_ruleset(session: Session, rules: Rules) -> int:
    """The id of a ruleset's row, which is added if missing."""
    assert dataclasses.is_dataclass(rules)
    options = dataclasses.asdict(rules)
    values = {"game": rules.game, "options": options}
    return _ensure(session, RulesetRow, {"slug": rules.slug}, values)


def ensure_dealing(session: Session, game: str, dealer: str) -> int:
    """The id of the row of a game with a dealer, which is added if missing."""
    return _ensure(session, DealingRow, {"game": game, "dealer": dealer}, {})


def ensure_solver(session: Session, solver: SolverKey) -> int:
    """The id of a solver's row, which is added if missing."""
    key = {"name": solver.name, "version": solver.version}
    values = {
        "method": solver.method,
        "parameters": dict(solver.parameters),
        "grades": solver.grades,
    }
    return _ensure(session, SolverRow, key, values)


def ensure_provenance(session: Session, provenance: Provenance) -> int:
    """The id of a provenance's row, which is added if missing."""
    return _ensure(session, ProvenanceRow, dataclasses.asdict(provenance), {})


def add_batch(session: Session, provenance_id: int, rows: int, seals: int) -> int:
    """Add the row of a batch, and return its id.

    Args:
        session: of a writing transaction.
        provenance_id: who made its rows.
        rows: their number.
        seals: the sum of their shares in the seal.
    """
    now = datetime.now(UTC)
    seal = add_up([seals, seal_of_batch(provenance_id, now, rows)])
    batch = BatchRow(provenance_id=provenance_id, created_at=now, rows=rows, seal=seal)
    session.add(batch)
    session.flush()
    ledger.add(
        session, "batch", {"id": batch.id, "provenance_id": provenance_id, "created_at": now}
    )
    return batch.id


def take_from_batch(session: Session, batch_id: int, shares: Sequence[int]) -> None:
    """Take rows out of a batch, such as those that newer ones are about to replace.

    Args:
        session: of a writing transaction.
        batch_id: their batch.
        shares: of the rows in its seal.
    """
    batch = session.get_one(BatchRow, batch_id)
    before = seal_of_batch(batch.provenance_id, batch.created_at, batch.rows)
    batch.rows -= len(shares)
    after = seal_of_batch(batch.provenance_id, batch.created_at, batch.rows)
    batch.seal = add_up([batch.seal, after, -before, *(-share for share in shares)])
    if batch.rows == 0:
        row = {"id": batch.id, "provenance_id": batch.provenance_id, "created_at": batch.created_at}
        ledger.remove(session, "batch", row)
        session.delete(batch)
    session.flush()


def _ensure(session: Session, model: Any, key: dict[str, Any], values: dict[str, Any]) -> int:
    query = select(model.id).filter_by(**key)
    found: int | None = session.execute(query).scalar()
    if found is None:
        session.execute(insert_or_nothing(session, model), {**key, **values})
        found = session.execute(query).scalar_one()
        store_seal(session, model, found)
    return found


def store_seal(session: Session, model: Any, row_id: int) -> None:
    """Write the seal of a row of one of the tables `catalogue.outcomes.seals.NAMED` anew."""
    table = table_of(model)
    row = session.execute(select(table).where(table.c.id == row_id)).mappings().one()
    seal = seal_of_named(table.name, dict(row))
    replace_row(session, SealRow, {"kind": table.name, "row_id": row_id, "seal": seal})
