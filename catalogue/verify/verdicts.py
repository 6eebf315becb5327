"""Check of verdicts, by solvers that had no part in them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import select

from catalogue.schema import DealRow, OutcomeRow, StatusRow
from catalogue.verify.context import Context, batches
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.replay import wins
from solvers.outcome import Result
from solvers.registry import Solver, configure, methods_of

_DECIDED = (Result.WON.value, Result.UNWINNABLE.value)


def check_verdicts(context: Context) -> None:
    """Solve decided deals again with other solvers."""
    with context.cat.session() as session:
        decided = session.execute(
            select(StatusRow.ruleset_id, StatusRow.deal_id)
            .where(StatusRow.status != "unresolved", *context.is_asked(StatusRow.deal_id))
            .order_by(StatusRow.ruleset_id, StatusRow.deal_id)
        ).all()
    for batch in batches(context.choose(decided, context.resolve_share)):
        # Deals under one ruleset that still need a method are solved together.
        asked: dict[tuple[Rules, str], list[tuple[str, str, bytes]]] = defaultdict(list)
        others: dict[str, Solver] = {}
        with context.cat.session() as session:
            for ruleset_id, deal_id in batch:
                row = session.execute(
                    select(
                        StatusRow.status, DealRow.game, DealRow.dealer, DealRow.seed, DealRow.cards
                    )
                    .join(DealRow, DealRow.id == StatusRow.deal_id)
                    .where(StatusRow.ruleset_id == ruleset_id, StatusRow.deal_id == deal_id)
                ).first()
                rules = context.rules(ruleset_id)
                if row is None or rules is None or not _is_deal(context, row, rules):
                    continue  # the checks of references, names and cards report these
                by = session.scalars(
                    select(OutcomeRow.solver_id).where(
                        OutcomeRow.ruleset_id == ruleset_id,
                        OutcomeRow.deal_id == deal_id,
                        OutcomeRow.result.in_(_DECIDED),
                    )
                ).all()
                where = context.where(ruleset_id, row.dealer, row.seed, deal_id)
                by_methods = {context.method(solver_id) for solver_id in by}
                for other in _others(rules, by_methods):
                    others[str(other)] = other
                    asked[rules, str(other)].append((where, row.status, row.cards))
        for (rules, name), deals in asked.items():
            _ask(context, rules, others[name], deals)


def _is_deal(context: Context, row: Any, rules: Rules) -> bool:
    try:
        context.deal(row.game, row.cards, rules)
    except BadInput:
        return False
    return True


def _others(rules: Rules, by: set[str]) -> list[Solver]:
    # Players are not used, since their losses prove nothing.
    solvers = (
        configure(method, {})
        for method in methods_of(rules.game)
        if method.sees == "deal" and method.slug not in by
    )
    return [solver for solver in solvers if solver.plays(rules)]


def _ask(
    context: Context, rules: Rules, solver: Solver, deals: Sequence[tuple[str, str, bytes]]
) -> None:
    game = game_of(rules)
    cards = np.frombuffer(b"".join(row for _, _, row in deals), dtype=np.uint8)
    outcomes = solver.solve(cards.reshape(-1, game.cards), rules)
    for (where, status, row), outcome in zip(deals, outcomes, strict=True):
        context.checked["verdict"] += 1
        if outcome.result == Result.WON:
            moves = game.unpack(outcome.moves or b"")
            if not wins(game.start(game.deal(row), rules), moves):
                context.fault("verdict", where, f"{solver} wins it by moves that do not replay")
            elif status == "unwinnable":
                context.fault("verdict", where, f"stored as unwinnable, but {solver} wins it")
        elif outcome.result == Result.UNWINNABLE and status == "winnable":
            context.fault("verdict", where, f"stored as winnable, but {solver} proves it is not")
