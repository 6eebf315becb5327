"""Tests of `patience-exact` against exhaustive search and the published table."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine.dealing.dealers import get_dealer
from engine.games import get_game
from engine.patience.moves import PatienceMove
from engine.patience.presets import game_slugs
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options, PatienceRules
from engine.rulesets import parse_ruleset
from patience_positions import late_position
from random_options import random_options, ruleset
from samples import sizes
from solvers.outcome import Outcome, Result
from solvers.patience import plain, searching
from solvers.patience.searching import solve, solve_position

VALUES = {"nodes": 100_000, "memory_mib": 64}


def with_columns(options: Options) -> bool:
    """Whether the options are those of a game with columns and foundations."""
    return options.foundations


def wins(position: PatiencePosition, outcome: Outcome) -> bool:
    """Whether the moves of a win are legal and win."""
    assert outcome.moves is not None
    for at in range(0, len(outcome.moves), 3):
        position = position.play(PatienceMove(*outcome.moves[at : at + 3]))
    return position.is_won


def compare(position: PatiencePosition, nodes: int) -> str:
    """The verdict on a position, on which both solvers agree.

    ``unknown`` if it is too large, ``gave_up`` if it is for the complete search alone, which meets
    other positions first.
    """
    known = plain.solve_position(position, {"nodes": nodes})
    if known.result is Result.GAVE_UP:
        return "unknown"
    found = solve_position(position, VALUES)
    if found.result is Result.GAVE_UP:
        return found.result.value
    assert found.result is known.result, f"{position.rules.options}\n{position.to_json()}"
    assert found.result is not Result.WON or wins(position, found)
    return found.result.value


@pytest.mark.parametrize(("count", "nodes"), sizes((80, 400), (200, 1_000)))
def test_agrees_with_exhaustive_search_under_random_options(count: int, nodes: int) -> None:
    seen = Counter[str]()

    @settings(
        max_examples=count,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(random_options(("columns",)).filter(with_columns), st.integers(0, 10**9))
    def agree(options: Options, number: int) -> None:
        chooser = Random(number)
        for most in (5, 9, 14):
            seen[compare(late_position(ruleset(options), chooser, most), nodes)] += 1

    agree()
    assert seen["won"] > count // 4
    assert seen["unwinnable"] > count // 4
    assert seen["gave_up"] <= 2 + count // 200, seen


@pytest.mark.parametrize(("count", "nodes"), sizes((4, 300), (150, 500)))
@pytest.mark.parametrize(
    "rules",
    [
        rules
        for slug in game_slugs()
        for rules in get_game(slug).rulesets.presets.values()
        if rules.options.foundations
    ],
    ids=str,
)
def test_agrees_with_exhaustive_search_on_every_preset(
    rules: PatienceRules, count: int, nodes: int
) -> None:
    chooser = Random(str(rules))
    seen = Counter[str]()
    for number in range(20 * count):
        seen[compare(late_position(rules, chooser, 4 + number % 12), nodes)] += 1
        # Of some games few late positions are small enough.
        if number >= count and seen["won"] + seen["unwinnable"] > 0:
            break
    assert seen["won"] + seen["unwinnable"] > 0


def test_a_budget_of_one_position_is_kept() -> None:
    game = get_game("freecell")
    start = game.start(get_dealer("microsoft").deal(617, game), game.rulesets.presets["freecell"])
    found = solve_position(start, {"nodes": 1, "memory_mib": 4})
    assert found.result is Result.GAVE_UP
    assert found.nodes <= 2


def test_deals_are_decided_as_their_starts_are() -> None:
    """By the way that jobs take, which loads deals of its own."""
    for slug in ("alpha-star", "trigon", "eight-off", "canfield", "freecell-4-columns"):
        game = get_game(slug)
        rules = game.rulesets.presets[slug]
        deals = get_dealer("solvitaire").deal_block(1, 20, game)
        for cards, found in zip(deals, solve(deals, rules.options, VALUES), strict=True):
            start = game.start(game.deal(cards.tolist()), rules)
            again = solve_position(start, VALUES)
            assert (found.result, found.nodes) == (again.result, again.nodes), slug


def test_a_win_longer_than_the_room_for_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The room grows: searches of many millions of positions may go a million steps deep."""
    game = get_game("freecell")
    rules = parse_ruleset("freecell")
    assert isinstance(rules, PatienceRules)
    deal = get_dealer("microsoft").deal(1, game).as_array()[None]
    (expected,) = solve(deal, rules.options, VALUES)
    monkeypatch.setattr(searching.work, "path", np.zeros(2, dtype=np.int64))
    monkeypatch.setattr(searching.work, "moves", np.zeros(1024, dtype=np.uint8))
    (found,) = solve(deal, rules.options, VALUES)
    assert found.result is Result.WON
    assert found.moves == expected.moves
