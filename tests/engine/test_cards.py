import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import (
    DECK,
    card_name,
    check_full_deck,
    is_red,
    make_card,
    parse_card,
    parse_cards,
    rank,
    suit,
    twin,
)
from engine.errors import BadInput


def test_every_card_has_a_name_that_parses_back() -> None:
    names = [card_name(card) for card in DECK]
    assert len(set(names)) == 52
    assert [parse_card(name) for name in names] == list(DECK)
    assert [parse_card(name.lower()) for name in names] == list(DECK)
    assert parse_cards(names) == parse_cards([name.lower() for name in names]) == list(DECK)
    assert parse_cards([]) == []
    assert [make_card(rank(card), suit(card)) for card in DECK] == list(DECK)


def test_the_numbering_is_the_one_that_is_stored() -> None:
    assert [card_name(card) for card in (0, 1, 2, 3, 4, 39, 48, 51)] == [
        "AC", "AD", "AS", "AH", "2C", "TH", "KC", "KH",
    ]  # fmt: skip


def test_colours_and_twins() -> None:
    for card in DECK:
        assert is_red(card) == (card_name(card)[1] in "DH")
        other = twin(card)
        assert other != card
        assert rank(other) == rank(card)
        assert is_red(other) == is_red(card)


@given(st.one_of(st.text(max_size=4), st.none(), st.integers(), st.lists(st.text(max_size=1))))
def test_what_is_no_card_is_bad_input(garbage: object) -> None:
    if isinstance(garbage, str) and garbage.upper() in [card_name(card) for card in DECK]:
        assert card_name(parse_card(garbage)) == garbage.upper()
    else:
        for parse in (parse_card, lambda text: parse_cards(["AC", text, "kh"])):
            with pytest.raises(BadInput) as caught:
                parse(garbage)  # type: ignore[arg-type]
            assert repr(garbage) in str(caught.value)


def test_missing_and_doubled_cards_are_named() -> None:
    cards = [parse_card("QH") if card in (0, 17) else card for card in DECK]
    with pytest.raises(BadInput) as caught:
        check_full_deck(cards, "the deal")
    message = str(caught.value)
    assert message.startswith("the deal is not one full deck: it has 52 cards of 52")
    assert f"missing {card_name(0)}, {card_name(17)}" in message
    assert "more than once QH" in message


@pytest.mark.parametrize("stranger", [52, 255, -1])
def test_a_number_that_is_no_card_is_refused_even_beside_a_full_deck(stranger: int) -> None:
    with pytest.raises(BadInput, match=f"no cards at all: numbers {stranger}"):
        check_full_deck([*DECK, stranger], "the deal")
