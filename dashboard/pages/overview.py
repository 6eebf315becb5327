"""The overview: the share of winnable deals for each ruleset, and published figures."""

from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

from catalogue.reading.alarms import CrossAlarms, alarms
from catalogue.reading.bounds import BoundPoint
from catalogue.reading.overview import RulesetOverview, overview
from catalogue.reproduction.published import Figure
from catalogue.settings import get_settings
from catalogue.store import Catalogue, open_catalogue
from catalogue.verify.record import last_report
from dashboard.elements.charts import bounds_and_published
from dashboard.elements.progress import show_progress
from dashboard.elements.published import shares_of_deals, show_claims, show_figures, verdict
from dashboard.elements.saving import show_chart
from dashboard.elements.starting import NO_RUNNER, Offer, is_runner_alive, offer_here
from dashboard.elements.tables import Column, deal_link, show_table
from dashboard.elements.watching import open_jobs, watch
from dashboard.elements.wording import (
    by_preference,
    count,
    percent,
    rules_in_words,
    ruleset_title,
    sample_title,
)
from dashboard.pages import bounds
from dashboard.pages.verification import in_a_line
from engine.errors import BadInput
from engine.text.numbers import counted

LEVEL = 0.99
# Contradictions listed in the banner; there should be none at all.
ALARMS_SHOWN = 10


def show() -> None:
    st.title("Thoughtful")
    st.markdown(
        "A catalogue of solved solitaire deals. In *thoughtful* solitaire every card is known from "
        "the start. How many deals can then be won? Every deal counted here was dealt, solved and "
        "stored, and every win was replayed by a referee."
    )
    # Not Markdown, whose links open another tab.
    st.html(
        '<a href="./play"><strong>Play a deal that can be won</strong></a> · '
        '<a href="./daily">Deal of the day</a> · <a href="./check">Check my game</a> · '
        '<a href="./find">Find a deal</a> · <a href="./compare">Compare solvers</a>'
    )
    watch(_part)


def warm_up() -> None:
    """Read and compute what the page shows, so that its first visitor need not wait for imports."""
    # The first visitor is told what is wrong with the catalogue.
    with suppress(BadInput), open_catalogue(get_settings().database_url) as cat:
        for entry in overview(cat).rulesets:
            if entry.bound is not None and entry.bound.n:
                entry.bound.intervals(LEVEL)


def _part(cat: Catalogue) -> None:
    known = overview(cat)
    if known.counts.alarms:
        _alarm(cat, known.counts.alarms)
    if known.across.alarms:
        _across(known.across)
    waiting = [job for job in open_jobs(cat) if job.state != "running"]
    for job in open_jobs(cat):
        if job not in waiting:
            show_progress(
                job, f"Job {job.id}: {ruleset_title(job.ruleset)}, {sample_title(job.sample)}"
            )
    if waiting:
        st.caption(
            "Waiting: "
            + "; ".join(
                f"job {j.id}, {ruleset_title(j.ruleset)}, {sample_title(j.sample)}" for j in waiting
            )
        )
    if not known.rulesets:
        why = "Nothing has been solved yet."
        if open_jobs(cat):
            st.info(f"{why} What the jobs find appears here by itself.")
            if not is_runner_alive(cat):
                st.caption(NO_RUNNER)
        else:
            offer_here(cat, why, Offer.first(), "first-job")
        return
    entries = {entry.ruleset: entry for entry in known.rulesets}
    for slug in by_preference(entries):
        with st.container(border=True, key=f"ruleset-{slug}"):
            _ruleset(entries[slug])
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
            (
                deal_link(a.deal, a.unwinnable_under),
                ruleset_title(a.won_under),
                ruleset_title(a.unwinnable_under),
            )
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
            (
                deal_link(a.deal, a.ruleset),
                ruleset_title(a.ruleset),
                ", ".join(a.won_by),
                ", ".join(a.proved_by),
            )
            for a in alarms(cat, ALARMS_SHOWN)
        ],
        name="Contradictions",
    )


def _ruleset(entry: RulesetOverview) -> None:
    st.subheader(ruleset_title(entry.ruleset), anchor=entry.ruleset)
    st.caption(rules_in_words(entry.ruleset))
    st.markdown(
        f"{count(entry.deals)} deals attempted: **{count(entry.winnable)} winnable**, "
        f"**{count(entry.unwinnable)} unwinnable**, {count(entry.unresolved)} unresolved."
        + (
            f" Not part of any percentage: {counted(entry.imported, 'imported deal')}."
            if entry.imported
            else ""
        )
    )
    if entry.bound is None or entry.bound.n == 0:
        st.caption("No bound yet: bounds are computed over the samples of jobs.")
        return
    _bound(entry.bound)
    st.page_link(
        bounds.page(),
        label="How these bounds came about, and how long narrower ones take",
        query_params=bounds.in_link(entry.bound),
    )
    compared = shares_of_deals(entry.published)
    st.markdown("**Comparison with published figures**")
    if compared:
        _compared(entry.bound, compared)
        show_figures(compared, [verdict(entry.bound, figure, LEVEL) for figure in compared])
    else:
        st.caption("We know of no published share of winnable deals under these rules.")
    others = [figure for figure in entry.published if figure not in compared]
    if others:
        with st.expander(f"{len(others)} published figures of bots and of dead ends"):
            st.caption(
                "A bot is a program that plays by the open cards alone: what it wins is a lower "
                "bound on the winnable share. Figures of methods that we run too are compared on "
                "the Difficulty page."
            )
            show_figures(others, [])


def _bound(point: BoundPoint) -> None:
    spans = point.intervals(LEVEL)
    share = partial(percent, digits=point.digits)
    method = "confidence sequence" if point.stops_by_width else "Clopper–Pearson interval"
    columns = st.columns(4)
    shown = (
        (
            "At least winnable",
            share(point.lower),
            f"99 %: {share(spans.lower.low)} to {share(spans.lower.high)}",
            f"Deals won, as a share of those attempted, with its {method}.",
        ),
        (
            "At most winnable",
            share(point.upper),
            f"99 %: {share(spans.upper.low)} to {share(spans.upper.high)}",
            f"Deals not proved unwinnable, as a share of those attempted, with its {method}.",
        ),
        (
            "Unresolved",
            share(point.unresolved / point.n),
            f"{count(point.unresolved)} deals",
            "Attempted, but neither won nor proved unwinnable; part of every denominator.",
        ),
        (
            "Deals in the sample",
            count(point.n),
            sample_title(point.sample)
            if point.complete
            else f"the first of {count(point.sample.count)}: {sample_title(point.sample)}",
            "Percentages are of the deals attempted without a gap from the sample's first one on.",
        ),
    )
    for column, (label, value, below, explained) in zip(columns, shown, strict=True):
        column.metric(label, value, help=explained)
        column.caption(below)
    st.caption(
        f"So the winnable share lies between {share(spans.span.low)} and "
        f"{share(spans.span.high)} with at least 99 % confidence."
    )
    show_claims(point)


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
            None if figure.is_range else figure.percent,
            False,
        )
        for figure in figures
    ]
    frame = pd.DataFrame(rows, columns=["name", "low", "high", "percent", "ours"])
    show_chart(
        bounds_and_published(frame),
        frame,
        name=f"published-{point.ruleset}",
        key=f"published-{point.ruleset}",
        alt_text=f"The bounds of {ruleset_title(point.ruleset)} beside published figures",
    )
