"""Check of rulesets, solvers, dealings and provenances: that each is what its name says."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import Any

from catalogue.schema import IMPORTED
from catalogue.verify.context import Context
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.games import get_game
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver


def check_names(context: Context) -> None:
    """Compare the rows of a shard with what this program knows by their names."""
    kind = context.shard.part
    for row, where in context.each(kind):
        try:
            context.faults(kind, where, _FAULTS[kind](row))
        except BadInput as error:
            context.fault(kind, where, str(error))


def _of_ruleset(row: Any) -> Iterator[str]:
    rules: Any = parse_ruleset(row.slug)
    # Through JSON, as the database has it.
    expected = dataclasses.asdict(rules)
    # A field that is not compared, such as a name for people, may change.
    stored = row.options if isinstance(row.options, dict) else {}
    expected |= {
        each.name: stored[each.name]
        for each in dataclasses.fields(rules)
        if not each.compare and isinstance(stored.get(each.name), str)
    }
    options = json.loads(json.dumps(expected))
    for name, wanted in (("slug", rules.slug), ("game", rules.game), ("options", options)):
        found = getattr(row, name)
        if found != wanted:
            yield f"{name} is {found}, recomputed it is {wanted}"


def _of_dealing(row: Any) -> Iterator[str]:
    game = get_game(row.game)
    if row.dealer != IMPORTED:
        get_dealer(row.dealer).check_game(game)
    yield from ()


def _of_solver(row: Any) -> Iterator[str]:
    values = ", ".join(f"{name}={value}" for name, value in row.parameters.items())
    spelled = f"{row.method}({values})" if values else row.method
    if spelled != row.name:
        yield f"its method and parameters are {spelled}"
    try:
        known = parse_solver(row.name).method
    except BadInput:
        return  # of a package that is not installed, or of another version
    # A newer program may have made its outcomes; only that one can verify them.
    if not 1 <= row.version <= known.version:
        yield f"this program's {row.method} is v{known.version}"
    if row.version == known.version and row.grades != known.grades:
        yield f"grades is {row.grades}, should be {known.grades}"


def _of_provenance(row: Any) -> Iterator[str]:
    values = (row.program, row.python, row.machine)
    # Of what was stored before provenances were recorded, all is empty.
    if any(values) and not all(values):
        yield "its program, its Python or its machine is not told"


_FAULTS: dict[str, Callable[[Any], Iterator[str]]] = {
    "ruleset": _of_ruleset,
    "dealing": _of_dealing,
    "solver": _of_solver,
    "provenance": _of_provenance,
}
