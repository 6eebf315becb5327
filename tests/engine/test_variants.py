"""Boards in every spelling that has one reading: all are read as the same deal or position."""

import io
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.game import Position
from engine.games import game_of
from engine.intake import ReadEntry, WrongEntry, read_entries
from engine.rulesets import parse_ruleset
from random_play import met_at_random
from samples import sizes

SLUGS = ("klondike-draw3", "spider-4", "klondike-draw1", "spider-1", "klondike-vegas")
POSITIONS = list(met_at_random(SLUGS, 60))
SUITS = ["CDSH", "cdsh", "♣♦♠♥", "♧♢♤♡", "♣️ ♦️ ♠️ ♥️"]
TENS = ["T", "t", "10", "0"]
MARKS = ["<>", "[]", "()", "{}"]
BETWEEN = [" ", "  ", "\t", ", ", "; ", ",", " | ", '" "']
STOCKS = ["Talon:", "Stock:", "STOCK :", "stock=", "deck: ", "  Talon :", "**Stock**:"]
PREFIXES: list[Callable[[int], str]] = [
    lambda n: "",
    lambda n: ": ",
    lambda n: f"{n}: ",
    lambda n: f"Column {n}: ",
    lambda n: "  ",
]
ENDS = ["\n", "\r\n", "\r", " \n"]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]


def variant(position: Position, chance: random.Random) -> bytes:
    """The text of a position, each of its parts in a spelling of its own."""
    pick = chance.choice
    suits, ten, suit_first = pick(SUITS), pick(TENS), chance.random() < 0.3
    letters = suits.split(" ") if " " in suits else list(suits)
    opening, closing = pick(MARKS)
    between = pick(BETWEEN)
    game, data = game_of(position.rules), position.to_json()
    deal = game.deal_of(position)
    shown = deal is None or chance.random() < 0.5

    def card(name: str) -> str:
        rank = ten if name[0] == "T" else name[0]
        rank = rank.lower() if letters == list("cdsh") else rank
        suit = letters["CDSH".index(name[1])]
        return suit + rank if suit_first else rank + suit

    def cards(names: list[str]) -> str:
        text = between.join(map(card, names))
        return f'"{text}"' if between == '" "' and text else text

    def column(number: int, down: list[str], up: list[str]) -> str:
        words = [f"{opening}{card(name)}{closing}" if shown else card(name) for name in down]
        text = between.join([*words, *map(card, up)]) or "-"
        return prefix(number) + text

    prefix = pick(PREFIXES)
    stock = data["stock"] if not data["stock"] or isinstance(data["stock"][0], str) else None
    if stock is None:
        stock = [name for row in data["stock"] for name in row]
    parts = [f"{pick(STOCKS)} {cards(stock)}"]
    if "foundations" in data and (deal is None or chance.random() < 0.3):
        tops = (f"{letter}-{data['foundations'][letter]}" for letter in chance.sample("CDSH", 4))
        parts.append(f"Foundations: {' '.join(tops)}")
        parts.append(f"{pick(['Waste', 'WASTE', 'waste pile'])}: {cards(data['waste'])}")
        if data["redeals_used"]:
            parts.append(f"Redeals: {data['redeals_used']}")
    if "completed" in data and (deal is None or chance.random() < 0.3):
        runs = [letter for letter in "CDSH" for _ in range(data["completed"][letter])]
        parts.append(f"Completed: {' '.join(runs)}")
    if position.rules.slug != "klondike-draw3":
        parts.append(f"Rules: {position.rules.slug}")
    chance.shuffle(parts)
    columns = [
        column(number, down, up)
        for number, (down, up) in enumerate(zip(data["down"], data["up"], strict=True), start=1)
    ]
    at = chance.randrange(len(parts) + 1) if chance.random() < 0.5 else len(parts)
    gap = pick([[], [], [""], ["", ""]])
    if any(part.startswith(("Rules", "Redeals")) for part in parts[at:]):
        gap = []  # below a blank line they would be those of another board
    titled = ["Tableau:"] if chance.random() < 0.2 else []
    lines = [*parts[:at], *gap, *titled, *columns, *gap, *parts[at:]]
    if chance.random() < 0.2:
        lines = ["```", *lines, "```"]
    if chance.random() < 0.2:
        lines = [f"> {line}" for line in lines]
    if chance.random() < 0.2:
        lines = ["# a board", "", *lines, ""]
    return pick(ENDS).join(lines).encode(pick(ENCODINGS))


@pytest.mark.parametrize("count", sizes(200, 10_000))
def test_every_variant_is_read_as_the_same(count: int) -> None:
    @settings(max_examples=count, deadline=None)
    @given(st.sampled_from(range(len(POSITIONS))), st.integers(0, 2**32))
    def read(number: int, seed: int) -> None:
        position = POSITIONS[number]
        data = variant(position, random.Random(seed))
        found = list(read_entries(io.BytesIO(data), parse_ruleset("klondike-draw3"), asked=False))
        assert len(found) == 1, (data, found)
        (entry,) = found
        assert isinstance(entry, ReadEntry), (data, entry)
        assert entry.rules == position.rules
        assert entry.position == position, data
        assert entry.deal == game_of(position.rules).deal_of(position)

    read()


@pytest.mark.parametrize("count", sizes(200, 10_000))
def test_a_spoilt_variant_is_one_sentence(count: int) -> None:
    @settings(max_examples=count, deadline=None)
    @given(
        st.sampled_from(range(len(POSITIONS))),
        st.integers(0, 2**32),
        st.integers(0, 900),
        st.integers(0, 9),
        st.binary(max_size=6)
        | st.sampled_from([b"[", b"{", b'"', b"\n\n", b"Talon:", b"- ", b"|"]),
    )
    def read(number: int, seed: int, at: int, gone: int, junk: bytes) -> None:
        data = variant(POSITIONS[number], random.Random(seed))
        at = min(at, len(data))
        spoilt = data[:at] + junk + data[at + gone :]
        for found in read_entries(io.BytesIO(spoilt), parse_ruleset("klondike-draw3"), asked=False):
            reason = ""
            if isinstance(found, WrongEntry):
                reason = found.reason
                assert reason
            else:
                try:
                    assert found.position is not None
                except BadInput as error:
                    reason = str(error)
            assert "\n" not in reason

    read()


def _reason(text: str) -> str | None:
    """Why the one entry of a text cannot be read; None if it can."""
    rules = parse_ruleset("klondike-draw3")
    (found,) = read_entries(io.BytesIO(text.encode()), rules, asked=False)
    return found.reason if isinstance(found, WrongEntry) else None


@pytest.mark.parametrize("height", ["14", "55", "0099", "9" * 5_000])
def test_a_foundation_that_is_too_high_is_one_sentence(height: str) -> None:
    """Also where cards are counted to see whether a board has ended, at the blank line."""
    board = f"""Talon: 4H 2C
Foundations: C-0 D-0 S-0 H-{height}
: TH
: <3S> 4D
: <AS> <3C> 9D
: <6C> <2S> <2D> TD
: <7H> <3H> <JC> <3D> 9C
: <AD> <TC> <8C> <JS> <6S> QH
: <5S> <AC> <4C> <8H> <QS> <7C> 5D

"""
    reason = _reason(board)
    assert reason is not None
    assert reason.startswith(f"'{('H-' + height)[:20]}' is no foundation: expected")


@pytest.mark.parametrize(
    ("stock", "wrong"), [("24 cards", None), ("x cards", "'x'"), ("99999999999 cards", "'9999")]
)
def test_a_number_of_cards_that_is_none_is_one_sentence(stock: str, wrong: str | None) -> None:
    """On a board as `thoughtful` prints it."""
    board = f"""foundations  -C -D -S -H
stock        {stock}
waste        -

 1    2    3    4    5    6    7
 TH  [3S] [AS] [6C] [7H] [AD] [5S]
      4D  [3C] [2S] [3H] [TC] [AC]
           9D  [2D] [JC] [8C] [4C]
                TD  [3D] [JS] [8H]
                     9C  [6S] [QS]
                          QH  [7C]
                               5D
"""
    reason = _reason(board)
    if wrong is None:
        assert reason is None
    else:
        assert reason is not None
        assert reason.startswith(wrong)
        assert "is not a card" in reason
