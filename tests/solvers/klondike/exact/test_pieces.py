"""Tests of the parts of `exact`, each against a naive twin."""

import random
from typing import Any

import numpy as np
import pytest

from engine.cards import DECK, KING, make_card, rank, suit, twin
from engine.cardset import (
    BIT_OF_CARD,
    CARD_OF_BIT,
    next_in_suit,
    previous_in_suit,
    swap_twins,
    with_all_lower,
)
from engine.kernels.compiler import COMPILED
from engine.klondike import stock_turns
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import flatten, new_position
from engine.klondike.moves import REDEAL, TURN
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from samples import sizes
from solvers.klondike.exact import entries, restarts
from solvers.klondike.exact import position as exact_position
from solvers.klondike.exact import stocks as exact_stocks
from solvers.klondike.exact import table as exact_table
from solvers.klondike.exact.building import bare_cards, safe_cards
from solvers.klondike.exact.load import USUAL, load
from solvers.klondike.exact.nodes import Node, waste_of
from solvers.klondike.exact.relaxation import is_dead_end
from solvers.klondike.exact.rules import mode_by_stocks
from solvers.klondike.exact.steps import MOVES_PER_FRAME, steps
from twins.exact import (
    Sets,
    as_bits,
    as_cards,
    children,
    naive_is_dead_end,
    naive_steps,
    offered,
    parents,
)
from twins.search import random_late_position


def test_the_layout_of_bits() -> None:
    assert sorted(BIT_OF_CARD) == list(range(52))
    for card in DECK:
        bit = 1 << int(BIT_OF_CARD[card])
        assert as_cards(swap_twins(bit)) == {twin(card)}
        up = {make_card(rank(card) + 1, suit(card))} if rank(card) < KING else set()
        down = {make_card(rank(card) - 1, suit(card))} if rank(card) else set()
        assert as_cards(next_in_suit(bit)) == up
        assert as_cards(previous_in_suit(bit)) == down
        pair = int(BIT_OF_CARD[card]) & ~1
        assert {int(CARD_OF_BIT[b]) for b in (pair + 4, pair + 5) if b < 52} == parents(card)


def test_cards_with_all_lower_ones_of_their_suit() -> None:
    random_state = random.Random(2)
    for _ in range(400 if COMPILED else 100):
        share = random_state.choice([0.5, 0.8, 0.95, 1.0])
        cards = {card for card in DECK if random_state.random() < share}
        expected = {c for c in cards if all(make_card(r, suit(c)) in cards for r in range(rank(c)))}
        assert as_cards(with_all_lower(as_bits(cards))) == expected


def test_bare_by_trying_every_arrangement() -> None:
    """A visible card can be bare if the loose cards fit on the other visible ones."""
    random_state = random.Random(3)
    for _ in range(400 if COMPILED else 40):
        visible = {card for card in DECK if random_state.random() < 0.5}
        loose = {card for card in visible if random_state.random() < 0.6 and rank(card) < KING}
        bare = as_cards(bare_cards(as_bits(visible), as_bits(loose)))
        for card in visible:
            hosts = {card, twin(card)} & visible
            riders = children(card) & loose
            if len(riders) > len(hosts):
                continue  # no arrangement at all: never arises in play
            assert (card in bare) == (len(riders) <= len(hosts) - 1)


def test_safe_by_its_definition() -> None:
    random_state = random.Random(4)
    for _ in range(300 if COMPILED else 30):
        heights = [random_state.randint(0, 13) for _ in range(4)]
        up = {make_card(r, s) for s in range(4) for r in range(heights[s])}
        ready = up | {make_card(heights[s], s) for s in range(4) if heights[s] < 13}
        safe = as_cards(safe_cards(as_bits(up), mode_by_stocks(3, 0, False)))
        for card in DECK:
            below = make_card(rank(card) - 2, suit(twin(card))) if rank(card) >= 2 else None
            expected = children(card) <= ready and (below is None or below in ready)
            assert (card in safe) == expected


def test_every_nth_card_of_a_mask() -> None:
    random_state = random.Random(8)
    for draw in range(1, 25):
        table = stock_turns.every_table(draw)
        # The kernel does not check: it looks up the last phase with eight cards after it.
        assert len(table) > 256 * draw + draw - 1 + 8
        for _ in range(60 if COMPILED else 10):
            cards = random_state.getrandbits(24)
            phase = random_state.randrange(draw)
            found = int(stock_turns.every(cards, phase, draw, table))
            places = [place for place in range(24) if cards >> place & 1]
            assert [place for place in range(24) if found >> place & 1] == [
                place for at, place in enumerate(places) if (phase + at + 1) % draw == 0
            ], (cards, phase, draw)


def random_mask(random_state: random.Random) -> tuple[int, list[int]]:
    places = sorted(random_state.sample(range(24), random_state.randint(0, 24)))
    return sum(1 << place for place in places), places


def test_reach_of_the_stock_by_turning_it() -> None:
    """From every edge that there can be, at every draw."""
    random_state = random.Random(5)
    for draw in range(1, 25):
        table = stock_turns.every_table(draw)
        for _ in range(10 if COMPILED else 2):
            mask, places = random_mask(random_state)
            for edge in range(25):
                waste = sum(1 for place in places if place < edge)
                nothing = waste % draw == 0 or waste == len(places)
                stock = mask | (0 if nothing else edge) << 24
                reach = int(stock_turns.within_reach(stock, draw, table))
                expected = offered(places, waste, draw)
                assert {place for place in range(24) if reach >> place & 1} == expected


def test_offered_cards_by_the_referee() -> None:
    """The naive twin itself, by turns and redeals of the referee until nothing new shows."""
    random_state = random.Random(15)
    empty: tuple[tuple[int, ...], ...] = ((),) * 7
    for _ in range(300 if COMPILED else 40):
        size = random_state.randint(0, 24)
        waste = random_state.randint(0, size)
        cards = tuple(range(size))
        rules = KlondikeRules(draw=random_state.randint(1, 9))
        now = KlondikePosition(rules, empty, empty, (0, 0, 0, 0), cards[waste:], cards[:waste])
        shown = set(now.waste[-1:])
        for _ in range(60 if size else 0):
            now = now.play(TURN if now.stock else REDEAL)
            shown |= set(now.waste[-1:])
        assert offered(list(cards), waste, rules.draw) == shown


def test_taking_a_card_leaves_those_before_it_in_the_waste() -> None:
    random_state = random.Random(9)
    for _ in range(400 if COMPILED else 100):
        draw = random_state.randint(1, 24)
        mask, places = random_mask(random_state)
        if not places:
            continue
        card = random_state.choice(places)
        edge = random_state.randrange(25)  # what lay in the waste before makes no difference
        after = int(stock_turns.take_from_stock(mask | edge << 24, card, draw))
        left = [place for place in places if place != card]
        waste = sum(1 for place in left if place < card)
        assert after & stock_turns.STOCK_MASK == mask & ~(1 << card)
        reach = int(stock_turns.within_reach(after, draw, stock_turns.every_table(draw)))
        assert {place for place in range(24) if reach >> place & 1} == offered(left, waste, draw)
        if waste % draw == 0 or waste == len(left):
            assert after >> 24 == 0
        else:
            assert int(waste_of(after)) == waste


def starts(random_state: random.Random, count: int) -> list[KlondikePosition]:
    """Late positions, and deals after some random moves."""
    found = []
    for _ in range(count):
        rules = KlondikeRules(draw=random_state.choice([1, 1, 1, 2, 3, 3, 3, 4, 7, 24]))
        if random_state.random() < 0.6:
            found.append(random_late_position(random_state, rules, random_state.randint(4, 45)))
            continue
        cards = list(DECK)
        random_state.shuffle(cards)
        position = KlondikePosition.start(KlondikeDeal.of(cards), rules)
        for _ in range(random_state.randint(0, 60)):
            position = position.play(random_state.choice(position.legal_moves()))
        found.append(position)
    return found


def loaded(position: KlondikePosition) -> exact_position.Layout:
    """The layout of a position, as the kernels take it."""
    flat, start = new_position(), np.zeros(9, dtype=np.int64)
    sizes = (52, 768, 52, 52)
    below, stock, index, column = (np.zeros(size, dtype=np.int64) for size in sizes)
    flatten(position, flat)
    load(flat, start, *USUAL, below, stock, index, column)
    suits = np.array([suit(int(CARD_OF_BIT[bit])) for bit in range(52)], dtype=np.int64)
    return exact_position.Layout(below, stock, index, column, suits)


@pytest.mark.parametrize("count", sizes(75, 120))
def test_steps_and_dead_ends_by_sets(count: int) -> None:
    """Along random lines of the search's own steps, with cards just brought among them."""
    random_state = random.Random(10)
    moves = np.zeros(MOVES_PER_FRAME, dtype=np.int64)
    compared = dict.fromkeys(["at rest", "after DOWN", "after STOCK_DOWN", "dead end", "hope"], 0)
    again = dict.fromkeys([True, False], 0)
    for position in starts(random_state, count if COMPILED else 25):
        now = Sets.of(position)
        layout, table, draw = loaded(position), stock_turns.every_table(now.draw), now.draw
        for _ in range(40):
            reach = int(stock_turns.within_reach(now.numbers()[4], draw, table))
            assert {now.places[i] for i in range(24) if reach >> i & 1} == now.reach
            brought = -1
            if now.brought is not None:
                brought = int(BIT_OF_CARD[now.brought])
                brought += exact_position.FROM_STOCK if now.from_stock else 0
            node = Node(*now.numbers(), 0, brought, 0, 0, 0)
            mode = mode_by_stocks(draw, 0, False)
            top = steps(node, reach, mode, layout, moves, 0)
            written = [(int(step) >> 6, int(CARD_OF_BIT[step & 63])) for step in moves[:top]]
            expected = naive_steps(now)
            assert len(written) == len(set(written))
            assert set(written) == expected, now
            if now.brought is None:
                found = is_dead_end(node, reach, False, mode, layout, table)
                assert found == naive_is_dead_end(now), now
                some = reach & random_state.getrandbits(24)
                none = is_dead_end(node, some, True, mode, layout, table)
                only = frozenset(now.places[place] for place in range(24) if some >> place & 1)
                assert none == naive_is_dead_end(now, only), now
                again[bool(none)] += 1
                compared["dead end" if found else "hope"] += 1
                compared["at rest"] += 1
            else:
                compared["after STOCK_DOWN" if now.from_stock else "after DOWN"] += 1
            if not expected:
                break
            now = now.play(random_state.choice(sorted(expected)))
    assert min(compared.values()) >= (count / 1.5 if COMPILED else 10), compared
    assert min(again.values()) >= (count / 1.5 if COMPILED else 10), again


def test_heads_of_the_deepest_columns_come_last() -> None:
    random_state = random.Random(14)
    moves = np.zeros(MOVES_PER_FRAME, dtype=np.int64)
    several = 0
    for position in starts(random_state, 100 if COMPILED else 20):
        now = Sets.of(position)
        layout, node = loaded(position), Node(*now.numbers(), 0, -1, 0, 0, 0)
        top = steps(node, 0, mode_by_stocks(now.draw, 0, False), layout, moves, 0)
        digs = [
            int(s) for s in moves[:top] if s >> 6 in (exact_position.HEAD_UP, exact_position.REVEAL)
        ]
        assert digs == [int(step) for step in moves[top - len(digs) : top]]
        depths = [node.columns >> 4 * int(layout.column_of[step & 63]) & 15 for step in digs]
        assert depths == sorted(depths)
        several += len(digs) > 1
    assert several >= 5


def covers(draw: int, exact: bool, entered: list[int], waste: int) -> bool:
    """Whether wastes entered before make entering `waste` needless."""
    if exact or waste == 0:
        return waste in entered if exact else bool(entered)
    return any(w > 0 and w % draw == waste % draw and w <= waste for w in entered)


@pytest.mark.parametrize(
    ("draw", "exact"), [(1, False), (2, False), (3, False), (3, True), (5, True)]
)
def test_the_table_beside_a_dictionary(draw: int, exact: bool) -> None:
    """Entering, growing, and forgetting in reverse order."""
    random_state = random.Random(draw)
    size = 16
    table = np.zeros(4 * 1024, dtype=np.int64)
    model: dict[tuple[int, int, int, int], list[int]] = {}
    undo: list[tuple[int, int, int, int, int, tuple[int, int, int, int], list[int] | None]] = []
    used = 0
    for _ in range(4000 if COMPILED else 1000):
        if undo and random_state.random() < 0.45:
            place, mask, waste, brought, entered, key, before = undo.pop()
            exact_table.forget(table, size, place, mask, waste, brought, exact, entered)
            used -= entered == exact_table.NEW
            if before is None:
                del model[key]
            else:
                model[key] = before
            continue
        place = random_state.choice([0, 1, 5, 2**31 - 1]) ^ random_state.randrange(12)
        mask = random_state.choice([1, 2, 3, 2**24 - 1])
        waste = random_state.choice([w for w in range(24) if w % draw or w == 0])
        brought = random_state.choice([-1, -1, -1, 0, 3])
        key = (place, mask, -1 if brought < 0 else waste, brought)
        before = model.get(key)
        dominated = before is not None and (brought >= 0 or covers(draw, exact, before, waste))
        entered = int(exact_table.enter(table, size, place, mask, waste, brought, draw, exact))
        assert (entered == exact_table.DOMINATED) == dominated
        if dominated:
            continue
        # With wastes kept apart each has an entry of its own.
        if exact or before is None:
            assert entered == exact_table.NEW
        used += entered == exact_table.NEW
        model[key] = [*(before or []), waste]
        undo.append((place, mask, waste, brought, entered, key, before))
        if 3 * used > 2 * size:
            spare = np.full(60, -9, dtype=np.int64)
            assert exact_table.grow(table, size, spare, 2)
            size *= 2
    assert used == np.count_nonzero(table[:size])
    assert size >= 64


def test_a_table_that_grows_loses_nothing() -> None:
    """Whatever stands at its two ends; without room for those in front it is left as it is."""
    waited = 0
    for seed in range(40):
        chooser = random.Random(seed)
        size = 16
        table = np.full(512, -7, dtype=np.int64)
        table[:size] = 0
        entered: list[int] = []
        while size < 512:
            place = chooser.getrandbits(30)
            assert exact_table.enter(table, size, place, 5, 0, -1, 3, False) == exact_table.NEW
            entered.append(place)
            if 3 * len(entered) <= 2 * size:
                continue
            spare = np.full(200, -9, dtype=np.int64)
            if table[0] != 0:
                waited += 1
                as_it_was = table.copy()
                assert not exact_table.grow(table, size, spare, len(spare))
                assert np.array_equal(table, as_it_was)
            assert exact_table.grow(table, size, spare, 7)
            assert np.all(spare[:7] == -9)
            size *= 2
            assert np.count_nonzero(table[:size]) == len(entered)
            for old in entered:
                again = exact_table.enter(table, size, old, 5, 0, -1, 3, False)
                assert again == exact_table.DOMINATED
    assert waited > 50


@pytest.mark.parametrize("draw", [2, 4, 5, 6, 13])
def test_wastes_by_remainder_beside_what_turning_shows(draw: int) -> None:
    """Entering, growing, and forgetting in reverse order."""
    random_state = random.Random(draw)
    size = 16
    table = np.zeros(4 * 1024, dtype=np.int64)
    every = stock_turns.every_table(draw)
    model: dict[tuple[int, int], list[int]] = {}
    undo: list[tuple[int, int, int, int]] = []
    widened = 0
    for _ in range(4000):
        if undo and random_state.random() < 0.4:
            place, mask, waste, entered = undo.pop()
            exact_table.forget(table, size, place, mask, waste, -1, True, entered)
            assert model[place, mask].pop() == waste
            continue
        place = random_state.choice([0, 1, 5, 2**31 - 1]) ^ random_state.randrange(12)
        mask = random_state.choice([1, 6, 2**12 - 1, 2**24 - 1])
        waste = random_state.choice([w for w in range(mask.bit_count() + 1) if w % draw or w == 0])
        known = model.setdefault((place, mask), [])
        entered, wastes = map(
            int, exact_table.enter_by_remainder(table, size, place, mask, waste, draw)
        )
        if any(offers(before, waste, draw) for before in known):
            assert entered == exact_table.DOMINATED
            continue
        same = [before for before in known if before and (before - waste) % draw == 0]
        assert entered == (min(same) if same else exact_table.NEW)
        widened += bool(same)
        assert wastes == sum(1 << before for before in least_of_remainders(known, draw))
        if known:
            shown = int(entries._reach_of_wastes(wastes, mask, draw, every))
            assert shown == reach_of_all(mask, known, draw, every)
        known.append(waste)
        undo.append((place, mask, waste, entered))
        used = sum(len(least_of_remainders(wastes, draw)) for wastes in model.values())
        assert used == np.count_nonzero(table[:size])
        if 3 * used > 2 * size:
            spare = np.full(60, -9, dtype=np.int64)
            assert exact_table.grow(table, size, spare, 2)
            size *= 2
    assert size >= 64
    if draw < 13:
        assert widened > 0


def offers(waste: int, other: int, draw: int) -> bool:
    """Whether turning alone leads from a waste to another, or a fresh pass to the other."""
    return other == 0 or (waste > 0 and waste <= other and (other - waste) % draw == 0)


def least_of_remainders(wastes: list[int], draw: int) -> set[int]:
    """Of wastes with the same remainder the smallest; 0 stands for a fresh pass alone."""
    least: dict[int, int] = {}
    for waste in wastes:
        kind = waste % draw if waste else -1
        least[kind] = min(waste, least.get(kind, waste))
    return set(least.values())


def reach_of_all(mask: int, wastes: list[int], draw: int, every: Any) -> int:
    """The places within reach of a stock with one of these wastes."""
    shown = 0
    places = [place for place in range(24) if (mask >> place) & 1]
    for waste in wastes:
        edge = places[waste - 1] + 1 if waste else 0
        shown |= int(stock_turns.within_reach(mask | edge << 24, draw, every))
    return shown


def test_the_store_of_stocks_beside_a_list() -> None:
    """Adding, asking, rolling back and growing."""
    random_state = random.Random(16)
    smallest = exact_stocks.SMALLEST_STORE
    store = exact_stocks.new_store(8 * smallest, 2 * 6000)
    for array in (store.slots, store.pool):
        array[:] = 77
    dominated = 0
    for places in (3, 40, 3 * smallest // 4 * 3):
        exact_stocks.clear_store(store)
        model: list[tuple[int, int]] = []
        for _ in range(5000 if COMPILED else 1500):
            place = random_state.randrange(places) * 7919 % (2**31 - 1)
            mask = random_state.choice([0, 2**24 - 1, random_state.getrandbits(24)])
            mask &= random_state.getrandbits(24) | 0xFFFFF0
            expected = any(at == place and mask & ~other == 0 for at, other in model)
            assert exact_stocks.is_dominated(store, place, mask) == expected
            dominated += expected
            action = random_state.random()
            if action < 0.98:
                assert exact_stocks.save_stock(store, place, mask) == len(model)
                model.append((place, mask))
            elif model:
                count = max(0, len(model) - random_state.randint(0, 30))
                exact_stocks.roll_back(store, count)
                del model[count:]
            assert store.counts.entries == len(model)
    assert store.counts.capacity > smallest
    assert dominated >= 100


def test_a_full_store_says_so() -> None:
    smallest = exact_stocks.SMALLEST_STORE
    for slots_size, pool_size in ((2 * smallest, 8 * smallest), (8 * smallest, 100)):
        store = exact_stocks.new_store(slots_size, pool_size)
        exact_stocks.clear_store(store)
        full_at = min(2 * smallest // 3 + 1, pool_size // 2)
        answers = [int(exact_stocks.save_stock(store, place, 5)) for place in range(full_at + 3)]
        assert answers == [*range(full_at), *([exact_stocks.FULL] * 3)]
        assert all(exact_stocks.is_dominated(store, place, 5) for place in range(full_at))


def test_random_numbers_are_marsaglias() -> None:
    """Xorshift32 with 13, 17, 5 has the full period; a few steps by 32-bit arithmetic."""
    state = expected = restarts._RANDOM_START
    for _ in range(50):
        state = int(restarts._next_random(state))
        expected ^= expected << 13 & 0xFFFFFFFF
        expected ^= expected >> 17
        expected ^= expected << 5 & 0xFFFFFFFF
        assert state == expected
