"""Tests of moves to the same position but for the order of cells and columns."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games import game_of
from engine.patience.actions import first_alike
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options
from engine.rulesets import parse_ruleset
from patience_positions import late_position
from random_options import random_options, ruleset
from solvers.analysis import analyse, different
from solvers.deciding import Budget


def orderless(position: PatiencePosition) -> dict[str, object]:
    """A position without the order of its columns and cells."""
    data = position.to_json()
    columns = zip(data.pop("down", ()), data.pop("up", ()), strict=True)
    return data | {"columns": sorted(map(str, columns)), "cells": sorted(data.get("cells", ()))}


@given(random_options(("columns",)).filter(lambda o: o.foundations), st.integers(0, 10**9))
@settings(max_examples=200, deadline=None)
def test_alike_moves_lead_to_the_same_position_but_for_order(options: Options, number: int) -> None:
    position = late_position(ruleset(options), Random(number), 12)
    legal = position.legal_moves()
    for move in legal:
        first = first_alike(position, move)
        assert first in legal
        assert first_alike(position, first) == first
        assert orderless(position.play(first)) == orderless(position.play(move))


def test_alike_moves_are_decided_once() -> None:
    rules = parse_ruleset("freecell")
    game = game_of(rules)
    start = game.start(game.dealings[0].dealer.deal(5, game), rules)
    found = analyse(start, Budget(60_000.0))
    verdicts = {each.move: each.verdict for each in found.moves}
    assert set(verdicts) == set(start.legal_moves())
    shown = different(found.moves)
    assert found.moves[: len(shown)] == tuple(shown)
    assert 0 < len(shown) < len(found.moves)
    for each in found.moves[len(shown) :]:
        assert each.same_as is not None
        assert each.verdict == verdicts[each.same_as]
    assert found.complete
