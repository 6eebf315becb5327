"""Tests of the advice of `spider-player` on positions in mid-game."""

from random import Random

import pytest

from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.games import get_game
from engine.kernels.compiler import COMPILED
from engine.rulesets import parse_ruleset
from engine.spider.moves import SpiderKind
from engine.spider.referee import SpiderPosition
from samples import sizes
from solvers.choice import Ability, capable

GAME = get_game("spider")


def turned(before: SpiderPosition, after: SpiderPosition) -> bool:
    return sum(map(len, after.down)) < sum(map(len, before.down))


@pytest.mark.parametrize("slug", ["spider-4", "spider-4-relaxed", "spider-1"])
@pytest.mark.parametrize("count", sizes(3, 6))
def test_whoever_follows_the_advice_plays_legal_moves_and_wins_easy_games(
    slug: str, count: int
) -> None:
    rules = parse_ruleset(slug)
    player = capable(rules, Ability.ADVISE)
    assert player is not None
    wins = 0
    for seed in range(100, 100 + count):
        position: SpiderPosition = GAME.start(deal_by_id(f"thoughtful-1:{seed}", GAME), rules)
        for _ in range(1_000 if COMPILED else 2):
            found = player.advise(position.observation(), rules)
            assert found == player.advise(position.observation(), rules)
            if not found:
                break
            (play,) = found
            assert (play.chance, play.error, play.certain) == (None, None, False)
            for at, move in enumerate(play.moves):
                assert position.why_illegal(move) is None
                after = position.play(move)
                last = at == len(play.moves) - 1
                # Nobody knows what comes after a card that turns up, or after a row.
                assert last or not (turned(position, after) or move.kind is SpiderKind.DEAL)
                position = after
        else:
            assert not COMPILED, "the advice leads in a circle"
            continue
        few = sum(map(len, position.up)) < 10 and not any(position.down)
        assert position.is_won or not position.stock or few
        wins += position.is_won
    if slug == "spider-1" and COMPILED:
        assert 3 * wins >= 2 * count


def test_hidden_cards_have_no_influence() -> None:
    rules = parse_ruleset("spider-4")
    player = capable(rules, Ability.ADVISE)
    assert player is not None
    start: SpiderPosition = GAME.start(deal_by_id("thoughtful-1:5", GAME), rules)
    answer = start.to_json()
    places = [pile for key in ("down", "stock") for pile in answer[key]]
    hidden = [card for pile in places for card in pile]
    Random(1).shuffle(hidden)
    for pile in places:
        pile[:] = [hidden.pop() for _ in pile]
    other = SpiderPosition.from_json(answer, rules)
    assert other != start
    assert player.advise(other.observation(), rules) == player.advise(start.observation(), rules)
    with pytest.raises(BadInput, match="lies face down or in the stock"):
        player.advise(start.to_json(), rules)
