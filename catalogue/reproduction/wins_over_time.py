"""The plot of wins against time: Bjarnason et al. 2007, figure 10, with our rows added."""

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from catalogue.reproduction.reproduction import LEVEL, Reproduced, WinsWithin
from catalogue.statistics import clopper_pearson
from engine.errors import BadInput

FORMATS = ("svg", "png", "html")
# The axis of the paper's figure, in seconds.
PAPER_FROM, PAPER_TO = 2.0**-3, 2.0**10
# Points of a curve; more than a pixel can resolve.
_POINTS = 400
_WIDTH, _HEIGHT = 460, 360
# Okabe and Ito's colour-blind-safe palette; dashes and shapes distinguish lines without colour.
_COLOURS = (
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7", "#8a94a3",
)  # fmt: skip
_DASHES: tuple[list[int], ...] = (
    [1, 0], [8, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 4], [12, 3, 2, 3, 2, 3], [1, 3],
)  # fmt: skip
_SHAPES = (
    "circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-left",
    "triangle-right",
)  # fmt: skip


def check_path(path: str) -> Path:
    """Check the path of a plot before hours are spent on its data.

    Raises:
        BadInput: its suffix names no supported format, or nothing can be written there.
    """
    place = Path(path)
    if place.suffix.lower().lstrip(".") not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise BadInput(f"the figure {path!r} cannot be written: expected a name ending in {known}")
    home = place.parent
    if place.is_dir() or not home.is_dir():
        reason = "it is a directory" if place.is_dir() else f"there is no directory {home}"
        raise BadInput(f"the figure {path!r} cannot be written: {reason}")
    at = place if place.exists() else home
    if not os.access(at, os.W_OK):
        raise BadInput(f"the figure {path!r} cannot be written: nothing may be written to {at}")
    return place


def save(chart: alt.TopLevelMixin, place: Path) -> None:
    """Write a plot in the format of its suffix; neither this nor the page needs the network.

    Raises:
        BadInput: it cannot be written.
    """
    try:
        match place.suffix.lower():
            case ".png":
                chart.save(str(place), format="png", scale_factor=2)
            case ".html":
                chart.save(str(place), format="html", inline=True)
            case _:
                chart.save(str(place), format="svg")
    except OSError as error:
        raise BadInput(f"the figure {place} cannot be written: {error.strerror}") from None


def wins_over_time(rows: Sequence[Reproduced]) -> alt.HConcatChart:
    """Plot the share of games won within a time: a line with a 99 % band for each row.

    The left panel is over CPU seconds measured here, the right panel over the paper's seconds,
    that is, ours times the row's speed-up. Published shares are marks at their own seconds in both
    panels, with bars for the 99 % interval given their number of games.
    """
    wins = np.concatenate([row.seconds[row.wins] for row in rows if row.mean_seconds is not None])
    soonest = float(wins.min()) if len(wins) else PAPER_FROM
    begin = min(PAPER_FROM, 10.0 ** math.floor(math.log10(max(soonest, 1e-6))))
    ours = np.geomspace(begin, PAPER_TO, _POINTS)
    theirs = np.geomspace(PAPER_FROM, PAPER_TO, _POINTS)
    here = _curves((row, ours, row.within(ours)) for row in rows)
    there = _curves((row, theirs, row.within_scaled(theirs)) for row in rows)
    published = _published(rows)
    names = [row.row.name for row in rows]
    decades = [10.0**k for k in range(round(math.log10(begin)), 4) if begin <= 10.0**k <= PAPER_TO]
    octaves = [2.0**k for k in range(-3, 11)]
    panels = [
        _panel(
            here,
            published,
            names,
            alt.X(
                "seconds:Q",
                title="CPU seconds here",
                scale=alt.Scale(type="log", domain=[begin, PAPER_TO], nice=False),
                axis=alt.Axis(values=decades, labelExpr=_SI_SECONDS),
            ),
            keyed=False,
        ),
        _panel(
            there,
            published,
            names,
            alt.X(
                "seconds:Q",
                title="CPU seconds here × speed-up of the row = seconds of the paper",
                scale=alt.Scale(type="log", base=2, domain=[PAPER_FROM, PAPER_TO], nice=False),
                axis=alt.Axis(values=octaves, labelExpr=_OCTAVES),
            ),
            keyed=True,
        ),
    ]
    chart: alt.HConcatChart = alt.hconcat(*panels).configure_legend(labelFontSize=12)
    return chart


_SI_SECONDS = (
    "datum.value < 0.0009 ? format(datum.value * 1e6, '~r') + ' µs' : "
    "datum.value < 0.9 ? format(datum.value * 1e3, '~r') + ' ms' : "
    "format(datum.value, ',~r') + ' s'"
)
_OCTAVES = "datum.value < 1 ? '1/' + format(1 / datum.value, 'd') : format(datum.value, ',d')"


def _panel(
    curves: pd.DataFrame, published: pd.DataFrame, names: Sequence[str], x: alt.X, *, keyed: bool
) -> alt.LayerChart | alt.FacetChart:
    """One of the two panels, with or without the legend of the published marks."""

    def scale(values: Sequence[Any]) -> alt.Scale:
        rounds = -(-len(names) // len(values))
        return alt.Scale(domain=list(names), range=(list(values) * rounds)[: len(names)])

    # Otherwise the symbols of the legend would be as faint as the bands.
    line = alt.Legend(symbolType="stroke", symbolOpacity=1, symbolSize=400)
    colour = alt.Color("row:N", title="row", scale=scale(_COLOURS), legend=line)
    share = alt.Y("percent:Q", title="games won, %", scale=alt.Scale(domain=[0, 100]))
    low, high = alt.Y("low:Q", title="games won, %"), alt.Y2("high:Q")
    base = alt.Chart(curves).encode(x=x, color=colour)
    marks = alt.Chart(published).encode(x=x, color=colour)
    shape = alt.Shape(
        "row:N",
        title="published",
        scale=scale(_SHAPES),
        legend=alt.Legend(values=list(published["row"].unique())) if keyed else None,
    )
    tooltip = [
        alt.Tooltip("row:N", title="Row"),
        alt.Tooltip("seconds:Q", title="Seconds", format=".3~g"),
        alt.Tooltip("percent:Q", title="Won, %", format=".2f"),
        alt.Tooltip("low:Q", title="From, %", format=".2f"),
        alt.Tooltip("high:Q", title="to, %", format=".2f"),
    ]
    layers = [
        base.mark_area(opacity=0.18).encode(y=low, y2=high),
        base.mark_line(strokeWidth=1.6, clip=True).encode(
            y=share,
            strokeDash=alt.StrokeDash("row:N", title="row", scale=scale(_DASHES), legend=line),
            tooltip=tooltip,
        ),
    ]
    if len(published):
        layers += [
            marks.mark_rule(strokeWidth=1.4).encode(y=low, y2=high),
            marks.mark_point(filled=False, size=70, strokeWidth=1.6, opacity=1).encode(
                y=share, shape=shape, tooltip=tooltip
            ),
        ]
    return alt.layer(
        *layers,
        # Otherwise the two legends would be merged into one, of shapes with dashed edges.
        resolve=alt.Resolve(legend=alt.LegendResolveMap(shape="independent")),
    ).properties(width=_WIDTH, height=_HEIGHT)


def _curves(
    rows: Iterable[tuple[Reproduced, np.ndarray[Any, Any], list[WinsWithin]]],
) -> pd.DataFrame:
    """One row per point: ``row``, ``seconds``, ``percent`` and its interval ``low``, ``high``."""
    return pd.DataFrame(
        [
            (
                each.row.name,
                float(second),
                100 * point.share,
                100 * point.interval.low,
                100 * point.interval.high,
            )
            for each, seconds, points in rows
            # A row without a speed-up, or without times, has no points.
            for second, point in zip(seconds, points, strict=bool(points))
        ],
        columns=["row", "seconds", "percent", "low", "high"],
    )


def _published(rows: Sequence[Reproduced]) -> pd.DataFrame:
    """The published shares within time limits, in the same columns."""
    marks = []
    for each in rows:
        figure = each.row.figure
        for seconds, percent in figure.within:
            low = high = percent
            if figure.games is not None:
                won = round(percent / 100 * figure.games)
                found = clopper_pearson(won, figure.games, LEVEL)
                low, high = 100 * found.low, 100 * found.high
            marks.append((each.row.name, seconds, percent, low, high))
    return pd.DataFrame(marks, columns=["row", "seconds", "percent", "low", "high"])
