"""Tests of the boards, steps and bounds of the search for shortest solutions."""

import random
from functools import cache

import numpy as np
import pytest

from engine.cards import KING, rank, suit
from engine.cardset import CARD_OF_BIT
from engine.dealing.dealers import get_dealer
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import flatten, new_position
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from samples import sizes
from solvers.klondike.shortest.board import (
    HEIGHTS,
    ArrangedBoard,
    Start,
    first_key,
    load_start,
    new_start,
    next_up,
    second_key,
    settled,
    unpack,
)
from solvers.klondike.shortest.bounds import LOST, bound, new_reveals, reveals
from solvers.klondike.shortest.steps import (
    COST,
    FIRST,
    LEFT,
    MOST_CHILDREN,
    SECOND,
    StepSetting,
    expand,
)
from twins.search import random_late_position
from twins.shortest import naive_shortest

KEY = (1 << 30) - 1


def loaded(position: KlondikePosition) -> tuple[ArrangedBoard, Start]:
    flat = new_position()
    flatten(position, flat)
    start = new_start()
    return load_start(flat, start), start


def setting_of(position: KlondikePosition) -> tuple[ArrangedBoard, StepSetting]:
    board, start = loaded(position)
    children = np.zeros((MOST_CHILDREN, 5), dtype=np.int64)
    return board, StepSetting(position.rules.draw, 1, start, new_reveals(), children)


def dealt(seed: int, draw: int = 3) -> KlondikePosition:
    (row,) = get_dealer("thoughtful-1").deal_block(seed, 1)
    return KlondikePosition.start(KlondikeDeal.of(row), KlondikeRules(draw=draw))


def cards_of(cards: int) -> set[int]:
    return {int(CARD_OF_BIT[bit]) for bit in range(52) if cards >> bit & 1}


def late(chooser: random.Random, most_left: int) -> KlondikePosition:
    rules = KlondikeRules(draw=chooser.choice([1, 2, 3]))
    return random_late_position(chooser, rules, chooser.randint(0, most_left))


@pytest.mark.parametrize("count", sizes(60, 200))
def test_keys_hold_whole_boards(count: int) -> None:
    chooser = random.Random(3)
    for _ in range(count):
        position = dealt(chooser.randint(0, 10**6)) if chooser.random() < 0.5 else late(chooser, 40)
        for _ in range(chooser.randint(0, 60)):
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(chooser.choice(moves))
        board, start = loaded(position)
        assert unpack(first_key(board), second_key(board), start) == board
        assert int(board.up).bit_count() == sum(position.foundations)
        assert board.waste == len(position.waste)


@pytest.mark.parametrize("count", sizes(12, 24))
def test_the_bound_falls_by_no_more_than_a_step_takes(count: int) -> None:
    """Consistency, at random walks of the search's own steps."""
    chooser = random.Random(4)
    falls = 0
    for number in range(count):
        position = dealt(7000 + number) if number % 2 else late(chooser, 45)
        board, setting = setting_of(position)
        for _ in range(80):
            left = bound(board, setting.draw, setting.start, setting.reveals)
            made = expand(board, setting)
            children = setting.children[:made]
            assert (left <= children[:, COST] + children[:, LEFT]).all()
            falls += int((left == children[:, COST] + children[:, LEFT]).sum())
            if made == 0:
                break
            at = chooser.randrange(made)
            board = unpack(int(children[at, FIRST]), int(children[at, SECOND]), setting.start)
    assert falls > 10 * count


@pytest.mark.parametrize(("count", "most_left"), sizes((120, 14), (200, 16)))
def test_the_bound_is_no_more_than_the_moves_it_takes(count: int, most_left: int) -> None:
    chooser = random.Random(6)
    tight = checked = 0
    for _ in range(count):
        position = late(chooser, most_left)
        expected = naive_shortest(position, 0, 3000)
        if expected is None:
            continue
        board, setting = setting_of(position)
        left = bound(board, setting.draw, setting.start, setting.reveals)
        checked += 1
        assert expected == -1 or left <= expected
        tight += left == expected
    assert checked > 0.8 * count
    assert tight > checked // 4


@pytest.mark.parametrize(("count", "most_left"), sizes((60, 12), (150, 14)))
def test_settled_cards_go_up_at_no_cost(count: int, most_left: int) -> None:
    """A settled card sent up at once takes one move off the shortest solution [settled]."""
    chooser = random.Random(8)
    checked = 0
    for _ in range(20 * count):
        position = late(chooser, most_left)
        board, _ = loaded(position)
        ready = cards_of(settled(board.up) & next_up(board.up))
        for move in position.legal_moves():
            if move.kind.name != "UP" or position.up[move.source][-1] not in ready:
                continue
            before = naive_shortest(position, 1, 2000)
            if before is not None and before > 0:
                assert naive_shortest(position.play(move), 1, 4000) == before - 1
                checked += 1
            break
        if checked >= count:
            return
    raise AssertionError("few settled cards were met")


def naive_reveals(position: KlondikePosition, flagged: frozenset[int]) -> int:
    """`reveals` for the locked cards of a position, by trying all orders in which they can leave.

    Told in the words of its definition in docs/shortest.md.
    """
    columns = []
    for down, up in zip(position.down, position.up, strict=True):
        alone = not down and bool(up) and rank(up[0]) == KING
        columns.append(() if alone or not up else down + up[:1])
    kings = {c for pile in (*position.down, *position.up) for c in pile if rank(c) == KING}

    @cache
    def least(left: tuple[tuple[int, ...], ...], flags: frozenset[int]) -> int:
        locked = {card for column in left for card in column}
        if not locked:
            return 0
        heads = {column[-1] for column in left if column}
        settled_kings = {king for king in kings - locked if suit(king) in map(suit, locked)}
        best = LOST
        for at, column in enumerate(left):
            if not column:
                continue
            card = column[-1]
            costs = []
            if not any(suit(c) == suit(card) and rank(c) < rank(card) for c in locked):
                costs.append(int(at in flags))
            if rank(card) == KING:
                may = sum(not each for each in left) > len(settled_kings)
            else:
                parents = [4 * (rank(card) + 1) + of for of in range(4) if (of ^ suit(card)) & 1]
                may = any(parent not in locked or parent in heads for parent in parents)
            if may:
                costs.append(1)
            if costs:
                rest = column[:-1]
                if len(rest) == 1 and rank(rest[0]) == KING:
                    rest = ()
                after = (*left[:at], rest, *left[at + 1 :])
                best = min(best, min(costs) + least(after, flags - {at}))
        return min(best, LOST)

    return least(tuple(columns), flagged)


@pytest.mark.parametrize("count", sizes(40, 150))
def test_reveals_are_the_fewest(count: int) -> None:
    chooser = random.Random(10)
    values = set()
    for _ in range(count):
        position = late(chooser, 34)
        board, start = loaded(position)
        flagged = frozenset(at for at in range(7) if position.up[at] and chooser.random() < 0.2)
        counts = board.place // HEIGHTS
        held = []
        for column in range(7):
            held.append(counts % (column + 2) > 0)
            counts //= column + 2
        flagged = frozenset(at for at in flagged if held[at])
        entry = board.place // HEIGHTS * 128 + sum(1 << at for at in flagged)
        value = int(reveals(entry, start, new_reveals()))
        assert value == naive_reveals(position, flagged)
        values.add(value)
    assert {0, 1, 2, 3} <= values
    assert LOST in values or count < 100
