"""Play: the table first, with a game on it."""

from datetime import date

import streamlit as st

from catalogue.difficulty.playable import PLAYED
from catalogue.difficulty.puzzles import check_wanted
from dashboard.board.board import read_line
from dashboard.play.play import show_play
from dashboard.server.connection import show_error
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.intake import EntryReader, read_one
from engine.replay import replay
from engine.rulesets import parse_ruleset


def show() -> None:
    """The game that the link names; else the one that was left, else a new one."""
    _show(None)


def show_daily() -> None:
    """The deals of the day, over the table."""
    _show("daily")


def show_puzzles() -> None:
    """The choice of a puzzle, over the table."""
    _show("puzzles")


def _show(sheet: str | None) -> None:
    """The game of the link; without one a sheet over the game that was left, or over a new one."""
    try:
        rules = parse_ruleset(st.query_params["rules"]) if "rules" in st.query_params else None
        opened = _linked(rules, sheet)
    except BadInput as error:
        show_error(error)
        st.markdown("[Play another game](./play)")
        return
    show_play(opened, sheet if opened is None else None, None if rules is None else rules.slug)


def _linked(given: Rules | None, sheet: str | None) -> dict[str, object] | None:
    """The game of the link under the rules that it gives; None for none.

    Raises:
        BadInput: it is nothing that can be played.
    """
    query = st.query_params
    rules = given or parse_ruleset(PLAYED[0])
    if "date" in query:
        try:
            day = date.fromisoformat(query["date"])
        except ValueError:
            raise BadInput("the date in the link is not one such as 2026-11-28") from None
        return {"rules": rules.slug, "deal": None, "kind": "daily", "date": day.isoformat()}
    is_game = query.keys() & {"deal", "text"}
    if "key" in query or (sheet == "puzzles" and not is_game):
        check_wanted(rules.slug, query.get("theme"))
    if "key" in query:
        puzzle = {"theme": query.get("theme"), "key": query["key"]}
        return {"rules": rules.slug, "kind": "puzzle", **puzzle}
    text = query.get("deal") or query.get("text")
    if not text:
        is_new = given is not None and sheet is None
        return {"rules": rules.slug, "deal": None, "kind": "new"} if is_new else None
    entry = read_one(text, EntryReader(rules, asked="rules" in query))
    line = read_line(game_of(entry.rules), query.get("line", ""))
    start = replay(entry.position, line)
    if entry.name is not None and not line:
        return {"rules": entry.rules.slug, "deal": entry.name, "name": entry.name, "kind": "deal"}
    return {"rules": entry.rules.slug, "deal": start.to_json(), "name": None, "kind": "deal"}
