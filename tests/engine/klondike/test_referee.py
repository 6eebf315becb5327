"""Tests of the rules of Klondike, one by one, on tables laid out by hand."""

import dataclasses

import pytest

from engine.cards import DECK, parse_card
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput, IllegalMove
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import ALL_MOVES, KlondikeKind, move_name, parse_move, parse_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS, KlondikeRules
from engine.replay import ReplayError, replay
from engine.rulesets import parse_ruleset

DRAW3 = PRESETS["klondike-draw3"]
DRAW1 = PRESETS["klondike-draw1"]
YAN = PRESETS["klondike-yan"]


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_card(name) for name in text.split())


def table(
    *columns: str,
    rules: KlondikeRules = DRAW3,
    foundations: tuple[int, int, int, int] = (0, 0, 0, 0),
    stock: str = "",
    waste: str = "",
    redeals_used: int = 0,
) -> KlondikePosition:
    """A part of a table: columns such as ``"4C | 9H 8S"``, face-down cards left of the bar."""
    piles = [*columns, *[""] * (7 - len(columns))]
    split = [pile.partition("|") if "|" in pile else ("", "", pile) for pile in piles]
    return KlondikePosition(
        rules,
        tuple(cards(down) for down, _, _ in split),
        tuple(cards(up) for _, _, up in split),
        foundations,
        cards(stock),
        cards(waste),
        redeals_used,
    )


def legal(position: KlondikePosition) -> set[str]:
    return {move_name(move) for move in position.legal_moves()}


def reason(position: KlondikePosition, move: str) -> str | None:
    return position.why_illegal(parse_move(move))


def play(position: KlondikePosition, moves: str) -> KlondikePosition:
    return replay(position, parse_solution(moves))


def test_the_start_shows_the_last_card_of_each_column() -> None:
    start = KlondikePosition.start(KlondikeDeal.of(DECK), DRAW3)
    assert [len(column) for column in start.down] == [0, 1, 2, 3, 4, 5, 6]
    assert start.up == ((0,), (2,), (5,), (9,), (14,), (20,), (27,))
    assert start.stock == tuple(range(28, 52))
    assert start.waste == ()
    assert start.foundations == (0, 0, 0, 0)
    assert not start.is_won


class TestStock:
    @pytest.mark.parametrize(
        ("draw", "waste", "left"),
        [(1, "2C", "3C 4C 5C"), (3, "2C 3C 4C", "5C"), (4, "2C 3C 4C 5C", ""), (24, "2C 3C 4C 5C",
                                                                                 "")],
    )  # fmt: skip
    def test_turning_lays_up_to_draw_cards_on_the_waste(
        self, draw: int, waste: str, left: str
    ) -> None:
        after = play(table(stock="2C 3C 4C 5C", rules=KlondikeRules(draw=draw)), "T")
        assert after.waste == cards(waste)
        assert after.stock == cards(left)

    def test_only_the_last_turned_card_plays(self) -> None:
        position = play(table("3D", stock="AC 2C 3H AD"), "T")
        assert reason(position, "WF") == "3H does not follow on its foundation"
        assert "W1" not in legal(position)
        position = play(position, "T")
        assert position.waste == cards("AC 2C 3H AD")
        assert legal(position) == {"R", "WF"}

    def test_a_played_card_uncovers_the_one_below(self) -> None:
        position = play(table("3D", "4S", stock="AC 2C 3H"), "T W2 W1 WF")
        assert position.waste == ()
        assert position.foundations == (1, 0, 0, 0)
        assert position.up[:2] == (cards("3D 2C"), cards("4S 3H"))

    def test_an_empty_stock_does_not_turn(self) -> None:
        assert reason(table(waste="AC"), "T") == "the stock is empty"

    def test_a_redeal_keeps_the_order_and_waits_for_an_empty_stock(self) -> None:
        position = table(stock="6C 7C 8C 9C", waste="5C")
        assert reason(position, "R") == "the stock is not empty yet"
        position = play(position, "T T")
        assert position.waste == cards("5C 6C 7C 8C 9C")
        after = play(position, "R")
        assert after.stock == cards("5C 6C 7C 8C 9C")
        assert after.waste == ()
        assert after.redeals_used == 1

    def test_no_redeal_of_nothing(self) -> None:
        assert reason(table("AC"), "R") == "the waste is empty"

    def test_taking_a_card_shifts_the_threes_of_the_next_pass(self) -> None:
        position = play(table("9D", stock="2C 3C 8C 5C 6C 7C"), "T W1 T R T")
        assert position.waste == cards("2C 3C 5C")

    def test_unlimited_redeals(self) -> None:
        position = table(stock="2C 3C")
        for _ in range(50):
            position = play(position, "T R")
        assert position.redeals_used == 50
        assert reason(play(position, "T"), "R") is None

    @pytest.mark.parametrize(("slug", "redeals"), [("klondike-vegas", 2), ("klondike-vegas1", 0)])
    def test_casino_rules_allow_so_many_redeals_and_no_more(self, slug: str, redeals: int) -> None:
        position = KlondikePosition.start(deal_by_id("thoughtful-1:1"), parse_ruleset(slug))
        turns = " ".join("T" * (24 // position.rules.draw))
        for _ in range(redeals):
            position = play(position, f"{turns} R")
        # The last pass itself may still be made.
        position = play(position, turns)
        assert reason(position, "R") == f"only {redeals} redeals are allowed"
        with pytest.raises(IllegalMove, match=r"R \(redeal the waste\) is illegal: only"):
            position.play(parse_move("R"))


class TestFoundations:
    def test_they_rise_by_suit_from_the_ace(self) -> None:
        position = table("2C AC", "AD", "3C", waste="AS")
        assert {"1F", "2F", "WF"} <= legal(position)
        assert reason(position, "3F") == "3C does not follow on its foundation"
        after = play(position, "1F 1F 3F 2F WF")
        assert after.foundations == (3, 1, 1, 0)

    def test_an_empty_column_or_waste_gives_nothing(self) -> None:
        assert reason(table("AC"), "2F") == "column 2 is empty"
        assert reason(table("AC"), "WF") == "the waste is empty"
        assert reason(table("AC"), "W2") == "the waste is empty"

    def test_the_top_of_a_run_may_go_up_alone(self) -> None:
        for rules in (DRAW3, YAN):
            after = play(table("KD | 3H 2C", foundations=(1, 0, 0, 0), rules=rules), "1F")
            assert after.up[0] == cards("3H")
            assert after.down[0] == cards("KD")

    def test_worrying_back(self) -> None:
        position = table("4H", "4S", "", foundations=(3, 3, 0, 13))
        # 3C onto 4H, 3D onto 4S, KH onto any empty column; 3C not onto 4S.
        assert {"C1", "D2", "H3", "H7"} <= legal(position)
        assert reason(position, "C2") == "3C does not fit on 4S of column 2"
        assert reason(position, "C3") == "3C may not go to the empty column 3: only a king may"
        assert reason(position, "S1") == "the S foundation is empty"
        after = play(position, "C1 H3")
        assert after.foundations == (2, 3, 0, 12)
        assert after.up[0] == cards("4H 3C")
        assert after.up[2] == cards("KH")

    def test_no_worrying_back(self) -> None:
        rules = KlondikeRules(worrying_back=False)
        position = table("4H", foundations=(3, 0, 0, 0), rules=rules)
        assert reason(position, "C1") == "cards may not leave the foundations under these rules"
        assert legal(position) == set()

    def test_four_full_foundations_win(self) -> None:
        position = table("KC", foundations=(12, 13, 13, 13))
        assert not position.is_won
        assert play(position, "1F").is_won


class TestColumns:
    def test_they_fall_by_one_in_the_other_colour(self) -> None:
        position = table("8S", "8C", "8H", "8D", "9S", "7H", waste="7D")
        assert reason(position, "W1") is None
        assert reason(position, "W2") is None
        assert reason(position, "W3") == "7D does not fit on 8H of column 3"
        assert reason(position, "W4") == "7D does not fit on 8D of column 4"
        assert reason(position, "W5") == "7D does not fit on 9S of column 5"
        assert reason(position, "W6") == "7D does not fit on 7H of column 6"
        assert reason(position, "W7") == "7D may not go to the empty column 7: only a king may"

    def test_only_a_king_goes_to_an_empty_column(self) -> None:
        position = table("4C | KD QS", "5C | QH", waste="KH")
        assert {"W3", "W7", "13"} <= legal(position)
        assert reason(position, "23") == "no face-up card of column 2 fits on column 3"
        after = play(position, "13")
        assert after.up[0] == cards("4C")
        assert after.up[2] == cards("KD QS")

    def test_uncovering_turns_a_card_up(self) -> None:
        after = play(table("4C 5C | 9H", "TS"), "12")
        assert after.down[0] == cards("4C")
        assert after.up[0] == cards("5C")
        assert after.up[1] == cards("TS 9H")

    def test_a_part_of_a_run_moves_and_turns_nothing_up(self) -> None:
        position = table("2C | JD TS 9H 8C", "JH", "9D")
        assert {"12", "13"} <= legal(position)
        onto_jack = play(position, "12")
        assert onto_jack.up[:2] == (cards("JD"), cards("JH TS 9H 8C"))
        assert onto_jack.down[0] == cards("2C")
        assert play(position, "13").up[2] == cards("9D 8C")

    def test_without_partial_runs_a_block_moves_whole(self) -> None:
        position = table("2C | JD TS 9H 8C", "JH", "9D", "QC", rules=YAN)
        assert legal(position) == {"14", "24"}
        assert reason(position, "12") == (
            "all face-up cards of column 1 move together, and JD does not fit on JH of column 2"
        )
        after = play(position, "14")
        assert after.up[3] == cards("QC JD TS 9H 8C")
        assert after.up[0] == cards("2C")
        assert after.down[0] == ()

    def test_without_partial_runs_blocks_that_met_stay_together(self) -> None:
        position = table("2C | 9H", "TS", "TC", rules=YAN)
        joined = play(position, "12")
        assert reason(joined, "23") == (
            "all face-up cards of column 2 move together, and TS does not fit on TC of column 3"
        )
        assert reason(table("TS 9H", "", "TC"), "13") is None

    def test_without_partial_runs_a_king_block_takes_an_empty_column(self) -> None:
        position = table("2C | KD QS", rules=YAN)
        assert play(position, "15").up == (cards("2C"), (), (), (), cards("KD QS"), (), ())
        # The bottom card of the block counts, not a king that is none.
        assert reason(table("2C | QS", rules=YAN), "15") == (
            "all face-up cards of column 1 move together, and "
            "QS may not go to the empty column 5: only a king may"
        )

    def test_face_down_cards_do_not_move(self) -> None:
        assert legal(table("8C 7H | 2S", "9D", "8H")) == set()

    def test_an_empty_column_gives_no_run(self) -> None:
        assert reason(table("KC"), "21") == "column 2 is empty"


def test_legal_moves_come_in_the_order_of_their_bytes() -> None:
    position = table("KC | 8S", "9H", foundations=(1, 0, 0, 0), stock="2S", waste="AD")
    assert [move_name(move) for move in position.legal_moves()] == ["T", "WF", "12"]


def test_options_only_take_moves_away() -> None:
    position = table("2C | JD TS 9H", "JH", "TC", foundations=(0, 0, 0, 13), waste="4S",
                     redeals_used=2)  # fmt: skip

    def under(rules: KlondikeRules) -> set[str]:
        return legal(dataclasses.replace(position, rules=rules))

    everything = under(DRAW3)
    assert everything == {"R", "12", "13", "32", "H4", "H5", "H6", "H7"}
    assert everything - under(KlondikeRules(redeals=2)) == {"R"}
    assert everything - under(KlondikeRules(partial_runs=False)) == {"12", "13"}
    assert everything - under(KlondikeRules(worrying_back=False)) == {"H4", "H5", "H6", "H7"}


def winnable_in_order() -> tuple[KlondikeDeal, str]:
    """A deal whose cards go up just as they come, and the moves that do it with draw 1."""
    tableau: list[list[int]] = [[] for _ in range(7)]
    rising = iter(range(24, 52))
    for column in reversed(range(7)):
        tableau[column] = [next(rising) for _ in range(column + 1)][::-1]
    moves = ["T", "WF"] * 24 + [f"{k}F" for k in range(7, 0, -1) for _ in range(k)]
    return KlondikeDeal.from_piles(tableau, range(24)), " ".join(moves)


@pytest.mark.parametrize(
    "slug", ["klondike-draw1", "klondike-vegas1", "klondike-draw1-whole-runs-no-worrying-back"]
)
def test_a_win_is_proved_by_its_moves_and_by_nothing_less(slug: str) -> None:
    deal, text = winnable_in_order()
    rules = parse_ruleset(slug)
    moves = parse_solution(text)
    assert proves_win(deal, rules, moves)
    assert not proves_win(deal, rules, moves[:-1])
    assert not proves_win(deal, rules, ())
    # All foundations full at the end, but with an illegal move on the way.
    assert not proves_win(deal, rules, (*moves[:3], parse_move("12"), *moves[3:]))
    assert not proves_win(deal, DRAW3, moves)


def test_replay_names_the_first_bad_move_and_why() -> None:
    deal, text = winnable_in_order()
    start = KlondikePosition.start(deal, DRAW1)
    moves = parse_solution(text)
    with pytest.raises(ReplayError) as caught:
        replay(start, (*moves[:4], parse_move("T"), parse_move("71"), *moves[4:]))
    error = caught.value
    assert error.number == 6
    assert error.move == parse_move("71")
    assert error.reason == "no face-up card of column 7 fits on column 1"
    assert str(error) == (
        "move 6, 71 (tableau to tableau): no face-up card of column 7 fits on column 1"
    )
    with pytest.raises(
        ReplayError, match=r"move 1, WF \(waste to foundation\): the waste is empty"
    ):
        replay(start, moves[1:])


def test_replay_of_nothing_stays_where_it_is() -> None:
    start = KlondikePosition.start(deal_by_id("thoughtful-1:0"), DRAW3)
    assert replay(start, ()) == start


def test_every_kind_of_move_has_an_illegal_case_with_words() -> None:
    nothing = table()
    for move in ALL_MOVES:
        words = nothing.why_illegal(move)
        assert words
        with pytest.raises(IllegalMove) as caught:
            nothing.play(move)
        assert str(caught.value) == f"{move} ({move.kind.value}) is illegal: {words}"
    assert {move.kind for move in ALL_MOVES} == set(KlondikeKind)


def test_a_position_prints_as_a_table() -> None:
    start = KlondikePosition.start(deal_by_id("thoughtful-1:0"), DRAW3)
    assert str(play(start, "14 6F T T")) == EXPECTED_TABLE


EXPECTED_TABLE = """\
foundations  AC -D -S -H
stock        18 cards
waste        5D QH 7S 5C 8S 4S

 1    2    3    4    5    6    7
     [7C] [7D] [QC] [2S] [9S] [9H]
      8H  [9D] [KC] [2D] [9C] [3D]
           KH  [TD] [AS] [AD] [5H]
                3S  [8C] [3H] [7H]
                2H   6H   QS  [JS]
                              [6C]
                               TS"""


def test_an_empty_table_prints_too() -> None:
    assert str(table(foundations=(13, 13, 13, 13), stock="")) == (
        "foundations  KC KD KS KH\n"
        "stock        0 cards\n"
        "waste        -\n"
        "\n"
        " 1    2    3    4    5    6    7"
    )


class TestJson:
    def data(self) -> dict[str, object]:
        return KlondikePosition.start(deal_by_id("thoughtful-1:0"), DRAW3).to_json()

    def test_the_start_is_plain_data(self) -> None:
        data = self.data()
        assert data["rules"] == "klondike-draw3"
        assert data["foundations"] == {"C": 0, "D": 0, "S": 0, "H": 0}
        assert data["waste"] == []
        assert data["redeals_used"] == 0

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"down": None}, 'a position needs the keys "down" and "up"'),
            ({"foundations": {"C": 0}}, "KeyError('D')"),
            ({"foundations": {"C": 0.5, "D": 0, "S": 0, "H": 0}}, "0.5 is not a whole number"),
            ({"foundations": dict.fromkeys("CDSH", float("inf"))}, "inf is not a whole number"),
            ({"foundations": {"C": True, "D": 0, "S": 0, "H": 0}}, "True is not a whole number"),
            ({"foundations": {"C": 14, "D": 0, "S": 0, "H": 0}}, "holds 0 to 13 cards"),
            ({"foundations": {"C": 1, "D": 0, "S": 0, "H": 0}}, "more than once AC"),
            ({"waste": ["XX"]}, "'XX' is not a card"),
            ({"stock": []}, "it has 28 cards of 52; missing "),
            ({"up": [[]] * 6}, "a position has 7 columns"),
            ({"redeals_used": -1}, "-1 redeals used so far (redeals_used): expected 0 or more"),
            ({"redeals_used": "1"}, "'1' is not a whole number"),
        ],
    )
    def test_wrong_positions(self, change: dict[str, object], message: str) -> None:
        with pytest.raises(BadInput) as caught:
            KlondikePosition.from_json(self.data() | change, DRAW3)
        assert message in str(caught.value)

    def test_no_more_redeals_than_the_rules_allow(self) -> None:
        data = self.data() | {"redeals_used": 3}
        assert KlondikePosition.from_json(data, DRAW3).redeals_used == 3
        with pytest.raises(BadInput, match=r"3 redeals used so far .*: expected 0 to 2"):
            KlondikePosition.from_json(data, PRESETS["klondike-vegas"])

    def test_face_up_cards_must_be_a_run(self) -> None:
        start = KlondikePosition.start(KlondikeDeal.of(DECK), DRAW3)
        up = [*start.up]
        down = [*start.down]
        up[1], down[1] = (1, 2), ()
        with pytest.raises(BadInput, match="column 2: AS cannot lie face up on AD"):
            KlondikePosition(DRAW3, tuple(down), tuple(up), (0, 0, 0, 0), start.stock).checked()

    def test_a_column_never_shows_its_back(self) -> None:
        start = KlondikePosition.start(KlondikeDeal.of(DECK), DRAW3)
        up = (start.up[0], (), *start.up[2:])
        hidden = KlondikePosition(DRAW3, start.down, up, (0, 0, 1, 0), start.stock)
        with pytest.raises(BadInput, match="column 2 has face-down cards but none face up"):
            hidden.checked()

    def test_more_cards_than_a_pile_ever_holds(self) -> None:
        start = KlondikePosition.start(KlondikeDeal.of(DECK), DRAW3)
        crowded = KlondikePosition(
            DRAW3, start.down, ((), *start.up[1:]), (0, 0, 0, 0), (0, *start.stock)
        )
        with pytest.raises(BadInput, match="stock and waste hold 25 cards: at most 24 ever lie"):
            crowded.checked()
        down = ((), (1, 0), *start.down[2:])
        deep = KlondikePosition(DRAW3, down, ((), *start.up[1:]), (0, 0, 0, 0), start.stock)
        with pytest.raises(BadInput, match="column 2 has 2 face-down cards: it starts with 1"):
            deep.checked()
