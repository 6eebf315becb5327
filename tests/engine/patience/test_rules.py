"""Tests of rules of patience games: options, Solvitaire's language, presets, users' files."""

import csv
import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.games import get_game
from engine.patience.language import KEYS, read_options, write_options
from engine.patience.presets import game_of_ruleset, preset_games, presets_of, read_rules_file
from engine.patience.rules import Options
from engine.rulesets import parse_ruleset
from paths import ROOT
from random_options import random_options
from samples import sizes


@given(random_options())
def test_rules_come_back_from_the_language(options: Options) -> None:
    data = json.loads(json.dumps(write_options(options)))
    assert read_options(data) == options


def test_the_empty_object_is_streets_and_alleys() -> None:
    assert write_options(Options()) == {}
    assert parse_ruleset("streets-and-alleys").options == Options()  # type: ignore[attr-defined]


def test_every_option_has_a_key() -> None:
    assert {option for keys in KEYS.values() for option in keys.values()} == {
        field.name for field in fields(Options)
    }


WRONG = [
    ([], "rules are a JSON object"),
    ({"tables": {}}, "rules have no 'tables'"),
    ({"": {}}, "rules have no ''"),
    ({"cells": 3}, "'cells' must be a JSON object, not 3"),
    ({"cells": {"number": 3}}, "'cells' has no 'number': expected 'count', 'pre-filled'"),
    ({"cells": {"count": "4"}}, "'count' in 'cells': cells must be a whole number"),
    ({"cells": {"count": True}}, "whole number from 0 to 20, not True"),
    ({"cells": {"count": 2, "pre-filled": 3}}, "3 cells cannot be filled where there are 2"),
    ({"stock": {"redeal": 1}}, "'redeal' in 'stock' must be true or false, not 1"),
    ({"stock": {"redeal": True, "redeals": 1}}, "say the same"),
    ({"stock": {"size": 60}}, "begin with 60 cards, and the deck has 52"),
    ({"stock": {"size": 4, "deal type": "hole"}}, "there is none"),
    ({"hole": {"present": True}}, "exactly one of foundations, hole, accordion and sequences"),
    ({"foundations": {"present": False}}, "not none of them"),
    ({"foundations": {"base card": "random"}}, "a random base needs a card on a foundation"),
    ({"foundations": {"base card": "14"}}, "base must be one of 'A'"),
    ({"foundations": {"base card": "9"}, "max rank": 8}, "the base 9 is higher than"),
    (
        {"foundations": {"only complete pile moves": True, "removable": True}},
        "foundations of complete runs begin empty",
    ),
    (
        {"hole": {"present": True, "base card": "ZZ"}, "foundations": {"present": False}},
        "'ZZ' is not a card",
    ),
    ({"tableau piles": {"count": 0}}, "52 cards are left for the columns, and there are none"),
    ({"tableau piles": {"spaces policy": "auto-waste-then-stock"}}, "a stock that goes to a waste"),
    ({"tableau piles": {"spaces policy": "auto-reserve-then-any"}}, "need a stacked reserve"),
    ({"tableau piles": {"sizes": [52]}}, "column sizes must be 8 numbers of 52 cards"),
    ({"tableau piles": {"sizes": ["x"]}}, "must be whole numbers, one for each column"),
    (
        {"tableau piles": {"build policy": "no-build", "move built group": "yes"}},
        "groups cannot move where building is 'no-build'",
    ),
    ({"reserve": {"size": 52}, "max rank": 12}, "begin with 52 cards, and the deck has 48"),
    (
        {
            "foundations": {"present": False},
            "tableau piles": {"count": 0},
            "accordion": {"size": 52, "moves": ["X1"], "build policies": ["same-suit"]},
        },
        "accordion moves must be words such as 'L3' or 'R1', not 'X1'",
    ),
    (
        {
            "foundations": {"present": False},
            "tableau piles": {"count": 0},
            "sequences": {"count": 3},
        },
        "sequences must be 4, a row for each suit of each deck, not 3",
    ),
]


@pytest.mark.parametrize(("data", "words"), WRONG)
def test_wrong_rules_get_a_sentence(data: Any, words: str) -> None:
    with pytest.raises(BadInput) as refusal:
        read_options(data)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 120) | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def some_rules() -> st.SearchStrategy[Any]:
    """Objects that look like rules, with anything in them."""
    values = st.one_of(
        ANYTHING,
        st.sampled_from(("any-suit", "yes", "kings", "random", "A", "one", "L", ["L1"], 0, 4, 13)),
    )
    parts = {
        part: st.dictionaries(st.sampled_from([*keys, "other"]), values, max_size=3)
        for part, keys in KEYS.items()
        if part
    }
    return st.one_of(
        ANYTHING,
        st.fixed_dictionaries({}, optional=parts | {"max rank": values, "two decks": values}),
    )


@pytest.mark.parametrize("count", sizes(400, 4_000))
def test_garbage_gets_one_sentence(count: int) -> None:
    sentences: list[str] = []

    @settings(max_examples=count, deadline=None)
    @given(some_rules())
    def read(data: Any) -> None:
        try:
            options = read_options(data)
        except BadInput as refusal:
            sentences.append(str(refusal))
        else:
            assert read_options(write_options(options)) == options

    read()
    assert len(sentences) > count // 4
    assert not [sentence for sentence in sentences if "\n" in sentence or not sentence]


def test_options_that_say_nothing_have_their_usual_values() -> None:
    plain = Options(building="red-black")
    assert Options(building="red-black", hole_base="KH", deal_count=3, redeals=2) == plain
    assert Options(building="red-black", group_building="same-suit") == plain
    grouped = Options(building="red-black", groups="yes")
    assert grouped.group_building == "red-black"
    assert replace(grouped, groups_onto="group") == grouped


def test_every_published_row_has_one_preset() -> None:
    lines = (ROOT / "catalogue/reproduction/blake-gent-2026-table-8.csv").read_text("utf-8")
    rows = [row["game"] for row in csv.DictReader(lines.splitlines()[1:])]
    assert len(rows) == 49
    found = [
        preset.published
        for game in dict.fromkeys(preset_games().values())
        for preset in presets_of(game)
        if preset.published
    ]
    assert sorted(found) == sorted(rows)


def test_presets_have_names_and_are_different_games() -> None:
    seen: dict[Options, str] = {}
    titles = set()
    for slug, game in preset_games().items():
        assert game_of_ruleset(slug) == game
        rules: Any = parse_ruleset(slug)
        assert (rules.slug, rules.game) == (slug, game)
        assert rules.title not in titles
        titles.add(rules.title)
        assert seen.setdefault(rules.options, slug) == slug
        (preset,) = (each for each in presets_of(game) if each.rules == rules)
        assert preset.about.endswith(".")
        assert preset.source
        assert get_game(game).rulesets.describe(rules).endswith(".")


def test_files_of_presets_are_written_as_they_read() -> None:
    """No file says what is usual, or says it in another way."""
    for path in (ROOT / "engine" / "patience" / "presets").rglob("*.json"):
        rules = json.loads(path.read_text())["rules"]
        assert write_options(read_options(rules)) == rules, path.name


OWN = {
    "name": "Two Towers",
    "about": "Nine columns built down in suit, and three cells.",
    "rules": {"tableau piles": {"count": 9, "build policy": "same-suit"}, "cells": {"count": 3}},
}


def test_a_file_of_rules_is_a_game() -> None:
    rules = read_rules_file(json.dumps(OWN))
    assert rules.title == "Two Towers"
    assert rules.slug == rules.game
    assert parse_ruleset(rules.slug) == rules
    assert read_rules_file(json.dumps(OWN["rules"])).slug == rules.slug
    game = get_game(rules.game)
    position = game.start(game.deal(game.dealings[0].block(1, 1)[0]), rules)
    assert position.legal_moves()
    form = game.rules_forms["solvitaire"]
    assert form.read(form.write(rules)) == rules
    assert (
        read_rules_file(
            '{"cells": {"count": 4}, "tableau piles": {"build policy": "red-black"}}'
        ).slug
        == "freecell"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "rules are a JSON object"),
        ('{"rules": {}, "colour": "red"}', "a file of rules has no 'colour'"),
        ('{"rules": {}, "name": 7}', "'name' must be text, not 7"),
        ('{"rules": {}, "pysolfc": "freecell"}', "'pysolfc' names a deal of presets alone"),
    ],
)
def test_a_wrong_file_gets_a_sentence(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_rules_file(text)


def test_what_solvitaire_lacks_is_not_written_for_it() -> None:
    lacking = (("yukon", "sizes"), ("gargantua", "redeals"), ("spiderette", "deal onto"))
    for slug, words in (*lacking, ("penguin", "initial cards 'others'")):
        form = get_game(slug).rules_forms["solvitaire"]
        with pytest.raises(BadInput, match=words):
            form.write(parse_ruleset(slug))
