"""The analysis board: a component that plays any deal, and asks the server about each position."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import streamlit as st

from dashboard.viewer.changes import step_as_data, steps
from dashboard.viewer.renderer import renderer_of
from dashboard.viewer.table import asset
from engine.errors import BadInput
from engine.game import Deal, Game, Move, Rules
from engine.games import game_of

# In the order in which one module is made of them; the game's own script follows.
_SCRIPTS = (
    "server.js",
    "tree.js",
    "memory.js",
    "analyst.js",
    "longer.js",
    "hands.js",
    "graph.js",
    "board.js",
)

# Characters of a line in a link: several times the longest solution that anybody has stored.
LINE_MOST = 8_000


def read_line(game: Game, text: str) -> tuple[Move, ...]:
    """The moves of a line as a link holds them.

    Raises:
        BadInput: the text is too long, or one of its words is no move of the game.
    """
    if len(text) > LINE_MOST:
        raise BadInput(f"the line in the link has {len(text):,} characters: {LINE_MOST:,} at most")
    return game.parse_solution(text) if text.strip() else ()


def show_board(
    deal: Deal, rules: Rules, name: str | None, line: Sequence[Move], hidden: bool = False
) -> None:
    """Show the board at the end of a line; the deal as text if its game has no renderer.

    Args:
        deal: the deal.
        rules: the ruleset.
        name: by which the server can deal it; None if it must be told the cards.
        line: the moves played so far.
        hidden: whether it begins as a person sees it, without the face-down cards.

    Raises:
        ReplayError: a move of the line is illegal.
    """
    renderer, start = renderer_of(rules.game), game_of(rules).start(deal, rules)
    if renderer is None:
        st.code(str(start), language=None)
        return
    piles, changes = steps(renderer, start, line)
    # The line is no part of it: the board writes its own into the link while it is played on.
    identity = f"{rules.slug}-{name or deal.digest}"
    _component(rules.game, renderer.source)(
        data={
            "id": identity,
            "ask": {"rules": rules.slug, "deal": name or deal.to_json()},
            "piles": piles,
            "steps": [step_as_data(step, changed) for step, changed in changes],
            "hidden": hidden,
        },
        key=f"board-{identity}",
    )


@cache
def _component(game: str, script: str) -> Any:
    """The component that plays a game: the scripts of all games, followed by the game's own."""
    scripts = [asset("cards.js")]
    scripts += [asset(name, "dashboard.board") for name in _SCRIPTS]
    return st.components.v2.component(
        f"thoughtful_board_{game}",
        html=asset("board.html", "dashboard.board"),
        css=f"{asset('table.css')}\n{asset('board.css', 'dashboard.board')}",
        js="\n".join([*scripts, script]),
    )
