"""Values that come with a link: what is none of a page's choices is told in one sentence.

The page goes on with its default, which the widget takes by itself.
"""

from collections.abc import Collection

import streamlit as st

from dashboard.connection import literal

# Longer values are cut in the sentence.
_SHOWN = 60


def check_choice(key: str, options: Collection[str], what: str) -> None:
    """Tell of a value of the link that is none of the options; call it before the widget is made.

    Args:
        key: name of the value in the link.
        options: what can be chosen, as the link names it.
        what: the choice in words.
    """
    given = st.query_params.get(key)
    if given is not None and given not in options:
        _tell(f"the link's {what} {_cut(given)} is none of those here: the default is shown")


def check_number(key: str, what: str) -> None:
    """Tell of a value of the link that is not a whole number of 0 or more."""
    given = st.query_params.get(key)
    if given is None:
        return
    whole, _, rest = given.partition(".")
    if not (whole.isascii() and whole.isdigit() and len(whole) < 16 and not rest.strip("0")):
        _tell(f"the link's {what} {_cut(given)} is no whole number from 0 on: it is left out")


def _cut(given: str) -> str:
    return repr(given if len(given) <= _SHOWN else f"{given[:_SHOWN]}…")


def _tell(sentence: str) -> None:
    st.warning(literal(sentence[:1].upper() + sentence[1:] + "."))
