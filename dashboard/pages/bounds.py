"""Bounds over time: how the share of winnable deals came to be known, and how long more would take.

Every choice stands in the link.
"""

from functools import partial

import pandas as pd
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from catalogue.reading.bounds import BoundPoint, bounds_of, headline, history_frame, latest
from catalogue.reading.forecast import Forecast, forecast
from catalogue.reading.overview import rulesets
from catalogue.reproduction.published import Figure, figures
from catalogue.statistics import digits_for, interval
from catalogue.store import Catalogue
from dashboard.elements.charts import BOUNDS, bounds_over_time
from dashboard.elements.links import RULES, check_amount, check_choice, choose_ruleset
from dashboard.elements.published import shares_of_deals, show_claims, show_figures, verdict
from dashboard.elements.saving import show_chart
from dashboard.elements.starting import Offer, offer
from dashboard.elements.tables import Column, show_table
from dashboard.elements.watching import watch
from dashboard.elements.wording import (
    by_preference,
    count,
    duration,
    moment,
    percent,
    ruleset_title,
)
from dashboard.server.connection import catalogue
from engine.dealing.dealers import parse_sample
from engine.errors import BadInput
from engine.rulesets import named_rulesets
from engine.text.numbers import significant

LEVEL = 0.99
_NONE = "–"
# No screen can resolve more points than this.
CHART_POINTS = 300
# Rows of the table, the newest; the file has all that were recorded.
ROWS = 50
FILE_ROWS = 1_000_000
LEAST_WIDTH, MOST_WIDTH, WIDTH = 0.001, 100.0, 1.0
_ALONG = {"deals": "n", "time": "stored_at"}
_PERCENTAGES = ("lower", "upper", "low", "high")


def page() -> StreamlitPage:
    """The page, by which others lead to it."""
    return st.Page(show, title="Bounds over time", url_path="bounds")


def in_link(point: BoundPoint) -> dict[str, str]:
    """The values in the link to the page of a bound."""
    return {RULES: point.ruleset, "sample": str(point.sample)}


def show() -> None:
    st.title("Bounds over time")
    st.markdown(
        "The share of deals that can be won lies between the deals won and the deals not proved "
        "unwinnable. Here is how both came closer as deals were attempted, how sure they are, and "
        "how long it takes until they are as close as you want."
    )
    cat = catalogue()
    solved = by_preference(rulesets(cat))
    known = [*solved, *(slug for slug in named_rulesets() if slug not in solved)]
    first, second, third, fourth = st.columns([3, 3, 2, 2])
    ruleset = choose_ruleset(first, known)
    best = headline(cat).get(ruleset)
    if best is None:
        offer(
            f"No bound is known under {ruleset_title(ruleset)} yet: bounds are computed over the "
            "samples of jobs.",
            Offer.first(ruleset),
            f"first-job-{ruleset}",
        )
        return
    samples = [str(point.sample) for point in latest(cat, ruleset)]
    samples.sort(key=lambda sample: sample != str(best.sample))  # the narrowest one first
    samples += _linked(cat, ruleset, samples)
    check_choice("sample", samples, "sample")
    sample: str = second.selectbox("Sample", samples, key="sample", bind="query-params")
    check_choice("along", list(_ALONG), "axis")
    along: str = third.selectbox("Along", list(_ALONG), key="along", bind="query-params")
    width: float = fourth.number_input(
        "Width wanted, points",
        min_value=LEAST_WIDTH,
        max_value=MOST_WIDTH,
        value=WIDTH,
        step=0.1,
        format="%.3f",
        key="width",
        bind=check_amount("width", "width", LEAST_WIDTH, MOST_WIDTH),
        help="Percentage points between the two ends of the 99 % confidence sequence.",
    )

    def part(cat: Catalogue) -> None:
        points = {str(point.sample): point for point in latest(cat, ruleset)}
        point = points.get(sample) or bounds_of(cat, ruleset, parse_sample(sample))
        if point.n == 0:
            st.info("Of this sample no deal has been attempted from the first one on yet.")
            return
        compared = shares_of_deals(figures(ruleset, sees="deal"))
        _now(point)
        frame = _history(cat, point, CHART_POINTS)
        if frame.empty:
            st.caption("No job has recorded how this bound came about.")
        else:
            _grown(cat, point, frame, _ALONG[along], compared)
        _ahead(forecast(cat, point, width / 100, LEVEL), point)
        st.subheader("Published figures")
        if compared:
            show_figures(compared, [verdict(point, figure, LEVEL) for figure in compared])
        else:
            st.caption("We know of no published share of winnable deals under these rules.")
        if not frame.empty:
            _table(frame)

    watch(part)


def _linked(cat: Catalogue, ruleset: str, known: list[str]) -> list[str]:
    """The sample of the link, if no job has it and its first deal was attempted nevertheless."""
    given = st.query_params.get("sample")
    if given is None or given in known:
        return []
    try:
        sample = parse_sample(given)
    except BadInput:
        return []  # told of with every other value that cannot be chosen
    return [given] if given == str(sample) and bounds_of(cat, ruleset, sample).n else []


def _now(point: BoundPoint) -> None:
    """The bounds of this moment, with both kinds of interval."""
    fixed, watched = point.intervals(LEVEL), point.intervals(LEVEL, "sequence")
    possible = point.n - point.unwinnable
    share = partial(percent, digits=point.digits)
    rows = [
        (
            name,
            f"{count(deals)} of {count(point.n)}",
            share(deals / point.n),
            _NONE if point.stops_by_width else f"{share(one.low)} to {share(one.high)}",
            f"{share(other.low)} to {share(other.high)}",
        )
        for name, deals, one, other in (
            ("at least winnable (won)", point.winnable, fixed.lower, watched.lower),
            ("at most winnable (not proved unwinnable)", possible, fixed.upper, watched.upper),
        )
    ]
    rows.append(
        (
            "undecided",
            f"{count(point.unresolved)} of {count(point.n)}",
            share(point.unresolved / point.n),
            _NONE,
            _NONE,
        )
    )
    show_table(
        [
            Column("Bound"),
            Column("Deals", "number"),
            Column("Share", "number"),
            Column("Fixed-sample interval, 99 %"),
            Column("Confidence sequence, 99 %"),
        ],
        rows,
        name="Bounds now",
    )
    ends = f"{share(watched.span.low)} and {share(watched.span.high)}"
    if point.stops_by_width:
        said = (
            f"The winnable share lies between {ends} with at least 99 % confidence (confidence "
            "sequence). No fixed-sample interval holds: the job stops by the width of its interval."
        )
    else:
        said = (
            f"The winnable share lies between {share(fixed.span.low)} and {share(fixed.span.high)} "
            f"with at least 99 % confidence if the {count(point.n)} deals were decided on "
            f"beforehand (Clopper–Pearson), and between {ends} however often one has looked "
            "meanwhile (confidence sequence)."
        )
    st.caption(f"{said} Undecided deals count in every denominator.")
    show_claims(point)


def _grown(
    cat: Catalogue, point: BoundPoint, frame: pd.DataFrame, along: str, compared: list[Figure]
) -> None:
    last = frame.iloc[-1]
    n, won, lost = int(last["n"]), int(last["winnable"]), int(last["unwinnable"])
    method = point.methods[0]
    ends = [interval(won, n, LEVEL, method), interval(n - lost, n, LEVEL, method)]
    now = pd.DataFrame(
        {
            "n": n,
            "stored_at": last["stored_at"],
            "bound": BOUNDS,
            "low": [100 * each.low for each in ends],
            "high": [100 * each.high for each in ends],
        }
    )
    bands = pd.DataFrame(
        [
            (
                f"{each.system}: {each.text} ({each.measures})",
                each.percent - (each.half_width or 0),
                each.percent + (each.half_width or 0),
            )
            for each in compared
        ],
        columns=["name", "low", "high"],
    )
    show_chart(
        bounds_over_time(frame, along, now, bands),
        lambda: _history(cat, point, FILE_ROWS),
        name=f"bounds-{point.ruleset}",
        key="bounds",
        alt_text=f"Lower and upper bound of {point.ruleset} as deals were attempted",
    )
    st.caption(
        "The grey band is a 99 % confidence sequence: unlike a fixed-sample interval it is valid "
        "at all times at once, so it may be watched as it shrinks. The thick strokes at its end "
        f"are the {'' if point.stops_by_width else 'fixed-sample '}intervals of the two bounds."
        + (" Coloured bands are published figures; their sources are below." if compared else "")
    )


def _history(cat: Catalogue, point: BoundPoint, points: int) -> pd.DataFrame:
    """The recorded bounds of the job of a bound, with percentages from 0 to 100."""
    grown = history_frame(
        cat, point.ruleset, point.sample, LEVEL, points=points, job_id=point.job_id
    )
    return grown.assign(**{name: 100 * grown[name] for name in _PERCENTAGES})


def _ahead(ahead: Forecast, point: BoundPoint) -> None:
    st.subheader("How long until it is narrower")
    with st.container(key="forecast"):
        st.markdown(" ".join(_sentences(ahead, point)))


def _sentences(ahead: Forecast, point: BoundPoint) -> list[str]:
    """The deals and the time that a width takes, with the arithmetic."""
    wanted = f"{significant(100 * ahead.width)} point{'' if ahead.width == 0.01 else 's'}"
    now = f"The 99 % confidence sequence is {100 * ahead.now:.3f} points wide."
    undecided = (
        f"{count(point.unresolved)} of {count(point.n)} deals are given up: the solvers that tried "
        "them neither won them nor proved them unwinnable. That share alone keeps the ends "
        f"{100 * ahead.gap:.3f} points apart"
    )
    if ahead.deals == point.n:
        return [now, f"It is already narrower than {wanted}."]
    if ahead.gap >= ahead.width:
        return [
            now,
            f"**A width of {wanted} cannot be reached by more deals alone.** {undecided}. A "
            "job whose solvers search longer may decide them.",
        ]
    if ahead.deals is None:
        return [
            now,
            f"**A width of {wanted} is out of reach:** that would take more than 10¹³ deals.",
        ]
    said = [
        now,
        f"If the shares stay what they are, it is narrower than {wanted} after about "
        f"**{_rounded(ahead.deals)} deals**, {_rounded(ahead.further)} more than now.",
        *([f"{undecided}, whatever their number."] if point.unresolved else []),
        _time(ahead),
    ]
    if ahead.deals > point.sample.count:
        said.append(
            f"The sample ends after {count(point.sample.count)} deals: submit a job on a larger "
            "one on the page [Jobs](./jobs)."
        )
    return said


def _time(ahead: Forecast) -> str:
    """How long the further deals of a forecast take, with the arithmetic."""
    rate = ahead.rate
    if rate is None or ahead.seconds is None:
        return "No job has measured how fast deals are attempted, so the time is not known."
    measured = (
        "the job attempts"
        if rate.source == "rate"
        else f"the job attempted {count(rate.deals)} deals within {duration(rate.seconds)}, pauses "
        "and what was known before included, or"
    )
    return (
        f"That takes about **{duration(ahead.seconds)}**: {measured} "
        f"{significant(rate.per_second)} deals per second, and {_rounded(ahead.further)} / "
        f"{significant(rate.per_second)} is {ahead.seconds:,.0f} seconds."
    )


def _rounded(deals: int) -> str:
    """A number of deals with three digits that mean something."""
    return count(float(f"{deals:.2e}"))


def _table(frame: pd.DataFrame) -> None:
    st.subheader("The recorded bounds")
    newest = frame.iloc[::-1][:ROWS].to_dict("records")
    show_table(
        [
            Column("Recorded"),
            Column("Deals", "number"),
            Column("Winnable", "number"),
            Column("Unwinnable", "number"),
            Column("Undecided", "number"),
            Column("At least", "number"),
            Column("At most", "number"),
            Column("Confidence sequence, 99 %"),
        ],
        [
            (
                moment(row["stored_at"]),
                count(row["n"]),
                count(row["winnable"]),
                count(row["unwinnable"]),
                f"{count(row['unresolved'])} ({share(row['unresolved'] / row['n'])})",
                share(row["lower"] / 100),
                share(row["upper"] / 100),
                f"{share(row['low'] / 100)} to {share(row['high'] / 100)}",
            )
            for row in newest
            for share in (partial(percent, digits=digits_for(row["n"])),)
        ],
        name="Recorded bounds",
    )
    st.caption(
        f"The newest {len(newest)} of the {len(frame)} points of the chart. The data that are "
        f"saved below the chart are all bounds that the job recorded, {count(FILE_ROWS)} at most."
    )
