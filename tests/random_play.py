"""Positions that random play leads to."""

from collections.abc import Iterator, Sequence
from itertools import count, islice
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


def met_at_random(slugs: Sequence[str], number: int) -> Iterator[Position]:
    """As many positions, met in games under each ruleset in turn, at the start and late ones too.

    Play costs more than what is tested on a position as a rule, so a game has several of them.
    """
    return islice(_met(slugs), number)


def _met(slugs: Sequence[str]) -> Iterator[Position]:
    for seed in count():
        rules = parse_ruleset(slugs[seed % len(slugs)])
        game = game_of(rules)
        position = game.start(deal_by_id(f"thoughtful-1:{seed}", game), rules)
        chance = Random(seed)
        yield position
        for at in range(1, 200):
            legal = position.legal_moves()
            if not legal:
                break
            position = position.play(chance.choice(legal))
            if (at + seed) % 20 == 0:
                yield position
