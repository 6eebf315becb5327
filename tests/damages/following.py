"""Damage to what follows from other rulesets, and to that from which it follows."""

from damages.damage import DRAW1, DRAW3, Damage, change

STRICTEST = "(SELECT id FROM ruleset WHERE slug = 'klondike-draw3-redeals0')"


def _unknown(ruleset: str) -> str:
    """The statements that delete the outcomes under a ruleset, with their rows."""
    tables = ("solution", "dead_end", "outcome", "block")
    return "; ".join(f"DELETE FROM {table} WHERE ruleset_id = {ruleset}" for table in tables)


DAMAGES = [
    Damage(
        "outcomes missing from which wins follow",
        _unknown(DRAW3),
        "klondike-draw1, block 0 of thoughtful-1 (klondike): what follows from other rulesets",
    ),
    Damage(
        "outcomes missing from which proofs follow",
        _unknown(DRAW1),
        "klondike-draw3-redeals0, block 0 of thoughtful-1 (klondike): what follows from other",
    ),
    change("status_block.follows", "NULL", f"ruleset_id = {DRAW1}", "what follows from other"),
    change(
        "status_block.follows of another ruleset",
        f"(SELECT follows FROM status_block WHERE ruleset_id = {DRAW1})",
        f"ruleset_id = {STRICTEST}",
        "what follows from other rulesets differs",
    ),
    change(
        "status_block.follows damaged", "x'00'", f"ruleset_id = {DRAW1}", "what follows cannot be"
    ),
    change("status_block.checksum", "checksum + 1", f"ruleset_id = {DRAW1}", "checksum is"),
    change("job.inferred", "NULL", "id = 2", "its seal is not that of its values"),
    change("job.inferred of another job", "3", "id = 1", "its seal is not that of its values"),
    change("job.inferred above the deals", "25", "id = 2", "it has inferred more than its deals"),
]
