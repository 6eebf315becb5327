"""Values that come with a link: what is none of a page's choices is told in one sentence.

It is taken out of the link, and the page goes on with its default.
"""

from collections.abc import Collection
from contextlib import suppress
from typing import Literal

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dashboard.server.connection import literal
from engine.text.numbers import significant

# How a widget is bound to its value in the link. It must not be where the value was told of: within
# the same run it would read it nevertheless, and fail of an infinite number.
Bind = Literal["query-params"] | None

# Longer values are cut in the sentence.
_SHOWN = 60
_PLACE = "sentences-of-the-link"


def keep_place() -> None:
    """Keep a place above the page for the sentences; call it once, before the page is drawn.

    They are gone with the next run, and what is below must not move then: Streamlit would leave the
    fragments where they were, and draw them a second time.
    """
    st.session_state[_PLACE] = st.container()


def check_choice(key: str, options: Collection[str], what: str) -> Bind:
    """Tell of a value of the link that is none of the options; call it before the widget is made.

    Args:
        key: name of the value in the link.
        options: what can be chosen, as the link names it.
        what: the choice in words.
    """
    given = st.query_params.get(key)
    if given is None or given in options:
        return "query-params"
    _tell(f"the link's {what} {_cut(given)} is none of those here: the default is shown")
    return _left_out(key)


def check_number(key: str, what: str, low: int = 0, high: int | None = None) -> Bind:
    """Tell of a value of the link that is not a whole number of a range, which may have no end."""
    given = st.query_params.get(key)
    if given is None:
        return "query-params"
    whole, _, rest = given.partition(".")
    if (
        whole.isascii()
        and whole.isdigit()
        and len(whole) < 16
        and not rest.strip("0")
        and low <= int(whole)
        and (high is None or int(whole) <= high)
    ):
        return "query-params"
    span = f"from {low} on" if high is None else f"from {low} to {high:,}"
    _tell(f"the link's {what} {_cut(given)} is no whole number {span}: it is left out")
    return _left_out(key)


def check_amount(key: str, what: str, low: float, high: float) -> Bind:
    """Tell of a value of the link that is not a number from `low` to `high`."""
    given = st.query_params.get(key)
    if given is None:
        return "query-params"
    try:
        fits = low <= float(given) <= high
    except ValueError:
        fits = False
    if fits:
        return "query-params"
    _tell(
        f"the link's {what} {_cut(given)} is no number from {significant(low)} to "
        f"{significant(high)}: the default is shown"
    )
    return _left_out(key)


def _left_out(key: str) -> Bind:
    # A widget that was bound before lets its value go when it is bound no longer.
    with suppress(StreamlitAPIException):
        del st.query_params[key]
    return None


def _cut(given: str) -> str:
    return repr(given if len(given) <= _SHOWN else f"{given[:_SHOWN]}…")


def _tell(sentence: str) -> None:
    st.session_state.get(_PLACE, st).warning(literal(sentence[:1].upper() + sentence[1:] + "."))
