"""A button that solves a deal which no solver has attempted under a ruleset."""

from dataclasses import replace
from functools import partial

import streamlit as st

from catalogue.asking import remember
from catalogue.reading.deal_detail import DealDetail, DealOutcome
from catalogue.solving import Batch, outcome_of_one, solve_one, solver_of_one, store_solved
from dashboard.elements.watching import redraw_after
from dashboard.elements.wording import ruleset_title
from dashboard.server.access import why_not_write
from dashboard.server.connection import catalogue, literal
from dashboard.server.searching import begin, begun, forget, result_of, waiting_words
from engine.game import Rules
from solvers.deciding import Decision, Verdict
from solvers.outcome import Result


def solved_here(detail: DealDetail, rules: Rules, winnable: bool) -> DealDetail:
    """Offer to solve a deal, or show it being solved, or what came out; the deal with that.

    What came out is stored if this visitor may write, else it is shown to all who ask for as long
    as the server keeps it. winnable: whether it is known that it can be won although no outcome is
    stored, such as of a deal that was chosen to be played.

    Raises:
        BadInput: no solver plays the ruleset, or too many long searches wait.
    """
    solver = solver_of_one(rules)
    key = "solve", detail.digest, rules.slug, str(solver)
    what = "this deal" if not detail.statuses else f"this deal under {ruleset_title(rules.slug)}"
    doing = begun(key)
    if doing is None:
        won = f"T{what[1:]} can be won, but no outcome of a solver is stored yet."
        st.info(won if winnable else f"No solver has attempted {what} yet.")
        if st.button(
            f"Solve it by {solver.method.slug}",
            type="primary",
            key=f"solve-{detail.deal}-{rules.slug}",
        ):
            begin(key, partial(solve_one, detail, rules, solver))
            st.rerun()
        return detail
    if not doing.done():
        st.info(
            f"{waiting_words(rules)} {solver.method.slug} solves {what}; it goes on while this "
            "page is used or closed."
        )

        redraw_after(key)
        return detail
    solved: Batch = result_of(key, doing)
    outcome = outcome_of_one(detail, solved)
    _remember(detail, rules, outcome)
    why = why_not_write()
    if why is None and detail.dealer is not None:
        store_solved(catalogue(), [solved])
        forget(key)
        st.rerun()
    reason = why or "a deal without a dealer and a seed is stored by a file of deals"
    method = outcome.solver.partition("(")[0]
    st.info(
        f"{method} has just solved {what}: {outcome.result.replace('_', ' ')}. "
        + literal(f"It is shown but not stored: {reason}.")
    )
    return replace(detail, outcomes=[*detail.outcomes, outcome])


def _remember(detail: DealDetail, rules: Rules, outcome: DealOutcome) -> None:
    """Have the board and all others know of it, whether or not it is stored."""
    start = detail.game.start(detail.cards, rules)
    if outcome.result == Result.WON and outcome.moves is not None:
        win = tuple(detail.game.unpack(outcome.moves))
        remember((start, Decision(Verdict.WINNABLE, win)))
    elif outcome.result == Result.UNWINNABLE:
        remember((start, Decision(Verdict.UNWINNABLE)))
