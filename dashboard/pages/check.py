"""The page that checks a game: is it winnable, and how, or what to play where cards are hidden?

The game is put on a table, pasted, given as a file, or named by its program and number.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any
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
    usual_budget,
)
from dashboard.elements.dead_ends import explain_dead_end, show_dead_end
from dashboard.elements.deal_difficulty import show_how_hard
from dashboard.elements.folded import show_folded
from dashboard.elements.links import check_choice
from dashboard.elements.plays import first_words, show_plays
from dashboard.elements.scrolling import bring_in_sight
from dashboard.elements.tables import Column, Link, deal_link, show_table
from dashboard.elements.watching import redraw_after
from dashboard.elements.wording import (
    STATUS_SIGNS,
    count,
    duration,
    for_players,
    moment,
    rules_in_words,
    ruleset_title,
)
from dashboard.serve import UPLOAD_MB
from dashboard.server.connection import catalogue, literal, sentences
from dashboard.server.searching import (
    BUDGETS,
    cancel,
    compile_kernels,
    decide_longer,
    key_of_longer,
    plays_by_chance,
    wait_for,
    waiting_words,
)
from dashboard.setting.setting import can_be_set, set_cards
from dashboard.viewer.table import show_deal, show_replay
from engine.dealing.dealers import dealers, get_dealer
from engine.detection import MOST
from engine.errors import BadInput
from engine.formats import formats
from engine.game import Position
from engine.games import DEFAULT_RULESET, game_of, games
from engine.intake import EntryReader, ReadEntry, read_one
from engine.rulesets import parse_ruleset
from engine.text.encoding import read_text
from solvers.choice import Ability, capable
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
    return st.Page(show, title="Check my game", url_path="check")


def show() -> None:
    st.title("Check my game")
    st.markdown(
        "Can it still be won, and how? Put the cards that you see on the table; where cards are "
        "hidden, the answer is what to play and how often that wins."
    )
    slug = _chosen_rules()
    answers = st.container()
    put = _table(slug)
    pasted = _form()
    with answers, sentences():
        given = _given(put, pasted, slug)
        if given is None:
            return
        bring_in_sight(f"{slug} {given}")
        if "held" in st.query_params:
            st.caption("The text is too long for the link, so reloading the page loses it.")
        _answer(read_asked(given, slug), slug)


def _table(slug: str) -> str | None:
    """The table on which cards are put down; the text of a position that is to be checked.

    It is folded while there is an answer, and nothing of it is drawn then.
    """
    if not _is_ruleset(slug):
        return None  # the sentence about what was asked says what is wrong with it
    game = game_of(parse_ruleset(slug))
    if not can_be_set(game):
        st.caption(f"Cards of {game.name} cannot be put on a table here: paste them instead.")
        return None
    if not st.query_params.keys() & {"text", "held"}:
        return set_cards(slug)
    fold = st.expander("Put cards on the table", key="table-fold", on_change="rerun")
    if not fold.open:
        return None
    with fold:
        return set_cards(slug)


def _form() -> dict[str, str] | BadInput | None:
    """The form for everything else; what was given by its name, None if nothing was sent."""
    with st.expander("Or paste it, choose a file, or name a program and a number"):
        summaries = "; ".join(form.summary for form in formats().values())
        st.markdown(
            "A deal by its name, such as `thoughtful-1:42`, a position, or cards in any of these "
            f"forms: {summaries}; suit signs, commas and small letters are read as well."
        )
        with st.form("check", border=False):
            text = st.text_area(
                "Deal or position",
                st.query_params.get("text", "")[:MOST],
                max_chars=MOST,
                height=170,
                key="check-text",
                placeholder=EXAMPLE,
            )
            file = st.file_uploader("Or a file with it", ["txt", "json", "csv"], key="check-file")
            left, right = st.columns(2)
            program = left.selectbox(
                "Or a program",
                ["", *dealers()],
                key="check-program",
                format_func=lambda s: s or "none",
            )
            number = right.text_input("and its number", max_chars=30, key="check-number")
            sent = st.form_submit_button("Check it", type="primary")
        _forms()
    if not sent:
        return None
    # The text of the link stands in the field, so that it can be changed; it is not given anew.
    linked = st.query_params.get("text", "")
    other = file is not None or bool(program) or bool(number.strip())
    if other and text.strip() and text == linked:
        text = ""
    try:
        return given_texts(text, file.getvalue() if file else None, program, number)
    except BadInput as error:
        return error


def _given(put: str | None, pasted: dict[str, str] | BadInput | None, slug: str) -> str | None:
    """The text of the question; None if there is none, or it must be said which is meant.

    Raises:
        BadInput: what was given cannot be read, or the link refers to a text that is not kept.
    """
    if isinstance(pasted, BadInput):
        raise pasted
    if pasted is not None and len(pasted) > 1:
        _ask_which(pasted, slug)
        return None
    given = put if pasted is None else next(iter(pasted.values()))
    if given is None:
        return _linked_text()
    _ask_about(given, slug)
    return given


def _ask_about(given: str, slug: str) -> None:
    st.query_params.from_dict(in_link(given, slug))
    st.session_state["check-linked"] = slug  # a link of the page itself


def _ask_which(pasted: dict[str, str], slug: str) -> None:
    """Ask which of several texts is meant."""
    *most, last = pasted
    st.warning(f"Both {', '.join(most)} and {last} were given. Which one do you mean?")
    for name, text in pasted.items():
        label = name[0].upper() + name[1:]
        st.button(label, key=f"which-{name}", on_click=_ask_about, args=(text, slug))


def rulesets() -> list[str]:
    """The named rulesets of all games, those that are offered for play first."""
    return for_players(slug for game in games() for slug in game.rulesets.presets)


def _chosen_rules() -> str:
    """The ruleset under which all is asked that is asked on the page: at first that of the link."""
    offered = rulesets()
    linked = st.query_params.get("rules")
    if linked is not None and _is_ruleset(linked) and linked not in offered:
        offered.append(linked)
    check_choice("rules", offered, "ruleset")
    # A question without rules, as in older links, is one of the usual ruleset.
    asks = st.query_params.keys() & {"text", "held"}
    is_new = "check-rules" not in st.session_state  # also after another page
    st.session_state.setdefault("check-rules", DEFAULT_RULESET if asks else offered[0])
    if linked in offered and (is_new or linked != st.session_state.get("check-linked")):
        st.session_state["check-rules"] = linked  # another link was opened
    slug: str = st.selectbox(
        "Rules",
        offered,
        key="check-rules",
        format_func=lambda each: ruleset_title(each) if _is_ruleset(each) else each,
        accept_new_options=True,
        help="Others can be typed by their names, which `thoughtful rulesets` lists.",
    )
    if linked is not None and linked != slug and _is_ruleset(slug):
        st.query_params["rules"] = linked = slug  # the question of the link is asked under these
    st.session_state["check-linked"] = linked
    return slug


def _is_ruleset(slug: str) -> bool:
    try:
        return parse_ruleset(slug).slug == slug
    except BadInput:
        return False


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


def given_texts(text: str, uploaded: bytes | None, program: str, number: str) -> dict[str, str]:
    """The deals or positions that were given, each by what it is.

    Raises:
        BadInput: there is none, the file is too large or no text, or the number is none.
    """
    given = {}
    if text.strip():
        given["the text"] = text
    if uploaded is not None:
        if len(uploaded) > 2**20 * UPLOAD_MB:
            raise BadInput(f"the file has {len(uploaded):,} bytes: at most {UPLOAD_MB} MB")
        given["the file"] = read_text(uploaded, "the file")
    if program:
        given[f"{program} {number.strip()}"] = f"{program}:{_number(program, number)}"
    elif number.strip():
        raise BadInput(f"{number.strip()!r} is a number of no program: expected the program, too")
    if not given:
        raise BadInput("nothing was given: expected a text, a file, or a program and a number")
    return given


def _number(program: str, number: str) -> int:
    """The number of a program's deal.

    Raises:
        BadInput: it is missing, no number, or out of the program's range.
    """
    dealer = get_dealer(program)
    digits = number.strip().removeprefix("#").replace(",", "").replace("_", "")
    expected = f"expected a whole number from {dealer.min_seed:,} to {dealer.max_seed:,}"
    if not digits:
        raise BadInput(f"the number of the deal of {program} is missing: {expected}")
    if not (digits.isascii() and digits.isdecimal()):
        raise BadInput(f"{number.strip()!r} is no number of a deal of {program}: {expected}")
    if not dealer.min_seed <= int(digits) <= dealer.max_seed:
        raise BadInput(f"{program} has no deal {number.strip()}: {expected}")
    return int(digits)


def read_asked(given: str, slug: str) -> ReadEntry:
    """The contents of a text, under the ruleset which it states, else the one of the page.

    Raises:
        BadInput: it is nothing that can be read.
    """
    if len(given) > MOST:
        raise BadInput(f"the text has {len(given):,} characters: {MOST:,} at most are read")
    return read_one(given, EntryReader(parse_ruleset(slug), asked=False))


def _forms() -> None:
    show_folded(
        "How to write a position in the middle of a game",
        EXAMPLE,
        key="how-to-write",
        below=(
            "Foundations by suit with the rank on top; the waste with the playable card last; the "
            "stock as Talon with the next card first; then the columns from left to right, each "
            "from bottom to top, `-` for an empty one. Face-down cards stand in `< >`. Write "
            "`<??>` for those that you do not know: then a bot that sees only the open cards "
            "says how often each play wins."
        ),
    )


def _answer(entry: ReadEntry, chosen: str) -> None:
    slug = entry.rules.slug
    if slug != chosen:
        st.caption(f"The text states its rules, {ruleset_title(slug)}, so these hold here.")
    if entry.observation is not None:
        _advise(entry.observation, slug)
        fill_in = game_of(entry.rules).fill_in
        if fill_in is not None:
            some = fill_in(entry.observation, entry.rules, Random(0))
            _lead_to_play("Play on here, with the unseen cards dealt at random", some)
    else:
        _decide(Question.of(entry))
    st.caption(f"Read as {entry.form}. {rules_in_words(slug)}")


def _advise(observation: Mapping[str, Any], slug: str) -> None:
    """Show what to play where cards are not known."""
    rules = parse_ruleset(slug)
    with st.spinner("Games are played from here, to see what wins how often …"):
        plays = plays_by_chance(observation, rules)
    show_plays(plays, observation, rules)


def _decide(question: Question) -> None:
    """Whether a position of which every card is known can be won."""
    slug = question.rules.slug
    found = _stored(question)
    if found is not None and found.verdict == Verdict.UNDECIDED:
        found = None
    found = _search(question) if found is None else found
    verdict = Verdict.UNDECIDED
    if found is not None:
        verdict = found.verdict
        st.subheader(f"{STATUS_SIGNS[verdict]} {verdict.capitalize()}")
        _show_answer(found)
        if verdict == Verdict.UNDECIDED and capable(question.rules, Ability.ADVISE) is not None:
            st.markdown("A bot that sees only the open cards would play on so:")
            _advise(question.position.observation(), slug)
    if not question.position.is_won:
        _lead_to_play("Play on here", question.position, question.name)
    if question.deal is None:
        return
    with sentences():  # without a catalogue the page answers all the same
        show_how_hard(question.deal, question.rules, question.name, verdict == Verdict.WINNABLE)
    if question.name is not None:
        link = deal_link(question.name, slug)
        st.markdown(f"[All that is known of {question.name}]({link.href})")
    _others(question)


def _lead_to_play(words: str, position: Position, name: str | None = None) -> None:
    """A link to the page on which a position, or the deal of a name, is played on."""
    game = game_of(position.rules)
    if game.write_table is None or not can_be_set(game):
        return
    text = name or game.write_table(position)
    st.markdown(f"[{words}](./play?rules={quote(position.rules.slug)}&text={quote(text)})")


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
    if found.verdict == Verdict.UNDECIDED:
        st.markdown(f"Not decided: {found.reason}.")
    elif question.position.is_won:
        st.markdown("All cards are in their places: it is won.")
    elif found.verdict == Verdict.UNWINNABLE and found.dead_end is None:
        st.markdown("Every line of play has been covered, and none wins.")
    if found.win:
        _replay(found)
    elif found.verdict == Verdict.WINNABLE and not question.position.is_won:
        _find_again(question)
    elif found.dead_end is not None and question.deal is not None:
        explain_dead_end(question.deal, question.rules, found.dead_end)
        show_dead_end(question.deal, question.rules, found.dead_end)
    elif found.verdict != Verdict.UNDECIDED or capable(question.rules, Ability.ADVISE) is None:
        show_deal(question.position)
    if found.source == "search" and found.ending not in (None, Ending.NO_SOLVER):
        _offer_longer()
    with st.expander("How this is known"):
        st.markdown(_source(found))


def _source(found: Answer) -> str:
    """Who decided a position, and by what."""
    if found.source == "catalogue":
        since = "" if found.since is None else f" since {moment(found.since)}"
        by = f", by `{found.solver}`"
        if found.follows_from is not None:
            by = f": it follows from `{found.follows_from}`"
        words = f"Known in the catalogue{since}{by}."
        if found.nodes is not None and not found.win and found.dead_end is None:
            words += f" Proved by search after {_positions(found.nodes)}."
        return words
    if found.question.position.is_won:
        return "The position itself shows it."
    if found.verdict == Verdict.UNDECIDED:
        return f"`{found.solver}` has searched for a win." if found.solver else "Nobody plays it."
    who = (found.solver or "").partition(" ")[0]
    if found.verdict == Verdict.WINNABLE:
        return f"`{who}` found a win; the referee has replayed it."
    words = f"`{who}` covered every line of play and found no win: that is a proof"
    return f"{words}, after {_positions(found.nodes or 0)}."


def _find_again(question: Question) -> None:
    """Search for a win of which only the verdict is stored."""
    with st.spinner(waiting_words(question.rules)):
        found = wait_for(partial(answer, question))
    if found.win:
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
    start, win = found.question.position, found.win
    st.markdown(f"{literal(first_words(start, win))} The whole win, in {count(len(win))} moves:")
    show_replay(start, win, "The position that you gave.")
    show_folded("The win as text", " ".join(map(str, win)), key="win-as-text", wraps=True)


def _positions(nodes: int) -> str:
    return "1 position" if nodes == 1 else f"{count(nodes)} positions"


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
    with st.spinner("The same deal under other rules …"):
        for other in other_rulesets(question.rules):
            link = Link(
                ruleset_title(other.slug), f"./check?rules={quote(other.slug)}&text={quote(text)}"
            )
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
    st.subheader("The same deal under other rules")
    columns = [Column("Rules"), Column("Verdict"), Column("Moves of a win", "number")]
    show_table(columns, rows, name="Other rules")
    if compiling:
        redraw_after(compiling[0])
