"""The card table: a view of one deal, or a replay to step through."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st

from dashboard.viewer.changes import copied, step_as_data, steps
from dashboard.viewer.renderer import Piles, Renderer, renderer_of
from engine.cards import card_name
from engine.game import Move, Position


def show_deal(start: Position, marked: Sequence[int] = (), wanted: Sequence[int] = ()) -> None:
    """Show the cards of a starting position; as text if its game has no renderer.

    Args:
        start: the position.
        marked: cards to outline and number 1, 2, … in this order.
        wanted: further cards, to outline with dashes.
    """
    renderer = renderer_of(start.rules.game)
    if renderer is None:
        st.code(str(start), language=None)
        return
    marks = dict.fromkeys(map(card_name, wanted), "")
    marks |= {card_name(card): str(number) for number, card in enumerate(marked, start=1)}
    _mount(renderer, start.rules.game, copied(renderer.table(start).piles), [], marks)


def show_piles(game: str, piles: Piles, marks: Mapping[str, str]) -> None:
    """Show cards, of which some may not be known.

    Args:
        game: slug of a game with a renderer.
        piles: of `Renderer.seen`.
        marks: numbers of cards to outline, by their names.
    """
    renderer = renderer_of(game)
    assert renderer is not None
    _mount(renderer, game, piles, [], marks)


def show_replay(
    start: Position, moves: Sequence[Move], opening: str, notes: Mapping[int, str] | None = None
) -> None:
    """Show a replay of a game; its moves as text if the game has no renderer.

    Args:
        start: the first position.
        moves: the game.
        opening: the sentence shown with the first position.
        notes: a further sentence for some moves, by their numbers from 1; the viewer marks them.

    Raises:
        ReplayError: a move is illegal.
    """
    renderer = renderer_of(start.rules.game)
    if renderer is None:
        st.code(f"{start}\n\n{' '.join(map(str, moves))}", language=None, wrap_lines=True)
        return
    piles, changes = steps(renderer, start, moves)
    shown = [step_as_data(step, changed) for step, changed in changes]
    for number, note in (notes or {}).items():
        shown[number - 1]["note"] = note
    _mount(renderer, start.rules.game, piles, shown, {}, opening)


def _mount(
    renderer: Renderer,
    game: str,
    piles: Piles,
    shown: list[dict[str, Any]],
    marks: Mapping[str, str],
    opening: str = "",
) -> None:
    data = {"piles": piles, "steps": shown, "marks": dict(marks), "start": opening}
    # The viewer starts again from the first position exactly when its contents change.
    data["id"] = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
    _component(game, renderer.source)(data=data, key=f"table-{data['id']}")


@cache
def _component(game: str, script: str) -> Any:
    """The component that replays a game: the scripts of all games, followed by the game's own."""
    return st.components.v2.component(
        f"thoughtful_table_{game}",
        html=asset("table.html"),
        css=asset("table.css"),
        js=f"{asset('cards.js')}\n{asset('table.js')}\n{script}",
    )


def asset(name: str, package: str = "dashboard.viewer") -> str:
    """The text of a file that goes to the browser."""
    return files(package).joinpath(name).read_text(encoding="utf-8")
