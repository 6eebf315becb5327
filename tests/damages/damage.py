"""Damage to the catalogue of `tests/catalogue/verify`, and names for the rows that are damaged."""

from typing import NamedTuple

DRAW3 = "(SELECT id FROM ruleset WHERE slug = 'klondike-draw3')"
DRAW1 = "(SELECT id FROM ruleset WHERE slug = 'klondike-draw1')"
DEALT = "(SELECT id FROM dealing WHERE game = 'klondike' AND dealer = 'thoughtful-1')"
GREEDY = "(SELECT id FROM solver WHERE method = 'greedy')"
EXACT = "(SELECT id FROM solver WHERE name LIKE 'exact(nodes=3000,%')"
EXACT_1 = "(SELECT id FROM solver WHERE name LIKE 'exact(nodes=400,%')"
DEAD_END = "(SELECT id FROM solver WHERE method = 'dead-end')"
LOST = "(SELECT min(deal_id) FROM regret)"
MOVED = "(SELECT min(deal_id) FROM regret WHERE kind = 'move')"
WON = f"(SELECT min(deal_id) FROM solution WHERE solver_id = {EXACT})"
DEAL = f"(SELECT id FROM deal WHERE seed = 7 AND dealing_id = {DEALT})"
IMPORTED = "(SELECT min(id) FROM deal WHERE cards IS NOT NULL)"
IMPORTED_2 = "(SELECT max(id) FROM deal WHERE cards IS NOT NULL)"
OF_IMPORTED = "dealing_id = (SELECT id FROM dealing WHERE dealer = 'imported')"
BOUND = "(SELECT min(id) FROM bound)"
BLOCK = f"solver_id = {EXACT} AND dealing_id = {DEALT}"
VERDICTS = "rowed < attempted AND solver_id = "
STATUSES = f"ruleset_id = {DRAW3} AND dealing_id = {DEALT}"
# A row that is retained where verdicts are kept.
KEPT = f"ruleset_id = {DRAW1} AND solver_id = {EXACT_1}"
KEPT_DEAL = f"(SELECT min(deal_id) FROM outcome WHERE {KEPT})"


class Damage(NamedTuple):
    """A damage that `verify` must find.

    Attributes:
        kind: the column, `table.column`, or what else is damaged.
        statements: of SQL, which do it.
        said: a part of what `verify` says.
    """

    kind: str
    statements: str
    said: str


def change(kind: str, value: str, where: str, said: str) -> Damage:
    """Another value in the column that begins the kind; both value and rows are written in SQL."""
    table, column = kind.split()[0].split(".")
    return Damage(kind, f"UPDATE {table} SET {column} = {value} WHERE {where}", said)
