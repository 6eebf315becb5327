"""Tests of putting the cards of a position down one by one, in both games."""

from random import Random
from typing import Any

import pytest

from engine.cards import HIDDEN, SUITS
from engine.errors import BadInput
from engine.game import Edit, EditKind, Setting
from engine.games import game_of
from engine.intake import EntryReader, read_one
from engine.rulesets import parse_ruleset
from random_play import played_at_random

SLUGS = ["klondike-draw3", "klondike-draw1-build-same-suit", "spider-4", "spider-2", "spider-1"]


class Hand:
    """A table as a person puts cards down on it, with nothing remembered by the server."""

    def __init__(self, slug: str, cards: dict[str, list[str]] | None = None) -> None:
        self.rules = parse_ruleset(slug)
        self.shown = self._set(cards, None)

    def _set(self, cards: dict[str, list[str]] | None, edit: Edit | None) -> Setting:
        found = game_of(self.rules).setting
        assert found is not None
        return found(cards, self.rules, edit)

    def cards(self) -> dict[str, list[str]]:
        return {place.name: list(place.cards) for place in self.shown.places}

    def edit(
        self, kind: EditKind, place: str, card: str | None = None, at: int | None = None
    ) -> None:
        self.shown = self._set(self.cards(), Edit(kind, place, at, card))

    def pile(self, place: str) -> list[str]:
        return self.cards()[place]

    def put(self, place: str, *cards: str) -> None:
        for card in cards:
            takes = next(each.takes for each in self.shown.places if each.name == place)
            assert card in takes, (place, card)
            self.edit(EditKind.PUT, place, card)


def put_down(slug: str, seen: dict[str, Any]) -> Hand:
    """Put down what is seen of a position, the columns from right to left."""
    hand = Hand(slug)
    for number in range(len(seen["up"]), 0, -1):
        name = f"column{number}"
        down, up = seen["down"][number - 1], seen["up"][number - 1]
        for _ in range(hand.cards()[name].count(f"<{HIDDEN}>") - len(down)):
            hand.edit(EditKind.FEWER, name)
        hand.put(name, *up)
    if "foundations" in seen:
        for suit, height in seen["foundations"].items():
            if height:
                hand.put(suit, f"{'A23456789TJQK'[height - 1]}{suit}")
        hand.put("waste", *seen["waste"])
        hand.put("stock", *(card for card in seen["stock"] if card != HIDDEN))
    else:
        for suit, times in seen["completed"].items():
            hand.put("completed", *[f"K{suit}"] * times)
        for _ in range(5 - len(seen["stock"])):
            hand.edit(EditKind.FEWER, "stock")
    return hand


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("seed", range(8))
def test_what_is_seen_of_a_position_is_put_down_and_read_back(slug: str, seed: int) -> None:
    position = played_at_random(slug, seed, 9 * seed)
    seen = position.observation()
    if "waste" in seen and seed % 2:
        seen["stock"] = [HIDDEN] * len(seen["stock"])  # as in the first pass
    hand = put_down(slug, seen)
    assert hand.shown.problem is None
    assert hand.shown.text is not None
    entry = read_one(hand.shown.text, EntryReader(hand.rules))
    assert entry.observation is not None
    assert entry.rules == hand.rules
    keys = seen.keys() - {"redeals_used", "rules"}
    assert {key: entry.observation[key] for key in keys} == {key: seen[key] for key in keys}


@pytest.mark.parametrize("slug", SLUGS)
def test_the_table_at_first_needs_the_open_cards_alone(slug: str) -> None:
    hand = Hand(slug)
    columns = [place for place in hand.shown.places if place.name.startswith("column")]
    assert hand.shown.problem is not None
    start = played_at_random(slug, 3, 0).observation()
    for number in range(1, len(columns) + 1):
        assert hand.shown.text is None
        hand.put(f"column{number}", *start["up"][number - 1])
    assert hand.shown.problem is None
    assert {key: hand.shown.data[key] for key in ("down", "up")} == {
        key: start[key] for key in ("down", "up")
    }


def test_the_stock_of_klondike_holds_what_lies_nowhere_else() -> None:
    hand = Hand("klondike-draw1")
    assert hand.pile("stock") == [HIDDEN] * 24
    hand.put("waste", "KD", "6D")
    assert hand.pile("stock") == [HIDDEN] * 22
    # A card of it that is known takes the place of one that is not.
    hand.put("stock", "7C")
    assert hand.pile("stock") == ["7C", *[HIDDEN] * 21]
    hand.edit(EditKind.TAKE, "waste", at=0)
    assert hand.pile("waste") == ["6D"]
    assert hand.pile("stock") == ["7C", *[HIDDEN] * 22]
    # Who counts it himself is told what does not fit.
    for number, card in enumerate(("AC", "2H", "3H", "4H", "5H", "6H", "7H"), start=1):
        hand.put(f"column{number}", card)
    assert hand.shown.problem is None
    hand.edit(EditKind.FEWER, "stock")
    assert hand.shown.problem == "1 card has no place yet"
    hand.edit(EditKind.MORE, "stock")
    hand.edit(EditKind.MORE, "stock")
    assert str(hand.shown.problem).startswith("1 unknown card too many: only")


def test_the_cards_of_the_stock_keep_their_order() -> None:
    hand = Hand("klondike-draw1")
    hand.edit(EditKind.PUT, "stock", "7C", at=2)
    hand.edit(EditKind.PUT, "stock", "8C", at=4)
    begin = [HIDDEN, HIDDEN, "7C", HIDDEN, "8C"]
    assert hand.pile("stock") == [*begin, *[HIDDEN] * 19]
    hand.put("waste", "KD", "6D")
    assert hand.pile("stock") == [*begin, *[HIDDEN] * 17]
    hand.edit(EditKind.TAKE, "waste")
    assert hand.pile("stock") == [*begin, *[HIDDEN] * 18]


@pytest.mark.parametrize(
    ("slug", "size", "step"), [("klondike-draw3", 24, 1), ("spider-1", 50, 10)]
)
def test_what_is_taken_from_the_stock_is_what_was_put_there(
    slug: str, size: int, step: int
) -> None:
    hand = Hand(slug)
    hand.put("stock", "7S", "8S")
    hand.edit(EditKind.TAKE, "stock")
    assert hand.pile("stock") == ["7S", *[HIDDEN] * (size - 1)]
    hand.edit(EditKind.TAKE, "stock", at=0)
    assert hand.pile("stock") == [HIDDEN] * size
    # Unknown ones come and go as many at a time as are dealt.
    hand.edit(EditKind.TAKE, "stock")
    hand.edit(EditKind.TAKE, "stock", at=3)
    assert hand.pile("stock") == [HIDDEN] * (size - 2 * step)
    while hand.pile("stock"):
        hand.edit(EditKind.TAKE, "stock")
    hand.put("stock", "7S")
    assert hand.pile("stock") == ["7S", *[HIDDEN] * (step - 1)]
    with pytest.raises(BadInput):
        hand.edit(EditKind.TAKE, "stock", at=step)


def test_a_card_of_another_suit_is_refused_before_it_lies_on_a_foundation() -> None:
    hand = Hand("klondike-draw3")
    with pytest.raises(BadInput, match="KC is no card of the foundation of H"):
        hand.edit(EditKind.PUT, "H", "KC")
    hand.put("waste", "KC")
    assert hand.pile("H") == []


def test_a_placed_card_is_changed_and_taken_away() -> None:
    hand = Hand("klondike-draw3")
    hand.put("column7", "KH", "QS")
    hand.edit(EditKind.PUT, "column7", "QC", at=7)
    assert hand.cards()["column7"][-2:] == ["KH", "QC"]
    hand.edit(EditKind.TAKE, "column7", at=6)
    assert hand.cards()["column7"][-1:] == ["QC"]
    hand.edit(EditKind.PUT, "column7", "2D", at=0)
    assert hand.cards()["column7"][0] == "<2D>"
    assert hand.shown.left["2D"] == 0
    assert hand.shown.left["KH"] == 1


def test_a_foundation_takes_all_cards_below() -> None:
    hand = Hand("klondike-draw3")
    hand.put("waste", "9C")
    hand.put("H", "QH")
    takes = {place.name: place.takes for place in hand.shown.places}
    assert takes["C"] == tuple(f"{rank}C" for rank in "A2345678")
    assert takes["H"] == tuple(f"{rank}H" for rank in "A23456789TJQK")
    assert sum(hand.shown.left.values()) == 52 - 13
    hand.put("H", "3H")  # a lower one takes its place
    assert sum(hand.shown.left.values()) == 52 - 4
    hand.edit(EditKind.TAKE, "H")
    for name in hand.cards():
        for _ in range(len(hand.cards()[name])):
            hand.edit(EditKind.TAKE, name)
    for suit in SUITS:
        hand.put(suit, f"K{suit}")
    assert hand.shown.text is not None


def test_what_cannot_lie_so_is_one_sentence() -> None:
    hand = Hand("klondike-draw3")
    for number, card in enumerate(("AC", "2H", "3H", "4H", "5H", "6H", "7H"), start=1):
        hand.put(f"column{number}", card)
    hand.put("column7", "5D")
    assert hand.shown.problem == "column 7: 5D cannot lie face up on 7H"
    hand.edit(EditKind.TAKE, "column7")
    hand.edit(EditKind.PUT, "column7", "KD", at=0)
    assert "expected every face-down card to be named, or none" in str(hand.shown.problem)
    spider = Hand("spider-2")
    assert spider.shown.problem == "column 1 has face-down cards and no open one"
    assert set(spider.shown.left) == {f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "SH"}


WRONG: list[dict[str, Any]] = [
    {"cellar": ["KH"]},
    {"waste": ["??"]},
    {"waste": ["KX"]},
    {"C": ["KH"]},
    {"C": ["AC", "2C"]},
    {"column3": ["KH", "<QS>"]},
    {"stock": ["<KH>"]},
    {"column1": ["<??>"] * 200},
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_what_is_no_card_or_place_is_refused(wrong: dict[str, Any]) -> None:
    rules = parse_ruleset("klondike-draw3")
    setting = game_of(rules).setting
    assert setting is not None
    with pytest.raises(BadInput):
        setting(wrong, rules, None)


@pytest.mark.parametrize("slug", ["klondike-draw3", "spider-2"])
def test_whatever_is_pressed_is_a_table_or_a_sentence(slug: str) -> None:
    start = put_down(slug, played_at_random(slug, 5, 20).observation()).cards()
    chance, accepted, complete = Random(5), 0, 0
    names = [*start, "cellar"]
    for turn in range(600):
        if turn % 10 == 0:
            hand = Hand(slug, start)
            assert hand.shown.text is not None
        kind = chance.choice(list(EditKind))
        card = chance.choice([None, "QH", "KS", "KC", "??", "x"])
        try:
            hand.edit(kind, chance.choice(names), card, chance.choice([None, None, 0, 1, 5, -1]))
        except BadInput:
            continue
        accepted += 1
        complete += hand.shown.problem is None
        assert (hand.shown.problem is None) == (hand.shown.text is not None)
        # What was accepted is a table from which one can go on.
        assert Hand(slug, hand.cards()).cards() == hand.cards()
    assert accepted > 100
    assert complete
