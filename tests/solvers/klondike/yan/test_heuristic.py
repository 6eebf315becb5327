"""Tests of `yan-heuristic`: the kernel against the referee, its tables and its wins."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.kernels.rng import random_below, seed_rng, split_rng
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import MOVES, new_position, set_up
from engine.klondike.moves import (
    KlondikeKind,
    KlondikeMove,
    move_byte,
    move_of_byte,
    unpack_solution,
)
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS, KlondikeRules
from engine.klondike.whole_runs import legal_moves, play
from engine.rulesets import parse_ruleset
from solvers.klondike.yan.heuristic import METHOD, THE_PAPER, YanReading, choose, rate, wins
from solvers.outcome import Result
from solvers.solver import parse_solver
from twins.yan import NaivePlay, NaiveRng

RULES = PRESETS["klondike-yan"]
THOUGHTFUL = get_dealer("thoughtful-1")


def random_deals(first: int, count: int) -> list[KlondikeDeal]:
    return [KlondikeDeal.of(row) for row in THOUGHTFUL.deal_block(first, count)]


def naive_game(
    deal: KlondikeDeal, rules: KlondikeRules, random_seed: int, reading: YanReading
) -> tuple[bool, list[KlondikeMove]]:
    """The whole game by the referee's moves."""
    rng = NaiveRng.of_deal(deal, random_seed)
    return NaivePlay(reading).game(KlondikePosition.start(deal, rules), False, 0, rng)


def kernel_game(
    deal: KlondikeDeal, rules: KlondikeRules, random_seed: int, reading: YanReading
) -> tuple[bool, list[KlondikeMove]]:
    """The whole game by the kernel, one move at a time."""
    position = new_position()
    moves = np.zeros(MOVES, dtype=np.int64)
    rng = np.zeros(2, dtype=np.int64)
    set_up(deal.as_array(), rules.draw, position)
    seed_rng(deal.as_array(), random_seed, rng)
    played: list[KlondikeMove] = []
    while (move := choose(position, rng, reading, moves)) >= 0:
        play(position, move)
        played.append(move_of_byte(int(move)))
        if position[4:8].sum() == 52:
            return True, played
    return False, played


def test_legal_moves_and_play_are_the_referees() -> None:
    chooser = random.Random(5)
    position = new_position()
    moves = np.zeros(MOVES, dtype=np.int64)
    for number, deal in enumerate(random_deals(7_000, 30)):
        rules = KlondikeRules(draw=(3, 1, 5)[number % 3], partial_runs=False)
        referee = KlondikePosition.start(deal, rules)
        set_up(deal.as_array(), rules.draw, position)
        for _ in range(120):
            legal = [move_byte(move) for move in referee.legal_moves()]
            assert moves[: legal_moves(position, moves)].tolist() == legal
            if not legal:
                break
            ups = [byte for byte in legal if byte == 2 or 10 <= byte < 17]
            move = chooser.choice(ups if ups and chooser.random() < 0.5 else legal)
            referee = referee.play(move_of_byte(move))
            play(position, move)


@pytest.mark.parametrize(
    ("reading", "count"),
    [
        (THE_PAPER, 40),
        (YanReading(waste_up=5, queens=1), 40),
        (YanReading(waste_up=10, turning=5), 40),
        (YanReading(queens=3), 30),
    ],
)
def test_games_agree_move_by_move(reading: YanReading, count: int) -> None:
    won = 0
    for number, deal in enumerate(random_deals(30_000, count)):
        expected = naive_game(deal, RULES, number % 3, reading)
        assert kernel_game(deal, RULES, number % 3, reading) == expected
        won += expected[0]
    assert 0 < won < count


def test_other_draw_counts_agree_too() -> None:
    for draw in (1, 2, 7):
        rules = KlondikeRules(draw=draw, partial_runs=False)
        for deal in random_deals(40_000, 12):
            expected = naive_game(deal, rules, 0, THE_PAPER)
            assert kernel_game(deal, rules, 0, THE_PAPER) == expected


def test_method_plays_the_same_games_and_its_wins_replay() -> None:
    deals = THOUGHTFUL.deal_block(0, 600)
    outcomes = METHOD.solve(deals, RULES, {"random_seed": 0})
    won = 0
    for cards, outcome in zip(deals, outcomes, strict=True):
        deal = KlondikeDeal.of(cards)
        if outcome.result is Result.WON:
            won += 1
            assert outcome.moves is not None
            assert outcome.nodes == len(outcome.moves)
            assert proves_win(deal, RULES, unpack_solution(outcome.moves))
        else:
            assert outcome.result is Result.LOST
            assert outcome.moves is None
            assert outcome.nodes > 0
    assert won > 5
    assert [o.result is Result.WON for o in outcomes] == wins(deals).tolist()
    for cards, outcome in list(zip(deals, outcomes, strict=True))[:25]:
        result, played = naive_game(KlondikeDeal.of(cards), RULES, 0, THE_PAPER)
        assert (outcome.result is Result.WON, outcome.nodes) == (result, len(played))


def test_an_outcome_depends_on_cards_and_seed_only() -> None:
    deals = THOUGHTFUL.deal_block(500, 300)
    straight = METHOD.solve(deals, RULES, {"random_seed": 0})
    turned = METHOD.solve(deals[::-1], RULES, {"random_seed": 0})
    other = METHOD.solve(deals, RULES, {"random_seed": 1})
    assert [(o.result, o.nodes, o.moves) for o in straight] == [
        (o.result, o.nodes, o.moves) for o in turned[::-1]
    ]
    assert [o.nodes for o in straight] != [o.nodes for o in other]


def test_compiled_and_interpreted_agree(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    program = (
        "from engine.dealing.dealers import get_dealer\n"
        "from solvers.solver import parse_solver\n"
        "from engine.klondike.rules import PRESETS\n"
        "cards = get_dealer('thoughtful-1').deal_block(0, 60)\n"
        "found = [(o.result, o.nodes, o.moves and o.moves.hex()) for o in\n"
        "         parse_solver('yan-heuristic').solve(cards, PRESETS['klondike-yan'])]\n"
    )
    compiled, interpreted = with_and_without_compiler(program)
    assert compiled == interpreted
    assert any(result == "won" for result, _, _ in compiled)


def test_draws_are_even_and_repeat() -> None:
    rng = np.zeros(2, dtype=np.int64)
    deal = random_deals(1, 1)[0]
    seed_rng(deal.as_array(), 9, rng)
    twin = NaiveRng.of_deal(deal, 9)
    drawn = [int(random_below(rng, 6)) for _ in range(6_000)]
    assert drawn == [twin.below(6) for _ in range(6_000)]
    others = np.zeros(2, dtype=np.int64)
    split_rng(rng, others)
    split = twin.split()
    for _ in range(100):
        assert random_below(others, 1000) == split.below(1000)
        assert random_below(rng, 1000) == twin.below(1000)
    counts = np.bincount(drawn, minlength=6)
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 30  # chi-squared, 5 degrees: p < 0.00002


def test_ratings_of_the_paper() -> None:
    """Scores before priorities, priorities in order, juggling and moves down never."""
    position = new_position()
    moves = np.zeros(MOVES, dtype=np.int64)
    seen: dict[tuple[KlondikeKind, int], int] = {}
    rng = np.zeros(2, dtype=np.int64)
    for deal in random_deals(50_000, 300):
        set_up(deal.as_array(), 3, position)
        seed_rng(deal.as_array(), 0, rng)
        while True:
            for byte in moves[: legal_moves(position, moves)].tolist():
                key = (move_of_byte(byte).kind, int(rate(position, byte, THE_PAPER)))
                seen[key] = seen.get(key, 0) + 1
            move = choose(position, rng, THE_PAPER, moves)
            if move < 0:
                break
            play(position, move)
    ratings = {kind: {rating for k, rating in seen if k is kind} for kind in KlondikeKind}
    assert ratings[KlondikeKind.TURN] == ratings[KlondikeKind.REDEAL] == {0}
    assert ratings[KlondikeKind.WASTE_UP] == {0}
    assert ratings[KlondikeKind.WASTE_DOWN] == {81, -1}
    assert ratings[KlondikeKind.UP] == {80}
    assert max(ratings[KlondikeKind.DOWN]) < -160
    assert ratings[KlondikeKind.RUN] - {min(ratings[KlondikeKind.RUN])} == {1, 2, 3, 4, 5, 6, 7}
    assert min(ratings[KlondikeKind.RUN]) < -160


@pytest.mark.parametrize(
    "slug", ["klondike-draw3", "klondike-vegas", "klondike-draw3-whole-runs-no-worrying-back"]
)
def test_other_rules_are_refused(slug: str) -> None:
    with pytest.raises(BadInput, match="yan-heuristic does not play"):
        parse_solver("yan-heuristic").solve(THOUGHTFUL.deal_block(0, 1), parse_ruleset(slug))


def test_parameters() -> None:
    assert str(parse_solver("yan-heuristic(random_seed=7)")) == "yan-heuristic(random_seed=7)"
    with pytest.raises(BadInput, match="random_seed=-1"):
        parse_solver("yan-heuristic(random_seed=-1)")
