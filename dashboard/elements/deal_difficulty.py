"""How hard a deal is: what is stored, or a button that has it analysed."""

from contextlib import suppress
from functools import partial

import streamlit as st

from catalogue.difficulty.deal_of_day import quick_solver
from catalogue.difficulty.grading import DifficultyModel
from catalogue.difficulty.prediction import DealLevel, look_at, predicted_level
from catalogue.difficulty.reading import graded, model
from catalogue.reading.recent import Recent
from dashboard.elements.levels import (
    features_details,
    features_in_words,
    predicted_details,
    predicted_in_words,
)
from dashboard.elements.watching import redraw_after
from dashboard.elements.wording import ruleset_title
from dashboard.server.connection import catalogue
from dashboard.server.searching import begin, begun, result_of, wait_for
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput
from engine.game import Deal, Rules
from engine.games import game_of
from solvers.choice import Ability, capable

# Predicted levels, for pages that are drawn again.
_levels: Recent[DealLevel] = Recent(1_024)


def show_how_hard(deal: Deal, rules: Rules, name: str | None, winnable: bool) -> None:
    """Say how hard a deal is, or offer to analyse it; the result is not stored.

    Nothing is offered for a deal that is not known to be winnable, nor where no solver tells the
    plays of the ruleset.

    Args:
        deal: the deal.
        rules: the ruleset.
        name: of the deal, with dealer and seed; None without.
        winnable: whether it is known to be winnable.

    Raises:
        BadInput: too many long searches wait.
    """
    try:
        cat = catalogue()
    except BadInput:
        return  # pages that can do without it say what is wrong
    if name is not None:
        dealer, seed = parse_deal_id(name)
        for stored in graded(cat, game_of(rules).slug, dealer.slug, seed):
            if stored.ruleset == rules.slug:
                st.markdown(features_in_words(stored), help=features_details(stored))
                if not stored.is_old:
                    return
    if not winnable:
        return
    known = model(cat, rules.slug)
    if capable(rules, Ability.FORGIVE) is None:
        _predicted(known, deal, rules)
        return
    key = "level", deal.digest, rules.slug, None if known is None else known.created_at
    doing = begun(key)
    if doing is None:
        _predicted(known, deal, rules)
        if st.button("How hard is it?", key=f"level-{deal.digest}-{rules.slug}"):
            begin(key, partial(look_at, cat, rules, deal, name or deal.digest))
            st.rerun()
        return
    if doing.done():
        found = result_of(key, doing)
        st.markdown(features_in_words(found), help=features_details(found))
        if found.level is None:
            st.caption(
                f"There are no levels under {ruleset_title(rules.slug)} yet: "
                f"[fit them](./difficulty?rules={rules.slug})."
            )
        return
    st.caption("Its plays are being analysed, move by move …")
    redraw_after(key)


def predicted_here(
    known: DifficultyModel | None, deal: Deal, rules: Rules, *, at_once: bool
) -> DealLevel | None:
    """The level of a deal that is predicted, if a model tells it and a small search wins the deal.

    Args:
        known: the model of the ruleset.
        deal: the deal.
        rules: the ruleset.
        at_once: whether it is None, too, where it has not been predicted before: that takes some
            0.2 s.
    """
    if known is None or known.is_old:
        return None
    key = deal.digest, rules.slug, known.created_at
    level = _levels.get(key)
    if level is None and not at_once:
        with suppress(BadInput):
            level = predicted_level(known, deal, rules, quick_solver(rules))
            _levels.put(key, level)
    return level


def _predicted(known: DifficultyModel | None, deal: Deal, rules: Rules) -> None:
    """Show the level of a deal at once, if it can be predicted."""
    with suppress(BadInput):
        level = predicted_here(known, deal, rules, at_once=True) or wait_for(
            partial(predicted_here, known, deal, rules, at_once=False)
        )
        if level is not None:
            st.markdown(predicted_in_words(level), help=predicted_details(level))
