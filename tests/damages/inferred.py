"""Damage to inferred outcomes and to what they follow from, in `test_inferred.py`."""

from damages.damage import DRAW1, DRAW3, EXACT_1, Damage, change

INFERRED = "(SELECT id FROM solver WHERE name = 'inferred(from=klondike-draw3)')"
PROOFS = "(SELECT id FROM solver WHERE name = 'inferred(from=klondike-draw1)')"
OWN = f"ruleset_id = {DRAW1} AND solver_id = {INFERRED}"
FIRST = f"(SELECT min(deal_id) FROM solution WHERE {OWN})"
SECOND = f"(SELECT max(deal_id) FROM solution WHERE {OWN})"
SOURCE = "(SELECT id FROM ruleset WHERE slug = 'klondike-draw3')"

DAMAGES = [
    Damage(
        "solver of another source",
        "UPDATE solver SET name = 'inferred(from=klondike-yan)', "
        "parameters = json_set(parameters, '$.from', 'klondike-yan') "
        f"WHERE id = {INFERRED}",
        "its source is no ruleset of the catalogue",
    ),
    Damage(
        "solver of a source that does not imply",
        "UPDATE solver SET name = 'x' WHERE name = 'inferred(from=klondike-draw1)'; "
        "UPDATE solver SET name = 'inferred(from=klondike-draw1)', "
        "parameters = json_set(parameters, '$.from', 'klondike-draw1') "
        f"WHERE id = {INFERRED}; UPDATE solver SET name = 'inferred(from=klondike-draw3)', "
        "parameters = json_set(parameters, '$.from', 'klondike-draw3') WHERE name = 'x'",
        "won does not follow from klondike-draw1",
    ),
    change("solver.name", "'inferred(from=klondike-draw99x)'", f"id = {INFERRED}", "no ruleset"),
    change("solver.name of a solver", "'inferred'", f"id = {INFERRED}", "its method and param"),
    change("solver.version", "7", f"id = {INFERRED}", "this program's inferred is v1"),
    change("solver.grades", "1", f"id = {INFERRED}", "grades is True"),
    Damage(
        "block of the source missing",
        f"DELETE FROM block WHERE ruleset_id = {DRAW3} AND solver_id = {EXACT_1}",
        "it is won, but not so under klondike-draw3",
    ),
    Damage(
        "block of the source of proofs missing",
        f"DELETE FROM block WHERE ruleset_id = {DRAW1} AND solver_id <> {INFERRED}",
        "it is unwinnable, but not so under klondike-draw1",
    ),
    Damage(
        "solution of another deal",
        f"UPDATE solution SET moves = (SELECT moves FROM solution WHERE deal_id = {SECOND} "
        f"AND {OWN}) WHERE deal_id = {FIRST} AND {OWN}",
        "its solution is not that of klondike-draw3, translated",
    ),
    Damage(
        "solution of the source",
        f"UPDATE solution SET moves = (SELECT moves FROM solution WHERE deal_id = {SECOND} "
        f"AND ruleset_id = {SOURCE}) WHERE deal_id = {FIRST} AND ruleset_id = {SOURCE}",
        "the solution of klondike-draw3, translated, is wrong",
    ),
    change(
        "solution.moves of the source",
        "x'00'",
        f"deal_id = {FIRST} AND ruleset_id = {SOURCE}",
        "its source cannot be translated",
    ),
]
