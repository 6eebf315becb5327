"""The atlas: winnable shares by the options of the rules, ours and the published together."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf, isinf
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from catalogue.reproduction.atlas import (
    BUILDING,
    PARTIAL_RUNS,
    REDEALS,
    SPACES,
    Atlas,
    AtlasRow,
    NecessityRow,
    atlas,
    needing,
    samples,
)
from catalogue.reproduction.definitions import BLAKE_GENT_2026, WinnabilityRow
from catalogue.reproduction.published import as_published
from catalogue.reproduction.winnability_charts import (
    draw_of,
    needs,
    share_order,
    shares,
    worrying_back,
)
from catalogue.store import Catalogue
from dashboard.elements.charts import (
    Spec,
    cells_of_map,
    need_curves,
    share_curves,
    shares_by_game,
)
from dashboard.elements.links import check_choice
from dashboard.elements.saving import show_chart
from dashboard.elements.tables import Column, Link, deal_link, show_table
from dashboard.elements.watching import redraw_on_change
from dashboard.elements.wording import count
from dashboard.pages import bounds
from dashboard.server.connection import catalogue, literal
from engine.dealing.dealers import Sample, parse_sample
from engine.games import game_of
from engine.text.numbers import significant

# Counting goes on with the next refresh of the page.
SECONDS = 0.5
# Deals listed that need worrying back, the first.
NEEDING_MOST = 50
# Deals of a row that the commands of the page ask for: a minute or two for many rows.
GAMES = 1000
_NONE = "–"

_COUNTS = (
    Column("Published, %", "number"),
    Column("Here, %", "number"),
    Column("Deals", "number"),
    Column("Winnable", "number"),
    Column("Unwinnable", "number"),
    Column("Undecided", "number"),
    Column("Comparison"),
)


def show() -> None:
    st.title("Atlas")
    game = game_of(BLAKE_GENT_2026.rows[0].rules).name
    st.markdown(
        f"How many deals of {game} can be won, by the options of its rules, and how many of other "
        "patience games: what this catalogue knows of a sample, beside the published record. "
        f"*{BLAKE_GENT_2026.source}*, "
        f"{BLAKE_GENT_2026.tables}."
    )
    cat = catalogue()
    known = [str(each) for each in samples(cat)]
    # Whatever else a link or the field has is judged below; an empty value Streamlit just drops.
    given = [text for text in st.query_params.get_all("sample")[-1:] if text]
    asked: str = st.selectbox(
        "Sample",
        known,
        key="sample",
        bind=check_choice("sample", [*known, *given], "sample"),
        accept_new_options=True,
        help="Those of jobs, and the published deals; any other can be typed in, such as "
        "thoughtful-1:0-9999. Of each ruleset the deals count that were attempted from the first "
        "one on without a gap.",
    )
    sample = parse_sample(asked)
    check_choice("draw", _draws(), "draw")
    check_choice("order", list(_ORDERS), "order")

    found = atlas(cat, sample, SECONDS)
    if found.is_empty:
        st.info(
            literal(
                f"No deal of {sample} has been attempted under these rulesets yet, so only the "
                f"published figures are here. `{_command([], sample)}` decides the first ones."
            )
        )
    else:
        st.caption(
            f"Sample {sample}. A share opens its bounds, as does a click on a point or on a "
            "cell of the map; a number of deals opens their list. Intervals are Wilson's at 95 %, "
            "from its lower end with every undecided deal counted as unwinnable to its upper "
            "end with every one counted as winnable; they are written as published ones are, "
            "by their middle and half their width. Where more than one deal in a hundred is "
            "undecided, the share is the range from all of these unwinnable to all winnable, and "
            "has no point on a curve."
        )
    _by_draw(found)
    _needs(cat, found)
    _tableaus(found)
    _redeals(found)
    _runs(found)
    _games(found)
    redraw_on_change(
        lambda cat: atlas(cat, sample, SECONDS).counts, found.counts, unfinished=found.left > 0
    )


def _draws() -> list[str]:
    """The draws of the published rows, as text."""
    return list(dict.fromkeys(draw_of(row) for row in BLAKE_GENT_2026.rows))


def _command(rows: Sequence[AtlasRow], sample: Sample) -> str:
    """The command that decides the first deals of a sample under the rulesets of some rows."""
    words = ["thoughtful reproduce", BLAKE_GENT_2026.name]
    if rows:
        words += ["--rows", ",".join(each.row.name for each in rows)]
    words += ["--games", str(min(GAMES, sample.count))]
    if (sample.dealer, sample.first) != BLAKE_GENT_2026.first:
        words += ["--first", f"{sample.dealer}:{sample.first}"]
    return " ".join(words)


def _missing(found: Atlas, rows: Sequence[AtlasRow]) -> None:
    """Tell which command decides what is missing of a section; where all is, it has been told."""
    left = [each for each in rows if not each.deals]
    if left and not found.is_empty:
        rulesets = "1 ruleset has" if len(left) == 1 else f"{len(left)} rulesets have"
        st.caption(
            literal(
                f"{rulesets} no deal of this sample yet: `{_command(left, found.sample)}` decides "
                "some."
            )
        )


def _by_draw(found: Atlas) -> None:
    st.subheader("Share by draw")
    _curves(
        found.by_draw,
        draw_of,
        worrying_back,
        "Draw",
        "atlas-draw",
        "Winnable shares by draw, with and without worrying back, here and published",
    )
    _rows(
        [Column("Draw", "number"), Column("Rules")],
        [((draw_of(each.row), worrying_back(each.row)), each) for each in found.by_draw],
        "Shares by draw",
    )
    _missing(found, found.by_draw)


def _needs(cat: Catalogue, found: Atlas) -> None:
    st.subheader("Need of worrying back")
    st.markdown(
        "The winnable deals that cannot be won when cards never return from the foundations, in "
        "percent of the winnable ones. A click on a point lists them."
    )
    frame = needs((each.necessity for each in found.needed), draw_of)
    links = {
        each.lax.row.ruleset: f"./atlas?{_query(sample=found.sample, draw=draw_of(each.lax.row))}"
        for each in found.needed
        if each.counted
    }
    show_chart(
        need_curves(frame.assign(href=frame["ruleset"].map(links)), _places(frame), "Draw"),
        frame,
        name="atlas-needs",
        key="atlas-needs",
        alt_text="Winnable deals that cannot be won without worrying back, by draw",
    )
    show_table(
        [
            Column("Draw", "number"),
            Column("Published, %", "number"),
            Column("Here, %", "number"),
            Column("Needing it", "number"),
            Column("Winnable", "number"),
            Column("Deals", "number"),
            Column("Bounds with it"),
            Column("Bounds without"),
        ],
        [_need(each, links.get(each.lax.row.ruleset)) for each in found.needed],
        name="Need of worrying back",
    )
    if found.left:
        st.caption(
            f"{count(found.left)} deals are still to be counted; the numbers follow by themselves."
        )
    wrong = sum(each.contradicting for each in found.needed)
    if wrong:
        st.error(
            f"{count(wrong)} deals are won without worrying back and called unwinnable with it. At "
            "least one solver is wrong, and the draws concerned have no figure here: see the page "
            "[Verification](./verification)."
        )
    _needing(cat, found)


def _need(each: NecessityRow, deals: str | None) -> tuple[str | Link, ...]:
    said = each.necessity
    return (
        draw_of(each.lax.row),
        _NONE if said.published is None else as_published(*said.published),
        said.share if said.winnable else _NONE,
        *_need_counts(each, deals),
        _share(each.lax),
        _share(each.strict),
    )


def _need_counts(each: NecessityRow, deals: str | None) -> tuple[str | Link, str, str]:
    if not each.counted:
        return _NONE, _NONE, _NONE
    said = each.necessity
    needing = count(said.needing)
    return (
        needing if deals is None else Link(needing, deals),
        count(said.winnable),
        count(each.counted),
    )


def _needing(cat: Catalogue, found: Atlas) -> None:
    """The deals of one draw that need worrying back."""
    draw: str = st.selectbox(
        "Deals that need it, at draw", _draws(), key="draw", bind="query-params"
    )
    for each in found.needed:
        if draw_of(each.lax.row) != draw:
            continue
        names = needing(cat, each, NEEDING_MOST)
        if not names:
            none = "No deal of this sample is decided under both rules at this draw."
            known = f"None is known among the {count(each.counted)} deals counted."
            st.caption(known if each.counted else none)
            return
        show_table(
            [Column("Deal"), Column("Without worrying back")],
            [
                (
                    deal_link(name, each.lax.row.ruleset),
                    replace(deal_link(name, each.strict.row.ruleset), text="proved unwinnable"),
                )
                for name in names
            ],
            name="Deals that need worrying back",
        )
        st.caption(f"The first {len(names)} of {count(each.necessity.needing)}.")


def _tableaus(found: Atlas) -> None:
    st.subheader("Building and spaces")
    st.markdown(
        "What may be built on a card of the tableau, and what may go to an empty column, at draw 3 "
        "with unlimited redeals."
    )
    rows = found.tableaus
    cells = pd.DataFrame(
        [
            {
                "row": _building(each.row),
                "column": _spaces(each.row),
                "percent": _shade(each),
                "href": _bounds(each),
                **{f"line{place}": words for place, words in enumerate(_cell(each))},
            }
            for each in rows
        ]
    )
    show_chart(
        cells_of_map(
            cells,
            list(dict.fromkeys(cells["row"])),
            list(dict.fromkeys(cells["column"])),
            ("Building", "Empty columns take"),
        ),
        shares(rows, _spaces, _building),
        name="atlas-map",
        key="atlas-map",
        alt_text="Winnable shares by what may be built and what may go to an empty column",
    )
    _rows(
        [Column("Building"), Column("Empty columns take")],
        [((_building(each.row), _spaces(each.row)), each) for each in rows],
        "Building and spaces",
    )
    _missing(found, rows)


def _redeals(found: Atlas) -> None:
    st.subheader("Redeals")
    st.markdown(
        "How often the waste may be turned over. No figures for limited numbers are published."
    )
    _curves(
        found.redeals,
        _redeals_of,
        lambda row: f"draw {draw_of(row)}",
        "Redeals",
        "atlas-redeals",
        "Winnable shares by the number of redeals, at draw 1 and draw 3",
    )
    _rows(
        [Column("Draw", "number"), Column("Redeals")],
        [((draw_of(each.row), _redeals_of(each.row)), each) for each in found.redeals],
        "Redeals",
    )
    _missing(found, found.redeals)


def _runs(found: Atlas) -> None:
    if found.is_empty:  # nobody has published any of it
        return
    st.subheader("Whole runs")
    whole = [each for each in found.runs if each.row.options[PARTIAL_RUNS] == "no"]
    if any(each.deals for each in whole):
        _curves(
            found.runs,
            draw_of,
            _runs_of,
            "Draw",
            "atlas-runs",
            "Winnable shares by draw, with parts of runs that move and with whole runs alone",
        )
        _rows(
            [Column("Draw", "number"), Column("Rules")],
            [((draw_of(each.row), _runs_of(each.row)), each) for each in whole],
            "Whole runs",
        )
    _missing(found, whole)


def _games(found: Atlas) -> None:
    st.subheader("Patience games")
    st.markdown(
        "Every game of the published table, and further ones of which deals were attempted. A "
        "name with *single cards go up* is that of laxer rules, under which the published program "
        "played five of the games. A click on a point opens its bounds."
    )
    order: str = st.selectbox("Order", list(_ORDERS), key="order", bind="query-params")
    rows = sorted(found.games, key=_ORDERS[order])
    frame = shares(rows, _title, lambda row: "")
    links = {each.row.ruleset: _bounds(each) for each in rows}
    show_chart(
        shares_by_game(
            frame.assign(href=frame["ruleset"].map(links)), [each.row.title for each in rows]
        ),
        frame,
        name="atlas-games",
        key="atlas-games",
        alt_text="Winnable shares of patience games, here and published",
    )
    show_table(
        [
            Column("Game"),
            *_COUNTS,
            Column("CPU ms a deal, published", "number"),
            Column("CPU ms a deal, here", "number"),
        ],
        [
            (
                each.row.title,
                *_counts(each),
                _number(1000 * _cost(each)[0]),
                _number(each.cpu_ms),
            )
            for each in rows
        ],
        name="Patience games",
    )
    left = [each for each in rows if not each.deals]
    if left and not found.is_empty:
        quick = min(left, key=_cost)
        games = "1 game has" if len(left) == 1 else f"{len(left)} games have"
        st.caption(
            literal(
                f"{games} no deal of this sample yet. The quickest of them is {quick.row.title}: "
                f"`{_command([quick], found.sample)}` decides some of its deals."
            )
        )


def _number(value: float | None) -> str:
    return _NONE if value is None or isinf(value) else significant(value)


def _cost(each: AtlasRow) -> tuple[float, float]:
    """The published seconds of a deal; rows without them come last, by our time."""
    figure = each.row.figure
    seconds = None if figure is None else figure.seconds
    return (inf if seconds is None else seconds, each.cpu_ms or 0.0)


_ORDERS: dict[str, Callable[[AtlasRow], float | tuple[float, float]]] = {
    "by share": share_order,
    "by published CPU time": _cost,
}


def _title(row: WinnabilityRow) -> str:
    return row.title


def _curves(
    rows: Sequence[AtlasRow],
    at: Callable[[WinnabilityRow], str],
    line: Callable[[WinnabilityRow], str],
    title: str,
    key: str,
    alt_text: str,
) -> None:
    """Show a chart of shares whose points lead to their bounds."""
    frame = shares(rows, at, line)
    links = {each.row.ruleset: _bounds(each) for each in rows}
    drawn: Spec = share_curves(
        frame.assign(href=frame["ruleset"].map(links)),
        list(dict.fromkeys(at(each.row) for each in rows)),
        title,
    )
    show_chart(drawn, frame, name=key, key=key, alt_text=alt_text)


def _rows(
    columns: Sequence[Column], rows: Iterable[tuple[tuple[str, ...], AtlasRow]], name: str
) -> None:
    """Show a table of rows, each named by some words."""
    show_table([*columns, *_COUNTS], [(*words, *_counts(each)) for words, each in rows], name=name)


def _counts(each: AtlasRow) -> tuple[str | Link, ...]:
    figure = each.row.figure
    theirs = _NONE if figure is None else figure.text
    if not each.deals:
        return (theirs, *[_NONE] * 6)
    listed = _query(
        rules=each.row.ruleset,
        dealer=each.sample.dealer,
        seed_from=each.sample.first,
        seed_to=each.sample.last,
    )
    return (
        theirs,
        _share(each),
        Link(count(each.deals), f"./deals?{listed}"),
        count(each.winnable),
        count(each.unwinnable),
        count(each.undecided),
        each.verdict or _NONE,
    )


def _share(each: AtlasRow) -> str | Link:
    """Our share, which leads to its bounds."""
    href = _bounds(each)
    return _NONE if href is None else Link(each.share, href)


def _bounds(each: AtlasRow) -> str | None:
    """The link to the bounds of a row, if there are any."""
    if not each.deals:
        return None
    return f"./bounds?{_query(**bounds.in_link(replace(each.point, sample=each.bound)))}"


def _query(**values: object) -> str:
    return urlencode(values, safe=":")


def _shade(each: AtlasRow) -> float | None:
    """The share that colours a cell, ours or else the published one; none for a range."""
    if each.deals:
        low, high = each.bounds.low, each.bounds.high
        return None if each.is_range else 50 * (low + high)
    figure = each.row.figure
    return None if figure is None or figure.is_range else figure.percent


def _cell(each: AtlasRow) -> tuple[str, ...]:
    """The lines of a cell of the map."""
    figure = each.row.figure
    return (
        each.share if each.deals else _NONE,
        f"of {count(each.deals)}" if each.deals else "not attempted",
        f"{count(each.undecided)} undecided" if each.deals else "",
        "published",
        _NONE if figure is None else figure.text,
    )


def _places(frame: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(frame["at"]))


def _building(row: WinnabilityRow) -> str:
    return row.options[BUILDING]


def _spaces(row: WinnabilityRow) -> str:
    return row.options[SPACES]


def _redeals_of(row: WinnabilityRow) -> str:
    return row.options[REDEALS]


def _runs_of(row: WinnabilityRow) -> str:
    return "parts of runs move" if row.options[PARTIAL_RUNS] == "yes" else "whole runs alone"
