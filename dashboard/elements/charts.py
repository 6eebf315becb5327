"""Charts: functions from a small data frame to a chart; percentages are 0 to 100.

They are written with Altair, which takes longer to make and to check a chart than a page should, so
what is drawn is kept and used again for the same data.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec

import altair as alt
import pandas as pd
import streamlit as st

from catalogue.reproduction import winnability_charts

# They can be distinguished without colour too: by dashes, by position and by label.
TEAL, AMBER, GREY = "#2a9d84", "#d08a1d", "#8a94a3"
BLUES = ("#5b7bd5", "#9a6fc9", "#3f9fc4", "#7d8bb0")
BOUNDS = ["lower bound", "upper bound"]
# Charts kept, of all visitors; each has some ten thousand characters.
_KEPT = 128
# Pixels from one line of words to the next in a cell of a map.
_LINE = 16

Given = ParamSpec("Given")
Spec = dict[str, Any]


def drawn_once(
    draw: Callable[Given, alt.Chart | alt.LayerChart | alt.FacetChart],
) -> Callable[Given, Spec]:
    """Have a chart drawn once for the same data, as its specification in Vega-Lite."""

    @st.cache_data(show_spinner=False, max_entries=_KEPT)
    @wraps(draw)
    def drawn(*args: Given.args, **kwargs: Given.kwargs) -> Spec:
        spec: Spec = draw(*args, **kwargs).to_dict()
        return spec

    return drawn


@drawn_once
def bounds_over_time(
    frame: pd.DataFrame, along: str, now: pd.DataFrame, figures: pd.DataFrame
) -> alt.LayerChart | alt.FacetChart:
    """Chart of the lower and upper bound over time, within their confidence sequence.

    Args:
        frame: one row per recorded bound: ``n`` deals attempted, ``stored_at`` its moment,
            ``lower`` and ``upper`` bound, ``low`` and ``high`` ends of the confidence sequence.
        along: ``n`` or ``stored_at``, the horizontal axis.
        now: the intervals of the last of these rows: its ``n`` and ``stored_at``,
            ``bound``, the ``low`` and ``high`` end.
        figures: published figures: ``name``, the ``low`` and ``high`` end of each, equal where no
            interval was published.
    """
    x = (
        alt.X("n:Q", title="Deals attempted", axis=alt.Axis(format=",d", tickMinStep=1))
        if along == "n"
        else alt.X(
            "stored_at:T",
            title="Time, UTC",
            scale=alt.Scale(type="utc"),
            axis=alt.Axis(format="%Y-%m-%d %H:%M:%S", labelOverlap=True, tickCount=4),
        )
    )
    base = alt.Chart(frame).encode(x=x)
    lines = frame.melt(
        id_vars=["n", "stored_at"],
        value_vars=["lower", "upper"],
        var_name="bound",
        value_name="percent",
    ).assign(bound=lambda f: f["bound"].map({"lower": "lower bound", "upper": "upper bound"}))
    tooltip = [
        alt.Tooltip("n:Q", title="Deals attempted", format=",d"),
        alt.Tooltip("lower:Q", title="Lower bound, %", format=".2f"),
        alt.Tooltip("upper:Q", title="Upper bound, %", format=".2f"),
        alt.Tooltip("low:Q", title="Band from, %", format=".2f"),
        alt.Tooltip("high:Q", title="to, %", format=".2f"),
        alt.Tooltip("stored_at:T", title="Recorded", format="%Y-%m-%d %H:%M:%S"),
    ]
    percent = alt.Scale(zero=False, nice=True)
    band = base.mark_area(opacity=0.18, color=GREY).encode(
        y=alt.Y("low:Q", title="Winnable, %", scale=percent), y2="high:Q", tooltip=tooltip
    )
    colour = alt.Color(
        "bound:N",
        title=None,
        scale=alt.Scale(domain=BOUNDS, range=[TEAL, AMBER]),
        legend=alt.Legend(orient="top"),
    )
    drawn = (
        alt.Chart(lines)
        .mark_line(strokeWidth=2, point=len(frame) == 1)
        .encode(
            x=x,
            y=alt.Y("percent:Q", title="Winnable, %", scale=percent),
            color=colour,
            strokeDash=alt.StrokeDash(
                "bound:N",
                title=None,
                scale=alt.Scale(domain=BOUNDS, range=[[1, 0], [6, 3]]),
            ),
        )
    )
    ends = alt.Chart(now).encode(
        x=x,
        tooltip=[
            alt.Tooltip("bound:N", title="Interval of the"),
            alt.Tooltip("low:Q", title="from, %", format=".2f"),
            alt.Tooltip("high:Q", title="to, %", format=".2f"),
        ],
    )
    whisker = ends.mark_rule(strokeWidth=4, opacity=0.8).encode(
        y=alt.Y("low:Q", title="Winnable, %", scale=percent), y2="high:Q", color=colour
    )
    ours = alt.layer(band, drawn, whisker)
    if figures.empty:
        return ours.properties(height=380)
    # The page takes the room of the legend from the height.
    height = 440 + 26 * len(figures)
    both: alt.LayerChart = alt.layer(_bands(figures), ours).resolve_scale(
        color="independent", strokeDash="independent"
    )
    return both.properties(height=height)


def _bands(figures: pd.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Published figures as bands over the whole width, and as lines where they have no interval."""
    names = list(figures["name"])
    base = alt.Chart(figures).encode(
        color=alt.Color(
            "name:N",
            title="Published",
            sort=names,
            scale=alt.Scale(domain=names, range=[BLUES[n % len(BLUES)] for n in range(len(names))]),
            legend=alt.Legend(
                orient="bottom", columns=1, labelLimit=600, symbolType="square", symbolOpacity=1
            ),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="Published"),
            alt.Tooltip("low:Q", title="From, %", format=".3f"),
            alt.Tooltip("high:Q", title="To, %", format=".3f"),
        ],
    )
    y = alt.Y("low:Q", title="Winnable, %", scale=alt.Scale(zero=False, nice=True))
    area = base.mark_rect(opacity=0.25).encode(y=y, y2="high:Q")
    edges = [
        base.mark_rule(strokeWidth=1).encode(y=y),
        base.mark_rule(strokeWidth=1).encode(y="high:Q"),
    ]
    return alt.layer(area, *edges)


@drawn_once
def bounds_and_published(frame: pd.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Chart of ranges of percentages, one below the other: ours first, then the published ones.

    Args:
        frame: ``name``, ``low`` and ``high`` ends of the interval, ``percent`` the figure itself
            (missing for a range), ``ours`` true for our own.
    """
    base = alt.Chart(frame).encode(
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
        color=alt.Color(
            "ours:N",
            scale=alt.Scale(domain=[True, False], range=[TEAL, AMBER]),
            legend=None,
        ),
        tooltip=[
            alt.Tooltip("name:N", title="Figure"),
            alt.Tooltip("percent:Q", title="Percent", format=".2f"),
            alt.Tooltip("low:Q", title="From, %", format=".2f"),
            alt.Tooltip("high:Q", title="To, %", format=".2f"),
        ],
    )
    span = base.mark_rule(strokeWidth=6, opacity=0.45).encode(
        x=alt.X("low:Q", title="Winnable, %", scale=alt.Scale(zero=False, nice=True)), x2="high:Q"
    )
    dot = base.mark_point(filled=True, size=70, opacity=1).encode(x="percent:Q")
    return alt.layer(span, dot).properties(height=alt.Step(34))


share_curves = drawn_once(winnability_charts.share_curves)
shares_by_game = drawn_once(winnability_charts.shares_by_game)
need_curves = drawn_once(winnability_charts.need_curves)


@drawn_once
def cells_of_map(
    frame: pd.DataFrame, rows: Sequence[str], columns: Sequence[str], titles: tuple[str, str]
) -> alt.LayerChart | alt.FacetChart:
    """Map of shares by two options of the rules, each cell with its words.

    Args:
        frame: one row per cell: ``row`` and ``column``, ``percent`` that colours it (grey where
            it is missing), ``href``, and the lines of its words ``line0``, ``line1`` and so on.
        rows: from the top.
        columns: from the left.
        titles: of the vertical and of the horizontal axis.
    """
    base = alt.Chart(frame).encode(
        x=alt.X(
            "column:O",
            title=titles[1],
            scale=alt.Scale(domain=list(columns)),
            axis=alt.Axis(orient="top", labelAngle=0),
        ),
        y=alt.Y("row:O", title=titles[0], scale=alt.Scale(domain=list(rows))),
        href="href:N",
    )
    # The words stand on the cell's own colour, which is the same in both themes.
    cells = base.mark_rect(stroke="#ffffff", strokeWidth=2).encode(
        color=alt.Color(
            "percent:Q",
            title="Winnable, %",
            scale=alt.Scale(domain=[0, 100], range=["#f3ead6", "#7fc9b6"]),
            legend=None,
        )
    )
    uncoloured = base.transform_filter("!isValid(datum.percent)").mark_rect(
        stroke="#ffffff", strokeWidth=2, color="#e4e6ea"
    )
    lines = [name for name in frame.columns if name.startswith("line")]
    middle = (len(lines) - 1) / 2
    words = [
        base.mark_text(
            color="#10201c",
            fontSize=11,
            fontWeight="bold" if place == 0 else "normal",
            dy=round(_LINE * (place - middle)),
        ).encode(text=f"{name}:N")
        for place, name in enumerate(lines)
    ]
    return alt.layer(cells, uncoloured, *words).properties(
        height=alt.Step(_LINE * (len(lines) + 1))
    )


@drawn_once
def histogram(frame: pd.DataFrame, title: str, *, logarithmic: bool = False) -> alt.Chart:
    """Stacked histogram of winnable and unwinnable deals.

    Args:
        frame: one row per bin and ``status``: ``low`` and ``high`` end of the bin (without high),
            ``below`` and ``above`` ends of the bar, ``deals`` it stands for.
        title: of the horizontal axis.
        logarithmic: whether that axis is logarithmic; every `low` must then be above 0.
    """
    scale = alt.Scale(type="log" if logarithmic else "linear", zero=False, nice=False)
    statuses = ["winnable", "unwinnable"]
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_rect(stroke=GREY, strokeWidth=0.4)
        .encode(
            x=alt.X("low:Q", title=title, scale=scale, axis=alt.Axis(format="~s")),
            x2="high:Q",
            y=alt.Y("below:Q", title="Deals", axis=alt.Axis(format=",d", tickMinStep=1)),
            y2="above:Q",
            color=alt.Color(
                "status:N",
                title=None,
                scale=alt.Scale(domain=statuses, range=[TEAL, AMBER]),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=[
                alt.Tooltip("status:N", title="Status"),
                alt.Tooltip("low:Q", title="From", format=",d"),
                alt.Tooltip("high:Q", title="to below", format=",d"),
                alt.Tooltip("deals:Q", title="Deals", format=",d"),
            ],
        )
        .properties(height=320)
    )
    return chart


@drawn_once
def results_by_solver(frame: pd.DataFrame) -> alt.Chart:
    """Stacked bars of the share of each result, one bar for each solver.

    Args:
        frame: ``solver``, ``result`` in words, ``deals``.
    """
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            y=alt.Y("solver:N", title=None, axis=alt.Axis(labelLimit=360)),
            x=alt.X(
                "deals:Q",
                title="Share of deals attempted",
                stack="normalize",
                axis=alt.Axis(format="%"),
            ),
            color=alt.Color(
                "result:N",
                title=None,
                sort=["won", "lost", "unwinnable", "gave up"],
                scale=alt.Scale(
                    domain=["won", "lost", "unwinnable", "gave up"],
                    range=[TEAL, "#b9c4d3", AMBER, GREY],
                ),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=[
                alt.Tooltip("solver:N", title="Solver"),
                alt.Tooltip("result:N", title="Result"),
                alt.Tooltip("deals:Q", title="Deals", format=",d"),
            ],
        )
        .properties(height=alt.Step(40))
    )
    return chart


@drawn_once
def wins_by_cost(frame: pd.DataFrame, title: str) -> alt.Chart:
    """Share of deals won by each of two solvers against what they spend.

    Args:
        frame: ``solver``, ``limit`` of nodes of a deal, ``won`` deals, ``percent`` of all, and
            what is ``spent`` for a deal, above 0.
        title: of the horizontal axis.
    """
    solvers = list(dict.fromkeys(frame["solver"]))
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_line(interpolate="step-after", strokeWidth=2, point=True)
        .encode(
            x=alt.X("spent:Q", title=title, scale=alt.Scale(type="log", nice=False)),
            y=alt.Y("percent:Q", title="Won, %"),
            color=alt.Color(
                "solver:N",
                title=None,
                scale=alt.Scale(domain=solvers, range=[TEAL, AMBER]),
                legend=alt.Legend(orient="top", columns=1, labelLimit=300),
            ),
            strokeDash=alt.StrokeDash(
                "solver:N",
                title=None,
                scale=alt.Scale(domain=solvers, range=[[1, 0], [6, 3]]),
            ),
            tooltip=[
                alt.Tooltip("solver:N", title="Solver"),
                alt.Tooltip("limit:Q", title="Nodes of a deal below", format=",d"),
                alt.Tooltip("won:Q", title="Won", format=",d"),
                alt.Tooltip("percent:Q", title="Won, %", format=".2f"),
                alt.Tooltip("spent:Q", title="Spent per deal", format=",.3f"),
            ],
        )
        .properties(height=320)
    )
    return chart


@drawn_once
def efforts_of_two(frame: pd.DataFrame, first: str, second: str) -> alt.Chart:
    """Deals by the nodes of two solvers: squares on logarithmic axes, darker with more deals.

    Args:
        frame: ``first_low``, ``first_high``, ``second_low`` and ``second_high`` ends of a square,
            above 0, its ``deals``, and of these ``both``, ``only_first``, ``only_second`` and
            ``neither`` won.
        first: title of the horizontal axis.
        second: title of the vertical axis.
    """
    log = alt.Scale(type="log", nice=False)
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_rect(stroke=GREY, strokeWidth=0.3)
        .encode(
            x=alt.X("first_low:Q", title=first, scale=log, axis=alt.Axis(format="~s")),
            x2="first_high:Q",
            y=alt.Y("second_low:Q", title=second, scale=log, axis=alt.Axis(format="~s")),
            y2="second_high:Q",
            color=alt.Color(
                "deals:Q",
                title="Deals",
                scale=alt.Scale(type="log", scheme="viridis"),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=[
                alt.Tooltip("deals:Q", title="Deals", format=",d"),
                alt.Tooltip("both:Q", title="Won by both", format=",d"),
                alt.Tooltip("only_first:Q", title="Only by the first", format=",d"),
                alt.Tooltip("only_second:Q", title="Only by the second", format=",d"),
                alt.Tooltip("neither:Q", title="By neither", format=",d"),
            ],
        )
        .properties(height=360)
    )
    return chart


@drawn_once
def calibration(frame: pd.DataFrame) -> alt.LayerChart:
    """Share of games won against the chance that a model gave, with the line where they agree.

    Args:
        frame: ``kind`` of the chances, number of ``games``, their ``expected`` share won, the one
            ``won``, and the ends ``low`` and ``high`` of its interval.
    """
    kinds = list(dict.fromkeys(frame["kind"]))
    axis = alt.Scale(domain=[0, 100])
    x = alt.X("expected:Q", title="Expected to be won, %", scale=axis)
    color = alt.Color(
        "kind:N",
        title="Chances",
        scale=alt.Scale(domain=kinds, range=[TEAL, AMBER]),
        legend=alt.Legend(orient="top"),
    )
    agree = (
        alt.Chart(pd.DataFrame({"expected": [0, 100], "won": [0, 100]}))
        .mark_line(color=GREY, strokeDash=[4, 4], strokeWidth=1)
        .encode(x=x, y=alt.Y("won:Q", title="Won, %", scale=axis))
    )
    intervals = (
        alt.Chart(frame)
        .mark_rule(strokeWidth=1.5)
        .encode(x=x, y=alt.Y("low:Q", scale=axis), y2="high:Q", color=color)
    )
    points = (
        alt.Chart(frame)
        .mark_point(filled=True, size=60)
        .encode(
            x=x,
            y=alt.Y("won:Q", scale=axis),
            color=color,
            shape=alt.Shape("kind:N", title="Chances", scale=alt.Scale(domain=kinds)),
            tooltip=[
                alt.Tooltip("kind:N", title="Chances"),
                alt.Tooltip("games:Q", title="Games", format=",d"),
                alt.Tooltip("expected:Q", title="Expected, %", format=".1f"),
                alt.Tooltip("won:Q", title="Won, %", format=".1f"),
            ],
        )
    )
    chart: alt.LayerChart = (agree + intervals + points).properties(height=320)
    return chart
