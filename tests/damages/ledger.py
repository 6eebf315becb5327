"""Deletions of rows together with all that refers to them, and damage to the ledger that tells."""

from damages.damage import OF_IMPORTED, Damage, change

_ON_IMPORTED = "deal_id IN (SELECT id FROM deal WHERE cards IS NOT NULL)"
_BLOCKS_OF_IMPORTED = (
    f"DELETE FROM block WHERE {OF_IMPORTED}; DELETE FROM status_block WHERE {OF_IMPORTED}"
)
_OF_GREEDY = "solver_id = (SELECT id FROM solver WHERE method = 'greedy')"
_UNUSED_BATCHES = (
    "DELETE FROM batch WHERE id NOT IN (SELECT batch_id FROM outcome UNION "
    "SELECT batch_id FROM regret UNION SELECT batch_id FROM features)"
)


def _with_outcomes(where: str, *others: str) -> str:
    """Delete outcomes with all that belongs to them, and the batches that are left without rows."""
    tables = ("solution", "dead_end", "regret", "outcome")
    deletions = [f"DELETE FROM {table} WHERE {where}" for table in tables]
    return "; ".join([*deletions, *others, _UNUSED_BATCHES])


LEDGER = [
    change("ledger.kind", "'aunt'", "kind = 'job'", "the ledger has no row of them"),
    change("ledger.rows", "rows + 1", "kind = 'job'", "the seal of their row"),
    change("ledger.total", "total + 1", "kind = 'job'", "the seal of their row"),
    change("ledger.seal", "5", "kind = 'job'", "ledger: jobs: the seal of their row"),
    Damage("ledger missing", "DELETE FROM ledger", "the ledger has no row of them"),
    Damage(
        "deal imported and unsolved missing",
        _with_outcomes(
            _ON_IMPORTED,
            _BLOCKS_OF_IMPORTED,
            "DELETE FROM deal WHERE cards IS NOT NULL",
        ),
        "ledger: imported deals: ",
    ),
    Damage(
        "outcomes of imported deals missing",
        _with_outcomes(_ON_IMPORTED, _BLOCKS_OF_IMPORTED),
        "ledger: batches of outcomes, regrets or features: ",
    ),
    Damage(
        "outcomes of a solver missing",
        _with_outcomes(_OF_GREEDY, f"DELETE FROM block WHERE {_OF_GREEDY}"),
        "ledger: blocks of seeds: ",
    ),
    Damage(
        "job with its bounds missing",
        "DELETE FROM bound WHERE job_id = 1; DELETE FROM job_solver WHERE job_id = 1; "
        "DELETE FROM shard WHERE job_id = 1; DELETE FROM job WHERE id = 1",
        "ledger: jobs: 1 of ",
    ),
    Damage(
        "history of verifications missing",
        "DELETE FROM verification; DELETE FROM seal WHERE kind = 'verification'",
        "ledger: verifications: 1 of 1 are missing",
    ),
    Damage(
        "difficulty missing from the ledger",
        "UPDATE features SET difficulty = NULL, deviation = NULL, level = NULL, games = NULL; "
        "DELETE FROM difficulty",
        "ledger: models of difficulty: 1 of 1",
    ),
]
