"""Tests of dealers of patience games against deals of the programs themselves."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game as PysolGame
from pysol_cards.random import RandomBase

from engine.cards import card_name, rank
from engine.dealing.dealers import dealers, get_dealer
from engine.errors import BadInput
from engine.game import Deal
from engine.games import get_game
from engine.patience.dealing import lay_out
from engine.patience.layout import PatienceLayout, layout_of, row_suit
from engine.patience.presets import preset_games
from engine.rulesets import parse_ruleset
from paths import DATA
from random_options import random_options

# Printed by Solvitaire with --deal-only, tens as T. It has columns, reserve and cells in an order
# of its own where they are interchangeable, and clubs, hearts, spades, diamonds.
SOLVITAIRE = [
    json.loads(line) for line in (DATA / "solvitaire-deals.jsonl").read_text().splitlines()
]


def dealt(dealer: str, seed: int, ruleset: str) -> Deal:
    rules = parse_ruleset(ruleset)
    return get_dealer(dealer).deal(seed, get_game(rules.game))


def names(piles: Any) -> list[list[str]]:
    return [list(map(card_name, pile)) for pile in piles]


def told(printed: Any) -> list[list[str]]:
    """Piles as Solvitaire prints them: "" for an empty one."""
    return [pile or [] for pile in printed]


@pytest.mark.parametrize("printed", SOLVITAIRE, ids=lambda line: f"{line['preset']}:{line['seed']}")
def test_seeds_of_solvitaire_deal_its_deals(printed: dict[str, Any]) -> None:
    deal = dealt("solvitaire", printed["seed"], printed["preset"])
    columns = names(deal.piles("tableau"))
    assert sorted(columns) == sorted(told(printed.get("tableau piles", [])))
    if printed["preset"] == "will-o-the-wisp":  # rows are dealt: no two columns are alike
        assert columns == printed["tableau piles"]
    for zone, theirs in (("reserve", "reserve"), ("cells", "cells")):
        cards = [card for pile in told(printed.get(theirs, [])) for card in pile]
        own = [name for pile in names(deal.piles(zone)) for name in pile]
        assert own == cards or (sorted(own) == sorted(cards) and printed["preset"] != "canfield")
    for own_pile in names(deal.piles("stock")):
        assert own_pile == printed["stock"][::-1]
    founded = {name for pile in told(printed.get("foundations", [])) for name in pile}
    assert founded == {name for pile in names(deal.piles("foundations")) for name in pile}
    if "hole" in printed:
        assert names(deal.piles("hole")) == [[printed["hole"]]]
    if "accordion" in printed:
        assert names(deal.piles("accordion")) == [[name for (name,) in printed["accordion"]]]
    if "sequences" in printed:
        gaps = [
            ["AS" if name[0] == "A" else name for name in row] for row in names(deal.piles("rows"))
        ]
        assert gaps == printed["sequences"]


def test_two_decks_and_each_kind_of_zone_are_among_them() -> None:
    seen = {key for line in SOLVITAIRE for key in line}
    assert {"tableau piles", "reserve", "stock", "hole", "accordion", "sequences"} <= seen
    assert {"somerset", "american-toad", "mrs-mop"} <= {line["preset"] for line in SOLVITAIRE}


# Microsoft's deals 1, 617 and 11982, the impossible one, as its program shows them.
MICROSOFT = {
    1: """
JD 2D 9H JC 5D 7H 7C 5H
KD KC 9S 5S AD QC KH 3H
2S KS 9D QD JS AS AH 3C
4C 5C TS QH 4H AC 4D 7S
3S TD 4S TH 8H 2C JH 7D
6D 8S 8D QS 6C 3D 8C TC
6S 9C 2H 6H""",
    617: """
7D AD 5C 3S 5S 8C 2D AH
TD 7S QD AC 6D 8H AS KH
TH QC 3H 9D 6S 8D 3D TC
KD 5H 9S 3C 8S 7H 4D JS
4C QS 9C 9H 7C 6H 2C 2S
4S TS 2H 5D JC 6C JH QH
JD KS KC 4H""",
    11982: """
AH AS 4H AC 2D 6S TS JS
3D 3H QS QC 8S 7H AD KS
KD 6H 5S 4D 9H JH 9S 3C
JC 5D 5C 8C 9D TD KH 7C
6C 2C TH QH 6D TC 4S 7S
JD 7D 8H 9C 2H QD 4C 5H
KC 8D 2S 3S""",
}


@pytest.mark.parametrize("number", MICROSOFT)
def test_microsoft_deals_are_those_of_its_program(number: int) -> None:
    rows = [line.split() for line in MICROSOFT[number].strip().splitlines()]
    columns = [[row[at] for row in rows if at < len(row)] for at in range(8)]
    assert names(dealt("microsoft", number, "freecell").piles("tableau")) == columns


@pytest.mark.parametrize(
    "number", [1, 2, 31_999, 32_000, 32_001, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**33 - 1]
)
def test_microsoft_numbers_go_on_as_in_pysol_cards(number: int) -> None:
    theirs = PysolGame("freecell", number, RandomBase.DEALS_MS)
    text = theirs.calc_layout_string(CardRenderer(print_ts=True))
    own = names(dealt("microsoft", number, "freecell").piles("tableau"))
    assert own == [line.split() for line in text.splitlines()]


@pytest.mark.parametrize(
    "preset",
    [
        *("bakers-game", "eight-off", "fore-cell", "seahaven-towers", "streets-and-alleys"),
        *("beleaguered-castle", "black-hole", "golf", "yukon", "patience-klondike"),
    ],
)
def test_pysolfc_deals_are_those_of_pysol_cards(preset: str) -> None:
    game = get_game(preset)
    for seed in (5, 40_000):
        deal = get_dealer("pysolfc").deal(seed, game)
        assert game.start(deal, game.rulesets.presets[game.rulesets.default]).legal_moves()
        if preset in ("bakers-game", "eight-off") and seed <= 32_000:
            same = get_dealer("microsoft").deal(seed, game)
            assert same.piles("tableau") == deal.piles("tableau")


def naive(layout: PatienceLayout, deck: list[int]) -> list[int]:
    """The flat order of a deck, dealt card by card as Solvitaire does: the naive twin."""
    o = layout.options
    deck = list(deck)
    fixed = layout.fixed_cards(deck[0])
    if o.founded == "others":
        fixed = sorted(card for card in deck if card // 4 == deck[-1] // 4 and card != deck[-1])
    for card in fixed:
        deck.remove(card)
    hand = iter(deck[::-1])
    cells = [next(hand) for _ in range(o.cells_filled)]
    stock = [next(hand) for _ in range(o.stock)][::-1]
    reserve = [next(hand) for _ in range(o.reserve)]
    accordion = [next(hand) for _ in range(o.accordion)]
    rows: list[list[int]] = [[] for _ in range(o.sequences)]
    columns: list[list[int]] = [[] for _ in range(o.columns)]
    if not o.accordion:
        t = 0
        for card in hand:
            while True:
                row, at = divmod(t, o.sequences or o.columns)
                t += 1
                if o.sequences:
                    rows[at].append(card)
                    break
                if o.diagonal and row < o.columns:
                    at = o.columns - 1 - at
                    if at < row:
                        continue
                columns[at].append(card)
                break
    return [
        *(card for column in columns for card in column),
        *(*cells, *reserve, *stock, *fixed, *accordion),
        *(card for row in rows for card in row),
    ]


@given(st.data(), random_options())
def test_decks_are_laid_out_as_card_by_card(data: st.DataObject, options: Any) -> None:
    layout = layout_of(options)
    deck = list(range(4 * options.max_rank)) * options.decks
    shuffled = data.draw(st.permutations(deck))
    flat = lay_out(layout, np.array([shuffled], dtype=np.uint8), layout.order)
    assert flat[0].tolist() == naive(layout, shuffled)


def test_every_preset_is_dealt_by_every_dealer_of_its_game() -> None:
    known = dealers()
    for slug, game in preset_games().items():
        if slug != game:
            continue
        for dealing in get_game(game).dealings:
            deals = known[dealing.dealer.slug].deal_block(
                dealing.dealer.min_seed, 3, get_game(game)
            )
            for deal in deals:
                assert bytes(get_game(game).deal(deal).cards) == deal.tobytes()


def test_the_other_cards_of_the_first_rank_begin_the_foundations_of_penguin() -> None:
    game = get_game("penguin")
    for dealer in ("solvitaire", "thoughtful-1"):
        for seed in range(1, 40):
            deal = dealt(dealer, seed, "penguin")
            founded = deal.piles("foundations")[0]
            assert [rank(card) for card in (*founded, deal.cards[0])] == 4 * [rank(founded[0])]
            start = game.start(deal, game.rulesets.presets["penguin"])
            assert sorted(start.foundations) == [0, 1, 1, 1]
            assert start.as_deal() == deal
            wrong = [*deal.cards]
            wrong[0], wrong[1] = wrong[1], wrong[0]
            with pytest.raises(BadInput, match="the other cards of rank"):
                game.deal(wrong)
            at = deal.cards.index(founded[0])
            wrong = [*deal.cards]
            wrong[at], wrong[at + 1] = wrong[at + 1], wrong[at]
            with pytest.raises(BadInput, match="the other cards of rank"):
                game.deal(wrong)


def test_rows_of_gaps_have_suits_in_the_order_of_solvitaire() -> None:
    assert "".join("CDSH"[row_suit(row)] for row in range(8)) == "CHSDCHSD"
    deal = dealt("solvitaire", 7, "gaps")
    assert sum(rank(card) == 0 for row in deal.piles("rows") for card in row) == 4
