"""Check that rows belong to outcomes of the right results, and outcomes to deals of their game."""

from sqlalchemy import select

from catalogue.outcomes.rows import table_of
from catalogue.schema import (
    DeadEndRow,
    DealingRow,
    DealRow,
    OutcomeRow,
    RegretRow,
    RulesetRow,
    SolutionRow,
    same_outcome,
)
from catalogue.verify.context import Context, DealKey
from solvers.outcome import Result


def check_belongings(context: Context) -> None:
    """Check that rows agree with the result of their outcome, and that each win has a solution."""
    named = (
        select(
            OutcomeRow.ruleset_id,
            OutcomeRow.solver_id,
            DealRow.id,
            DealRow.dealing_id,
            DealRow.seed,
            OutcomeRow.result,
        )
        .join(DealRow, DealRow.id == OutcomeRow.deal_id)
        .where(*context.inside(table_of(OutcomeRow)))
    )
    won = OutcomeRow.result == Result.WON.value
    with context.cat.session() as session:
        for kind, query, what in (
            (
                "solution",
                named.outerjoin(SolutionRow, same_outcome(SolutionRow)).where(
                    won, SolutionRow.deal_id.is_(None)
                ),
                "won, but there is no solution",
            ),
            (
                "solution",
                named.join(SolutionRow, same_outcome(SolutionRow)).where(~won),
                "there is a solution, but the outcome is {result}",
            ),
            (
                "dead end",
                named.join(DeadEndRow, same_outcome(DeadEndRow)).where(
                    OutcomeRow.result != Result.UNWINNABLE.value
                ),
                "there is a dead end, but the outcome is {result}",
            ),
            (
                "regret",
                named.join(RegretRow, same_outcome(RegretRow)).where(
                    OutcomeRow.result != Result.LOST.value
                ),
                "there is a regret, but the outcome is {result}",
            ),
            (
                "outcome",
                named.join(RulesetRow, RulesetRow.id == OutcomeRow.ruleset_id)
                .join(DealingRow, DealingRow.id == DealRow.dealing_id)
                .where(RulesetRow.game != DealingRow.game),
                "its deal and its ruleset are of different games",
            ),
        ):
            for row in session.execute(query):
                deal = DealKey(row.id, row.dealing_id, row.seed)
                where = context.where(row.ruleset_id, deal, row.solver_id)
                context.fault(kind, where, what.format(result=row.result))
    context.checked["belongings"] += 1
