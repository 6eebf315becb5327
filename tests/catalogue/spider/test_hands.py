"""Tests of the parser of `thoughtful fairness`."""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from catalogue.spider.assessment import Share
from catalogue.spider.hands import read_hands
from catalogue.spider.honest_hands import honest_hands, seeded
from catalogue.spider.watch import LOST, UNKNOWN, WON
from engine.cards import card_name
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.spider import GAME as SPIDER
from engine.spider.deal import SpiderDeal

HAND = "JC TD 9D 4S 4H KC 2S 7D QH 5C"


def names(cards: NDArray[np.uint8] | None) -> list[str]:
    assert cards is not None
    return [" ".join(map(card_name, row)) for row in cards.tolist()]


@pytest.mark.parametrize(
    "line",
    [
        HAND,
        HAND.lower(),
        HAND.replace(" ", ","),
        HAND.replace(" ", ", "),
        HAND.replace(" ", "; ").replace("TD", "10D"),
        HAND.replace(" ", "\t").replace("C", "♣").replace("H", "♥").replace("D", "♦"),
        f"# a remark\n\n  {HAND} \n\n",
        f"\ufeffhand\n{HAND}",
        f"note,Hand,won\nwell,{HAND},yes",
        ",".join(map(str, range(1, 11))) + "\n" + HAND.replace(" ", ", "),
    ],
)
def test_a_hand_in_each_form(line: str) -> None:
    assert names(read_hands(line, 4).cards) == [HAND]


def test_deals_are_read_by_name_and_as_json() -> None:
    deals = get_dealer("thoughtful-1").deal_block(7, 3, SPIDER)
    expected = [
        " ".join(card_name(column[-1]) for column in SpiderDeal.of(deal).tableau) for deal in deals
    ]
    for text in (
        "thoughtful-1:7\nthoughtful-1:8\nthoughtful-1:9",
        "thoughtful-1:7-9",
        "\n".join(json.dumps({"dealer": "thoughtful-1", "seed": seed}) for seed in (7, 8, 9)),
        "\n".join(json.dumps({"id": 1, **SpiderDeal.of(deal).to_json()}) for deal in deals),
        "hand\nthoughtful-1:7\nthoughtful-1:8\nthoughtful-1:9",
    ):
        assert names(read_hands(text, 4).cards) == expected


def test_columns_stand_as_they_were_written() -> None:
    deal = SpiderDeal.of(get_dealer("thoughtful-1").deal_block(7, 1, SPIDER)[0]).to_json()
    turned = {"tableau": deal["tableau"][::-1], "stock": [row[::-1] for row in deal["stock"]]}
    straight = names(read_hands(json.dumps(deal), 4).cards)[0].split()
    assert names(read_hands(json.dumps(turned), 4).cards)[0].split() == straight[::-1]


def test_suits_are_told_apart_as_played() -> None:
    assert names(read_hands(HAND, 1).cards) == ["JS TS 9S 4S 4S KS 2S 7S QS 5S"]
    assert names(read_hands(HAND, 2).cards) == ["JS TH 9H 4S 4H KS 2S 7H QH 5S"]
    assert names(read_hands("J 10 9 4 4 K 2 7 Q 5", 1).cards) == ["JS TS 9S 4S 4S KS 2S 7S QS 5S"]


def test_outcomes_are_read() -> None:
    given = read_hands(f"hand,won,tries,wins\n{HAND},yes,50,0\n{HAND},lost,50,3\n{HAND},,,\n", 4)
    assert given.cards is not None
    assert len(given.cards) == 3
    assert given.won is not None
    assert given.won.tolist() == [WON, LOST, UNKNOWN]
    assert given.hard == Share(1, 2)
    assert read_hands(HAND, 4).won is None
    alone = read_hands("hand,tries,wins\nfirst,50,0\n,50,0\nthird,50,1", 4)
    assert alone.cards is None
    assert alone.hard == Share(2, 3)
    deal = SpiderDeal.of(get_dealer("thoughtful-1").deal_block(7, 1, SPIDER)[0])
    ended = read_hands(json.dumps({**deal.to_json(), "won": True}) + f"\n{HAND}", 4).won
    assert ended is not None
    assert ended.tolist() == [WON, UNKNOWN]


DEAL = SpiderDeal.of(get_dealer("thoughtful-1").deal_block(7, 1, SPIDER)[0]).to_json()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["there are no hands"]),
        ("# nothing\n\n", ["there are no hands"]),
        (f"{HAND}\n\n{HAND} AC", ["line 3", "11 cards", "expected 10"]),
        ("QC", ["line 1", "1 card,"]),
        (HAND.replace("TD", "ZD"), ["line 1", "'ZD' is not a card"]),
        (HAND.replace("TD", "10"), ["'10' is not a card"]),
        (HAND.replace("TD 9D", "JC JC"), ["JC 3 times in one hand", "4-suit", "twice"]),
        ("thoughtful-1:x", ["'thoughtful-1:x' is not a deal"]),
        ("nobody:1", ["unknown dealer 'nobody'"]),
        ("greenfelt:1", ["does not deal Spider"]),
        ("thoughtful-1:9-1", ["run backwards"]),
        ("thoughtful-1:0-100000", ["100,001 hands", "at most 100,000"]),
        ("thoughtful-1:0-99998\n" + f"{HAND}\n{HAND}", ["line 3", "more than 100,000 hands"]),
        ('{"tableau": [', ["line 1", "not JSON", "character"]),
        ('{"seed": ' + "1" * 5000 + "}", ["unreadable JSON"]),
        ('{"id": 1}', ['"tableau" and "stock"']),
        ('{"dealer": "thoughtful-1", "seed": true}', ['"dealer" and "seed"']),
        ('{"tableau": [["QC"]], "stock": []}', ["10 columns"]),
        (json.dumps({**DEAL, "won": "yes"}), ['"won" must be true or false']),
        ("hand,won", ["no hands and no tries below its header"]),
        ("won\nyes", ["line 1", "expected a column 'hand'"]),
        ("hand,hand\n", ["the column 'hand' occurs twice"]),
        ("1,2,3\n", ["the column '4' is missing"]),
        ("hand,tries\n", ["'tries' and 'wins' must both be given"]),
        (f"hand,won\n{HAND}", ["line 2", "1 cells, expected 2"]),
        (f"hand,won\n{HAND},perhaps", ["line 2", "'perhaps'", "yes or no"]),
        ("hand,won,tries,wins\na,yes,50,0", ["line 2", "needs the cards"]),
        ("hand,tries,wins\na,20,0", ["line 2", "20 tries, expected 50"]),
        ("hand,tries,wins\na,50,51", ["51 wins in 50 tries"]),
        ("hand,tries,wins\na,50,", ["'' is not a number of wins"]),
        (f"hand\n{'x' * 200_000}", ["line 2", "not CSV"]),
        ("hand\n\n,", ["line 3", "2 cells"]),
    ],
)
def test_what_cannot_be_read_is_one_sentence(text: str, words: Sequence[str]) -> None:
    with pytest.raises(BadInput) as caught:
        read_hands(text, 4)
    for each in words:
        assert each in str(caught.value)


def test_another_number_of_suits_is_noticed() -> None:
    """Honest hands of fewer suits would look odd, however the server shuffles."""
    for played, asked in ((1, 2), (1, 4), (2, 4)):
        lines = names(honest_hands(seeded(3, 0), 5, played))
        with pytest.raises(BadInput) as caught:
            read_hands("\n".join(lines), asked)
        named = "spades" if played == 1 else "hearts and spades"
        assert str(caught.value) == (
            f"all 50 cards are {named}, but {asked} suits were asked for: "
            "expected another number of suits"
        )
    for played, asked in ((4, 4), (4, 2), (4, 1), (2, 2), (2, 1), (1, 1)):
        assert read_hands("\n".join(names(honest_hands(seeded(3, 0), 5, played))), asked).suits
    # With four suits, a single hand of two suits may be chance.
    (hand,) = names(honest_hands(seeded(3, 0), 1, 2))
    assert read_hands(hand, 4).cards is not None


def test_tables_of_other_programs_are_read() -> None:
    expected = names(read_hands(HAND, 4).cards)
    for table in (
        f'"hand","won"\n"{HAND}","yes"',
        f"hand;won\n{HAND};yes",
        ",".join(map(str, range(1, 11))) + "\n" + HAND.replace(" ", ","),
    ):
        assert names(read_hands(table, 4).cards) == expected
    emoji = HAND.replace("C", "♣️").replace("D", "♦️").replace("S", "♠️").replace("H", "♥️")
    assert names(read_hands(emoji, 4).cards) == expected
