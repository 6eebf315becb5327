"""Tests of plays for puzzles: which moves are for good, which plays there are, and their themes."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from random import Random

import pytest

from engine.cards import card_name
from engine.dealing.dealers import deal_by_id
from engine.game import TooManyPlays
from engine.games import get_game
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import KlondikeKind, KlondikeMove
from engine.klondike.puzzles import (
    DOING,
    LEAVING,
    card_of,
    is_for_good,
    plays,
    themes_of_doing,
    themes_of_leaving,
)
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import parse_klondike
from engine.replay import replay
from solvers.analysis import can_be_taken_back

TURNS = (KlondikeKind.TURN, KlondikeKind.REDEAL)
OF_WASTE = (KlondikeKind.WASTE_UP, KlondikeKind.WASTE_DOWN)


def positions_at_random(ruleset: str, deals: int) -> list[KlondikePosition]:
    rules, random = parse_klondike(ruleset), Random(1)
    found = []
    for seed in range(deals):
        deal = deal_by_id(f"thoughtful-1:{seed}", get_game("klondike"))
        assert isinstance(deal, KlondikeDeal)
        position = KlondikePosition.start(deal, rules)
        for _ in range(random.randrange(20, 120)):
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(random.choice(moves))
        found.append(position)
    return found


def test_a_move_for_good_is_one_that_no_move_takes_back() -> None:
    seen = set()
    for ruleset in ("klondike-draw1", "klondike-draw3"):
        for position in positions_at_random(ruleset, 40):
            for move in position.legal_moves():
                for_good = move.kind not in TURNS and not can_be_taken_back(
                    position, move, position.play(move)
                )
                assert is_for_good(position, move) == for_good, (position, move)
                seen.add((move.kind, for_good))
    assert {(KlondikeKind.UP, True), (KlondikeKind.UP, False)} <= seen
    assert {(KlondikeKind.RUN, True), (KlondikeKind.RUN, False)} <= seen
    assert {(KlondikeKind.DOWN, False), (KlondikeKind.WASTE_UP, True)} <= seen


@pytest.mark.parametrize("ruleset", ["klondike-draw1", "klondike-draw3"])
def test_plays_are_all_that_moves_one_after_another_lead_to(ruleset: str) -> None:
    """Found by going from position to position, with turns of the stock before cards of it."""
    compared = 0
    for position in positions_at_random(ruleset, 12):
        expected = _reached(position)
        try:
            several = list(plays(position))
        except TooManyPlays:
            continue
        if expected is None:
            continue
        found = {}
        for card, moves in several:
            after = replay(position, moves)
            assert after not in found
            found[after] = card
            assert card == card_of(position, moves)
            assert not any(
                is_for_good(replay(position, moves[:at]), move)
                for at, move in enumerate(moves[:-1])
            )
        assert found.keys() == expected
        compared += len(expected)
    assert compared > 50


def _reached(position: KlondikePosition) -> set[KlondikePosition] | None:
    """The positions after a move for good; None if there are too many to go through."""
    waiting, found = [position], set[KlondikePosition]()
    # A stock that was turned once around is the same but for the number of redeals.
    known = {(position.up, position.foundations, position.waste)}
    for table in waiting:
        if len(waiting) > 1500:
            return None
        for move in table.legal_moves():
            after = table.play(move)
            if is_for_good(table, move):
                if move.kind in OF_WASTE or table.waste == position.waste:
                    found.add(after)
            elif (key := (after.up, after.foundations, after.waste)) not in known:
                known.add(key)
                waiting.append(after)
    return found


def test_themes_are_what_the_referee_sees() -> None:
    """Told in other words: from the cards before and after a play."""
    seen = set()
    for ruleset in ("klondike-draw1", "klondike-draw3"):
        for position in positions_at_random(ruleset, 40):
            several = list(islice(plays_or_none(position), 20))
            for card, moves in several:
                others = [each for other, each in several if other != card]
                after = replay(position, moves)
                themes = {
                    *themes_of_doing(position, moves),
                    *themes_of_leaving(position, moves, others),
                }
                seen |= themes
                texts = [str(move) for move in moves]
                assert ("worrying-back" in themes) == any(text[0] in "CDSH" for text in texts)
                if "king" in themes:
                    assert card[0] == "K"
                    assert any(column[:1] and card_name(column[0]) == card for column in after.up)
                if "empty-column" in themes:
                    assert () in after.up
                if "longest-column" in themes:
                    column = max(range(7), key=lambda at: len(position.down[at]))
                    assert len(after.down[column]) == len(position.down[column]) - 1
                if "hold-back" in themes:
                    assert not texts[-1].endswith("F")
                    assert any(str(each[-1]).endswith("F") for each in others)
                if "face-down" in themes:
                    assert after.down == position.down
                if "pass-by" in themes:
                    assert texts[-1].startswith("W")
                    assert set(texts) & {"T", "R"}
    assert seen == {*DOING, *LEAVING}


def plays_or_none(position: KlondikePosition) -> Iterator[tuple[str, tuple[KlondikeMove, ...]]]:
    with suppress(TooManyPlays):
        yield from plays(position)
