"""Find a deal: winnable deals by how hard they are and what is special about them."""

import secrets
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import streamlit as st

from catalogue.difficulty.deal_of_day import deal_of_day
from catalogue.difficulty.reading import (
    MOST_COUNTED,
    DealConditions,
    GradedDeal,
    draw,
    find,
    model,
    options_of,
    rulesets,
)
from catalogue.reading.bounds import headline_sample
from catalogue.reading.overview import rulesets as attempted
from catalogue.store import Catalogue
from dashboard.elements.levels import level_in_words, option_in_words
from dashboard.elements.links import check_choice, check_number
from dashboard.elements.starting import Offer, offer
from dashboard.elements.tables import Column, deal_link, show_table
from dashboard.elements.wording import by_preference, count
from dashboard.server.connection import catalogue, show_error
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.rulesets import parse_ruleset
from engine.text.numbers import chance
from solvers.choice import Ability, capable

PAGE_SIZE = 20
# Most deals whose features a button has found; more by `thoughtful difficulty grade`.
_TRACED_MOST = 2_000
_NUMBER_MOST = 10**9
_ANY = "any"


def show() -> None:
    st.title("Find a deal")
    cat = catalogue()
    known = by_preference(rulesets(cat))
    # Filled last: on a new machine the deal of the day waits for what is compiled, and nothing else
    # has to.
    day = st.container()
    if not known:
        _nothing_yet(cat)
        with day:
            _day(DEFAULT_RULESET)
        return
    wanted = _form(known)
    try:
        wanted.check()
    except BadInput as error:
        show_error(error)
        return
    if model(cat, wanted.ruleset) is None:
        st.info(
            f"There are no levels under {wanted.ruleset} yet: [fit them]"
            f"(./difficulty?ruleset={quote(wanted.ruleset)}), which takes some minutes."
        )
    _drawn(cat, wanted)
    _list(cat, wanted)
    with day:
        _day(wanted.ruleset)


def _form(known: list[str]) -> DealConditions:
    first, second, third = st.columns(3), st.columns(4), st.columns(3)
    check_choice("rules", known, "ruleset")
    ruleset: str = first[0].selectbox(
        "Ruleset", known, key="rules", on_change=_from_the_start, bind="query-params"
    )
    levels = [
        _number(place, label, key)
        for place, label, key in (
            (first[1], "Level from (1 is the easiest)", "level_from"),
            (first[2], "Level to (10 is the hardest)", "level_to"),
        )
    ]
    moves = [
        _number(place, label, key)
        for place, label, key in (
            (second[0], "Moves from", "moves_from"),
            (second[1], "Moves to", "moves_to"),
        )
    ]
    critical = [
        _number(place, label, key)
        for place, label, key in (
            (second[2], "Critical moments from", "critical_from"),
            (second[3], "Critical moments to", "critical_to"),
        )
    ]
    before = _number(third[0], "First critical moment before move", "critical_before")
    options = [_ANY, *options_of(parse_ruleset(ruleset))]
    words = {option: option_in_words(option) for option in options}
    check_choice("needs", words.values(), "need")
    needs: str = third[1].selectbox(
        "Cannot be won without",
        options,
        key="needs",
        format_func=words.__getitem__,
        on_change=_from_the_start,
        bind="query-params",
    )
    played: bool = third[2].checkbox(
        "Only deals that players have played",
        key="played",
        on_change=_from_the_start,
        bind=check_choice("played", ["true", "false"], "box"),
        help="Their level rests on games; that of the others is predicted.",
    )
    return DealConditions(
        ruleset,
        levels=(levels[0], levels[1]),
        lengths=(moves[0], moves[1]),
        criticals=(critical[0], critical[1]),
        critical_before=before,
        needs=None if needs == _ANY else needs,
        played=played,
    )


def _number(place: Any, label: str, key: str) -> int | None:
    number: int | None = place.number_input(
        label,
        min_value=0,
        max_value=_NUMBER_MOST,
        value=None,
        step=1,
        key=key,
        on_change=_from_the_start,
        bind=check_number(key, label.lower(), high=_NUMBER_MOST),
        placeholder="any",
    )
    return number


def _from_the_start() -> None:
    st.query_params.pop("after", None)


def _day(ruleset: str) -> None:
    """The deal of the day, which what is chosen below does not change."""
    with st.spinner("Choosing the deal of the day …"):
        try:
            found = deal_of_day(datetime.now(UTC).date(), ruleset)
        except BadInput as error:
            show_error(error)
            return
    st.markdown(f"**Deal of the day: {_to_play(found.deal, ruleset)} · {found.sentence}")


def _drawn(cat: Catalogue, wanted: DealConditions) -> None:
    """A random deal of those that suit, and any other."""
    left, right = st.columns([3, 1], vertical_alignment="center")
    with right:
        if st.button("Another deal", width="stretch"):
            st.session_state["drawn"] = secrets.token_hex(8)
    deal = draw(cat, wanted, st.session_state.setdefault("drawn", secrets.token_hex(8)))
    if deal is None:
        return
    with left:
        st.markdown(
            f"**A deal like this: {_to_play(deal.deal, deal.ruleset)} · "
            f"{level_in_words(deal) or 'no level yet'}"
        )


def _to_play(deal: str, ruleset: str) -> str:
    """Links to a deal and to its board, after the two stars that begin bold type."""
    link = deal_link(deal, ruleset).href
    return f"[{deal}]({link})** · [play it]({link}&view=board)"


def _list(cat: Catalogue, wanted: DealConditions) -> None:
    place = None
    given = st.query_params.get("after")
    if given is not None:
        try:
            dealer, seed = parse_deal_id(given)
            place = dealer.slug, seed
        except BadInput as error:
            show_error(error)
    found = find(cat, wanted, PAGE_SIZE + 1, place)
    more = "or more " if found.total >= MOST_COUNTED else ""
    st.markdown(f"**{count(found.total)}** {more}of {count(found.graded)} deals analysed match.")
    if found.others:
        st.caption(
            f"{count(found.others)} deals have features of another version and are left out; "
            f"`thoughtful difficulty grade SAMPLE --rules {wanted.ruleset}` computes them again."
        )
    if not found.deals:
        if found.total:
            st.info("No further deal matches.")
        else:
            st.info("No deal matches: widen a range, or leave one of the conditions out.")
    else:
        _table(found.deals[:PAGE_SIZE])
    with st.container(horizontal=True):
        if place is not None and st.button("← From the start"):
            _from_the_start()
            st.rerun()
        if len(found.deals) > PAGE_SIZE and st.button("Further deals →"):
            st.query_params["after"] = found.deals[PAGE_SIZE - 1].deal
            st.rerun()
    st.caption(
        "Level: tenths of the winnable deals on which the difficulty was fitted. Moves and "
        "critical moments are those of one solution; a moment is critical where just one of "
        "several plays keeps the win. Luck: how often play at random wins, with its standard error."
    )


def _table(deals: list[GradedDeal]) -> None:
    show_table(
        [
            Column("Deal"),
            Column("Level"),
            Column("Difficulty", "number"),
            Column("Games", "number"),
            Column("Moves", "number"),
            Column("Critical", "number"),
            Column("First at move", "number"),
            Column("Luck", "number"),
            Column("Cannot be won without", "wide"),
        ],
        [
            (
                deal_link(deal.deal, deal.ruleset),
                "–" if deal.level is None else f"{deal.level} {deal.name}",
                "–"
                if deal.difficulty is None
                else f"{deal.difficulty:+.2f} ± {deal.deviation or 0:.2f}",
                count(deal.games),
                count(deal.length),
                count(deal.critical),
                "–" if deal.first_critical is None else count(deal.first_critical + 1),
                "–"
                if deal.luck_most is None
                else chance(deal.luck, deal.luck_error, deal.luck_most),
                ", ".join(map(option_in_words, deal.needs)) or "–",
            )
            for deal in deals
        ],
        name="Matching deals",
    )


def _nothing_yet(cat: Catalogue) -> None:
    """Say what is missing, and offer to begin."""
    slugs = [
        slug
        for slug in by_preference(attempted(cat))
        if capable(parse_ruleset(slug), Ability.FORGIVE) is not None
    ]
    sample = headline_sample(cat, slugs[0]) if slugs else None
    if sample is None:
        why = "No deal has been analysed yet, and none is known to be winnable."
        offer(why, Offer.first(), "first-job")
        return
    some = type(sample)(sample.dealer, sample.first, min(sample.count, _TRACED_MOST))
    offer(
        f"No deal has been analysed yet. Under {slugs[0]} the deals of {sample} have been tried: "
        f"a job can analyse the winnable ones of {some}.",
        Offer(slugs[0], some, (), "features"),
        "first-features",
    )
