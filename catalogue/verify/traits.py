"""Checks of traits, found again, and of the difficulties and levels that follow from them."""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from sqlalchemy import Table, select

from catalogue.difficulty.grading import DERIVED, DifficultyModel, model_of, rate
from catalogue.difficulty.traits import row_of, winnable_seeds
from catalogue.schema import BLOCK_SIZE, DifficultyRow, TraitRow
from catalogue.verify.context import Context, DealKey
from engine.errors import BadInput
from engine.games import game_of
from solvers import traits
from solvers.registry import parse_solver

# Difficulties are sums of floats, which another processor may round otherwise.
_TOLERANCE = 1e-6


def check_levels(context: Context) -> None:
    """Check that deals with traits are winnable, and compute difficulty and level again."""
    for (ruleset_id, dealing_id), rows in _groups(context, _rows(context)).items():
        dealing = context.dealings.get(dealing_id)
        if dealing is None or context.rules(ruleset_id) is None:
            continue  # other checks report it
        if dealing.dealer is None:
            context.fault("level", context.slug(ruleset_id), "imported deals have traits")
            continue
        context.checked["level"] += len(rows)
        _check_winnable(context, ruleset_id, dealing.dealer, rows)
        with context.cat.session() as session:
            row = session.get(DifficultyRow, ruleset_id)
            try:
                model = None if row is None else model_of(row)
            except BadInput as error:
                context.fault("level", context.slug(ruleset_id), str(error))
                continue
            if model is None:
                for each in rows:
                    if any(getattr(each, name) is not None for name in DERIVED):
                        context.fault("level", _where(context, each), "there is no model for it")
                continue
            wanted = rate(session, ruleset_id, dealing.dealer, rows, model)
        for each, values in zip(rows, wanted, strict=True):
            _compare(context, each, values, model)


def check_traits(context: Context) -> None:
    """Find the traits of deals again, by the solver that gave their lines."""
    rows = _rows(context)
    keys = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
    chosen = context.draw("trait", keys, context.options.resolve_share)
    some = [row for row, take in zip(rows, chosen.tolist(), strict=True) if take]
    for (ruleset_id, _), group in _groups(context, some).items():
        rules = context.rules(ruleset_id)
        if rules is None:
            continue
        deals = [DealKey(None, row.dealing_id, row.seed) for row in group]
        for at, cards in context.playable(rules, deals, context.namer(ruleset_id, deals)):
            row, where = group[at], _where(context, group[at])
            context.checked["trait"] += 1
            if not 1 <= row.version <= traits.VERSION:
                what = f"its traits are of version {row.version}: expected 1 to {traits.VERSION}"
                context.fault("trait", where, what)
            if row.version != traits.VERSION:
                continue
            try:
                solver = parse_solver(context.solver(row.solver_id))
                if solver.method.version != context.version(row.solver_id):
                    continue  # another version may give another line
                found = traits.trace(game_of(rules).deal(cards), rules, solver)
            except BadInput as error:
                context.fault("trait", where, str(error))
                continue
            context.compare("trait", where, row_of(found), row)


def _check_winnable(context: Context, ruleset_id: int, dealer: str, rows: list[Any]) -> None:
    by_block: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        by_block[row.seed // BLOCK_SIZE].append(row)
    with context.cat.session() as session:
        for group in by_block.values():
            seeds = range(group[0].seed, group[-1].seed + 1)
            winnable = set(winnable_seeds(session, ruleset_id, dealer, seeds).tolist())
            for row in group:
                if row.seed not in winnable:
                    what = "it has traits, but no win of it is known"
                    context.fault("level", _where(context, row), what)


def _compare(context: Context, row: Any, wanted: dict[str, Any], model: DifficultyModel) -> None:
    where = _where(context, row)
    if row.version != model.trait_version:
        if any(getattr(row, name) is not None for name in DERIVED):
            what = f"its traits are of version {row.version}, the model of {model.trait_version}"
            context.fault("level", where, what)
        return
    missing = [name for name in DERIVED if getattr(row, name) is None]
    if missing:
        context.fault("level", where, f"its {missing[0]} is missing")
        return
    if row.games < wanted["games"]:
        # Games that came since it was graded count from the next time on.
        wanted = {"level": int(model.level(np.array([row.difficulty]))[0])}
    for name, value in wanted.items():
        stored = getattr(row, name)
        if not math.isclose(stored, value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
            context.fault("level", where, f"{name} is {stored}, recomputed it is {value}")


def _rows(context: Context) -> list[Any]:
    table = TraitRow.__table__
    assert isinstance(table, Table)
    with context.cat.session() as session:
        return list(
            session.execute(
                select(table).where(*context.inside(table)).order_by(*table.primary_key.columns)
            ).all()
        )


def _groups(context: Context, rows: list[Any]) -> dict[tuple[int, int], list[Any]]:
    """Rows by ruleset and dealing; those whose numbers are none are reported as values."""
    found: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for row in _readable(rows):
        found[row.ruleset_id, row.dealing_id].append(row)
    return found


def _readable(rows: list[Any]) -> Iterator[Any]:
    for row in rows:
        numbers = (row.seed, row.version, row.nodes, row.length, row.walk_choices, row.luck)
        if all(isinstance(number, int | float) for number in numbers):
            yield row


def _where(context: Context, row: Any) -> str:
    return context.where(row.ruleset_id, DealKey(None, row.dealing_id, row.seed))
