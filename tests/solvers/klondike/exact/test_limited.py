"""Tests of the search where redeals are limited, against plain play."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from engine.cards import DECK
from engine.kernels.compiler import COMPILED
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import flatten, new_position
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.klondike.stock_turns import (
    STOCK_MASK,
    card_set,
    every_table,
    limited_reach,
    limited_stock,
    take_with_limit,
)
from klondike_rulesets import ruled_position
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.load import load
from solvers.klondike.exact.nodes import Node, places_to_try, rising_cards
from solvers.klondike.exact.position import Layout
from solvers.klondike.exact.relaxation import is_dead_end
from solvers.klondike.exact.rules import ALTERNATING, KINGS_ONLY, SAFE, Mode
from solvers.klondike.exact.table import DOMINATED, NEW
from solvers.klondike.exact.wide_table import (
    enter_row,
    forget_row,
    grow_rows,
    row_of,
    words_of,
)
from twins.exact import Sets, as_cards, goes_up_when_shown, naive_is_dead_by_passes


def limited_mode(rules: KlondikeRules, last_pass: bool, off: int = 0) -> Mode:
    forward = None if rules.worrying_back else 1
    return Mode(
        rules.draw,
        off,
        ALTERNATING,
        KINGS_ONLY,
        False,
        False,
        False,
        last_pass,
        False,
        False,
        False,
        None,
        forward,
        1,
        None,
        None,
    )


def loaded(position: KlondikePosition) -> tuple[Node, Layout]:
    """A position as the kernels take it."""
    flat, start, layout = new_position(), np.zeros(9, dtype=np.int64), new_layout()
    flatten(position, flat)
    assert position.rules.redeals is not None
    left = position.rules.redeals - position.redeals_used
    tables = layout.below, layout.stock_sets, layout.stock_index, layout.column_of
    load(flat, start, ALTERNATING, KINGS_ONLY, left, *tables)
    up, loose, heads, columns, stock, place, low, high, bases = (int(word) for word in start)
    return Node(up, loose, heads, columns, stock, place, -1, low, high, bases), layout


def met(rules: KlondikeRules, count: int) -> Iterator[KlondikePosition]:
    """Positions of random games, from the deal on and from late positions."""
    chooser = random.Random(rules.slug)
    for number in range(count):
        position = ruled_position(chooser, rules)
        if number % 2:
            cards = list(DECK)
            chooser.shuffle(cards)
            position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
        for _ in range(40):
            yield position
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(chooser.choice(moves))


LIMITED = [
    KlondikeRules(draw=draw, redeals=redeals, worrying_back=back)
    for draw, redeals, back in [
        (1, 0, True),
        (1, 2, False),
        (2, 1, True),
        (3, 0, False),
        (5, 0, True),
    ]
]


@pytest.mark.parametrize("rules", LIMITED, ids=lambda rules: rules.slug)
def test_dead_ends_by_passes(rules: KlondikeRules) -> None:
    """The stock is turned card by card, wherever the search does so."""
    table = every_table(rules.draw)
    answers = {True: 0, False: 0}
    for position in met(rules, 30 if COMPILED else 14):
        node, layout = loaded(position)
        if rules.draw > 1 and position.redeals_used < (rules.redeals or 0):
            continue
        mode = limited_mode(rules, False)
        reach = limited_reach(node.stock, rules.draw, table)
        found = bool(is_dead_end(node, reach, False, mode, layout, table))
        assert found == naive_is_dead_by_passes(position), position
        answers[found] += 1
    assert min(answers.values()) > (50 if COMPILED else 20), answers


@pytest.mark.parametrize("rules", LIMITED, ids=lambda rules: rules.slug)
def test_what_goes_up_when_it_shows(rules: KlondikeRules) -> None:
    """In the last pass no card is tried after one that goes up, and the one that shows rises."""
    table = every_table(rules.draw)
    stopped = rose = 0
    for position in met(rules, 60 if COMPILED else 14):
        node, layout = loaded(position)
        if position.redeals_used < (rules.redeals or 0):
            continue
        cards = Sets.of(position)
        going = {c for c in DECK if goes_up_when_shown(cards, c, rules.worrying_back)}
        shown = []  # by turning on
        for end in range(rules.draw, len(position.stock) + rules.draw, rules.draw):
            shown.append(position.stock[:end][-1])
            if shown[-1] in going:
                break
        mode = limited_mode(rules, True)
        reach = limited_reach(node.stock, rules.draw, table)
        tried = places_to_try(node, reach, mode, layout)
        found = as_cards(int(card_set(tried, layout.stock_sets)))
        assert found == {*shown, *position.waste[-1:]}, position
        stopped += found != as_cards(int(card_set(reach, layout.stock_sets)))
        assert places_to_try(node, reach, limited_mode(rules, True, SAFE), layout) == reach
        assert places_to_try(node, reach, limited_mode(rules, False), layout) == reach

        rising = as_cards(int(rising_cards(node, mode, layout)))
        if not rising & cards.loose or not rules.worrying_back:
            of_waste = set(position.waste[-1:]) & going
            assert rising - cards.visible == of_waste, position
            rose += bool(of_waste)
        usual = as_cards(int(rising_cards(node, limited_mode(rules, False), layout)))
        assert usual == rising & cards.visible
    assert min(stopped, rose) > (4 if COMPILED else 0), (stopped, rose)


def naive_takes(
    cards: list[int], waste: int, redeals: int, draw: int
) -> dict[int, tuple[int, int]]:
    """Card -> waste under it and redeals left once it was taken, with as many left as can be."""
    found: dict[int, tuple[int, int]] = {}
    for left in range(redeals, -1, -1):
        turned = waste
        while True:
            if turned > 0:
                found.setdefault(cards[turned - 1], (turned - 1, left))
            if turned == len(cards):
                break
            turned = min(turned + draw, len(cards))
        waste = 0
    return found


@pytest.mark.parametrize("draw", [1, 2, 3, 5, 8])
def test_limited_stocks_are_turned_card_by_card(draw: int) -> None:
    chooser = random.Random(draw)
    table = every_table(draw)
    for _ in range(60):
        count, redeals = chooser.randint(1, 24), chooser.randint(0, 3)
        waste = chooser.randint(0, count)
        stock = limited_stock(count, waste, redeals)
        cards = list(range(count))
        while cards:
            takes = naive_takes(cards, waste, redeals, draw)
            reach = limited_reach(stock, draw, table)
            assert {at for at in range(24) if reach >> at & 1} == set(takes)
            if not takes:
                break
            card = chooser.choice(sorted(takes))
            waste, redeals = takes[card]
            cards.remove(card)
            stock = take_with_limit(stock, card, draw, table)
            assert stock & STOCK_MASK == sum(1 << at for at in cards)
            if cards:
                assert stock >> 29 == redeals


@pytest.mark.parametrize("whole", [None, 1])
@pytest.mark.parametrize("draw", [1, 3])
def test_the_wide_table_against_turning(draw: int, whole: int | None) -> None:
    """A position is dominated exactly if one with the same cards was entered and can become it."""
    chooser = random.Random(draw)
    size = 64
    table = np.zeros(words_of(whole) * 2 * size, dtype=np.int64)
    lie = (5, 0, 0) if whole else (0, 0, 0)
    entered: list[tuple[int, int, int]] = []
    count = 7
    for _ in range(40):
        place, waste, redeals = (
            chooser.randint(1, 3),
            chooser.randint(0, count),
            chooser.randint(0, 3),
        )
        row = row_of(place, (1 << count) - 1, waste, redeals, -1, *lie, whole)
        reached = any(
            old[0] == place and (waste, redeals) in turned(old[1], old[2], count, draw)
            for old in entered
        )
        found = enter_row(table, size, row, draw, whole)
        assert found == (DOMINATED if reached else NEW)
        if found == NEW:
            entered.append((place, waste, redeals))
        if entered and chooser.random() < 0.2:
            gone = entered.pop(chooser.randrange(len(entered)))
            gone_row = row_of(gone[0], (1 << count) - 1, *gone[1:], -1, *lie, whole)
            forget_row(table, size, gone_row, whole)
    other = row_of(1, (1 << count) - 1, 0, 9, 2, *lie, whole)  # a card just brought
    assert enter_row(table, size, other, draw, whole) == NEW
    other_suit = row_of(1, (1 << count) - 1, 0, 9, 1, *lie, whole)
    assert enter_row(table, size, other_suit, draw, whole) == NEW
    more = 2
    for at in range(3 if whole else 0):
        otherwise = [*lie]
        otherwise[at] ^= 1 << 51
        row = row_of(1, (1 << count) - 1, 0, 9, 2, *otherwise, whole)
        assert enter_row(table, size, row, draw, whole) == NEW
        more += 1
    spare = np.zeros(words_of(whole) * size + 3, dtype=np.int64)
    assert grow_rows(table, size, whole, spare, 3) == len(entered) + more
    for place, waste, redeals in entered:
        row = row_of(place, (1 << count) - 1, waste, redeals, -1, *lie, whole)
        assert enter_row(table, 2 * size, row, draw, whole) == DOMINATED


@pytest.mark.parametrize("whole", [None, 1])
def test_a_wide_table_that_grows_loses_nothing(whole: int | None) -> None:
    """In place, time and again, with rows that were taken out and a full end."""
    chooser = random.Random(9)
    size, most = 16, 1024
    table = np.full(words_of(whole) * most, -7, dtype=np.int64)
    table[: words_of(whole) * size] = 0
    rows: list[tuple[int, ...]] = []
    used = waited = 0
    while size < most:
        row = row_of(chooser.getrandbits(30), 5, 1, 0, -1, 0, 0, 0, whole)
        assert enter_row(table, size, row, 3, whole) == NEW
        rows.append(row)
        used += 1
        if chooser.random() < 0.1:
            forget_row(table, size, rows.pop(chooser.randrange(len(rows))), whole)
        if 3 * used > 2 * size:
            waited += table[0] != 0
            spare = np.full(words_of(whole) * 40, -9, dtype=np.int64)
            used = grow_rows(table, size, whole, spare, 2)
            assert used == len(rows)
            size *= 2
            for old in rows:
                assert enter_row(table, size, old, 3, whole) == DOMINATED
    assert waited > 0
    # Without room for the rows in front nothing is done.
    table[0] = 1
    as_it_was = table.copy()
    assert grow_rows(table, size // 2, whole, spare, len(spare)) == -1
    assert np.array_equal(table, as_it_was)


def turned(waste: int, redeals: int, count: int, draw: int) -> set[tuple[int, int]]:
    """The wastes and redeals that turning and redealing lead to."""
    found = set()
    while (waste, redeals) not in found:
        found |= {(waste, left) for left in range(redeals + 1)}
        if waste < count:
            waste = min(waste + draw, count)
        elif redeals > 0:
            waste, redeals = 0, redeals - 1
    return found
