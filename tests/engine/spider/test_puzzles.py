"""Tests of plays for puzzles: which moves are for good, which plays there are, and their themes."""

from collections.abc import Hashable, Iterator
from contextlib import suppress
from itertools import islice
from random import Random

import pytest

from engine.cards import parse_card
from engine.dealing.dealers import deal_by_id
from engine.game import TooManyPlays
from engine.games import get_game
from engine.replay import replay
from engine.spider.deal import SpiderDeal
from engine.spider.moves import DEAL, SpiderKind, SpiderMove
from engine.spider.puzzles import (
    DOING,
    LEAVING,
    begins,
    card_of,
    fits,
    is_for_good,
    plays,
    themes_of_doing,
    themes_of_leaving,
)
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from puzzle_plays import reached
from solvers.analysis import can_be_taken_back

DEALS = range(60)
ONE = SpiderRules(1)


def positions_at_random(rules: SpiderRules = ONE) -> Iterator[SpiderPosition]:
    """Positions without rows to come, each after random moves."""
    random = Random(1)
    for seed in DEALS:
        deal = deal_by_id(f"thoughtful-1:{seed}", get_game("spider"))
        assert isinstance(deal, SpiderDeal)
        position = SpiderPosition.start(deal, rules)
        while position.stock:
            for _ in range(random.randrange(10, 40)):
                moves = [each for each in position.legal_moves() if each != DEAL]
                if moves:
                    position = position.play(random.choice(moves))
            if position.why_illegal(DEAL) is None:
                position = position.play(DEAL)
        for _ in range(random.randrange(30)):
            moves = position.legal_moves()
            if moves:
                position = position.play(random.choice(moves))
        yield position


@pytest.mark.parametrize("suits", [1, 4])
def test_a_move_for_good_is_one_that_no_move_takes_back(suits: int) -> None:
    seen = set()
    for position in islice(positions_at_random(SpiderRules(suits)), 12):
        for move in position.legal_moves():
            after = position.play(move)
            assert is_for_good(position, move) != can_be_taken_back(position, move, after)
            turns_up = sum(map(len, after.down)) < sum(map(len, position.down))
            seen.add((is_for_good(position, move), turns_up))
    assert {(True, False), (False, False)} <= seen
    assert (True, True) in seen or suits == 4


def test_a_row_is_for_good_and_comes_before_puzzles() -> None:
    deal = deal_by_id("thoughtful-1:1", get_game("spider"))
    assert isinstance(deal, SpiderDeal)
    start = SpiderPosition.start(deal, ONE)
    assert is_for_good(start, DEAL)
    assert not begins(start)
    assert begins(next(positions_at_random()))
    assert fits(start.rules)
    assert not fits(SpiderRules(2))


def columns(position: SpiderPosition) -> Hashable:
    """The columns in any order, which tells apart what is not the same without rows to come."""
    return tuple(sorted(zip(position.down, position.up, strict=True)))


def plays_or_none(position: SpiderPosition) -> list[tuple[str, tuple[SpiderMove, ...]]]:
    with suppress(TooManyPlays):
        return list(plays(position))
    return []


def test_plays_are_all_that_moves_one_after_another_lead_to() -> None:
    compared = 0
    for position in positions_at_random():
        several = plays_or_none(position)
        if compared > 100:
            return
        if not 1 <= len(several) <= 60:
            continue
        ends = [replay(position, moves) for _, moves in several]
        assert len({columns(each) for each in ends}) == len(ends)
        assert {columns(each) for each in ends} == reached(position, columns)
        for card, moves in several:
            assert card == card_of(position, moves)
            line = [replay(position, moves[:at]) for at in range(len(moves))]
            assert [is_for_good(*each) for each in zip(line, moves, strict=True)] == [
                *[False] * (len(moves) - 1),
                True,
            ]
        compared += len(several)
    pytest.fail(f"{compared} plays are too few")


def test_too_many_arrangements_are_no_puzzle() -> None:
    runs = tuple(tuple(parse_card(f"{rank}S") for rank in "KQJT98765432") for _ in range(4))
    position = SpiderPosition(ONE, ((),) * 10, (*runs, *[()] * 6), (0, 0, 0, 0), ())
    with pytest.raises(TooManyPlays):
        list(plays(position))


def test_the_card_is_named_by_its_place_in_the_puzzle() -> None:
    """However it was moved before: each card is there eight times."""
    up = tuple(
        tuple(parse_card(text) for text in column.split())
        for column in ("9S 5S 4S", "6S", "6S", "KS 4S", "5S", "", "", "", "", "")
    )
    position = SpiderPosition(ONE, ((),) * 10, up, (0, 0, 0, 0), ())
    away = SpiderMove(SpiderKind.RUN, 0, 1, 2)
    assert card_of(position, (away,)) == "5S of column 1"
    again = SpiderMove(SpiderKind.RUN, 3, 4, 1)
    assert card_of(position, (SpiderMove(SpiderKind.RUN, 4, 2, 1), again)) == "4S of column 4"
    back = SpiderMove(SpiderKind.RUN, 1, 2, 1)
    assert card_of(position, (away, back)) == "4S of column 1"


def test_themes_are_what_the_referee_sees() -> None:
    """Told in other words: from the cards before and after a play."""
    seen = set()
    for position in islice(positions_at_random(), 20):
        several = plays_or_none(position)[:20]
        for card, moves in several:
            others = [each for other, each in several if other != card]
            before, after = replay(position, moves[:-1]), replay(position, moves)
            themes = {
                *themes_of_doing(position, moves),
                *themes_of_leaving(position, moves, others),
            }
            seen |= themes
            assert ("turn-up" in themes) == (after.down != position.down)
            assert ("fill-column" in themes) == (before.up[moves[-1].target] == ())
            if "face-down" in themes:
                assert after.down == position.down
                assert any(replay(position, each).down != position.down for each in others)
    assert seen == {*DOING, *LEAVING}
