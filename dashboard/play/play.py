"""The table on which people play, as a component that fills the window."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

import streamlit as st

from catalogue.difficulty.deal_of_day import usual_dealer
from catalogue.difficulty.grading import LEVELS
from catalogue.difficulty.playable import BANDS, PLAYED, Band
from catalogue.difficulty.puzzles import RULESETS, puzzle_plays, themes_of
from catalogue.difficulty.shipped import shipped_model
from dashboard.elements.wording import ruleset_title
from dashboard.viewer.renderer import renderer_of
from dashboard.viewer.table import asset
from engine.games import family_of, game_of, games
from engine.rulesets import parse_ruleset

# In the order in which one module is made of them, after the cards and the games.
_BOARD_SCRIPTS = ("server.js", "tree.js", "hands.js", "longer.js")
_SCRIPTS = ("elements.js", "games.js", "sheets.js", "hints.js", "puzzles.js", "play.js")

# The page has no room for anything but the table.
_STYLE = """<style>
[data-testid="stHeader"], [data-testid="stSidebar"] { display: none; }
[data-testid="stMainBlockContainer"] { padding: 0 !important; max-width: none !important; }
</style>"""


def show_play(
    opened: dict[str, Any] | None, sheet: str | None = None, rules: str | None = None
) -> None:
    """Show the table.

    Args:
        opened: what is played, ``rules`` and ``kind`` with ``deal`` and ``name``, ``date``, or
            ``theme`` and ``key``; of the kind ``new`` any deal; None for the game that was left,
            else a new one.
        sheet: the sheet that is shown first, ``daily`` or ``puzzles``.
        rules: slug of the ruleset that is chosen there.
    """
    st.html(_STYLE)
    if opened is not None:
        opened = {**opened, **_offered(opened["rules"])}
    data = {
        "games": [_offered(slug) for slug in dict.fromkeys((*PLAYED, *filter(None, (rules,))))],
        "open": opened,
        "bands": _bands(),
        "sheet": sheet,
        "rules": rules,
        "puzzles": {slug: themes_of(puzzle_plays(parse_ruleset(slug))) for slug in RULESETS},
        "today": datetime.now(UTC).date().isoformat(),
    }
    identity = f"{sheet}-{rules}-{opened}"
    _component()(data={"id": identity, **data}, key="play")


def _bands() -> str:
    """The names of the levels of each band, in words."""
    named = ((str(band).capitalize(), *BANDS[band]) for band in Band if band is not Band.ANY)
    return " ".join(
        f"{name}: {LEVELS[low - 1].lower()} to {LEVELS[high - 1].lower()}."
        for name, low, high in named
    )


def _offered(slug: str) -> dict[str, Any]:
    rules = parse_ruleset(slug)
    dealer = usual_dealer(rules)
    return {
        "rules": slug,
        "title": ruleset_title(slug),
        "game": game_of(rules).slug,
        "levels": shipped_model(slug) is not None,
        "dealer": {
            "slug": dealer.slug,
            "title": dealer.title,
            # As texts: numbers of a script are not exact that far.
            "first": str(dealer.min_seed),
            "last": str(dealer.max_seed),
        },
    }


@cache
def _component() -> Any:
    """The component: the scripts of all games, each in a scope of its own, and the table's."""
    own = 'typeof tableIn === "undefined" ? undefined : tableIn'
    found = {family_of(game.slug): renderer_of(game.slug) for game in games()}
    functions = [
        f'"{family}": (LAYOUT) => {{\n{renderer.script}\nreturn {{ GAME, tableIn: {own} }};\n}}'
        for family, renderer in found.items()
        if renderer is not None
    ]
    scripts = [asset("cards.js"), asset("fitting.js", "dashboard.play")]
    scripts.append("const SCRIPTS = {\n" + ",\n".join(functions) + "\n};")
    scripts += [asset(name, "dashboard.board") for name in _BOARD_SCRIPTS]
    scripts += [asset(name, "dashboard.play") for name in _SCRIPTS]
    return st.components.v2.component(
        "thoughtful_play",
        html=asset("play.html", "dashboard.play"),
        css="\n".join(
            (
                asset("table.css"),
                asset("board.css", "dashboard.board"),
                asset("play.css", "dashboard.play"),
            )
        ),
        js="\n".join(scripts),
    )
