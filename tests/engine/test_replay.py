"""Tests of lines of moves."""

from random import Random

import pytest

from engine.dealing.dealers import deal_by_id
from engine.game import Move
from engine.games import get_game
from engine.replay import ReplayError, positions, replay, without_loops
from engine.rulesets import parse_ruleset


@pytest.mark.parametrize("ruleset", ["klondike-draw3", "spider-1", "freecell"])
def test_a_line_without_loops_leads_to_the_same_position(ruleset: str) -> None:
    random, shorter = Random(1), 0
    game = get_game(parse_ruleset(ruleset).game)
    dealer = "microsoft" if ruleset == "freecell" else "thoughtful-1"
    for seed in range(1, 9):
        start = game.start(deal_by_id(f"{dealer}:{seed}", game), parse_ruleset(ruleset))
        moves: list[Move] = []
        line = [start]
        for _ in range(random.randrange(80)):
            choice = line[-1].legal_moves()
            if not choice:
                break
            moves.append(random.choice(choice))
            line.append(line[-1].play(moves[-1]))
        kept = without_loops(start, moves)
        reached = list(positions(start, kept))
        assert reached[-1] == line[-1]
        assert len(set(reached)) == len(reached)
        assert set(reached) <= set(line)
        shorter += len(kept) < len(moves)
        assert without_loops(start, kept) == kept
    assert shorter > 0


def test_an_illegal_move_is_named() -> None:
    game = get_game("spider")
    start = game.start(deal_by_id("thoughtful-1:1", game), parse_ruleset("spider-1"))
    row = game.parse_move("D")
    with pytest.raises(ReplayError, match="move 6"):
        without_loops(start, [row] * 6)
    assert replay(start, [row] * 5).legal_moves() != []
