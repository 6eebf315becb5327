"""Tests of plays for puzzles: which moves are for good, which plays there are, and their themes."""

from collections.abc import Hashable, Iterator
from contextlib import suppress
from random import Random

import pytest

from engine.cards import parse_card
from engine.dealing.dealers import deal_by_id
from engine.game import TooManyPlays
from engine.games import game_of, get_game
from engine.patience.layout import CELL, FOUNDATION
from engine.patience.moves import PatienceMove
from engine.patience.puzzles import (
    DOING,
    LEAVING,
    card_of,
    fits,
    is_for_good,
    plays,
    themes_of_doing,
    themes_of_leaving,
)
from engine.patience.referee import PatiencePosition
from engine.replay import replay
from engine.rulesets import parse_ruleset
from engine.safe_moves import safe_moves
from puzzle_plays import reached
from solvers.analysis import can_be_taken_back

GAMES = ("freecell", "bakers-game", "eight-off", "seahaven-towers")


def positions_at_random(deals: int) -> Iterator[PatiencePosition]:
    """Positions after random moves."""
    random = Random("puzzles of patience")
    for seed in range(1, deals + 1):
        slug = GAMES[seed % len(GAMES)]
        position = get_game(slug).start(
            deal_by_id(f"solvitaire:{seed}", get_game(slug)), parse_ruleset(slug)
        )
        for _ in range(random.randrange(60)):
            moves = position.legal_moves()
            if not moves:
                break
            # To a cell seldom, so that not all are taken.
            others = [move for move in moves if not CELL <= move.target < FOUNDATION]
            position = position.play(random.choice(others if others and seed % 8 else moves))
        yield position


def orderless(position: PatiencePosition) -> Hashable:
    return frozenset(position.columns), frozenset(position.cells), position.foundations


def test_puzzles_are_of_games_with_cells_whose_cards_lie_open() -> None:
    assert all(fits(parse_ruleset(slug)) for slug in GAMES)
    for slug in ("simple-simon", "beleaguered-castle", "yukon", "canfield", "golf", "one-cell"):
        assert not fits(parse_ruleset(slug))


def test_a_move_for_good_is_one_that_no_move_takes_back() -> None:
    seen = set()
    for position in positions_at_random(40):
        for move in position.legal_moves():
            for_good = is_for_good(position, move)
            assert for_good != can_be_taken_back(position, move, position.play(move))
            seen.add((for_good, CELL <= move.source < FOUNDATION, move.target >= FOUNDATION))
    assert {(True, False, False), (False, False, False), (False, True, False)} <= seen
    assert {(True, False, True), (True, True, True)} <= seen


def test_plays_are_what_moves_for_good_lead_to() -> None:
    compared = several = 0
    for position in positions_at_random(60):
        with suppress(TooManyPlays):
            found = list(plays(position))
            ends = []
            for card, moves in found:
                table = replay(position, moves[:-1])
                assert is_for_good(table, moves[-1])
                assert card == card_of(position, moves)
                assert parse_card(card) in table.open_cards(moves[-1].source)
                ends.append(orderless(table.play(moves[-1])))
            assert len(set(ends)) == len(ends)
            assert set(ends) == reached(position, orderless)
            compared += 1
            several += len({card for card, _ in found}) > 2
    assert compared > 30
    assert several > 10


def freecell(foundations: tuple[int, ...], *columns: str) -> PatiencePosition:
    """A position of FreeCell without cards in cells, the other columns empty."""
    return PatiencePosition(
        parse_ruleset("freecell"),
        columns=tuple(tuple(map(parse_card, each.split())) for each in columns)
        + ((),) * (8 - len(columns)),
        down=(0,) * 8,
        cells=(None,) * 4,
        foundations=foundations,
    )


def test_too_many_arrangements_are_not_looked_at() -> None:
    position = freecell((13, 13, 5, 5), "KS QH JS TH 9S 8H 7S 6H", "KH QS JH TS 9H 8S 7H 6S")
    with pytest.raises(TooManyPlays):
        list(plays(position))


def themes(position: PatiencePosition, move: str, others: list[str]) -> set[str]:
    parse = get_game("freecell").parse_move
    rest = [(parse(each),) for each in others]
    moves: tuple[PatienceMove, ...] = (parse(move),)
    return {*themes_of_doing(position, moves), *themes_of_leaving(position, moves, rest)}


def test_themes_say_what_a_play_does_and_leaves() -> None:
    """Two clubs that could go up, a column of one card, and an empty one."""
    position = freecell((1, 13, 13, 3), "5D 2C", "9S 4H", "7C")
    assert themes(position, "1-fC", ["2-a"]) == set()
    assert themes(position, "2-a", ["1-fC"]) == {"to-cell", "hold-back"}
    assert themes(position, "2-4", ["1-a"]) == {"fill-column"}
    assert themes(position, "3-a", []) == {"to-cell"}
    assert {*DOING, *LEAVING} == {"to-cell", "fill-column", "hold-back"}


def test_nothing_is_held_back_where_suits_are_built_on_themselves() -> None:
    """Cards that could go up are safe there, and have gone up before a question is asked."""
    compared = 0
    for position in positions_at_random(200):
        table = replay(position, safe_moves(position))
        load = game_of(position.rules).load_puzzles
        assert load is not None
        is_freecell = position.rules.slug == "freecell"
        assert bool(load().leaving) == is_freecell
        if not is_freecell:
            assert all(move.target < FOUNDATION for move in table.legal_moves())
            compared += table != position
    assert compared > 10
