"""Check of the ledger: nothing is missing of what is never deleted."""

from sqlalchemy import select

from catalogue.outcomes.ledger import KINDS, recount, seal_of_ledger
from catalogue.schema import LedgerRow
from catalogue.verify.context import Context

_WORDS = {
    "deal": "imported deals",
    "batch": "batches of outcomes, regrets or traits",
    "block": "blocks of seeds",
    "difficulty": "models of difficulty",
    "job": "jobs",
    "bound": "bounds",
    "verification": "verifications",
}
assert _WORDS.keys() == KINDS.keys()


def check_ledger(context: Context) -> None:
    """Compare the number of rows of each kind, and the sum over them, with those recorded."""
    table = LedgerRow.__table__
    with context.cat.session() as session:
        stored = {row.kind: row for row in session.execute(select(table))}
        counted = {row["kind"]: row for row in recount(session)}
    for kind, found in counted.items():
        context.checked["ledger"] += 1
        where, row = _WORDS[kind], stored.pop(kind, None)
        if row is None:
            context.fault("ledger", where, "the ledger has no row of them")
        elif row.seal != seal_of_ledger(kind, row.rows, row.total):
            context.fault("ledger", where, "the seal of their row is not that of its values")
        elif found["rows"] < row.rows:
            what = f"{row.rows - found['rows']:,} of {row.rows:,} are missing: they were deleted"
            context.fault("ledger", where, what)
        elif found["rows"] > row.rows:
            what = f"there are {found['rows'] - row.rows:,} more than the {row.rows:,} recorded"
            context.fault("ledger", where, what)
        elif found["total"] != row.total:
            what = f"they are as many as recorded, {row.rows:,}, but not the same"
            context.fault("ledger", where, what)
    for kind in stored:
        context.fault("ledger", str(kind), "the ledger has a row of a kind that it does not know")
