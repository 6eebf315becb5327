"""Tests of moves in the notations of other programs."""

import re
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.game import Move, Notation, Position
from engine.games import family_of, game_of, games, get_game
from engine.klondike.formats import read_digits
from engine.notations import OWN, read_moves, write_moves
from engine.replay import ReplayError, replay
from engine.rulesets import parse_ruleset
from samples import sizes

KLONDIKE = get_game("klondike")
DRAW1, DRAW3 = parse_ruleset("klondike-draw1"), parse_ruleset("klondike-draw3")
# The deal of MinimalKlondike's own explanation, the moves that it plays, and what they lead to.
DEAL = (
    "072103023042094134111092051034044074114052123011083122012131091082124064014093033112071104"
    "132053133102084041013073063031061043081054113062024021101022032121"
)
MOVES = "IC @@AL KL @@AK @@@@@AE LJ AK LK"
COLUMNS = ["7D", "9D", "5D", "QH", "QS JD TS 9H", "6S 5H 4C 3H", "AS"]
# Of the games of data two: any card or kings alone in empty columns, four or eight cells.
EVERY = [
    (game, notation)
    for game in games()
    if family_of(game.slug) == game.slug or game.slug in ("freecell", "eight-off")
    for notation in game.notations
]
every_notation = pytest.mark.parametrize(
    ("slug", "notation"),
    [(game.slug, notation) for game, notation in EVERY],
    ids=[f"{game.slug} {notation.slug}" for game, notation in EVERY],
)


def game_played(slug: str, seed: int, length: int) -> tuple[Position, list[Move]]:
    """A position and legal moves from it, at random but seldom turning the stock for nothing."""
    rules = parse_ruleset(slug)
    game = game_of(rules)
    chance = Random(seed)
    start = position = game.start(deal_by_id(f"thoughtful-1:{seed}", game), rules)
    moves: list[Move] = []
    skipped = chance.randrange(30)
    for number in range(skipped + length):
        legal = position.legal_moves()
        if not legal:
            break
        move = chance.choice(legal)
        position = position.play(move)
        if number < skipped:
            start = position
        else:
            moves.append(move)
    return start, moves


@every_notation
@pytest.mark.parametrize("count", sizes(60, 200))
def test_what_is_written_is_read_back(slug: str, notation: Notation, count: int) -> None:
    presets = list(get_game(slug).rulesets.presets)
    for seed in range(count):
        start, moves = game_played(presets[seed % len(presets)], seed, 60)
        # Not every notation has a sign for a redeal that no turn follows.
        turns = [at for at, move in enumerate(moves) if str(move) in ("T", "R")]
        if turns and str(moves[turns[-1]]) == "R":
            del moves[turns[-1] :]
        text = notation.write(start, moves)
        read = notation.read(start, text)
        assert replay(start, read) == replay(start, moves)
        assert len(read) == len(moves)
        if family_of(slug) == slug:
            # Elsewhere a sign leaves open by which cells its cards pass.
            assert sorted(map(str, read)) == sorted(map(str, moves))
        assert notation.write(start, read) == text
        if text and re.search("[A-Z]", text):
            # The text tells by itself which notation it is, or means the same in ours.
            assert replay(start, read_moves(text, start)) == replay(start, moves)


def test_our_own_moves_are_never_taken_for_another_notation() -> None:
    for slug in ("klondike-draw1", "klondike-draw3", "spider-2", "freecell"):
        for seed in range(40):
            start, moves = game_played(slug, seed, 40)
            text = write_moves(moves, start)
            assert read_moves(text, start) == tuple(moves)
            assert read_moves(text, start, OWN) == tuple(moves)


def test_minimal_klondikes_own_example() -> None:
    start = KLONDIKE.start(read_digits(DEAL), DRAW1)
    moves = read_moves(MOVES, start)
    shown = replay(start, moves).to_json()
    assert [" ".join(column) for column in shown["up"]] == COLUMNS
    assert shown["foundations"] == {"C": 0, "D": 1, "S": 0, "H": 1}
    assert shown["waste"][-1] == "8S"
    assert " ".join(shown["stock"]) == ("7H 6H 3C 6C 4H 8C 5S JH 6D 2S 2C TC 2D 3D QC")
    assert write_moves(moves, start, "minimal-klondike") == MOVES
    assert write_moves(moves, start, "klondike-solver") == (
        "4D F4 DR2 W7 67 F6 DR2 W6 DR5 WH 75-3 F7 W6 76 F7"
    )


def test_a_turn_on_an_empty_stock_redeals_first() -> None:
    start = KLONDIKE.start(deal_by_id("thoughtful-1:1"), DRAW3)
    once = read_moves("@" * 9, start)
    assert " ".join(map(str, once)) == "T T T T T T T T R T"
    assert write_moves(once, start, "minimal-klondike") == "@" * 9
    with pytest.raises(BadInput, match="no sign for a redeal that no turn of the stock follows"):
        write_moves(once[:-1], start, "minimal-klondike")


def test_sentences_as_fc_solve_writes_them() -> None:
    start = KLONDIKE.start(read_digits(DEAL), DRAW1)
    text = """
Move a card from stack 3 to the foundations

Deal talon; Deal talon
move a card from the waste to stack 6
Move 1 cards from stack 5 to stack 6
"""
    assert read_moves(text, start) == read_moves("IC @@AL KL", start)
    assert write_moves(read_moves(text, start), start, "pysolfc") == "\n".join(
        [
            "Move a card from stack 3 to the foundations",
            "Deal talon",
            "Deal talon",
            "Move a card from the waste to stack 6",
            "Move 1 cards from stack 5 to stack 6",
        ]
    )


WRONG = [
    ("minimal-klondike", "IC ZZ", "'ZZ' is not a move of MinimalKlondike"),
    ("minimal-klondike", "IC @A", "'A' is not a move of MinimalKlondike"),
    ("minimal-klondike", "IB", "'IB' names the foundation C for a card of D"),
    ("minimal-klondike", "IC BC", "no card goes from B to C"),
    ("minimal-klondike", "IC FA", "no card goes from F to A"),
    ("minimal-klondike", "IC FG", "move 2, 12"),
    ("minimal-klondike", "AC", "move 1, WF .*the waste is empty"),
    ("klondike-solver", "4D F9", "'F9' is not a move of Klondike-Solver"),
    ("klondike-solver", "4D DR0", "'DR0' is not a move of Klondike-Solver"),
    ("klondike-solver", "CD", "no card goes from C to D"),
    ("klondike-solver", "4S", "'4S' names the foundation S for a card of D"),
    ("klondike-solver", "NEW", "move 1, R .*the stock is not empty yet"),
    ("klondike-solver", "4D DR2 W7 67-2", "'67-2' moves 2 cards, and the run that fits there has"),
    ("pysolfc", "Move the card", "'Move the card' is not a move of PySolFC"),
    ("pysolfc", "Move 2 cards from the waste to stack 3", "only from stack to stack"),
    ("pysolfc", "Move a card from foundation S to the foundations", "lies on a foundation"),
    ("pysolfc", "Move a card from stack 7 to stack 3", "is not a move of PySolFC"),
    ("thoughtful", "@@", "'@@' is not a move"),
    (None, "T Q", "move 2: 'Q' is not a move"),
    ("morse", "T", "unknown notation 'morse': expected one of thoughtful, minimal-klondike"),
]


@pytest.mark.parametrize(("slug", "text", "said"), WRONG)
def test_wrong_moves(slug: str | None, text: str, said: str) -> None:
    start = KLONDIKE.start(read_digits(DEAL), DRAW1)
    with pytest.raises(BadInput, match=said):
        read_moves(text, start, slug)


def test_illegal_moves_are_not_written() -> None:
    start = KLONDIKE.start(read_digits(DEAL), DRAW1)
    for slug in (OWN, *(notation.slug for notation in KLONDIKE.notations)):
        with pytest.raises(ReplayError, match="move 2, WF"):
            write_moves([KLONDIKE.parse_move(word) for word in ("4F", "WF")], start, slug)


def test_a_notation_of_another_game_is_refused() -> None:
    rules = parse_ruleset("spider-1")
    spider = game_of(rules)
    start = spider.start(deal_by_id("thoughtful-1:1", spider), rules)
    with pytest.raises(BadInput, match="minimal-klondike does not support Spider"):
        read_moves("IC", start, "minimal-klondike")


@every_notation
@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=20) | st.text("@ACFKDRNEW1234-", max_size=12))
def test_junk_is_one_sentence(slug: str, notation: Notation, text: str) -> None:
    game = get_game(slug)
    start = game.start(deal_by_id("thoughtful-1:1", game), parse_ruleset(game.rulesets.default))
    with suppress(BadInput):
        replay(start, notation.read(start, text))
