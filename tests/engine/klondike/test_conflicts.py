"""Tests of conflicts: witnesses accepted and refused by the slow checker, and explanations."""

import pytest

from engine.cards import card_name, parse_card
from engine.errors import BadInput
from engine.klondike import conflicts
from engine.klondike.conflicts import explain, proves_loss
from engine.klondike.dead_ends import check_witness, explain_witness, needed_cards
from engine.klondike.deal import KlondikeDeal
from engine.klondike.rules import KlondikeRules
from engine.klondike.thinned_game import ThinnedGame, ThinnedPosition


def cards_of(text: str) -> list[int]:
    return [parse_card(word) for word in text.split()]


def deal_with(columns: dict[int, str], stock: str = "") -> KlondikeDeal:
    """A deal with these cards at the bottom of columns 1..7 (bottom first) and first in the stock.

    The other places are filled with the cards left over, aces first.
    """
    given = {number - 1: cards_of(text) for number, text in columns.items()}
    front = cards_of(stock)
    used = {card for cards in (*given.values(), front) for card in cards}
    left = [card for card in range(52) if card not in used]
    tableau = []
    for column in range(7):
        cards = given.get(column, [])
        while len(cards) < column + 1:
            cards.append(left.pop(0))
        tableau.append(cards)
    return KlondikeDeal.from_piles(tableau, front + left)


# 7D must leave before 2S can, and cannot go up before 2D, which lies under 8S. 8S cannot go up
# before 2S, nor be built on 9D or 9H, which lie under it. So 7D goes onto 8S, for 8C finds no other
# place than they either. Then 2S goes up; but nothing takes 7D off 8S again.
KNOT = deal_with({4: "2S 7D", 7: "9D 9H 2D 8S"}, "8C")
WITNESS = cards_of("2S 7D 9D 9H 2D 8S 8C")
RULES = KlondikeRules()


def test_a_knot_that_the_eye_can_follow() -> None:
    assert check_witness(KNOT, RULES, "conflict", WITNESS)
    assert needed_cards(KNOT, RULES, "conflict", WITNESS) == ()
    assert explain_witness(KNOT, RULES, "conflict", WITNESS) == (
        "Look only at these 7 cards, and let every other card be wherever it is wanted and never "
        "in the way: up when a foundation waits for it, open to be built on, on top of nothing. "
        "Even so these cannot all go up. In column 4, 2S lies under 7D. In column 7, 9D lies under "
        "9H, that under 2D, that under 8S. 8C lies in the stock. On the foundations 7D comes after "
        "2D, 8S after 2S and 9D after 7D. 7D can be built only on 8C or 8S. 8C and 8S can be built "
        "only on 9D and 9H, one on each. They can come to 8 positions, and in all of them 2D, 8S, "
        "9D and 9H stay where they were dealt."
    )


@pytest.mark.parametrize("left_out", WITNESS, ids=card_name)
def test_no_card_of_the_knot_can_be_spared(left_out: int) -> None:
    smaller = [card for card in WITNESS if card != left_out]
    assert not check_witness(KNOT, RULES, "conflict", smaller)
    assert not check_witness(KNOT, RULES, "relaxed", WITNESS)


@pytest.mark.parametrize(
    ("columns", "stock"),
    [
        ({4: "7D 2S", 7: "9D 9H 2D 8S"}, "8C"),  # 2S is not covered
        ({4: "2S 7D", 7: "9D 2D 8S", 6: "9H"}, "8C"),  # 9H is open
        ({4: "2S 7D", 7: "9D 9H 8S", 6: "2D"}, "8C"),  # 2D goes up, then 7D
        ({4: "2S 7D", 7: "9D 9H 2D 8S", 5: "8C"}, ""),  # 8C is open to 7D
    ],
)
def test_almost_the_knot(columns: dict[int, str], stock: str) -> None:
    assert not check_witness(deal_with(columns, stock), RULES, "conflict", WITNESS)


def test_witnesses_that_are_none() -> None:
    for witness in ([], [*WITNESS, WITNESS[0]], [99], cards_of("2S 7D")):
        assert not check_witness(KNOT, RULES, "conflict", witness)
    with pytest.raises(BadInput, match="not a dead end of kind 'conflict'"):
        explain_witness(KNOT, RULES, "conflict", cards_of("2S 7D"))
    assert explain(KNOT, 3, cards_of("2S 7D")) is None


def test_too_many_positions_are_followed_as_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflicts, "MOST_POSITIONS", 7)
    assert proves_loss(KNOT, 3, WITNESS)
    explained = explain(KNOT, 3, WITNESS)
    assert explained is not None
    assert explained.endswith(
        "They can come to more than 7 positions, so it was worked out which two things can be true "
        "at the same time, and 2D can never be up."
    )
    for left_out in WITNESS:
        assert not proves_loss(KNOT, 3, [card for card in WITNESS if card != left_out])
    assert explain(KNOT, 3, WITNESS[:5]) is None


def test_kings_without_columns_and_the_order_of_the_stock() -> None:
    """Four kings on what they need in four columns, and a card to be kept in each of the others."""
    columns = {4: "QC KH", 5: "QS KD", 6: "QD KC", 7: "QH KS", 1: "3C", 2: "3S", 3: "3H"}
    deal = deal_with(columns, "AC 2D 5S")
    cards = cards_of("KH QC KD QS KC QD KS QH AC 3C 2D 5S")
    game = ThinnedGame(deal, 3, cards)
    assert game.waits == {0: (5, 1, []), 5: (18, 2, [0])}
    said = explain_if_lost(deal, cards)
    assert (
        "KC, KD, KS and KH need an empty column each, and only 2 can be taken to be empty" in said
    )
    assert "AC cannot be drawn before 2D has left the stock." in said
    assert "2D cannot be drawn before 5S has left the stock." in said


def explain_if_lost(deal: KlondikeDeal, cards: list[int]) -> str:
    game = ThinnedGame(deal, 3, cards)
    return " ".join([*conflicts._places_to_share(game), *conflicts._order_in_stock(game)])


def test_steps_of_a_small_game() -> None:
    """2C on 3D: it can be laid on 3H, or go up after AC; 3D then has it or not."""
    deal = deal_with({2: "3D 2C", 1: "3H"}, "AC")
    game = ThinnedGame(deal, 3, cards_of("3D 2C 3H AC"))
    ace, two, red, other = cards_of("AC 2C 3D 3H")
    start = game.start()

    def after(dealt: list[int], up: list[int]) -> ThinnedPosition:
        return ThinnedPosition(frozenset(dealt), frozenset(up))

    assert set(game.steps(start)) == {
        after([ace, red, other], []),  # 2C to 3H
        after([ace, two, red], []),  # 3H away: it may lie anywhere
        after([ace, two, red], [other]),  # 3H up, since no other heart is kept
        after([two, red, other], []),  # AC may lie anywhere
        after([two, red, other], [ace]),
    }
    # With 2C on one of them, 3D and 3H cannot both be bare.
    on_a_three = after([ace, red, other], [])
    assert after([ace, red], [other]) in set(game.steps(on_a_three))
    both_down = after([ace, red], [other])
    assert after([ace], [red, other]) not in set(game.steps(both_down))
    positions = game.positions(1_000)
    assert positions is not None
    assert any(position.up == game.kept for position in positions)
    assert game.positions(len(positions)) == positions
    assert game.positions(len(positions) - 1) is None
