"""The ledger: of each kind of row that is never deleted, how many there are, and a sum over them.

Nothing else tells that such rows are missing if all that refers to them is missing, too: a job with
its bounds, outcomes with their batches and blocks, imported deals that nobody has solved, or the
history of verifications. A row of `ledger` for each kind has the number of its rows and the sum of
their seals, and a seal of its own. Those who add rows say so (`add`); it is written at the end of
their transaction, by `settle`, so that no writer waits for another one while it works.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Select, select
from sqlalchemy.orm import Session

from catalogue.outcomes.seals import add_up, seal_of_row
from catalogue.schema import Base, LedgerRow

# Of each kind, a table, the columns that make a row what it is; they never change.
KINDS = {
    "deal": ("id", "dealing_id", "digest"),  # imported ones, whose cards nobody can deal again
    "batch": ("id", "provenance_id", "created_at"),
    "block": ("ruleset_id", "dealing_id", "block", "solver_id"),
    "difficulty": ("ruleset_id",),
    "job": ("id", "created_at"),
    "bound": ("job_id", "created_at", "seal"),
    "verification": ("id", "started_at"),
}
_PENDING = "thoughtful_ledger"
# Rows that are read at a time.
_AT_ONCE = 10_000


def add(session: Session, kind: str, row: Mapping[Any, Any]) -> None:
    """Say that a row of a kind is added in this transaction, given its columns."""
    _change(session, kind, 1, seal_of_entry(kind, row))


def remove(session: Session, kind: str, row: Mapping[Any, Any]) -> None:
    """Say that a row of a kind is deleted in this transaction, as compaction does with batches."""
    _change(session, kind, -1, -seal_of_entry(kind, row))


def settle(session: Session) -> None:
    """Write what was added in this transaction, which ends with it."""
    # In the same order by every process, which prevents deadlocks.
    for kind, (rows, total) in sorted(session.info.pop(_PENDING, {}).items()):
        row = session.get_one(LedgerRow, kind, with_for_update=True, populate_existing=True)
        row.rows += rows
        row.total = add_up([row.total, total])
        row.seal = seal_of_ledger(kind, row.rows, row.total)
    session.flush()


def seal_of_entry(kind: str, row: Mapping[Any, Any]) -> int:
    """The share of a row in the sum of its kind."""
    return seal_of_row("ledger", kind, *(row[name] for name in KINDS[kind]))


def seal_of_ledger(kind: str, rows: int, total: int) -> int:
    """The seal of a row of the ledger."""
    return seal_of_row("ledger", kind, rows, total)


def recount(connection: Session | Connection) -> Iterator[dict[str, Any]]:
    """The rows that the ledger must have, by what is stored."""
    for kind in KINDS:
        rows, seals = 0, 0
        found = connection.execute(_stored(kind).execution_options(yield_per=_AT_ONCE))
        for part in found.mappings().partitions():
            rows += len(part)
            seals = add_up([seals, *(seal_of_entry(kind, row) for row in part)])
        yield {
            "kind": kind,
            "rows": rows,
            "total": seals,
            "seal": seal_of_ledger(kind, rows, seals),
        }


def _stored(kind: str) -> Select[Any]:
    table = Base.metadata.tables[kind]
    query = select(*(table.c[name] for name in KINDS[kind]))
    return query.where(table.c.cards.is_not(None)) if kind == "deal" else query


def _change(session: Session, kind: str, rows: int, seal: int) -> None:
    pending = session.info.setdefault(_PENDING, {})
    before = pending.get(kind, (0, 0))
    pending[kind] = before[0] + rows, before[1] + seal
