"""Dead ends on a page: the deal with the cards of one marked, and why they cannot be freed."""

import streamlit as st

from dashboard.elements.card_text import card_sign, with_signs
from dashboard.viewer.table import show_deal
from engine.game import Deal, Rules
from engine.games import game_of
from solvers.outcome import DeadEnd


def show_dead_end(deal: Deal, rules: Rules, dead_end: DeadEnd) -> None:
    """Show a deal with the cards of its dead end, and those that they wait for, outlined."""
    show_deal(game_of(rules).start(deal, rules), dead_end.witness, _wanted(deal, rules, dead_end))


def explain_dead_end(deal: Deal, rules: Rules, dead_end: DeadEnd) -> None:
    """Say what kind of dead end it is, and why the deal cannot be won."""
    load = game_of(rules).load_dead_ends
    if load is None:
        return
    checker = load()
    cards = ", ".join(card_sign(card) for card in dead_end.witness)
    kind = checker.kinds[dead_end.kind]
    st.markdown(f"**A dead end before the first move:** {kind} ({cards}).")
    words = checker.explain(deal, rules, dead_end.kind, dead_end.witness)
    st.markdown("\n".join(f"- {part.rstrip('.')}." for part in with_signs(words).split(". ")))
    outlines = "These cards are outlined and numbered on the table in this order"
    if _wanted(deal, rules, dead_end):
        outlines += "; the cards they wait for have a dashed outline"
    st.caption(f"{outlines}.")


def _wanted(deal: Deal, rules: Rules, dead_end: DeadEnd) -> tuple[int, ...]:
    """The cards that the witness of a dead end waits for."""
    load = game_of(rules).load_dead_ends
    return (
        () if load is None else tuple(load().needed(deal, rules, dead_end.kind, dead_end.witness))
    )
