import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import DECK, card_name
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal

deals = st.permutations(DECK).map(KlondikeDeal.of)


def in_order() -> dict[str, Any]:
    """The deal of the cards 0..51 as JSON."""
    return KlondikeDeal.of(DECK).to_json()


def test_the_flat_order_is_columns_then_stock() -> None:
    deal = KlondikeDeal.of(DECK)
    assert deal.tableau[0] == (0,)
    assert deal.tableau[2] == (3, 4, 5)
    assert deal.tableau[6] == tuple(range(21, 28))
    assert deal.stock == tuple(range(28, 52))


@given(deals)
def test_piles_json_array_and_bytes_round_trip(deal: KlondikeDeal) -> None:
    assert KlondikeDeal.from_piles(deal.tableau, deal.stock) == deal
    assert KlondikeDeal.from_json(json.loads(json.dumps(deal.to_json()))) == deal
    assert deal.as_array().dtype == np.uint8
    assert KlondikeDeal.of(deal.as_array()) == deal
    assert KlondikeDeal.of(bytes(deal.cards)) == deal


def test_the_digest_names_the_order_of_the_cards() -> None:
    deal = KlondikeDeal.of(DECK)
    # Frozen: imported deals are stored under it.
    assert deal.digest == "c4c6540a15fc140a784056fe6d9e1356"
    assert KlondikeDeal.of(reversed(DECK)).digest != deal.digest


def test_51_cards_are_refused_and_the_missing_one_named() -> None:
    data = in_order()
    lost = data["stock"].pop()
    with pytest.raises(BadInput, match=f"it has 51 cards of 52; missing {lost}$"):
        KlondikeDeal.from_json(data)
    with pytest.raises(BadInput, match="51 cards"):
        KlondikeDeal.of(range(51))


def test_a_doubled_card_is_refused_and_named() -> None:
    data = in_order()
    lost, data["stock"][0] = data["stock"][0], "AC"
    with pytest.raises(BadInput, match=f"missing {lost}; more than once AC$"):
        KlondikeDeal.from_json(data)


def test_a_column_of_the_wrong_length_is_refused_and_named() -> None:
    data = in_order()
    data["stock"].append(data["tableau"][5].pop())
    with pytest.raises(BadInput, match="column 6 of the deal has 5 cards, expected 6"):
        KlondikeDeal.from_json(data)


def test_the_number_of_columns_is_checked() -> None:
    data = in_order()
    data["stock"].extend(data["tableau"].pop())
    with pytest.raises(BadInput, match="7 columns, not 6"):
        KlondikeDeal.from_json(data)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["AC", "tc", "", "X"]),
    lambda inner: (
        st.lists(inner, max_size=8)
        | st.dictionaries(st.sampled_from(["tableau", "stock", "id"]), inner, max_size=3)
    ),
    max_leaves=20,
)


@given(json_values)
def test_garbage_is_bad_input(garbage: Any) -> None:
    with pytest.raises(BadInput):
        KlondikeDeal.from_json(garbage)


@given(st.data())
def test_a_deal_with_one_value_replaced_is_bad_input(data: st.DataObject) -> None:
    deal = in_order()
    column = data.draw(st.integers(0, 6))
    place = data.draw(st.integers(0, column))
    old = deal["tableau"][column][place]
    new = data.draw(json_values | st.sampled_from([card_name(card) for card in DECK]))
    deal["tableau"][column][place] = new
    if new == old:
        assert KlondikeDeal.from_json(deal) == KlondikeDeal.of(DECK)
    else:
        with pytest.raises(BadInput):
            KlondikeDeal.from_json(deal)
