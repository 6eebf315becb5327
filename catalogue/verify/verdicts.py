"""Check of verdicts, by solvers that had no part in them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Table, select

from catalogue.blocks import PROVED, UNRESOLVED, WINNABLE, WON, Bytes, Outcomes, combine
from catalogue.reading.block_reader import read_follows
from catalogue.schema import BLOCK_SIZE, BlockRow, DealingRow, DealRow, OutcomeRow, StatusRow
from catalogue.verify.context import Context, DealKey
from catalogue.verify.rows import as_cards
from engine.game import Rules
from engine.games import game_of
from engine.replay import wins
from solvers.outcome import Result
from solvers.registry import Solver, configure, methods_of

# Deals that a solver is given at once.
_AT_ONCE = 500


def check_verdicts(context: Context) -> None:
    """Solve decided deals of a block, or imported ones, again with other solvers."""
    if context.piece.part == "seeds":
        _check_block(context)
    else:
        _check_imported(context)


def _check_block(context: Context) -> None:
    dealing_id, block = context.block
    known: dict[int, list[tuple[int, Outcomes]]] = defaultdict(list)
    with context.cat.session() as session:
        for ruleset_id, solver_id, packed in session.execute(
            select(BlockRow.ruleset_id, BlockRow.solver_id, BlockRow.columns).where(
                BlockRow.dealing_id == dealing_id, BlockRow.block == block
            )
        ):
            try:
                known[ruleset_id].append((solver_id, Outcomes.decode(packed)))
            except (TypeError, ValueError):
                continue  # the check of blocks reports it
    for ruleset_id, columns in sorted(known.items()):
        try:
            with context.cat.session() as session:
                follows = read_follows(session, ruleset_id, dealing_id, block)
        except ValueError:
            continue  # the check of blocks reports it
        _check_statuses(context, ruleset_id, columns, follows)


def _check_statuses(
    context: Context, ruleset_id: int, columns: list[tuple[int, Outcomes]], follows: Bytes | None
) -> None:
    """Check a share of the decided deals of a block under a ruleset."""
    dealing_id, block = context.block
    rules = context.rules(ruleset_id)
    if rules is None:
        return  # the check of names reports it
    statuses = combine(dict(columns), (), follows)
    # For each deal, which methods decided it, as bits.
    methods = sorted({context.method(solver_id) for solver_id, _ in columns})
    deciders = np.zeros(len(statuses), dtype=np.int64)
    for solver_id, each in columns:
        at = slice(each.first - statuses.first, each.end - statuses.first)
        decided = (each.result == WON) | (each.result == PROVED)
        deciders[at] |= decided.astype(np.int64) << methods.index(context.method(solver_id))
    for code in np.unique(deciders[statuses.status > UNRESOLVED]).tolist():
        others = other_solvers(rules, {m for bit, m in enumerate(methods) if code >> bit & 1})
        if not others:
            continue
        places = np.flatnonzero((statuses.status > UNRESOLVED) & (deciders == code))
        seeds = block * BLOCK_SIZE + statuses.first + places
        mine = context.in_slice(seeds)
        places, seeds = places[mine], seeds[mine]
        if context.asked is not None:
            asked = [seed for each, seed in context.asked.places if each == dealing_id]
            places, seeds = places[np.isin(seeds, asked)], seeds[np.isin(seeds, asked)]
        keys = np.stack([np.full(len(seeds), ruleset_id), np.full(len(seeds), dealing_id), seeds])
        drawn = context.draw("verdict", keys.T, context.options.resolve_share)
        deals = [
            (DealKey(None, dealing_id, seed), bool(won))
            for seed, won in zip(
                seeds[drawn].tolist(), statuses.status[places[drawn]] == WINNABLE, strict=True
            )
        ]
        _ask_others(context, ruleset_id, rules, others, deals)


def _check_imported(context: Context) -> None:
    table = DealRow.__table__
    assert isinstance(table, Table)
    with context.cat.session() as session:
        rows = session.execute(
            select(
                StatusRow.ruleset_id,
                StatusRow.deal_id,
                StatusRow.wins,
                DealRow.dealing_id,
                DealRow.seed,
                DealRow.cards,
            )
            .join(DealRow, DealRow.id == StatusRow.deal_id)
            .join(DealingRow, DealingRow.id == DealRow.dealing_id)
            .where(
                DealingRow.dealer.is_(None),
                StatusRow.status != "unresolved",
                *context.inside(table),
            )
            .order_by(StatusRow.ruleset_id, StatusRow.deal_id)
        ).all()
        by: dict[tuple[int, int], set[str]] = defaultdict(set)
        for ruleset_id, deal_id, solver_id in session.execute(
            select(OutcomeRow.ruleset_id, OutcomeRow.deal_id, OutcomeRow.solver_id)
            .join(DealRow, DealRow.id == OutcomeRow.deal_id)
            .join(DealingRow, DealingRow.id == DealRow.dealing_id)
            .where(
                DealingRow.dealer.is_(None),
                OutcomeRow.result.in_((Result.WON.value, Result.UNWINNABLE.value)),
                *context.inside(table),
            )
        ):
            by[ruleset_id, deal_id].add(context.method(solver_id))
    groups: dict[tuple[int, frozenset[str]], list[Any]] = defaultdict(list)
    for row in rows:
        groups[row.ruleset_id, frozenset(by[row.ruleset_id, row.deal_id])].append(row)
    for (ruleset_id, methods), mine in sorted(groups.items(), key=str):
        rules = context.rules(ruleset_id)
        others = [] if rules is None else other_solvers(rules, set(methods))
        if rules is None or not others:
            continue
        keys = np.array([[-1, row.ruleset_id, row.deal_id] for row in mine], dtype=np.int64)
        drawn = context.draw("verdict", keys, context.options.resolve_share)
        deals = [
            (DealKey(row.deal_id, row.dealing_id, row.seed, row.cards), row.wins > 0)
            for row in (mine[at] for at in np.flatnonzero(drawn).tolist())
        ]
        _ask_others(context, ruleset_id, rules, others, deals)


def _ask_others(
    context: Context,
    ruleset_id: int,
    rules: Rules,
    others: Sequence[Solver],
    asked: Sequence[tuple[DealKey, bool]],
) -> None:
    deals = [deal for deal, _ in asked]
    name = context.namer(ruleset_id, deals)
    context.checked["verdict"] += len(deals)
    playable = [
        (name(at), asked[at][1], cards) for at, cards in context.playable(rules, deals, name)
    ]
    for other in others:
        for start in range(0, len(playable), _AT_ONCE):
            _ask(context, rules, other, playable[start : start + _AT_ONCE])


def other_solvers(rules: Rules, by: set[str]) -> list[Solver]:
    """The solvers that judge verdicts of the methods `by` under a ruleset."""
    # Players are not used, since their losses prove nothing, nor who looks for shortest solutions:
    # the verdict of these is that of another solver, and what they do after it takes long.
    solvers = (
        configure(method, {})
        for method in methods_of(rules.game)
        if method.sees == "deal" and method.shortest is None and method.slug not in by
    )
    return [solver for solver in solvers if solver.plays(rules)]


def _ask(
    context: Context, rules: Rules, solver: Solver, deals: Sequence[tuple[str, bool, bytes]]
) -> None:
    game: Any = game_of(rules)
    outcomes = solver.solve(as_cards([cards for _, _, cards in deals], game), rules)
    for (where, winnable, cards), outcome in zip(deals, outcomes, strict=True):
        if outcome.result == Result.WON:
            moves = game.unpack(outcome.moves or b"")
            if not wins(game.start(game.deal(cards), rules), moves):
                context.fault("alarm", where, f"{solver} wins it by moves that do not replay")
            elif not winnable:
                context.fault("alarm", where, f"stored as unwinnable, but {solver} wins it")
        elif outcome.result == Result.UNWINNABLE and winnable:
            context.fault("alarm", where, f"stored as winnable, but {solver} proves it is not")
