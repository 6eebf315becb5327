"""Wins of `patience-exact` in FreeCell's standard notation, judged by another reading of it."""

from typing import Any

import numpy as np
import pytest

from engine.dealing.dealers import deal_by_id
from engine.games import game_of
from engine.notations import read_moves, write_moves
from engine.replay import replay
from engine.rulesets import parse_ruleset
from samples import sizes
from solvers.solver import parse_solver
from standard_notation import cards_home


@pytest.mark.parametrize("count", sizes(40, 500))
@pytest.mark.parametrize(
    ("slug", "dealer"),
    [
        ("freecell", "microsoft"),
        ("freecell-3-cells", "microsoft"),
        ("eight-off", "thoughtful-1"),
        ("bakers-game", "thoughtful-1"),
        ("seahaven-towers", "thoughtful-1"),
    ],
)
def test_wins_are_wins_in_standard_notation(slug: str, dealer: str, count: int) -> None:
    rules: Any = parse_ruleset(slug)
    solver = parse_solver("patience-exact(nodes=2_000_000)")
    game = game_of(rules)
    board = next(codec for codec in game.codecs if codec.slug == "pysolfc")
    o = rules.options
    won = shorter = 0
    for number in range(1, count + 1):
        deal = deal_by_id(f"{dealer}:{number}", game)
        (outcome,) = solver.solve(deal.as_array()[np.newaxis], rules)
        if outcome.moves is None:
            continue
        won += 1
        before = game.start(deal, rules)
        moves = game.unpack(outcome.moves)
        text = write_moves(moves, before, "freecell")
        assert cards_home(board.write(deal), text, o.cells, o.building, o.spaces) == 52
        read = read_moves(text, before)
        assert replay(before, read) == replay(before, moves)
        assert len(read) == len(moves)
        shorter += len(text.split()) < len(moves)
    assert won > 0
    assert shorter > 0
