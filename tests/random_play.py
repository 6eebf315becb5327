"""Positions that random play leads to."""

from random import Random

from engine.dealing.dealers import deal_by_id
from engine.game import Position
from engine.games import game_of
from engine.rulesets import parse_ruleset


def played_at_random(slug: str, seed: int, moves: int) -> Position:
    """The position after some random moves from a deal; fewer if there is none left."""
    rules = parse_ruleset(slug)
    game = game_of(rules)
    position = game.start(deal_by_id(f"thoughtful-1:{seed}", game), rules)
    chance = Random(seed)
    for _ in range(moves):
        legal = position.legal_moves()
        if not legal:
            break
        position = position.play(chance.choice(legal))
    return position
