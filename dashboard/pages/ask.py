"""The page that answers: is this deal winnable, and how? For anything that can be pasted."""

import hashlib
import json
from functools import partial
from urllib.parse import quote

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from catalogue.asking import (
    Answer,
    Origin,
    answer,
    explained,
    known,
    other_rulesets,
    plays_with_hidden_cards,
    under_another_ruleset,
)
from dashboard.elements.dead_ends import explain_dead_end, show_dead_end
from dashboard.elements.folded import show_folded
from dashboard.elements.links import check_choice
from dashboard.elements.looking import show_how_hard
from dashboard.elements.tables import Column, Link, deal_link, show_table
from dashboard.elements.watching import redraw_after
from dashboard.elements.wording import (
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
    answer_of_longer,
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
from engine.detection import MOST, Detected
from engine.errors import BadInput
from engine.formats import formats
from engine.game import Move, Position
from engine.games import game_of, games
from engine.intake import EntryReader, read_one
from engine.rulesets import parse_ruleset
from engine.text.encoding import read_text
from solvers.advice import Advice
from solvers.deciding import Ending, Verdict

# Characters of a text that are kept in the link, which browsers and servers shorten.
LINKED = 1_500

SIGNS = {Verdict.WINNABLE: "✓", Verdict.UNWINNABLE: "✗", Verdict.UNDECIDED: "?"}
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
    _by_hand(slug)
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
        _answer(*read_asked(given, slug, asked=slug != rulesets()[0]))


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


def _by_hand(slug: str) -> None:
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


def read_asked(given: str, slug: str, *, asked: bool) -> tuple[Detected, str]:
    """The contents of a text, and the ruleset: that which it states, else the one of the page.

    Args:
        given: the text.
        slug: the ruleset of the page.
        asked: whether it was chosen, so that the text may not state another.

    Raises:
        BadInput: it is nothing that can be read, or states another ruleset.
    """
    if len(given) > MOST:
        raise BadInput(f"the text has {len(given):,} characters: {MOST:,} at most are read")
    entry = read_one(given, EntryReader(parse_ruleset(slug), asked=asked))
    return entry.as_detected(), entry.rules.slug


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


def _answer(found: Detected, slug: str) -> None:
    rules = parse_ruleset(slug)
    st.caption(f"Read as {found.form}, under {slug}: {rules_in_words(slug)}")
    if found.observation is not None:
        with st.spinner("A player thinks about it …"):
            plays = wait_for(partial(plays_with_hidden_cards, found.observation, rules))
        _plays(plays, slug)
        return
    assert found.position is not None
    stored = _stored(found)
    verdict = Verdict.UNDECIDED
    if stored is not None and stored.verdict != Verdict.UNDECIDED:
        verdict = stored.verdict
        _heading(verdict)
        _show_known(found, stored)
    else:
        if stored is not None:
            st.caption(f"In the catalogue, {stored.solver} has attempted it without deciding it.")
        reached = _search(found)
        if reached is not None:
            verdict = reached.verdict
            _heading(verdict)
            _show_answer(found, reached)
    if found.deal is not None:
        with sentences():  # without a catalogue the page answers all the same
            show_how_hard(found.deal, rules, found.name, verdict == Verdict.WINNABLE)
    if found.name is not None:
        link = deal_link(found.name, slug)
        st.markdown(f"[All that is known of {found.name}]({link.href})")
    if found.deal is not None:
        _others(found, slug)


def _heading(verdict: Verdict) -> None:
    st.subheader(f"{SIGNS[verdict]} {verdict.capitalize()}")


def _stored(found: Detected) -> Answer | None:
    """The stored answer on it; without a catalogue the page answers all the same."""
    if found.deal is None or found.position is None:
        return None
    try:
        return known(catalogue(), found.name, found.deal, found.position.rules)
    except BadInput as error:
        st.caption(literal(f"The catalogue was not asked: {error}."))
        return None


def _show_known(found: Detected, stored: Answer) -> None:
    assert found.position is not None
    assert found.deal is not None
    since = "" if stored.since is None else f" since {moment(stored.since)}"
    if stored.follows_from is None:
        st.markdown(f"Known in the catalogue{since}, by `{stored.solver}`.")
    else:
        st.markdown(f"Known in the catalogue{since}: it follows from `{stored.follows_from}`.")
    if stored.verdict == Verdict.WINNABLE:
        if stored.moves:
            _replay(found.position, stored.moves)
            return
        # Only that it can be won is stored.
        with st.spinner(waiting_words(found.position.rules)):
            reached = wait_for(partial(answer, found.position))
        if reached.moves:
            st.markdown(_told(reached, found.position))
            _replay(found.position, reached.moves)
            return
        st.markdown("Its moves are not stored, and were not found again within a second.")
        show_deal(found.position)
        return
    dead_end = stored.dead_end
    if dead_end is not None:
        explain_dead_end(found.deal, found.position.rules, dead_end)
        show_dead_end(found.deal, found.position.rules, dead_end)
        return
    if stored.nodes is not None:
        st.markdown(f"Proved by search after {_positions(stored.nodes)}.")
    show_deal(found.position)


def _search(found: Detected) -> Answer | None:
    """The answer of a search; None while one goes on in the background, which the page tells."""
    assert found.position is not None
    options = [str(seconds) for seconds in BUDGETS]
    check_choice("seconds", options, "time")
    linked = st.query_params.get("seconds")
    seconds = int(linked) if linked in options else BUDGETS[0]
    if seconds == BUDGETS[0]:
        with st.spinner(waiting_words(found.position.rules)):
            return wait_for(partial(_searched, found))
    key = key_of_longer(found.position, seconds)
    doing = decide_longer(found.position, seconds)
    if doing.done():
        reached = answer_of_longer(found.position, seconds, doing)
        return wait_for(partial(_explained, found, reached))
    st.subheader("… Searching")
    st.markdown(
        f"{waiting_words(found.position.rules)} It takes {duration(seconds)} at most, behind other "
        "long searches, and goes on while this page is used or closed; its link leads back here."
    )
    if st.button("Cancel the search", key="cancel"):
        cancel(key)
        del st.query_params["seconds"]
        st.rerun()
    show_deal(found.position)

    redraw_after(key)
    return None


def _searched(found: Detected) -> Answer:
    assert found.position is not None
    return _explained(found, answer(found.position, deal=found.deal))


def _explained(found: Detected, reached: Answer) -> Answer:
    assert found.position is not None
    if found.deal is None:
        return reached
    return explained(reached, found.deal, found.position.rules)


def _show_answer(found: Detected, reached: Answer) -> None:
    assert found.position is not None
    st.markdown(_told(reached, found.position))
    if reached.ending not in (None, Ending.NO_SOLVER):
        _offer_longer()
    if reached.moves:
        _replay(found.position, reached.moves)
    elif reached.dead_end is not None and found.deal is not None:
        explain_dead_end(found.deal, found.position.rules, reached.dead_end)
        show_dead_end(found.deal, found.position.rules, reached.dead_end)
    else:
        show_deal(found.position)


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


def _replay(position: Position, moves: tuple[Move, ...]) -> None:
    show_replay(position, moves, f"The position that you gave. The win has {len(moves)} moves.")
    show_folded("The win as text", " ".join(map(str, moves)), key="win-as-text", wraps=True)


def _positions(nodes: int) -> str:
    return "1 position" if nodes == 1 else f"{count(nodes)} positions"


def _told(reached: Answer, position: Position) -> str:
    if position.is_won:
        return "All cards are on the foundations: it is won."
    if reached.verdict == Verdict.UNDECIDED:
        return f"Not decided: {reached.reason}."
    who = (reached.solver or "").partition(" ")[0]
    if reached.verdict == Verdict.WINNABLE:
        return f"`{who}` found a win; the referee has replayed it."
    told = f"`{who}` covered every line of play and found no win: that is a proof"
    return f"{told}, after {_positions(reached.nodes or 0)}."


def _others(found: Detected, slug: str) -> None:
    assert found.deal is not None
    origin = Origin(found.deal, found.name)
    try:
        cat = catalogue()
    except BadInput:
        cat = None  # the page has said so
    rows: list[Answer | str] = []
    compiling = []
    with st.spinner("The same deal under other rulesets …"):
        for other in other_rulesets(parse_ruleset(slug)):
            key = compile_kernels(other)
            if key is None:
                rows.append(wait_for(partial(under_another_ruleset, origin, other, cat)))
            else:
                rows.append(other.slug)
                compiling.append(key)
    if not rows:
        return
    st.subheader("The same deal under other rulesets")
    text = found.name or json.dumps(found.deal.to_json())

    def link(ruleset: str) -> Link:
        return Link(ruleset, f"./ask?rules={quote(ruleset)}&text={quote(text)}")

    show_table(
        [Column("Ruleset"), Column("Verdict"), Column("Moves of a win", "number")],
        [
            (link(each), "… its solver is being compiled", "–")
            if isinstance(each, str)
            else (
                link(each.ruleset),
                f"{SIGNS[each.verdict]} {each.verdict}",
                str(len(each.moves)) if each.moves else "–",
            )
            for each in rows
        ],
        name="Other rulesets",
    )
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
