"""How far a job is."""

import streamlit as st

from catalogue.jobs.queue import JobInfo
from dashboard.elements.wording import count, duration


def show_progress(job: JobInfo, what: str = "") -> None:
    """Show a progress bar of an open job, with its rate and the time left.

    Args:
        job: the job.
        what: words to begin with.
    """
    parts = [what] if what else []
    parts.append(f"{count(job.done)} of {count(job.total)} {job.kind}")
    if job.rate:
        parts.append(f"{count(job.rate)} per second")
    if job.eta_seconds is not None:
        parts.append(f"{duration(job.eta_seconds)} left")
    if job.stalled:
        parts.append("its runner has stopped responding")
    st.progress(min(job.done / job.total, 1.0) if job.total else 1.0, text=" · ".join(parts))
