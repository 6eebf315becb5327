"""The jobs page: queued, running and finished jobs, and a form to submit one."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from catalogue.blocks import EVERYTHING
from catalogue.jobs.estimate import estimate
from catalogue.jobs.queue import (
    JobInfo,
    Submission,
    cancel,
    enqueue,
    list_jobs,
    pause,
    resume,
    retry,
)
from catalogue.jobs.stop_rules import rules_in_words
from catalogue.store import Catalogue
from dashboard.elements.progress import show_progress
from dashboard.elements.tables import Column, show_table
from dashboard.elements.watching import OPEN_STATES, watch
from dashboard.elements.wording import count, duration, moment
from dashboard.server.access import why_not_write
from dashboard.server.connection import catalogue, literal, show_error
from engine.dealing.dealers import dealers, parse_seeds
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.rulesets import named_rulesets, parse_ruleset
from engine.text.numbers import counted
from solvers.choice import default_solver
from solvers.registry import get_method, method_slugs
from solvers.solver import parse_solver

# Solvers of one job, and characters of a name that is typed in.
SOLVERS_MOST = 20
NAME_MOST = 200
# Failed jobs that have a button, the newest.
RETRIES_MOST = 10
# The state of the session that has a job which takes long, until the visitor has decided.
_LARGE = "job-asked"
# And the number of the job that the visitor has had tried again.
_RETRIED = "job-retried"
# States of jobs that have buttons to steer them.
_STEERED = (*OPEN_STATES, "paused")


def show() -> None:
    st.title("Jobs")
    st.markdown(
        "A job names a ruleset, a sample of deals and the solvers to run on them; running it "
        "computes the outcomes that are missing. Jobs are run in the background by a runner: "
        "`thoughtful up` starts one along with the dashboard, `thoughtful runner` starts one alone."
    )
    watch(_list)
    refused = why_not_write()
    if refused is None:
        _form(catalogue())
    else:
        st.info(literal(f"Jobs cannot be submitted or cancelled: {refused}."))


def _list(cat: Catalogue) -> None:
    jobs = list_jobs(cat)
    if not jobs:
        st.info("No jobs yet: submit one below, or run `thoughtful up`.")
    for job in jobs:
        if job.state in _STEERED:
            _open(cat, job)
    ended = [job for job in reversed(jobs) if job.state not in _STEERED]
    if ended:
        st.subheader("Finished jobs")
        _ended(ended)
        _retry(cat, [job for job in ended if job.state == "failed"])
    retried = st.session_state.get(_RETRIED)
    if any(job.id == retried and job.state in _STEERED for job in jobs):
        st.success(f"Job {retried} is queued again; it stands at the top of the page.")


def _retry(cat: Catalogue, failed: list[JobInfo]) -> None:
    """Buttons to try failed jobs again."""
    if not failed or why_not_write() is not None:
        return
    with st.container(horizontal=True):
        for job in failed[:RETRIES_MOST]:
            if st.button(f"Try job {job.id} again", key=f"retry-{job.id}"):
                st.session_state[_RETRIED] = job.id
                _steer(retry, cat, job)


def _open(cat: Catalogue, job: JobInfo) -> None:
    with st.container(border=True, key=f"job-{job.id}"):
        title, left, right = st.columns([5, 1, 1], vertical_alignment="center")
        with title:
            st.markdown(
                f"**Job {job.id}** · {job.kind} · {job.ruleset} on {job.sample} · {job.state}"
            )
            st.caption(" · ".join(_details(job)))
            show_progress(job)
        if why_not_write() is not None:
            return
        other, steer = ("Resume", resume) if job.state == "paused" else ("Pause", pause)
        if left.button(
            other, key=f"{other.lower()}-{job.id}", help=f"{other} job {job.id}", width="stretch"
        ):
            _steer(steer, cat, job)
        if right.button(
            "Cancel", key=f"cancel-{job.id}", help=f"Cancel job {job.id}", width="stretch"
        ):
            _steer(cancel, cat, job)


def _steer(steer: Callable[[Catalogue, int], object], cat: Catalogue, job: JobInfo) -> None:
    try:
        steer(cat, job.id)
    except BadInput as error:  # it has ended since the page was drawn
        show_error(error)
    else:
        st.rerun()


def _details(job: JobInfo) -> list[str]:
    """Facts about an open job beside its progress."""
    parts = [", ".join(job.solvers)]
    if job.keep != EVERYTHING:
        parts.append(f"keeps {job.keep}")
    if job.inferred is not None:
        parts.append(_inferred(job))
    if job.priority:
        parts.append(f"priority {job.priority}")
    if job.until:
        parts.append(rules_in_words(job.until))
    if job.runners:
        runners = len(job.runners)
        parts.append(counted(runners, "runner"))
    for state, words in (("running", "being solved"), ("failed", "failed")):
        shards = job.shards.get(state, 0)
        if shards:
            parts.append(f"{counted(shards, 'shard')} {words}")
    return parts


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
            Column("Remark", "wide"),
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
                " · ".join(filter(None, (_inferred(job), job.error))),
            )
            for job in jobs
        ],
        name="Finished jobs",
    )


def _inferred(job: JobInfo) -> str:
    """How many deals a job did not solve, as text; empty for one that solves all."""
    return "" if job.inferred is None else f"{count(job.inferred)} deals inferred"


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
            max_selections=SOLVERS_MOST,
            key="job-solvers",
            help="In the order in which they run. Type to set parameters: exact(nodes=1000000)",
        )
        dealer = left.selectbox("Dealer", list(dealers()), key="job-dealer")
        seeds = right.text_input(
            "Seeds",
            "0-999",
            max_chars=50,
            key="job-seeds",
            help="First and last seed, both included, such as 0-999; or one seed, such as 5.",
        )
        infer = st.checkbox(
            "Infer what follows",
            key="job-infer",
            help="Deals whose outcomes follow from those under other rulesets are not solved.",
        )
        sent = st.form_submit_button("Submit", type="primary")
    if sent:
        st.session_state.pop(_LARGE, None)
        try:
            for name in (ruleset or "", *solvers):
                if len(name) > NAME_MOST:
                    raise BadInput(
                        f"the name {name[:20]}… has {len(name):,} characters: {NAME_MOST} at most"
                    )
            asked = Submission(
                parse_ruleset(ruleset or ""),
                parse_seeds(dealer, seeds),
                [parse_solver(text) for text in solvers],
                infer=infer,
            )
            asked.check()
            # Without what may be inferred, which takes long to count on many deals.
            cost = estimate(cat, replace(asked, infer=False))
            if cost.is_large:
                st.session_state[_LARGE] = (
                    asked,
                    f"This job has {counted(cost.deals, 'deal')} and would take about "
                    f"{duration(cost.seconds)} on {counted(cost.workers, 'worker')}.",
                )
            else:
                _submit(cat, asked)
        except BadInput as error:
            show_error(error)
    if _LARGE in st.session_state:
        _ask(cat, *st.session_state[_LARGE])
    number = st.session_state.pop("job-submitted", None)
    if number is not None:
        st.success(f"Job {number} is queued.")
    with st.expander("Solvers"):
        for slug in method_slugs():
            method = get_method(slug)
            source = f" *{method.source}.*" if method.source else ""
            st.markdown(f"- **{slug}**: {method.summary}{source} Plays {method.rulesets}.")


def _submit(cat: Catalogue, asked: Submission) -> None:
    st.session_state.pop(_LARGE, None)
    st.session_state["job-submitted"] = enqueue(cat, asked)
    st.rerun()


def _ask(cat: Catalogue, asked: Submission, cost: str) -> None:
    """Ask whether a job that takes long is wanted."""
    with st.container(border=True, key="job-large"):
        st.warning(literal(f"{cost} It has not been submitted."))
        with st.container(horizontal=True):
            if st.button("Submit it nevertheless", key="job-nevertheless"):
                try:
                    _submit(cat, asked)
                except BadInput as error:
                    show_error(error)
            if st.button("Do not submit it", key="job-dropped"):
                del st.session_state[_LARGE]
                st.rerun()
