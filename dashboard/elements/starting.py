"""Jobs that a page offers where it has nothing to show: a button, then the progress, then the data.

What has become of the job is read from the catalogue, so it is the same after a reload, in another
window, and for another visitor.
"""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from catalogue.difficulty import features
from catalogue.jobs.claims import live_workers
from catalogue.jobs.queue import JobInfo, list_jobs, resume, submit
from catalogue.reading.bounds import headline_sample
from catalogue.store import Catalogue
from dashboard.elements.progress import show_progress
from dashboard.elements.watching import watch
from dashboard.elements.wording import count, ruleset_title, sample_title
from dashboard.server.access import why_not_write
from dashboard.server.connection import literal, show_error
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.rulesets import parse_ruleset
from solvers.choice import Ability, capable, default_solver
from solvers.solver import Solver, parse_solver

DEALER = "thoughtful-1"
# The most deals, and fewer of a solver that needs more than this on one worker.
DEALS, SECONDS, FEWEST = 1_000, 60, 20
# Most deals whose features a button has found; more by `thoughtful difficulty grade`.
_TRACED_MOST = 2_000
NO_RUNNER = (
    "No runner is alive, so a job waits until one is started: `thoughtful up` starts one with the "
    "dashboard, `thoughtful runner --watch` starts one alone."
)


@dataclass(frozen=True, slots=True)
class Offer:
    """A job that a page offers.

    Attributes:
        ruleset: slug of its ruleset.
        sample: its deals.
        solvers: as text, in the order in which they run; none for features.
        kind: what it finds.
    """

    ruleset: str
    sample: Sample
    solvers: tuple[str, ...]
    kind: Literal["outcomes", "features"] = "outcomes"

    @classmethod
    def first(cls, ruleset: str = DEFAULT_RULESET) -> "Offer":
        """A job of the default solver of a ruleset, on as many deals as take about a minute.

        Raises:
            BadInput: unknown ruleset, or one that no solver plays.
        """
        solver = default_solver(parse_ruleset(ruleset))
        return cls(ruleset, Sample(DEALER, 0, deals_for(solver)), (str(solver),))

    @property
    def words(self) -> str:
        """The label of its button."""
        title = ruleset_title(self.ruleset)
        if self.kind == "features":
            return f"Analyse the winnable ones of {sample_title(self.sample)}, {title}"
        by = " and ".join(dict.fromkeys(solver.partition("(")[0] for solver in self.solvers))
        return f"Solve {count(self.sample.count)} deals of {title} by {by}"

    def is_made_by(self, job: JobInfo) -> bool:
        """Whether a job does what is offered."""
        if (job.kind, job.ruleset, job.sample) != (self.kind, self.ruleset, self.sample):
            return False
        wanted = tuple(str(parse_solver(text)) for text in self.solvers)
        return self.kind == "features" or job.solvers == wanted

    def start(self, cat: Catalogue) -> int:
        """Queue the job, and return its number."""
        if self.kind == "features":
            return features.submit(cat, parse_ruleset(self.ruleset), self.sample)
        return submit(cat, self.ruleset, self.sample, self.solvers)


def deals_for(solver: Solver) -> int:
    """How many deals a solver is offered: as many as take one worker about a minute."""
    return max(FEWEST, min(DEALS, SECONDS * solver.chunk))


def offer_analysis(cat: Catalogue, ruleset: str, why: str) -> None:
    """Say that no deal of a ruleset was analysed, and offer to begin where that is possible.

    Args:
        cat: the catalogue.
        ruleset: its slug.
        why: what is missing, in a sentence.
    """
    if capable(parse_ruleset(ruleset), Ability.FORGIVE) is None:
        st.caption(f"{why} No program tells which plays of this game keep a win.")
        return
    sample = headline_sample(cat, ruleset)
    if sample is None:
        offer(f"{why} First some have to be solved.", Offer.first(ruleset), "first-job")
        return
    some = Sample(sample.dealer, sample.first, min(sample.count, _TRACED_MOST))
    offer(why, Offer(ruleset, some, (), "features"), "first-features")


def offer(why: str, wanted: Offer, key: str) -> None:
    """Say why a page has nothing to show, and offer a job for it, or show how far the job is.

    The page is drawn again when the job has ended, and then has the data.

    Args:
        why: what is missing, in a sentence.
        wanted: what is offered.
        key: of the button on its page.
    """
    watch(lambda cat: offer_here(cat, why, wanted, key))


def offer_here(cat: Catalogue, why: str, wanted: Offer, key: str) -> None:
    """`offer` in a part of a page that is refreshed already."""
    st.info(literal(why))
    made = next((each for each in reversed(list_jobs(cat)) if wanted.is_made_by(each)), None)
    drawn = f"drawn-{key}"
    if made is not None and made.is_open:
        st.session_state.pop(drawn, None)
        _progress(cat, made)
        return
    if made is not None and made.state == "done":
        if st.session_state.get(drawn) != made.id:
            st.session_state[drawn] = made.id
            st.rerun()  # the whole page, which has been drawn without what the job found
        st.caption(f"Job {made.id} is done, and found nothing for this page.")
        return
    if made is not None:
        st.caption(literal(f"Job {made.id} is {made.state}. {made.error or ''}"))
    refused = why_not_write()
    if refused is not None:
        st.caption(literal(f"Nothing can be started from here: {refused}."))
        return
    label = wanted.words if made is None else f"Go on with job {made.id}"
    if st.button(label, key=key, type="primary", icon=":material/play_arrow:"):
        try:
            if made is not None and made.state == "paused":
                resume(cat, made.id)
            else:
                wanted.start(cat)
        except BadInput as error:
            show_error(error)
        else:
            st.rerun()
    if not is_runner_alive(cat):
        st.caption(NO_RUNNER)


def is_runner_alive(cat: Catalogue) -> bool:
    """Whether a runner with workers would take up a job."""
    with cat.session() as session:
        return live_workers(session) > 0


def _progress(cat: Catalogue, job: JobInfo) -> None:
    with st.container(key=f"started-{job.id}"):
        show_progress(
            job, f"[Job {job.id}](./jobs): {ruleset_title(job.ruleset)}, {sample_title(job.sample)}"
        )
        if job.state == "queued" and not is_runner_alive(cat):
            st.caption(NO_RUNNER)
        else:
            st.caption(
                "When the job has ended, this page shows what it found. The page may be closed."
            )
