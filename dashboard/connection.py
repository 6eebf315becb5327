"""The open catalogue, and every way of not reaching it as one sentence on the page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from catalogue.settings import get_settings
from catalogue.store import Catalogue, answering, open_catalogue
from engine.errors import BadInput

# Every sign that can mean something in Markdown.
_MARKS = re.compile(r"[!-/:-@\[-`{-~]")


@st.cache_resource(show_spinner=False)
def _opened(url: str) -> Catalogue:
    return open_catalogue(url)


def catalogue() -> Catalogue:
    """The catalogue of the settings, opened once a process. What is read from it is never cached.

    Raises:
        BadInput: it cannot be reached, was never initialised, or its schema is not this program's.
    """
    return _opened(get_settings().database_url)


@contextmanager
def sentences() -> Iterator[None]:
    """Show wrong input, and a database that went away, as one sentence; the page goes on."""
    try:
        with answering():
            yield
    except BadInput as error:
        # Caused by the database: it may come back as another one (a file replaced), so open it
        # anew the next time.
        if error.__cause__ is not None:
            _opened.clear()
        show_error(error)


def show_error(error: BadInput) -> None:
    """The sentence as it stands."""
    st.error(literal(str(error)))


def literal(text: str) -> str:
    """Text as Markdown that shows it unchanged, whatever a link or a field put into it.

    Words between backticks, commands in our own sentences, stay code.
    """
    spans = text.split("`")
    if len(spans) % 2 == 0:
        return _MARKS.sub(r"\\\g<0>", text)
    return "`".join(
        span if at % 2 else _MARKS.sub(r"\\\g<0>", span) for at, span in enumerate(spans)
    )
