"""Tests of the plays that are shown where cards are not known."""

import pytest
from streamlit.testing.v1 import AppTest

from patience import SECONDS


def script(chances: list[tuple[int, int, bool]]) -> None:
    from dashboard.elements.plays import show_plays
    from engine.dealing.dealers import deal_by_id
    from engine.games import game_of
    from engine.rulesets import parse_ruleset
    from solvers.advice import Advice

    rules = parse_ruleset("klondike-draw3")
    start = game_of(rules).start(deal_by_id("thoughtful-1:42"), rules)
    plays = [
        Advice((move,), wins, games, certain=certain)
        for move, (wins, games, certain) in zip(start.legal_moves(), chances, strict=False)
    ]
    show_plays(plays, start.observation(), rules)


@pytest.mark.parametrize(
    ("chances", "heading", "is_explained"),
    [
        ([(31, 50, False), (0, 1, True)], "wins about 62 %, give or take 7 %", True),
        ([(0, 1, True), (31, 50, False)], "cannot win", True),
        ([(0, 1, True), (0, 1, True)], "cannot win", False),
        ([(0, 0, False)], "the choice of a bot that counts no wins", False),
    ],
)
def test_what_a_chance_is_stands_below_plays_that_have_one(
    chances: list[tuple[int, int, bool]], heading: str, is_explained: bool
) -> None:
    app = AppTest.from_function(script, args=(chances,), default_timeout=SECONDS).run()
    assert not app.exception
    assert app.subheader[0].value.replace("\xa0", " ").replace("\\", "").endswith(heading)
    captions = [each.value for each in app.caption]
    assert any("how often a bot wins" in each for each in captions) == is_explained


@pytest.mark.parametrize(
    ("chances", "is_said"),
    [([(36, 50, False), (39, 50, False)], True), ([(39, 50, False), (36, 50, False)], False)],
)
def test_a_first_play_that_won_less_often_has_its_reason(
    chances: list[tuple[int, int, bool]], is_said: bool
) -> None:
    app = AppTest.from_function(script, args=(chances,), default_timeout=SECONDS).run()
    assert not app.exception
    captions = [each.value for each in app.caption]
    assert any("which may be luck" in each for each in captions) == is_said
