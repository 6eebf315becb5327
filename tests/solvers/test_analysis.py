"""Tests of verdicts beside moves: every mark agrees with complete search after the move."""

from random import Random

import pytest

from engine.game import Position
from engine.replay import replay
from random_play import played_at_random
from samples import sizes
from solvers.analysis import Verdict, analyse, can_be_taken_back
from solvers.deciding import Budget, Decision, Ending, decide
from solvers.outcome import Result
from solvers.solver import parse_solver

RULESETS = [
    ("klondike-draw3", "exact"),
    ("klondike-draw1", "exact"),
    ("klondike-yan", "exact-plain"),
]


def marked(slug: str, count: int, first: int = 600_000) -> list[Position]:
    chance = Random(first)
    return [played_at_random(slug, first + number, chance.randrange(90)) for number in range(count)]


@pytest.mark.parametrize("count", sizes(12, 18))
@pytest.mark.parametrize(("slug", "solver"), RULESETS)
def test_every_mark_agrees_with_complete_search(slug: str, solver: str, count: int) -> None:
    reference = parse_solver(f"{solver}(nodes=300000)")
    words = {Result.WON: Verdict.WINNABLE, Result.UNWINNABLE: Verdict.UNWINNABLE}
    compared = 0
    seen = set()
    for position in marked(slug, count):
        found = analyse(position, Budget(60_000.0))
        assert {str(each.move) for each in found.moves} == set(map(str, position.legal_moves()))
        for each in found.moves:
            assert each.after == position.play(each.move)
            result = reference.solve_position(each.after).result
            if each.verdict == Verdict.UNDECIDED or result == Result.GAVE_UP:
                continue
            assert each.verdict == words[result], (str(position), str(each.move))
            seen.add(each.verdict)
            compared += 1
        if found.verdict != Verdict.UNDECIDED:
            wins = any(each.verdict == Verdict.WINNABLE for each in found.moves)
            assert (found.verdict == Verdict.WINNABLE) == wins
    assert compared > count
    assert seen == {Verdict.WINNABLE, Verdict.UNWINNABLE}


def test_moves_come_best_first() -> None:
    order = {Verdict.WINNABLE: 0, Verdict.UNDECIDED: 1, Verdict.UNWINNABLE: 2}
    for position in marked("klondike-draw3", 10, first=610_000):
        found = analyse(position, Budget(250.0))
        ranks = [order[each.verdict] for each in found.moves]
        assert ranks == sorted(ranks)
        assert found.winning == ranks.count(0)


@pytest.mark.parametrize("count", sizes(15, 22))
def test_what_can_be_taken_back_leads_back(count: int) -> None:
    """By search for the way back, several moves deep, for all that are said to have one."""
    said = 0
    for position in marked("klondike-draw3", count, first=620_000):
        for move in position.legal_moves():
            after = position.play(move)
            if not can_be_taken_back(position, move, after):
                continue
            said += 1
            seen = {_unnumbered(after)}
            front = [after]
            while front and _unnumbered(position) not in seen:
                # Turns of the stock, or a single other move.
                front = [
                    following
                    for each in front
                    for way in each.legal_moves()
                    if str(way) in ("T", "R") or each == after
                    if _unnumbered(following := each.play(way)) not in seen
                ]
                seen.update(map(_unnumbered, front))
            assert _unnumbered(position) in seen, (str(position), str(move))
    assert said > count


def _unnumbered(position: Position) -> str:
    """A position but for the number of redeals, which are unlimited."""
    return str({**position.to_json(), "redeals_used": 0})


def test_a_move_that_turns_a_card_up_cannot_be_taken_back() -> None:
    seen = 0
    for position in marked("klondike-draw1", 30, first=630_000):
        hidden = sum(map(len, position.to_json()["down"]))
        for move in position.legal_moves():
            after = position.play(move)
            if sum(map(len, after.to_json()["down"])) < hidden:
                assert not can_be_taken_back(position, move, after)
                seen += 1
    assert seen >= 5


def test_without_time_nothing_is_said() -> None:
    position = played_at_random("klondike-draw3", 640_001, 0)
    found = analyse(position, Budget(0.0))
    assert found.verdict == Verdict.UNDECIDED
    assert {each.verdict for each in found.moves} == {Verdict.UNDECIDED}
    assert not found.complete
    assert found.ending == Ending.TIME


def test_what_is_known_is_not_searched() -> None:
    position = played_at_random("klondike-draw3", 640_001, 0)
    lost = analyse(position, Budget(0.0), lambda _: Decision(Verdict.UNWINNABLE))
    assert {lost.verdict, *(each.verdict for each in lost.moves)} == {Verdict.UNWINNABLE}
    assert lost.ending is None
    won = decide(position, Budget(60_000.0)).win
    assert won
    reached = position.play(won[0])
    answer = {
        position: Decision(Verdict.WINNABLE, won),
        reached: Decision(Verdict.WINNABLE, won[1:]),
    }
    found = analyse(position, Budget(0.0), answer.get)
    assert (found.verdict, found.win) == (Verdict.WINNABLE, won)
    assert found.moves[0].move == won[0]
    assert found.moves[0].length == len(won)


def test_a_win_from_anywhere_replays() -> None:
    won = 0
    for position in marked("klondike-draw1", 15, first=650_000):
        found = decide(position, Budget(60_000.0))
        if found.verdict == Verdict.WINNABLE:
            assert replay(position, found.win).is_won
            assert decide(replay(position, found.win), Budget(0.0)) == Decision(Verdict.WINNABLE)
            won += 1
        else:
            assert not found.win
    assert won > 3


def test_moves_of_a_hand_of_spider_keep_its_win() -> None:
    position = played_at_random("spider-4", 5, 2)
    found = analyse(position, Budget(5_000.0))
    assert found.verdict == Verdict.WINNABLE
    assert found.winning > 0
    for each in found.moves:
        if each.verdict == Verdict.WINNABLE:
            again = decide(each.after, Budget(60_000.0))
            assert replay(each.after, again.win).is_won
