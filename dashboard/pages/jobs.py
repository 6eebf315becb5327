"""The jobs page: queued, running and finished jobs, and a form to submit one."""

import streamlit as st

from catalogue.jobs.queue import JobInfo, cancel, list_jobs, submit
from catalogue.store import Catalogue
from dashboard.connection import catalogue, show_error
from dashboard.tables import Column, show_table
from dashboard.watching import OPEN_STATES, watch
from dashboard.wording import count, duration, moment
from engine.dealing.dealers import dealers, parse_sample
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.rulesets import named_rulesets, parse_ruleset
from solvers.registry import default_solver, get_method, method_slugs


def show() -> None:
    st.title("Jobs")
    st.markdown(
        "A job names a ruleset, a sample of deals and the solvers to run on them; running it "
        "computes the outcomes that are missing. Jobs are run in the background by a runner: "
        "`thoughtful up` starts one along with the dashboard, `thoughtful runner` starts one alone."
    )
    watch(_list)
    _form(catalogue())


def _list(cat: Catalogue) -> None:
    jobs = list_jobs(cat)
    if not jobs:
        st.info("No jobs yet: submit one below, or run `thoughtful up`.")
    for job in jobs:
        if job.state in OPEN_STATES:
            _open(cat, job)
    ended = [job for job in reversed(jobs) if job.state not in OPEN_STATES]
    if ended:
        st.subheader("Finished jobs")
        _ended(ended)


def _open(cat: Catalogue, job: JobInfo) -> None:
    with st.container(border=True, key=f"job-{job.id}"):
        title, button = st.columns([5, 1], vertical_alignment="center")
        with title:
            st.markdown(
                f"**Job {job.id}** · {job.kind} · {job.ruleset} on {job.sample} · {job.state}"
            )
            st.caption(", ".join(job.solvers))
            show_progress(job)
        if button.button("Cancel", key=f"cancel-{job.id}", help=f"Cancel job {job.id}"):
            cancel(cat, job.id)
            st.rerun()


def _ended(jobs: list[JobInfo]) -> None:
    show_table(
        [
            Column("Job", "number"),
            Column("State"),
            Column("Ruleset"),
            Column("Sample"),
            Column("Solvers", "wide"),
            Column("Done", "number"),
            Column("Finished"),
            Column("Error", "wide"),
        ],
        [
            (
                str(job.id),
                job.state,
                job.ruleset,
                str(job.sample),
                ", ".join(job.solvers),
                f"{count(job.done)} of {count(job.total)} {job.kind}",
                moment(job.finished_at),
                job.error or "",
            )
            for job in jobs
        ],
        name="Finished jobs",
    )


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


def _form(cat: Catalogue) -> None:
    st.subheader("Submit a job")
    with st.form("submit-job", clear_on_submit=False):
        left, right = st.columns(2)
        ruleset = left.selectbox(
            "Ruleset",
            list(named_rulesets()),
            accept_new_options=True,
            key="job-ruleset",
            help="A named ruleset, or a name composed of options; see `thoughtful rulesets`.",
        )
        solvers = right.multiselect(
            "Solvers",
            method_slugs(),
            default=[default_solver(parse_ruleset(DEFAULT_RULESET)).method.slug],
            accept_new_options=True,
            key="job-solvers",
            help="In the order in which they run. Type to set parameters: exact(nodes=1000000)",
        )
        dealer = left.selectbox("Dealer", list(dealers()), key="job-dealer")
        seeds = right.text_input(
            "Seeds", "0-999", key="job-seeds", help="First and last seed, both included."
        )
        sent = st.form_submit_button("Submit", type="primary")
    if sent:
        try:
            number = submit(cat, ruleset or "", parse_sample(f"{dealer}:{seeds.strip()}"), solvers)
        except BadInput as error:
            show_error(error)
        else:
            st.session_state["job-submitted"] = number
            st.rerun()
    number = st.session_state.pop("job-submitted", None)
    if number is not None:
        st.success(f"Job {number} is queued.")
    with st.expander("Solvers"):
        for slug in method_slugs():
            method = get_method(slug)
            source = f" *{method.source}.*" if method.source else ""
            st.markdown(f"- **{slug}**: {method.summary}{source} Plays {method.rulesets}.")
