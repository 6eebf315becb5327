"""Tests of the wins that answers show: as short as can be had, and always the same."""

from collections.abc import Iterator

import pytest

from catalogue.asking import Answer, Question, Subject, answer, forget, remember, shown_win
from engine.dealing.dealers import deal_by_id
from engine.game import Move, Position
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from solvers.deciding import Budget, Decision, Verdict, decide

# A win of 190 moves is found, of which 28 bring a card back; the shortest has 94.
LONG = "thoughtful-1:9223372036854775807"


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    forget()
    yield
    forget()


def start_of(name: str, slug: str) -> Position:
    rules = parse_ruleset(slug)
    game = game_of(rules)
    return game.start(deal_by_id(name, game), rules)


def asked(position: Position, about: Subject = "solution") -> Answer:
    return answer(Question(position, position, about=about, budget=Budget(60_000.0)))


@pytest.fixture(scope="module")
def start() -> Position:
    return start_of(LONG, "klondike-draw3")


@pytest.fixture(scope="module")
def found(start: Position) -> tuple[Move, ...]:
    """The win that a search for the verdict finds."""
    return decide(start, Budget(60_000.0)).win


@pytest.mark.parametrize("about", ["solution", "moves"])
def test_a_win_that_is_searched_for_is_shown_short(start: Position, about: Subject) -> None:
    shown = asked(start, about)
    assert replay(start, shown.win).is_won
    assert len(shown.win) <= 100
    if about == "moves":
        assert shown.moves[0].length == len(shown.win)
        assert shown.moves[0].move == shown.win[0]


def test_a_win_that_was_found_for_its_verdict_is_shown_short(
    start: Position, found: tuple[Move, ...]
) -> None:
    assert len(found) > 150
    remember((start, Decision(Verdict.WINNABLE, found)))
    assert asked(start, "verdict").win == found
    shown = asked(start).win
    assert len(shown) <= 100
    assert shown_win(start, found, 0) == shown


def test_the_win_stays_the_same_along_it_and_when_others_are_found(
    start: Position, found: tuple[Move, ...]
) -> None:
    win = asked(start).win
    for at in (1, 40, len(win) - 1):
        assert asked(replay(start, win[:at])).win == win[at:]
    remember((start, Decision(Verdict.WINNABLE, found)))
    remember((start, Decision(Verdict.WINNABLE)))
    assert asked(start).win == win


def test_a_shorter_win_takes_the_place_of_a_longer_one(
    start: Position, found: tuple[Move, ...]
) -> None:
    remember((start, Decision(Verdict.WINNABLE, found, is_shown=True)))
    assert asked(start).win == found
    short = asked(start_of(LONG, "klondike-draw3").play(found[0])).win
    assert short == found[1:]
    forget()
    short = asked(start).win
    remember((start, Decision(Verdict.WINNABLE, found, is_shown=True)))
    assert asked(start).win == short


def test_other_games_and_rules_show_what_was_found() -> None:
    position = start_of("thoughtful-1:3", "klondike-draw3-no-worrying-back")
    win = decide(position, Budget(60_000.0)).win
    assert win
    assert shown_win(position, win, 0) == win
    shown = asked(position).win
    assert replay(position, shown).is_won
    assert len(shown) <= len(win)
