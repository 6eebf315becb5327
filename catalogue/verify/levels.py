"""Checks of features, found again, and of the difficulties and levels that follow from them."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.difficulty.features import row_of, winnable_seeds
from catalogue.difficulty.grading import DERIVED, DifficultyModel, model_of, rate
from catalogue.schema import BLOCK_SIZE, DifficultyRow
from catalogue.verify.context import Context, DealKey
from engine.errors import BadInput
from engine.games import game_of
from solvers import features
from solvers.solver import parse_solver

# Difficulties are sums of floats, which another processor may round otherwise.
_TOLERANCE = 1e-6


def check_levels(context: Context) -> None:
    """Check that deals with features are winnable, and compute difficulty and level again."""
    rows = [row for row, _ in context.each("level")]
    for (ruleset_id, dealing_id), mine in _groups(rows).items():
        dealing, slug = context.dealings.get(dealing_id), context.slug(ruleset_id)
        if dealing is None or context.rules(ruleset_id) is None:
            continue  # other checks report it
        if dealing.is_imported:
            context.fault("level", slug, "imported deals have features")
            continue
        with context.cat.session() as session:
            winnable = _winnable(session, ruleset_id, dealing.dealer, mine)
            row = session.get(DifficultyRow, ruleset_id)
            for each in mine:
                if each.seed not in winnable:
                    what = "it has features, but no win of it is known"
                    context.fault("level", _where(context, each), what)
            try:
                model = None if row is None else model_of(row)
            except BadInput as error:
                context.fault("level", slug, str(error))
                continue
            rated: Sequence[dict[str, Any]] = [{}] * len(mine)
            if model is not None:
                rated = rate(session, ruleset_id, dealing.dealer, mine, model)
        for each, wanted in zip(mine, rated, strict=True):
            context.faults("level", _where(context, each), _of_level(each, wanted, model))


def check_features(context: Context) -> None:
    """Find the features of deals again, by the solver that gave their lines."""
    table = context.table
    with context.cat.session() as session:
        rows = session.execute(select(table).where(*context.inside(table))).all()
    keys = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
    chosen = context.draw("features", keys, context.options.resolve_share)
    some = [row for row, take in zip(rows, chosen.tolist(), strict=True) if take]
    for (ruleset_id, _), group in _groups(some).items():
        rules = context.rules(ruleset_id)
        if rules is None:
            continue
        names = [_where(context, row) for row in group]
        deals = [DealKey(None, row.dealing_id, row.seed) for row in group]
        for at, cards in context.playable(rules, deals, names):
            row, where = group[at], names[at]
            context.checked["features"] += 1
            if not 1 <= row.version <= features.VERSION:
                what = (
                    f"its features are of version {row.version}: expected 1 to {features.VERSION}"
                )
                context.fault("features", where, what)
            known = context.solver(row.solver_id)
            if row.version != features.VERSION:
                continue
            try:
                solver = parse_solver(known.name)
                if solver.method.version != known.version:
                    continue  # another version may give another line
                found = features.trace(game_of(rules).deal(cards), rules, solver)
            except BadInput as error:
                context.fault("features", where, str(error))
                continue
            context.compare("features", where, row_of(found), row)


def _winnable(session: Session, ruleset_id: int, dealer: str, rows: list[Any]) -> set[int]:
    """The seeds, of those of some rows in their order, of which a win is known."""
    found: set[int] = set()
    for _, group in groupby((row.seed for row in rows), lambda seed: seed // BLOCK_SIZE):
        seeds = list(group)
        mine = range(seeds[0], seeds[-1] + 1)
        found.update(winnable_seeds(session, ruleset_id, dealer, mine).tolist())
    return found


def _of_level(row: Any, wanted: dict[str, Any], model: DifficultyModel | None) -> Iterator[str]:
    missing = [name for name in DERIVED if getattr(row, name) is None]
    if model is None or row.version != model.features_version:
        if len(missing) < len(DERIVED):
            yield (
                "there is no model for it"
                if model is None
                else f"its features are of version {row.version}, the model of "
                f"{model.features_version}"
            )
        return
    if missing:
        yield f"its {missing[0]} is missing"
        return
    if row.games < wanted["games"]:
        # Games that came since it was graded count from the next time on.
        wanted = {"level": int(model.level(np.array([row.difficulty]))[0])}
    for name, value in wanted.items():
        stored = getattr(row, name)
        if not math.isclose(stored, value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
            yield f"{name} is {stored}, recomputed it is {value}"


def _groups(rows: list[Any]) -> dict[tuple[int, int], list[Any]]:
    """Rows by ruleset and dealing, without those whose numbers are none: these are values."""
    found: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for row in rows:
        numbers = (row.seed, row.version, row.nodes, row.length, row.walk_choices, row.luck)
        if all(isinstance(number, int | float) for number in numbers):
            found[row.ruleset_id, row.dealing_id].append(row)
    return found


def _where(context: Context, row: Any) -> str:
    return context.where(row.ruleset_id, DealKey(None, row.dealing_id, row.seed))
