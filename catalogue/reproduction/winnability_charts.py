"""Charts of winnable shares and of necessities by an option of the rules, ours and the published.

They are drawn on pages and by `--plot` of `reproduce`. Percentages are 0 to 100.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import altair as alt
import pandas as pd

from catalogue.reproduction.definitions import WinnabilityRow
from catalogue.reproduction.winnability import CountedRow, Necessity
from catalogue.statistics import MOST_UNDECIDED, Interval
from engine.errors import BadInput

# Titles of options.
DRAW, WORRYING_BACK = "draw", "worrying back"
HERE, PUBLISHED = "here", "published"
SOURCES = [HERE, PUBLISHED]
# Three of Okabe and Ito's colour-blind-safe colours that are seen on a light and on a dark ground;
# dashes and shapes distinguish ours from the published ones.
_COLOURS = ["#009e73", "#d55e00", "#0072b2"]
_SHAPES = alt.Scale(domain=SOURCES, range=["circle", "diamond"])
_SHARE_TOOLTIP = [
    alt.Tooltip("source:N", title="Source"),
    alt.Tooltip("deals:Q", title="Deals", format=",d"),
    alt.Tooltip("winnable:Q", title="Winnable", format=",d"),
    alt.Tooltip("undecided:Q", title="Undecided", format=",d"),
]
_ENDS_TOOLTIP = [
    alt.Tooltip("percent:Q", title="Middle, %", format=".6~f"),
    alt.Tooltip("low:Q", title="From, %", format=".6~f"),
    alt.Tooltip("high:Q", title="to, %", format=".6~f"),
]
_WIDTH, _HEIGHT = 560, 380

Words = Callable[[WinnabilityRow], str]


def is_by_draw(row: WinnabilityRow) -> bool:
    """Whether its rules differ from the usual ones in the draw and in worrying back alone."""
    return DRAW in row.options and row.unusual <= {DRAW, WORRYING_BACK}


def draw_of(row: WinnabilityRow) -> str:
    """The number of cards turned at a time, as text."""
    return row.options[DRAW]


def worrying_back(row: WinnabilityRow) -> str:
    """Whether cards may return from the foundations, or the player of the row, in words."""
    if row.player is not None:
        return f"won by {row.player}, hidden cards"
    return f"{'with' if row.options[WORRYING_BACK] == 'yes' else 'without'} worrying back"


def shares(rows: Iterable[CountedRow], at: Words, line: Words) -> pd.DataFrame:
    """Winnable shares of rows, ours if a deal was attempted, and the published one if there is one.

    Those of a player are the shares of its wins.

    Columns: ``at`` and ``line``, the place on the axis and the curve of a row; ``source``, one of
    `SOURCES`; ``ruleset``; ``sample``; ``deals``, ``winnable``, ``unwinnable`` and ``undecided``
    ones; ``percent``, the middle of the interval from ``low`` to ``high``, missing where undecided
    deals leave a range open.
    """
    found: list[tuple[object, ...]] = []
    for each in rows:
        row, figure = each.row, each.row.figure
        place = (at(row), line(row))
        if each.deals:
            ends = _ends(each.bounds, each.interval)
            counts = (each.deals, each.winnable, each.unwinnable, each.undecided)
            found.append((*place, HERE, row.ruleset, str(each.sample), *counts, *ends))
        if figure is not None:
            half = figure.half_width or 0.0
            percent = None if figure.is_range else figure.percent
            ends = (percent, figure.percent - half, figure.percent + half)
            theirs = figure.counts
            counts = (
                (figure.games or 0, 0, 0, 0)
                if theirs is None
                else (
                    theirs.deals,
                    theirs.winnable,
                    theirs.unwinnable,
                    theirs.undecided,
                )
            )
            found.append((*place, PUBLISHED, row.ruleset, "", *counts, *ends))
    return pd.DataFrame(
        found,
        columns=[
            *("at", "line", "source", "ruleset", "sample"),
            *("deals", "winnable", "unwinnable", "undecided", "percent", "low", "high"),
        ],
    )


def needs(found: Iterable[Necessity], at: Words) -> pd.DataFrame:
    """Necessities, ours if a deal is winnable, and the published one if there is one.

    Columns: ``at``, the place on the axis; ``line``, the option; ``source``, one of `SOURCES`;
    ``ruleset``, the one with the option; ``winnable`` deals and of these ``needing`` the option,
    missing of the published ones; ``percent``, the middle of the interval from ``low`` to ``high``,
    missing where undecided deals leave a range open.
    """
    rows: list[tuple[object, ...]] = []
    for each in found:
        place = (at(each.lax), each.option.replace("-", " "))
        if each.winnable:
            counts = (each.winnable, each.needing)
            ends = _ends(each.bounds, each.interval)
            rows.append((*place, HERE, each.lax.ruleset, *counts, *ends))
        if each.published is not None:
            percent, half = each.published
            ends = (percent, percent - half, percent + half)
            rows.append((*place, PUBLISHED, each.lax.ruleset, None, None, *ends))
    frame = pd.DataFrame(
        rows,
        columns=[
            *("at", "line", "source", "ruleset", "winnable", "needing", "percent", "low", "high")
        ],
    )
    return frame.astype({"winnable": "Int64", "needing": "Int64"})


def _ends(bounds: Interval, interval: Interval) -> tuple[float | None, float, float]:
    """The middle and the ends of an interval in percent; no middle where the share is a range."""
    low, high = 100 * interval.low, 100 * interval.high
    return (None if bounds.width > MOST_UNDECIDED else (low + high) / 2, low, high)


def share_curves(
    frame: pd.DataFrame, places: Sequence[str], title: str
) -> alt.LayerChart | alt.FacetChart:
    """Chart of `shares` with their intervals, a curve for each line and source.

    Args:
        frame: of `shares`; with a further column ``href`` each point leads there.
        places: of the axis, in order.
        title: of the axis.
    """
    return _curves(frame, places, title, "Winnable, %", _SHARE_TOOLTIP)


def need_curves(
    frame: pd.DataFrame, places: Sequence[str], title: str
) -> alt.LayerChart | alt.FacetChart:
    """Chart of `needs` of one option with their intervals, a curve for each source.

    The arguments are those of `share_curves`.
    """
    tooltip = [
        alt.Tooltip("source:N", title="Source"),
        alt.Tooltip("winnable:Q", title="Winnable", format=",d"),
        alt.Tooltip("needing:Q", title="Needing it", format=",d"),
    ]
    (option,) = set(frame["line"])
    return _curves(frame, places, title, f"Winnable deals that need {option}, %", tooltip)


def share_order(each: CountedRow) -> float:
    """Where a row stands in an order by share: the middle of ours, or else the published one."""
    if each.deals:
        return each.bounds.low + each.bounds.high
    return 2.0 if each.row.figure is None else each.row.figure.percent / 50


def shares_by_game(frame: pd.DataFrame, places: Sequence[str]) -> alt.LayerChart | alt.FacetChart:
    """Chart of `shares` with their intervals, ours above the published one of each game.

    Args:
        frame: of `shares`; with a further column ``href`` each point leads there.
        places: names of the games, from the top.
    """
    base = alt.Chart(frame.assign(low=frame["low"].clip(lower=0.0))).encode(
        y=alt.Y(
            "at:N",
            title=None,
            scale=alt.Scale(domain=list(places)),
            axis=alt.Axis(labelLimit=260),
        ),
        yOffset=alt.YOffset("source:N", scale=alt.Scale(domain=SOURCES)),
        color=_by_source(alt.Color, alt.Scale(domain=SOURCES, range=_COLOURS[:2])),
        tooltip=[alt.Tooltip("at:N", title="Game"), *_SHARE_TOOLTIP, *_ENDS_TOOLTIP],
    )
    if "href" in frame:
        base = base.encode(href="href:N")
    x = alt.X("percent:Q", title="Winnable, %", scale=alt.Scale(domain=[0, 100]))
    chart = alt.layer(
        base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q", title="Winnable, %"), x2="high:Q"),
        base.transform_filter("isValid(datum.percent)")
        .mark_point(size=40, strokeWidth=1.6, opacity=1)
        .encode(x=x, shape=_by_source(alt.Shape, _SHAPES)),
    )
    return chart.properties(height=alt.Step(20, **{"for": "position"}))


def _by_source(channel: Callable[..., Any], scale: alt.Scale) -> Any:
    return channel("source:N", title=None, scale=scale, legend=alt.Legend(orient="top"))


def plot(rows: Sequence[CountedRow], found: Sequence[Necessity]) -> Any:
    """The plot of `reproduce`: shares by draw, or by game if there are others than by draw.

    Raises:
        BadInput: there is nothing to plot.
    """
    if not _are_games([each.row for each in rows]):
        return by_draw(rows, found)
    ordered = sorted(rows, key=share_order)
    names = [_game(each.row) for each in ordered]
    return shares_by_game(shares(ordered, _game, lambda row: ""), names).properties(width=_WIDTH)


def _game(row: WinnabilityRow) -> str:
    return row.title if row.player is None else f"{row.title}, won by {row.player}"


def _are_games(rows: Iterable[WinnabilityRow]) -> bool:
    return any(DRAW not in row.options for row in rows)


def by_draw(rows: Sequence[CountedRow], found: Sequence[Necessity]) -> alt.HConcatChart:
    """The plot of `reproduce`: shares by draw, and beside them the necessity of worrying back.

    Raises:
        BadInput: none of the rows is one of a draw alone.
    """
    drawn = [each for each in rows if is_by_draw(each.row)]
    check_rows([each.row for each in drawn])
    places = sorted({draw_of(each.row) for each in drawn}, key=int)
    needed = [each for each in found if is_by_draw(each.lax)]
    panels = [share_curves(shares(drawn, draw_of, worrying_back), places, "Draw")]
    if needed:
        panels.append(need_curves(needs(needed, draw_of), places, "Draw"))
    chart: alt.HConcatChart = alt.hconcat(
        *(panel.properties(width=_WIDTH) for panel in panels)
    ).resolve_scale(color="independent")
    return chart


def check_rows(rows: Sequence[WinnabilityRow]) -> None:
    """Check that there is something to plot, before hours are spent on its data.

    Raises:
        BadInput: all are rows of the game with draws, and none is one of a draw alone.
    """
    if not _are_games(rows) and not any(is_by_draw(row) for row in rows):
        raise BadInput(
            "there is nothing to plot: expected a row such as draw3 or draw3-no-worrying-back, "
            "since shares are plotted by draw"
        )


def _curves(
    frame: pd.DataFrame, places: Sequence[str], title: str, share: str, more: list[alt.Tooltip]
) -> alt.LayerChart | alt.FacetChart:
    lines = list(dict.fromkeys(frame["line"]))
    # A place without a share gets an empty row, at which its curve breaks.
    every = pd.MultiIndex.from_product([places, lines, SOURCES], names=["at", "line", "source"])
    frame = frame.set_index(["at", "line", "source"]).reindex(every).reset_index()
    # Published intervals are rounded outwards, so that some would end below 0.
    frame = frame.assign(low=frame["low"].clip(lower=0.0))
    base = alt.Chart(frame).encode(
        x=alt.X(
            "at:O",
            title=title,
            scale=alt.Scale(type="point", domain=list(places), padding=0.5),
            axis=alt.Axis(labelAngle=0),
        ),
        color=alt.Color(
            "line:N",
            title=None,
            scale=alt.Scale(domain=lines, range=_COLOURS[: len(lines)]),
            legend=alt.Legend(orient="top", columns=1, symbolType="stroke")
            if len(lines) > 1
            else None,
        ),
    )
    tooltip = [
        alt.Tooltip("at:N", title=title),
        alt.Tooltip("line:N", title="Curve"),
        *more,
        *_ENDS_TOOLTIP,
    ]
    y = alt.Y("percent:Q", title=share)
    key = alt.Legend(orient="bottom", symbolSize=60, symbolStrokeWidth=1.6)
    dash = alt.StrokeDash(
        "source:N",
        title=None,
        scale=alt.Scale(domain=SOURCES, range=[[1, 0], [4, 3]]),
        legend=key,
    )
    shape = alt.Shape(
        "source:N",
        title=None,
        scale=_SHAPES,
        legend=key,
    )
    links = {"href": alt.Href("href:N")} if "href" in frame else {}
    known = base.transform_filter("isValid(datum.low)")
    chart = alt.layer(
        base.mark_line(strokeWidth=1.2, opacity=0.7).encode(y=y, strokeDash=dash),
        # An interval; of a share that is a range, this alone.
        known.mark_rule(strokeWidth=2.5, opacity=0.7).encode(
            y=alt.Y("low:Q", title=share), y2="high:Q", tooltip=tooltip, **links
        ),
        # Hollow, since a point here often lies on a published one.
        known.transform_filter("isValid(datum.percent)")
        .mark_point(size=60, strokeWidth=1.6, opacity=1)
        .encode(y=y, shape=shape, tooltip=tooltip, **links),
    )
    return chart.properties(height=_HEIGHT)
