"""The verification page: the report of the last verification, and a button for another."""

import streamlit as st

from catalogue.store import Catalogue
from catalogue.verify.record import last_report
from catalogue.verify.report import VerificationReport, made_by
from dashboard.elements.tables import Column, show_table
from dashboard.elements.verifying import VERIFIER
from dashboard.elements.watching import watch
from dashboard.elements.wording import count, moment, percent
from dashboard.server.access import why_not_write
from dashboard.server.connection import literal, show_error
from engine.errors import BadInput

# Faults that the page lists; `thoughtful verify --last` prints more.
FAULTS_SHOWN = 100


def show() -> None:
    st.title("Verification")
    st.markdown(
        "A verification recomputes what the catalogue stores: it deals again, replays solutions, "
        "counts again, compares seals, and asks solvers again. `thoughtful verify` does the same."
    )
    watch(_part)


def in_a_line(report: VerificationReport | None) -> str:
    """The last verification in one sentence."""
    if report is None:
        return "Nothing stored has been computed a second time yet: [Verification](./verification)."
    faults = "1 fault" if report.found == 1 else f"{count(report.found)} faults"
    wrong = "no faults" if report.found == 0 else f"**{faults}**"
    if report.state == "done":
        return f"Verified {moment(report.finished_at)}: {wrong}."
    return f"A verification began {moment(report.started_at)} and is not finished: {wrong} so far."


def _part(cat: Catalogue) -> None:
    report = last_report(cat)
    _offer(report)
    if report is None:
        return
    st.subheader("The last report")
    if report.found:
        st.error(in_a_line(report), icon=":material/report:")
    else:
        st.markdown(in_a_line(report))
    options = report.options
    only = options.get("only") or []
    asked = f"only {', '.join(only)}" if only else "all checks"
    if options.get("deal"):
        asked += f", of the deal {options['deal']} alone"
    st.caption(
        f"By {made_by(options)}; {asked}; replayed {percent(options['share'], 0)}, solved "
        f"again {percent(options['resolve_share'], 0)}; random seed {report.seed}."
    )
    if report.sampled:
        st.subheader("What that says of the rest")
        show_table(
            [Column("Kind"), Column("Checked", "wide")],
            [(kind, str(each)) for kind, each in report.sampled.items()],
            name="Sampled",
        )
    if report.faults:
        st.subheader("Faults")
        show_table(
            [Column("Kind"), Column("Where", "wide"), Column("What", "wide")],
            [(f.kind, f.where, f.what) for f in report.faults[:FAULTS_SHOWN]],
            name="Faults",
        )
        if report.found > FAULTS_SHOWN:
            st.caption(f"The first {FAULTS_SHOWN}; `thoughtful verify --last` prints more.")
    for remark in report.remarks:
        st.caption(f"Remark: {remark}.")
    st.subheader("Everything that was checked")
    show_table(
        [Column("Kind"), Column("Number", "number")],
        [(kind, count(number)) for kind, number in report.checked.items()],
        name="Checked",
    )


def _offer(report: VerificationReport | None) -> None:
    """A button that begins a verification, or what has become of it."""
    if VERIFIER.is_running:
        st.info("A verification is running; its report grows below. The page may be closed.")
        if why_not_write() is None and st.button("Stop it", key="stop-verification"):
            VERIFIER.stop()
            st.rerun()
        return
    if VERIFIER.failure is not None:
        st.error(literal(VERIFIER.failure))
    if report is None:
        st.info("Nothing has been verified yet.")
    refused = why_not_write()
    if refused is not None:
        st.caption(literal(f"Nothing can be started from here: {refused}."))
        return
    with st.container(horizontal=True):
        begun = st.button("Verify the catalogue", key="verify", type="primary")
        goes_on = (
            report is not None
            and report.state != "done"
            and st.button("Go on with the last verification", key="resume-verification")
        )
    if begun or goes_on:
        try:
            VERIFIER.begin(resume=goes_on)
        except BadInput as error:
            show_error(error)
        else:
            st.rerun()
