"""Tests of what is seen of a position, read back with stand-ins for the hidden cards."""

from collections import Counter
from random import Random

import pytest

from engine.cards import HIDDEN
from engine.errors import BadInput
from engine.klondike.rules import PRESETS
from engine.klondike.seen import fill_in, stand_in
from random_play import played_at_random

RULES = PRESETS["klondike-draw3"]


@pytest.mark.parametrize("seed", range(20))
def test_a_stand_in_looks_the_same_and_knows_nothing_else(seed: int) -> None:
    position = played_at_random(RULES.slug, seed, 4 * seed)
    seen = position.observation()
    found = stand_in(seen, RULES)
    assert found.observation() == seen
    hidden = [card for column in found.down for card in column]
    assert hidden == sorted(hidden)
    # With every card named, it is the position itself.
    assert stand_in(position.to_json(), RULES) == position


def test_what_cannot_be_seen_is_one_sentence() -> None:
    position = played_at_random(RULES.slug, 3, 10)
    seen = position.observation()
    down = seen["down"]
    some = next(k for k, column in enumerate(down) if len(column) > 1)
    named = [list(column) for column in down]
    named[some][0] = position.to_json()["down"][some][0]
    with pytest.raises(BadInput, match=rf"{named[some][0]} lies face down and is named"):
        stand_in({**seen, "down": named}, RULES)
    fewer = [list(column) for column in down]
    fewer[some].pop()
    count = sum(map(len, down))
    with pytest.raises(BadInput, match=f"{count - 1} cards are .., but {count} are not seen"):
        stand_in({**seen, "down": fewer}, RULES)
    twice = [*seen["stock"][:-1], seen["up"][some][0]]
    with pytest.raises(BadInput):
        stand_in({**seen, "stock": twice}, RULES)
    with pytest.raises(BadInput, match="'XX' is not a card"):
        stand_in({**seen, "waste": ["XX"]}, RULES)
    with pytest.raises(BadInput, match="of a position needs the keys"):
        stand_in({"down": [[HIDDEN]]}, RULES)


def test_completions_agree_with_what_is_seen_and_all_are_equally_likely() -> None:
    position = played_at_random(RULES.slug, 3, 10)
    seen = position.observation()
    down = position.to_json()["down"]
    known = {**seen, "down": [["??"] * len(column) for column in down]}
    for seed in range(20):
        found = fill_in(known, RULES, Random(seed))
        assert found.observation() == seen
        assert found == fill_in(known, RULES, Random(seed))
    assert len({fill_in(known, RULES, Random(seed)) for seed in range(20)}) == 20
    # With the face-down cards known, three cards of the stock can lie in six orders.
    stock = ["??"] * 3 + seen["stock"][3:]
    open_but_three = {**position.to_json(), "stock": stock}
    drawn = Counter(fill_in(open_but_three, RULES, Random(seed)).stock[:3] for seed in range(1200))
    assert len(drawn) == 6
    # Each is expected 200 times; chi-square of 5 degrees of freedom, at 1 in 10,000.
    assert sum((times - 200) ** 2 / 200 for times in drawn.values()) < 25.7


@pytest.mark.parametrize("known", [0, 3, 7])
def test_a_stock_that_is_not_seen_is_one_set_with_the_face_down_cards(known: int) -> None:
    position = played_at_random(RULES.slug, 3, 10)
    whole = position.observation()
    stock = [*whole["stock"][:known], *[HIDDEN] * (len(whole["stock"]) - known)]
    seen = {**whole, "stock": stock}
    unseen = {
        card for pile in (*position.to_json()["down"], whole["stock"][known:]) for card in pile
    }
    found = stand_in(seen, RULES)
    assert found.observation() | {"stock": stock} == seen
    hidden = [card for column in found.down for card in column] + list(found.stock[known:])
    assert hidden == sorted(hidden)
    drawn: Counter[str] = Counter()
    for seed in range(400):
        own = fill_in(seen, RULES, Random(seed)).observation()
        assert own | {"stock": stock} == seen
        assert own["stock"][:known] == stock[:known]
        assert set(own["stock"][known:]) < unseen
        drawn[own["stock"][known]] += 1
    # Any of the unseen cards may come next, and no card is likelier than another: chi-square of
    # len(unseen) - 1 degrees of freedom, at some five standard deviations.
    assert set(drawn) == unseen
    expected = 400 / len(unseen)
    chi_square = sum((times - expected) ** 2 / expected for times in drawn.values())
    assert chi_square < len(unseen) - 1 + 5 * (2 * len(unseen)) ** 0.5
