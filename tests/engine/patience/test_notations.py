"""Tests of moves of games like FreeCell in other programs' notations, on what fc-solve printed.

The files of ``tests/data/fc-solve`` are what fc-solve 5.0.0 of Debian printed, with ``-l as``,
``lg`` or ``ve``, for deals of Microsoft's numbers and of PySolFC's number 24: ``snx`` and ``sn``
its standard notation, ``sentences`` its own (``-m``), ``boards`` with boards between (``-sam
-p``), ``tables`` with the columns side by side (``-sam``).
"""

import io
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.games import game_of, get_game
from engine.intake import ReadEntry, read_entries
from engine.notations import read_moves, write_moves
from engine.replay import positions, replay
from engine.rulesets import parse_ruleset
from paths import DATA
from standard_notation import cards_home

OUTPUTS = sorted((DATA / "fc-solve").iterdir())
every_output = pytest.mark.parametrize("path", OUTPUTS, ids=[path.stem for path in OUTPUTS])


def start_of(path: Path) -> Any:
    """The position before the first move of an output."""
    slug, number, _ = path.stem.rsplit("-", 2)
    dealer = "microsoft" if slug == "freecell" else "pysolfc"
    return start(slug, f"{dealer}:{number}")


def start(slug: str, deal: str) -> Any:
    """The position before the first move of a deal."""
    rules = parse_ruleset(slug)
    game = game_of(rules)
    return game.start(deal_by_id(deal, game), rules)


def board_of(position: Any) -> str:
    """The board text of a starting deal."""
    game = game_of(position.rules)
    return next(codec for codec in game.codecs if codec.slug == "pysolfc").write(
        game.deal_of(position)
    )


@every_output
def test_solutions_of_fc_solve_are_replayed_to_their_wins(path: Path) -> None:
    before = start_of(path)
    text = path.read_text()
    moves = read_moves(text, before)
    assert replay(before, moves).is_won
    o = before.rules.options
    for slug in ("freecell", "pysolfc"):
        written = write_moves(moves, before, slug)
        read = read_moves(written, before)
        assert replay(before, read).is_won
        assert len(read) == len(moves)
        if slug == "freecell":
            assert len(written.split()) < len(moves)
            home = cards_home(board_of(before), written, o.cells, o.building, o.spaces)
            assert home == 52


@pytest.mark.parametrize(
    "path", [path for path in OUTPUTS if path.stem.endswith(("boards", "tables"))]
)
def test_each_board_of_an_output_is_read(path: Path) -> None:
    before = start_of(path)
    text = path.read_text()
    found = list(read_entries(io.BytesIO(text.encode()), before.rules))
    assert all(isinstance(each, ReadEntry) for each in found), found
    assert len(found) == text.count("\nMove") + 1
    assert isinstance(found[0], ReadEntry)
    assert found[0].deal == game_of(before.rules).deal_of(before)
    # Cells too are where the moves have put the cards.
    passed = positions(before, read_moves(text, before))
    for each in found:
        assert isinstance(each, ReadEntry)
        assert any(each.position == position for position in passed), each


def test_both_kinds_of_standard_notation_stand_for_the_same_moves() -> None:
    folder = DATA / "fc-solve"
    before = start("freecell", "microsoft:11")
    sn, snx = ((folder / f"freecell-11-{kind}.txt").read_text() for kind in ("sn", "snx"))
    assert "v" in snx.replace("solveable", "")
    assert sn == snx.replace("v2", "").replace("v4", "")
    assert read_moves(sn, before) == read_moves(snx, before)


# From the catalogue of solutions of the Solitaire Laboratory (solitairelaboratory.com); cards that
# Microsoft's program moves by itself are left out, in the second all 52.
PUBLISHED = {
    617: """
        83 53 6a 6b 6c 56 c5 a5 b6 2a 4b 45 21 41 72 4c 4d 47 ch 51 54 5c 56 b6 76 d5 14 15 12 7b
        7d 76 17 14 d4 1h 27 21 25 71 7d 27 d7 2d d2 c2 bh 8b 87 8c c8 78 58 37 35 3c a4 34 b4 c2
        13 1a 1b
    """,
    23190: """
        6d 76 75 d5 7d 75 72 7a 37 57 27 31 37 17 d3 5d 57 5c 57 5b 52 a2 c5 b5 1c 12 15 17 16 15
        d1 c1 85 85 45 4d 4c 41 46 45 d4 c5 25 86 81 8a 48 64 6b 61 6c 62 6d a6 c6 86 b8 48 24 21
        3a 3b
    """,
}


@pytest.mark.parametrize("number", PUBLISHED)
def test_solutions_of_players_are_read_with_the_moves_that_they_leave_out(number: int) -> None:
    before = start("freecell", f"microsoft:{number}")
    moves = read_moves(PUBLISHED[number], before)
    assert replay(before, moves).is_won
    assert sum(str(move)[2:3] == "f" for move in moves) == 52


def test_cards_in_order_move_by_cells_and_empty_columns() -> None:
    game = get_game("freecell-4-columns")
    rules = game.rulesets.presets["freecell-4-columns"]
    text = """
Foundations: C-7 D-3 S-7 H-3
Freecells: - - - 4H
KS QD JS TD 9S 8D
-
-
TC 9H KC QC JC TS KD QH JH TH KH QS JD 9C 8H 9D 8C 7D 7H 6D 6H 5D 5H 4D 8S
"""
    assert game.read_table is not None
    before: Any = game.position_from_json(game.read_table(text), rules)
    # Three free cells and another empty column let 8 cards pass.
    for sign, length, written in (
        ("12", 13, "12v6"),
        ("12v6", 13, "12v6"),
        ("12v4", 7, "12v4"),
        ("12v1", 1, "12v1"),
        ("1a", 1, "1a"),
    ):
        moves = read_moves(sign, before)
        assert len(moves) == length
        assert write_moves(moves, before, "freecell") == written
    after = replay(before, read_moves("12v5", before))
    assert after.to_json()["up"][:2] == [["KS"], ["QD", "JS", "TD", "9S", "8D"]]
    # In a text with a v, the other signs to empty columns move one card.
    assert len(read_moves("12v5 13", before)) == 10
    # Six ways to understand each "12", and none of them leads to the end.
    with pytest.raises(BadInput, match="can be understood in too many ways"):
        read_moves("12 21 " * 9 + "3h", before)


@pytest.mark.parametrize(
    ("notation", "text", "said"),
    [
        (None, "2a 3x", "'2a' is not a move of FreeCell: expected"),
        ("freecell", "2a 3x", "move 2, at character 4: '3x' is not a move of FreeCell's notation"),
        ("freecell", "2a 3a", "move 2, 3-a .*cell a is taken .the sign '3a' at character 4"),
        ("freecell", "2h", "move 1, 2-fS .*KS does not follow on its foundation"),
        ("freecell", "12", "move 1, 1-2 .*JD does not fit on KS of column 2"),
        ("freecell", "09", "column 10 has no card"),
        ("freecell", "12vd", "column 1 has only 7 face-up cards"),
        ("freecell", "2av2", "cell a takes one card at a time"),
        ("freecell", "28v3", "move 1, 2-8x3 .*QS does not fit on QH of column 8"),
        ("pysolfc", "Move a card from freecell 19 to stack 99", "no card that can be moved"),
        ("pysolfc", "Move a card from freecell 99 to stack 9", "is not a move of fc-solve"),
        ("pysolfc", "Move a card", "'Move a card' is not a move of fc-solve: expected a sentence"),
        ("pysolfc", "Move 6 cards from stack 1 to stack 2", "6 cards do not pass .*: 5 at most do"),
        ("minimal-klondike", "IC", "minimal-klondike does not support FreeCell"),
    ],
)
def test_wrong_signs(notation: str | None, text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_moves(text, start("freecell", "microsoft:617"), notation)


def test_a_card_that_comes_back_from_a_foundation_has_no_sign() -> None:
    before = position = start("somerset", "thoughtful-1:1")
    chance = Random(5)
    moves: list[Any] = []
    while not moves or str(moves[-1])[0] != "f":
        back = [move for move in position.legal_moves() if str(move)[0] == "f"]
        moves.append(chance.choice(back or position.legal_moves()))
        position = position.play(moves[-1])
    assert replay(before, read_moves(write_moves(moves[:-1], before, "freecell"), before))
    for slug in ("freecell", "pysolfc"):
        with pytest.raises(BadInput, match=f"no sign for move {len(moves)}, f.-.*comes back"):
            write_moves(moves, before, slug)


def test_games_with_a_stock_a_reserve_or_groups_have_none_of_the_notations() -> None:
    for slug in ("canfield", "king-albert", "yukon", "simple-simon", "forty-thieves"):
        assert not get_game(slug).notations
