"""Tests of putting the cards of a position down by hand."""

from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.cards import SUITS
from engine.errors import BadInput
from engine.games import game_of
from engine.klondike.rules import parse_klondike
from engine.klondike.setting import setting
from engine.klondike.table_text import read_table, write_table
from engine.rulesets import parse_ruleset

RULES = parse_ruleset("klondike-draw3")
RULESETS = [
    RULES,
    *map(parse_klondike, ("klondike-draw3-build-any-suit", "klondike-draw1-build-same-suit")),
]


def put_at_random(data: st.DataObject, rules: Any, known: bool) -> dict[str, list[str]]:
    """Put down whatever is offered until nothing is."""
    table: dict[str, list[str]] = {}
    while True:
        shown = setting(table, rules)
        open_places = [
            (place, [card for card in place.takes if known == (card != "<??>") or "<" not in card])
            for place in shown.places
        ]
        open_places = [each for each in open_places if each[1]]
        if not open_places:
            return table
        place, takes = data.draw(st.sampled_from(open_places))
        card = data.draw(st.sampled_from(takes))
        table[place.name] = [*([] if place.replaced else table.get(place.name, [])), card]


@settings(max_examples=5, deadline=None, phases=[Phase.generate])
@given(st.data())
def test_whatever_is_offered_leads_to_a_position_that_the_referee_accepts(data: Any) -> None:
    rules: Any = data.draw(st.sampled_from(RULESETS))
    table = put_at_random(data, rules, known=True)
    shown = setting(table, rules)
    if shown.text is None:
        # A column without an open card, or cards that fit nowhere: it says so.
        assert shown.problem
        return
    assert not shown.left
    position = game_of(rules).position_from_json(read_table(shown.text), rules)
    written = read_table(write_table(position))
    assert written | {"rules": None} == read_table(shown.text) | {"rules": None}


def test_what_is_impossible_is_refused() -> None:
    for wrong in (
        {"waste": ["KH", "KH"]},
        {"C": ["2C"], "waste": ["AC"]},
        {"column1": ["<KH>"]},
        {"column2": ["KH", "QD"]},
        {"column3": ["<??>", "<KH>"]},
        {"cellar": ["KH"]},
        {"waste": ["??"]},
    ):
        with pytest.raises(BadInput):
            setting(wrong)


def test_a_foundation_takes_all_cards_below() -> None:
    shown = setting({"H": ["QH"], "waste": ["9C"]})
    places = {place.name: place for place in shown.places}
    assert places["H"].takes == ("KH",)
    assert places["C"].takes == tuple(f"{rank}C" for rank in "A2345678")
    assert len(shown.left) == 52 - 13
    won = setting({suit: [f"K{suit}"] for suit in SUITS})
    assert won.text is not None


def test_unknown_cards_are_those_left() -> None:
    table = {suit: [f"T{suit}"] for suit in "CDSH"} | {"column7": ["<??>"] * 6 + ["KC"]}
    shown = setting(table)
    assert shown.problem == "5 cards have no place yet"
    more = {"waste": ["JC", "JD", "JS", "JH", "QC"]}
    assert setting(table | more).text is not None
