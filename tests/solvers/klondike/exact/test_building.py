"""Tests of groups of cards and of lists of sets against plain sentences about cards."""

import random
from collections.abc import Iterable

import pytest

from engine.cards import DECK, KING, rank
from engine.cardset import BIT_OF_CARD, CARD_OF_BIT
from engine.kernels.compiler import COMPILED
from engine.klondike.rules import BUILDINGS, SPACES, KlondikeRules
from solvers.klondike.exact import building
from solvers.klondike.exact.rules import BUILDING, Mode, mode_by_hand
from solvers.klondike.exact.rules import SPACES as SPACES_AS_NUMBER
from solvers.klondike.exact.set_lists import (
    LOST,
    RECENT,
    WON,
    add_set,
    clear_lists,
    has_subset,
    has_superset,
    new_lists,
    void_entry,
)
from solvers.klondike.exact.steps import _may_be_needed

EVERY = [KlondikeRules(building=way, spaces=spaces) for way in BUILDINGS for spaces in SPACES]


def mode_for(rules: KlondikeRules) -> Mode:
    ways = BUILDING[rules.building], SPACES_AS_NUMBER[rules.spaces]
    return mode_by_hand(3, 0, *ways, 1, None, None, None, False)


def as_set(cards: Iterable[int]) -> int:
    return sum(1 << int(BIT_OF_CARD[card]) for card in cards)


def cards_of(cards: int) -> set[int]:
    return {int(CARD_OF_BIT[bit]) for bit in range(52) if cards >> bit & 1}


def group(card: int, rules: KlondikeRules) -> set[int]:
    return {
        other
        for other in DECK
        if rank(other) == rank(card)
        and all(rules.builds(other, host) == rules.builds(card, host) for host in DECK)
        and all(rules.builds(child, other) == rules.builds(child, card) for child in DECK)
    }


@pytest.mark.parametrize("rules", EVERY[::3], ids=lambda rules: rules.slug)
def test_what_may_be_needed_beside_its_definition(rules: KlondikeRules) -> None:
    """Of any sets, also those that no search meets."""
    random_state = random.Random(rules.slug)
    groups = {card: group(card, rules) for card in DECK}
    hosts = {card: {host for host in DECK if rules.builds(card, host)} for card in DECK}
    more_than_once = 0
    for _ in range(700 if COMPILED else 200):
        few, some = random_state.choice([0, 0.03]), random_state.choice([0, 0.2])
        up, drawable, waiting, coming = (
            {card for card in DECK if random_state.random() < share}
            for share in (0.4, some, 0.03, few)
        )
        first = {other for card in waiting for other in groups[card]}
        needed = set(first)
        while True:
            carried = coming | (needed & (up | drawable))
            above = {card + 4 for card in needed & up} & up
            grown = needed | above | {host for card in carried for host in hosts[card]}
            if grown == needed:
                break
            needed = grown
        more_than_once += needed != first
        bits = (as_set(cards) for cards in (waiting, coming, up, drawable))
        assert cards_of(int(_may_be_needed(*bits, mode_for(rules)))) == needed
    assert more_than_once > 50


def tables(rules: KlondikeRules, count: int) -> Iterable[tuple[set[int], set[int], set[int]]]:
    """Loose cards with a place, heads, and the rest, at random."""
    chooser = random.Random(rules.slug)
    for _ in range(count):
        cards = list(DECK)
        chooser.shuffle(cards)
        heads = set(cards[: chooser.randint(0, 7)])
        loose: set[int] = set()
        for card in sorted(cards[7 : chooser.randint(8, 40)], reverse=True):
            parents = [p for p in loose | heads if rules.builds(card, p)]
            children = [c for c in loose if group(c, rules) & group(card, rules)]
            if len(parents) > len(children):
                loose.add(card)
        yield loose, heads, set(DECK) - loose - heads


@pytest.mark.parametrize("rules", EVERY, ids=str)
def test_groups_parents_and_children(rules: KlondikeRules) -> None:
    mode = mode_for(rules)
    for card in DECK:
        one = as_set({card})
        # Under "same-suit" kings and aces differ from other cards in nothing but what they lack.
        if rules.building != "same-suit" and 0 < rank(card) < KING:
            assert cards_of(building.group_of(one, mode)) == group(card, rules)
        parents = {host for host in DECK if rules.builds(card, host)}
        assert cards_of(building.parents_of(one, mode)) == parents
        children = {child for child in DECK if rules.builds(child, card)}
        assert cards_of(building.children_of(one, mode)) == children


@pytest.mark.parametrize("rules", EVERY, ids=str)
def test_room_is_more_cards_than_children(rules: KlondikeRules) -> None:
    mode = mode_for(rules)
    for loose, heads, _ in tables(rules, 40):
        visible = loose | heads
        room = cards_of(building.with_room(as_set(visible), as_set(loose), mode))
        for card in visible:
            mates = {c for c in visible if c in cards_of(building.group_of(as_set({card}), mode))}
            children = {c for c in loose if rules.builds(c, card)}
            assert (card in room) == (len(mates) > len(children))


@pytest.mark.parametrize("rules", EVERY, ids=str)
def test_supports_are_the_fewest_cards_that_give_all_a_place(rules: KlondikeRules) -> None:
    """Counted from the aces up, group by group."""
    if rules.spaces == "any":
        return  # the game of supports is not asked there
    mode = mode_for(rules)
    answers = set()
    for loose, heads, rest in tables(rules, 60):
        own = loose - {c for c in loose if c % 3 == 0}
        hand = rest - {c for c in rest if c % 5 == 0}
        visible = own | heads
        brought: dict[int, int] = {}
        can = True
        for level in range(13):
            for card in (4 * level + suit for suit in range(4)):
                mates = cards_of(building.group_of(as_set({card}), mode))
                if card != min(mates):
                    continue
                below = {c for c in DECK if any(rules.builds(c, mate) for mate in mates)}
                lowest = {min(cards_of(building.group_of(as_set({c}), mode))) for c in below}
                children = len(below & own) + sum(brought[c] for c in lowest)
                brought[card] = max(0, children - len(mates & visible))
                can = can and brought[card] <= len(mates & hand)
        kings = sum(brought[c] for c in brought if rank(c) == KING)
        columns = 0x11000  # two of the seven hold locked cards
        if rules.spaces == "none":
            can = can and kings == 0
        else:
            can = can and kings + sum(rank(c) == KING for c in own) <= 5
        found = building.can_be_supported(as_set(own), as_set(visible), as_set(hand), columns, mode)
        assert bool(found) == can
        answers.add(can)
    assert answers == {True, False}


def test_lists_know_subsets_and_supersets() -> None:
    lists = new_lists(50, False)
    clear_lists(lists)
    first = add_set(lists, LOST, 7, 0b0110, 0, 0, None)
    assert has_subset(lists, 7, 0b1110, 0, 0, None)
    assert not has_subset(lists, 7, 0b0100, 0, 0, None)
    assert not has_subset(lists, 8, 0b1110, 0, 0, None)
    void_entry(lists, first)
    assert not has_subset(lists, 7, 0b1110, 0, 0, None)
    add_set(lists, WON, 7, 0b0110, 0, 0, None)
    assert has_superset(lists, 7, 0b0100, 0, 0, None)
    assert not has_superset(lists, 7, 0b1000, 0, 0, None)
    for number in range(RECENT):
        add_set(lists, WON, 7, 1 << (10 + number), 0, 0, None)
    assert not has_superset(lists, 7, 0b0100, 0, 0, None)  # too far back
    clear_lists(lists)
    assert not has_superset(lists, 7, 1 << 10, 0, 0, None)
    while add_set(lists, LOST, 1, 1, 0, 0, None) >= 0:
        pass
    assert lists.counts.entries == 50


def test_arranged_lists_against_all_that_was_added() -> None:
    """A set compares with those that lie alike; a lost one is known however far back it is."""
    chooser = random.Random(5)
    lists = new_lists(4096, True)
    clear_lists(lists)
    lost: list[tuple[int, ...]] = []
    won: list[tuple[int, ...]] = []
    found = [0, 0, 0]
    for _ in range(4000):
        place, loose = chooser.randint(1, 2), chooser.randrange(1 << 11)
        low, high = loose & chooser.randrange(64), loose & chooser.choice((0, 0, 1 << 10))
        here = (place, loose, low, high)
        kind = chooser.choice((LOST, WON))
        latest = [each for each in (lost if kind == LOST else won) if each[0] == place]
        latest = latest[-RECENT:]
        if kind == LOST:
            expected = here in lost or any(
                each[1] & ~loose == 0 and ((each[2] ^ low) | (each[3] ^ high)) & each[1] == 0
                for each in latest
            )
            assert has_subset(lists, *here, 1) == expected
            found[0] += expected
            found[1] += here in lost and here not in latest
        else:
            expected = any(
                loose & ~each[1] == 0 and ((each[2] ^ low) | (each[3] ^ high)) & loose == 0
                for each in latest
            )
            assert has_superset(lists, *here, 1) == expected
            found[2] += expected
        if not expected and chooser.random() < 0.8:
            number = add_set(lists, kind, *here, 1)
            if kind == LOST and chooser.random() < 0.3:
                void_entry(lists, number)
            else:
                (lost if kind == LOST else won).append(here)
    assert min(found) > 5
    assert len(lost) > 200  # the table of them grew
