"""Tests of guaranteed turnovers in closed form against a search through all moves."""

from itertools import pairwise, permutations
from random import Random

import numpy as np
import pytest

from engine.cards import parse_card, rank, suit
from engine.dealing.dealers import get_dealer
from engine.spider import GAME as SPIDER
from engine.spider.deal import COLUMN_SIZES, COLUMN_START, COLUMNS, as_counted
from engine.spider.moves import run
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from engine.spider.turnovers import MOST, guaranteed_turnovers, suited_turnovers
from twins.spider_board import UNKNOWN, is_unknown

THOUGHTFUL = get_dealer("thoughtful-1")
# Of the post on look-ahead algorithms, with a five for the card it leaves out.
THE_POST = "JC TD 9D 8D 3C 2D JD QC 9H 5S"


def start_of(face_up: list[int]) -> SpiderPosition:
    """Ten cards, each on cards that nobody knows."""
    return SpiderPosition(
        SpiderRules(4),
        tuple((UNKNOWN,) * (size - 1) for size in COLUMN_SIZES),
        tuple((card,) for card in face_up),
        (0, 0, 0, 0),
        (),
    )


def naive_turnovers(face_up: list[int], suited: bool) -> int:
    """The most cards to turn up that any sequence of moves leads to."""
    seen = {start_of(face_up)}
    waiting = list(seen)
    most = 0
    while waiting:
        position = waiting.pop()
        most = max(most, sum(is_unknown(position, column) for column in range(COLUMNS)))
        for source, target in permutations(range(COLUMNS), 2):
            # No column is ever empty, so there is a card to go onto, and one number of cards fits.
            below, cards = position.up[target][-1], position.up[source]
            count = rank(below) - rank(cards[-1])
            if UNKNOWN in (below, cards[-1]) or not 1 <= count <= position.run_length(source):
                continue
            if suited and suit(below) != suit(cards[-1]):
                continue
            after = position.play(run(source, target, count))
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return most


def check(face_up: list[int]) -> tuple[int, int]:
    """Both numbers, which the search finds, too."""
    row = np.array([face_up], dtype=np.uint8)
    found = int(guaranteed_turnovers(row)[0]), int(suited_turnovers(row)[0])
    assert found == (naive_turnovers(face_up, False), naive_turnovers(face_up, True))
    return found


@pytest.mark.parametrize(
    ("cards", "turnovers", "suited"),
    [
        (THE_POST, 5, 4),
        # Introduction to the Monkey Algorithm: four of the fours go.
        ("4C 4D 4S 4H 5C 5D 5S 5H JC KD", 4, 4),
        ("4C 4D 4S 5C 5D 5S 6C 6D 6S KD", 6, 6),
        ("4C 4C 4D 4D 4S 4S 4H 4H 5C 5D", 2, 2),
        # Ten equal ranks; no deal has them, but as many as eight.
        ("7C 7D 7S 7H 7C 7D 7S 7H 7C 7D", 0, 0),
        # Straights.
        ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC", 9, 9),
        ("KC QC JC TC 9C 8C 7C 6C 5C 4C", 9, 9),
        ("4C 5D 6C 7D 8C 9D TC JD QC KD", 9, 0),
        ("8C 7C 6C 5C 4C 3C 2C AC KC QC", 8, 8),
        # Pairs.
        ("AC AD 3C 3D 5C 5D 7C 7D 9C 9D", 0, 0),
        ("AC AC 2C 2C 3C 3C 4C 4C 5C 5C", 8, 8),
        ("AC AD 2C 2S 3C 3H 5C 5D 6C 7S", 6, 3),
        # A king does not go onto an ace, whatever their suits.
        ("KC AC KD AD KS AS KH AH KC AD", 0, 0),
        ("QC KC QD KD QS KS QH KH AC AD", 4, 4),
        # Two sixes want one seven, of which the wrong one might take it.
        ("6C 6D 7C 7H 8C 8H 5S 4S KC KD", 6, 4),
    ],
)
def test_turnovers_by_hand(cards: str, turnovers: int, suited: int) -> None:
    face_up = [parse_card(name) for name in cards.split()]
    Random(cards).shuffle(face_up)
    assert check(face_up) == (turnovers, suited)


def test_any_ten_cards() -> None:
    """Of two decks, and of few ranks, where many cards could go onto many."""
    chooser = Random("ten cards")
    found = set()
    for number in range(30):
        ranks = chooser.choice([13, 8, 6]) if number % 2 else 13
        low = chooser.randint(0, 13 - ranks)
        decks = 2 * list(range(4 * low, 4 * (low + ranks)))
        if number % 3 == 0:
            decks = [SpiderRules(2).shown(card) for card in decks]
        turnovers, suited = check(chooser.sample(decks, COLUMNS))
        assert suited <= turnovers <= MOST
        found.add(turnovers)
    assert found >= {2, 3, 4, 5}


def test_rows_are_counted_one_by_one() -> None:
    deals = THOUGHTFUL.deal_block(310_000, 100, SPIDER)
    tops = [end - 1 for _, end in pairwise(COLUMN_START)]
    for suits in (1, 2, 4):
        rows = as_counted(deals, suits)[:, tops]
        for count in (guaranteed_turnovers, suited_turnovers):
            together = count(rows)
            assert together.tolist() == [int(count(row[None])[0]) for row in rows]
            assert count(rows[:0]).tolist() == []
        # What counts as one suit can all be moved in suit; and suits do not matter to the others.
        assert (suited_turnovers(rows) == guaranteed_turnovers(rows)).all() == (suits == 1)
        assert (guaranteed_turnovers(rows) == guaranteed_turnovers(deals[:, tops])).all()
