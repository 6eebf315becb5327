"""The verification page: the report of the last run of `thoughtful verify`."""

import streamlit as st

from catalogue.store import Catalogue
from catalogue.verify.record import last_report
from catalogue.verify.report import VerificationReport, made_by
from dashboard.tables import Column, show_table
from dashboard.watching import watch
from dashboard.wording import count, moment

# Faults that the page lists; `thoughtful verify --last` prints more.
FAULTS_SHOWN = 100


def show() -> None:
    st.title("Verification")
    st.markdown(
        "`thoughtful verify` recomputes what the catalogue stores: it deals again, replays "
        "solutions, counts again, compares seals, and asks solvers again. This is its last report."
    )
    watch(_part)


def in_a_line(report: VerificationReport | None) -> str:
    """The last verification in one sentence."""
    if report is None:
        return "Never verified: run `thoughtful verify`."
    faults = "1 fault" if report.found == 1 else f"{count(report.found)} faults"
    wrong = "no faults" if report.found == 0 else f"**{faults}**"
    if report.state == "done":
        return f"Verified {moment(report.finished_at)}: {wrong}."
    return f"A verification began {moment(report.started_at)} and is not finished: {wrong} so far."


def _part(cat: Catalogue) -> None:
    report = last_report(cat)
    if report is None:
        st.info(in_a_line(report))
        return
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
        f"By {made_by(options)}; {asked}; replayed {options['share']:.0%}, solved again "
        f"{options['resolve_share']:.0%}; random seed {report.seed}."
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
    st.subheader("Everything that was checked")
    show_table(
        [Column("Kind"), Column("Number", "number")],
        [(kind, count(number)) for kind, number in report.checked.items()],
        name="Checked",
    )
