"""Verification: recomputing what the catalogue stores, and reporting faults.

It reports and never repairs: a person must find out what a fault means and which side is wrong.
Every count and every status is recomputed, and every value, reference, job and bound looked at; of
the solutions, dead ends, regrets, cards, outcomes and verdicts only a random share is checked,
because that takes the referee or a solver.
"""

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass

from sqlalchemy.exc import OperationalError, StatementError

from catalogue.reading.references import deal_ids_of
from catalogue.store import Catalogue
from catalogue.verify.belongings import check_belongings
from catalogue.verify.cards import check_cards
from catalogue.verify.context import Context
from catalogue.verify.dead_ends import check_dead_ends
from catalogue.verify.jobs import check_bounds, check_jobs
from catalogue.verify.names import check_names
from catalogue.verify.references import check_doubles, check_references, check_tables
from catalogue.verify.regrets import check_losing_moves, check_regrets
from catalogue.verify.report import VerificationReport
from catalogue.verify.reruns import check_reruns
from catalogue.verify.solutions import check_solutions
from catalogue.verify.statuses import check_statuses
from catalogue.verify.tallies import check_status_tallies, check_tallies
from catalogue.verify.values import check_values
from catalogue.verify.verdicts import check_verdicts
from engine.errors import BadInput


@dataclass(frozen=True, slots=True)
class Check:
    """An entry of the registry of checks.

    Attributes:
        name: its name for `--only`.
        meaning: the facts that it recomputes.
        run: the check, which reports to a context.
        of_deals: whether it can check a single deal.
    """

    name: str
    meaning: str
    run: Callable[[Context], None]
    of_deals: bool = True


CHECKS = (
    Check("statuses", "statuses, from their outcomes; contradictions", check_statuses),
    Check("tallies", "counts of outcomes in blocks of seeds", check_tallies, False),
    Check("status-tallies", "counts of statuses in blocks of seeds", check_status_tallies, False),
    Check("belongings", "results of the outcomes of solutions and the like", check_belongings),
    Check("solutions", "solutions, replayed by the referee", check_solutions),
    Check("dead-ends", "witnesses of dead ends", check_dead_ends),
    Check("regrets", "lost games, replayed by the referee", check_regrets),
    Check("losing-moves", "losing moves, by an independent solver", check_losing_moves),
    Check("cards", "cards of deals, dealt again", check_cards),
    Check("doubles", "deals stored twice", check_doubles),
    Check("values", "types and ranges of all values", check_values),
    Check("references", "rows that others refer to", check_references),
    Check("tables", "tables, indexes and constraints", check_tables, False),
    Check("names", "parameters of solvers and options of rulesets", check_names, False),
    Check("jobs", "progress of jobs, recounted", check_jobs, False),
    Check("bounds", "history of bounds", check_bounds, False),
    Check("reruns", "outcomes, by the solvers that made them", check_reruns),
    Check("verdicts", "verdicts, by solvers that had no part in them", check_verdicts),
)


# Raised where a stored value is not what its column should hold.
_UNREADABLE = (ArithmeticError, LookupError, StatementError, TypeError, ValueError)


def verify(
    cat: Catalogue,
    *,
    share: float = 0.1,
    resolve_share: float = 0.01,
    seed: int | None = None,
    only: Collection[str] = (),
    deal: str | None = None,
) -> VerificationReport:
    """Recompute what is stored, and report faults.

    Args:
        cat: the catalogue; it is only read.
        share: share of the solutions and lost games to replay, of the dead ends to check, and of
            the deals to deal again; 0 to 1.
        resolve_share: share of the decided deals and of the losing moves to check with another
            solver; 0 to 1.
        seed: random seed of the selection; None for a fresh one, which the report names.
        only: names of the checks to run; empty for all.
        deal: name or digest of the only deal to check, in all its games; its rows are all checked.

    Raises:
        BadInput: a share is not between 0 and 1, or there is no such check or deal.
    """
    for name, value in (("share", share), ("resolve_share", resolve_share)):
        if not 0 <= value <= 1:
            raise BadInput(f"{name} {value} is out of range: expected 0 to 1")
    known = {check.name for check in CHECKS}
    for name in only:
        if name not in known:
            names = ", ".join(check.name for check in CHECKS)
            raise BadInput(f"unknown check {name!r}: expected one of {names}")
    deal_ids = None if deal is None else deal_ids_of(cat, deal)
    if seed is None:
        seed = secrets.randbelow(2**32)
    context = Context(cat, share, resolve_share, seed, deal_ids)
    for check in CHECKS:
        if (not only or check.name in only) and (deal_ids is None or check.of_deals):
            context.begin(check.name)
            try:
                check.run(context)
            except _UNREADABLE as error:
                # A value that cannot be read ends a check, not the verification.
                if isinstance(error, OperationalError):
                    raise
                reason = str(error).partition("\n")[0]
                context.fault("check", check.name, f"it could not be completed: {reason}")
    return VerificationReport(seed, dict(context.checked), tuple(context.faults))
