"""Check that solutions, dead ends and regrets belong to outcomes with the right results."""

from sqlalchemy import select

from catalogue.schema import DeadEndRow, DealRow, OutcomeRow, RegretRow, SolutionRow, same_outcome
from catalogue.verify.context import Context
from solvers.outcome import Result


def check_belongings(context: Context) -> None:
    """Check that rows agree with the result of their outcome, and that each win has a solution."""
    with context.cat.session() as session:
        named = select(
            OutcomeRow.ruleset_id, DealRow.dealer, DealRow.seed, DealRow.id, OutcomeRow.result
        ).join(DealRow, DealRow.id == OutcomeRow.deal_id)
        won = OutcomeRow.result == Result.WON.value
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
        ):
            for ruleset_id, dealer, seed, deal_id, result in session.execute(
                query.where(*context.is_asked(OutcomeRow.deal_id))
            ):
                where = context.where(ruleset_id, dealer, seed, deal_id)
                context.fault(kind, where, what.format(result=result))
