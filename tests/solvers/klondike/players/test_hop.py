"""Tests of the hindsight player of Klondike with hidden cards against its twin."""

import random
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from engine.cardset import CARD_OF_BIT
from engine.kernels.rng import seed_rng
from engine.klondike.deal import KlondikeDeal
from engine.klondike.kplus import new_table, set_up
from engine.klondike.observation import (
    deal_to,
    determinize,
    new_croupier,
    new_determinization,
    observe,
    shuffle,
)
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from klondike_tables import (
    DRAW3,
    RULES,
    YAN,
    Table,
    deals,
    late_table,
    naive_rng,
    permuted,
    some_table,
    state_of,
)
from measuring.uniformity import card_by_place, uniformity
from solvers.klondike.kplus.actions import NEEDED
from solvers.klondike.kplus.values import H2, weigh
from solvers.klondike.players.game import GameRunner
from solvers.klondike.players.hop import arrange, wins_in_hindsight
from solvers.klondike.players.planners import PRUNED, HindsightPlayer
from solvers.klondike.players.play import STATES
from solvers.klondike.rollouts.multistage import Rollouts
from twins.kplus import read
from twins.planners import NaiveHindsight, lay_out, rng_of
from twins.planners import allowed as naive_allowed
from twins.rollouts import action_of, settled


def hindsight(table: Table, samples: int, level: int) -> HindsightPlayer:
    return HindsightPlayer(NEEDED, samples, level, table.work.world)


@pytest.mark.parametrize(("samples", "level"), [(3, 0), (1, 1)])
def test_wins_in_hindsight_agree(samples: int, level: int) -> None:
    chooser = random.Random(f"hindsight {level}")
    seen: Counter[str] = Counter()
    for number in range(20):
        table = some_table(chooser, 1_000 + number, RULES[number % len(RULES)])
        if number % 3 == 2:
            table = late_table(chooser, number, RULES[number % len(RULES)])
        player = hindsight(table, samples, level)
        twin = NaiveHindsight(naive_rng(table.work.rng), samples, level)
        table.work.counts[STATES] = 0
        options = naive_allowed(table.seen, table.visited)
        action = player.choose(table.observe(), table.work)
        if table.work.counts[STATES] > 1_500:
            continue
        if len(options) > 1:
            wins = twin.wins(table.seen, options)
            assert player.planner.wins[: len(options)].tolist() == wins
            assert action_of(action) == options[wins.index(max(wins))][0]
            seen["won"] += sum(wins)
            seen["lost"] += samples * len(wins) - sum(wins)
        else:
            assert [action_of(action)] == [a for a, _ in options] if options else action == -1
        assert table.work.counts[STATES] == twin.entered
        assert table.work.rng.tolist() == state_of(twin.rng)
    assert min(seen["won"], seen["lost"]) > 5


@pytest.mark.parametrize(("rules", "number"), [(YAN, 1), (DRAW3, 0)], ids=str)
def test_games_in_hindsight_agree(rules: KlondikeRules, number: int) -> None:
    (deal,) = deals(240_000 + number, 1)
    game = GameRunner(rules, 6)
    player = HindsightPlayer(NEEDED, 1, 0, game.work.world)
    won, length = game.play(deal.as_array(), player)
    twin = NaiveHindsight(rng_of(deal, 6), 1, 0)
    expected = twin.play(deal, rules, twin.choose)
    assert (won, [action_of(action) for action in game.line[:length]]) == expected
    assert game.work.counts[STATES] == twin.entered
    assert game.work.rng.tolist() == state_of(twin.rng)


@pytest.mark.parametrize("level", [0, 1])
def test_hindsight_at_the_start_is_a_nested_rollout_of_another_deal(level: int) -> None:
    """The hidden cards lie as they are shown, and `nested-rollout` is what is asked."""
    chooser = random.Random(level)
    rollouts = Rollouts(DRAW3, (level,), H2, reading=PRUNED)
    results: Counter[bool] = Counter()
    for deal in deals(241_000, 40):
        table = Table(deal, DRAW3)
        planner = hindsight(table, 1, level).planner
        rng = np.array([chooser.getrandbits(32) | 1, 0], dtype=np.int64)
        order = np.zeros(52, dtype=np.int64)
        count = shuffle(table.truth.down, order, rng.copy())
        shown = lay_out(table.seen, [int(CARD_OF_BIT[bit]) for bit in order[:count]])
        state = determinize(table.observe(), table.work.world)
        won = wins_in_hindsight(state, table.work.world, planner, rng)
        columns = sorted((*down, *up) for down, up in zip(shown.down, shown.up, strict=True))
        other = KlondikeDeal.from_piles(sorted(columns, key=len), deal.stock)
        game = rollouts.play(other.as_array())
        # That one asks for a pattern of starting deals, too, before it searches.
        if game.nodes:
            assert (game.won, game.nodes) == (won == 1, planner.work.meta[2])
            results[game.won] += 1
        else:
            assert won == 0
    assert min(results.values()) > 3


def true_order(position: KlondikePosition) -> list[int]:
    """The cards face down, the uppermost of each column first."""
    columns = sorted(
        (int(np.flatnonzero(up[0] == CARD_OF_BIT)[0]), down[::-1])
        for down, up in zip(position.down, position.up, strict=True)
        if down
    )
    return [int(np.flatnonzero(card == CARD_OF_BIT)[0]) for _, down in columns for card in down]


def test_the_true_arrangement_weighs_what_the_deal_does() -> None:
    chooser = random.Random("weighs")
    states = 0
    for number, deal in enumerate(deals(242_000, 30)):
        rules = RULES[number % len(RULES)]
        weighed = np.zeros((2, 52), dtype=np.int64)
        weigh(deal.as_array(), weighed)
        table = Table(deal, rules)
        arranged = new_table(rules.draw, rules.partial_runs)
        turning = np.zeros((2, 52), dtype=np.int64)
        order = np.zeros(52, dtype=np.int64)
        for _ in table.walk(chooser, 40):
            position = settled(read(table.truth, deal, rules))
            cards = true_order(position)
            order[:] = 0
            order[: len(cards)] = cards
            turning[:] = 99
            arranged.below[:] = 99
            state = determinize(table.observe(), table.work.world)
            arrange(state, table.work.world, order, arranged, turning)
            assert (turning[:, cards] == weighed[:, cards]).all()
            # Under what is face down, and under what lies on that, lies what was dealt there.
            own = table.game.croupier.table.below & table.truth.down
            in_tableau = table.truth.tableau | table.truth.down
            for bit in range(52):
                expected = own[bit] if int(in_tableau) >> bit & 1 else 0
                assert arranged.below[bit] == expected
            states += 1
    assert states > 400


def test_any_arrangement_weighs_what_its_deal_does() -> None:
    chooser = random.Random("any")
    for deal in deals(243_000, 40):
        other = permuted(deal.as_array(), chooser)
        weighed, turning = np.zeros((2, 2, 52), dtype=np.int64)
        weigh(other, weighed)
        table = new_table(3)
        set_up(other, table)
        cards = true_order(KlondikePosition.start(KlondikeDeal.of(other), DRAW3))
        order = np.zeros(52, dtype=np.int64)
        order[:21] = cards
        # The player has been handed the deal that looks the same.
        seat = Table(deal, DRAW3)
        arranged = new_table(3)
        state = determinize(seat.observe(), seat.work.world)
        arrange(state, seat.work.world, order, arranged, turning)
        assert (turning[:, cards] == weighed[:, cards]).all()
        assert (arranged.below == table.below).all()


def test_hidden_cards_are_shuffled_with_the_same_chance() -> None:
    rng = np.zeros(2, dtype=np.int64)
    seed_rng(np.arange(52, dtype=np.uint8), 1, rng)
    order = np.zeros(52, dtype=np.int64)
    counts = dict.fromkeys(permutations([2, 11, 30, 51]), 0)
    for _ in range(24_000):
        assert shuffle(1 << 2 | 1 << 11 | 1 << 30 | 1 << 51, order, rng) == 4
        counts[tuple(order[:4].tolist())] += 1
    assert len(counts) == 24
    assert chisquare(list(counts.values())).pvalue > 0.01
    unseen = np.array(sorted(random.Random(1).sample(range(52), 21)))
    together = sum(1 << int(bit) for bit in unseen)
    orders = np.zeros((20_000, 21), dtype=np.uint8)
    for row in orders:
        assert shuffle(together, order, rng) == 21
        row[:] = np.searchsorted(unseen, order[:21])
    assert uniformity(card_by_place(orders)).p_value > 0.01


@pytest.mark.parametrize("level", [0, 1])
def test_hidden_cards_lie_anywhere_with_the_same_chance(level: int) -> None:
    """As the planner is shown them: a card of each column, over many shuffles."""
    (deal,) = deals(244_000, 1)
    croupier = new_croupier(3)
    truth = deal_to(deal.as_array(), croupier)
    world = new_determinization(croupier)
    state = determinize(observe(truth, croupier), world)
    rng = np.zeros(2, dtype=np.int64)
    seed_rng(deal.as_array(), level, rng)
    table, turning = new_table(3), np.zeros((2, 52), dtype=np.int64)
    order = np.zeros(52, dtype=np.int64)
    unseen = [bit for bit in range(52) if int(truth.down) >> bit & 1]
    bases = [bit for bit in range(52) if world.depth[bit] > level]
    counts = np.zeros((len(bases), 52), dtype=np.int64)
    for _ in range(10_000):
        shuffle(state.down, order, rng)
        arrange(state, world, order, table, turning)
        for number, base in enumerate(bases):
            card = int(table.below[base]).bit_length() - 1
            for _ in range(level):
                card = int(table.below[card]).bit_length() - 1
            counts[number, card] += 1
    assert counts.sum() == counts[:, unseen].sum()
    assert [chisquare(row).pvalue > 0.002 for row in counts[:, unseen]] == [True] * len(bases)
