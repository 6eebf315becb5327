"""`benchmarks/planners.py`: its readings of `hop` are what they say."""

import sys
from pathlib import Path

import numpy as np
import pytest

from engine.dealers import get_dealer
from engine.errors import BadInput
from engine.rulesets import PRESETS
from solvers.hidden_game import Game, Player
from solvers.kplus_actions import NEEDED
from solvers.planners import HindsightPlayer

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from measuring.hindsight import OtherwisePlayer, Ways
from planners import READINGS, chosen, play

DEALS = get_dealer("thoughtful-1").deal_block(250_000, 8)


def new_game() -> Game:
    return Game(PRESETS["klondike-draw3"], 3)


def lines(game: Game, player: Player) -> list[tuple[bool, list[int], list[int]]]:
    """Of each deal: whether it is won, the actions, and where the draws end."""
    played = []
    for cards in DEALS:
        won, length = game.play(cards, player)
        played.append((won, game.line[:length].tolist(), game.mind.draws.tolist()))
    return played


@pytest.mark.parametrize(("samples", "level"), [(4, 0), (1, 1)])
def test_nothing_done_otherwise_is_hop(samples: int, level: int) -> None:
    game = new_game()
    expected = lines(game, HindsightPlayer(NEEDED, samples, level, game.mind.own))
    game = new_game()
    assert lines(game, OtherwisePlayer(Ways(), samples, level, game.mind.own)) == expected


def test_every_reading_plays_otherwise() -> None:
    seen = set()
    for name in READINGS["hop"]:
        won = play("thoughtful-1", 0, 60, "hop(samples=2, level=0)", name)
        assert 0 < won.sum() < 60
        seen.add(np.packbits(won).tobytes())
    assert len(seen) == len(READINGS["hop"])


def test_readings_are_chosen_by_number() -> None:
    names = list(READINGS["hop"])
    assert chosen("hop", None) == names
    assert chosen("hop", "3,1") == [names[2], names[0]]
    for wrong in ("0", "9", "x", "1,", ""):
        with pytest.raises(BadInput, match="hop has 1 to 8"):
            chosen("hop", wrong)
