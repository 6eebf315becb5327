"""Tests of charts that are made once for the same data."""

from collections.abc import Iterator

import altair as alt
import pandas as pd
import pytest
import streamlit as st

from dashboard.elements.charts import drawn_once, histogram


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    st.cache_data.clear()
    yield
    st.cache_data.clear()


def bars(deals: list[int]) -> pd.DataFrame:
    n = len(deals)
    return pd.DataFrame(
        {
            "status": ["winnable"] * n,
            "low": range(1, n + 1),
            "high": range(2, n + 2),
            "below": [0] * n,
            "above": deals,
            "deals": deals,
        }
    )


def test_a_chart_is_made_once_for_the_same_data() -> None:
    made = []

    @drawn_once
    def chart(frame: pd.DataFrame, title: str) -> alt.Chart:
        made.append(title)
        return alt.Chart(frame).mark_bar().encode(x=alt.X("a:Q", title=title))

    first = chart(pd.DataFrame({"a": [1, 2]}), "one")
    assert chart(pd.DataFrame({"a": [1, 2]}), "one") == first
    assert made == ["one"]
    assert chart(pd.DataFrame({"a": [1, 3]}), "one") != first
    assert chart(pd.DataFrame({"a": [1, 2]}), "two") != first
    assert made == ["one", "one", "two"]


def test_other_data_and_other_options_are_another_chart() -> None:
    first = histogram(bars([3, 4]), "Nodes")
    (rows,) = first["datasets"].values()
    assert [row["deals"] for row in rows] == [3, 4]
    (others,) = histogram(bars([3, 5]), "Nodes")["datasets"].values()
    assert [row["deals"] for row in others] == [3, 5]
    logarithmic = histogram(bars([3, 4]), "Nodes", logarithmic=True)
    assert first["encoding"]["x"]["scale"]["type"] == "linear"
    assert logarithmic["encoding"]["x"]["scale"]["type"] == "log"
