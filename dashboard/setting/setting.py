"""The table on which the cards of a position are put down: a component, drawn as the viewer's."""

from functools import cache
from typing import Any

import streamlit as st

from dashboard.viewer.renderer import renderer_of
from dashboard.viewer.table import asset
from engine.game import Game
from engine.games import game_of
from engine.rulesets import parse_ruleset


def can_be_set(game: Game) -> bool:
    """Whether cards of a game can be put down on a table that is drawn."""
    renderer = renderer_of(game.slug)
    return game.setting is not None and renderer is not None and renderer.places is not None


def set_cards(slug: str) -> str | None:
    """Show the table of a ruleset; the text of the position when it has just been asked about."""
    game = game_of(parse_ruleset(slug)).slug
    renderer = renderer_of(game)
    assert renderer is not None
    asked: str | None = _component(game, renderer.source)(
        data={"rules": slug}, key=f"setting-{slug}", on_asked_change=lambda: None
    ).asked
    return asked


@cache
def _component(game: str, script: str) -> Any:
    """The component of a game: the scripts of all games, followed by the game's own."""
    package = "dashboard.setting"
    return st.components.v2.component(
        f"thoughtful_setting_{game}",
        html=asset("setting.html", package),
        css=f"{asset('table.css')}\n{asset('setting.css', package)}",
        js=f"{asset('cards.js')}\n{asset('setting.js', package)}\n{script}",
    )
