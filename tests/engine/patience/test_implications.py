"""Tests that games under a ruleset are games under those that it implies."""

from dataclasses import fields, replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.games import get_game
from engine.patience.implications import implies
from engine.patience.layout import same_layout
from engine.patience.rules import CHOICES, Options
from patience_positions import late_position
from random_options import random_options, ruleset
from samples import sizes

PLAIN = Options(cells=2, building="red-black")
ROWS = {"stock": 8, "stock_to": "tableau piles"}
ONTO_GROUP = {"groups": "yes", "group_building": "same-suit", "groups_onto": "group"}
# What may change without another deal; a number for those that have no choices.
CHANGES: dict[str, Any] = {
    "cells": st.integers(0, 6),
    "redeals": st.sampled_from((0, 1, 2, -1)),
    **dict.fromkeys(("removable", "deal_onto_empty"), st.booleans()),
    **{
        option: st.sampled_from(CHOICES[option])
        for option in ("spaces", "building", "groups", "group_building", "groups_onto")
    },
}


@pytest.mark.parametrize("count", sizes(500, 8_000))
def test_every_move_is_one_of_the_laxer_rules(count: int) -> None:
    moves = 0
    laxer = set()

    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        random_options(("columns",)).filter(lambda options: options.foundations),
        st.data(),
        st.integers(0, 10**9),
    )
    def agree(strict: Options, data: st.DataObject, number: int) -> None:
        nonlocal moves
        changed = data.draw(st.lists(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=2))
        try:
            lax = replace(strict, **{option: data.draw(CHANGES[option]) for option in changed})
        except BadInput:
            return
        assume(strict != lax and same_layout(strict, lax))
        if not implies(ruleset(strict), ruleset(lax)):
            return
        laxer.update(
            field.name
            for field in fields(Options)
            if getattr(strict, field.name) != getattr(lax, field.name)
        )
        chooser = Random(number)
        position = late_position(ruleset(strict), chooser, 30)
        for _ in range(40):
            legal = position.legal_moves()
            if not legal or position.is_won:
                break
            cells = (*position.cells, *(None,) * (lax.cells - strict.cells))
            same = replace(position, rules=ruleset(lax), cells=cells)
            assert set(legal) <= set(same.legal_moves()), (strict, lax)
            move = chooser.choice(legal)
            position = position.play(move)
            after = same.play(move)
            assert after.cells[: strict.cells] == position.cells
            assert replace(after, cells=(), redealt=0, rules=position.rules) == replace(
                position, cells=(), redealt=0
            )
            moves += 1

    agree()
    assert moves > count // 4
    assert len(laxer) > 3, laxer


@pytest.mark.parametrize(
    ("strict", "lax", "expected"),
    [
        ({}, {}, True),
        ({"cells": 1}, {"cells": 2}, True),
        ({"cells": 2}, {"cells": 1}, False),
        ({}, {"removable": True}, True),
        ({"removable": True}, {}, False),
        ({"spaces": "kings"}, {"spaces": "any"}, True),
        ({"spaces": "any"}, {"spaces": "kings"}, False),
        ({"building": "same-suit"}, {"building": "any-suit"}, True),
        ({"building": "same-suit"}, {"building": "red-black"}, False),
        ({}, {"groups": "yes"}, True),
        ({"groups": "yes"}, {}, False),
        ({"groups": "yes"}, {"groups": "any-order"}, True),
        ({}, {"groups": "whole-pile"}, False),
        ({}, {"columns": 9}, False),
        ({"stock": 8}, {"stock": 8, "redeals": 1}, True),
        ({"stock": 8, "redeals": 2}, {"stock": 8, "redeals": 1}, False),
        ({"stock": 8, "redeals": 2}, {"stock": 8, "redeals": -1}, True),
        ({"stock": 8, "redeals": -1}, {"stock": 8, "redeals": 2}, False),
        (ROWS | {"deal_onto_empty": False}, ROWS, True),
        (ROWS, ROWS | {"deal_onto_empty": False}, False),
        ({}, {"groups": "yes", "group_building": "same-suit"}, True),
        ({"groups": "yes"}, {"groups": "yes", "group_building": "same-suit"}, False),
        (ONTO_GROUP | {"groups_onto": "building"}, ONTO_GROUP, False),
        ({}, ONTO_GROUP, True),
        (ONTO_GROUP, {"groups": "any-order"}, False),
    ],
)
def test_what_implies_what(strict: Any, lax: Any, expected: bool) -> None:
    assert implies(ruleset(replace(PLAIN, **strict)), ruleset(replace(PLAIN, **lax))) == expected


def test_fewer_cells_imply_more_under_the_presets_of_freecell() -> None:
    rulesets = get_game("freecell").rulesets
    with_cells = {rules.options.cells: rules for rules in rulesets.presets.values()}
    assert sorted(with_cells) == [*range(7)]
    for few, strict in with_cells.items():
        for many, lax in with_cells.items():
            assert rulesets.implies(strict, lax) == (few <= many)
