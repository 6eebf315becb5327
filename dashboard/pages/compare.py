"""Two solvers compared on the deals that both have attempted; every choice stands in the link."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from catalogue.reading.bounds import headline_sample
from catalogue.reading.comparison import (
    CELLS,
    SIDES,
    THREE,
    Comparison,
    CurvePoint,
    cell_deals,
    compare,
    sides_of,
)
from catalogue.reading.contenders import Contender, brief_names, comparable, contenders
from catalogue.reading.overview import rulesets
from catalogue.reading.timing import REMARK
from catalogue.store import Catalogue
from dashboard.elements.charts import efforts_of_two, wins_by_cost
from dashboard.elements.links import Bind, check_choice, check_number, choose_ruleset
from dashboard.elements.saving import show_chart
from dashboard.elements.starting import DEALS, Offer, deals_for, offer, offer_here
from dashboard.elements.tables import Column, deal_link, show_table
from dashboard.elements.watching import watch
from dashboard.elements.wording import RESULT_WORDS, by_preference, count, percent, ruleset_title
from dashboard.server.connection import catalogue, literal
from engine.dealing.dealers import Sample, parse_sample
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from solvers.registry import methods_of
from solvers.solver import configure, parse_solver

LEVEL = 0.99
PAGE_SIZE = 50
# Counting goes on with the next refresh of the page.
SECONDS = 0.5
SIDE_WORDS = {
    "won": "won",
    "not-won": "not won",
    "unwinnable": "proved unwinnable",
    "undecided": "undecided",
}
UNITS = {"nodes": "nodes", "cpu": "CPU time"}


def show() -> None:
    st.title("Compare solvers")
    cat = catalogue()
    known = by_preference(rulesets(cat))
    if not known:
        offer("Nothing has been solved yet.", Offer.first(), "first-job")
        return
    ruleset = choose_ruleset(st, known)
    rivals = contenders(cat, ruleset)
    names = [str(each) for each in rivals]
    if len(names) < 2:
        _offer_another(cat, ruleset, [each.name for each in rivals])
        return
    left, right = st.columns(2)
    check_choice("first", names, "first solver")
    check_choice("second", names, "second solver")
    one, other = _pair(cat, ruleset, names)
    first: str = left.selectbox(
        "First solver", names, index=names.index(one), key="first", bind="query-params"
    )
    second: str = right.selectbox(
        "Second solver", names, index=names.index(other), key="second", bind="query-params"
    )
    asked: str = st.text_input(
        "Sample",
        key="sample",
        bind="query-params",
        placeholder="dealer:first-last; empty for that of the overview",
    )
    sample = parse_sample(asked) if asked.strip() else None
    cells = {cell: _in_words(cell) for cell in CELLS}
    check_choice("unit", list(UNITS.values()), "unit of cost")
    check_choice("cell", list(cells.values()), "cell")
    bind_after = check_number("after", "seed")

    def part(cat: Catalogue) -> None:
        found = compare(cat, ruleset, first, second, sample, LEVEL, SECONDS)
        if not found.counted:
            _offer_both(cat, found)
            return
        _offer_bots(cat, found)
        _tables(found)
        _costs(found)
        _scatter(found)
        _deals(cat, found, cells, bind_after)

    watch(part)


def _pair(cat: Catalogue, ruleset: str, names: list[str]) -> tuple[str, str]:
    """The solvers to begin with, the same ones for as long as the page is open."""
    key = f"pair-{ruleset}"
    if key not in st.session_state:
        found = comparable(cat, ruleset)
        if found is None:
            return names[0], names[1]
        st.session_state[key] = tuple(map(str, found))
    one, other = st.session_state[key]
    return one, other


def _offer_another(cat: Catalogue, ruleset: str, tried: list[str]) -> None:
    """Offer a job of a second solver, on deals that the first one has tried."""
    why = (
        f"{len(tried) or 'No'} solver has attempted dealt deals under {ruleset_title(ruleset)}: "
        "two are needed."
    )
    rules = parse_ruleset(ruleset)
    sample = headline_sample(cat, ruleset)
    done = {name.partition("(")[0] for name in tried}
    others = [
        configure(method, {})
        for method in methods_of(rules.game)
        if method.slug not in done and method.plays(rules)
    ]
    if sample is None or not others:
        st.info(why)
        return
    # The quickest first, of those that see all cards if there is one.
    others.sort(key=lambda solver: (solver.method.sees != "deal", -solver.chunk))
    slugs = [solver.method.slug for solver in others]
    check_choice("other", slugs, "other solver")
    slug: str = st.selectbox("Another solver", slugs, key="other", bind="query-params")
    other = next(solver for solver in others if solver.method.slug == slug)
    deals = min(sample.count, deals_for(other))
    offer(
        why,
        Offer(ruleset, Sample(sample.dealer, sample.first, deals), (str(other),)),
        f"second-{ruleset}-{slug}",
    )


def _offer_both(cat: Catalogue, found: Comparison) -> None:
    """Offer a job of both solvers on the sample's first deals, if these versions still run."""
    pair = found.first, found.second
    why = "No deal was attempted by both from the sample's first one on: choose another sample."
    if found.sample is None or not all(map(_runs_today, pair)):
        st.info(why)
        return
    sample = Sample(found.sample.dealer, found.sample.first, min(found.sample.count, DEALS))
    both = Offer(found.ruleset, sample, tuple(each.name for each in pair))
    offer_here(cat, why, both, f"both-{found.ruleset}-{found.first}-{found.second}")


def _offer_bots(cat: Catalogue, found: Comparison) -> None:
    """Where one of the two won nothing, offer two that play; such as dead ends alone never win."""
    idle = [
        name
        for name, cost in zip(
            brief_names((found.first, found.second)),
            (found.first_cost, found.second_cost),
            strict=True,
        )
        if not cost.won
    ]
    if not idle or found.sample is None:
        return
    rules = parse_ruleset(found.ruleset)
    bots = sorted(
        (
            configure(method, {})
            for method in methods_of(rules.game)
            if method.sees == "observation" and method.plays(rules)
        ),
        key=lambda solver: -solver.chunk,
    )[:2]
    tried = {each.name for each in contenders(cat, found.ruleset)}
    if len(bots) < 2 or tried.issuperset(map(str, bots)):
        return
    sample = Sample(found.sample.dealer, found.sample.first, min(found.sample.count, DEALS))
    offer_here(
        cat,
        f"{' and '.join(idle)} won none of these deals, so that there is little to compare. Two "
        "bots, programs that play by the open cards alone, can play some.",
        Offer(found.ruleset, sample, tuple(map(str, bots))),
        f"bots-{found.ruleset}",
    )


def _runs_today(contender: Contender) -> bool:
    try:
        return parse_solver(contender.name).method.version == contender.version
    except BadInput:  # a method or a parameter that is gone
        return False


def _in_words(cell: str) -> str:
    one, other = sides_of(cell)
    return f"first {SIDE_WORDS[one]}, second {SIDE_WORDS[other]}"


def _tables(found: Comparison) -> None:
    wins = found.wins
    with st.container(key="result"):
        st.markdown(f"**{literal(found.sentence)}**")
    st.caption(
        f"Sample {found.sample}: both attempted its first {count(found.common)} deals without a "
        "gap, and those are compared."
        + (
            ""
            if found.counted == found.common
            else f" Counted so far: the first {count(found.counted)}. The rest follows by itself."
        )
    )
    with st.expander("How sure that is"):
        st.markdown(found.lead(LEVEL))
        st.markdown(
            f"McNemar's exact test that both win equally often: {wins.p_text}. It looks at the "
            f"{count(wins.only_first + wins.only_second)} deals that one of them won alone: if "
            "both were equally good, each would be won by the one or the other as by the toss of a "
            "coin, and p is the chance of a division at least as uneven. Below 0.001 the page says "
            "*almost certainly*, below 0.01 *very probably*, below 0.05 *probably*."
        )
    for name, sides in (("Won and not won", tuple(SIDES)[:2]), ("Three results", THREE)):
        st.subheader(name)
        show_table(
            [Column("First ↓, second →"), *(Column(SIDE_WORDS[s], "number") for s in sides)],
            [
                (
                    SIDE_WORDS[one],
                    *(
                        f"{count(found.deals(f'{one}.{other}'))} "
                        f"({percent(found.deals(f'{one}.{other}') / wins.n)})"
                        for other in sides
                    ),
                )
                for one in sides
            ],
            name=name,
        )


def _costs(found: Comparison) -> None:
    st.subheader("Wins and cost")
    _cost_table(found)
    _cost_curves(found)
    steps = found.equal_strength()
    if steps:
        _equal_strength(steps)


def _cost_table(found: Comparison) -> None:
    rows = []
    for solver, cost in ((found.first, found.first_cost), (found.second, found.second_cost)):
        low, high = percent(cost.interval.low), percent(cost.interval.high)
        rows.append(
            (
                str(solver),
                f"{count(cost.won)} of {count(found.counted)}",
                f"{percent(cost.won / found.counted)} ({low} to {high})",
                count(cost.nodes / found.counted),
                f"{cost.cpu_ms / found.counted:,.3f} ms",
            )
        )
    show_table(
        [
            Column("Solver", "wide"),
            Column("Won", "number"),
            Column("Share won, 99 %"),
            Column("Nodes per deal", "number"),
            Column("CPU per deal", "number"),
        ],
        rows,
        name="Costs",
    )
    for solver, cost in ((found.first, found.first_cost), (found.second, found.second_cost)):
        if cost.may_hold_compiling:
            st.caption(f"CPU times of {solver} {REMARK}.")


def _cost_curves(found: Comparison) -> None:
    unit: str = st.selectbox(
        "Cost in", list(UNITS), format_func=UNITS.__getitem__, key="unit", bind="query-params"
    )
    points = [
        (
            str(solver),
            point.limit,
            point.won,
            100 * point.won / found.counted,
            (point.nodes if unit == "nodes" else point.cpu_ms) / found.counted,
        )
        for solver, cost in ((found.first, found.first_cost), (found.second, found.second_cost))
        for point in cost.curve
    ]
    frame = pd.DataFrame(points, columns=["solver", "limit", "won", "percent", "spent"])
    title = "Nodes per deal" if unit == "nodes" else "CPU per deal, ms"
    show_chart(
        wins_by_cost(frame[frame["spent"] > 0], f"{title} (logarithmic)"),
        frame,
        name="wins-by-cost",
        key="wins-by-cost",
        alt_text="Share of deals won by each solver against what it spends for a deal",
    )
    st.caption(
        "Each point is a limit on the nodes of a deal: what would have been won, and spent on all "
        "deals. CPU time is estimated from these nodes and the solver's mean time for a node."
    )


def _equal_strength(steps: Sequence[tuple[int, CurvePoint, CurvePoint]]) -> None:
    st.markdown("**Cost at equal strength**: the least spent for the same number of wins")
    show_table(
        [
            Column("Wins", "number"),
            Column("Nodes, first", "number"),
            Column("second", "number"),
            Column("CPU, first", "number"),
            Column("second", "number"),
        ],
        [
            (
                count(won),
                count(one.nodes),
                count(other.nodes),
                f"{one.cpu_ms / 1000:,.2f} s",
                f"{other.cpu_ms / 1000:,.2f} s",
            )
            for won, one, other in steps
        ],
        name="Equal strength",
    )


def _scatter(found: Comparison) -> None:
    st.subheader("Effort on the same deals")
    frame = pd.DataFrame(
        [
            (
                max(each.first_low, 1),
                each.first_high,
                max(each.second_low, 1),
                each.second_high,
                each.both + each.only_first + each.only_second + each.neither,
                each.both,
                each.only_first,
                each.only_second,
                each.neither,
            )
            for each in found.effort
        ],
        columns=[
            *("first_low", "first_high", "second_low", "second_high", "deals"),
            *("both", "only_first", "only_second", "neither"),
        ],
    )
    show_chart(
        efforts_of_two(frame, f"Nodes of {found.first}", f"Nodes of {found.second}"),
        frame,
        name="effort",
        key="efforts",
        alt_text="Deals by the nodes of both solvers, in doublings",
    )
    st.caption("Both axes are logarithmic; a square holds the deals of one doubling of each.")


def _deals(cat: Catalogue, found: Comparison, cells: dict[str, str], bind_after: Bind) -> None:
    st.subheader("Deals of a cell")
    chosen: str = st.selectbox(
        "Cell",
        list(cells),
        index=list(cells).index("won.not-won"),
        format_func=cells.__getitem__,
        key="cell",
        bind="query-params",
        on_change=_from_the_start,
    )
    after: int | None = st.number_input(
        "Seeds after", min_value=0, value=None, step=1, key="after", bind=bind_after,
        placeholder="from the first on",
    )  # fmt: skip
    page = cell_deals(cat, found, chosen, after, PAGE_SIZE, SECONDS)
    st.caption(f"{count(found.deals(chosen))} of {count(found.counted)} deals: {cells[chosen]}.")
    if page.deals:
        show_table(
            [
                Column("Deal"),
                Column("First"),
                Column("Nodes", "number"),
                Column("Second"),
                Column("Nodes", "number"),
            ],
            [
                (
                    deal_link(row.deal, found.ruleset),
                    RESULT_WORDS[row.first],
                    count(row.first_nodes),
                    RESULT_WORDS[row.second],
                    count(row.second_nodes),
                )
                for row in page.deals
            ],
            name="Deals of the cell",
        )
    elif page.after is None:
        st.info("No deal is left in this cell: choose another cell, or start from the first seed.")
    if not page.complete:
        st.caption(f"Looked through up to seed {page.after}; the next page goes on from there.")
    if page.after is not None:
        st.button("Next deals", on_click=_go_on, args=(page.after,), key="next")


def _go_on(after: int) -> None:
    st.session_state["after"] = after


def _from_the_start() -> None:
    st.session_state["after"] = None
