"""Tests of `patience-player` against its twin, and of its games by the referee."""

from random import Random

import pytest

from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.games import get_game
from engine.patience.presets import preset_games
from engine.patience.referee import PatiencePosition
from engine.replay import replay
from engine.rulesets import parse_ruleset
from patience_positions import late_position
from samples import sizes
from solvers.outcome import Outcome, Result
from solvers.patience.player import METHOD
from solvers.solver import configure, parse_solver
from twins.patience_player import NaivePlayer

OPEN = [slug for slug in preset_games() if METHOD.plays(parse_ruleset(slug))]


def end_of(start: PatiencePosition, outcome: Outcome) -> PatiencePosition:
    """The position in which a game ended, by the referee."""
    packed = outcome.moves if outcome.played is None else outcome.played
    assert packed is not None
    return replay(start, get_game(start.rules.game).unpack(packed))


def start_of(slug: str, seed: int) -> PatiencePosition:
    rules = parse_ruleset(slug)
    game = get_game(rules.game)
    found: PatiencePosition = game.start(get_dealer("solvitaire").deal(seed, game), rules)
    return found


def test_it_plays_games_of_open_cards_alone() -> None:
    assert {"freecell", "bakers-game", "eight-off", "simple-simon"} <= set(OPEN)
    for slug in ("yukon", "canfield", "golf", "gaps"):
        with pytest.raises(BadInput, match=f"patience-player does not play {slug}"):
            configure(METHOD, {}).check_plays(parse_ruleset(slug))


@pytest.mark.parametrize("count", sizes(60, 1_500))
def test_games_are_those_of_the_twin(count: int) -> None:
    chooser = Random("player")
    ends = [0, 0]
    decisions = 0
    for number in range(count):
        slug = chooser.choice(OPEN)
        if number % 3:
            start = late_position(parse_ruleset(slug), chooser, 40)
        else:
            start = start_of(slug, chooser.randint(1, 10**6))
        positions, seed = chooser.choice((1, 3, 10, 40)), chooser.randint(0, 5)
        outcome = configure(METHOD, {"positions": positions, "random_seed": seed}).solve_position(
            start
        )
        twin = NaivePlayer(positions, seed)
        naive = twin.play(start)
        case = f"{slug}, {positions}, {seed}\n{start.to_json()}"
        assert (outcome.result is Result.WON, outcome.nodes) == (naive.won, naive.entered), case
        # By the referee it ends where the twin does.
        end = end_of(start, outcome)
        assert end.is_won == naive.won, case
        assert twin.end_of(end) == naive.end, case
        ends[naive.won] += 1
        decisions += naive.decisions
    assert min(ends) > count // 10
    assert decisions > 2 * count


def test_who_looks_further_ahead_wins_more() -> None:
    rules = parse_ruleset("freecell")
    deals = get_dealer("microsoft").deal_block(1, 100, get_game("freecell"))
    won = [
        sum(
            outcome.result is Result.WON
            for outcome in configure(METHOD, {"positions": positions}).solve(deals, rules)
        )
        for positions in (1, 10, 100, 1_000)
    ]
    assert won == sorted(set(won))
    assert won[0] < 5
    assert won[-1] > 60


def test_games_depend_on_the_random_seed_and_on_nothing_before_them() -> None:
    """The solver that decides keeps its order of positions, and counts the same of them."""
    rules, game = parse_ruleset("freecell"), get_game("freecell")
    deals = get_dealer("microsoft").deal_block(1, 20, game)
    exact = parse_solver("patience-exact(memory_mib=64)")
    before = [outcome.nodes for outcome in exact.solve(deals, rules)]
    games = [
        [outcome.nodes for outcome in configure(METHOD, {"random_seed": seed}).solve(deals, rules)]
        for seed in (3, 4, 3)
    ]
    assert games[0] == games[2] != games[1]
    assert [outcome.nodes for outcome in exact.solve(deals, rules)] == before
    for cards, nodes in zip(deals, games[0], strict=True):
        start = game.start(game.deal(cards.tolist()), rules)
        assert configure(METHOD, {"random_seed": 3}).solve_position(start).nodes == nodes
