"""Damage to blocks of outcomes, and to the statuses that follow from outcomes."""

from damages.damage import (
    BLOCK,
    DEAD_END,
    DRAW1,
    EXACT,
    EXACT_1,
    OF_IMPORTED,
    STATUSES,
    VERDICTS,
    Damage,
    change,
)

BLOCKS = [
    change("block.ruleset_id", "99", BLOCK, "its ruleset is missing"),
    change("block.dealing_id", "99", BLOCK, "its dealing is missing"),
    change("block.block", "5", BLOCK, "block 5 of thoughtful-1"),
    change("block.solver_id", "99", BLOCK, "its solver is missing"),
    change("block.rowed", "rowed + 1", BLOCK, "rowed is"),
    change("block.attempted", "15", BLOCK, "attempted is 15"),
    change("block.won", "won + 1", BLOCK, "won is"),
    change("block.lost", "1", BLOCK, "lost is 1"),
    change("block.unwinnable", "99", BLOCK, "unwinnable is 99"),
    change("block.gave_up", "99", BLOCK, "gave_up is 99"),
    change("block.nodes", "nodes + 1", BLOCK, "nodes is"),
    change(
        "block.nodes of verdicts",
        "nodes + 1",
        f"{VERDICTS}{EXACT_1}",
        "klondike-draw1, block 0 of thoughtful-1 (klondike): its checksum",
    ),
    change("block.cpu_us", "cpu_us + 1", BLOCK, "cpu_us is"),
    change("block.cpu_us of verdicts", "cpu_us + 1", f"{VERDICTS}{EXACT_1}", "its checksum"),
    change(
        "block.provenance",
        "json_set(provenance, '$[0][3]', '2020-01-01')",
        f"{VERDICTS}{EXACT_1}",
        "its checksum",
    ),
    change(
        "block.provenance of another",
        "json_set(provenance, '$[0][2]', 99)",
        f"{VERDICTS}{EXACT_1}",
        "its provenance 99 is missing",
    ),
    change(
        "block.provenance of fewer",
        "json_set(provenance, '$[0][1]', 3)",
        f"{VERDICTS}{EXACT_1}",
        "have no provenance",
    ),
    change("block.provenance of none", "'[]'", f"{VERDICTS}{EXACT_1}", "have no provenance"),
    change("block.provenance of no list", "'{}'", f"{VERDICTS}{EXACT_1}", "block 0 of"),
    change("block.provenance of no JSON", "'['", f"{VERDICTS}{EXACT_1}", "provenance is '['"),
    change("block.checksum", "5", BLOCK, "its checksum"),
    change(
        "block.columns",
        "CAST(substr(columns, 1, 60) || x'00' || substr(columns, 62) AS BLOB)",
        f"{VERDICTS}{EXACT_1}",
        "klondike-draw1, block 0 of thoughtful-1",
    ),
    change(
        "block.columns cut",
        "CAST(substr(columns, 1, 60) AS BLOB)",
        f"{VERDICTS}{EXACT_1}",
        "klondike-draw1, block 0 of thoughtful-1",
    ),
    change(
        "block.columns of another",
        f"(SELECT columns FROM block WHERE {VERDICTS}{DEAD_END})",
        f"{VERDICTS}{EXACT_1}",
        "its checksum",
    ),
    change("block.columns of text", "'none'", BLOCK, "columns is 'none'"),
    change("block.columns of none", "x''", BLOCK, "unknown format"),
    Damage(
        "block missing", f"DELETE FROM block WHERE {BLOCK}", "missing, though there are outcomes"
    ),
    Damage(
        "block of verdicts missing",
        f"DELETE FROM block WHERE {VERDICTS}{DEAD_END}",
        "status block: klondike-draw1, block 0",
    ),
    Damage(
        "block and statuses missing",
        f"DELETE FROM block WHERE ruleset_id = {DRAW1}; "
        f"DELETE FROM status_block WHERE ruleset_id = {DRAW1}",
        "it is done, but 0 of 240 outcomes are stored",
    ),
    change("status_block.ruleset_id", "99", STATUSES, "its ruleset is missing"),
    change("status_block.dealing_id", "99", STATUSES, "its dealing is missing"),
    change("status_block.block", "5", STATUSES, "block 5 of thoughtful-1"),
    change("status_block.deals", "99", STATUSES, "deals is 99"),
    change("status_block.winnable", "99", STATUSES, "winnable is 99"),
    change("status_block.unwinnable", "99", STATUSES, "unwinnable is"),
    change("status_block.alarms", "1", STATUSES, "alarms is 1"),
    change(
        "status_block.cells",
        f"(SELECT cells FROM status_block WHERE ruleset_id = {DRAW1})",
        STATUSES,
        "its cells are not those of its outcomes",
    ),
    change("status_block.cells of none", "x''", STATUSES, "cannot be read"),
    Damage("status_block missing", f"DELETE FROM status_block WHERE {STATUSES}", "missing, though"),
    change(
        "block.won of imported deals", "won + 1", OF_IMPORTED, "block 0 of imported (klondike): won"
    ),
    change(
        "block.checksum of imported deals", "5", OF_IMPORTED, "block 0 of imported (klondike): its"
    ),
    change(
        "block.provenance of imported deals",
        "'[]'",
        OF_IMPORTED,
        "5 seeds, such as 0, have no provenance",
    ),
    change(
        "block.columns of imported deals",
        f"(SELECT columns FROM block WHERE {BLOCK})",
        f"{OF_IMPORTED} AND solver_id = {EXACT}",
        "block: imported:",
    ),
    Damage(
        "block of imported deals missing",
        f"DELETE FROM block WHERE {OF_IMPORTED}",
        "block 0 of imported (klondike): missing, though there are outcomes",
    ),
    *(
        change(
            f"status_block.{name} of imported deals",
            "9",
            OF_IMPORTED,
            f"block 0 of imported (klondike): {name} is 9",
        )
        for name in ("deals", "winnable", "unwinnable", "alarms")
    ),
    change(
        "status_block.cells of imported deals",
        f"(SELECT cells FROM status_block WHERE {STATUSES})",
        OF_IMPORTED,
        "block 0 of imported (klondike): its cells are not those of its outcomes",
    ),
    Damage(
        "status_block of imported deals missing",
        f"DELETE FROM status_block WHERE {OF_IMPORTED}",
        "block 0 of imported (klondike): missing, though there are outcomes",
    ),
]
