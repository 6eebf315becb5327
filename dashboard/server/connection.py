"""The open catalogue; every failure to reach it becomes one sentence on the page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

import streamlit as st

from catalogue.database import answering
from catalogue.limits import Limits
from catalogue.metrics import observe_queries
from catalogue.settings import get_settings
from catalogue.store import Catalogue, open_catalogue
from dashboard.server.access import check_may_write
from engine.dealing.dealers import dealers
from engine.errors import BadInput
from engine.games import games
from solvers.registry import method_slugs

# Longer sentences, which a link or a field can bring about, are cut.
_LONGEST = 800
# What was expected is folded if it has more characters.
_BRIEF = 100
# Every character that can have a meaning in Markdown.
_MARKS = re.compile(r"[!-/:-@\[-`{-~]")


@st.cache_resource(show_spinner=False, validate=lambda opened: not opened.is_replaced)
def _opened(url: str) -> Catalogue:
    settings = get_settings()
    limits = Limits(settings.query_seconds, settings.query_rows)
    opened = open_catalogue(url, limits=limits, check_write=check_may_write)
    observe_queries(opened.engine)
    return opened


def catalogue() -> Catalogue:
    """The catalogue named in the settings, opened once per process; results are never cached.

    Its queries are limited, and before each write it asks whether this visitor may write.

    Raises:
        BadInput: it cannot be reached, was never initialised, or its schema is not this program's.
    """
    return _opened(get_settings().database_url)


@contextmanager
def sentences() -> Iterator[None]:
    """Show wrong input, or a lost database connection, as one sentence; the page goes on."""
    try:
        with answering():
            yield
    except BadInput as error:
        # Caused by the database: it may come back as another one (a file replaced), so reopen it
        # the next time.
        if error.__cause__ is not None:
            _opened.clear()
        show_error(error)


def show_error(error: BadInput) -> None:
    """Show an error's sentence, with nothing in it read as Markdown.

    One that names an endless value is cut in its middle: before it stands where the value is, and
    after it what was expected. Of a long sentence this is folded.
    """
    said = str(error)
    if len(said) > _LONGEST:
        said = f"{said[: _LONGEST // 2]} … {said[-_LONGEST // 2 :]}"
    wrong, mark, expected = said.partition(": expected ")
    if not mark or len(expected) <= _BRIEF:
        st.error(literal(as_sentence(said)))
        return
    st.error(literal(as_sentence(wrong)))
    # An expander would be drawn anew by each run, and cannot stand in all places.
    st.html(
        '<details class="expected"><summary>What was expected</summary>'
        f"<p>{escape(as_sentence(expected))}</p></details>"
    )


def as_sentence(text: str) -> str:
    """The words of an error with a full stop, and a capital unless they begin with a name."""
    word = text.partition(" ")[0]
    rulesets = (slug for game in games() for slug in game.rulesets.presets)
    names = {*dealers(), *method_slugs(), *rulesets}
    if word.isalpha() and word.islower() and word not in names:
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def literal(text: str) -> str:
    """Escape text for Markdown, so that it is shown unchanged whatever a link or a field contains.

    Words between backticks, commands in our own sentences, stay code.
    """
    spans = text.split("`")
    if len(spans) % 2 == 0:
        return _MARKS.sub(r"\\\g<0>", text)
    return "`".join(
        span if at % 2 else _MARKS.sub(r"\\\g<0>", span) for at, span in enumerate(spans)
    )
