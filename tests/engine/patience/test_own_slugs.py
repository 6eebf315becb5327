"""Tests of users' own rules: slugs that hold all options, and files."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.games import get_game
from engine.patience import own_slugs, presets
from engine.patience.own_slugs import options_of, slug_of
from engine.patience.presets import OWN, preset_games, presets_of, read_rules_file
from engine.patience.rules import Options
from engine.rulesets import call_own_rules, named_rulesets, parse_ruleset, read_rules
from random_options import random_options

MINE = {
    "name": "Two Cell Fan",
    "about": "A small game of my own.",
    "rules": {
        "tableau piles": {"count": 9, "build policy": "same-suit", "move built group": "yes"},
        "cells": {"count": 2},
        "foundations": {"initial cards": "all"},
    },
}


GAMES = dict.fromkeys(preset_games().values())
SLUG = "own-4zv0fwqj13cw"


@given(random_options())
def test_a_slug_holds_all_options(options: Options) -> None:
    slug = slug_of(options)
    assert slug.startswith(OWN)
    assert len(slug) <= 120  # as wide as its column
    assert options_of(slug) == options


def test_every_preset_has_a_slug_of_its_own() -> None:
    every = [preset.rules.options for game in GAMES for preset in presets_of(game)]
    slugs = [slug_of(options) for options in every]
    assert [options_of(slug) for slug in slugs] == every
    assert len(set(slugs)) == len(slugs) >= 70


def test_slugs_keep_their_meaning() -> None:
    """They stand in catalogues: options are only ever added at the end."""
    assert slug_of(Options()) == "own-0"
    assert slug_of(read_rules_file(json.dumps(MINE)).options) == SLUG


def test_values_that_are_added_change_no_slug(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = [preset.rules.options for game in GAMES for preset in presets_of(game)]
    slugs = [slug_of(options) for options in every]
    monkeypatch.setattr(own_slugs, "_KNOWN", {k: [*v, "new"] for k, v in own_slugs._KNOWN.items()})
    options_of.cache_clear()
    assert [options_of(slug) for slug in slugs] == every


def test_rules_that_have_no_name_are_refused() -> None:
    sizes = tuple([2, 0] * 26)
    down = tuple([1, 0] * 26)
    with pytest.raises(BadInput, match="these rules say too much of single columns"):
        slug_of(Options(columns=52, column_sizes=sizes, face_down=down))
    for wrong in ({"face down cards": [1000] * 8}, {"sizes": [1] * 53}):
        with pytest.raises(BadInput, match="one for each column"):
            read_rules_file(json.dumps({"tableau piles": wrong}))


@pytest.mark.parametrize("slug", ["own-", "own-Ä", "freecell", "owned-1", "own-" + "1" * 5000])
def test_other_slugs_are_none(slug: str) -> None:
    assert options_of(slug) is None


@given(st.integers(0, 36**30))
def test_a_slug_has_one_meaning_or_none(number: int) -> None:
    digits, text = "0123456789abcdefghijklmnopqrstuvwxyz", ""
    while number:
        number, digit = divmod(number, 36)
        text = digits[digit] + text
    slug = OWN + (text or "0")
    try:
        found = options_of(slug)
    except BadInput:
        return
    assert found is not None
    assert slug_of(found) == slug


def test_a_file_is_a_game_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presets, "_named", {})  # nobody has named them in this process
    call_own_rules(SLUG, "Two Cell Fan")  # a catalogue was opened, which has names alone
    assert get_game(SLUG).name == "Two Cell Fan"
    rules = read_rules(json.dumps(MINE))
    assert str(rules) == SLUG
    game = get_game(rules.game)
    assert game.name == "Two Cell Fan"
    assert game.rulesets.describe(rules) == "Two Cell Fan. A small game of my own."
    assert parse_ruleset(SLUG) == rules
    # Whoever knows its slug alone plays the same game, and learns its name from a catalogue.
    call_own_rules(SLUG, "Another name")
    assert parse_ruleset(SLUG) == rules
    assert get_game(SLUG).name == "Another name"
    assert get_game(SLUG).rulesets.describe(rules).endswith("A small game of my own.")
    with pytest.raises(BadInput, match="'freecell' is no slug of own rules"):
        call_own_rules("freecell", "FreeCell")


def test_the_rules_of_a_preset_are_that_preset() -> None:
    assert (
        str(read_rules('{"cells": {"count": 4}, "tableau piles": {"build policy": "red-black"}}'))
        == "freecell"
    )


def test_a_preset_has_a_slug_of_its_own_rules_too() -> None:
    """So a catalogue keeps its rows when a preset is added that has the same options."""
    slug = slug_of(parse_ruleset("freecell").options)
    assert parse_ruleset(slug).slug == slug
    assert parse_ruleset(slug).options == parse_ruleset("freecell").options
    assert slug not in named_rulesets()
