"""Parts of a page that refresh themselves: while jobs are open, and until a search is done."""

from collections.abc import Callable, Hashable

import streamlit as st

from catalogue.jobs.queue import JobInfo, list_jobs
from catalogue.store import Catalogue
from dashboard.server.connection import catalogue, sentences
from dashboard.server.searching import begun

OPEN_STATES = ("queued", "running")
BUSY_SECONDS = 2
IDLE_SECONDS = 6
_SEARCH_SECONDS = 1.0


def open_jobs(cat: Catalogue) -> list[JobInfo]:
    """The queued and running jobs, the oldest first."""
    return [job for job in list_jobs(cat) if job.state in OPEN_STATES]


def watch(part: Callable[[Catalogue], None]) -> None:
    """Draw a part of the page from the catalogue, and redraw it periodically.

    A database that goes away in the meantime is one sentence in its place; the part comes back
    with the database.
    """
    busy = bool(open_jobs(catalogue()))

    def draw() -> None:
        with sentences():
            cat = catalogue()
            part(cat)
            if bool(open_jobs(cat)) != busy:
                st.rerun()  # the whole page, to switch to the other interval

    st.fragment(draw, run_every=BUSY_SECONDS if busy else IDLE_SECONDS)()


def redraw_on_change(
    read: Callable[[Catalogue], Hashable], drawn: Hashable, *, unfinished: bool
) -> None:
    """Draw the whole page again once the catalogue has something else than what was drawn.

    A page with many charts is not drawn again for nothing, and its buttons stay what they are:
    Streamlit forgets what a download would be when its button is drawn anew.

    Args:
        read: reads what the page shows, as something that can be compared.
        drawn: what it has read.
        unfinished: whether more is to come even if no job is open.
    """
    just_drawn = True

    def look() -> None:
        with sentences():
            if not just_drawn and read(catalogue()) != drawn:
                st.rerun()

    busy = unfinished or bool(open_jobs(catalogue()))
    st.fragment(look, run_every=BUSY_SECONDS if busy else IDLE_SECONDS)()
    just_drawn = False


def redraw_after(key: Hashable) -> None:
    """Draw the page again once the long search of a key is done, or forgotten."""

    def look() -> None:
        doing = begun(key)
        if doing is None or doing.done():
            st.rerun()

    st.fragment(look, run_every=_SEARCH_SECONDS)()
