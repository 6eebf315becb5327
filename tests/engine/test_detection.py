"""Tests of finding out what a text is."""

import json
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import card_name
from engine.dealing.dealers import deal_by_id
from engine.detection import MOST, detect
from engine.errors import BadInput
from engine.game import Game
from engine.games import game_of, games, get_game
from engine.rulesets import parse_ruleset
from samples import sizes

DRAW3 = parse_ruleset("klondike-draw3")
KLONDIKE = game_of(DRAW3)


@pytest.mark.parametrize("game", list(games()), ids=lambda game: game.slug)
def test_every_format_of_every_game_is_detected(game: Game) -> None:
    rules = parse_ruleset(game.rulesets.default)
    for seed in range(5):
        name = f"{game.dealings[0].dealer.slug}:{game.dealings[0].dealer.min_seed + seed}"
        deal = deal_by_id(name, game)
        found = detect(f"  {name}\n", rules)
        assert (found.deal, found.name) == (deal, name)
        for codec in game.codecs:
            found = detect(f"\n{codec.write(deal)}  ", rules)
            assert found.deal == deal
            assert found.position == game.start(deal, rules)
            assert found.form == codec.summary
        start = game.start(deal, rules)
        assert detect(json.dumps(start.to_json()), rules).position == start


def test_positions_in_mid_game_and_what_is_seen_of_them() -> None:
    position = KLONDIKE.start(deal_by_id("thoughtful-1:8", KLONDIKE), DRAW3)
    chance = Random(8)
    for _ in range(40):
        position = position.play(chance.choice(position.legal_moves()))
    assert KLONDIKE.write_table is not None
    for text in (KLONDIKE.write_table(position), json.dumps(position.to_json(), indent=1)):
        found = detect(text, DRAW3)
        assert found.position == position
        assert found.deal is None
    found = detect(json.dumps(position.observation()), DRAW3)
    assert found.position is None
    assert found.observation == position.observation()


# Games no two of which are dealt alike: else a deal of one is one of the other, too.
UNLIKE = ("klondike", "spider", "freecell", "canfield", "golf", "accordion", "gaps")


def test_what_is_of_another_game_is_said_to_be() -> None:
    for game in map(get_game, UNLIKE):
        rules = parse_ruleset(game.rulesets.default)
        deal = deal_by_id(f"{game.dealings[0].dealer.slug}:5", game)
        for other in map(get_game, UNLIKE):
            if other == game:
                continue
            theirs = parse_ruleset(other.rulesets.default)
            for codec in game.codecs:
                if codec.slug in {each.slug for each in other.codecs}:
                    with pytest.raises(BadInput, match="this is a deal of") as refusal:
                        detect(codec.write(deal), theirs)
                    # Several games may be dealt alike.
                    assert game.name in str(refusal.value)
            start = game.start(deal, rules)
            for data in (start.to_json(), start.observation()):
                with pytest.raises(BadInput, match=f"the position is one of {rules.slug}, and"):
                    detect(json.dumps(data), theirs)


def test_an_error_is_that_of_the_form_that_a_text_looks_like() -> None:
    deal = deal_by_id("thoughtful-1:8", KLONDIKE)
    board = next(codec for codec in KLONDIKE.codecs if codec.slug == "pysolfc").write(deal)
    top = card_name(deal.piles("tableau")[6][-1])
    twice = board.rstrip()[:-2] + card_name(deal.piles("tableau")[0][0])
    wrong = {
        "": "there is no text",
        "hello": "'hello' is neither a deal nor a position that can be read",
        "thoughtful-2:5": "unknown dealer 'thoughtful-2'",
        "[1]": "is neither a deal",
        "{": "not JSON",
        "{}": "a position needs the keys",
        '{"tableau": 3, "stock": []}': '"tableau" must be a list',
        "0123": "card 2 of the digits",
        twice: top,
        board.replace(top, "XX"): "'XX' is not a card",
        "x" * (MOST + 1): "at most are read",
    }
    for text, answer in wrong.items():
        with pytest.raises(BadInput) as caught:
            detect(text, DRAW3)
        assert answer in str(caught.value), (text, str(caught.value))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("count", sizes(300, 1_000))
def test_junk_is_one_sentence(count: int) -> None:
    deal = deal_by_id("thoughtful-1:9", KLONDIKE)
    real = [codec.write(deal) for codec in KLONDIKE.codecs]
    real.append(json.dumps(KLONDIKE.start(deal, DRAW3).to_json()))
    assert KLONDIKE.write_table is not None
    real.append(KLONDIKE.write_table(KLONDIKE.start(deal, DRAW3)))

    @settings(max_examples=count, deadline=None)
    @given(
        st.sampled_from(["", *real]), st.text(max_size=30), st.integers(0, 2_000), st.integers(0, 9)
    )
    def read(text: str, junk: str, at: int, gone: int) -> None:
        at = min(at, len(text))
        with suppress(BadInput):
            found = detect(text[:at] + junk + text[at + gone :], DRAW3)
            assert found.position is not None or found.observation is not None

    read()
