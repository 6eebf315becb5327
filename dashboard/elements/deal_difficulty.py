"""How hard a deal is: what is stored, or a button that has it analysed."""

from functools import partial

import streamlit as st

from catalogue.difficulty.prediction import look_at
from catalogue.difficulty.reading import graded, model
from dashboard.elements.levels import features_in_words
from dashboard.elements.watching import redraw_after
from dashboard.server.connection import catalogue
from dashboard.server.searching import begin, begun, result_of
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput
from engine.game import Deal, Rules
from engine.games import game_of
from solvers.choice import Ability, capable


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
                st.markdown(features_in_words(stored))
                if not stored.is_old:
                    return
    if not winnable or capable(rules, Ability.FORGIVE) is None:
        return
    known = model(cat, rules.slug)
    key = "level", deal.digest, rules.slug, None if known is None else known.created_at
    doing = begun(key)
    if doing is None:
        if st.button("How hard is it?", key=f"level-{deal.digest}-{rules.slug}"):
            begin(key, partial(look_at, cat, rules, deal, name or deal.digest))
            st.rerun()
        return
    if doing.done():
        found = result_of(key, doing)
        st.markdown(features_in_words(found))
        if found.level is None:
            st.caption(
                f"There are no levels under {rules.slug} yet: "
                f"[fit them](./difficulty?ruleset={rules.slug})."
            )
        return
    st.caption("Its plays are being analysed, move by move …")
    redraw_after(key)
