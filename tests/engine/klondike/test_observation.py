"""Tests of a player's view of a deal: everything the referee shows and nothing more."""

import random
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import chisquare

from engine.cardset import ALL, BIT_OF_CARD, CARD_OF_BIT
from engine.dealing.dealers import get_dealer
from engine.kernels.rng import seed_rng
from engine.klondike.deal import KlondikeDeal
from engine.klondike.kplus import CARD, MOST_MOVES, State, Table, bases, macro_moves, play, reveals
from engine.klondike.observation import (
    Croupier,
    Determinization,
    Observation,
    deal_to,
    determinize,
    hides,
    new_croupier,
    new_determinization,
    observe,
    random_card,
    turn_up,
)
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS, KlondikeRules
from twins.kplus import read

THOUGHTFUL = get_dealer("thoughtful-1")
RULES = [
    PRESETS["klondike-draw3"],
    PRESETS["klondike-draw1"],
    PRESETS["klondike-yan"],
    KlondikeRules(draw=5),
]
# Places of a deal in flat order: column k has k cards face down and one on them.
HIDDEN_PLACES = [c * (c + 1) // 2 + level for c in range(7) for level in range(c)]


class Game(NamedTuple):
    """A deal in a croupier's hands, at a state."""

    deal: KlondikeDeal
    rules: KlondikeRules
    croupier: Croupier
    state: State

    @property
    def position(self) -> KlondikePosition:
        return read(self.state, self.deal, self.rules)

    def moves(self) -> list[int]:
        return moves_of(self.state, self.croupier.table)

    def after(self, move: int) -> "Game":
        return self._replace(state=play(self.state, self.croupier.table, move))


def moves_of(state: State, table: Table) -> list[int]:
    moves = np.zeros(MOST_MOVES, dtype=np.int64)
    return moves[: macro_moves(state, table, moves)].tolist()


def begin(deal: KlondikeDeal, rules: KlondikeRules) -> Game:
    croupier = new_croupier(rules.draw, rules.partial_runs)
    return Game(deal, rules, croupier, deal_to(deal.as_array(), croupier))


def random_deals(first: int, count: int) -> list[KlondikeDeal]:
    return [KlondikeDeal.of(row) for row in THOUGHTFUL.deal_block(first, count)]


def some_move(game: Game, chooser: random.Random) -> int | None:
    """Often one that brings most cards up or out, so that late states are met, too."""
    moves = game.moves()
    if not moves:
        return None
    if chooser.random() < 0.5:
        return chooser.choice(moves)

    def worth(move: int) -> tuple[int, int]:
        after = game.after(move).state
        return -int(after.down).bit_count(), int(after.up).bit_count()

    return max(moves, key=worth)


def walk(game: Game, chooser: random.Random, most: int) -> Iterator[tuple[Game, int]]:
    """The states of a random game, each with the move that is made from it."""
    for _ in range(most):
        move = some_move(game, chooser)
        if move is None:
            return
        yield game, move
        game = game.after(move)


def seen(game: Game, world: Determinization) -> Observation:
    """What a player is handed; its view is filled from that."""
    observation = observe(game.state, game.croupier)
    assert determinize(observation, world) == game.state
    return observation


def bits(cards: int) -> set[int]:
    return {bit for bit in range(52) if cards >> bit & 1}


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_is_seen_is_what_the_referee_shows(rules: KlondikeRules) -> None:
    chooser = random.Random(f"seen {rules}")
    met: set[int] = set()
    fewest = 21
    for deal in random_deals(30_000, 20):
        start = begin(deal, rules)
        world = new_determinization(start.croupier)
        for game, _ in walk(start, chooser, 60):
            position = game.position
            depths = [0] * 52
            for down, up in zip(position.down, position.up, strict=True):
                if up:
                    depths[BIT_OF_CARD[up[0]]] = len(down)
            unseen = {int(BIT_OF_CARD[card]) for down in position.down for card in down}
            observation = seen(game, world)
            assert bits(int(observation.state.down)) == unseen
            assert world.depth.tolist() == depths
            assert world.table.below.tolist() == [ALL if depth else 0 for depth in depths]
            sets = (observation.ones, observation.twos, observation.fours)
            for bit, depth in enumerate(depths):
                assert sum(2**n * (int(cards) >> bit & 1) for n, cards in enumerate(sets)) == depth
                assert bool(hides(game.state, world, bit)) == (depth > 0)
            assert sum(depths) == len(unseen)
            assert moves_of(game.state, world.table) == game.moves()
            met.update(depths)
            fewest = min(fewest, len(unseen))
    assert met == set(range(7))
    assert fewest < 12


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_who_guesses_every_card_right_plays_the_same_game(rules: KlondikeRules) -> None:
    """A view that is filled once and never again, but told each card that turns up."""
    chooser = random.Random(f"guesses {rules}")
    turned = 0
    for deal in random_deals(31_000, 20):
        start = begin(deal, rules)
        own, other = new_determinization(start.croupier), new_determinization(start.croupier)
        seen(start, own)
        mine = start.state
        for game, move in walk(start, chooser, 60):
            seen(game, other)
            assert mine == game.state
            assert moves_of(mine, own.table) == game.moves()
            for bit in range(52):
                assert hides(mine, own, bit) == hides(mine, other, bit)
                if int(bases(mine)) >> bit & 1 and hides(mine, own, bit):
                    assert own.depth[bit] == other.depth[bit]
            base = move & CARD
            card = int(reveals(game.state, game.croupier.table, base))
            assert bool(hides(mine, own, base)) == (card != 0)
            if card:
                turn_up(own, base, card.bit_length() - 1)
                turned += 1
            mine = play(mine, own.table, move)
            assert mine == game.after(move).state
    assert turned > 100


def test_who_guesses_wrong_plays_the_game_of_another_deal() -> None:
    """Cards drawn by the player are a deal in which they lie so."""
    chooser = random.Random("wrong")
    rules = RULES[0]
    rng = np.zeros(2, dtype=np.int64)
    turned = 0
    for number, deal in enumerate(random_deals(32_000, 30)):
        start = begin(deal, rules)
        own = new_determinization(start.croupier)
        seen(start, own)
        seed_rng(deal.as_array(), number, rng)
        cards = deal.as_array()
        place_of = {int(BIT_OF_CARD[card]): at for at, card in enumerate(cards)}
        other = start
        for _ in range(60):
            move = some_move(other, chooser)
            if move is None:
                break
            mine, base = other.state, move & CARD
            if hides(mine, own, base):
                card = random_card(mine.down, rng)
                assert int(mine.down) >> card & 1
                # Change places with the card that lies there; both have not been seen.
                there = int(reveals(mine, other.croupier.table, base)).bit_length() - 1
                place_of[card], place_of[there] = place_of[there], place_of[card]
                for bit in (card, there):
                    cards[place_of[bit]] = CARD_OF_BIT[bit]
                deal_to(cards, other.croupier)
                turn_up(own, base, card)
                turned += 1
            other = other.after(move)
            assert play(mine, own.table, move) == other.state
    assert turned > 100


def permuted(deal: KlondikeDeal, chooser: random.Random, few: bool) -> KlondikeDeal:
    """A deal that looks the same at the start; with `few`, but two cards lie elsewhere."""
    cards = deal.as_array()
    places = chooser.sample(HIDDEN_PLACES, 2 if few else 21)
    cards[places] = cards[places[1:] + places[:1]]
    return KlondikeDeal.of(cards)


def parts(world: Determinization) -> list[list[int]]:
    """All that a view holds."""
    return [array.tolist() for array in (*world.table, world.depth)]


def test_hidden_cards_cannot_be_told_apart() -> None:
    """Until a card turns up that differs, all that players are handed and hold is the same."""
    chooser = random.Random("apart")
    same = parted = 0
    for number, deal in enumerate(random_deals(33_000, 150)):
        rules = RULES[number % len(RULES)]
        first = begin(deal, rules)
        second = begin(permuted(deal, chooser, number % 3 > 0), rules)
        assert (first.croupier.table.below != second.croupier.table.below).any()
        views = new_determinization(first.croupier), new_determinization(second.croupier)
        for game, move in walk(first, chooser, 60):
            second = second._replace(state=game.state)
            assert seen(game, views[0]) == seen(second, views[1])
            assert parts(views[0]) == parts(views[1])
            same += 1
            turned = [reveals(game.state, g.croupier.table, move & CARD) for g in (game, second)]
            if turned[0] != turned[1]:
                first, second = game.after(move), second.after(move)
                assert seen(first, views[0]) != seen(second, views[1])
                parted += 1
                break
    assert same > 2_000
    assert parted > 80


def test_a_view_shares_no_memory_with_what_only_the_croupier_knows() -> None:
    croupier = new_croupier(3)
    world = new_determinization(croupier)
    for secret in (croupier.table.below, croupier.level):
        assert not any(np.shares_memory(array, secret) for array in (*world.table, world.depth))


def test_every_unseen_card_is_drawn_with_the_same_chance() -> None:
    rng = np.zeros(2, dtype=np.int64)
    chooser = random.Random("chance")
    for number, size in enumerate([21, 13, 7, 3, 2]):
        seed_rng(np.arange(52, dtype=np.uint8), number, rng)
        unseen = chooser.sample(range(52), size)
        together = sum(1 << bit for bit in unseen)
        drawn = [random_card(together, rng) for _ in range(2_000 * size)]
        counts = np.bincount(drawn, minlength=52)
        assert counts.sum() == counts[unseen].sum()
        # A card that is drawn a tenth too often is found: by 4.5 standard deviations.
        assert chisquare(counts[unseen]).pvalue > 0.01


def test_cards_are_drawn_in_every_order_with_the_same_chance() -> None:
    rng = np.zeros(2, dtype=np.int64)
    seed_rng(np.arange(52, dtype=np.uint8), 5, rng)
    orders = dict.fromkeys(permutations([3, 17, 40, 51]), 0)
    for _ in range(24_000):
        left, order = {3, 17, 40, 51}, []
        while left:
            card = random_card(sum(1 << bit for bit in left), rng)
            left.remove(card)
            order.append(card)
        orders[tuple(order)] += 1
    assert len(orders) == 24
    assert chisquare(list(orders.values())).pvalue > 0.01


def test_the_only_card_is_drawn() -> None:
    rng = np.ones(2, dtype=np.int64)
    assert [random_card(1 << bit, rng) for bit in range(52)] == list(range(52))
