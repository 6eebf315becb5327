"""Tests of rules as Solvitaire's files have them."""

import json
from typing import Any

import pytest

from engine.errors import BadInput
from engine.klondike.rules import KlondikeRules, parse_klondike
from engine.klondike.solvitaire_rules import read_rules, write_rules
from klondike_rulesets import COVERING

KLONDIKE: dict[str, dict[str, Any]] = {
    "tableau piles": {
        "count": 7,
        "build policy": "red-black",
        "spaces policy": "kings",
        "move built group": "yes",
        "diagonal deal": True,
        "face up cards": "top",
    },
    "foundations": {"removable": True},
    "stock": {"size": 24, "deal count": 3, "redeal": True},
}


def test_klondike_is_what_it_is_there() -> None:
    assert read_rules(json.dumps(KLONDIKE)) == parse_klondike("klondike-draw3")
    assert json.loads(write_rules(parse_klondike("klondike-draw3"))) == KLONDIKE
    more = KLONDIKE | {"stock": {**KLONDIKE["stock"], "deal type": "waste"}}
    assert read_rules(json.dumps(more)) == parse_klondike("klondike-draw3")


def test_rules_as_they_are_printed_and_as_they_come_with_the_program() -> None:
    """Listing 1 of Blake and Gent 2026, and the keys that later versions have besides."""
    piles = KLONDIKE["tableau piles"] | {"move built group": "partial-if-card-above-buildable"}
    assert read_rules(json.dumps(KLONDIKE | {"tableau piles": piles})) == (
        parse_klondike("klondike-draw3")
    )
    foundations = {"removable": True, "only complete pile moves": False}
    assert read_rules(json.dumps(KLONDIKE | {"foundations": foundations})) == (
        parse_klondike("klondike-draw3")
    )


@pytest.mark.parametrize("rules", COVERING, ids=str)
def test_what_is_written_is_read_back_or_refused(rules: KlondikeRules) -> None:
    if rules.partial_runs and not rules.redeals:
        assert read_rules(write_rules(rules)) == rules
    else:
        with pytest.raises(BadInput, match=f"Solvitaire cannot play {rules.slug}: "):
            write_rules(rules)


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("tableau piles", {"count": 8}, '"count" in "tableau piles" is 8: expected 7'),
        ("tableau piles", {"build policy": "no-build"}, 'is "no-build": expected "red-black" or'),
        ("tableau piles", {"move built group": "no"}, 'is "no": expected "yes" or "partial-if'),
        ("tableau piles", {"colour": 1}, 'Klondike has no "colour" in "tableau piles"'),
        ("stock", {"deal count": 25}, '"deal count" in "stock" is 25: expected 1 to 24'),
        ("stock", {"deal count": True}, '"deal count" in "stock" is true: expected 1 to 24'),
        ("stock", {"redeal": 1}, '"redeal" in "stock" is 1: expected true or false'),
        ("cells", {"count": 4}, 'Klondike has no "cells"'),
    ],
)
def test_what_is_not_klondike(part: str, change: dict[str, Any], message: str) -> None:
    data: dict[str, Any] = {**KLONDIKE, part: {**KLONDIKE.get(part, {}), **change}}
    with pytest.raises(BadInput) as caught:
        read_rules(json.dumps(data))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"tableau piles": {}}', json.dumps(KLONDIKE)[:-1]]
)
def test_garbage_is_bad_input(text: str) -> None:
    with pytest.raises(BadInput):
        read_rules(text)


def test_a_missing_option_is_named() -> None:
    stock = {key: value for key, value in KLONDIKE["stock"].items() if key != "redeal"}
    with pytest.raises(BadInput, match='"redeal" in "stock" is missing'):
        read_rules(json.dumps(KLONDIKE | {"stock": stock}))
