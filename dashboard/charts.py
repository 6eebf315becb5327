"""Charts: functions from a small data frame to an Altair chart; percentages are 0 to 100."""

import altair as alt
import pandas as pd

# They can be distinguished without colour too: by dashes, by position and by label.
TEAL, AMBER, GREY = "#2a9d84", "#d08a1d", "#8a94a3"


def bounds_over_time(frame: pd.DataFrame, along: str) -> alt.LayerChart | alt.FacetChart:
    """Chart of the lower and upper bound over time, within their confidence sequence.

    Args:
        frame: one row per recorded bound: ``n`` deals attempted, ``at`` its moment, ``lower`` and
            ``upper`` bound, ``low`` and ``high`` ends of the confidence sequence.
        along: ``n`` or ``at``, the horizontal axis.
    """
    x = (
        alt.X("n:Q", title="Deals attempted", axis=alt.Axis(format=",d", tickMinStep=1))
        if along == "n"
        else alt.X("at:T", title="Time")
    )
    base = alt.Chart(frame).encode(x=x)
    lines = frame.melt(
        id_vars=["n", "created_at"],
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
        alt.Tooltip("at:T", title="Recorded", format="%Y-%m-%d %H:%M:%S"),
    ]
    percent = alt.Scale(zero=False, nice=True)
    band = base.mark_area(opacity=0.18, color=GREY).encode(
        y=alt.Y("low:Q", title="Winnable, %", scale=percent), y2="high:Q", tooltip=tooltip
    )
    drawn = (
        alt.Chart(lines)
        .mark_line(strokeWidth=2, point=len(frame) == 1)
        .encode(
            x=x,
            y=alt.Y("percent:Q", title="Winnable, %", scale=percent),
            color=alt.Color(
                "bound:N",
                title=None,
                scale=alt.Scale(domain=["lower bound", "upper bound"], range=[TEAL, AMBER]),
                legend=alt.Legend(orient="top"),
            ),
            strokeDash=alt.StrokeDash(
                "bound:N",
                title=None,
                scale=alt.Scale(domain=["lower bound", "upper bound"], range=[[1, 0], [6, 3]]),
            ),
        )
    )
    return alt.layer(band, drawn).properties(height=320)


def bounds_and_published(frame: pd.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Chart of ranges of percentages, one below the other: ours first, then the published ones.

    Args:
        frame: ``name``, ``low`` and ``high`` ends of the interval, ``percent`` the figure itself
            (missing for our range between two bounds), ``ours`` true for our own.
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
