"""A place of a page that comes in sight when it shows something else."""

from functools import cache
from typing import Any

import streamlit as st

_SCRIPT = """
const shown = new WeakMap();
export default function ({ parentElement, data }) {
  const place = parentElement.host ?? parentElement;
  if (shown.get(parentElement) === data.id) return;
  shown.set(parentElement, data.id);
  place.style.scrollMarginTop = "70px"; // below the bar with the pages
  place.scrollIntoView({ block: "start" });
}
"""


def bring_in_sight(identity: str) -> None:
    """Scroll to here once for each identity, such as that of an answer above the button for it."""
    _component()(data={"id": identity}, key="in-sight")


@cache
def _component() -> Any:
    return st.components.v2.component("thoughtful_in_sight", html="<span></span>", js=_SCRIPT)
