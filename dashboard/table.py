"""The card table: one deal laid out, or a game to step through."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import streamlit as st

from dashboard import replay, spider_replay
from engine.cards import card_name
from engine.games import Move, Position


def _asset(name: str) -> str:
    return files("dashboard").joinpath(name).read_text(encoding="utf-8")


_TABLE = st.components.v2.component(
    "thoughtful_table", html=_asset("table.html"), css=_asset("table.css"), js=_asset("table.js")
)


def show_deal(start: Position, marked: Sequence[int] = (), wanted: Sequence[int] = ()) -> None:
    """Lay out the cards of a starting position.

    Args:
        start: the position.
        marked: cards to outline and number 1, 2, … in this order.
        wanted: further cards, to outline with dashes.
    """
    marks = dict.fromkeys(map(card_name, wanted), "")
    marks |= {card_name(card): str(number) for number, card in enumerate(marked, start=1)}
    _mount(start, [_drawn_by(start).frame(start)], [], marks)


def show_replay(
    start: Position, moves: Sequence[Move], opening: str, notes: Mapping[int, str] | None = None
) -> None:
    """A viewer that steps through a game.

    Args:
        start: the first position.
        moves: the game.
        opening: what is said of it at the first position.
        notes: a further sentence for some moves, by their numbers from 1; the viewer marks them.

    Raises:
        ReplayError: the referee forbids one of the moves.
    """
    positions, steps = _drawn_by(start).frames(start, moves)
    shown = [{"name": s.name, "sentence": s.sentence, "moved": list(s.moved)} for s in steps]
    for number, note in (notes or {}).items():
        shown[number - 1]["note"] = note
    _mount(start, positions, shown, {}, opening)


def _drawn_by(start: Position) -> Any:
    """The module that makes frames of a game's positions."""
    return {"klondike": replay, "spider": spider_replay}[start.rules.game]


def _mount(
    start: Position,
    positions: list[dict[str, Any]],
    steps: list[dict[str, Any]],
    marks: Mapping[str, str],
    opening: str = "",
) -> None:
    data = {
        "game": start.rules.game,
        "frames": positions,
        "steps": steps,
        "marks": dict(marks),
        "start": opening,
    }
    # The viewer starts again from the first position exactly when its contents change.
    data["id"] = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
    _TABLE(data=data, key=f"table-{data['id']}")
