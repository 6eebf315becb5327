"""Property tests of random play under any options: invariants of positions and moves."""

import json
import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import DECK, card_name, is_red, make_card, rank, suit
from engine.errors import BadInput, IllegalMove
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import ALL_MOVES, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import BUILDINGS, SPACES, KlondikeRules
from engine.replay import ReplayError, replay

deals = st.permutations(DECK).map(KlondikeDeal.of)
rulesets = st.builds(
    KlondikeRules,
    draw=st.integers(1, 5) | st.just(24),
    redeals=st.none() | st.integers(0, 2),
    partial_runs=st.booleans(),
    worrying_back=st.booleans(),
    building=st.sampled_from(BUILDINGS),
    spaces=st.sampled_from(SPACES),
)
# How a game is played at random: a random seed and how many moves at most.
plays = st.tuples(st.integers(0, 2**32), st.integers(0, 150))


def walk(
    deal: KlondikeDeal, rules: KlondikeRules, play: tuple[int, int]
) -> tuple[list[KlondikePosition], list[KlondikeMove]]:
    """The positions and moves of a random game; each kind of move is as likely as the others."""
    seed, length = play
    choose = random.Random(seed).choice
    positions = [KlondikePosition.start(deal, rules)]
    moves: list[KlondikeMove] = []
    while len(moves) < length and (legal := positions[-1].legal_moves()):
        kind = choose(sorted({move.kind.name for move in legal}))
        moves.append(choose([move for move in legal if move.kind.name == kind]))
        positions.append(positions[-1].play(moves[-1]))
    return positions, moves


def lying(position: KlondikePosition) -> Counter[int]:
    """Every card on the table, foundations too, with how often it lies there."""
    found = Counter(
        make_card(r, s) for s, height in enumerate(position.foundations) for r in range(height)
    )
    for pile in (*position.down, *position.up, position.stock, position.waste):
        found.update(pile)
    return found


@given(deals, rulesets, plays)
@settings(max_examples=40)
def test_every_position_is_a_table(
    deal: KlondikeDeal, rules: KlondikeRules, play: tuple[int, int]
) -> None:
    positions, _ = walk(deal, rules, play)
    for position in positions:
        assert lying(position) == Counter(DECK)
        for down, up in zip(position.down, position.up, strict=True):
            assert up or not down
            for below, above in pairwise(up):
                assert rank(below) == rank(above) + 1
                if rules.building == "alternating":
                    assert is_red(below) != is_red(above)
                if rules.building == "same-suit":
                    assert suit(below) == suit(above)
        assert position.checked() == position
        assert position.is_won == (sum(position.foundations) == 52)
        assert rules.redeals is None or position.redeals_used <= rules.redeals


@given(deals, rulesets, plays)
@settings(max_examples=40)
def test_each_move_changes_what_its_name_says(
    deal: KlondikeDeal, rules: KlondikeRules, play: tuple[int, int]
) -> None:
    positions, moves = walk(deal, rules, play)
    for (before, after), move in zip(pairwise(positions), moves, strict=True):
        raised = sum(after.foundations) - sum(before.foundations)
        assert raised == {KlondikeKind.UP: 1, KlondikeKind.WASTE_UP: 1, KlondikeKind.DOWN: -1}.get(
            move.kind, 0
        )
        turned = sum(map(len, before.down)) - sum(map(len, after.down))
        leaves = (KlondikeKind.UP, KlondikeKind.RUN, KlondikeKind.PART)
        assert turned in ((0, 1) if move.kind in leaves else (0,))
        talon = len(after.stock) + len(after.waste) - len(before.stock) - len(before.waste)
        assert talon == (-1 if move.kind in (KlondikeKind.WASTE_UP, KlondikeKind.WASTE_DOWN) else 0)
        # The order of the stock and waste together never changes, it only loses cards.
        left = iter((*before.waste, *before.stock))
        assert all(card in left for card in (*after.waste, *after.stock))
        assert after.redeals_used - before.redeals_used == (move.kind is KlondikeKind.REDEAL)
        if move.kind is KlondikeKind.TURN:
            assert len(before.stock) - len(after.stock) == min(rules.draw, len(before.stock))


@given(deals, rulesets, plays)
@settings(max_examples=40)
def test_a_move_is_legal_or_has_a_reason_against_it(
    deal: KlondikeDeal, rules: KlondikeRules, play: tuple[int, int]
) -> None:
    position = walk(deal, rules, play)[0][-1]
    legal = position.legal_moves()
    for move in ALL_MOVES:
        words = position.why_illegal(move)
        assert (words is None) == (move in legal)
        if words is None:
            assert position.play(move) != position
        else:
            with pytest.raises(IllegalMove) as caught:
                position.play(move)
            assert words in str(caught.value)


@given(deals, rulesets, plays, st.data())
@settings(max_examples=40)
def test_replay_ends_where_play_did_and_stops_at_the_first_bad_move(
    deal: KlondikeDeal, rules: KlondikeRules, play: tuple[int, int], data: st.DataObject
) -> None:
    positions, moves = walk(deal, rules, play)
    assert replay(positions[0], moves) == positions[-1]

    at = data.draw(st.integers(0, len(moves)))
    bad = [move for move in ALL_MOVES if positions[at].why_illegal(move) is not None]
    move = data.draw(st.sampled_from(bad))
    with pytest.raises(ReplayError) as caught:
        replay(positions[0], [*moves[:at], move, *moves[at:]])
    assert caught.value.number == at + 1
    assert caught.value.move == move
    assert caught.value.reason == positions[at].why_illegal(move)


@given(deals, rulesets, plays)
@settings(max_examples=40)
def test_positions_go_through_json(
    deal: KlondikeDeal, rules: KlondikeRules, play: tuple[int, int]
) -> None:
    position = walk(deal, rules, play)[0][-1]
    data = json.loads(json.dumps(position.to_json()))
    assert data["rules"] == rules.slug
    assert KlondikePosition.from_json(data, rules) == position


@given(deals, rulesets, plays)
@settings(max_examples=40)
def test_a_position_prints_every_card_once(
    deal: KlondikeDeal, rules: KlondikeRules, play: tuple[int, int]
) -> None:
    position = walk(deal, rules, play)[0][-1]
    words = str(position).replace("[", " ").replace("]", " ").split()
    for column in (*position.down, *position.up, position.waste):
        for card in column:
            assert words.count(card_name(card)) == 1


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["AC", "kh", "", "C"]),
    lambda inner: (
        st.lists(inner, max_size=7)
        | st.dictionaries(
            st.sampled_from(["down", "up", "foundations", "stock", "waste", "C", "D", "S", "H"]),
            inner,
            max_size=6,
        )
    ),
    max_leaves=15,
)


@given(json_values)
def test_garbage_is_bad_input(garbage: Any) -> None:
    with pytest.raises(BadInput):
        KlondikePosition.from_json(garbage, KlondikeRules())


@given(deals, json_values, st.sampled_from(["down", "up", "foundations", "stock", "waste"]))
def test_a_position_with_a_part_replaced_is_bad_input(
    deal: KlondikeDeal, garbage: Any, part: str
) -> None:
    start = KlondikePosition.start(deal, KlondikeRules())
    data = start.to_json()
    # Some replacements are right: an empty waste, the same foundations.
    try:
        found = KlondikePosition.from_json(data | {part: garbage}, start.rules)
    except BadInput:
        return
    assert found.checked() == found
    assert lying(found) == Counter(DECK)
