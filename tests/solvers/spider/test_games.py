"""Tests of all players of Spider: information barrier, replay, and refused input."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.barrier import compare_games, permuted
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from engine.spider import GAME as SPIDER
from engine.spider.deal import COLUMN_START, SpiderDeal
from engine.spider.moves import DEAL
from engine.spider.referee import SpiderPosition
from engine.spider.rules import PRESETS as SPIDER_PRESETS
from engine.spider.rules import SpiderRules
from samples import thorough_case
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver
from solvers.spider import games as spider_games
from solvers.spider.games import seen_at_start
from twins.spider_board import covered
from twins.spider_players import line_of, naive_row, positions

THOUGHTFUL = get_dealer("thoughtful-1")
RULES = list(SPIDER_PRESETS.values())
HIDDEN_PLACES = [place for place in range(104) if place + 1 not in COLUMN_START[1:]]
PLAYERS = [
    "monkey(level=1, period=25)",
    "monkey(level=2, period=25)",
    "monkey(level=3, period=25)",
    "monkey(level=4, p=50, period=25)",
    "spider-player(width=4, moves=12)",
    thorough_case("look-ahead(iterations=15, moves=8)"),
    thorough_case("look-ahead(iterations=8, moves=12, level=3)"),
    thorough_case("look-ahead(iterations=8, moves=12, level=4)"),
]


def rows(first: int, count: int) -> NDArray[np.uint8]:
    return THOUGHTFUL.deal_block(first, count, SPIDER)


def views(rules: SpiderRules, cards: NDArray[np.uint8], line: Any) -> Iterator[SpiderPosition]:
    """What can be seen from the start of a deal on."""
    for position in positions(SpiderPosition.start(SpiderDeal.of(cards), rules), line):
        yield covered(position)


@pytest.mark.parametrize("player", PLAYERS)
def test_deals_that_look_alike_are_played_alike(player: str) -> None:
    """Until a card that differs is turned up or dealt."""
    chooser = Random(player)
    solver = parse_solver(f"{player[:-1]}, random_seed=3)")
    compared = parted = 0
    for number, rules in enumerate(RULES):
        cards = rows(323_000 + 100 * number, 4)
        # Few other cards are met late.
        for count in (len(HIDDEN_PLACES), 2, 2):
            others = np.array([permuted(row, HIDDEN_PLACES, chooser, count) for row in cards])
            same, differ = compare_games(
                solver, rules, cards, others, line_of, partial(views, rules)
            )
            compared += same
            parted += differ
    assert compared > 1000
    assert 26 < parted < 72


def test_what_is_seen_at_the_start() -> None:
    for row in rows(324_000, 5):
        seen = seen_at_start(row)
        deal = SpiderDeal.of(row)
        assert [int(card) for card in seen if card != 255] == [c[-1] for c in deal.tableau]
        assert [place for place in range(104) if seen[place] != row[place]] == HIDDEN_PLACES


def achieved(outcomes: list[Outcome]) -> list[tuple[Any, ...]]:
    return [(each.result, each.nodes, each.moves, each.played) for each in outcomes]


@pytest.mark.parametrize("player", PLAYERS[:6:3] + PLAYERS[4:6])
def test_an_outcome_depends_on_deal_and_parameters_only(player: str) -> None:
    cards = rows(325_000, 6)
    before = cards.copy()
    solver = parse_solver(player)
    straight = achieved(solver.solve(cards, RULES[1]))
    assert achieved(solver.solve(cards[::-1], RULES[1])) == straight[::-1]
    assert achieved(solver.solve(cards[2:3], RULES[1])) == straight[2:3]
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(lambda row: solver.solve(row[None], RULES[1])[0], cards)
        assert achieved(list(parts)) == straight
    assert (cards == before).all()
    assert solver.solve(cards[:0], RULES[1]) == []
    other = parse_solver(f"{player[:-1]}, random_seed=9)")
    assert achieved(other.solve(cards, RULES[1])) != straight


@pytest.mark.parametrize("player", PLAYERS[:6:3] + PLAYERS[4:6])
def test_games_without_room_are_played_again(player: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short line changes nothing of what is played."""
    cards = rows(328_000, 3)
    solver = parse_solver(player)
    expected = achieved(solver.solve(cards, RULES[2]))
    assert max(len(played or moves or b"") for _, _, moves, played in expected) > 100
    monkeypatch.setattr(spider_games, "USUAL_MOVES", 1)
    assert achieved(solver.solve(cards, RULES[2])) == expected


@pytest.mark.parametrize("slug", ["spider-1-relaxed", "spider-1", "spider-2", "spider-4-relaxed"])
@pytest.mark.parametrize(
    "player",
    [
        *(f"monkey(level={level}, period=300)" for level in (1, 2, 3, 4)),
        thorough_case("look-ahead(iterations=40, moves=15)"),
        "spider-player(width=10, moves=30)",
    ],
)
def test_games_replay(player: str, slug: str) -> None:
    """Every win is one, and every lost game's moves are legal and do not win."""
    rules = SPIDER_PRESETS[slug]
    cards = rows(329_000, 8)
    results: Counter[Result] = Counter()
    for row, outcome in zip(cards, parse_solver(player).solve(cards, rules), strict=True):
        line = line_of(outcome)
        *_, last = positions(SpiderPosition.start(SpiderDeal.of(row), rules), line)
        assert outcome.result is (Result.WON if last.is_won else Result.LOST)
        results[outcome.result] += 1
        if player.startswith("monkey"):
            assert outcome.nodes == len(line) <= 6 * 300
        else:
            # It gives up with the stock empty, or too few cards for a row.
            assert last.is_won or not last.stock or naive_row(last)[-1:] != [DEAL]
    assert results.total() == 8
    if rules.suits == 1:
        assert results[Result.WON] > 0


@pytest.mark.parametrize(
    ("player", "name", "value", "expected"),
    [
        ("monkey", "level", 0, "1 to 4"),
        ("monkey", "level", 5, "1 to 4"),
        ("monkey", "p", -1, "0 to 100"),
        ("monkey", "p", 101, "0 to 100"),
        ("monkey", "period", 0, "1 to 100000"),
        ("monkey", "period", 100_001, "1 to 100000"),
        ("monkey", "random_seed", -1, "0 to 2147483647"),
        ("monkey", "random_seed", 2**31, "0 to 2147483647"),
        ("look-ahead", "iterations", 0, "1 to 10000000"),
        ("look-ahead", "iterations", 10_000_001, "1 to 10000000"),
        ("look-ahead", "moves", 0, "1 to 10000"),
        ("look-ahead", "moves", 10_001, "1 to 10000"),
        ("look-ahead", "turned", -1, "0 to 1000000"),
        ("look-ahead", "connector", 1_000_001, "0 to 1000000"),
        ("look-ahead", "gone", -1, "0 to 1000000"),
        ("look-ahead", "level", 0, "1 to 4"),
        ("look-ahead", "level", 5, "1 to 4"),
        ("look-ahead", "random_seed", -1, "0 to 2147483647"),
        ("spider-player", "width", 0, "1 to 100000"),
        ("spider-player", "width", 100_001, "1 to 100000"),
        ("spider-player", "moves", 0, "1 to 1000"),
        ("spider-player", "moves", 1001, "1 to 1000"),
        ("spider-player", "turned", -1, "0 to 100000"),
        ("spider-player", "square", 100_001, "0 to 100000"),
        ("spider-player", "noise", 0, "1 to 100000"),
    ],
)
def test_parameters_out_of_range_are_refused(
    player: str, name: str, value: int, expected: str
) -> None:
    with pytest.raises(BadInput) as caught:
        parse_solver(f"{player}({name}={value})")
    assert str(caught.value) == (f"{name}={value} of {player} is out of range: expected {expected}")


# Parameters that make a short game.
SHORT = {
    "monkey": {"period": 3},
    "look-ahead": {"iterations": 3, "moves": 3},
    "spider-player": {"width": 3, "moves": 5},
}


@pytest.mark.parametrize("slug", SHORT)
def test_parameters_at_the_ends_of_their_ranges_play(slug: str) -> None:
    method = parse_solver(slug).method
    for parameter in method.parameters:
        # Long games, and wide and long searches, take long.
        most = 300 if parameter.name in ("period", *SHORT[slug]) else parameter.high
        for value in (parameter.low, most):
            given = {**SHORT[slug], parameter.name: value}
            text = f"{slug}({', '.join(f'{n}={v}' for n, v in given.items())})"
            (outcome,) = parse_solver(text).solve(rows(326_000, 1), RULES[0])
            assert line_of(outcome)


@pytest.mark.parametrize("slug", SHORT)
def test_other_games_are_refused(slug: str) -> None:
    klondike = parse_ruleset("klondike-draw3")
    with pytest.raises(BadInput) as caught:
        parse_solver(slug).solve(THOUGHTFUL.deal_block(0, 1), klondike)
    said, _, others = str(caught.value).partition("; ")
    assert said == f"{slug} does not play klondike-draw3: it plays Spider"
    assert others.startswith("who plays klondike-draw3: exact, ")
    assert all(parse_solver(slug).plays(rules) for rules in RULES)


def test_compiled_and_interpreted_agree(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    program = (
        "from engine.dealing.dealers import get_dealer\n"
        "from engine.spider import GAME as SPIDER\n"
        "from engine.rulesets import parse_ruleset\n"
        "from solvers.solver import parse_solver\n"
        "cards = get_dealer('thoughtful-1').deal_block(327_000, 2, SPIDER)\n"
        "found = []\n"
        "for slug, text, which in [\n"
        "    ('spider-4', 'monkey(period=40)', slice(2)),\n"
        "    ('spider-2-relaxed', 'monkey(level=2,period=40)', slice(2)),\n"
        "    ('spider-1', 'monkey(level=3,period=60)', slice(2)),\n"
        "    ('spider-1-relaxed', 'monkey(level=4,period=60)', slice(2)),\n"
        "    ('spider-1', 'look-ahead(iterations=4,moves=6)', slice(1)),\n"
        "    ('spider-2-relaxed', 'look-ahead(iterations=3,moves=9,level=2)', slice(1)),\n"
        "    ('spider-4', 'look-ahead(iterations=4,moves=6,level=3,gone=3)', slice(1)),\n"
        "    ('spider-1', 'spider-player(width=3,moves=6)', slice(1)),\n"
        "    ('spider-2-relaxed', 'spider-player(width=3,moves=6)', slice(1)),\n"
        "    ('spider-4', 'spider-player(width=3,moves=6)', slice(1)),\n"
        "]:\n"
        "    for each in parse_solver(text).solve(cards[which], parse_ruleset(slug)):\n"
        "        moves = each.moves or each.played or b''\n"
        "        found.append((each.result, each.nodes, moves.hex()))\n"
    )
    compiled, interpreted = with_and_without_compiler(program)
    assert compiled == interpreted
    assert len({moves for _, _, moves in compiled}) == len(compiled)
