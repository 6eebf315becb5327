"""The list of deals, filtered, sorted and paged by the database; each row links to its page."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from catalogue.difficulty.grading import DifficultyModel
from catalogue.difficulty.reading import features_of, model
from catalogue.difficulty.reading import rulesets as analysed
from catalogue.difficulty.shipped import shipped_model
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
from dashboard.elements.deal_difficulty import predicted_here
from dashboard.elements.levels import for_whom, level_in_brief
from dashboard.elements.links import check_choice, check_number, choose_ruleset
from dashboard.elements.list_files import FILE_DEALS, difficulty_columns, offer_file
from dashboard.elements.starting import Offer, offer, offer_analysis
from dashboard.elements.tables import Column, show_table, titled_link
from dashboard.elements.watching import redraw_after
from dashboard.elements.wording import (
    RESULT_WORDS,
    STATUS_SIGNS,
    by_preference,
    count,
    ruleset_title,
)
from dashboard.server.connection import catalogue, sentences
from dashboard.server.searching import begin, begun, result_of
from engine.dealing.dealers import deal_by_id
from engine.game import Deal, Rules
from engine.games import game_of, games
from engine.rulesets import parse_ruleset
from engine.text.numbers import counted

PAGE_SIZE = 50
SORT_WORDS = {"deal": "deal", "nodes": "positions searched", "length": "moves of a win"}
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
            words={"-": "any or none", ANY: "any kind", **kinds},
        )
        solver = _choice(
            second[1], "Tried by", [_ANY, *solvers(cat, ruleset)], key="solver", words={}
        )
        result = _choice(
            second[2], "with the result", [_ANY, *RESULTS], key="result", words=RESULT_WORDS
        )
        min_nodes = _number(third[0], "Positions searched from", key="min_nodes")
        max_nodes = _number(third[1], "Positions searched to", key="max_nodes")
        min_length = _number(third[2], "Moves of a win from", key="min_length")
        max_length = _number(third[3], "Moves of a win to", key="max_length")
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

    if chosen.levels is not None and ruleset not in analysed(cat):
        offer_analysis(
            cat,
            ruleset,
            f"No deal of {ruleset_title(ruleset)} has a stored level yet, so a list by level is "
            "empty. Levels are stored of deals whose plays were analysed one by one"
            + (
                "."
                if shipped_model(ruleset) is None
                else "; “Find a deal” has deals of a level at once."
            ),
        )
        return
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
        levels = _levels(found, ruleset)
        _table(found, ruleset, levels)
        st.caption(
            f"Level: how hard a winnable deal is{for_whom(ruleset)}, from 1 to 10; with ≈ it is "
            "predicted. Win: the shortest one stored; the page of a "
            "deal shows it made shorter where it can. Positions searched: those that the exact "
            "search entered before it was sure. Why not: a dead end that is there before the first "
            "move; of other deals a search to the end, or what other rules forbid, says so. "
            "Solvers: how many programs have tried the deal."
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


def _levels(found: DealPage, ruleset: str) -> list[str]:
    """The levels of a page of the list; a button has those predicted that are not stored.

    That takes some seconds, which no turn of a page should wait for.
    """
    rules = parse_ruleset(ruleset)
    game, known = game_of(rules), model(catalogue(), ruleset)
    cells = []
    missing: list[Deal] = []
    for row in found.rows:
        cell = level_in_brief(row.rating)
        if row.rating is None and known is not None and row.dealer and row.status == "winnable":
            deal = deal_by_id(row.deal, game)
            level = predicted_here(known, deal, rules, at_once=True)
            if level is not None:
                cell = f"≈ {level.number} {level.name}"
            elif (ruleset, deal.digest) not in st.session_state.setdefault("without-level", set()):
                missing.append(deal)
        cells.append(cell)
    if missing and known is not None:
        key = "levels-of", ruleset, tuple(deal.digest for deal in missing)
        _predict(key, partial(_predicted, known, missing, rules))
    return cells


def _predict(key: tuple[object, ...], predicted: Callable[[], set[tuple[str, str]]]) -> None:
    """A button that has levels predicted in the background, or a word on how far that is."""
    doing = begun(key)
    if doing is None:
        label = "Tell the levels of the deals of this page"
        if st.button(label, key="tell-levels", help="That takes some ten seconds."):
            with sentences():  # too many may wait, and the list is there all the same
                begin(key, predicted)
                st.rerun()
    elif doing.done():
        # Those that no small search wins have none, and are not asked for again.
        st.session_state["without-level"] |= result_of(key, doing)
        st.rerun()
    else:
        st.caption("The levels are being found …")
        redraw_after(key)


def _predicted(known: DifficultyModel, deals: Sequence[Deal], rules: Rules) -> set[tuple[str, str]]:
    """Predict the levels of deals; the ruleset and the digests of those without one."""
    return {
        (rules.slug, deal.digest)
        for deal in deals
        if predicted_here(known, deal, rules, at_once=False) is None
    }


def _table(found: DealPage, ruleset: str, levels: Sequence[str]) -> None:
    kinds = _dead_end_kinds()
    show_table(
        [
            Column("Deal"),
            Column("Status"),
            Column("Level"),
            Column("Win", "number"),
            Column("Positions searched", "number"),
            Column("Why not"),
            Column("Solvers", "number"),
        ],
        [
            (
                titled_link(row.deal, row.dealer, row.seed, ruleset),
                "⚠ contradiction" if row.alarm else f"{STATUS_SIGNS[row.status]} {row.status}",
                level,
                "–" if row.solution_length is None else f"{row.solution_length} moves",
                count(row.nodes),
                "–" if row.dead_end is None else kinds.get(row.dead_end, row.dead_end),
                count(row.solvers),
            )
            for row, level in zip(found.rows, levels, strict=True)
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
