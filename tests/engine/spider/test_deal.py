"""Tests of Spider deals: order of cards, text forms and dealers."""

import io
import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import DECK, card_name
from engine.dealing.dealers import deal_by_id, dealers, get_dealer
from engine.errors import BadInput
from engine.formats import formats, get_format
from engine.games import game_of, games, get_game
from engine.klondike import GAME as KLONDIKE
from engine.spider import GAME as SPIDER
from engine.spider.deal import COLUMN_SIZES, SpiderDeal
from engine.text.deal_lines import InputDeal, read_deal_lines, write_deal_line

TWO_DECKS = (*DECK, *DECK)
deals = st.permutations(TWO_DECKS).map(SpiderDeal.of)
SPIDER_FORMATS = [form for form in formats().values() if SPIDER in form.games]


def dealt(dealer: str, seed: int) -> SpiderDeal:
    deal = get_dealer(dealer).deal(seed, SPIDER)
    assert isinstance(deal, SpiderDeal)
    return deal


# --- the order of the cards ----------------------------------------------------------------------


def test_the_flat_order_is_columns_and_then_rows() -> None:
    deal = SpiderDeal.of(TWO_DECKS)
    assert [len(column) for column in deal.tableau] == list(COLUMN_SIZES)
    assert deal.tableau[0] == (0, 1, 2, 3, 4, 5)
    assert deal.tableau[4] == (24, 25, 26, 27, 28)
    assert deal.stock[0] == (2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
    assert [len(row) for row in deal.stock] == [10] * 5
    flat = [card for pile in (*deal.tableau, *deal.stock) for card in pile]
    assert flat == list(TWO_DECKS) == deal.as_array().tolist()
    assert deal.as_array().dtype == np.uint8


@given(deals, st.permutations(range(10)))
def test_long_columns_may_stand_anywhere(deal: SpiderDeal, order: list[int]) -> None:
    """The four columns of six cards come first, and the rows of the stock follow their columns."""
    read = SpiderDeal.from_piles(
        [deal.tableau[k] for k in order], [[row[k] for k in order] for row in deal.stock]
    )
    expected = sorted(order, key=lambda k: len(deal.tableau[k]) != 6)
    assert read.tableau == tuple(deal.tableau[k] for k in expected)
    assert read.stock == tuple(tuple(row[k] for k in expected) for row in deal.stock)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t, s: (t[:9], s), "a Spider deal has 10 columns, not 9"),
        (lambda t, s: ([t[0][1:], *t[1:]], s), "103 cards of 104; missing AC"),
        (lambda t, s: ([*t[:9], [*t[9], 0]], s), "105 cards of 104; more than 2 times AC"),
        (
            lambda t, s: ([t[0][2:], *t[1:9], [*t[9], 0, 1]], s),
            "four columns of 6 cards and six of 5",
        ),
        (lambda t, s: ([[*t[0], *s[0]], *t[1:]], s[1:]), "not columns of 16, 6, 6"),
        (lambda t, s: (t, [[*s[0], *s[1]], *s[2:]]), "5 rows of 10 cards to come, not rows of 20"),
        (lambda t, s: ([[60, *t[0][1:]], *t[1:]], s), "no cards at all: numbers 60"),
    ],
    ids=["nine columns", "103 cards", "105 cards", "six and five", "row down", "long row", "joker"],
)
def test_piles_that_are_no_deal(change: Any, said: str) -> None:
    deal = SpiderDeal.of(TWO_DECKS)
    tableau, stock = change(
        [list(column) for column in deal.tableau], [list(row) for row in deal.stock]
    )
    with pytest.raises(BadInput) as caught:
        SpiderDeal.from_piles(tableau, stock)
    assert said in str(caught.value)


@given(deals)
def test_json_round_trips(deal: SpiderDeal) -> None:
    assert SpiderDeal.from_json(json.loads(json.dumps(deal.to_json()))) == deal


@pytest.mark.parametrize(
    "data",
    [None, [], {}, {"tableau": []}, {"tableau": 1, "stock": []}, {"tableau": [], "stock": 1}],
)
def test_json_that_is_no_deal(data: Any) -> None:
    with pytest.raises(BadInput):
        SpiderDeal.from_json(data)


# --- games ---------------------------------------------------------------------------------------


def test_games_know_their_cards() -> None:
    assert [game.slug for game in games()][:2] == ["klondike", "spider"]
    assert (KLONDIKE.cards, SPIDER.cards) == (52, 104)
    for game in games():
        assert get_game(game.slug) is game
    for game in (KLONDIKE, SPIDER):
        assert game_of(game.deal([*DECK] * game.decks)) is game
    with pytest.raises(
        BadInput, match=r"unknown game 'spidr': expected one of \d+, such as spider"
    ):
        get_game("spidr")


# --- dealers -------------------------------------------------------------------------------------

# Frozen for ever: what a dealer deals for a seed never changes.
DIGESTS = {
    ("thoughtful-1", 0): "155724faad4552722f3fd72db9b2f5bd",
    ("thoughtful-1", 1): "ccf97710d211936057b14a5c08a45bbb",
    ("thoughtful-1", 42): "4e3d8eb48fe58fae818427ffb2a64e7d",
    ("thoughtful-1", 2**63 - 1): "b9c85e83c76da80e360b8288725d0893",
    ("pysolfc", 1): "ac4977c53ff960b39d5953eef2ffd545",
    ("pysolfc", 11982): "81f6addf408c5f8cdc3e95d97e4ad04d",
    ("pysolfc", 32000): "5bf806d59bf6d82def23fade4ff6660e",
    ("pysolfc", 32001): "7f1fc3dfa6fe7b1649b4a239508a85cf",
    ("pysolfc", 10**20): "c605b979a5ea266d6d684bfc7ccdb84a",
}


@pytest.mark.parametrize(("dealer", "seed"), DIGESTS, ids=lambda value: str(value))
def test_frozen_deals(dealer: str, seed: int) -> None:
    assert dealt(dealer, seed).digest == DIGESTS[dealer, seed]


def test_a_block_is_its_deals() -> None:
    for slug in ("thoughtful-1", "pysolfc"):
        block = get_dealer(slug).deal_block(5, 4, SPIDER)
        assert block.shape == (4, 104)
        assert [SpiderDeal.of(row) for row in block] == [dealt(slug, 5 + k) for k in range(4)]
        assert get_dealer(slug).deal_block(5, 0, SPIDER).shape == (0, 104)


def test_pysolfc_deals_rows_and_then_single_cards() -> None:
    """Four rows, a card onto columns 1, 4, 7 and 10, another row; and the rest row by row."""
    from pysol_cards.cards import createCards
    from pysol_cards.random import RandomBase, shuffle

    cards = shuffle(createCards(2), 24680, RandomBase.DEALS_PYSOLFC)[::-1]
    names = ["A23456789TJQK"[card.rank - 1] + "CSHD"[card.suit] for card in cards]
    columns = [[*names[k:40:10]] for k in range(10)]
    for place, column in enumerate((0, 3, 6, 9)):
        columns[column].append(names[40 + place])
    for column in range(10):
        columns[column].append(names[44 + column])
    text = "\n".join(["Talon: " + " ".join(names[54:]), *map(" ".join, columns)])
    assert formats()["pysolfc"].read(text, SPIDER) == dealt("pysolfc", 24680)


def test_dealers_say_what_they_deal() -> None:
    able = [dealer.slug for dealer in dealers().values() if SPIDER in dealer.games]
    assert able == ["thoughtful-1", "pysolfc"]
    with pytest.raises(BadInput) as caught:
        get_dealer("solvitaire").deal_block(1, 1, SPIDER)
    assert str(caught.value) == (
        "dealer solvitaire does not deal Spider: expected one of thoughtful-1, pysolfc"
    )


# --- formats -------------------------------------------------------------------------------------

every_format = pytest.mark.parametrize("form", SPIDER_FORMATS, ids=lambda form: form.slug)


@every_format
@given(deals)
def test_what_a_format_writes_it_reads(form: Any, deal: SpiderDeal) -> None:
    assert form.read(form.write(deal), SPIDER) == deal


def test_the_board_shows_what_lies_face_up() -> None:
    deal = dealt("pysolfc", 11982)
    talon, *columns = formats()["pysolfc"].write(deal).splitlines()
    assert talon.split()[1:] == [card_name(card) for row in deal.stock for card in row]
    assert columns[0] == "<3C> <QC> <8D> <3H> <KS> QS"
    assert [line.count("<") for line in columns] == [size - 1 for size in COLUMN_SIZES]


@every_format
@given(text=st.text(max_size=60) | st.text('0123456789TJQKACDSH <>:\n{}[]"', max_size=200))
def test_nonsense_is_wrong_input(form: Any, text: str) -> None:
    with pytest.raises(BadInput):
        form.read(text, SPIDER)


@every_format
def test_a_deal_of_the_other_game_is_refused(form: Any) -> None:
    with pytest.raises(BadInput):
        form.read(form.write(deal_by_id("thoughtful-1:1")), SPIDER)
    with pytest.raises(BadInput):
        form.read(form.write(dealt("thoughtful-1", 1)))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Talon: 2D", "line 12: a second line 'Talon'"),
        ("Freecells: AC", "'Freecells' is not part of this board"),
        ("2D", "the board has 11 columns: expected 10"),
        ("2X", "line 12: '2X' is not a card"),
    ],
)
def test_boards_with_a_line_too_many(line: str, said: str) -> None:
    board = formats()["pysolfc"].write(dealt("pysolfc", 1))
    with pytest.raises(BadInput, match=said):
        formats()["pysolfc"].read(board + line, SPIDER)


@pytest.mark.parametrize("slug", ["klondike-solver", "solvitaire"])
def test_formats_without_spider_say_so(slug: str) -> None:
    said = f"the format {slug} does not support Spider: expected one of json, pysolfc"
    for act in (
        lambda: get_format(slug).write(dealt("pysolfc", 1)),
        lambda: get_format(slug).read("", SPIDER),
    ):
        with pytest.raises(BadInput) as caught:
            act()
        assert str(caught.value) == said


# --- JSON lines ----------------------------------------------------------------------------------


def read(*lines: Any, game: Any = None) -> list[InputDeal]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return list(read_deal_lines(io.StringIO(text), game))


@given(deals)
def test_lines_round_trip(deal: SpiderDeal) -> None:
    item = InputDeal("a", deal)
    line = write_deal_line(item)
    assert json.loads(line)["game"] == "spider"
    assert read(line) == read(line, game=SPIDER) == [item]


def test_a_line_is_of_the_game_that_it_names_or_shows() -> None:
    deal = dealt("thoughtful-1", 7)
    numbered = {"dealer": "thoughtful-1", "seed": 7}
    assert [item.deal for item in read(deal.to_json(), deal.to_json() | {"game": "spider"})] == [
        deal,
        deal,
    ]
    assert read(numbered)[0].deal == deal_by_id("thoughtful-1:7")
    assert read(numbered | {"game": "spider"})[0].deal == deal
    assert read(numbered, game=SPIDER)[0].deal == deal
    assert read(numbered | deal.to_json())[0] == InputDeal(
        "thoughtful-1:7", deal, "thoughtful-1", 7
    )


@pytest.mark.parametrize(
    ("line", "game", "said"),
    [
        ({"game": "bridge"}, None, "unknown game 'bridge'"),
        ({"game": 7}, None, '"game" must be one of'),
        ({"game": "spider"}, None, 'needs "tableau" and "stock", or "dealer" and "seed"'),
        ({"dealer": "greenfelt", "seed": 1}, SPIDER, "dealer greenfelt does not deal Spider"),
        ({"dealer": "pysolfc", "seed": 1, "game": "klondike"}, SPIDER, "a deal of Klondike"),
        (deal_by_id("pysolfc:1").to_json(), SPIDER, "a deal of Klondike: expected one of Spider"),
        (dealt("pysolfc", 1).to_json(), KLONDIKE, "a deal of Spider: expected one of Klondike"),
        (
            dealt("pysolfc", 1).to_json() | {"dealer": "pysolfc", "seed": 2},
            None,
            "these are not the cards of pysolfc:2",
        ),
        (
            deal_by_id("pysolfc:1").to_json() | {"game": "spider"},
            None,
            "must be a list of five lists",
        ),
    ],
)
def test_wrong_lines(line: dict[str, Any], game: Any, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read({"dealer": "pysolfc", "seed": 3}, line, game=game)
    assert str(caught.value).startswith("line 2: ")
    assert said in str(caught.value)


def test_a_file_may_mix_games() -> None:
    mixed: list[Any] = [deal_by_id("pysolfc:1"), dealt("pysolfc", 1)]
    random.Random(0).shuffle(mixed)
    lines = [write_deal_line(InputDeal(k, deal)) for k, deal in enumerate(mixed)]
    assert [item.deal for item in read(*lines)] == mixed
