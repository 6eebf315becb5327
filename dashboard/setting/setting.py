"""The empty table: a component on which the cards of a position are put down by hand."""

from functools import cache
from typing import Any

import streamlit as st

from dashboard.viewer.table import asset


def set_cards(slug: str) -> str | None:
    """Show the table; the text of the position when it has just been completed and asked about."""
    asked: str | None = _component()(
        data={"rules": slug}, key=f"setting-{slug}", on_asked_change=lambda: None
    ).asked
    return asked


@cache
def _component() -> Any:
    package = "dashboard.setting"
    return st.components.v2.component(
        "thoughtful_setting",
        html=asset("setting.html", package),
        css=asset("setting.css", package),
        js=asset("setting.js", package),
    )
