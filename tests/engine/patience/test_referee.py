"""Tests of the referee of patience games: known facts, and verdicts of Solvitaire."""

import json
from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine.cards import card_name, parse_card
from engine.dealing.dealers import get_dealer
from engine.errors import IllegalMove
from engine.game import Position
from engine.games import get_game
from engine.patience.actions import is_reversible, is_safe
from engine.patience.deal import PatienceDeal
from engine.patience.language import read_options
from engine.patience.layout import CELL, FOUNDATION, HOLE, RESERVE, STOCK, WASTE, layout_of
from engine.patience.moves import TURN, PatienceMove
from engine.patience.positions import position_from_json
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options
from engine.rulesets import parse_ruleset
from paths import DATA
from patience_positions import late_position
from random_options import random_options, ruleset
from samples import sizes

# Random rules of small games, a seed, and whether Solvitaire, given them as --custom-rules with
# --random and --classify, calls it solvable.
VERDICTS = [
    json.loads(line) for line in (DATA / "solvitaire-verdicts.jsonl").read_text().splitlines()
]


def can_be_won(start: PatiencePosition, most: int = 40_000) -> bool:
    """Whether any line wins, by trying them all."""
    seen, waiting = {start}, [start]
    while waiting:
        position = waiting.pop()
        if position.is_won:
            return True
        for move in position.legal_moves():
            after = position.play(move)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
        assert len(seen) <= most
    return False


def solvitaire_start(options: Options, seed: int) -> PatiencePosition:
    from engine.patience.dealing import dealings

    layout = layout_of(options)
    dealing = next(each for each in dealings(layout, None) if each.dealer.slug == "solvitaire")
    cards = tuple(map(int, dealing.block(seed, 1)[0]))
    return PatiencePosition.start(PatienceDeal(cards, "random", layout), ruleset(options))


@pytest.mark.parametrize("part", range(4))
def test_small_games_are_won_where_solvitaire_wins_them(part: int) -> None:
    lines = VERDICTS[part::4]
    for line in lines:
        options = read_options(line["rules"])
        found = can_be_won(solvitaire_start(options, line["seed"]))
        assert found == line["winnable"], line
    assert {line["winnable"] for line in lines} == {False, True}


def test_safe_moves_lose_no_win_and_reversible_ones_are_taken_back() -> None:
    """Of small games every position that can be reached, and whether it can be won."""
    safe = kept = reversible = 0
    for line in VERDICTS:
        first = solvitaire_start(read_options(line["rules"]), line["seed"])
        after: dict[PatiencePosition, list[tuple[Any, PatiencePosition]]] = {}
        waiting = [first]
        while waiting and len(after) < 700:
            position = waiting.pop()
            if position not in after:
                after[position] = [(m, position.play(m)) for m in position.legal_moves()]
                waiting += [each for _, each in after[position]]
        if waiting:
            continue
        won = {position for position in after if position.is_won}
        while True:
            more = {
                position
                for position, moves in after.items()
                if position not in won and any(each in won for _, each in moves)
            }
            if not more:
                break
            won |= more
        for position, moves in after.items():
            for move, each in moves:
                if is_safe(position, move):
                    safe += 1
                    assert (position in won) <= (each in won), f"{move} at\n{position}"
                    kept += position in won
                if is_reversible(position, move):
                    reversible += 1
                    assert any(back == position for _, back in after[each])
    assert min(safe, kept, reversible) > 100


def asked_about(position: PatiencePosition) -> list[PatienceMove]:
    """Every number of cards of every pile to every other."""
    o = position.rules.options
    codes = [
        *range(max(o.columns, o.accordion, o.sequences * o.max_rank)),
        *range(CELL, CELL + o.cells),
        *range(RESERVE, RESERVE + len(position.reserve)),
        *(STOCK, WASTE, HOLE),
        *range(FOUNDATION, FOUNDATION + o.suits),
    ]
    most = max(map(len, position.columns), default=1)
    counts = range(1, max(most, 1) + 1)
    return [TURN, *(PatienceMove(*move) for move in product(codes, codes, counts))]


@pytest.mark.parametrize("count", sizes(100, 1_000))
def test_the_legal_moves_are_all_that_nothing_forbids(count: int) -> None:
    met = Counter[str]()

    @settings(max_examples=count, suppress_health_check=list(HealthCheck), phases=(Phase.generate,))
    @given(random_options(), st.integers(0, 10**9))
    def hold(options: Options, number: int) -> None:
        chooser = Random(number)
        position = solvitaire_start(options, number % 1_000 + 1)
        found = [position]
        for _ in range(30):
            moves = position.legal_moves()
            if not moves or position.is_won:
                break
            position = position.play(chooser.choice(moves))
            found.append(position)
        found = chooser.sample(found, min(2, len(found)))
        if options.columns and options.foundations:
            found += [late_position(position.rules, chooser, most) for most in (9, 20, 35)]
        for each in found:
            legal = {move for move in asked_about(each) if each.why_illegal(move) is None}
            assert each.legal_moves() == sorted(legal), each.to_json()
            met["moves"] += len(legal)
            met["of several cards"] += sum(move.cards > 1 for move in legal)
            met["back from foundations"] += sum(move.source >= FOUNDATION for move in legal)

    hold()
    assert len(+met) == 3, met


def start(ruleset_slug: str, dealer: str, seed: int) -> Any:
    rules = parse_ruleset(ruleset_slug)
    game = get_game(rules.game)
    return game.start(get_dealer(dealer).deal(seed, game), rules)


def texts(position: Position) -> list[str]:
    return [str(move) for move in position.legal_moves()]


def test_first_moves_of_microsoft_deal_1() -> None:
    """Each last card can go to each cell; none of them fits on another one."""
    position = start("freecell", "microsoft", 1)
    tops = [card_name(column[-1]) for column in position.columns]
    assert tops == ["6S", "9C", "2H", "6H", "6C", "3D", "8C", "TC"]
    to_cells = [f"{column}-{cell}" for column in range(1, 9) for cell in "abcd"]
    assert [move for move in texts(position) if move not in to_cells] == []
    assert len(texts(position)) == 32
    for move in ("3-a", "2-b", "8-c"):
        position = position.play(get_game("freecell").parse_move(move))
    assert position.why_illegal(get_game("freecell").parse_move("1-a")) == "cell a is taken"


def at(slug: str, **parts: Any) -> PatiencePosition:
    """The position with these parts."""
    rules: Any = parse_ruleset(slug)
    return position_from_json(parts, rules)


def play(position: PatiencePosition, text: str) -> PatiencePosition:
    return position.play(get_game(position.rules.game).parse_move(text))  # type: ignore[arg-type]


def reason(position: PatiencePosition, text: str) -> str | None:
    return position.why_illegal(
        get_game(position.rules.game).parse_move(text)  # type: ignore[arg-type]
    )


REST = "KS KH KD KC"


def spider_end(up: list[list[str]], foundations: list[str]) -> PatiencePosition:
    columns = up + [[] for _ in range(10 - len(up))]
    return at(
        "patience-spider",
        down=[[] for _ in range(10)],
        up=columns,
        foundations=foundations,
        stock=[],
    )


def run(suit: str) -> list[str]:
    return [f"{rank}{suit}" for rank in "KQJT98765432A"]


def test_whole_runs_leave_for_a_foundation_and_are_not_forced_to() -> None:
    clubs = ["KC", *run("C")]
    position = spider_end(
        [["KS", *run("C")], run("S")[1:]], ["-", "KD", "KS", "KH", "KC", "KD", "-", "KH"]
    )
    assert clubs[1:] == run("C")
    assert "1-fCx13" in texts(position)
    assert reason(position, "2-fSx13") == "column 2 has only 12 face-up cards"
    after = play(play(position, "1-fCx13"), "2-1x12")
    assert not after.is_won
    won = play(after, "1-fS2x13")
    assert won.is_won
    assert won.progress == "104 of 104 cards on the foundations"
    with pytest.raises(IllegalMove, match="only a whole run"):
        play(
            spider_end(
                [["KS", *run("C")[:-1]], ["AC", *run("S")[1:]]],
                ["-", "KD", "KS", "KH", "KC", "KD", "-", "KH"],
            ),
            "1-fCx13",
        )


def test_published_rules_of_spider_lay_several_cards_on_their_own_suit_alone() -> None:
    up = [["JD"], ["JS"], ["TS", "9S"]]
    rest = [f"{r}{s}" for r in "A23456789TJQK" for s in "CDSH" for _ in range(2)]
    for card in ("JD", "JS", "TS", "9S"):
        rest.remove(card)
    for slug, legal in (
        ("patience-spider", {"3-1x2", "3-2x2"}),
        ("patience-spider-single-cards-up", {"3-2x2"}),
    ):
        position = at(
            slug,
            down=[[], [], [], rest[:-1], *[[] for _ in range(6)]],
            up=[*up, [rest[-1]], *[[] for _ in range(6)]],
            foundations=["-"] * 8,
            stock=[],
        )
        moves = {move for move in texts(position) if move.startswith("3-") and "x2" in move}
        assert moves & {"3-1x2", "3-2x2"} == legal


def test_empty_columns_of_canfield_are_filled_from_the_reserve_at_once() -> None:
    position = start("canfield", "solvitaire", 7)
    while () not in position.columns:
        ups = [m for m in position.legal_moves() if m.source < 4]
        turns = [m for m in position.legal_moves() if str(m) == "T"]
        position = position.play((ups or turns)[0])
    assert texts(position) == [f"r1-{position.columns.index(()) + 1}"]
    assert "must be filled first" in str(reason(position, "T"))


def test_the_waste_is_turned_over_as_often_as_redeals_allow() -> None:
    position = start("gargantua", "solvitaire", 1)
    for _ in range(59):
        position = play(position, "T")
    assert position.to_come == ""
    position = play(position, "T")
    assert (len(position.stock), position.redealt) == (59, 1)
    assert position.observation()["stock"] == [card_name(card) for card in position.stock]
    for _ in range(59):
        position = play(position, "T")
    assert reason(position, "T") == "the waste becomes the stock 1 times at most"


def test_groups_of_yukon_move_whatever_their_order() -> None:
    position = start("yukon", "pysolfc", 5)
    assert list(map(len, position.columns)) == [1, 6, 7, 8, 9, 10, 11]
    assert position.down == (0, 1, 2, 3, 4, 5, 6)
    long = [move for move in position.legal_moves() if move.cards > 1 and move.target < 7]
    assert any(position._group(move.source) < move.cards for move in long), (
        "every group is in order"
    )


def test_rows_of_gaps() -> None:
    position = start("gaps", "solvitaire", 7)
    gaps = [place for row in position.rows for place in row].count(None)
    assert gaps == 4
    assert all(reason(position, text) is None for text in texts(position))
    lax = start("gaps-one-deal", "solvitaire", 7)
    assert set(texts(position)) <= set(texts(lax))


def test_an_accordion_shortens() -> None:
    position = start("accordion", "solvitaire", 7)
    before = len(position.accordion)
    move = position.legal_moves()[0]
    after = position.play(move)
    assert len(after.accordion) == before - 1
    assert after.accordion[move.target][-1] == position.accordion[move.source][-1]


def test_golf_deals_any_card_into_the_hole() -> None:
    position = start("golf", "solvitaire", 7)
    after = play(position, "T")
    assert after.hole == (*position.hole, position.stock[0])
    king = parse_card("KH")
    assert not position._why_not_into_hole(king) or position.hole[-1] >> 2 != 11
