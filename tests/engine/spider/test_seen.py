"""Tests of what is seen of a position of Spider, read back with stand-ins for the hidden cards."""

from random import Random

import numpy as np
import pytest

from engine.cards import HIDDEN
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.games import get_game
from engine.rulesets import parse_ruleset
from engine.spider.board import lay_out, lay_position, new_board, shift, turn_all_up
from engine.spider.deal import as_counted
from engine.spider.moves import SpiderKind
from engine.spider.referee import SpiderPosition
from engine.spider.seen import stand_in
from random_play import played_at_random

GAME = get_game("spider")


@pytest.mark.parametrize("slug", ["spider-4", "spider-2", "spider-1"])
@pytest.mark.parametrize("seed", range(8))
def test_a_stand_in_looks_the_same_and_knows_nothing_else(seed: int, slug: str) -> None:
    rules = parse_ruleset(slug)
    position = played_at_random(slug, seed, 6 * seed)
    found = stand_in(position.observation(), rules)
    assert found.observation() == position.observation()
    assert found.up == position.up
    hidden = [card for pile in (*found.down, *found.stock) for card in pile]
    assert hidden == sorted(hidden)


def test_what_cannot_be_seen_is_one_sentence() -> None:
    rules = parse_ruleset("spider-4")
    position = played_at_random("spider-4", 3, 10)
    seen = position.observation()
    column = next(k for k, pile in enumerate(seen["down"]) if pile)
    named = [list(pile) for pile in seen["down"]]
    named[column][0] = "KS"
    with pytest.raises(BadInput, match="KS lies face down or in the stock"):
        stand_in({**seen, "down": named}, rules)
    fewer = [list(pile) for pile in seen["down"]]
    fewer[column].pop()
    with pytest.raises(BadInput, match=r"\d+ cards are .., but \d+ are not seen"):
        stand_in({**seen, "down": fewer}, rules)
    with pytest.raises(BadInput, match="'XX' is not a card"):
        stand_in({**seen, "up": [["XX"], *seen["up"][1:]]}, rules)
    for broken in ({"down": [[HIDDEN]]}, {**seen, "completed": dict.fromkeys("CDSH", 1e999)}):
        with pytest.raises(BadInput, match="what is seen of a position of Spider needs the keys"):
            stand_in(broken, rules)


def test_a_position_is_laid_out_as_the_moves_to_it_leave_the_board() -> None:
    rules = parse_ruleset("spider-1")
    for seed in range(12):
        deal = deal_by_id(f"thoughtful-1:{seed}", GAME)
        cards = as_counted(np.array([deal.cards], dtype=np.uint8), rules.suits)[0]
        played, laid = new_board(), new_board()
        lay_out(cards, played)
        position: SpiderPosition = GAME.start(deal, rules)
        chance = Random(seed)
        for _ in range(25):
            runs = [m for m in position.legal_moves() if m.kind is SpiderKind.RUN]
            if not runs:
                break
            move = chance.choice(runs)
            shift(played, move.source, move.target, move.cards)
            turn_all_up(played, cards)
            position = position.play(move)
            lay_position(position, laid)
            assert list(laid.meta) == list(played.meta)
            for part in ("size", "down", "run"):
                assert list(getattr(laid, part)) == list(getattr(played, part)), part
            for column, up in enumerate(position.up):
                first = len(position.down[column])
                for board in (laid, played):
                    assert tuple(board.cards[column, first : first + len(up)]) == up
