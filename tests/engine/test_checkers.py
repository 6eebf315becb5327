"""Tests of the checkers, the compiled referees: they agree with the plain one move by move."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from engine.cards import DECK, parse_card
from engine.checkers import NO_DEAL, NO_WIN, WINS, Checker, side_by_side
from engine.game import Game, Rules
from engine.games import get_game
from engine.klondike.rules import KlondikeRules, parse_klondike
from engine.proof import plain_verdict
from engine.spider.deal import CARDS, COLUMN_START, COLUMNS, TABLEAU_CARDS, SpiderDeal
from engine.spider.rules import PRESETS
from klondike_rulesets import COVERING
from mutations.checkers import MUTATIONS, Mutation, interpreted
from paths import TESTS
from samples import sizes
from twins.checkers import Case, cases, differences, recorded_wins, walk, walks

GAMES = ("klondike", "spider")
RULESETS: dict[str, list[Any]] = {
    "klondike": [
        *COVERING,
        *(
            KlondikeRules(draw, redeals, partial_runs, worrying_back)
            for draw, redeals, partial_runs, worrying_back in product(
                (1, 2, 3, 5, 24), (None, 0, 1, 2), (True, False), (True, False)
            )
        ),
    ],
    "spider": list(PRESETS.values()),
}
# Every word that is a move, and many that are none.
WORDS = {
    "klondike": [bytes([byte]) for byte in range(256)],
    "spider": [
        bytes(pair)
        for pair in product((*range(103), 127, 128, 201, 255), (*range(6), 12, 13, 14, 255))
    ],
}


def checker(game: Game) -> Checker:
    assert game.load_checker is not None
    return game.load_checker()


def verdicts(game: Game, rules: Rules, cards: Any, solutions: list[bytes]) -> list[int]:
    found: list[int] = checker(game)(np.asarray(cards), rules, solutions).tolist()
    return found


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("games", sizes(7, 15))
def test_every_move_at_every_place_of_a_game(slug: str, games: int) -> None:
    game = get_game(slug)
    chooser = Random(f"every move of {slug}, {games}")
    seen: dict[str, int] = {"legal": 0, "illegal": 0, "won": 0}
    for each in islice(walks(game, RULESETS[slug], chooser), games):
        places = range(len(each.positions))
        if slug == "spider":
            places = range(chooser.randrange(12), len(each.positions), 12)
        several = [case for place in places for case in each.tried(WORDS[slug], place)]
        several.append(each.whole())
        assert differences(checker(game), several) == []
        for case in several:
            kind = "won" if case.verdict == WINS else "legal" if case.verdict < 0 else "illegal"
            seen[kind] += 1
    assert min(seen["legal"] // 100, seen["illegal"] // 1000, seen["won"]) > 0, seen


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("games", sizes(30, 80))
def test_damaged_games(slug: str, games: int) -> None:
    chooser = Random(f"damage to {slug}, {games}")
    several = list(cases(get_game(slug), RULESETS[slug], chooser, games))
    assert differences(checker(get_game(slug)), several) == []
    # The twin that goes by words agrees with the referee's own verdict on the whole.
    for case in several[::25]:
        plain = plain_verdict(get_game(slug), case.cards, case.rules, case.packed)
        assert plain == case.verdict


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("count", sizes(300, 1_200))
def test_any_bytes(slug: str, count: int) -> None:
    game = get_game(slug)
    chooser = Random(f"bytes for {slug}, {count}")
    for rules in chooser.sample(RULESETS[slug], 6):
        cards = game.dealings[0].block(chooser.randrange(10**6), count // 6)
        solutions = [any_bytes(chooser) for _ in cards]
        assert verdicts(game, rules, cards, solutions) == [
            plain_verdict(game, row, rules, solution)
            for row, solution in zip(cards, solutions, strict=True)
        ]


def any_bytes(chooser: Random) -> bytes:
    return bytes(
        chooser.choice((0, 0, chooser.randrange(256), chooser.randrange(100)))
        for _ in range(chooser.randrange(12))
    )


@pytest.mark.parametrize("slug", GAMES)
def test_recorded_wins(slug: str) -> None:
    game = get_game(slug)
    for win in recorded_wins(slug):
        packed = game.pack(win.moves)
        shorter = packed[: -game.move_size]
        wrong = b"\xff" * game.move_size
        solutions = [packed, shorter, b"", packed + wrong, packed + b"\xff", wrong + packed]
        number = len(win.moves) + 1
        expected = [WINS, NO_WIN, NO_WIN, number, number, 1]
        cards = np.array([win.deal.cards] * len(solutions), dtype=np.uint8)
        assert verdicts(game, win.rules, cards, solutions) == expected


def test_play_may_go_on_after_the_win() -> None:
    """As the referee has it: the last position decides."""
    game = get_game("klondike")
    win = next(win for win in recorded_wins("klondike") if str(win.rules) == "klondike-draw1")
    cards = np.array([win.deal.cards] * 3, dtype=np.uint8)
    packed = game.pack(win.moves)
    back, again = game.pack([game.parse_move("S4")]), game.pack([game.parse_move("4F")])
    solutions = [packed + back, packed + back + again, packed + back + again + again]
    assert verdicts(game, win.rules, cards, solutions) == [NO_WIN, WINS, len(win.moves) + 3]


@pytest.mark.parametrize("slug", GAMES)
def test_cards_that_are_no_deal(slug: str) -> None:
    game = get_game(slug)
    win = recorded_wins(slug)[0]
    cards = np.array([win.deal.cards] * 5, dtype=np.uint8)
    cards[1, 3] = cards[1, 4] ^ 4
    cards[2, -1] = 52
    cards[3, 0] = 255
    cards[4] = 0
    expected = [WINS, *[NO_DEAL] * 4]
    solutions = [game.pack(win.moves)] * 5
    assert verdicts(game, win.rules, cards, solutions) == expected
    assert [plain_verdict(game, row, win.rules, solutions[0]) for row in cards] == expected


@pytest.mark.parametrize("slug", GAMES)
def test_arrays_of_any_layout(slug: str) -> None:
    game = get_game(slug)
    win = recorded_wins(slug)[0]
    solutions = [game.pack(win.moves), b""]
    cards = np.array([win.deal.cards] * 2, dtype=np.uint8)
    fixed = cards.copy()
    fixed.flags.writeable = False
    for each in (cards, fixed, np.asfortranarray(cards), cards.repeat(2, axis=1)[:, ::2]):
        assert verdicts(game, win.rules, each, solutions) == [WINS, NO_WIN]
    assert verdicts(game, win.rules, cards[:0], []) == []
    for wrong in (cards[:1], cards[:, :-1], cards.astype(np.int64), cards[0]):
        with pytest.raises(ValueError, match="2 solutions need deals uint8"):
            verdicts(game, win.rules, wrong, solutions)


def test_solutions_side_by_side() -> None:
    cards = np.zeros((3, 2), dtype=np.uint8)
    _, moves, starts = side_by_side(cards, [b"ab", b"", b"c"], 2)
    assert (moves.tobytes(), starts.tolist()) == (b"abc", [0, 2, 2, 3])


# --- without the compiler ------------------------------------------------------------------------


def sample(slug: str, games: int) -> list[Case]:
    chooser = Random(f"{slug} by Python")
    return list(cases(get_game(slug), RULESETS[slug], chooser, games))


@pytest.mark.parametrize("slug", GAMES)
def test_no_index_is_out_of_bounds(slug: str) -> None:
    """Run by Python on arrays that refuse every index outside them, negative ones too."""
    check = interpreted(slug, bounded=True)
    assert differences(check, sample(slug, 10)) == []
    game = get_game(slug)
    chooser = Random(f"bounds of {slug}")
    for rules in chooser.sample(RULESETS[slug], 3):
        cards = game.dealings[0].block(chooser.randrange(10**6), 15)
        solutions = [any_bytes(chooser) for _ in cards]
        assert check(cards, rules, solutions).tolist() == verdicts(game, rules, cards, solutions)


def spider_deal(columns: dict[int, str], rows: dict[int, str]) -> SpiderDeal:
    """A deal with these cards on top of columns 1..10, the last one face up, and in rows 1..5.

    In rows, ``--`` is any card. The other places are filled with the cards left over, aces first.
    """
    cards: list[int | None] = [None] * CARDS
    for column, text in columns.items():
        top = [parse_card(word) for word in text.split()]
        cards[COLUMN_START[column] - len(top) : COLUMN_START[column]] = top
    for row, text in rows.items():
        for column, word in enumerate(text.split()):
            if word != "--":
                cards[TABLEAU_CARDS + COLUMNS * (row - 1) + column] = parse_card(word)
    left = sorted((Counter([*DECK, *DECK]) - Counter(cards)).elements())
    return SpiderDeal.of(left.pop(0) if card is None else card for card in cards)


# Games that tell slips which random play does not: a deal, and moves of which the last is legal, or
# not, only by the rule in question.
SPIDER_GAMES = {
    "a card under the face-up one does not go along": (
        spider_deal({1: "6S 5S", 2: "7H"}, {}), "12x2"
    ),
    "nor after a card lay on it": (
        spider_deal({1: "6S 5S", 2: "7H", 3: "4C", 4: "5D"}, {}), "31 14 12x2"
    ),
    "a run with face-down cards stays": (
        spider_deal(
            {1: "KS QS JS TS 9S 8S"}, {1: "7S", 2: "6S", 3: "5S", 4: "4S", 5: "3S 2S AS"}
        ),
        "D D D D D 21 31 41",
    ),
    "a row completes a run": (
        spider_deal(
            {1: "5H KS", 2: "QS", 3: "JS", 4: "TS", 5: "9S", 6: "8S", 7: "7S", 8: "6S", 9: "5S",
             10: "4S"},
            {1: "3S", 2: "2S", 3: "AS -- -- -- -- 6C"},
        ),
        "21 31 41 51 61 71 81 91 01 D D D 16",
    ),
}  # fmt: skip


def told_by_hand(slug: str) -> Iterator[Case]:
    """Games made for a rule."""
    game = get_game(slug)
    if slug == "spider":
        for deal, text in SPIDER_GAMES.values():
            packed = game.pack(game.parse_solution(text))
            cards = deal.as_array()
            verdict = plain_verdict(game, cards, PRESETS["spider-4"], packed)
            yield Case(PRESETS["spider-4"], cards, packed, verdict)
    else:
        for draw, redeals in product((1, 3, 5), (0, 1, 2)):
            rules = KlondikeRules(draw, redeals)
            one_pass = b"\0" * -(-24 // draw) + b"\1"
            packed = one_pass * (redeals + 1)
            cards = recorded_wins(slug)[0].deal.as_array()
            yield Case(rules, cards, packed[:-1], NO_WIN)
            yield Case(rules, cards, packed, len(packed))
        yield from told_by_empty_columns()


# Of both kinds of runs, and of what is built on what.
TELLING_RULES = (
    "klondike-draw1-spaces-any",
    "klondike-draw1-whole-runs-spaces-any",
    "klondike-draw1-build-same-suit-spaces-any",
    "klondike-draw1-whole-runs-build-any-suit-spaces-any",
    "klondike-draw1-build-same-suit",
    "klondike-draw1-spaces-none",
)


def told_by_empty_columns() -> Iterator[Case]:
    """Every move there is, and others, where a column is empty and a run of several cards lies."""
    game = get_game("klondike")
    chooser = Random("empty columns")
    for slug in TELLING_RULES:
        found = 0
        while found < 2:
            deal = game.deal(game.dealings[0].block(chooser.randrange(10**6), 1)[0].tolist())
            each = walk(game, deal, parse_klondike(slug), chooser, [], 120)
            places = [
                place
                for place, position in enumerate(each.positions)
                if () in position.up and max(map(len, position.up)) > 2
            ]
            if places:
                found += 1
                yield from each.tried(WORDS["klondike"], places[0])


@cache
def telling(slug: str) -> tuple[Case, ...]:
    """Cases that tell the slips: those of a sample, wins cut short, cards that are no deal."""
    game = get_game(slug)
    found = [*told_by_hand(slug), *sample(slug, 25)]
    for win in recorded_wins(slug):
        played = walk(game, win.deal, win.rules, Random(slug), win.moves, 0)
        found.append(played.whole())
        for cards in (win.deal.as_array() & 51, win.deal.as_array() + np.uint8(1)):
            found.append(Case(win.rules, cards, b"", NO_DEAL))
        for place in (0, 1, len(win.moves)):
            words = [b"\0", b"\1"] if slug == "spider" else WORDS[slug]
            found += played.tried(words, place)
        places = [-2, -3, len(win.moves) // 2]
        found += [played.case(game.pack(win.moves[:place]), NO_WIN) for place in places]
    return tuple(found)


@pytest.mark.parametrize("slug", GAMES)
def test_what_tells_slips(slug: str) -> None:
    several = telling(slug)
    assert differences(checker(get_game(slug)), several) == []
    for case in several[::10]:
        plain = plain_verdict(get_game(slug), case.cards, case.rules, case.packed)
        assert plain == case.verdict


@pytest.mark.thorough
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: f"{each.game}: {each.name}")
def test_a_slip_is_caught(mutation: Mutation) -> None:
    check = interpreted(mutation.game, mutation.old, mutation.new, bounded=True)
    several = telling(mutation.game)
    for first in range(0, len(several), 8):
        try:
            if differences(check, several[first : first + 8]):
                return
        except IndexError:
            return
    pytest.fail("no case tells the slip")


def test_checkers_agree_without_the_compiler() -> None:
    program = (
        "import numba\n"
        "from test_checkers import GAMES, checker, differences, get_game, sample\n"
        "assert numba.config.DISABLE_JIT\n"
        "for slug in GAMES:\n"
        "    several = sample(slug, 6)\n"
        "    assert differences(checker(get_game(slug)), several) == []\n"
        "    print(len(several))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ
        | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{Path(__file__).parent}:{TESTS}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert min(map(int, done.stdout.split())) > 100
