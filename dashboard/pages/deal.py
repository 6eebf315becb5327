"""The deal page: the cards of one deal, all that is known of it, and its games move by move."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from catalogue.asking import remembered, shown_win
from catalogue.difficulty.reading import graded
from catalogue.outcomes.provenance import Provenance
from catalogue.reading.contenders import Contender, brief_names
from catalogue.reading.deal_detail import (
    DealDetail,
    DealOutcome,
    DealStatus,
    LostGame,
    deal_detail,
    remake,
)
from dashboard.board.board import read_line, show_board
from dashboard.elements.dead_ends import explain_dead_end, show_dead_end
from dashboard.elements.deal_difficulty import show_how_hard
from dashboard.elements.folded import show_folded
from dashboard.elements.links import check_choice, play_address
from dashboard.elements.solving import solved_here
from dashboard.elements.tables import Column, deal_link, show_table
from dashboard.elements.wording import (
    RESULT_WORDS,
    by_preference,
    count,
    deal_title,
    duration,
    moment,
    percent,
    rules_in_words,
    ruleset_title,
    status_badge,
)
from dashboard.server.connection import catalogue, sentences, show_error
from dashboard.viewer.table import show_deal, show_replay
from engine.dealing.dealers import dealers, get_dealer, parse_deal_id
from engine.errors import BadInput
from engine.game import Game, Rules
from engine.games import default_game, game_of
from engine.rulesets import parse_ruleset
from solvers.deciding import Verdict
from solvers.regret import RegretKind

# Characters of the name of a deal.
NAME_MOST = 200

# What the table shows, by its name in the link; the first is shown where the link names none.
VIEWS = {"replay": "Replay", "board": "Play and analyse"}


def show() -> None:
    asked = st.query_params.get("deal", "")
    if len(asked) > NAME_MOST:
        _goto("")
        show_error(
            BadInput(
                f"the name of a deal in the link has {len(asked):,} characters: {NAME_MOST} at most"
            )
        )
        return
    _goto(asked)
    if not asked.strip():
        st.title("Deal")
        st.markdown(
            "Every deal has a permanent page. Enter its name above: a dealer and a seed, such as "
            "`thoughtful-1:42`, or the digest of an imported deal."
        )
        show_table(
            [Column("Dealer"), Column("Seeds"), Column("Games"), Column("Source", "wide")],
            [
                (
                    dealer.slug,
                    f"{dealer.min_seed} to {dealer.max_seed}",
                    ", ".join(game.name for game in dealer.games),
                    dealer.summary,
                )
                for dealer in dealers().values()
            ],
            name="Dealers",
        )
        return
    with sentences():
        _deal(_made_again(deal_detail(catalogue(), asked, _linked_game(asked))))


def _made_again(detail: DealDetail) -> DealDetail:
    """The deal after what takes longer has been solved again, if somebody has asked for it."""
    for outcome in detail.outcomes:
        asked = st.session_state.get("again", ())
        if outcome.seconds is not None and (detail.deal, *_key(outcome)) in asked:
            with st.spinner(f"{_method(outcome)} solves the deal again"):
                detail = detail.with_outcome(outcome, remake(detail, outcome))
    return detail


def _method(outcome: DealOutcome) -> str:
    """The solver of an outcome without its parameters, which stand among all outcomes."""
    return outcome.solver.partition("(")[0]


def _key(outcome: DealOutcome) -> tuple[str, str, int]:
    return outcome.ruleset, outcome.solver, outcome.version


def _ask_again(*key: object) -> None:
    st.session_state["again"] = {*st.session_state.get("again", ()), key}


def _again(detail: DealDetail, slug: str) -> None:
    """Say which outcomes have been found again, or can be, and offer to."""
    here = [o for o in detail.outcomes if o.ruleset == slug and o.follows_from is None]
    for outcome in here:
        name = _method(outcome)
        if outcome.alarm:
            st.error(f"**Contradiction:** {outcome.remark}.", icon=":material/report:")
        elif outcome.remark is not None:
            st.caption(f"Only the verdict of {name} is kept; {outcome.remark}.")
        elif outcome.seconds is not None:
            st.caption(
                f"Only the verdict of {name} is kept. Solving the deal again takes about "
                f"{duration(max(outcome.seconds, 1))}."
            )
            st.button(
                f"Solve again by {name}",
                key=f"again-{detail.deal}-{'-'.join(map(str, _key(outcome)))}",
                on_click=_ask_again,
                args=(detail.deal, *_key(outcome)),
            )
    remade = [_method(o) for o in here if o.remade]
    if remade:
        st.caption(
            f"Only a verdict is kept of this deal, so it has just been solved again, by "
            f"{' and '.join(remade)}, which agrees with the verdict."
        )


def _inferred(detail: DealDetail, slug: str) -> None:
    """Say what was not solved under a ruleset, and from which other one it follows."""
    for outcome in detail.outcomes:
        source = outcome.follows_from
        if outcome.ruleset != slug or source is None:
            continue
        link = f"[{ruleset_title(source)}]({deal_link(detail.deal, source).href})"
        if outcome.result == "won":
            made = "" if outcome.moves is None else " The solution is that one, translated."
            st.caption(f"Follows from {link}, which allows less: won there, it is won here.{made}")
        else:
            st.caption(
                f"Follows from {link}, which allows more: unwinnable there, it is unwinnable here."
            )


def _linked_game(deal: str) -> Game:
    """The game whose deal a link refers to: that of its ruleset, else one that the dealer deals."""
    linked = st.query_params.get("rules")
    # What is wrong with a ruleset `_chosen_rules` says.
    with suppress(BadInput):
        if linked is not None:
            return game_of(parse_ruleset(linked))
        games = parse_deal_id(deal)[0].games
        return games[0] if default_game() not in games else default_game()
    return default_game()


def _goto(asked: str) -> None:
    with st.form("goto", border=False):
        left, right = st.columns([4, 1], vertical_alignment="bottom")
        name = left.text_input(
            "Deal",
            asked,
            max_chars=NAME_MOST,
            key=f"goto-{asked}",
            placeholder="thoughtful-1:42",
        )
        if right.form_submit_button("Open", width="stretch") and name.strip() != asked:
            rules = st.query_params.get("rules")
            st.query_params.from_dict({"deal": name.strip(), **({"rules": rules} if rules else {})})
            st.rerun()


def _deal(detail: DealDetail) -> None:
    if detail.dealer is None or detail.seed is None:
        title = f"Deal {detail.digest}"
        st.title(title)
    else:
        title = deal_title(detail.dealer, detail.seed)
        st.title(title)
        st.caption(f"`{detail.deal}`")
    st.set_page_config(page_title=f"{title} · Thoughtful")
    if detail.dealer is not None and detail.seed is not None:
        _neighbours(detail.dealer, detail.seed)
    if detail.alarm:
        st.error(
            "**Contradiction:** this deal has been both won and proved unwinnable under the same "
            "ruleset. At least one of the solvers below is wrong.",
            icon=":material/report:",
        )
    levels = _levels(detail)
    known = st.container()
    slug = _chosen_rules(detail)
    with known:
        for status in detail.statuses:
            # As long as its replay, whichever ruleset the page shows.
            short = _made_shorter(detail, _wins(detail, status.ruleset))
            shown = status if short is None else replace(status, solution_length=short.length)
            st.markdown(_known(shown, levels.get(status.ruleset, "")), help=_search(status))
    rules = parse_ruleset(slug)
    if detail.dealer is not None:
        st.markdown(f"[Play it]({play_address(detail.deal, slug)})")
    status_here = detail.status(slug)
    with sentences():
        winnable = _is_winnable(detail, rules)
        name = detail.deal if detail.dealer is not None else None
        show_how_hard(detail.cards, rules, name, winnable)
    if status_here is None:
        with sentences():
            detail = solved_here(detail, rules, winnable)
    if _chosen_view(detail, slug) == "board":
        with sentences():
            line = read_line(detail.game, st.query_params.get("line", ""))
            check_choice("cards", ["hidden"], "cards")
            hidden = st.query_params.get("cards") == "hidden"
            show_board(detail.cards, rules, name, line, hidden)
    else:
        _replay(detail, rules)
    _outcomes(detail.outcomes)


def _is_winnable(detail: DealDetail, rules: Rules) -> bool:
    """Whether a deal is known to be winnable, by the catalogue or since it was chosen for play."""
    status = detail.status(rules.slug)
    if status is not None:
        return status.status == "winnable"
    start = detail.game.start(detail.cards, rules)
    found = remembered(start)
    return found is not None and found.verdict == Verdict.WINNABLE


def _replay(detail: DealDetail, rules: Rules) -> None:
    """The table, with a game to step through if there is one, and what is known beside it."""
    slug = rules.slug
    left, right = st.columns([7, 4], gap="large")
    here = [o for o in detail.outcomes if o.ruleset == slug]
    dead_end = next((o.dead_end for o in here if o.dead_end is not None), None)
    with right:
        st.markdown(f"**{ruleset_title(slug)}**")
        st.caption(rules_in_words(slug))
        _again(detail, slug)
        _inferred(detail, slug)
        played = _chosen_game(detail, slug)
    moves = None if played is None else _moves(played)
    start = detail.game.start(detail.cards, rules)
    with left, sentences():
        if played is not None and moves is not None:
            show_replay(start, detail.game.unpack(moves), _opening(played), _notes(played))
        elif dead_end is not None:
            show_dead_end(detail.cards, rules, dead_end)
        else:
            show_deal(start)
    with right, sentences():
        status = detail.status(slug)
        if dead_end is not None:
            explain_dead_end(detail.cards, rules, dead_end)
        elif status is not None and status.status == "unwinnable" and _is_searched(here):
            st.markdown(
                "No dead-end test explains this; an exact search covered every line of play and "
                "found no win."
            )
        if played is not None and played.lost is not None:
            _explain_loss(played.lost)
        if played is not None and moves is not None:
            show_folded(
                f"The {'game' if played.lost else 'solution'} as text",
                detail.game.text(moves),
                key="moves-as-text",
                wraps=True,
            )
        show_folded(
            "The cards as text", str(start), key="cards-as-text", below=f"Digest {detail.digest}"
        )


def _is_searched(outcomes: list[DealOutcome]) -> bool:
    """Whether a solver proved that a deal cannot be won; else it follows from another ruleset."""
    return any(o.result == "unwinnable" and o.follows_from is None for o in outcomes)


def _neighbours(dealer: str, seed: int) -> None:
    rules = st.query_params.get("rules")
    own = get_dealer(dealer)
    with st.container(horizontal=True):
        for label, other in ((f"← {seed - 1}", seed - 1), (f"{seed + 1} →", seed + 1)):
            inside = own.min_seed <= other <= own.max_seed
            if inside and st.button(label, key=f"to-{other}", help=f"Open deal {dealer}:{other}"):
                query = {"deal": f"{dealer}:{other}"}
                st.query_params.from_dict({**query, **({"rules": rules} if rules else {})})
                st.rerun()


def _levels(detail: DealDetail) -> dict[str, str]:
    """The stored level of a deal under each ruleset, as its name."""
    if detail.dealer is None or detail.seed is None:
        return {}
    found = graded(catalogue(), detail.game.slug, detail.dealer, detail.seed)
    return {each.ruleset: each.name for each in found}


def _known(status: DealStatus, level: str) -> str:
    """The verdict on a deal, as a player says it; `level` is the name of its level."""
    words = f"**{ruleset_title(status.ruleset)}**: {status_badge(status.status)}"
    if status.solution_length is not None:
        words += f" in {count(status.solution_length)} moves"
    return f"{words}, {level.lower()}" if level else words


def _search(status: DealStatus) -> str:
    """The cost of the search for a status, and the name of its ruleset in links and files."""
    parts = [f"The ruleset is `{status.ruleset}` in links, files and commands."]
    if status.solution_length is not None:
        parts.append(
            f"The shortest stored solution has {count(status.solution_length)} moves; the page "
            "shows it made shorter where it can."
        )
    if status.nodes is not None:
        nodes = "one node" if status.nodes == 1 else f"{count(status.nodes)} nodes"
        parts.append(f"Decided by exact search in {nodes}, the positions that it entered.")
    if status.harder_than:
        parts.append(
            f"That is more than {percent(status.harder_than, 0)} of the deals decided so took."
        )
    return " ".join(parts)


def _chosen_rules(detail: DealDetail) -> str:
    """The ruleset of the link, else the first with a solution, else the first attempted."""
    tried = by_preference(status.ruleset for status in detail.statuses)
    solved = [slug for slug in tried if detail.best(slug) is not None]
    default = detail.game.rulesets.default
    chosen = (solved or tried or [default])[0]
    linked = st.query_params.get("rules")
    if linked is not None:
        try:
            rules = parse_ruleset(linked)
            if rules.game != detail.game.slug:
                raise BadInput(
                    f"{linked} is a ruleset of {game_of(rules).name}: "
                    f"this is a deal of {detail.game.name}"
                )
            chosen = rules.slug
        except BadInput as error:
            show_error(error)
    offered = () if detail.game == default_game() else detail.game.rulesets.presets
    options = by_preference([*tried, chosen, default, *offered])
    left, right = st.columns([3, 1])
    picked: str = left.segmented_control(
        "Ruleset",
        options,
        default=chosen,
        required=True,
        format_func=ruleset_title,
        key=f"rules-{detail.deal}-{chosen}",
    )
    others = _other_games(detail)
    other: str | None = (
        None
        if not others
        else right.selectbox(
            "The same number in another game",
            others,
            index=None,
            format_func=ruleset_title,
            key=f"other-game-{detail.deal}-{chosen}",
        )
    )
    if (other or picked) != chosen:
        st.query_params["rules"] = other or picked
        st.rerun()
    return chosen


def _chosen_view(detail: DealDetail, slug: str) -> str:
    """Whether the game is replayed or played: as the link says, until another is picked."""
    views = list(VIEWS)
    check_choice("view", views, "view")
    linked = st.query_params.get("view")
    chosen = linked if linked in VIEWS else views[0]
    picked: str = st.segmented_control(
        "Table",
        views,
        default=chosen,
        required=True,
        format_func=VIEWS.__getitem__,
        key=f"view-{detail.deal}-{slug}-{chosen}",
        label_visibility="collapsed",
    )
    if picked != chosen:
        st.query_params["view"] = picked
        st.rerun()
    return chosen


def _other_games(detail: DealDetail) -> list[str]:
    """The usual rulesets of the other games in which the seed of the deal is one, too."""
    games = get_dealer(detail.dealer).games if detail.dealer in dealers() else ()
    others = (game.rulesets.default for game in games if game != detail.game)
    return sorted(others, key=ruleset_title)


def _chosen_game(detail: DealDetail, slug: str) -> DealOutcome | None:
    """The outcome whose game is replayed: by default the shortest solution, made shorter still."""
    here = [o for o in detail.outcomes if o.ruleset == slug]
    wins = _wins(detail, slug)
    short = _made_shorter(detail, wins)
    if short is not None:
        wins.insert(0, short)
    games = wins + [o for o in here if o.lost is not None]
    if len(games) < 2:
        return next(iter(games), None)
    own = [o for o in games if o is not short]
    brief = brief_names([Contender(o.solver, o.version) for o in own])
    names = {
        id(o): name if o.follows_from is None else f"follows from {ruleset_title(o.follows_from)}"
        for o, name in zip(own, brief, strict=True)
    }
    return st.selectbox(
        "Solution by" if len(wins) == len(games) else "Game by",
        games,
        key=f"solution-{detail.deal}-{slug}",
        format_func=lambda o: f"{'made shorter' if o is short else names[id(o)]}: {_in_short(o)}",
    )


def _wins(detail: DealDetail, slug: str) -> list[DealOutcome]:
    """The outcomes with a solution under a ruleset, the shortest first."""
    here = (o for o in detail.outcomes if o.ruleset == slug and o.moves is not None)
    return sorted(here, key=lambda o: o.length or 0)


def _made_shorter(detail: DealDetail, wins: list[DealOutcome]) -> DealOutcome | None:
    """The first win with a solution as all pages show it, if that is shorter."""
    if not wins or wins[0].moves is None:
        return None
    game, rules = detail.game, parse_ruleset(wins[0].ruleset)
    win = tuple(game.unpack(wins[0].moves))
    line = shown_win(game.start(detail.cards, rules), win, wins[0].nodes or 0)
    if len(line) >= game.length(wins[0].moves):
        return None
    return replace(wins[0], moves=game.pack(line), length=len(line))


def _moves(played: DealOutcome) -> bytes | None:
    return played.moves if played.lost is None else played.lost.moves


def _in_short(played: DealOutcome) -> str:
    lost = played.lost
    if lost is None:
        return f"{count(played.length)} moves"
    if lost.kind == RegretKind.MOVE and lost.step is not None:
        return f"lost with move {lost.step + 1} of {lost.length}"
    return f"lost after {lost.length} moves"


def _opening(played: DealOutcome) -> str:
    lost = played.lost
    if lost is None:
        return f"The starting position. The solution has {played.length} moves."
    words = f"The starting position. {_method(played)} made {lost.length} moves and did not win."
    if lost.kind == RegretKind.MOVE and lost.step is not None:
        words += f" It lost the game with move {lost.step + 1}."
    return words


def _notes(played: DealOutcome) -> dict[int, str]:
    lost = played.lost
    if lost is None or lost.step is None:
        return {}
    if lost.kind == RegretKind.MOVE:
        return {lost.step + 1: "After this move the game could no longer be won."}
    if lost.kind == RegretKind.STOPPED and lost.length:
        return {lost.length: "The bot stopped here, although a win was still possible."}
    if lost.kind == RegretKind.UNDECIDED and lost.step:
        return {lost.step: "After this move a win was still possible; later it was not found."}
    return {}


def _explain_loss(lost: LostGame) -> None:
    if lost.kind == RegretKind.MOVE and lost.step is not None:
        st.markdown(f"**Lost with move {lost.step + 1} of {lost.length}.**")
        words = "A win was possible before this move but not after it"
    elif lost.kind == RegretKind.STOPPED:
        st.markdown(f"**Stopped after {lost.length} moves.**")
        words = "A win was possible throughout, even at the end"
    elif lost.kind == RegretKind.UNWINNABLE:
        st.markdown("**Lost from the start.**")
        words = "No win was possible from the start"
    else:
        st.markdown("**Lost; the losing move is not known.**")
        words = "Not every position of the game could be decided"
        if lost.step:
            words = f"A win was possible after {lost.step} moves; later none was found"
    st.caption(f"{words}, according to {lost.reference.partition('(')[0]}, which knows all cards.")


def _outcomes(outcomes: list[DealOutcome]) -> None:
    if not outcomes:
        return
    with st.expander("All outcomes: solvers, nodes and times"):
        _outcome_table(outcomes)


def _outcome_table(outcomes: list[DealOutcome]) -> None:
    show_table(
        [
            Column("Ruleset"),
            Column("Solver"),
            Column("Result"),
            Column("Nodes", "number"),
            Column("CPU time", "number"),
            Column("Moves", "number"),
            Column("Dead end"),
            Column("Stored"),
            Column("Provenance", "wide"),
        ],
        [
            (
                ruleset_title(o.ruleset),
                o.by,
                RESULT_WORDS[o.result],
                "–" if o.follows_from else count(o.nodes),
                "–" if o.cpu_ms is None else _time(o.cpu_ms, o.provenance),
                count(o.length),
                "–" if o.dead_end is None else o.dead_end.kind,
                moment(o.created_at),
                "–" if o.provenance is None else _provenance(o.provenance),
            )
            for o in outcomes
        ],
        name="Outcomes",
        cards=True,
    )
    st.caption(
        "A solver has its parameters in brackets, and its version. Nodes are positions that its "
        "search entered; what counts as one depends on the solver."
    )


def _time(cpu_ms: float, provenance: Provenance | None) -> str:
    """A CPU time; of an earlier clock, which counted the compiling of kernels, it is a bound."""
    bound = "≤ " if provenance is None or provenance.times_may_hold_compiling else ""
    return f"{bound}{cpu_ms:,.1f} ms"


def _provenance(provenance: Provenance) -> str:
    """The program and the processor that an outcome comes from."""
    revision = f" ({provenance.revision})" if provenance.revision else ""
    compiler = f"Numba {provenance.numba}" if provenance.numba else "not compiled"
    return f"thoughtful {provenance.program}{revision}, {compiler}, {provenance.processor}"
