"""Tests of Spider's renderer: moves in words, and the path of every card."""

from dataclasses import replace

import pytest

from dashboard.games.spider import SpiderTable
from dashboard.viewer.renderer import Piles
from engine.cards import card_name, parse_card
from engine.dealing.dealers import get_dealer
from engine.replay import ReplayError
from engine.rulesets import named_rulesets
from engine.spider import GAME as SPIDER
from engine.spider.moves import SpiderMove, parse_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from solvers.solver import parse_solver
from twins.viewer import shown_game

MONKEY = "monkey(level=3, period=50)"
RULES = "spider-1"


def cards(text: str) -> tuple[int, ...]:
    return tuple(map(parse_card, text.split()))


@pytest.fixture
def position() -> SpiderPosition:
    """A table of few cards: a run that lacks its ace, and one row to come."""
    run = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    up = [f"5H {run}", "AS", "JH TH", "QD", "", "9C", "9D", "9H", "8H", "2C"]
    down = ["", "3C", "7D", *[""] * 7]
    row = cards("AD 2D 3D 4D 5D 6D 7D 8D AC 2H")
    return SpiderPosition(
        SpiderRules(4), tuple(map(cards, down)), tuple(map(cards, up)), (0, 0, 1, 0), (row,)
    )


@pytest.mark.parametrize(
    ("moves", "sentence", "moved"),
    [
        ("34x2", "J♥, 10♥ from column 3 onto Q♦ of column 4, uncovering 7♦.", "JH TH"),
        ("35", "10♥ from column 3 to the empty column 5.", "TH"),
        (
            "21",
            "A♠ from column 2 onto 2♠ of column 1, completing a run of spades, king to ace, "
            "uncovering 3♣.",
            "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S",
        ),
        (
            "45 D",
            "Deal a row: A♦, 2♦, 3♦, 4♦, 5♦, 6♦, 7♦, 8♦, A♣, 2♥.",
            "AD 2D 3D 4D 5D 6D 7D 8D AC 2H",
        ),
    ],
)
def test_moves_in_words(position: SpiderPosition, moves: str, sentence: str, moved: str) -> None:
    start = replace(position, rules=SpiderRules(4, deal_onto_empty=True))
    _, steps = shown_game(start, parse_solution(moves))
    step = steps[-1]
    assert (step.name, step.sentence) == (moves.split()[-1], sentence)
    assert " ".join(name[:2] for name in step.moved) == moved


def lying(piles: Piles) -> tuple[object, ...]:
    """Where cards lie, without what tells cards of one kind from each other."""

    def known(pile: str) -> tuple[int, ...]:
        return tuple(parse_card(card[:2]) for card in piles[pile])

    rows = [known(f"row{number}") for number in range(5, 0, -1)]
    return (
        tuple(known(f"down{number}") for number in range(1, 11)),
        tuple(known(f"up{number}") for number in range(1, 11)),
        tuple(row for row in rows if row),
        sum(bool(piles[f"run{number}"]) for number in range(1, 9)),
    )


def shown(position: SpiderPosition) -> tuple[object, ...]:
    return position.down, position.up, position.stock, sum(position.completed)


def winning_game() -> tuple[SpiderPosition, tuple[SpiderMove, ...]]:
    deals = get_dealer("thoughtful-1").deal_block(0, 12, SPIDER)
    outcomes = parse_solver(MONKEY).solve(deals, named_rulesets()[RULES])
    deal, moves = next((d, o.moves) for d, o in zip(deals, outcomes, strict=True) if o.moves)
    start = SPIDER.start(SPIDER.deal(deal), named_rulesets()[RULES])
    assert isinstance(start, SpiderPosition)
    unpacked = SPIDER.unpack(moves)
    return start, tuple(move for move in unpacked if isinstance(move, SpiderMove))


def test_piles_are_the_referees_positions() -> None:
    start, moves = winning_game()
    drawn, steps = shown_game(start, moves)
    assert (len(drawn), len(steps)) == (len(moves) + 1, len(moves))
    position = start
    names = sorted(name for pile in drawn[0].values() for name in pile)
    assert len(set(names)) == 104
    assert {name[:2] for name in names} == {card_name(card) for card in range(52) if card % 4 == 2}
    for at, move in enumerate(moves):
        assert lying(drawn[at]) == shown(position)
        position = position.play(move)
        # The same 104 cards, each with the name that it began with.
        assert sorted(name for pile in drawn[at + 1].values() for name in pile) == names
    assert lying(drawn[-1]) == shown(position)
    assert [len(drawn[-1][f"run{number}"]) for number in range(1, 9)] == [13] * 8
    assert drawn[0] == SpiderTable(start).piles


def test_cards_that_do_not_move_keep_their_place() -> None:
    start, moves = winning_game()
    drawn, steps = shown_game(start, moves)
    for before, after, step in zip(drawn, drawn[1:], steps, strict=False):
        for pile, was in before.items():
            left = set(was) - set(after[pile]) - set(step.moved)
            # Only a card that turned up may leave a pile without having moved.
            assert left <= set(after[pile.replace("down", "up")])


def test_a_position_in_mid_game_has_names_for_completed_runs(position: SpiderPosition) -> None:
    piles = SpiderTable(position).piles
    assert [name[:2] for name in piles["run1"]] == [f"{rank}S" for rank in "KQJT98765432A"]
    names = [name for pile in piles.values() for name in pile]
    assert len(set(names)) == len(names)


def test_an_illegal_game_is_refused(position: SpiderPosition) -> None:
    with pytest.raises(ReplayError, match="move 2, 51 "):
        shown_game(position, parse_solution("35 51"))
