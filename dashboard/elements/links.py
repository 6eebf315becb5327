"""Values that come with a link: what is none of a page's choices is told in one sentence.

It is taken out of the link, and the page goes on with its default.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any, Literal
from urllib.parse import quote

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dashboard.elements.wording import ruleset_title
from dashboard.server.connection import as_sentence, literal
from engine.text.numbers import significant

# How a widget is bound to its value in the link. It must not be where the value was told of: within
# the same run it would read it nevertheless, and fail of an infinite number.
Bind = Literal["query-params"] | None

# Longer values are cut in the sentence.
_SHOWN = 60
_PLACE = "sentences-of-the-link"
# The ruleset in every link of a page and of the HTTP API, and what pages called it in old links.
RULES = "rules"
_FORMER = {"ruleset": RULES}


def play_address(deal: str, ruleset: str) -> str:
    """The address of the page that plays a deal, relative so that it works behind any address."""
    return f"./play?deal={quote(deal, safe=':')}&rules={quote(ruleset)}"


def keep_place() -> None:
    """Keep a place above the page for the sentences; call it once, before the page is drawn.

    They are gone with the next run, and what is below must not move then: Streamlit would leave the
    fragments where they were, and draw them a second time.
    """
    st.session_state[_PLACE] = st.container()


def read_former_names() -> None:
    """Give the values of an old link their names of today; call it before the page is drawn."""
    for former, name in _FORMER.items():
        if former in st.query_params:
            value = st.query_params[former]
            del st.query_params[former]
            if name not in st.query_params:
                st.query_params[name] = value


def choose_ruleset(
    place: Any, slugs: Sequence[str], on_change: Callable[[], None] | None = None
) -> str:
    """Have a ruleset chosen by its name for players; the link has its slug.

    Args:
        place: where the list of choices stands.
        slugs: the rulesets; the first is shown where the link names none.
        on_change: called when another one is chosen.
    """
    check_choice(RULES, slugs, "ruleset")
    linked = st.query_params.get(RULES)
    # Not bound: a bound list would write its words into the link.
    st.session_state["ruleset"] = linked if linked in slugs else slugs[0]

    def follow() -> None:
        st.query_params[RULES] = st.session_state["ruleset"]
        if on_change is not None:
            on_change()

    chosen: str = place.selectbox(
        "Ruleset", slugs, key="ruleset", format_func=ruleset_title, on_change=follow
    )
    return chosen


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
    st.session_state.get(_PLACE, st).warning(literal(as_sentence(sentence)))
