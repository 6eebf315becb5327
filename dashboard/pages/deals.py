"""The list of deals, filtered, sorted and paged by the database; each row links to its page."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import streamlit as st

from catalogue.difficulty.reading import features_of
from catalogue.reading.deal_filter import LEVELS
from catalogue.reading.deal_list import (
    ANY,
    MAX_PAGE_SIZE,
    RESULTS,
    SORTS,
    STATUSES,
    DealFilter,
    DealPage,
    list_deals,
)
from catalogue.reading.overview import dealers, rulesets, solvers
from dashboard.elements.levels import level_in_brief
from dashboard.elements.links import check_choice, check_number, choose_ruleset
from dashboard.elements.list_files import FILE_DEALS, difficulty_columns, offer_file
from dashboard.elements.starting import Offer, offer
from dashboard.elements.tables import Column, deal_link, show_table
from dashboard.elements.wording import (
    RESULT_WORDS,
    STATUS_SIGNS,
    by_preference,
    count,
    ruleset_title,
)
from dashboard.server.connection import catalogue, sentences
from engine.games import games
from engine.text.numbers import counted

PAGE_SIZE = 50
SORT_WORDS = {"deal": "deal", "nodes": "search nodes", "length": "solution length"}
_ANY = "any"

_Option = TypeVar("_Option", bound=str)


def show() -> None:
    st.title("Deals")
    st.markdown("[Open a deal by its name](./deal), or [find one to play](./find).")
    cat = catalogue()
    known = by_preference(rulesets(cat))
    if not known:
        offer(
            "Nothing has been solved yet, so there is no deal to list.", Offer.first(), "first-job"
        )
        return

    kinds = _dead_end_kinds()
    top = st.columns(4)
    ruleset = choose_ruleset(top[0], known, _first_page)
    status = _choice(top[1], "Status", [_ANY, *STATUSES], key="status", words={})
    sort = _choice(top[2], "Sorted by", SORTS, key="sort", words=SORT_WORDS)
    order = _choice(
        top[3],
        "Order",
        ["up", "down"],
        key="order",
        words={"up": "smallest first", "down": "largest first"},
    )
    with st.expander("More filters"):
        first, second, third, fourth = st.columns(3), st.columns(3), st.columns(4), st.columns(2)
        dealer = _choice(first[0], "Dealer", [_ANY, *dealers(cat)], key="dealer", words={})
        seed_from = _number(first[1], "Seeds from", key="seed_from")
        seed_to = _number(first[2], "Seeds to", key="seed_to")
        dead_end = _choice(
            second[0],
            "Dead end",
            ["-", ANY, *kinds],
            key="dead_end",
            words={"-": "any or none", ANY: "any kind", **{k: f"{k}: {kinds[k]}" for k in kinds}},
        )
        solver = _choice(
            second[1], "Tried by", [_ANY, *solvers(cat, ruleset)], key="solver", words={}
        )
        result = _choice(
            second[2], "with the result", [_ANY, *RESULTS], key="result", words=RESULT_WORDS
        )
        min_nodes = _number(third[0], "Nodes from", key="min_nodes")
        max_nodes = _number(third[1], "Nodes to", key="max_nodes")
        min_length = _number(third[2], "Moves from", key="min_length")
        max_length = _number(third[3], "Moves to", key="max_length")
        min_level = _level(fourth[0], "Level from (1 is the easiest)", key="min_level")
        max_level = _level(fourth[1], "Level to (10 is the hardest)", key="max_level")

    chosen = DealFilter(
        ruleset,
        status=_given(status),
        dealer=_given(dealer),
        seed_from=seed_from,
        seed_to=seed_to,
        dead_end=None if dead_end == "-" else dead_end,
        min_nodes=min_nodes,
        max_nodes=max_nodes,
        min_length=min_length,
        max_length=max_length,
        min_level=min_level,
        max_level=max_level,
        solver=_given(solver),
        result=_given(result),
    )

    def read(page: int, size: int = PAGE_SIZE) -> DealPage:
        return list_deals(cat, chosen, sort, order == "down", page, size)

    _pages(read, ruleset)


@st.fragment
def _pages(read: Callable[..., DealPage], ruleset: str) -> None:
    """A page of the list; a turn to another one draws nothing else again."""
    with sentences():
        _page(read, ruleset)


def _page(read: Callable[..., DealPage], ruleset: str) -> None:
    found = read(max(1, st.session_state.get("page", 1)))
    bind = check_number("page", "page", 1, found.pages)
    st.markdown(f"**{counted(found.total, 'deal')}**")
    if found.total == 0:
        st.info("No deal matches these filters.")
        return
    table = st.container()
    page = st.pagination(found.pages, key="page", bind=bind)
    if page != found.page:
        found = read(page)
    offer_file(found.total, lambda: _rows(read, ruleset), name=f"deals-{ruleset}", key="deals-file")
    with table:
        _table(found, ruleset)
        st.caption(
            f"Under {ruleset_title(ruleset)} (`{ruleset}`). Search nodes: the positions that the "
            "exact search entered before it decided the deal. Solution: the shortest one stored; "
            "the page of a deal shows it made shorter where it can."
        )
        if any(row.rating is not None for row in found.rows):
            st.caption(
                "Level: how hard a winnable deal is for somebody who does not see the face-down "
                "cards, 1 to 10. Deals without one are not known to be winnable, or have not been "
                "graded."
            )


def _rows(read: Callable[..., DealPage], ruleset: str) -> Iterator[dict[str, Any]]:
    """The deals of the list as the rows of a file, read some at a time."""
    for page in range(1, FILE_DEALS // MAX_PAGE_SIZE + 1):
        found = read(page, MAX_PAGE_SIZE)
        named = ((row.dealer, row.seed) for row in found.rows)
        dealt = [(dealer, seed) for dealer, seed in named if dealer and seed is not None]
        features = features_of(catalogue(), ruleset, dealt)
        for row in found.rows:
            graded = features.get((row.dealer or "", row.seed or 0))
            yield {
                "deal": row.deal,
                "ruleset": ruleset,
                "status": row.status,
                "nodes": row.nodes,
                "solution_length": row.solution_length,
                "dead_end": row.dead_end,
                "solvers": row.solvers,
                "wins": row.wins,
                "proofs": row.proofs,
                **difficulty_columns(graded),
            }
        if page >= found.pages:
            return


def _table(found: DealPage, ruleset: str) -> None:
    show_table(
        [
            Column("Deal"),
            Column("Status"),
            Column("Search nodes", "number"),
            Column("Solution", "number"),
            Column("Level"),
            Column("Dead end"),
            Column("Solvers", "number"),
        ],
        [
            (
                deal_link(row.deal, ruleset),
                "⚠ contradiction" if row.alarm else f"{STATUS_SIGNS[row.status]} {row.status}",
                count(row.nodes),
                "–" if row.solution_length is None else f"{row.solution_length} moves",
                level_in_brief(row.rating),
                row.dead_end or "–",
                count(row.solvers),
            )
            for row in found.rows
        ],
        name="Deals",
    )


def _given(choice: str) -> str | None:
    return None if choice == _ANY else choice


def _first_page() -> None:
    st.session_state["page"] = 1


# Filters are part of the address, so that a list can be shared and "back" returns to it.
def _dead_end_kinds() -> dict[str, str]:
    """The kinds of dead ends of all games, with their names in words."""
    loaders = [game.load_dead_ends for game in games() if game.load_dead_ends is not None]
    return {kind: name for load in loaders for kind, name in load().kinds.items()}


def _choice(
    place: Any, label: str, options: Sequence[_Option], *, key: str, words: dict[str, str]
) -> _Option:
    named = [words.get(option, option) for option in options]
    check_choice(key, named, label.lower())
    choice: _Option = place.selectbox(
        label,
        options,
        key=key,
        format_func=lambda option: words.get(option, option),
        on_change=_first_page,
        bind="query-params",
    )
    return choice


def _level(place: Any, label: str, *, key: str) -> int | None:
    return _number(place, label, key=key, low=LEVELS[0], high=LEVELS[-1])


def _number(
    place: Any, label: str, *, key: str, low: int = 0, high: int | None = None
) -> int | None:
    number: int | None = place.number_input(
        label,
        min_value=low,
        max_value=high,
        value=None,
        step=1,
        key=key,
        on_change=_first_page,
        bind=check_number(key, label.lower(), low, high),
        placeholder="any",
    )
    return number
