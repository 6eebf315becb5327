"""Tests of Klondike's renderer: moves in words, and the places of cards."""

import random
from dataclasses import replace

import pytest

from dashboard.games.klondike import KlondikeTable
from dashboard.viewer.renderer import Step
from engine.cards import DECK, parse_card
from engine.dealing.dealers import deal_by_id
from engine.klondike.moves import KlondikeKind, KlondikeMove, move_name, parse_move
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS, KlondikeRules
from engine.replay import ReplayError
from twins.viewer import shown_game


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


@pytest.fixture
def position() -> KlondikePosition:
    """A position from which a move of every kind but a redeal can be made."""
    up = tuple(map(cards, ("KS QD", "JC", "TH", "9S", "", "4D", "2S")))
    down = [cards(""), cards("7D"), cards(""), cards(""), cards(""), cards("5H"), cards("")]
    waste = cards("8D 3S 3C")
    lying = {*waste, *cards("AC 2C AD 2D 3D AS AH")}
    for column in (*down, *up):
        lying |= {*column}
    rest = [card for card in DECK if card not in lying]
    # At most 24 cards are in stock and waste; the highest of the others lie face down.
    stock, hidden = tuple(rest[:-12]), rest[-12:]
    down[3], down[5], down[6] = (*hidden[:3],), (*hidden[3:6], *down[5]), (*hidden[6:],)
    return KlondikePosition(KlondikeRules(), tuple(down), up, (2, 3, 1, 1), stock, waste).checked()


def test_a_part_of_a_run_to_an_empty_column_in_words(position: KlondikePosition) -> None:
    anything = replace(position, rules=KlondikeRules(spaces="any"))
    step = describe(anything, parse_move("1x1"))
    assert (step.sentence, step.moved) == ("Q♦ from column 1 to the empty column 5.", ("QD",))
    uncovering = describe(anything, parse_move("2x1"))
    assert uncovering.sentence == "J♣ from column 2 to the empty column 5, uncovering 7♦."


def describe(before: KlondikePosition, move: KlondikeMove) -> Step:
    return KlondikeTable(before).play(before, move, before.play(move))


@pytest.mark.parametrize(
    ("move", "sentence", "moved"),
    [
        ("21", "J♣ from column 2 onto Q♦ of column 1, uncovering 7♦.", "JC"),
        ("15", "K♠, Q♦ from column 1 to the empty column 5.", "KS QD"),
        ("32", "10♥ from column 3 onto J♣ of column 2.", "TH"),
        ("7F", "2♠ from column 7 to its foundation, uncovering K♥.", "2S"),
        ("6F", "4♦ from column 6 to its foundation, uncovering 5♥.", "4D"),
        ("WF", "3♣ from the waste to its foundation.", "3C"),
        ("W6", "3♣ from the waste onto 4♦ of column 6.", "3C"),
        ("H7", "A♥ back from the hearts foundation onto 2♠ of column 7.", "AH"),
        ("T", "Turn 3 cards from the stock: 2♥, 3♥, 4♣.", "2H 3H 4C"),
    ],
)
def test_moves_in_words(position: KlondikePosition, move: str, sentence: str, moved: str) -> None:
    played = parse_move(move)
    step = describe(position, played)
    assert (step.name, step.sentence, " ".join(step.moved)) == (move, sentence, moved)


def test_redeal_and_single_turn_in_words(position: KlondikePosition) -> None:
    turned = replace(position, stock=(), waste=position.stock + position.waste)
    redeal = parse_move("R")
    step = describe(turned, redeal)
    assert step.sentence == f"Turn the waste of {len(turned.waste)} cards over into a new stock."
    assert step.moved == ()
    one = replace(position, rules=PRESETS["klondike-draw1"])
    turn = parse_move("T")
    assert describe(one, turn).sentence == "Turn one card from the stock: 2♥."


@pytest.mark.parametrize("slug", PRESETS)
def test_piles_are_the_referees_positions(slug: str) -> None:
    rng = random.Random(slug)
    start = position = KlondikePosition.start(deal_by_id("thoughtful-1:7"), PRESETS[slug])
    moves: list[KlondikeMove] = []
    seen = [KlondikeTable(start).piles]
    while len(moves) < 120 and (legal := position.legal_moves()):
        moves.append(rng.choice(legal))
        before, position = position, position.play(moves[-1])
        seen.append(KlondikeTable(position).piles)
        # What a step says moved is what lies elsewhere now; a redeal moves the stock as a whole.
        if moves[-1].kind != KlondikeKind.REDEAL:
            step = describe(before, moves[-1])
            assert {parse_card(name) for name in step.moved} == {
                card for card in DECK if _pile(before, card) != _pile(position, card)
            }
    shown, steps = shown_game(start, moves)
    assert shown == seen
    assert [step.name for step in steps] == [move_name(move) for move in moves]


def _pile(position: KlondikePosition, card: int) -> str:
    if card in position.stock:
        return "stock"
    if card in position.waste:
        return "waste"
    for column in range(7):
        if card in position.down[column] + position.up[column]:
            return f"column {column}"
    return "foundation"


def test_an_illegal_solution_is_refused() -> None:
    start = KlondikePosition.start(deal_by_id("thoughtful-1:7"), KlondikeRules())
    with pytest.raises(ReplayError, match=r"move 2, R .*the stock is not empty yet"):
        shown_game(start, [parse_move("T"), parse_move("R")])
