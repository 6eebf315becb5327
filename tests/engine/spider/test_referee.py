"""Tests of the referee of Spider: legal and illegal moves, their reasons and effects."""

import json
import random
from typing import Any

import pytest

from engine.cards import DECK, card_name, parse_card, rank, suit
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput, IllegalMove
from engine.replay import ReplayError, replay, wins
from engine.rulesets import parse_ruleset
from engine.spider import GAME as SPIDER
from engine.spider.deal import SpiderDeal
from engine.spider.moves import DEAL, SpiderKind, parse_move, parse_solution
from engine.spider.referee import SpiderPosition, completed_run
from engine.spider.rules import PRESETS as SPIDER_PRESETS
from engine.spider.rules import SpiderRules

FOUR = SpiderRules(4)
RULES = list(SPIDER_PRESETS.values())


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


def dealt(seed: int) -> SpiderDeal:
    deal = get_dealer("thoughtful-1").deal(seed, SPIDER)
    assert isinstance(deal, SpiderDeal)
    return deal


def table(
    *up: str,
    down: dict[int, str] | None = None,
    rules: SpiderRules = FOUR,
    gone: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> SpiderPosition:
    """A table that need not hold all cards: these columns face up, some cards under them."""
    columns = [*map(cards, up), *[()] * (10 - len(up))]
    hidden = [cards((down or {}).get(k, "")) for k in range(1, 11)]
    return SpiderPosition(rules, tuple(hidden), tuple(columns), gone, ())


# --- the start -----------------------------------------------------------------------------------


def test_the_start_shows_ten_cards() -> None:
    deal = dealt(3)
    start = SpiderPosition.start(deal, FOUR)
    assert [len(column) for column in start.down] == [5, 5, 5, 5, 4, 4, 4, 4, 4, 4]
    assert start.up == tuple(column[-1:] for column in deal.tableau)
    assert start.stock == deal.stock
    assert start.completed == (0, 0, 0, 0)
    assert start.progress == "0 of 8 runs completed"
    assert not start.is_won
    assert start.checked() is start


@pytest.mark.parametrize(("suits", "kept"), [(1, "S"), (2, "SH"), (4, "CDSH")])
def test_suits_are_told_apart_as_the_rules_say(suits: int, kept: str) -> None:
    rules = SpiderRules(suits)
    start = SpiderPosition.start(dealt(3), rules)
    lying = [c for pile in (*start.down, *start.up, *start.stock) for c in pile]
    assert len(lying) == 104
    assert {card_name(card)[1] for card in lying} == set(kept)
    for card in DECK:
        shown = rules.shown(card)
        assert rank(shown) == rank(card)
        if suits == 4:
            assert shown == card
        elif suits == 2:
            assert card_name(shown)[1] == ("S" if card_name(card)[1] in "CS" else "H")
        else:
            assert card_name(shown)[1] == "S"


# --- what is legal -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("12", None),  # onto the next rank, whatever the suit
        ("12x2", "QH does not fit on QD of column 2"),
        ("16x3", None),  # a run in suit onto an empty column, any number of it
        ("16x2", None),
        ("15", "JH does not fit on JS of column 5"),
        ("13x4", "4 cards of column 1 cannot move together: only 3 on top go down in one suit"),
        ("41", "9D does not fit on JH of column 1"),
        ("42x2", "TD does not fit on QD of column 2"),
        ("41x2", None),
        ("46x3", "3 cards of column 4 cannot move together: only 2 on top go down in one suit"),
        ("61", "column 6 is empty"),
        ("60x1", "column 6 is empty"),
        ("D", "the stock is empty"),
    ],
)
def test_moves_that_are_legal_and_those_that_are_not(move: str, reason: str | None) -> None:
    position = table("KH QH JH", "QD", "AS", "JC TD 9D", "QS JS")
    played = parse_move(move)
    assert position.why_illegal(played) == reason
    assert (played in position.legal_moves()) == (reason is None)
    if reason is not None:
        kind = "deal a row" if move == "D" else "column to column"
        with pytest.raises(IllegalMove) as caught:
            position.play(played)
        assert str(caught.value) == f"{played} ({kind}) is illegal: {reason}"


def test_a_run_does_not_move_onto_its_own_column() -> None:
    position = table("KH QH")
    assert "own column" in str(position.why_illegal(parse_move("12")._replace(target=0)))


def test_suits_that_are_not_told_apart_make_runs() -> None:
    down = "9S 8H 7C"
    assert table(down).run_length(0) == 1
    assert table("9S 8S 7H").run_length(0) == 1
    assert table("9S 8S 7S", rules=SpiderRules(1)).run_length(0) == 3
    assert table("").run_length(0) == 0
    start = SpiderPosition.start(SpiderDeal.of((*DECK, *DECK)), SpiderRules(1))
    assert {suit(card) for column in start.up for card in column} == {2}


# --- what a move does ----------------------------------------------------------------------------


def test_an_uncovered_card_turns_up() -> None:
    after = table("JH TH", "QD", down={1: "3C 4C"}).play(parse_move("12x2"))
    assert after.down[0] == cards("3C")
    assert after.up[0] == cards("4C")
    assert after.up[1] == cards("QD JH TH")


def test_a_whole_run_leaves_and_uncovers() -> None:
    run = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    before = table(f"5H {run}", "9D AS", "KH", down={1: "7D", 2: "2C"}, gone=(0, 0, 1, 0))
    after = before.play(parse_move("21"))
    assert after.completed == (0, 0, 2, 0)
    assert after.up[0] == cards("5H")
    assert after.up[1] == cards("9D")
    bare = table(run, "AS", down={1: "7D 8D"}).play(parse_move("21"))
    assert (bare.down[0], bare.up[0]) == (cards("7D"), cards("8D"))
    assert bare.up[1] == ()
    # An ace of another suit completes nothing.
    other = table(run, "AC").play(parse_move("21"))
    assert other.completed == (0, 0, 0, 0)
    assert len(other.up[0]) == 13


def test_the_eighth_run_wins() -> None:
    run = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    before = table(run, "AS", gone=(2, 2, 1, 2))
    assert (before.is_won, before.progress) == (False, "7 of 8 runs completed")
    after = before.play(parse_move("21"))
    assert (after.is_won, after.progress) == (True, "8 of 8 runs completed")
    assert wins(before, parse_solution("21"))
    assert not wins(before, parse_solution("12"))
    assert not wins(before, ())


def test_dealing_a_row() -> None:
    deal = dealt(5)
    start = SpiderPosition.start(deal, FOUR)
    after = start.play(DEAL)
    assert after.stock == deal.stock[1:]
    for column in range(10):
        assert after.up[column] == (*start.up[column], deal.stock[0][column])
    assert after.down == start.down


def test_dealing_can_complete_a_run() -> None:
    run = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    rest = ["2H"] * 9
    before = table(f"9C {run}", *rest)
    row = cards("AS " + "3D " * 9)
    after = SpiderPosition(FOUR, before.down, before.up, before.completed, (row,)).play(DEAL)
    assert after.completed == (0, 0, 1, 0)
    assert after.up[0] == cards("9C")


def test_a_row_onto_empty_columns_is_the_rulesets_affair() -> None:
    up = table("KS", "QS").up
    row = cards("2D " * 10)
    strict = SpiderPosition(FOUR, ((),) * 10, up, (0, 0, 0, 0), (row,))
    assert strict.why_illegal(DEAL) == (
        "column 3 is empty, and these rules do not deal onto empty columns"
    )
    assert DEAL not in strict.legal_moves()
    free = SpiderPosition(SpiderRules(4, True), ((),) * 10, up, (0, 0, 0, 0), (row,))
    assert free.legal_moves()[0] == DEAL
    assert [len(column) for column in free.play(DEAL).up] == [2, 2, *[1] * 8]


def test_a_replay_names_the_first_wrong_move() -> None:
    start = SpiderPosition.start(dealt(5), FOUR)
    with pytest.raises(ReplayError) as caught:
        replay(start, parse_solution("D D D D D D"))
    assert str(caught.value) == "move 6, D (deal a row): the stock is empty"
    assert (caught.value.number, caught.value.move) == (6, DEAL)


# --- random play ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_random_play_keeps_every_card(rules: SpiderRules) -> None:
    """Whatever is played, the cards stay two decks and each position is one a table could show."""
    dice = random.Random(rules.slug)
    for seed in range(3):
        position = SpiderPosition.start(dealt(seed), rules)
        for _ in range(60):
            moves = position.legal_moves()
            if not moves:
                break
            # Runs move far more often than rows are dealt, else the game is over at once.
            runs = [move for move in moves if move.kind is SpiderKind.RUN]
            move = dice.choice(runs if runs and dice.random() < 0.9 else moves)
            assert position.why_illegal(move) is None
            position = position.play(move).checked()
        assert (
            SpiderPosition.from_json(json.loads(json.dumps(position.to_json())), rules) == position
        )


def test_a_win_of_the_monkey_replays() -> None:
    """The compiled game and the referee agree on every move up to the last run."""
    from solvers.solver import parse_solver

    rules = parse_ruleset("spider-1")
    deals = get_dealer("thoughtful-1").deal_block(0, 8, SPIDER)
    outcomes = parse_solver("monkey(level=3, period=50)").solve(deals, rules)
    won = [(deal, o.moves) for deal, o in zip(deals, outcomes, strict=True) if o.moves is not None]
    assert won
    for deal, moves in won:
        start = SPIDER.start(SPIDER.deal(deal), rules)
        assert replay(start, SPIDER.unpack(moves)).is_won
        assert not replay(start, SPIDER.unpack(moves[:-2])).is_won


# --- positions as text ---------------------------------------------------------------------------


def test_the_table_as_text() -> None:
    position = table("QD", "JH TH", down={2: "3C"}, gone=(0, 0, 2, 1))
    assert str(position).splitlines() == [
        "completed    S S H",
        "stock        0 rows",
        "",
        " 1    2    3    4    5    6    7    8    9    0",
        " QD  [3C]",
        "      JH",
        "      TH",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.pop("stock"), 'needs the keys "down" and "up"'),
        (lambda d: d["completed"].update(S=9), "whole numbers from 0 to 8"),
        (lambda d: d["completed"].update(S=True), "whole numbers from 0 to 8"),
        (lambda d: d["up"].pop(), "has 10 columns"),
        (lambda d: d["up"][0].append("XX"), "'XX' is not a card"),
        (lambda d: d["up"][0].append("KS"), "KS 3 times, expected 2 (105 cards of 104)"),
        (lambda d: d["stock"][0].pop(), "at most 5 rows of 10 cards"),
        (lambda d: d["down"][0].append(d["up"][0].pop()), "face-down cards but none face up"),
    ],
)
def test_positions_that_no_table_could_show(change: Any, said: str) -> None:
    data = SpiderPosition.start(dealt(2), FOUR).to_json()
    change(data)
    with pytest.raises(BadInput) as caught:
        SpiderPosition.from_json(data, FOUR)
    assert said in str(caught.value)


def test_a_run_that_still_lies_there_is_no_position() -> None:
    assert completed_run(cards("KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS")) == 2
    assert completed_run(cards("KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AC")) is None
    assert completed_run(()) is None
    data = SpiderPosition.start(dealt(2), SpiderRules(1)).to_json()
    # All cards on one column, in order: the uppermost thirteen are a run.
    lying = sorted(
        (c for name in ("down", "up", "stock") for pile in data[name] for c in pile),
        key=lambda name: -rank(parse_card(name)),
    )
    runs = [lying[k::8] for k in range(8)]
    data |= {"down": [[]] * 10, "up": [*runs, [], []], "stock": []}
    with pytest.raises(BadInput, match="column 1 has left the table"):
        SpiderPosition.from_json(data, SpiderRules(1))
