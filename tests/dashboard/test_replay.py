"""The words of moves, the frames of a replay, and how numbers and rules read."""

import random
from dataclasses import replace

import pytest

from dashboard import wording
from dashboard.replay import card_sign, describe, frame, frames, with_signs
from engine.cards import DECK, parse_card
from engine.dealers import deal_by_id
from engine.moves import Kind, Move, move_name, parse_move
from engine.referee import Position
from engine.replay import ReplayError
from engine.rulesets import PRESETS, KlondikeRules


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


@pytest.fixture
def position() -> Position:
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
    return Position(KlondikeRules(), tuple(down), up, (2, 3, 1, 1), stock, waste).checked()


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
def test_moves_in_words(position: Position, move: str, sentence: str, moved: str) -> None:
    played = parse_move(move)
    step = describe(position, played, position.play(played))
    assert (step.name, step.sentence, " ".join(step.moved)) == (move, sentence, moved)


def test_redeal_and_single_turn_in_words(position: Position) -> None:
    turned = replace(position, stock=(), waste=position.stock + position.waste)
    redeal = parse_move("R")
    step = describe(turned, redeal, turned.play(redeal))
    assert step.sentence == f"Turn the waste of {len(turned.waste)} cards over into a new stock."
    assert step.moved == ()
    one = replace(position, rules=PRESETS["klondike-draw1"])
    turn = parse_move("T")
    assert describe(one, turn, one.play(turn)).sentence == "Turn one card from the stock: 2♥."


@pytest.mark.parametrize("slug", PRESETS)
def test_frames_are_the_referees_positions(slug: str) -> None:
    rng = random.Random(slug)
    start = position = Position.start(deal_by_id("thoughtful-1:7"), PRESETS[slug])
    moves: list[Move] = []
    seen = [frame(start)]
    while len(moves) < 120 and (legal := position.legal_moves()):
        moves.append(rng.choice(legal))
        before, position = position, position.play(moves[-1])
        seen.append(frame(position))
        # What a step says moved is what lies elsewhere now; a redeal moves the stock as a whole.
        if moves[-1].kind != Kind.REDEAL:
            step = describe(before, moves[-1], position)
            assert {parse_card(name) for name in step.moved} == {
                card for card in DECK if _pile(before, card) != _pile(position, card)
            }
    shown, steps = frames(start, moves)
    assert shown == seen
    assert [step.name for step in steps] == [move_name(move) for move in moves]


def _pile(position: Position, card: int) -> str:
    if card in position.stock:
        return "stock"
    if card in position.waste:
        return "waste"
    for column in range(7):
        if card in position.down[column] + position.up[column]:
            return f"column {column}"
    return "foundation"


def test_an_illegal_solution_is_refused() -> None:
    start = Position.start(deal_by_id("thoughtful-1:7"), KlondikeRules())
    with pytest.raises(ReplayError, match=r"move 2, R .*the stock is not empty yet"):
        frames(start, [parse_move("T"), parse_move("R")])


def test_cards_get_their_signs() -> None:
    assert card_sign(parse_card("TC")) == "10♣"
    assert with_signs("TC lies under QH, and AS is in a CASE.") == (
        "10♣ lies under Q♥, and A♠ is in a CASE."
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "–"),
        (0.4, "0 s"),
        (59, "59 s"),
        (59.7, "1 min"),
        (3580, "1 h 0 min"),
        (12_000, "3 h 20 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_durations(seconds: float | None, words: str) -> None:
    assert wording.duration(seconds) == words


def test_numbers() -> None:
    assert wording.percent(0.8195) == "81.95\N{NO-BREAK SPACE}%"
    assert wording.published(81.945, 0.084) == "81.945 ± 0.084"
    assert wording.published(91.44259, None) == "91.443"
    assert (wording.count(None), wording.count(1234567)) == ("–", "1,234,567")


def test_every_preset_reads_differently() -> None:
    assert len({wording.rules_in_words(slug) for slug in PRESETS}) == len(PRESETS)
    assert wording.rules_in_words("klondike-draw3-redeals1") == (
        "Klondike, 3 cards turned at a time, 1 redeal; parts of a run may move, cards may return "
        "from the foundations."
    )
