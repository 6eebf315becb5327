"""Tests of safe moves: in late positions they lose no win, and laxer rules would lose some."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from engine.cards import is_red, rank, suit, twin
from engine.dealing.dealers import deal_by_id
from engine.games import game_of
from engine.kernels.compiler import COMPILED
from engine.klondike.actions import is_safe
from engine.klondike.moves import KlondikeKind, KlondikeMove, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules, parse_klondike
from engine.replay import positions, replay
from engine.rulesets import parse_ruleset
from engine.safe_moves import safe_moves
from klondike_rulesets import COVERING
from samples import sizes, thorough_case
from solvers.outcome import Result
from solvers.solver import parse_solver
from twins.search import naive_verdict, random_late_position

pytestmark = pytest.mark.slow

# Plays every ruleset, and a win that it finds is a proof. Its own rule of the same name has a proof
# and tests of its own. Lost wins do show: two tests make it see some.
JUDGE = parse_solver("exact-plain(nodes=20000, memory_mib=64)")

RULESETS = ["klondike-draw1", "klondike-draw1-no-worrying-back", "klondike-vegas", "klondike-yan"]
MORE = ["klondike-draw3", "klondike-draw3-no-worrying-back", "klondike-vegas1", "klondike-draw2"]

RISING = (KlondikeKind.UP, KlondikeKind.WASTE_UP)
Rule = Callable[[KlondikePosition, KlondikeMove], bool]


def late_positions(slug: str, deals: int) -> Iterator[KlondikePosition]:
    """Positions from the second half of wins, after a few random moves, that can still be won."""
    rules = parse_klondike(slug)
    random = Random(slug)
    for seed in range(deals):
        start = KlondikePosition.start(deal_by_id(f"thoughtful-1:{seed}"), rules)
        found = JUDGE.solve_position(start)
        if found.moves is None:
            continue
        game = list(positions(start, unpack_solution(found.moves)))
        for position in game[len(game) // 3 : len(game) * 9 // 10 : 4]:
            for _ in range(random.randrange(6)):
                legal = position.legal_moves()
                if legal:
                    position = position.play(random.choice(legal))
            if not position.is_won and JUDGE.solve_position(position).result == Result.WON:
                yield position


def won_and_lost(slug: str, deals: int, rule: Rule) -> tuple[int, int]:
    """Of the moves that a rule calls safe, how many keep a win and how many lose it."""
    kept = lost = 0
    for position in late_positions(slug, deals):
        for move in filter(lambda move: rule(position, move), position.legal_moves()):
            after = JUDGE.solve_position(position.play(move)).result
            kept += after == Result.WON
            lost += after == Result.UNWINNABLE
    return kept, lost


@pytest.mark.parametrize(
    ("slug", "deals"),
    [*((slug, 12) for slug in RULESETS), *(thorough_case(slug, 20) for slug in RULESETS + MORE)],
)
def test_a_safe_move_loses_no_win(slug: str, deals: int) -> None:
    kept, lost = won_and_lost(slug, deals, is_safe)
    assert lost == 0
    assert kept > 20


@pytest.mark.parametrize("count", sizes(2, 6))
def test_exhaustive_search_agrees_under_every_combination_of_options(count: int) -> None:
    """A reference that has no rule at all; it suffices for few cards, of which few moves lose."""
    kept = lost_otherwise = 0
    grid = product((1, 2, 3), (None, 0, 1, 2), (True, False), (True, False))
    for rules in [*(KlondikeRules(*options) for options in grid), *COVERING]:
        random = Random(str(rules))
        for _ in range(count if COMPILED else 1):
            position = random_late_position(random, rules, random.randint(4, 32))
            position = replace(position, redeals_used=random.randint(0, rules.redeals or 0))
            rising = [move for move in position.legal_moves() if move.kind in RISING]
            if not rising or naive_verdict(position, 1500) is not True:
                continue
            for move in rising:
                verdict = naive_verdict(position.play(move), 1500)
                if is_safe(position, move):
                    assert verdict is not False, f"{position} {move}"
                    kept += verdict is True
                else:
                    lost_otherwise += verdict is False
    assert kept > (10 * count if COMPILED else 0)
    # Of the cards that may not rise some would have lost the win, so it would be seen.
    assert lost_otherwise or count < 6


@pytest.mark.parametrize("deals", sizes(40, 60))
def test_the_sample_shows_that_a_laxer_rule_loses_wins(deals: int) -> None:
    """A rank less on the foundations of the other colour is too little."""

    def lax(position: KlondikePosition, move: KlondikeMove) -> bool:
        if move.kind not in RISING:
            return False
        pile = position.waste if move.kind is KlondikeKind.WASTE_UP else position.up[move.source]
        card, up = pile[-1], position.foundations
        others = [up[each] for each in range(4) if is_red(each) != is_red(card)]
        return up[suit(twin(card))] >= rank(card) - 2 and min(others) >= rank(card) - 2

    kept, lost = won_and_lost("klondike-draw1-no-worrying-back", deals, lax)
    assert lost > 0
    assert kept > lost


# 5S is the only place for a red four of the stock, on which 3C could uncover 2C.
TWIN_NEEDED = {
    "foundations": {"C": 1, "D": 3, "S": 4, "H": 3},
    "down": [[], [], ["5C", "2C"], [], [], [], []],
    "up": [
        ["5S"],
        ["KC", "QH", "JC", "TH", "9C", "8H", "7C"],
        ["3C"],
        ["KD", "QS", "JD", "TS", "9D", "8S"],
        [],
        [],
        [],
    ],
    "stock": [
        *("4H", "4D", "4C", "5D", "5H", "6C", "6D", "6S", "6H", "7D", "7S", "7H", "8C", "8D"),
        *("9S", "9H", "TC", "TD", "JS", "JH", "QC", "QD", "KS", "KH"),
    ],
    "waste": [],
}


def test_a_card_that_its_twins_suit_needs_is_not_safe() -> None:
    rules = parse_klondike("klondike-draw1-no-worrying-back")
    position = KlondikePosition.from_json(TWIN_NEEDED, rules)
    up = KlondikeMove(KlondikeKind.UP, 0)
    assert position.why_illegal(up) is None
    assert JUDGE.solve_position(position).result == Result.WON
    assert JUDGE.solve_position(position.play(up)).result == Result.UNWINNABLE
    assert not is_safe(position, up)
    assert safe_moves(position) == []


def test_a_card_of_the_waste_is_safe_at_draw_1_alone() -> None:
    up = KlondikeMove(KlondikeKind.WASTE_UP)
    found = [
        position
        for position in late_positions("klondike-draw1", 4)
        if position.why_illegal(up) is None and is_safe(position, up)
    ]
    assert found
    for position in found:
        assert is_safe(replace(position, rules=parse_klondike("klondike-vegas1")), up)
        assert not is_safe(replace(position, rules=parse_klondike("klondike-draw2")), up)


def test_safe_moves_follow_one_another_and_a_game_without_any_has_none() -> None:
    start = KlondikePosition.start(deal_by_id("thoughtful-1:0"), parse_klondike("klondike-draw1"))
    win = JUDGE.solve_position(start).moves
    assert win is not None
    late = list(positions(start, unpack_solution(win)))[-20]
    made = safe_moves(late)
    assert len(made) > 1
    end = replay(late, made)
    assert not any(is_safe(end, move) for move in end.legal_moves())
    spider = parse_ruleset("spider-4")
    assert (
        safe_moves(game_of(spider).start(deal_by_id("thoughtful-1:7", game_of(spider)), spider))
        == []
    )
