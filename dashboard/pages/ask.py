"""The page that answers: is this deal winnable, and how? For anything that can be pasted."""

import json
from urllib.parse import quote

import streamlit as st

from catalogue.asking import (
    MILLISECONDS,
    Answer,
    answer,
    plays_with_hidden_cards,
    under_other_rulesets,
)
from dashboard.connection import sentences
from dashboard.links import check_choice
from dashboard.serve import UPLOAD_MB
from dashboard.tables import Column, Link, deal_link, show_table
from dashboard.viewer.table import show_deal, show_replay
from dashboard.wording import by_preference, percent, rules_in_words
from engine.dealing.dealers import dealers
from engine.detection import MOST, Detected, detect
from engine.errors import BadInput
from engine.formats import formats
from engine.games import games
from engine.rulesets import parse_ruleset
from solvers.advice import Advice
from solvers.analysis import Verdict

# Characters of a text that are kept in the link, which browsers and servers shorten.
LINKED = 1_500

WORDS = {Verdict.WIN: "winnable", Verdict.LOSS: "unwinnable", Verdict.UNKNOWN: "undecided"}
SIGNS = {Verdict.WIN: "✓", Verdict.LOSS: "✗", Verdict.UNKNOWN: "?"}
EXAMPLE = """Foundations: C-0 D-0 S-0 H-A
Waste: 4D
Talon: 9H TC …
<8S> <3D> KH QS
-
…"""


def show() -> None:
    st.title("Is my deal winnable?")
    summaries = "; ".join(form.summary for form in formats().values())
    st.markdown(
        "Paste a deal by its name, such as `thoughtful-1:42`, or its cards in any of these forms: "
        f"{summaries}. Or a position in the middle of a game, or a program with its number."
    )
    rulesets = by_preference(slug for game in games() for slug in game.rulesets.presets)
    check_choice("rules", rulesets, "ruleset")
    linked = st.query_params.get("rules")
    with st.form("ask"):
        text = st.text_area(
            "Deal or position",
            st.query_params.get("text", "")[:MOST],
            max_chars=MOST,
            height=170,
            key="ask-text",
            placeholder=EXAMPLE,
        )
        file = st.file_uploader("Or a file with it", ["txt", "json"], key="ask-file")
        left, right = st.columns(2)
        program = left.selectbox(
            "Or a program", ["", *dealers()], key="ask-program", format_func=lambda s: s or "none"
        )
        number = right.text_input("and its number", max_chars=30, key="ask-number")
        slug = st.selectbox(
            "Ruleset",
            rulesets,
            rulesets.index(linked) if linked in rulesets else 0,
            key="ask-rules",
        )
        asked = st.form_submit_button("Is it winnable?", type="primary")
    if not asked and "text" not in st.query_params:
        _forms()
        return
    with sentences():
        given = _given(text, file.getvalue() if file else None, program, number)
        if asked:
            kept = {"text": given} if len(given) <= LINKED else {}
            st.query_params.from_dict({"rules": slug, **kept})
            if not kept:
                st.caption("The text is too long for the link, so reloading the page loses it.")
        _answer(detect(given, parse_ruleset(slug)), slug)


def _given(text: str, uploaded: bytes | None, program: str, number: str) -> str:
    """What was asked about.

    Raises:
        BadInput: the file is too large or no text.
    """
    if uploaded is not None:
        if len(uploaded) > 2**20 * UPLOAD_MB:
            raise BadInput(f"the file has {len(uploaded):,} bytes: at most {UPLOAD_MB} MB")
        try:
            return uploaded.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BadInput("the file is not UTF-8 text") from None
    if program and not text.strip():
        return f"{program}:{number.strip()}"
    return text


def _forms() -> None:
    with st.expander("How to write a position in the middle of a game"):
        st.code(EXAMPLE, language=None)
        st.markdown(
            "Foundations by suit with the rank on top; the waste with the playable card last; the "
            "stock as Talon with the next card first; then the columns from left to right, each "
            "from bottom to top, `-` for an empty one. Face-down cards stand in `< >`. Write "
            "`<??>` for those that you do not know: then a player that sees only the open cards "
            "says how often each play wins."
        )


def _answer(found: Detected, slug: str) -> None:
    rules = parse_ruleset(slug)
    st.caption(f"Read as {found.form}, under {slug}: {rules_in_words(slug)}")
    if found.observation is not None:
        with st.spinner("A player thinks about it …"):
            plays = plays_with_hidden_cards(found.observation, rules)
        _plays(plays, slug)
        return
    assert found.position is not None
    with st.spinner("Searching …"):
        reached = answer(found.position)
    st.subheader(f"{SIGNS[reached.verdict]} {WORDS[reached.verdict].capitalize()}")
    st.markdown(_told(reached))
    if reached.moves:
        opening = f"The position that you gave. The win has {len(reached.moves)} moves."
        show_replay(found.position, reached.moves, opening)
        with st.expander("The win as text"):
            st.code(" ".join(map(str, reached.moves)), language=None, wrap_lines=True)
    else:
        show_deal(found.position)
    if found.name is not None:
        link = deal_link(found.name, slug)
        st.markdown(f"[All that is known of {found.name}]({link.href})")
    if found.deal is not None:
        _others(found, slug)


def _told(reached: Answer) -> str:
    if reached.solver is None:
        return "No solver decides positions of this ruleset."
    if reached.verdict == Verdict.WIN:
        return f"`{reached.solver}` found a win; the referee has replayed it."
    if reached.verdict == Verdict.LOSS:
        return f"`{reached.solver}` covered every line of play and found no win: that is a proof."
    return f"`{reached.solver}` could not decide it within {MILLISECONDS / 1000:g} s."


def _others(found: Detected, slug: str) -> None:
    assert found.deal is not None
    with st.spinner("The same deal under other rulesets …"):
        others = under_other_rulesets(found.deal, parse_ruleset(slug))
    if not others:
        return
    st.subheader("The same deal under other rulesets")
    text = found.name or json.dumps(found.deal.to_json())
    show_table(
        [Column("Ruleset"), Column("Verdict"), Column("Moves of a win", "number")],
        [
            (
                Link(each.ruleset, f"./ask?rules={quote(each.ruleset)}&text={quote(text)}"),
                f"{SIGNS[each.verdict]} {WORDS[each.verdict]}",
                str(len(each.moves)) if each.moves else "–",
            )
            for each in others
        ],
        name="Other rulesets",
    )


def _plays(plays: list[Advice] | None, slug: str) -> None:
    if plays is None:
        st.info(f"No player that sees only the open cards advises on {slug}.")
        return
    if not plays:
        st.info("There is nothing left to play.")
        return
    st.subheader("What to play")
    show_table(
        [
            Column("Play", "wide"),
            Column("Won", "number"),
            Column("Standard error", "number"),
            Column("Of trajectories", "number"),
        ],
        [
            (
                " ".join(map(str, each.moves)),
                percent(each.chance),
                percent(each.error),
                f"{each.trajectories:,}",
            )
            for each in plays
        ],
        name="Plays",
    )
    st.caption(
        "A player that does not know the hidden cards plays on in its mind from each play; the "
        "share of those games that it wins is not the chance of a person."
    )
