"""Tests of the initial state of the exact search against its definition card by card."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.cards import DECK, KING, make_card, rank
from engine.cardset import BIT_OF_CARD
from engine.dealing.dealers import get_dealer
from engine.kernels.compiler import COMPILED
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import flatten, new_position, set_up
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from solvers.klondike.exact import load as exact_load
from solvers.klondike.exact.position import COLUMN_WEIGHT, HEIGHT_WEIGHT
from twins.search import random_late_position

Loaded = tuple[list[int], list[list[int]], list[int], dict[int, int], dict[int, int]]
SIZES = (9, 52, 768, 52, 52)


def loaded(flat: np.ndarray) -> Loaded:
    """What `load` writes: start, locked bits of each column, stock bits, index and column by bit.

    Junk is written before, so that what it leaves alone shows.
    """
    arrays = [np.full(n, 99, dtype=np.int64) for n in SIZES]
    exact_load.load(flat, arrays[0], *exact_load.USUAL, *arrays[1:])
    start, below, stock_sets, stock_index, column_of = (a.tolist() for a in arrays)
    columns: list[list[int]] = [[] for _ in range(7)]
    for bit in range(52):
        if start[2] >> bit & 1:
            columns[column_of[bit]] = [bit]
    for column in columns:
        while column and below[column[0]]:
            column.insert(0, below[column[0]].bit_length() - 1)
    stock = [stock_sets[256 * (place // 8) + (1 << place % 8)] for place in range(24)]
    for part in range(3):
        for byte in range(256):
            cards = [stock[8 * part + bit] for bit in range(8) if byte >> bit & 1]
            assert stock_sets[256 * part + byte] == sum(cards)
    return (
        start[:6],
        columns,
        [card.bit_length() - 1 for card in stock if card],
        {bit: index for bit, index in enumerate(stock_index) if index != -1},
        {bit: column for bit, column in enumerate(column_of) if column != -1},
    )


def expected(position: KlondikePosition) -> Loaded:
    """The same, from the words of `solvers.klondike.exact.position`."""

    def bit(card: int) -> int:
        return int(BIT_OF_CARD[card])

    def as_set(cards: list[int]) -> int:
        return sum(1 << bit(card) for card in cards)

    locked = []
    loose: list[int] = []
    for down, up in zip(position.down, position.up, strict=True):
        alone = not down and bool(up) and rank(up[0]) == KING
        locked.append(list(down) + list(() if alone else up[:1]))
        loose += up if alone else up[1:]
    talon = position.waste + position.stock
    waste = len(position.waste)
    nothing_beyond = waste % position.rules.draw == 0 or waste == len(talon)
    start = [
        as_set([c for c in DECK if rank(c) < position.foundations[c & 3]]),
        as_set(loose),
        as_set([column[-1] for column in locked if column]),
        sum(len(column) << 4 * k for k, column in enumerate(locked)),
        (1 << len(talon)) - 1 | (0 if nothing_beyond else waste) << 24,
        sum(h * int(w) for h, w in zip(position.foundations, HEIGHT_WEIGHT, strict=True))
        + sum(len(c) * int(w) for c, w in zip(locked, COLUMN_WEIGHT, strict=True)),
    ]
    return (
        start,
        [[bit(card) for card in column] for column in locked],
        [bit(card) for card in talon],
        {bit(card): index for index, card in enumerate(talon)},
        {bit(card): k for k, column in enumerate(locked) for card in column},
    )


def flattened(position: KlondikePosition) -> np.ndarray:
    flat = np.full(len(new_position()), 99, dtype=np.int64)
    flatten(position, flat)
    return flat


def positions(count: int) -> list[KlondikePosition]:
    random_state = random.Random(11)
    found = []
    for _ in range(count):
        rules = KlondikeRules(draw=random_state.choice([1, 2, 3, 3, 5, 24]))
        found.append(random_late_position(random_state, rules, random_state.randint(0, 52)))
        cards = list(DECK)
        random_state.shuffle(cards)
        position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
        for _ in range(random_state.randint(0, 40)):
            position = position.play(random_state.choice(position.legal_moves()))
        found.append(position)
    return found


def test_positions_are_loaded_as_defined() -> None:
    for position in positions(400 if COMPILED else 40):
        assert loaded(flattened(position)) == expected(position), str(position)


def test_deals_are_loaded_like_their_starts() -> None:
    flat = new_position()
    for draw in (1, 3):
        for cards in get_dealer("thoughtful-1").deal_block(0, 100):
            set_up(cards, draw, flat)
            start = KlondikePosition.start(KlondikeDeal.of(cards), KlondikeRules(draw=draw))
            assert loaded(flat) == expected(start)


def test_a_king_alone_in_its_column_is_loose_from_the_start() -> None:
    cards = [make_card(KING, 0), *(card for card in DECK if card != make_card(KING, 0))]
    flat = new_position()
    set_up(np.array(cards, dtype=np.uint8), 3, flat)
    start, locked, *_ = loaded(flat)
    assert start[1] == 1 << int(BIT_OF_CARD[make_card(KING, 0)])
    assert locked[0] == []


def test_the_same_without_the_compiler(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    compiled, plain = with_and_without_compiler(
        "from test_load import flattened, loaded, positions\n"
        "found = [loaded(flattened(position)) for position in positions(30)]"
    )
    assert compiled == plain
