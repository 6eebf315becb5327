"""Check of outcomes by the solver that made them: the same version gives the same again."""

from collections import defaultdict
from typing import Any

import numpy as np
from sqlalchemy import select

from catalogue.schema import DealRow, OutcomeRow, SolutionRow, SolverRow, same_outcome
from catalogue.verify.context import Context, batches, deal_name
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from solvers.registry import Solver, parse_solver

# With a limit of time an outcome depends on the machine.
_TIME_LIMIT = "seconds"


def check_reruns(context: Context) -> None:
    """Solve deals again with the same solvers, and compare results, nodes and solutions."""
    with context.cat.session() as session:
        repeatable = {
            row.id: solver
            for row in session.execute(select(SolverRow.id, SolverRow.name, SolverRow.version))
            if (solver := _same(row.name, row.version)) is not None
        }
        key = (OutcomeRow.ruleset_id, OutcomeRow.solver_id, OutcomeRow.deal_id)
        every = session.execute(
            select(*key)
            .where(OutcomeRow.solver_id.in_(repeatable), *context.is_asked(OutcomeRow.deal_id))
            .order_by(*key)
        ).all()
    for batch in batches(context.choose(every, context.resolve_share)):
        asked: dict[tuple[Rules, int], list[Any]] = defaultdict(list)
        with context.cat.session() as session:
            for ruleset_id, solver_id, deal_id in batch:
                row = session.execute(
                    select(
                        DealRow.game,
                        DealRow.dealer,
                        DealRow.seed,
                        DealRow.id,
                        DealRow.cards,
                        OutcomeRow.result,
                        OutcomeRow.nodes,
                        SolutionRow.moves,
                    )
                    .join(OutcomeRow, OutcomeRow.deal_id == DealRow.id)
                    .outerjoin(SolutionRow, same_outcome(SolutionRow))
                    .where(
                        OutcomeRow.ruleset_id == ruleset_id,
                        OutcomeRow.solver_id == solver_id,
                        DealRow.id == deal_id,
                    )
                ).first()
                rules = context.rules(ruleset_id)
                if row is None or rules is None or not repeatable[solver_id].plays(rules):
                    continue  # the checks of references and names report these
                try:
                    context.deal(row.game, row.cards, rules)
                except BadInput:
                    continue  # the check of cards reports it
                asked[rules, solver_id].append(row)
        for (rules, solver_id), rows in asked.items():
            _repeat(context, rules, repeatable[solver_id], rows)


def _same(name: str, version: int) -> Solver | None:
    """The solver, if this program has it in the same version and time does not matter to it."""
    try:
        solver = parse_solver(name)
    except BadInput:
        return None
    limited = dict(solver.values).get(_TIME_LIMIT, 0)
    return solver if solver.method.version == version and not limited else None


def _repeat(context: Context, rules: Rules, solver: Solver, rows: list[Any]) -> None:
    cards = np.frombuffer(b"".join(row.cards for row in rows), dtype=np.uint8)
    outcomes = solver.solve(cards.reshape(-1, game_of(rules).cards), rules)
    for row, outcome in zip(rows, outcomes, strict=True):
        context.checked["rerun"] += 1
        where = f"{deal_name(row.dealer, row.seed, row.id)} by {solver} under {rules.slug}"
        if outcome.result.value != row.result:
            context.fault("rerun", where, f"it is {row.result}, again it is {outcome.result.value}")
        elif int(outcome.nodes) != row.nodes:
            context.fault("rerun", where, f"nodes is {row.nodes}, again it is {outcome.nodes}")
        elif outcome.moves is not None and bytes(outcome.moves) != row.moves:
            context.fault("rerun", where, "the solution stored is not the one that it finds")
