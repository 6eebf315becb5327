"""Tests of pairs of facts: the kernel against sets, both against real games, no false alarm."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product
from typing import Any

import pytest

from engine.cards import parse_card
from engine.cardset import ALL, BIT_OF_CARD, CARD_OF_BIT
from engine.dealing.dealers import get_dealer
from engine.klondike import conflicts
from engine.klondike.conflicts import Pairs, proves_loss, reached_pairs
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import KlondikeKind, KlondikeMove, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.klondike.thinned_game import ThinnedGame
from samples import sizes, thorough_case
from solvers.klondike.dead_ends.pair_reachability import (
    BARE,
    COLUMN,
    DEALT,
    EMPTY,
    FIRST,
    HEAD,
    UP,
    WIDTH,
    WORDS,
    loses,
    new_work,
    reach_pairs,
    shrink,
)
from solvers.outcome import Result
from solvers.solver import parse_solver
from twins.thinned_play import ThinnedPlay

THOUGHTFUL = get_dealer("thoughtful-1")
WORK = new_work()


def random_deals(first: int, count: int) -> list[KlondikeDeal]:
    return [KlondikeDeal.of(row) for row in THOUGHTFUL.deal_block(first, count)]


def bits_of(cards: Any) -> int:
    return sum(1 << int(BIT_OF_CARD[card]) for card in cards)


def cards_of(bits: int) -> list[int]:
    return [int(CARD_OF_BIT[bit]) for bit in range(52) if bits >> bit & 1]


def some_cards(chooser: random.Random, fewest: int = 1, most: int = 51) -> list[int]:
    return chooser.sample(range(52), chooser.randint(fewest, most))


def edge_deals() -> Iterator[KlondikeDeal]:
    yield KlondikeDeal.of(range(52))
    yield KlondikeDeal.of(range(51, -1, -1))
    yield KlondikeDeal.of([*range(24, 52), *range(24)])
    chooser = random.Random(8)
    for _ in range(4):  # low cards deep
        yield KlondikeDeal.of(sorted(range(52), key=lambda c: c + chooser.uniform(0, 30)))


def kernel_pairs(deal: KlondikeDeal, draw: int, kept: list[int]) -> Pairs:
    """All that the kernel reaches, in the words of `engine.klondike.conflicts`."""
    bits = bits_of(kept)
    reach_pairs(deal.as_array(), draw, bits, WORK, True)
    in_columns = [card for column in deal.tableau for card in column if card in kept]
    heads = {int(WORK.head[BIT_OF_CARD[card]]): card for card in in_columns}

    def name(number: int) -> tuple[str | int, ...]:
        word, bit = divmod(number, WIDTH)
        if number >= HEAD:
            return "head", heads[number]
        card = int(CARD_OF_BIT[bit % 52])
        if number >= EMPTY:
            return "empty", number - EMPTY
        if number >= COLUMN:
            return "at", int(CARD_OF_BIT[48 + bit // 7]), bit % 7
        if number < FIRST or number >= UP:
            return {DEALT: "dealt", UP: "up", BARE: "bare"}[WIDTH * word], card
        parents = (bit | 1) + 3
        if bits >> parents & 3 != 3:
            return "loose", card
        return "on", card, int(CARD_OF_BIT[parents + word - 1])

    pairs: Pairs = {}
    for number, row in enumerate(WORK.rows):
        others = {
            name(WIDTH * word + bit)
            for word in range(WORDS)
            for bit in range(WIDTH)
            if row[word] >> bit & 1
        }
        if others:
            pairs[name(number)] = others
    return pairs


def sets_of_cards(draw: int, count: int) -> Iterator[tuple[KlondikeDeal, list[int]]]:
    """Deals with cards to keep: all, some, and some that just prove the loss."""
    chooser = random.Random(draw)
    deals = [*random_deals(300_000 + 100 * draw, count), *edge_deals()]
    for number, deal in enumerate(deals):
        yield deal, some_cards(chooser)
        if number % 5 == 0:
            yield deal, list(range(52))
    lost = [d for d in random_deals(310_000, 200) if loses(d.as_array(), draw, ALL, WORK)]
    for deal in lost[: 2 + count // 5]:
        yield deal, cards_of(int(shrink(deal.as_array(), draw, WORK)))


@pytest.mark.parametrize("count", sizes(2, 5))
@pytest.mark.parametrize("draw", [1, 3, *map(thorough_case, (2, 5, 24))])
def test_kernel_reaches_the_pairs_that_sets_reach(draw: int, count: int) -> None:
    lost = 0
    for deal, kept in sets_of_cards(draw, count):
        pairs = reached_pairs(ThinnedGame(deal, draw, kept))
        assert kernel_pairs(deal, draw, kept) == pairs
        apart = any(("up", a) not in pairs.get(("up", b), ()) for a, b in product(kept, repeat=2))
        assert loses(deal.as_array(), draw, bits_of(kept), WORK) == apart
        lost += apart
    assert lost >= 2 + count // 5


def winning_plays(count: int) -> Iterator[tuple[KlondikeDeal, KlondikeRules, list[KlondikeMove]]]:
    solver = parse_solver("exact(nodes=20000)")
    for draw in (3, 1, 2):
        rules = KlondikeRules(draw=draw)
        deals = THOUGHTFUL.deal_block(400_000 + draw, count)
        for cards, outcome in zip(deals, solver.solve(deals, rules), strict=True):
            if outcome.moves is not None:
                yield KlondikeDeal.of(cards), rules, list(unpack_solution(outcome.moves))


def random_plays(count: int) -> Iterator[tuple[KlondikeDeal, KlondikeRules, list[KlondikeMove]]]:
    """Plays that like to move runs and to bring cards down again."""
    chooser = random.Random(11)
    for deal in random_deals(410_000, count):
        rules = KlondikeRules(draw=chooser.choice([1, 2, 3]))
        position = KlondikePosition.start(deal, rules)
        moves = []
        for _ in range(250):
            legal = position.legal_moves()
            plays = [
                move for move in legal if move.kind not in (KlondikeKind.TURN, KlondikeKind.REDEAL)
            ]
            move = chooser.choice(plays if plays and chooser.random() < 0.7 else legal)
            moves.append(move)
            position = position.play(move)
        yield deal, rules, moves


def plays(count: int) -> Iterator[tuple[KlondikeDeal, KlondikeRules, list[KlondikeMove]]]:
    yield from winning_plays(3 * count)
    yield from random_plays(5 * count)


@pytest.mark.thorough
def test_whatever_is_true_in_a_play_was_reached() -> None:
    """Every two facts of every position that the referee lets come about."""
    count = 2
    chooser = random.Random(12)
    moments = 0
    for deal, rules, moves in plays(count):
        for kept in (list(range(52)), some_cards(chooser), some_cards(chooser, 1, 12)):
            pairs = kernel_pairs(deal, rules.draw, kept)
            play = ThinnedPlay(deal, rules, kept)
            for move in [None, *moves]:
                if move is not None:
                    play.play(move)
                facts = set(play.facts())
                for fact in facts:
                    assert facts <= pairs[fact], (move, fact, facts - pairs[fact])
                moments += 1
    assert moments > 2_000 * count


@pytest.mark.parametrize("count", sizes(2, 5))
def test_a_play_is_a_play_of_the_thinned_game(count: int) -> None:
    """Each move of the referee is a step of the game with a few of the cards, or none."""
    chooser = random.Random(13)
    steps = 0
    for deal, rules, moves in plays(count):
        for _ in range(4):
            play = ThinnedPlay(deal, rules, some_cards(chooser, 2, 20))
            seen = play.thinned()
            assert seen == play.game.start()
            for move in moves:
                play.play(move)
                now = play.thinned()
                assert now == seen or now in set(play.game.steps(seen))
                steps += now != seen
                seen = now
    assert steps > 400 * count


@pytest.mark.parametrize(("draw", "count"), [(3, 1500), (1, 500), (2, 300), (5, 200)])
def test_what_exact_wins_is_never_lost(draw: int, count: int) -> None:
    cards = THOUGHTFUL.deal_block(500_000, count)
    outcomes = parse_solver("exact(nodes=5000)").solve(cards, KlondikeRules(draw=draw))
    lost = [bool(loses(row, draw, ALL, WORK)) for row in cards]
    for found, outcome in zip(lost, outcomes, strict=True):
        assert not (found and outcome.result is Result.WON)
    assert sum(lost) > count / 40


def test_sets_found_are_small_and_proved_by_the_slow_checker() -> None:
    chooser = random.Random(14)
    found = 0
    for deal in random_deals(600_000, 150):
        for draw in (1, 3):
            cards = deal.as_array()
            if not loses(cards, draw, ALL, WORK):
                continue
            found += 1
            kept = int(shrink(cards, draw, WORK))
            assert loses(cards, draw, kept, WORK)
            for card in cards_of(kept):
                assert not loses(cards, draw, kept & ~bits_of([card]), WORK)
            assert proves_loss(deal, draw, cards_of(kept))
            # More cards take part, and nothing becomes possible by it.
            more = kept | bits_of(some_cards(chooser))
            assert loses(cards, draw, more, WORK)
    assert found > 20


@pytest.mark.parametrize("count", sizes(100, 150))
def test_pairs_prove_nothing_that_all_positions_do_not_show(count: int) -> None:
    """The two ways of `proves_loss`, on sets of cards that lose, or did so with one card more."""
    chooser = random.Random(15)
    both = only_shown = 0
    for deal in random_deals(700_000, count):
        draw = chooser.choice([1, 2, 3])
        cards = deal.as_array()
        if not loses(cards, draw, ALL, WORK):
            continue
        kept = int(shrink(cards, draw, WORK))
        for left_out in [None, *chooser.sample(cards_of(kept), min(4, kept.bit_count()))]:
            fewer = kept if left_out is None else kept & ~bits_of([left_out])
            game = ThinnedGame(deal, draw, cards_of(fewer))
            positions = game.positions(2_000)
            if positions is None:
                continue
            shown = all(position.up != game.kept for position in positions)
            by_pairs = bool(loses(cards, draw, fewer, WORK))
            assert shown or not by_pairs
            both += by_pairs
            only_shown += shown and not by_pairs
    assert both > count / 20
    assert only_shown < both / 5


def test_compiled_and_interpreted_agree(
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    program = (
        "from engine.cardset import ALL\n"
        "from engine.dealing.dealers import get_dealer\n"
        "from solvers.klondike.dead_ends.pair_reachability import loses, new_work, reach_pairs\n"
        "work, found = new_work(), []\n"
        "for row in get_dealer('thoughtful-1').deal_block(100_051, 5):\n"
        "    for draw, kept in ((3, ALL), (1, ALL - 0xF0F00), (5, 0xFF0FF0F)):\n"
        "        lost = bool(loses(row, draw, kept, work))\n"
        "        if lost:\n"
        "            reach_pairs(row, draw, kept, work, True)\n"
        "        found.append([lost, work.rows.tolist()])\n"
    )
    compiled, interpreted = with_and_without_compiler(program)
    assert compiled == interpreted
    assert {lost for lost, _ in compiled} == {True, False}


PLACES = {"on", "loose", "at"}


def changed(
    steps: Iterator[conflicts._Step], game: ThinnedGame, slip: str
) -> Iterator[conflicts._Step]:
    """The steps with a slip made in them."""
    for step in steps:
        ends, begins = ({fact[0] for fact in facts} for facts in (step.ends, step.begins))
        drawn = any(fact[0] == "dealt" and fact[1] in game.stock for fact in step.ends)
        leaves_column = "dealt" in ends and not drawn
        forgotten = {
            "no card of a column goes up": leaves_column and "up" in begins,
            "no card of a column is laid elsewhere": leaves_column and bool(PLACES & begins),
            "no card of the stock goes up": drawn and "up" in begins,
            "no card of the stock is laid down": drawn and bool(PLACES & begins),
            "no loose card goes up": bool(PLACES & ends) and "up" in begins,
            "no card comes down": "up" in ends,
            "no card shifts": "on" in ends & begins,
            "no king is laid down": "at" in begins,
        }
        if forgotten.get(slip):
            continue
        not_begun = {
            "nothing is uncovered": "bare" if leaves_column else "",
            "no card becomes a head": "head",
            "no column becomes empty": "empty",
            "no place becomes free": "bare" if "up" in begins and not leaves_column else "",
            "a card that is laid down is not bare": "bare" if "up" in ends or drawn else "",
        }
        word = not_begun.get(slip, "")
        step.begins = frozenset(fact for fact in step.begins if fact[0] != word)
        if step.waits is not None:
            after, enough, before = step.waits
            if slip == "one more card must be gone from the stock":
                step.waits = (after, enough + 1, before)
            if slip == "the next card of the stock does not matter":
                step.waits = ((), enough, before)
        yield step


@pytest.mark.parametrize(
    "slip",
    [
        "no card of a column goes up",
        "no card of a column is laid elsewhere",
        "no card of the stock goes up",
        "no card of the stock is laid down",
        "no loose card goes up",
        "no card comes down",
        "no card shifts",
        "no king is laid down",
        "nothing is uncovered",
        "no card becomes a head",
        "no column becomes empty",
        "no place becomes free",
        "a card that is laid down is not bare",
        "one more card must be gone from the stock",
        "the next card of the stock does not matter",
    ],
)
def test_a_slip_in_a_step_would_be_seen(slip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With any step forgotten or one of its effects, some game that can be won seems lost.

    The slips are made in the sets, whose pairs are those of the kernel.
    """
    right = conflicts._steps
    for deal, draw, kept in won_games():
        game = ThinnedGame(deal, draw, kept)
        monkeypatch.setattr(conflicts, "_steps", lambda game: changed(right(game), game, slip))
        pairs = reached_pairs(game)
        if conflicts._apart(game, pairs) is not None:
            monkeypatch.undo()
            assert conflicts._apart(game, reached_pairs(game)) is None
            return
    pytest.fail("no game shows it")


# Columns 7, 6 and 5 bottom first, and the first cards of the stock. Only these cards are kept.
KNOTS = [
    # AS can only go up, for it is wanted before what it can be built on comes free.
    ("2D 2H 3D 3H 2S", "", "", "AS"),
    # 4D goes up because its parents lie under it; 6S wants 5S up, and then 3C wants 4D again.
    ("7D 7H 2C 4H 3C 6S", "5C 5S 4D", "", ""),
    # 8D goes to 9S and 9D to TC; then 8D must shift to 9C, so that 9S and TS can go up.
    ("2D JD TS 9C 9D", "JH TC 8D", "9S", ""),
    # KC is drawn, then AS as the fourth card: everything else waits for it.
    ("5D 5H 3D 3H 4D 4H 4S", "", "", "KD 3S KC AS 2S"),
]


def knot(columns: Sequence[str], stock: str) -> tuple[KlondikeDeal, list[int]]:
    """A deal with these cards at the bottom of columns 7, 6, 5 and first in the stock."""
    given = [[parse_card(name) for name in text.split()] for text in columns]
    front = [parse_card(name) for name in stock.split()]
    kept = [*chain.from_iterable(given), *front]
    left = [card for card in range(52) if card not in kept]
    tableau = [given[6 - column] if column >= 4 else [] for column in range(7)]
    for column, cards in enumerate(tableau):
        while len(cards) < column + 1:
            cards.append(left.pop())
    return KlondikeDeal.from_piles(tableau, front + left), kept


def won_games() -> Iterator[tuple[KlondikeDeal, int, list[int]]]:
    """Thinned games that can be won."""
    for *columns, stock in KNOTS:
        deal, kept = knot(columns, stock)
        game = ThinnedGame(deal, 3, kept)
        positions = game.positions(10_000)
        assert positions is not None
        assert any(position.up == game.kept for position in positions)
        yield deal, 3, kept
    chooser = random.Random(16)
    for deal, rules, _ in winning_plays(10):
        for most in (20, 40):
            yield deal, rules.draw, some_cards(chooser, most // 2, most)
