"""Tests of the plays with their chances where cards are not known."""

import pytest

from catalogue.chances import PlayChance, _best, chances, plays_by_chance
from engine.dealing.dealers import deal_by_id
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.advice import Advice
from solvers.choice import Ability, capable
from solvers.solver import parse_solver


def test_spiders_legal_moves_have_chances_and_the_players_choice_is_among_them() -> None:
    rules = parse_ruleset("spider-1")
    game = game_of(rules)
    start = game.start(deal_by_id("thoughtful-1:5", game), rules)
    seen = start.observation()
    found = plays_by_chance(seen, rules, 2.0)
    assert found is not None
    assert {play.moves[0] for play in found} == set(start.legal_moves())
    player = capable(rules, Ability.ADVISE)
    assert player is not None
    (choice,) = player.advise(seen, rules)
    assert choice.moves in [play.moves for play in found]
    assert all(play.trajectories > 0 and play.error is not None for play in found)
    best = max(play.chance or 0 for play in found)
    assert found[0].moves == choice.moves or found[0].chance == best


def test_a_chance_is_the_share_of_games_that_are_won() -> None:
    """At one suit nearly all games are won, at four suits hardly any is, as whole games are."""
    shares = {}
    for slug in ("spider-1", "spider-4"):
        rules = parse_ruleset(slug)
        game = game_of(rules)
        start = game.start(deal_by_id("thoughtful-1:7", game), rules)
        plays = plays_by_chance(start.observation(), rules, 2.0) or []
        shares[slug] = sum(p.wins for p in plays) / sum(p.trajectories for p in plays)
    assert shares["spider-1"] > 0.6
    assert shares["spider-4"] < 0.5


@pytest.mark.parametrize("halves", [False, True])
def test_without_time_only_the_first_games_are_played(halves: bool) -> None:
    rules = parse_ruleset("klondike-draw3")
    start = game_of(rules).start(deal_by_id("thoughtful-1:42"), rules)
    player = parse_solver("exact-uct(trajectories=1, nodes=10)")
    seen = start.observation()
    found = chances(seen, rules, player, samples=9, seconds=0, seed=0, halves=halves)
    assert [play.games for play in found] == [1] * len(start.legal_moves())


def test_a_player_that_counts_wins_is_not_replaced_by_games() -> None:
    rules = parse_ruleset("klondike-draw3")
    start = game_of(rules).start(deal_by_id("thoughtful-1:42"), rules)
    found = plays_by_chance(start.observation(), rules)
    player = capable(rules, Ability.ADVISE)
    assert player is not None
    assert found == player.advise(start.observation(), rules)
    yan = parse_ruleset("klondike-yan")
    assert plays_by_chance(game_of(yan).start(start.as_deal(), yan).observation(), yan) is None


@pytest.mark.parametrize("count", [1, 2, 5, 8, 13])
def test_the_worse_half_rests(count: int) -> None:
    plays = [PlayChance((), wins=at, games=20) for at in range(count)]
    plays[0].advice = Advice((), 0, 0)  # the player's own choice stays
    rounds = max(1, (count - 1).bit_length())
    for turn in range(rounds):
        left = _best(plays, (turn + 0.5) / rounds)
        assert plays[0] in left
        others = [play.wins for play in left if play is not plays[0]]
        expected = max(2, -(-count // 2**turn))
        assert others == sorted(range(1, count), reverse=True)[: len(others)]
        assert min(expected, count) - 1 <= len(others) <= expected
