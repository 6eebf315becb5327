"""Tests of the texts of patience games: moves, positions, what is seen of them, deals."""

import io
from random import Random
from typing import Any

import pytest

from engine.cards import HIDDEN
from engine.dealing.dealers import get_dealer
from engine.detection import detect
from engine.errors import BadInput, BadMove
from engine.games import get_game
from engine.intake import read_entries
from engine.patience.layout import CODES
from engine.patience.moves import PatienceMove
from engine.patience.presets import game_slugs
from engine.patience.referee import PatiencePosition


def some_positions(slug: str, count: int) -> list[PatiencePosition]:
    """Positions of a random game under each ruleset of a game."""
    found = []
    game = get_game(slug)
    chooser = Random(slug)
    for rules in game.rulesets.presets.values():
        position: Any = game.start(get_dealer("thoughtful-1").deal(11, game), rules)
        for _ in range(count):
            found.append(position)
            legal = position.legal_moves()
            if not legal:
                break
            position = position.play(chooser.choice(legal))
    return found


@pytest.mark.parametrize("slug", list(game_slugs()))
def test_positions_come_back_from_json_and_from_text(slug: str) -> None:
    game = get_game(slug)
    assert game.read_table is not None
    assert game.write_table is not None
    assert game.write_seen is not None
    for position in some_positions(slug, 25):
        data = position.to_json()
        assert game.position_from_json(data, position.rules) == position
        assert game.read_table(game.write_table(position)) == data
        seen = position.observation()
        assert game.read_table(game.write_seen(seen)) == seen


@pytest.mark.parametrize("slug", ["canfield", "patience-klondike", "yukon", "patience-spider"])
def test_hidden_cards_are_drawn_in_agreement_with_what_is_seen(slug: str) -> None:
    game = get_game(slug)
    assert game.fill_in is not None
    for position in some_positions(slug, 12):
        seen = position.observation()
        drawn = [game.fill_in(seen, position.rules, Random(seed)) for seed in range(6)]
        assert all(each.observation() == seen for each in drawn)
        hidden = str(seen).count(HIDDEN)
        assert len(set(drawn)) > 1 or hidden < 6
        if hidden:
            wrong = {**seen, "up": [[*seen["up"][0], "AC", "AC"], *seen["up"][1:]]}
            with pytest.raises(BadInput):
                game.fill_in(wrong, position.rules, Random(1))


TYPED = """
Foundations: C-2 H-A
Freecells: 4C KH
3C 2D
10H 9S
: 8H 7C
-
-
-
-
{}
"""


def test_a_board_of_fc_solve_is_read() -> None:
    rest = [f"{r}{s}" for r in "A23456789TJQK" for s in "CDSH"]
    for card in ["AC", "2C", "AH", "4C", "KH", "3C", "2D", "TH", "9S", "8H", "7C"]:
        rest.remove(card)
    game = get_game("freecell")
    assert game.read_table is not None
    data = game.read_table(TYPED.format(" ".join(rest)))
    position: Any = game.position_from_json(data, game.rulesets.presets["freecell"])
    assert position.foundations == (2, 0, 0, 1)
    assert [str(move) for move in position.legal_moves()][:3] == ["1-4", "1-5", "1-6"]
    assert str(position).startswith("foundations  2C - - AH\ncells        4C KH - -")


# The layout in mid-game of fc-solve's own manual, in the spellings that it prints and takes.
COLUMNS = """\
: 8H 3D 2S
: KS QD JC
: AS 8D TD 7D JH TS 9D
: 7S 6D
:
: KH QC JD TC 9H 8S 7H 6S 5D 4S
: KC QH JS TH 9S 5S
: 4D
"""
MANUAL = [
    f"Foundations: H-6 C-9 D-2 S-0 \nFreecells:  QS  3S      KD\n{COLUMNS}",
    f"Founds: H-6 C-9 D-2\nFC: QS 3S - KD\n{COLUMNS}".replace(" T", " 10"),
    f"FC: QS 3S - KD\n{COLUMNS.replace(': ', '')}Foundations: H-6 C-9 D-2 S-0\n",
    """
 QS  3S      KD         H-6 C-9 D-2 S-0
--- --- --- ---


 --  --  --  --  --  --  --  --
 8H  KS  AS  7S      KH  KC  4D
 3D  QD  8D  6D      QC  QH
 2S  JC 10D          JD  JS
         7D         10C 10H
         JH          9H  9S
        10S          8S  5S
         9D          7H
                     6S
                     5D
                     4S
""",
]


def test_fc_solves_boards_in_mid_game_have_cells_and_columns_in_their_places() -> None:
    rules = get_game("freecell").rulesets.presets["freecell"]
    expected = detect(MANUAL[0], rules).position
    assert str(expected).splitlines()[:2] == ["foundations  9C 2D - 6H", "cells        QS 3S - KD"]
    assert expected is not None
    assert [" ".join(column) for column in expected.to_json()["up"][3:6]] == [
        *("7S 6D", "", "KH QC JD TC 9H 8S 7H 6S 5D 4S"),
    ]
    for text in MANUAL[1:]:
        assert detect(text, rules).position == expected
    entries = list(read_entries(io.BytesIO("\n\n".join(MANUAL).encode()), rules))
    assert [getattr(entry, "position", entry) for entry in entries] == [expected] * len(MANUAL)
    with pytest.raises(BadInput, match="no line of -- above its columns"):
        detect(MANUAL[3].replace("--  --", ""), rules)


def test_moves_have_the_names_of_their_piles() -> None:
    names = {
        "freecell": ("3-7", "a-2", "2-d", "8-fS", "a-fH"),
        "canfield": ("r1-4", "w-4", "w-fC", "1-4x3", "T"),
        "fortunes-favor": ("s-4", "w-4"),
        "king-albert": ("r7-9", "fH-5"),
        "patience-spider": ("10-1x13", "3-fS2x13", "T"),
        "black-hole": ("17-o",),
        "worm-hole": ("1-a", "a-o"),
        "accordion": ("52-51", "52-49"),
        "gaps": ("17-30",),
        "forty-thieves": ("1-fC2",),
    }
    for slug, texts in names.items():
        game = get_game(slug)
        for text in texts:
            move = game.parse_move(text)
            assert str(move) == text
            assert game.unpack(game.pack([move])) == (move,)
    for slug, text in (
        ("freecell", "T"),
        ("freecell", "1-7x2"),
        ("freecell", "1-1"),
        ("freecell", "9-1"),
        ("freecell", "1-fC2"),
        ("freecell", "a-b"),
        ("freecell", "01-2"),
        ("black-hole", "1-2"),
        ("accordion", "1-52"),
        ("gaps", "53-1"),
    ):
        with pytest.raises(BadMove, match="is not a move of"):
            get_game(slug).parse_move(text)


@pytest.mark.parametrize("slug", ["freecell", "patience-spider", "canfield", "worm-hole", "gaps"])
def test_moves_texts_and_bytes_are_one_to_one(slug: str) -> None:
    game = get_game(slug)
    texts: dict[str, Any] = {}
    for source in range(CODES):
        for target in range(CODES):
            for cards in (1, 2, 13):
                try:
                    (move,) = game.unpack(bytes((source, target, cards)))
                except BadMove:
                    continue
                assert move == PatienceMove(source, target, cards)
                assert texts.setdefault(str(move), move) == move
                assert game.parse_move(str(move)) == move
    assert len(texts) > 30


def test_board_texts_of_deals_come_back() -> None:
    for slug in game_slugs():
        game = get_game(slug)
        deal = get_dealer("thoughtful-1").deal(4, game)
        for codec in game.codecs:
            assert codec.read(codec.write(deal)) == deal, (slug, codec.slug)
            with pytest.raises(BadInput):
                codec.read("nothing")
        after = [p for p in some_positions(slug, 2) if game.deal_of(p) is None][:1]
        for position in after:
            assert game.write_table is not None
            for codec in game.codecs[1:]:
                with pytest.raises(BadInput):
                    codec.read(game.write_table(position))
