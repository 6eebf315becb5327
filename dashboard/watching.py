"""Parts of a page that refresh themselves: often while a job is open, seldom otherwise."""

from collections.abc import Callable

import streamlit as st

from catalogue.jobs.queue import JobInfo, list_jobs
from catalogue.store import Catalogue
from dashboard.connection import catalogue, sentences

OPEN_STATES = ("queued", "running")
BUSY_SECONDS = 2
IDLE_SECONDS = 6


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
