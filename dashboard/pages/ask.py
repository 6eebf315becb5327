"""The page that answers: is this deal winnable, and how? For anything that can be pasted."""

import hashlib
import json
from functools import partial
from urllib.parse import quote

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from catalogue.asking import (
    Answer,
    Question,
    answer,
    explained,
    known,
    other_rulesets,
    plays_with_hidden_cards,
    usual_budget,
)
from dashboard.elements.dead_ends import explain_dead_end, show_dead_end
from dashboard.elements.deal_difficulty import show_how_hard
from dashboard.elements.folded import show_folded
from dashboard.elements.links import check_choice
from dashboard.elements.tables import Column, Link, deal_link, show_table
from dashboard.elements.watching import redraw_after
from dashboard.elements.wording import (
    STATUS_SIGNS,
    by_preference,
    count,
    duration,
    moment,
    percent,
    rules_in_words,
)
from dashboard.serve import UPLOAD_MB
from dashboard.server.connection import catalogue, literal, sentences
from dashboard.server.searching import (
    BUDGETS,
    cancel,
    compile_kernels,
    decide_longer,
    key_of_longer,
    wait_for,
    waiting_words,
)
from dashboard.setting.setting import set_cards
from dashboard.viewer.table import show_deal, show_replay
from engine.dealing.dealers import dealers
from engine.detection import MOST
from engine.errors import BadInput
from engine.formats import formats
from engine.games import game_of, games
from engine.intake import EntryReader, ReadEntry, read_one
from engine.rulesets import parse_ruleset
from engine.text.encoding import read_text
from solvers.advice import Advice
from solvers.deciding import Ending, Verdict

# Characters of a text that are kept in the link, which browsers and servers shorten.
LINKED = 1_500

EXAMPLE = """Foundations: C-0 D-0 S-0 H-A
Waste: 4D
Talon: 9H TC …
<8S> <3D> KH QS
-
…"""


def page() -> StreamlitPage:
    """The page, by which others lead to it."""
    return st.Page(show, title="Ask", url_path="ask")


def show() -> None:
    st.title("Is my deal winnable?")
    summaries = "; ".join(form.summary for form in formats().values())
    st.markdown(
        "Paste a deal by its name, such as `thoughtful-1:42`, or its cards in any of these forms: "
        f"{summaries}. Or a position in the middle of a game, or a program with its number."
    )
    slug = _chosen_rules()
    _one_by_one(slug)
    with st.form("ask"):
        text = st.text_area(
            "Deal or position",
            st.query_params.get("text", "")[:MOST],
            max_chars=MOST,
            height=170,
            key="ask-text",
            placeholder=EXAMPLE,
        )
        file = st.file_uploader("Or a file with it", ["txt", "json", "csv"], key="ask-file")
        left, right = st.columns(2)
        program = left.selectbox(
            "Or a program", ["", *dealers()], key="ask-program", format_func=lambda s: s or "none"
        )
        number = right.text_input("and its number", max_chars=30, key="ask-number")
        asked = st.form_submit_button("Is it winnable?", type="primary")
    with sentences():
        if asked:
            given = given_text(text, file.getvalue() if file else None, program, number)
            st.query_params.from_dict(in_link(given, slug))
        elif (linked_text := _linked_text()) is None:
            _forms()
            return
        else:
            given = linked_text
        if "held" in st.query_params:
            st.caption("The text is too long for the link, so reloading the page loses it.")
        _answer(read_asked(given, slug, asked=slug != rulesets()[0]))


def rulesets() -> list[str]:
    """The named rulesets of all games, the usual one first."""
    return by_preference(slug for game in games() for slug in game.rulesets.presets)


def _chosen_rules() -> str:
    """The ruleset under which all is asked that is asked on the page: at first that of the link."""
    offered = rulesets()
    linked = st.query_params.get("rules")
    if linked is not None and _is_ruleset(linked) and linked not in offered:
        offered.append(linked)
    check_choice("rules", offered, "ruleset")
    slug: str = st.selectbox(
        "Ruleset",
        offered,
        offered.index(linked) if linked in offered else 0,
        key="ask-rules",
        accept_new_options=True,
        help="A named ruleset, or a name composed of options; see `thoughtful rulesets`.",
    )
    if linked is not None and linked != slug and _is_ruleset(slug):
        st.query_params["rules"] = slug  # the question of the link is asked under these
    return slug


def _is_ruleset(slug: str) -> bool:
    try:
        return parse_ruleset(slug).slug == slug
    except BadInput:
        return False


def _one_by_one(slug: str) -> None:
    """An empty table on which cards are put down; a complete one becomes the question."""
    if not _is_ruleset(slug) or game_of(parse_ruleset(slug)).setting is None:
        return  # the sentence about what was asked says what is wrong with it
    with st.expander("Or enter the cards one by one"):
        given = set_cards(slug)
    if given is not None:
        st.query_params.from_dict(in_link(given, slug))


def in_link(given: str, slug: str) -> dict[str, str]:
    """The values in the link of a question; longer texts are kept while the visitor stays."""
    if len(given) <= LINKED:
        return {"rules": slug, "text": given}
    digest = hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    st.session_state[f"held-{digest}"] = given
    return {"rules": slug, "held": digest}


def _linked_text() -> str | None:
    """The question of the link; None if there is none.

    Raises:
        BadInput: the link refers to a text that it does not hold.
    """
    if "text" in st.query_params:
        return st.query_params["text"]
    held = st.query_params.get("held")
    if held is None:
        return None
    if f"held-{held}" not in st.session_state:
        raise BadInput("the text was too long for the link and is not kept: paste it again")
    return str(st.session_state[f"held-{held}"])


def given_text(text: str, uploaded: bytes | None, program: str, number: str) -> str:
    """The deal or position that was asked about.

    Raises:
        BadInput: the file is too large or no text.
    """
    if uploaded is not None:
        if len(uploaded) > 2**20 * UPLOAD_MB:
            raise BadInput(f"the file has {len(uploaded):,} bytes: at most {UPLOAD_MB} MB")
        return read_text(uploaded, "the file")
    if program and not text.strip():
        return f"{program}:{number.strip()}"
    return text


def read_asked(given: str, slug: str, *, asked: bool) -> ReadEntry:
    """The contents of a text, under the ruleset which it states, else the one of the page.

    Args:
        given: the text.
        slug: the ruleset of the page.
        asked: whether it was chosen, so that the text may not state another.

    Raises:
        BadInput: it is nothing that can be read, or states another ruleset.
    """
    if len(given) > MOST:
        raise BadInput(f"the text has {len(given):,} characters: {MOST:,} at most are read")
    return read_one(given, EntryReader(parse_ruleset(slug), asked=asked))


def _forms() -> None:
    show_folded(
        "How to write a position in the middle of a game",
        EXAMPLE,
        key="how-to-write",
        below=(
            "Foundations by suit with the rank on top; the waste with the playable card last; the "
            "stock as Talon with the next card first; then the columns from left to right, each "
            "from bottom to top, `-` for an empty one. Face-down cards stand in `< >`. Write "
            "`<??>` for those that you do not know: then a player that sees only the open cards "
            "says how often each play wins."
        ),
    )


def _answer(entry: ReadEntry) -> None:
    slug = entry.rules.slug
    st.caption(f"Read as {entry.form}, under {slug}: {rules_in_words(slug)}")
    if entry.observation is not None:
        with st.spinner("A player thinks about it …"):
            plays = wait_for(partial(plays_with_hidden_cards, entry.observation, entry.rules))
        _plays(plays, slug)
        return
    question = Question.of(entry)
    found = _stored(question)
    if found is not None and found.verdict == Verdict.UNDECIDED:
        st.caption(f"In the catalogue, {found.solver} has attempted it without deciding it.")
        found = None
    found = _search(question) if found is None else found
    verdict = Verdict.UNDECIDED
    if found is not None:
        verdict = found.verdict
        st.subheader(f"{STATUS_SIGNS[verdict]} {verdict.capitalize()}")
        _show_answer(found)
    if question.deal is None:
        return
    with sentences():  # without a catalogue the page answers all the same
        show_how_hard(question.deal, question.rules, question.name, verdict == Verdict.WINNABLE)
    if question.name is not None:
        link = deal_link(question.name, slug)
        st.markdown(f"[All that is known of {question.name}]({link.href})")
    _others(question)


def _stored(question: Question) -> Answer | None:
    """The stored answer on it; without a catalogue the page answers all the same."""
    if question.deal is None:
        return None
    try:
        return known(question, catalogue())
    except BadInput as error:
        st.caption(literal(f"The catalogue was not asked: {error}."))
        return None


def _search(question: Question) -> Answer | None:
    """The answer of a search; None while one goes on in the background, which the page tells."""
    options = [str(seconds) for seconds in BUDGETS]
    check_choice("seconds", options, "time")
    linked = st.query_params.get("seconds")
    seconds = int(linked) if linked in options else BUDGETS[0]
    if seconds == BUDGETS[0]:
        with st.spinner(waiting_words(question.rules)):
            return wait_for(lambda: explained(answer(question)))
    longer = question.within(usual_budget(1000.0 * seconds))
    found = decide_longer(longer)
    if found is not None:
        return wait_for(partial(explained, found))
    st.subheader("… Searching")
    st.markdown(
        f"{waiting_words(question.rules)} It takes {duration(seconds)} at most, behind other "
        "long searches, and goes on while this page is used or closed; its link leads back here."
    )
    if st.button("Cancel the search", key="cancel"):
        cancel(key_of_longer(longer))
        del st.query_params["seconds"]
        st.rerun()
    show_deal(question.position)

    redraw_after(key_of_longer(longer))
    return None


def _show_answer(found: Answer) -> None:
    question = found.question
    if found.source == "catalogue":
        since = "" if found.since is None else f" since {moment(found.since)}"
        by = f", by `{found.solver}`"
        if found.follows_from is not None:
            by = f": it follows from `{found.follows_from}`"
        st.markdown(f"Known in the catalogue{since}{by}.")
        if found.verdict == Verdict.WINNABLE and not found.win:
            _find_again(question)
            return
        if found.nodes is not None and not found.win and found.dead_end is None:
            st.markdown(f"Proved by search after {_positions(found.nodes)}.")
    else:
        st.markdown(_in_words(found))
        if found.ending not in (None, Ending.NO_SOLVER):
            _offer_longer()
    if found.win:
        _replay(found)
    elif found.dead_end is not None and question.deal is not None:
        explain_dead_end(question.deal, question.rules, found.dead_end)
        show_dead_end(question.deal, question.rules, found.dead_end)
    else:
        show_deal(question.position)


def _find_again(question: Question) -> None:
    """Search for a win of which only the verdict is stored."""
    with st.spinner(waiting_words(question.rules)):
        found = wait_for(partial(answer, question))
    if found.win:
        st.markdown(_in_words(found))
        _replay(found)
    else:
        st.markdown("Its moves are not stored, and were not found again within a second.")
        show_deal(question.position)


def _offer_longer() -> None:
    """A button for a search of ten times the time; the last time is told to be the last."""
    linked = st.query_params.get("seconds", "")
    tried = int(linked) if linked in map(str, BUDGETS) else BUDGETS[0]
    longer = next((each for each in BUDGETS if each > tried), None)
    if longer is None:
        st.caption("No longer search is offered here: a job on the Jobs page has no such limit.")
    elif st.button(f"Search longer: up to {duration(longer)}", key="longer"):
        st.query_params["seconds"] = str(longer)
        st.rerun()


def _replay(found: Answer) -> None:
    opening = f"The position that you gave. The win has {len(found.win)} moves."
    show_replay(found.question.position, found.win, opening)
    show_folded("The win as text", " ".join(map(str, found.win)), key="win-as-text", wraps=True)


def _positions(nodes: int) -> str:
    return "1 position" if nodes == 1 else f"{count(nodes)} positions"


def _in_words(found: Answer) -> str:
    if found.question.position.is_won:
        return "All cards are on the foundations: it is won."
    if found.verdict == Verdict.UNDECIDED:
        return f"Not decided: {found.reason}."
    who = (found.solver or "").partition(" ")[0]
    if found.verdict == Verdict.WINNABLE:
        return f"`{who}` found a win; the referee has replayed it."
    words = f"`{who}` covered every line of play and found no win: that is a proof"
    return f"{words}, after {_positions(found.nodes or 0)}."


def _others(question: Question) -> None:
    """The same deal under the other rulesets of its game."""
    try:
        cat = catalogue()
    except BadInput:
        cat = None  # the page has said so
    assert question.deal is not None
    text = question.name or json.dumps(question.deal.to_json())
    rows: list[tuple[Link, str, str]] = []
    compiling = []
    with st.spinner("The same deal under other rulesets …"):
        for other in other_rulesets(question.rules):
            link = Link(other.slug, f"./ask?rules={quote(other.slug)}&text={quote(text)}")
            key = compile_kernels(other)
            if key is not None:
                rows.append((link, "… its solver is being compiled", "–"))
                compiling.append(key)
                continue
            found = wait_for(partial(answer, question.under(other), lambda: cat))
            length = str(len(found.win)) if found.win else "–"
            rows.append((link, f"{STATUS_SIGNS[found.verdict]} {found.verdict}", length))
    if not rows:
        return
    st.subheader("The same deal under other rulesets")
    columns = [Column("Ruleset"), Column("Verdict"), Column("Moves of a win", "number")]
    show_table(columns, rows, name="Other rulesets")
    if compiling:
        redraw_after(compiling[0])


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
                "–" if each.chance is None else percent(each.chance),
                "–" if each.error is None else percent(each.error),
                f"{each.trajectories:,}",
            )
            for each in plays
        ],
        name="Plays",
    )
    st.caption(
        "A player that does not know the hidden cards plays games on from each play; the "
        "share of those games that it wins is not the chance of a person."
    )
