"""Find a deal: one to play as hard as wanted, or winnable ones by what is special about them."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import streamlit as st

from catalogue.difficulty.deal_of_day import deal_of_day
from catalogue.difficulty.grading import LEVELS
from catalogue.difficulty.playable import PLAYED, Band, playable_deal
from catalogue.difficulty.reading import (
    MOST_COUNTED,
    DealConditions,
    GradedDeal,
    draw,
    find,
    options_of,
    rulesets,
)
from catalogue.difficulty.shipped import shipped_model
from catalogue.store import Catalogue
from dashboard.elements.levels import level_in_words, option_in_words
from dashboard.elements.links import check_choice, check_number, play_address
from dashboard.elements.list_files import FILE_DEALS, difficulty_columns, offer_file
from dashboard.elements.starting import offer_analysis
from dashboard.elements.tables import Column, deal_link, show_table, titled_link
from dashboard.elements.wording import count, for_players, ruleset_title
from dashboard.server.connection import catalogue, sentences, show_error
from dashboard.server.searching import wait_for
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from engine.text.numbers import chance

PAGE_SIZE = 20
_NUMBER_MOST = 10**9
# Deals of a file that are read at a time.
_FILE_STEP = 1_000
_ANY = "any"
_AT_ONCE = "The buttons above tell the level of each new deal at once. "
_BANDS = {
    Band.EASY: "Easy",
    Band.MEDIUM: "Medium",
    Band.HARD: "Hard",
    Band.ANY: "Surprise me",
}
# What a link may have of the folded conditions.
_CONDITIONS = frozenset(
    {"level_from", "level_to", "moves_from", "moves_to", "critical_from", "critical_to"}
    | {"critical_before", "needs", "played", "after"}
)


def show() -> None:
    st.title("Find a deal")
    # No catalogue is needed for the four choices; the folded conditions say what is wrong with it.
    ruleset = _ruleset()
    band = _band(ruleset)
    # Filled last: on a new machine they wait for what is compiled, and nothing else has to.
    chosen, day = st.container(), st.container()
    # Of the link that was opened: it would be another fold, drawn anew, once conditions are set.
    linked = st.session_state.setdefault("linked", not _CONDITIONS.isdisjoint(st.query_params))
    fold = st.expander(
        "Further conditions, among the deals of the catalogue",
        expanded=linked,
        key="conditions",
        on_change="rerun",
    )
    if fold.open:
        with fold, sentences():
            _conditions(catalogue(), ruleset)
    with chosen:
        _chosen(ruleset, band)
    with day:
        _day(ruleset)


def _ruleset() -> str:
    """The ruleset that was chosen; the link has its slug, the page its words."""
    slugs = _rulesets()
    if check_choice("rules", slugs, "ruleset") is not None:
        st.session_state.setdefault("game", st.query_params.get("rules", slugs[0]))
    ruleset: str = st.selectbox(
        "Game", slugs, key="game", format_func=ruleset_title, on_change=_from_the_start
    )
    st.query_params["rules"] = ruleset
    return ruleset


def _rulesets() -> list[str]:
    """The rulesets that are offered for play, then others of which deals were analysed."""
    try:
        others = for_players(rulesets(catalogue()))
    except BadInput:
        others = []
    return list(dict.fromkeys((*PLAYED, *others)))


def _band(ruleset: str) -> Band:
    """Four buttons, each of which gives another deal; the band of the last one that was pressed."""
    bands = [Band.ANY] if shipped_model(ruleset) is None else list(_BANDS)
    for place, band in zip(st.columns(len(_BANDS)), bands, strict=False):
        if place.button(_BANDS[band], key=f"band-{band}", width="stretch"):
            st.session_state["band"] = band
            st.session_state["key"] = secrets.token_hex(8)
    band = st.session_state.get("band", Band.ANY)
    return band if band in bands else Band.ANY


def _chosen(ruleset: str, band: Band) -> None:
    """The deal of the button that was pressed; any one before that."""
    key = st.session_state.setdefault("key", secrets.token_hex(8))
    with st.spinner("Choosing a deal …"):
        try:
            found = wait_for(partial(playable_deal, ruleset, band, key))
        except BadInput as error:
            show_error(error)
            return
    level = (
        ""
        if found.level is None
        else f"{found.level_name}, level {found.level} of {len(LEVELS)} · "
    )
    st.markdown(
        f"**Your deal: {_to_play(found.deal, ruleset)} · {level}can be won in {found.length} moves"
    )


def _conditions(cat: Catalogue, ruleset: str) -> None:
    """The conditions, and the deals of the catalogue that meet them."""
    if ruleset not in rulesets(cat):
        offer_analysis(
            cat,
            ruleset,
            ("" if shipped_model(ruleset) is None else _AT_ONCE) + "Further conditions choose "
            "among deals of the catalogue whose plays were analysed one by one: so far there is "
            f"none of {ruleset_title(ruleset)}.",
        )
        return
    wanted = _form(ruleset)
    try:
        wanted.check()
    except BadInput as error:
        show_error(error)
        return
    _drawn(cat, wanted)
    _list(cat, wanted)


def _form(ruleset: str) -> DealConditions:
    first, second, third = st.columns(2), st.columns(4), st.columns(3)
    levels = [
        _number(place, label, key)
        for place, label, key in (
            (first[0], "Level from (1 is the easiest)", "level_from"),
            (first[1], "Level to (10 is the hardest)", "level_to"),
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
        "Only deals that bots have played",
        key="played",
        on_change=_from_the_start,
        bind=check_choice("played", ["true", "false"], "box"),
        help="A bot is a program that plays by the open cards alone. The level of these deals "
        "rests on its games; that of the others is predicted.",
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
    """Links to a deal and to a game of it, after the two stars that begin bold type."""
    link = deal_link(deal, ruleset).href
    return f"[{deal}]({link})** · [play it]({play_address(deal, ruleset)})"


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
    offer_file(
        found.total,
        lambda: _rows(cat, wanted),
        name=f"deals-{wanted.ruleset}",
        key="deals-file",
        more=" or more" if more else "",
    )
    with st.container(horizontal=True):
        if place is not None and st.button("← From the start"):
            _from_the_start()
            st.rerun()
        if len(found.deals) > PAGE_SIZE and st.button("Further deals →"):
            st.query_params["after"] = found.deals[PAGE_SIZE - 1].deal
            st.rerun()
    st.caption(
        "Level: 1 is the easiest tenth of winnable deals, 10 the hardest. Difficulty: the number "
        "behind it, the larger the harder, with its standard error. Games: those of bots that it "
        "rests on. Moves and critical moments are those of one solution; a moment is critical "
        "where just one of several plays keeps the win. Luck: how often play at random wins, with "
        "its standard error."
    )


def _rows(cat: Catalogue, wanted: DealConditions) -> Iterator[dict[str, Any]]:
    """The deals that match as the rows of a file, from the first on, read some at a time."""
    place = None
    for _ in range(0, FILE_DEALS, _FILE_STEP):
        found = find(cat, wanted, _FILE_STEP, place).deals
        for deal in found:
            place = deal.dealer, deal.seed
            yield {
                "deal": deal.deal,
                "ruleset": deal.ruleset,
                "status": "winnable",
                "nodes": deal.nodes,
                **difficulty_columns(deal),
            }
        if len(found) < _FILE_STEP:
            return


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
                titled_link(deal.deal, deal.dealer, deal.seed, deal.ruleset),
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
