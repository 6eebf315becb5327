"""Tests of finding the losing move: binary search against a check of every position."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from engine.dealing.dealers import deal_by_id, get_dealer
from engine.errors import BadInput
from engine.klondike.actions import WORDS, action_of, is_reversible
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import (
    REDEAL,
    TURN,
    KlondikeKind,
    KlondikeMove,
    pack_solution,
    parse_solution,
    unpack_solution,
)
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.replay import ReplayError
from engine.replay import positions as positions_of
from engine.rulesets import parse_ruleset
from samples import thorough_case
from solvers.outcome import Result
from solvers.regret import (
    Regret,
    RegretKind,
    find_regret,
    play_again,
)
from solvers.solver import Solver, parse_solver

EXACT = parse_solver("exact")
PLAIN = parse_solver("exact-plain")
DRAW3, DRAW1 = parse_ruleset("klondike-draw3"), parse_ruleset("klondike-draw1")

Game = tuple[KlondikePosition, tuple[KlondikeMove, ...]]


def lost_games(player: str, rules: KlondikeRules, count: int) -> list[Game]:
    """The games that a player loses among the first deals."""
    cards = get_dealer("thoughtful-1").deal_block(0, count)
    return [
        (KlondikePosition.start(KlondikeDeal.of(row), rules), unpack_solution(outcome.played))
        for row, outcome in zip(cards, parse_solver(player).solve(cards, rules), strict=True)
        if outcome.played is not None
    ]


def naive_regret(
    start: KlondikePosition, moves: Sequence[KlondikeMove], reference: Solver
) -> Regret:
    """Ask about every single position, and see that winnability never comes back."""
    positions = list(positions_of(start, moves))
    winnable = []
    for position in positions:
        result = reference.solve_position(position).result
        assert result in (Result.WON, Result.UNWINNABLE)
        winnable.append(result == Result.WON)
    assert winnable == sorted(winnable, reverse=True)
    if not winnable[0]:
        return Regret(RegretKind.UNWINNABLE)
    if winnable[-1]:
        return Regret(RegretKind.STOPPED, len(moves))
    step = winnable.index(False) - 1
    before, after = positions[step], positions[step + 1]
    action = moves[step].kind.name.lower().replace("_", "-")
    if sum(map(len, after.down)) < sum(map(len, before.down)):
        action += "-reveal"
    return Regret(RegretKind.MOVE, step, action)


@pytest.mark.parametrize(
    ("player", "rules", "count"),
    [
        ("greedy", DRAW3, 20),
        ("random", DRAW1, 12),
        thorough_case("greedy", DRAW3, 40),
        thorough_case("random", DRAW3, 40),
        thorough_case("greedy", DRAW1, 12),
    ],
    ids=str,
)
def test_halves_find_what_asking_about_every_position_finds(
    player: str, rules: KlondikeRules, count: int
) -> None:
    games = lost_games(player, rules, count)
    kinds = Counter()
    for start, moves in games:
        expected = naive_regret(start, moves, EXACT)
        assert find_regret(start, moves, EXACT) == expected
        kinds[expected.kind] += 1
    assert kinds[RegretKind.MOVE] > 5
    if rules == DRAW3:
        assert kinds[RegretKind.UNWINNABLE]


@pytest.mark.thorough
def test_two_references_that_share_nothing_agree() -> None:
    """Undecided is what the plain one may say of a position that is hard for it, nothing else."""
    few = parse_solver("exact-plain(nodes=200000)")
    found = Counter()
    for rules in (DRAW3, DRAW1):
        for start, moves in lost_games("greedy", rules, 40):
            regret = find_regret(start, moves, EXACT)
            if regret.kind == RegretKind.MOVE:
                other = find_regret(start, moves, few)
                assert other in (regret, Regret(RegretKind.UNDECIDED))
                found[other.kind] += 1
    assert found[RegretKind.MOVE] > 30


def test_a_part_of_a_won_game_is_one_of_a_player_who_stopped() -> None:
    start = KlondikePosition.start(deal_by_id("thoughtful-1:42"), DRAW3)
    moves = unpack_solution(EXACT.solve_position(start).moves or b"")
    for length in (0, 1, len(moves) // 2, len(moves) - 1):
        regret = find_regret(start, moves[:length], EXACT)
        assert regret == Regret(RegretKind.STOPPED, length)
    with pytest.raises(BadInput, match="a game that was won has no regret"):
        find_regret(start, moves, EXACT)


def test_an_unwinnable_deal_is_nothing_to_regret() -> None:
    cards = get_dealer("thoughtful-1").deal_block(0, 40)
    results = [outcome.result for outcome in EXACT.solve(cards, DRAW3)]
    seed = results.index(Result.UNWINNABLE)
    start = KlondikePosition.start(deal_by_id(f"thoughtful-1:{seed}"), DRAW3)
    assert find_regret(start, [], EXACT) == Regret(RegretKind.UNWINNABLE)
    assert find_regret(start, [TURN, TURN], EXACT) == Regret(RegretKind.UNWINNABLE)


def test_a_reference_that_gives_up_leaves_it_undecided() -> None:
    start, moves = next(
        game
        for game in lost_games("greedy", DRAW3, 20)
        if find_regret(*game, EXACT).kind == RegretKind.MOVE
    )
    assert find_regret(start, moves, parse_solver("exact(nodes=1)")).kind in (
        RegretKind.UNDECIDED,
        RegretKind.MOVE,
    )
    gives_up = replace(EXACT.method, decide_position=lambda _position, _values: Result.GAVE_UP)
    assert find_regret(start, moves, Solver(gives_up, EXACT.values)) == Regret(RegretKind.UNDECIDED)


def test_what_was_won_last_is_said_where_later_positions_are_not_decided() -> None:
    def only_wins(position: KlondikePosition, _values: object) -> Result:
        won = EXACT.decide_position(position) == Result.WON
        return Result.WON if won else Result.GAVE_UP

    reference = Solver(replace(EXACT.method, decide_position=only_wins), EXACT.values)
    kinds = set()
    for start, moves in lost_games("greedy", DRAW3, 40):
        known = find_regret(start, moves, EXACT)
        kinds.add(known.kind)
        found = find_regret(start, moves, reference)
        if known.kind == RegretKind.STOPPED:
            assert found == known
        else:
            assert found == Regret(RegretKind.UNDECIDED, known.step)
    assert kinds >= {RegretKind.MOVE, RegretKind.UNWINNABLE}


def test_few_positions_are_asked_about() -> None:
    start, moves = max(lost_games("greedy", DRAW1, 10), key=lambda game: len(game[1]))
    asked = 0

    def counting(position: KlondikePosition, values: object) -> Result:
        nonlocal asked
        asked += 1
        return EXACT.decide_position(position)

    reference = Solver(replace(EXACT.method, decide_position=counting), EXACT.values)
    assert find_regret(start, moves, reference) == find_regret(start, moves, EXACT)
    assert 0 < asked <= np.log2(len(moves)) + 2


def test_what_is_not_asked_about_is_reversible_by_the_stock_alone() -> None:
    random = Random(7)
    seen = Counter()
    for position, move in _stock_moves(random, 60):
        back = _by_the_stock(position.play(move))
        expected = is_reversible(position, move)
        seen[move.kind, expected] += 1
        if expected:
            assert (position.stock, position.waste) in back
    assert min(seen[TURN.kind, True], seen[TURN.kind, False], seen[REDEAL.kind, True]) > 20
    assert not seen[REDEAL.kind, False]


@pytest.mark.thorough
def test_a_turn_may_lose_a_game_under_draw_3() -> None:
    """What the stock alone can take back is not every turn: some lose what could be won."""
    lost = Counter()
    for player in ("random", "greedy"):
        for start, moves in lost_games(player, DRAW3, 200):
            regret = find_regret(start, moves, EXACT)
            if regret.action == "turn":
                assert regret.step is not None
                before, after = list(positions_of(start, moves[: regret.step + 1]))[-2:]
                assert len(before.waste) % 3
                assert EXACT.solve_position(before).result == Result.WON
                assert PLAIN.solve_position(after).result != Result.WON
            lost[regret.action] += 1
    assert lost["turn"]
    assert lost["run-reveal"]


def test_limited_redeals_take_nothing_back() -> None:
    start = KlondikePosition.start(deal_by_id("thoughtful-1:42"), parse_ruleset("klondike-vegas1"))
    assert not is_reversible(start, TURN)
    # Turned to its end, one pass card by card is over.
    regret = find_regret(start, [TURN] * 24, PLAIN)
    assert regret in (naive_regret(start, [TURN] * 24, PLAIN), Regret(RegretKind.UNDECIDED))


def test_a_player_plays_the_same_again() -> None:
    player = parse_solver("greedy")
    cards = get_dealer("thoughtful-1").deal_block(0, 30)
    outcomes = player.solve(cards, DRAW3)
    lost = np.array([outcome.result == Result.LOST for outcome in outcomes])
    found = play_again(cards[lost], DRAW3, player, EXACT)
    assert [played for played, _ in found] == [o.played for o in outcomes if o.played is not None]
    for row, (played, regret) in zip(cards[lost], found, strict=True):
        start = KlondikePosition.start(KlondikeDeal.of(row), DRAW3)
        assert regret == find_regret(start, unpack_solution(played), EXACT)
    with pytest.raises(BadInput, match=r"greedy should lose the deal .* again, but it won it"):
        play_again(cards[~lost], DRAW3, player, EXACT)
    with pytest.raises(BadInput, match="does not report its moves"):
        play_again(cards[lost], DRAW3, parse_solver("dead-end"), EXACT)


def test_what_cannot_be_judged() -> None:
    start = KlondikePosition.start(deal_by_id("thoughtful-1:42"), DRAW3)
    with pytest.raises(ReplayError, match="move 3, R"):
        find_regret(start, parse_solution("T T R"), EXACT)
    yan = KlondikePosition.start(deal_by_id("thoughtful-1:42"), parse_ruleset("klondike-yan"))
    with pytest.raises(BadInput, match="shortest does not play klondike-yan"):
        find_regret(yan, [TURN], parse_solver("shortest"))
    with pytest.raises(BadInput, match="plays only from the start"):
        find_regret(start, [TURN], parse_solver("dead-end"))


def test_every_action_has_words_and_is_told_apart() -> None:
    seen: set[str] = set()
    for start, moves in lost_games("random", DRAW3, 60) + _games_with_parts(30):
        positions = list(positions_of(start, moves))
        for (before, after), move in zip(pairwise(positions), moves, strict=True):
            action = action_of(before, move)
            reveals = sum(map(len, after.down)) < sum(map(len, before.down))
            assert action.endswith("-reveal") == reveals
            assert action.removesuffix("-reveal") == move.kind.name.lower().replace("_", "-")
            seen.add(action)
    assert seen == set(WORDS)
    assert pack_solution(moves)
    assert {kind.name for kind in KlondikeKind} == {
        action.upper().replace("-", "_") for action in WORDS if not action.endswith("-reveal")
    }


def _games_with_parts(count: int) -> list[Game]:
    """Random games in which any card may go to an empty column, so that parts of runs do."""
    random, games = Random(9), []
    for number in range(count):
        start = KlondikePosition.start(
            deal_by_id(f"thoughtful-1:{number}"), KlondikeRules(draw=1, spaces="any")
        )
        position, moves = start, []
        for _ in range(150):
            if not (legal := position.legal_moves()):
                break
            moves.append(random.choice(legal))
            position = position.play(moves[-1])
        games.append((start, tuple(moves)))
    return games


def _stock_moves(random: Random, games: int) -> Iterator[tuple[KlondikePosition, KlondikeMove]]:
    """Turns and redeals in the course of random games, under draw 1 to 4."""
    for number in range(games):
        rules = KlondikeRules(draw=1 + number % 4)
        position = KlondikePosition.start(deal_by_id(f"thoughtful-1:{number}"), rules)
        for _ in range(60):
            legal = position.legal_moves()
            if not legal:
                break
            move = random.choice(legal)
            if move.kind in (KlondikeKind.TURN, KlondikeKind.REDEAL):
                yield position, move
            position = position.play(move)


def _by_the_stock(position: KlondikePosition) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Stock and waste of every position that turns and redeals lead to."""
    found: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    while (position.stock, position.waste) not in found:
        found.add((position.stock, position.waste))
        position = position.play(TURN if position.stock else REDEAL)
    return found
