"""Solvers and players of every game: their registration, and the default ones at work."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.barrier import compare_games, permuted
from engine.game import Game
from engine.proof import check_wins
from engine.replay import positions, wins
from engine.rulesets import parse_ruleset
from solvers.choice import Ability, capable, default_player, default_solver
from solvers.outcome import Outcome, Result
from solvers.registry import get_method, methods_of
from solvers.solver import configure, parse_solver


def first_deals(game: Game, count: int) -> NDArray[np.uint8]:
    """The first deals of the game's first dealer."""
    dealing = game.dealings[0]
    return dealing.block(dealing.dealer.min_seed, count)


def test_methods_are_registered_under_their_names(game: Game) -> None:
    methods = list(methods_of(game.slug))
    assert {method.sees for method in methods} >= {"observation"}
    for method in methods:
        assert get_method(method.slug) is method
        assert method.is_for(game.slug)
        solver = configure(method, {})
        assert parse_solver(str(solver)) == solver
        # It plays some ruleset that the game names.
        assert any(solver.plays(rules) for rules in game.rulesets.presets.values())
        assert not method.decides or method.sees == "deal"
        assert solver.chunk >= 1


@pytest.mark.parametrize("default", [default_solver, default_player])
def test_an_outcome_depends_on_its_deal_alone(game: Game, default: Any) -> None:
    rules = parse_ruleset(game.rulesets.default)
    solver = default(rules)
    deals = first_deals(game, 4)
    together = solver.solve(deals, rules)
    for row, outcome in zip(deals, together, strict=True):
        (alone,) = solver.solve(row[None], rules)
        assert without_time(alone) == without_time(outcome)
        start = game.start(game.deal(row), rules)
        assert (outcome.moves is not None) == (outcome.result is Result.WON)
        if outcome.moves is not None:
            assert wins(start, game.unpack(outcome.moves))
            assert check_wins(game, row[None], rules, [outcome.moves], plain_share=1.0) == [None]
        if outcome.played is not None:
            assert outcome.result is Result.LOST
            assert not wins(start, game.unpack(outcome.played))
            (reason,) = check_wins(game, row[None], rules, [outcome.played])
            assert reason == f"its {game.length(outcome.played)} moves do not end in a win"


def without_time(outcome: Outcome) -> tuple[Any, ...]:
    return outcome.result, outcome.nodes, outcome.moves, outcome.played, outcome.dead_end


def test_a_judge_decides_starts_as_it_decides_deals(game: Game) -> None:
    rules = parse_ruleset(game.rulesets.default)
    solver = capable(rules, Ability.DECIDE)
    assert (solver is not None) == any(
        method.decides and method.solve_position for method in methods_of(game.slug)
    )
    if solver is not None:
        deals = first_deals(game, 3)
        for row, outcome in zip(deals, solver.solve(deals, rules), strict=True):
            start = game.start(game.deal(row), rules)
            assert solver.solve_position(start).result == outcome.result


def test_deals_that_look_alike_are_played_alike(game: Game) -> None:
    """Until a card turns up that differs; in a game without hidden cards, to the end."""
    rules = parse_ruleset(game.rulesets.default)
    chooser = random.Random(game.slug)
    deals = first_deals(game, 6)
    count = min(3, len(game.hidden))
    others = np.array([permuted(deal, game.hidden, chooser, count) for deal in deals])

    def line_of(outcome: Outcome) -> Sequence[Any]:
        packed = outcome.moves if outcome.moves is not None else outcome.played
        assert packed is not None
        return game.unpack(packed)

    def views(deal: NDArray[np.uint8], line: Sequence[Any]) -> Iterator[Any]:
        for position in positions(game.start(game.deal(deal), rules), line):
            yield position.observation()

    compared, parted = compare_games(default_player(rules), rules, deals, others, line_of, views)
    assert compared > len(deals)
    assert (parted > 0) == bool(game.hidden)
