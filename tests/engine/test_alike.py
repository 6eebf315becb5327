"""Tests of moves of Klondike and Spider that differ by the empty column they go to alone."""

import random
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.dealing.dealers import get_dealer
from engine.games import game_of, get_game
from engine.rulesets import parse_ruleset
from engine.spider.referee import SpiderPosition
from klondike_rulesets import COVERING, ruled_position


def orderless(position: Any) -> Any:
    """A position without the order of its columns."""
    columns = sorted(zip(position.down, position.up, strict=True))
    return columns, replace(position, down=(), up=())


def check(position: Any) -> int:
    """Check each legal move; return how many are like one before them."""
    first_alike = game_of(position.rules).load_actions().first_alike
    legal = position.legal_moves()
    for move in legal:
        first = first_alike(position, move)
        assert first in legal
        assert first_alike(position, first) == first
        assert orderless(position.play(first)) == orderless(position.play(move))
    return len(legal) - len({first_alike(position, move) for move in legal})


@given(st.sampled_from(COVERING), st.integers(0, 10**9))
def test_alike_moves_of_klondike_differ_by_the_order_of_columns(rules: Any, number: int) -> None:
    check(ruled_position(random.Random(number), rules))


def spider_position(chooser: random.Random, rows: int) -> SpiderPosition:
    """A deal with some columns put onto others, and some rows not dealt yet."""
    game, rules = get_game("spider"), parse_ruleset("spider-2")
    start = game.start(get_dealer("thoughtful-1").deal(chooser.randrange(10**6), game), rules)
    up = [(*down, *shown) for down, shown in zip(start.down, start.up, strict=True)]
    for column in chooser.sample(range(10), 3):
        other = next(each for each in range(10) if each != column and up[each])
        up[other] += up[column]
        up[column] = ()
    return replace(start, down=((),) * 10, up=tuple(up), stock=start.stock[:rows])


@given(st.integers(0, 10**9), st.integers(0, 1))
def test_alike_moves_of_spider_differ_by_the_order_of_columns(number: int, rows: int) -> None:
    alike = check(spider_position(random.Random(number), rows))
    # As long as a row is to be dealt, from the left, columns have an order.
    assert (alike > 0) == (rows == 0)


def test_a_king_of_klondike_is_listed_once_for_all_empty_columns() -> None:
    chooser = random.Random(5)
    found = [check(ruled_position(chooser, parse_ruleset("klondike-draw3"))) for _ in range(300)]
    assert max(found) > 1
