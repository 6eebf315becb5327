"""The fairness page: starting hands that a Spider server dealt, compared with honest deals."""

import altair as alt
import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from catalogue.spider.assessment import FEWEST, SUITS, FairnessReport, Share, examine
from catalogue.spider.hands import read_hands
from catalogue.spider.watch import THRESHOLD
from catalogue.spider.words import conclusions, found_and_honest, limits, number
from dashboard.elements.charts import AMBER, GREY, TEAL, drawn_once
from dashboard.elements.saving import show_chart
from dashboard.elements.tables import Column, show_table
from dashboard.elements.wording import count
from dashboard.serve import UPLOAD_MB
from dashboard.server.connection import literal, show_error
from engine.errors import BadInput

# Honest servers of more hands take longer than a page should; the command takes them.
MOST = 5000
# Characters of what is typed or pasted, which is more than all hands have.
CHARACTERS = 500_000
# Points of the chart; more could not be seen.
POINTS = 1000
# Limits of the logarithmic axis.
HIGHEST = 1e12
LOWEST = 1e-6


def show() -> None:
    st.title("Is this server fair?")
    st.markdown(
        "Paste the ten face-up cards of each Spider game that a server dealt you, one game per "
        "line, in the order of the columns: `JC TD 9D 4S 4H KC 2S 7D QH 5C`. List all games in "
        "the order they were dealt; leaving some out invalidates the result. `thoughtful "
        "fairness` runs the same tests."
    )
    with st.form("fairness"):
        text = st.text_area("Starting hands", max_chars=CHARACTERS, key="fair-text", height=200)
        file = st.file_uploader(
            "Or upload a file: hands, names of deals, JSON lines or CSV", ["txt", "csv", "jsonl"]
        )
        suits: int = st.radio("Suits", SUITS, index=2, horizontal=True, key="fair-suits")
        with st.expander("Hands that look-ahead never won in 50 tries"):
            places = st.columns(4)
            labels = ("Never won", "of hands tried", "On honest deals: never won", "of deals tried")
            counts = [
                place.number_input(label, 0, 10**9, None, key=f"fair-{at}", placeholder="not given")
                for at, (place, label) in enumerate(zip(places, labels, strict=True))
            ]
        asked = st.form_submit_button("Compare with an honest shuffle", type="primary")
    if asked:
        st.session_state.pop("fairness-report", None)
        try:
            given = text if file is None else _decoded(file)
            with st.spinner("Simulating honest servers …"):
                st.session_state["fairness-report"] = _examined(given, suits, counts)
        except BadInput as error:
            show_error(error)
    if "fairness-report" in st.session_state:
        _report(st.session_state["fairness-report"])


def _decoded(file: UploadedFile) -> str:
    if file.size > 2**20 * UPLOAD_MB:
        raise BadInput(
            f"the file {file.name} has {file.size:,} bytes: at most {UPLOAD_MB} MB are taken here, "
            "and more by `thoughtful fairness`"
        )
    try:
        return file.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("the file is not UTF-8 text") from None


def _examined(text: str, suits: int, counts: list[int | None]) -> FairnessReport:
    hard, reference = _share(counts[:2], "hands"), _share(counts[2:], "deals")
    cards = won = None
    if text.strip() or hard is None:
        given = read_hands(text, suits)
        cards, won = given.cards, given.won
        if hard is not None and given.hard is not None:
            raise BadInput("the table already has tries: leave the counts of hard hands empty")
        hard = hard or given.hard
        if cards is not None and len(cards) > MOST:
            raise BadInput(
                f"{len(cards):,} hands are too many for this page, which takes {MOST:,}: use "
                "`thoughtful fairness`"
            )
    if reference is not None and hard is None:
        raise BadInput("the counts of honest deals have no hard hands to be compared with")
    return examine(cards, suits, won=won, hard=hard, reference=reference)


def _share(counts: list[int | None], what: str) -> Share | None:
    never, tried = counts
    if never is None and tried is None:
        return None
    if never is None or tried is None:
        raise BadInput(f"hard hands need two counts: those never won and all {what} tried")
    return Share(never, tried)


def _report(report: FairnessReport) -> None:
    st.subheader("Conclusions")
    # Two tests at 5 % each, of which one counts, as decided beforehand: each is reported alone.
    for reached, test in ((report.odd, "The questions"), (report.caught_at, "The e-value")):
        if reached:
            st.warning(f"{test}: inconsistent with an honest shuffle.", icon=":material/report:")
    for sentence in conclusions(report):
        st.markdown(f"- {literal(sentence)}")
    if report.questions:
        show_table(
            [
                Column("Question", "wide"),
                Column("Found", "number"),
                Column("Honest", "number"),
                Column("p-value", "number"),
                Column("Corrected", "number"),
                Column(""),
            ],
            [
                (
                    question.words,
                    *found_and_honest(question),
                    number(question.p_value),
                    number(question.adjusted),
                    "✗ significant" if question.odd else "✓",
                )
                for question in report.questions
            ],
            name="Questions",
        )
        st.caption(
            f"Compared with {count(report.simulations)} simulated honest servers; the last p-value "
            "is corrected for multiple testing (Holm)."
        )
    if report.games:
        st.subheader("Evidence, game by game")
        grown = _grown(report)
        show_chart(
            _evidence(grown),
            grown,
            name="evidence",
            key="fair-evidence",
            alt_text="The e-value after each game, and the threshold of 20",
        )
        st.caption(
            f"The e-value may be watched as games are added: at most one honest server in "
            f"{THRESHOLD} ever reaches {THRESHOLD}."
            + ("" if report.games >= FEWEST else f" Questions are asked from {FEWEST} games on.")
        )
    st.subheader("Limits")
    for sentence in limits(report):
        st.markdown(f"- {literal(sentence)}")


def _grown(report: FairnessReport) -> pd.DataFrame:
    """The e-value after each game, and the highest so far."""
    every = max(1, report.games // POINTS)
    return pd.DataFrame(
        [(n, e, top) for n, e, top in report.grown(every)], columns=["games", "e", "highest"]
    )


@drawn_once
def _evidence(frame: pd.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """The e-value after each game on a logarithmic axis, with the threshold."""
    line = (
        alt.Chart(frame.assign(shown=frame["e"].clip(LOWEST, HIGHEST)))
        .mark_line(color=TEAL, strokeWidth=2, point=len(frame) == 1)
        .encode(
            x=alt.X("games:Q", title="Games", axis=alt.Axis(format=",d")),
            y=alt.Y(
                "shown:Q",
                title="e-value (logarithmic)",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format="~g"),
            ),
            tooltip=[
                alt.Tooltip("games:Q", title="Games", format=",d"),
                alt.Tooltip("e:Q", title="e-value", format=".3~g"),
                alt.Tooltip("highest:Q", title="Highest so far", format=".3~g"),
            ],
        )
    )
    rules = pd.DataFrame({"at": [1.0, float(THRESHOLD)], "what": ["start", "threshold"]})
    marks = (
        alt.Chart(rules)
        .mark_rule(strokeDash=[6, 3])
        .encode(
            y="at:Q",
            color=alt.Color(
                "what:N",
                scale=alt.Scale(domain=["start", "threshold"], range=[GREY, AMBER]),
                legend=None,
            ),
            tooltip=[alt.Tooltip("what:N", title="Line"), alt.Tooltip("at:Q", title="at")],
        )
    )
    return alt.layer(line, marks).properties(height=280)
