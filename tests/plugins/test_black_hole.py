"""Tests of Black Hole: rules, dealers against pysol-cards, search against a naive twin."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import pytest
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game as PysolGame
from pysol_cards.random import RandomBase

from engine.cards import card_name, parse_card, rank
from engine.dealing.dealers import deal_by_id, get_dealer
from engine.errors import BadInput, IllegalMove
from engine.formats import get_format
from engine.games import get_game
from engine.replay import wins
from engine.rulesets import parse_ruleset
from plug_in import BLACK_HOLE, installed
from solvers.choice import Ability, capable
from solvers.outcome import Result
from solvers.regret import play_again
from solvers.solver import parse_solver

with installed():
    from black_hole.deal import BlackHoleDeal
    from black_hole.moves import BlackHoleMove
    from black_hole.referee import BlackHolePosition
    from black_hole.rules import BlackHoleRules
    from black_hole.search import search

DEFAULT = BlackHoleRules()
EVERY_RULE = [BlackHoleRules(wrap, same) for wrap in (True, False) for same in (True, False)]


@pytest.fixture(autouse=True)
def _installed() -> Iterator[None]:
    with installed():
        yield


def position(tops: str, hole: str, rules: BlackHoleRules = DEFAULT) -> BlackHolePosition:
    """A table of single cards; the other piles are empty."""
    piles = [(parse_card(name),) for name in tops.split()]
    empty: list[tuple[int, ...]] = [()] * (17 - len(piles))
    return BlackHolePosition(rules, (*piles, *empty), tuple(map(parse_card, hole.split())))


# --- rules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slug", "follow_ace", "follow_king", "follow_seven"),
    [
        ("black-hole", "K2", "QA", "68"),
        ("black-hole-same-rank", "KA2", "QKA", "678"),
        ("black-hole-no-wrap", "2", "Q", "68"),
        ("black-hole-no-wrap-same-rank", "A2", "QK", "678"),
    ],
)
def test_which_ranks_follow(
    slug: str, follow_ace: str, follow_king: str, follow_seven: str
) -> None:
    rules = parse_ruleset(slug)
    assert isinstance(rules, BlackHoleRules)
    tops = "AC 2D 3H 4C 5D 6H 7S 8C 9D TH JS QC KD"
    for hole, expected in (("AS", follow_ace), ("KS", follow_king), ("7C", follow_seven)):
        table = position(tops, hole, rules)
        names = [card_name(table.piles[move.pile][-1]) for move in table.legal_moves()]
        assert Counter(name[0] for name in names) == Counter(expected)


def test_a_move_takes_the_top_card() -> None:
    start = BlackHolePosition.start(deal_by_id("pysolfc:24", get_game(BLACK_HOLE)), DEFAULT)
    # Pile 9 is 2C AC KS, pile 16 ends with 3D.
    after = start.play(BlackHoleMove(8))
    assert after.hole == (parse_card("AS"), parse_card("KS"))
    assert after.piles[8] == (parse_card("2C"), parse_card("AC"))
    assert (after.progress, after.to_come) == ("2 of 52 cards in the hole", "")
    with pytest.raises(IllegalMove, match="3D does not follow KS"):
        after.play(BlackHoleMove(16))
    with pytest.raises(IllegalMove, match="pile 2 is empty"):
        position("2H", "AS").play(BlackHoleMove(1))


def test_the_game_is_won_when_all_cards_are_in_the_hole() -> None:
    ranks = "AS 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD"
    ranks += " 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"
    last = position("KH", ranks).checked()
    assert not last.is_won
    assert last.play(BlackHoleMove(0)).is_won


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hole": ["AS", "7C"]}, "more than once 7C"),
        ({"hole": []}, "missing AS"),
        ({"hole": "AS"}, "'A' is not a card"),
        ({"piles": None}, 'needs the keys "hole"'),
        ({"piles": [["AC"]]}, "the position is not one full deck"),
    ],
)
def test_what_is_no_position(change: dict[str, object], message: str) -> None:
    data = BlackHolePosition.start(deal_by_id("thoughtful-1:1", get_game(BLACK_HOLE)), DEFAULT)
    with pytest.raises(BadInput) as caught:
        BlackHolePosition.from_json(data.to_json() | change, DEFAULT)
    assert message in str(caught.value)


def test_the_cards_of_the_hole_follow_each_other() -> None:
    start = BlackHolePosition.start(deal_by_id("thoughtful-1:1", get_game(BLACK_HOLE)), DEFAULT)
    data = start.to_json()
    data["hole"].append(data["piles"][2].pop())
    assert BlackHolePosition.from_json(data, DEFAULT) == start.play(BlackHoleMove(2))
    with pytest.raises(BadInput, match="the hole of black-hole-no-wrap cannot have KD on AS"):
        BlackHolePosition.from_json(data, BlackHoleRules(wrap=False))


# --- deals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 24, 32_000, 1_000_000, 10**20])
def test_pysolfcs_deals_are_those_of_pysol_cards(seed: int) -> None:
    theirs = PysolGame("black_hole", seed, RandomBase.DEALS_PYSOLFC)
    deal = get_dealer("pysolfc").deal(seed, get_game(BLACK_HOLE))
    board = theirs.calc_layout_string(CardRenderer(True))
    assert get_format("pysolfc").write(deal) == board
    assert get_format("pysolfc").read(board, get_game(BLACK_HOLE)) == deal


def test_the_ace_of_spades_is_set_aside_and_nothing_else() -> None:
    own = get_dealer("thoughtful-1").deal_block(0, 200, get_game(BLACK_HOLE))
    shuffled = get_dealer("thoughtful-1").deal_block(0, 200)
    ace = parse_card("AS")
    for deal, deck in zip(own.tolist(), shuffled.tolist(), strict=True):
        deck.remove(ace)
        assert deal == [ace, *deck]


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ("Foundations: -\n", "line 1 of the board: 'Foundations: -' is not 'Foundations: AS'"),
        ("Talon: AC\n", "line 1 of the board: 'Talon: AC' is not"),
        ("2C 3C XX\n", "line 1 of the board: 'XX' is not a card"),
        ("2C 3C 4C\n", "the deal is not one full deck: it has 4 cards of 52"),
    ],
)
def test_wrong_boards(board: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        get_format("pysolfc").read(board, get_game(BLACK_HOLE))
    assert message in str(caught.value)


def test_another_card_in_the_hole_is_no_deal() -> None:
    cards = list(deal_by_id("thoughtful-1:1", get_game(BLACK_HOLE)).cards)
    with pytest.raises(BadInput, match="begins with AS in the hole, not JC"):
        BlackHoleDeal.of([cards[1], cards[0], *cards[2:]])
    piles = [list(pile) for pile in BlackHoleDeal.of(cards).piles("piles")]
    piles[3].append(piles[4].pop())
    with pytest.raises(BadInput, match="17 piles of 3, not piles of 3, 3, 3, 4, 2, 3"):
        BlackHoleDeal.from_piles(piles)


# --- search --------------------------------------------------------------------------------------


def can_be_won(position: BlackHolePosition) -> bool:
    """Try every move of the referee; the naive twin of the search."""
    return position.is_won or any(
        can_be_won(position.play(move)) for move in position.legal_moves()
    )


def towards_the_end(rules: BlackHoleRules, seed: int, left: int) -> BlackHolePosition:
    """A position with this number of cards left, all of four ranks in a row around the corner."""
    chooser = random.Random(f"{rules} {seed}")
    lowest = chooser.choice([0, 5, 10, 11, 12])
    near = [card for card in range(52) if (rank(card) - lowest) % 13 < 4]
    rest = chooser.sample(near, left)
    gone = [card for card in range(52) if card not in rest]
    gone.append(gone.pop(gone.index(chooser.choice(sorted(set(near) - set(rest))))))
    piles = [tuple(rest[at : at + 3]) for at in range(0, left, 3)]
    return BlackHolePosition(rules, (*piles, *[()] * (17 - len(piles))), tuple(gone))


@pytest.mark.parametrize("rules", EVERY_RULE, ids=str)
def test_the_search_finds_what_its_twin_finds(rules: BlackHoleRules) -> None:
    found: Counter[Result] = Counter()
    for seed in range(300):
        start = towards_the_end(rules, seed, 3 + seed % 9)
        result, nodes, played = search(start, 10**6)
        found[result] += 1
        assert (result is Result.WON) == can_be_won(start)
        assert result in (Result.WON, Result.UNWINNABLE)
        assert nodes >= 1 + len(played)
        if result is Result.WON:
            assert wins(start, map(BlackHoleMove, played))
    assert min(found.values()) > 5


def test_positions_are_entered_once() -> None:
    """Six cards of the same two ranks: as many positions as there are sets of them, and top ranks.

    The piles are single cards, so that every order of alternating ranks is open, and the seventh
    card never fits.
    """
    start = position("2H 2D 2C AC AD AH 9S", "AS")
    orders = [
        order for length in range(7) for order in permutations(range(6), length)
        if all(place in ((0, 1, 2), (3, 4, 5))[at % 2] for at, place in enumerate(order))
    ]  # fmt: skip
    reached = {(frozenset(order), len(order) % 2) for order in orders}
    assert search(start, 10**6)[:2] == (Result.UNWINNABLE, len(reached))
    assert search(start, len(reached) - 1)[:2] == (Result.GAVE_UP, len(reached) - 1)


def test_without_the_corner_no_deal_can_be_won() -> None:
    """Ranks alternate between even and odd, but 28 cards are of the one kind, 24 of the other."""
    deals = get_dealer("thoughtful-1").deal_block(0, 12, get_game(BLACK_HOLE))
    assert {sum(rank(card) % 2 == 0 for card in deal) for deal in deals.tolist()} == {28}
    solver = parse_solver("black-hole-search(nodes=100000)")
    results = {each.result for each in solver.solve(deals, parse_ruleset("black-hole-no-wrap"))}
    assert Result.UNWINNABLE in results
    assert Result.WON not in results


def test_counts_on_a_small_sample() -> None:
    """Frozen: what they count changes only with the version of the method."""
    game, solver = get_game(BLACK_HOLE), parse_solver("black-hole-search(nodes=60000)")
    deals = get_dealer("thoughtful-1").deal_block(0, 24, game)
    outcomes = solver.solve(deals, DEFAULT)
    assert solver.method.version == 1
    counts = Counter(outcome.result.value for outcome in outcomes)
    assert counts == {"won": 9, "unwinnable": 4, "gave_up": 11}
    assert sum(outcome.nodes for outcome in outcomes) == 846_316
    for deal, outcome in zip(deals, outcomes, strict=True):
        if outcome.moves is not None:
            assert wins(game.start(game.deal(deal), DEFAULT), game.unpack(outcome.moves))


def test_where_random_play_loses() -> None:
    game, player = get_game(BLACK_HOLE), parse_solver("black-hole-random")
    decider = capable(DEFAULT, Ability.DECIDE)
    assert decider == parse_solver("black-hole-search")
    found = []
    for seed in (0, 2, 5, 6):
        deals = get_dealer("thoughtful-1").deal_block(seed, 1, game)
        ((_, regret),) = play_again(deals, DEFAULT, player, decider)
        found.append((regret.kind.value, regret.step, regret.action))
    assert found == [
        ("move", 12, "uncover"),
        ("move", 2, "uncover"),
        ("unwinnable", None, None),
        ("move", 4, "uncover"),
    ]
