"""Published figures beside a bound of ours."""

from collections.abc import Sequence

import streamlit as st

from catalogue.reading.bounds import BoundPoint
from catalogue.reproduction.published import Figure
from dashboard.elements.tables import Column, show_table
from dashboard.elements.wording import count
from dashboard.server.connection import literal


def shares_of_deals(figures: Sequence[Figure]) -> list[Figure]:
    """Those about the share of winnable deals, which can be compared with a bound."""
    return [figure for figure in figures if figure.measures in ("winnable", "upper bound")]


def verdict(point: BoundPoint, figure: Figure, level: float) -> str:
    """Whether a bound of ours agrees with a figure, in words."""
    if figure.measures == "upper bound":
        # A proof of "at most" can only be contradicted from below.
        holds = 100 * point.intervals(level).lower.low <= figure.percent
        return "✓ agrees" if holds else "✗ our lower bound is higher"
    return comparison(figure, point.winnable, point.unwinnable, point.n, level)


def comparison(figure: Figure, hits: int, misses: int, n: int, level: float) -> str:
    """Whether counts of ours agree with a figure, and which figures would, in words."""
    found = figure.agreement(hits, misses, n, level)
    would = figure.agreeing(hits, misses, n, level)
    verdict = "✓ agrees" if found.agrees else f"✗ differs by {100 * found.difference:+.2f} points"
    return f"{verdict}; {100 * would.low:.2f} to {100 * would.high:.2f} would agree"


def show_claims(point: BoundPoint) -> None:
    """Say how many deals of a bound are unwinnable on the word of other programs alone."""
    if point.claims_in_words:
        st.warning(literal(f"{point.claims_in_words}."))


def show_figures(figures: Sequence[Figure], verdicts: Sequence[str]) -> None:
    """Show figures in a table, with one verdict for each figure or none at all."""
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
                figure.text,
                count(figure.games),
                *verdicts[place : place + 1],
                figure.source,
            )
        )
    show_table(columns, rows, name="Published figures")
