"""The overview: the share of winnable deals for each ruleset, and published figures."""

import pandas as pd
import streamlit as st

from catalogue.published import Figure
from catalogue.reading.alarms import CrossAlarms, alarms
from catalogue.reading.bounds import BoundPoint, history_frame
from catalogue.reading.overview import RulesetOverview, overview
from catalogue.store import Catalogue
from catalogue.verify.record import last_report
from dashboard.charts import bounds_and_published, bounds_over_time
from dashboard.pages.jobs import show_progress
from dashboard.pages.verification import in_a_line
from dashboard.tables import Column, deal_link, show_table
from dashboard.watching import open_jobs, watch
from dashboard.wording import count, percent, published, rules_in_words

LEVEL = 0.99
# No screen can resolve more points than this.
CHART_POINTS = 300
# Contradictions listed in the banner; there should be none at all.
ALARMS_SHOWN = 10


def show() -> None:
    st.title("Thoughtful")
    st.markdown(
        "A catalogue of solved solitaire deals. In *thoughtful* solitaire every card is known from "
        "the start. How many deals can then be won? Every deal counted here was dealt, solved and "
        "stored, and every win was replayed by a referee."
    )
    watch(_part)


def _part(cat: Catalogue) -> None:
    known = overview(cat)
    if known.counts.alarms:
        _alarm(cat, known.counts.alarms)
    if known.across.alarms:
        _across(known.across)
    waiting = [job for job in open_jobs(cat) if job.state != "running"]
    for job in open_jobs(cat):
        if job not in waiting:
            show_progress(job, f"Job {job.id}: {job.ruleset} on {job.sample}")
    if waiting:
        st.caption(
            "Waiting: " + "; ".join(f"job {j.id}, {j.ruleset} on {j.sample}" for j in waiting)
        )
    if not known.rulesets:
        st.info(
            "Nothing has been solved yet: run `thoughtful up` in a terminal, or submit a job on "
            "the Jobs page and start `thoughtful runner`. This page updates by itself."
        )
        return
    for entry in known.rulesets:
        with st.container(border=True, key=f"ruleset-{entry.ruleset}"):
            _ruleset(cat, entry)
    held = known.counts
    st.caption(
        f"In the catalogue: {count(held.deals)} deals, {count(held.outcomes)} outcomes, "
        f"{count(held.solutions)} wins, {count(held.dead_ends)} dead ends. "
        f"{in_a_line(last_report(cat))}"
    )


def _across(found: CrossAlarms) -> None:
    deals = "1 deal has" if len(found.alarms) == 1 else f"{count(len(found.alarms))} deals have"
    st.error(
        f"**Contradiction between rulesets:** {deals} been won under a ruleset and called "
        "unwinnable under another one that allows more. At least one solver is wrong.",
        icon=":material/report:",
    )
    show_table(
        [Column("Deal"), Column("Won under"), Column("Unwinnable under")],
        [
            (deal_link(a.deal, a.unwinnable_under), a.won_under, a.unwinnable_under)
            for a in found.alarms[:ALARMS_SHOWN]
        ],
        name="Contradictions between rulesets",
    )


def _alarm(cat: Catalogue, how_many: int) -> None:
    deals = "1 deal is" if how_many == 1 else f"{count(how_many)} deals are"
    st.error(
        f"**Contradiction:** {deals} both won and proved unwinnable under the same ruleset. At "
        "least one solver is wrong; every figure here is in doubt until that is settled.",
        icon=":material/report:",
    )
    show_table(
        [Column("Deal"), Column("Ruleset"), Column("Won by", "wide"), Column("Proved by", "wide")],
        [
            (deal_link(a.deal, a.ruleset), a.ruleset, ", ".join(a.won_by), ", ".join(a.proved_by))
            for a in alarms(cat, ALARMS_SHOWN)
        ],
        name="Contradictions",
    )


def _ruleset(cat: Catalogue, entry: RulesetOverview) -> None:
    st.subheader(entry.ruleset, anchor=entry.ruleset)
    st.caption(rules_in_words(entry.ruleset))
    st.markdown(
        f"{count(entry.deals)} deals attempted: **{count(entry.winnable)} winnable**, "
        f"**{count(entry.unwinnable)} unwinnable**, {count(entry.unresolved)} unresolved."
        + (
            f" {count(entry.imported)} imported deals are not part of any percentage."
            if entry.imported
            else ""
        )
    )
    if entry.bound is None or entry.bound.n == 0:
        st.caption("No bound yet: bounds are computed over the samples of jobs.")
        return
    _bound(entry.bound)
    compared = [f for f in entry.published if f.measures in ("winnable", "upper bound")]
    left, right = st.columns(2, gap="large")
    with left:
        _growth(cat, entry.bound)
    with right:
        st.markdown("**Comparison with published figures**")
        if compared:
            _compared(entry.bound, compared)
        else:
            st.caption("We know of no published share of winnable deals under these rules.")
    if compared:
        _figures(compared, [_verdict(entry.bound, figure) for figure in compared])
    others = [figure for figure in entry.published if figure not in compared]
    if others:
        with st.expander(f"{len(others)} published figures of players and of dead ends"):
            st.caption(
                "A player's wins are a lower bound on the winnable share. Figures of methods that "
                "we run too are compared on the Difficulty page."
            )
            _figures(others, [])


def _bound(point: BoundPoint) -> None:
    spans = point.intervals(LEVEL)
    columns = st.columns(4)
    shown = (
        (
            "At least winnable",
            percent(point.lower),
            f"99 %: {percent(spans.lower.low)} to {percent(spans.lower.high)}",
            "Deals won, as a share of those attempted, with its Clopper–Pearson interval.",
        ),
        (
            "At most winnable",
            percent(point.upper),
            f"99 %: {percent(spans.upper.low)} to {percent(spans.upper.high)}",
            "Deals not proved unwinnable, as a share of those attempted, with its Clopper–Pearson "
            "interval.",
        ),
        (
            "Unresolved",
            percent(point.unresolved / point.n),
            f"{count(point.unresolved)} deals",
            "Attempted, but neither won nor proved unwinnable; part of every denominator.",
        ),
        (
            "Deals in the sample",
            count(point.n),
            str(point.sample)
            if point.complete
            else f"the first of {count(point.sample.count)}: {point.sample}",
            "Percentages are of the deals attempted without a gap from the sample's first one on.",
        ),
    )
    for column, (label, value, below, explained) in zip(columns, shown, strict=True):
        column.metric(label, value, help=explained)
        column.caption(below)
    st.caption(
        f"So the winnable share lies between {percent(spans.span.low)} and "
        f"{percent(spans.span.high)} with at least 99 % confidence."
    )


def _growth(cat: Catalogue, point: BoundPoint) -> None:
    grown = history_frame(cat, point.ruleset, point.sample, LEVEL, points=CHART_POINTS)
    if point.job_id is not None:
        grown = grown[grown["job_id"] == point.job_id]
    shares = ["lower", "upper", "low", "high"]
    grown = grown.assign(**{name: 100 * grown[name] for name in shares})
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**History** over")
        along = st.segmented_control(
            "Chart along",
            ["deals", "time"],
            default="deals",
            required=True,
            key=f"along-{point.ruleset}",
            label_visibility="collapsed",
        )
    st.altair_chart(
        bounds_over_time(grown, "created_at" if along == "time" else "n"),
        key=f"growth-{point.ruleset}",
        alt=f"Lower and upper bound of {point.ruleset} as deals were attempted",
    )
    st.caption(
        "The grey band is a 99 % confidence sequence: unlike a fixed-sample interval it is valid "
        "at all times at once, so it may be watched as it shrinks."
    )


def _compared(point: BoundPoint, figures: list[Figure]) -> None:
    span = point.intervals(LEVEL).span
    rows: list[tuple[str, float, float, float | None, bool]] = [
        ("this catalogue", 100 * span.low, 100 * span.high, None, True)
    ]
    rows += [
        (
            figure.system,
            figure.percent - (figure.half_width or 0),
            figure.percent + (figure.half_width or 0),
            figure.percent,
            False,
        )
        for figure in figures
    ]
    frame = pd.DataFrame(rows, columns=["name", "low", "high", "percent", "ours"])
    st.altair_chart(
        bounds_and_published(frame),
        key=f"published-{point.ruleset}",
        alt=f"The bounds of {point.ruleset} beside published figures",
    )


def _verdict(point: BoundPoint, figure: Figure) -> str:
    if figure.measures == "upper bound":
        # A proof of "at most" can only be contradicted from below.
        holds = 100 * point.intervals(LEVEL).lower.low <= figure.percent
        return "✓ agrees" if holds else "✕ our lower bound is higher"
    found = figure.agreement(point.winnable, point.unwinnable, point.n, LEVEL)
    if found.agrees:
        return "✓ agrees"
    return f"✕ differs by {100 * found.difference:+.2f} points"


def _figures(figures: list[Figure], verdicts: list[str]) -> None:
    """Show the figures in a table, with one verdict for each figure or none at all."""
    columns = [
        Column("Published"),
        Column("Measure"),
        Column("Percent", "number"),
        Column("Games", "number"),
        *([Column("Comparison, 99 %")] if verdicts else []),
        Column("Source", "wide"),
    ]
    rows = []
    for place, figure in enumerate(figures):
        rows.append(
            (
                figure.system,
                figure.measures,
                published(figure.percent, figure.half_width),
                count(figure.games),
                *verdicts[place : place + 1],
                figure.source,
            )
        )
    show_table(columns, rows, name="Published figures")
