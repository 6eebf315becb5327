import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import DECK, RANKS, card_name, parse_card
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.formats import Format, formats, get_format
from engine.klondike.deal import KlondikeDeal
from engine.klondike.formats import (
    read_board,
    read_code,
    read_digits,
    read_json,
    read_solvitaire,
    write_board,
    write_code,
    write_digits,
    write_solvitaire,
)

deals = st.permutations(DECK).map(KlondikeDeal.of)
every_format = pytest.mark.parametrize("format", formats().values(), ids=lambda f: f.slug)

# A deal published for Klondike-Solver, in its digits.
DIGITS = (
    "132114074043113024111053121013041063042032103091044093011023012064061071101092102021"
    "084034081051122014062123022133112134082054072033104124073083052094031131"
)
# PySolFC's Klondike deal 11982 as pysol-cards prints it with -t.
BOARD = """\
Talon: 9D TD KH 7C 6C 2C TH QH 6D TC 4S 7S JD 7D 8H 9C 2H QD 4C 5H KC 8D 2S 3S
8C
<6S> 5C
<2D> <QS> 5D
<AC> <3H> <AD> JC
<4H> <3D> <7H> <6H> 3C
<AS> <JS> <8S> <KD> <4D> 9S
<AH> <TS> <QC> <KS> <5S> <9H> JH
"""
# Klondike-Solver's game 1 as Solvitaire's authors keep it among their presets.
SOLVITAIRE = """{"tableau piles": [["4D"], ["3C", "4C"], ["9S", "7D", "6H"],
["AH", "7S", "2C", "JD"], ["AD", "6S", "2H", "10S", "AS"], ["4H", "8H", "2D", "KS", "JC", "5C"],
["3H", "4S", "3S", "5D", "JH", "6C", "KD"]],
"stock": ["10H", "8D", "7H", "KC", "3D", "10D", "5H", "8C", "QS", "JS", "9H", "7C", "6D", "8S",
"QD", "QH", "AC", "9C", "5S", "KH", "QC", "2S", "10C", "9D"]}"""


@every_format
@given(deal=deals)
def test_what_is_written_reads_back(format: Format, deal: KlondikeDeal) -> None:
    assert format.read(format.write(deal)) == deal


@every_format
@given(text=st.text(max_size=60))
def test_garbage_is_bad_input(format: Format, text: str) -> None:
    with pytest.raises(BadInput):
        format.read(text)


@every_format
@given(deal=deals, data=st.data())
def test_a_damaged_text_is_bad_input_or_a_deal(
    format: Format, deal: KlondikeDeal, data: st.DataObject
) -> None:
    text = format.write(deal)
    at = data.draw(st.integers(0, len(text)))
    until = data.draw(st.integers(at, min(len(text), at + 8)))
    patch = data.draw(st.text(max_size=4) | st.sampled_from(["[]", "NaN", "<", "AC", ":", '"']))
    try:
        read = format.read(text[:at] + patch + text[until:])
    except BadInput:
        return
    assert sorted(read.cards) == list(DECK)


@pytest.mark.parametrize(
    "format",
    [each for each in formats().values() if each.slug != "microsoft"],  # which holds no other cards
    ids=lambda f: f.slug,
)
def test_51_cards_and_a_doubled_card_are_named(format: Format) -> None:
    text = format.write(KlondikeDeal.of(DECK))
    last, first = {
        "json": (', "KH"', '"AC"'),
        "klondike-solver": ("133", "011"),
        "pysolfc": (" KH", "AC"),
        "solvitaire": ('"KH", ', '"AC"'),
    }[format.slug]
    assert text.count(last) == 1
    with pytest.raises(BadInput, match=r"it has 51 cards of 52; missing KH$"):
        format.read(text.replace(last, ""))
    doubled = last.replace(last.strip(', "'), first.strip('"'))
    with pytest.raises(BadInput, match=r"missing KH; more than once AC$"):
        format.read(text.replace(last, doubled))


def test_an_unknown_format() -> None:
    assert get_format("pysolfc") == formats()["pysolfc"]
    with pytest.raises(BadInput, match="unknown format 'png': expected one of json, klondike-so"):
        get_format("png")


def test_klondike_solver_digits_are_its_own() -> None:
    deal = read_digits(DIGITS)
    # 132 KD, 114 JS, 074 7S, …: the first row, then 053 5H begins the second row in column 2.
    assert [column[0] for column in deal.tableau] == [
        parse_card(name) for name in ["KD", "JS", "7S", "4H", "JH", "2S", "JC"]
    ]
    assert deal.tableau[1][1] == parse_card("5H")
    assert deal.stock[0] == parse_card("8S")
    assert deal.stock[-1] == parse_card("KC")
    assert write_digits(deal) == DIGITS
    assert read_digits("\n".join(DIGITS[at : at + 21] for at in range(0, 156, 21))) == deal


@pytest.mark.parametrize(
    ("digits", "message"),
    [
        ("14" + DIGITS[2:], "card 1 of the digits is '142'"),
        (DIGITS[:-1] + "5", "card 52 of the digits is '135'"),
        (DIGITS[:-1], "card 52 of the digits is '13'"),
        (DIGITS + "011", "159 digits are more than the 156 of one deck"),
        (DIGITS[:3] + "０1１" + DIGITS[6:], "card 2 of the digits"),
    ],
)
def test_wrong_digits(digits: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_digits(digits)
    assert message in str(caught.value)


def test_the_microsoft_solitaire_collection_numbers_deals_as_lonelybot_says() -> None:
    code = "37529377358585594134454298882350599254635682470701937210952436445911"
    deal = read_code(code)
    assert write_code(deal) == code
    # The deal's number in lonelybot's own order of all deals, as its tests have it.
    suits = dict(zip("HDCS", range(4), strict=True))
    deck = [RANKS.index(name[0]) * 4 + suits[name[1]] for name in map(card_name, deal.cards)]
    number = 0
    for place in range(51, 0, -1):
        at = deck.index(place)
        number = number * (place + 1) + at
        deck[at], deck[place] = deck[place], deck[at]
    assert number == 6555618124709432518914756628087920429793617258659043425228908599455


@pytest.mark.parametrize("code", ["12", "9" * 68, "1" * 69, "1" * 67, "-" + "1" * 67])
def test_wrong_codes(code: str) -> None:
    with pytest.raises(BadInput, match="expected a number of 68 digits below 52 factorial"):
        read_code(code)


def test_board_text_is_pysolfcs() -> None:
    deal = deal_by_id("pysolfc:11982")
    assert read_board(BOARD) == deal
    assert write_board(deal) == BOARD


@pytest.mark.parametrize(
    "variant",
    [
        BOARD.replace("T", "10").replace("10alon", "Talon"),
        BOARD.replace("<", "").replace(">", ""),
        "Foundations: H-0 C-0 D-0 S-0\n" + BOARD.replace("\n", "\r\n"),
        BOARD.replace("\n", "\n: ").removesuffix(": ").lower(),
    ],
    ids=["10", "no brackets", "empty foundations", "colons and small letters"],
)
def test_variants_of_board_text(variant: str) -> None:
    assert read_board(variant) == deal_by_id("pysolfc:11982")


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (BOARD.partition("\n")[2], "it has 28 cards of 52; missing"),
        (BOARD + BOARD, "line 9: a second line 'Talon'"),
        ("Foundations: H-A\n" + BOARD, "this is a position in mid-game"),
        ("Freecells: AC\n" + BOARD, "'Freecells' is not part of this board"),
        (BOARD.replace("<QS>", "<QX>"), "line 4: 'QX' is not a card"),
        (BOARD.replace("<QS>", "QS"), "column 3 of the board is not one of a starting deal"),
        (BOARD.replace(" 5C\n", " <5C>\n"), "column 2 of the board is not one of a starting"),
        (BOARD.replace("8C\n", "", 1), "the board has 6 columns: expected 7"),
    ],
)
def test_wrong_boards(board: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_board(board)
    assert message in str(caught.value)


def test_solvitaires_stock_ends_with_the_first_card_drawn() -> None:
    assert read_solvitaire(SOLVITAIRE) == deal_by_id("klondike-solver:1")
    written = json.loads(write_solvitaire(deal_by_id("klondike-solver:1")))
    assert written["stock"] == json.loads(SOLVITAIRE)["stock"]
    assert written["tableau piles"][4] == ["Ad", "6s", "2h", "10s", "AS"]


def test_variants_of_solvitaires_json() -> None:
    deal = deal_by_id("klondike-solver:1")
    data = json.loads(SOLVITAIRE)
    data |= {"waste": [], "foundations": [[], [], [], []]}
    assert read_solvitaire(json.dumps(data)) == deal
    numbers = SOLVITAIRE
    for letter, number in {'"A': '"1', '"J': '"11', '"Q': '"12', '"K': '"13'}.items():
        numbers = numbers.replace(letter, number)
    assert read_solvitaire(numbers) == deal


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"waste": ["AC"]}, '"waste" must be empty in a starting deal'),
        ({"foundations": [["AC"], [], [], []]}, '"foundations" must be empty'),
        ({"stock": "AC"}, '"stock" must be a list of cards, first drawn last'),
        ({"tableau piles": [["AC"], 7]}, '"tableau piles" must be a list of seven lists'),
        ({"stock": [["AC"]]}, "['AC'] is not a card"),
    ],
)
def test_wrong_solvitaire_json(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_solvitaire(json.dumps(json.loads(SOLVITAIRE) | change))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: Expecting value at character 1"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5_000, "not readable JSON"),
        ("Infinity", "Infinity is not JSON"),
        ("[]", 'a deal needs the keys "tableau" and "stock"'),
    ],
)
def test_what_is_no_json_deal(text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_json(text)
    assert message in str(caught.value)
