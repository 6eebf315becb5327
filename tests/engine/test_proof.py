"""Tests of proofs of wins: which referee judges what, in whose words, and what if they differ."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.checkers import WINS
from engine.game import Game, Rules
from engine.games import get_game
from engine.proof import RefereesDisagree, check_wins
from engine.replay import wins
from twins.checkers import recorded_wins

GAMES = ("klondike", "spider")


def copies(slug: str, count: int) -> tuple[Game, NDArray[np.uint8], Rules, list[bytes]]:
    """A win many times."""
    game = get_game(slug)
    win = recorded_wins(slug)[0]
    cards = np.array([win.deal.cards] * count, dtype=np.uint8)
    return game, cards, win.rules, [game.pack(win.moves)] * count


def counting(game: Game) -> tuple[Game, list[Any]]:
    """The game, and a list of the deals that its plain referee starts from."""
    started: list[Any] = []

    def start(deal: Any, rules: Any) -> Any:
        started.append(deal)
        return game.start(deal, rules)

    return replace(game, start=start), started


def answer(game: Game, *verdicts: int) -> Game:
    """The game with a checker that gives these verdicts."""
    return replace(game, load_checker=lambda: lambda *_: np.array(verdicts, dtype=np.int64))


@pytest.mark.parametrize("slug", GAMES)
def test_what_is_no_win_is_refused_in_the_words_of_the_plain_referee(slug: str) -> None:
    game, cards, rules, (packed, *_) = copies(slug, 6)
    cards[5, :2] = cards[5, 2]
    shorter = packed[: -game.move_size]
    bad = b"\xff" * game.move_size
    solutions = [packed, shorter, b"", packed + bad, bad + packed, packed]
    count = game.length(packed)
    said = check_wins(game, cards, rules, solutions)
    assert said == check_wins(replace(game, load_checker=None), cards, rules, solutions)
    assert said[:3] == [
        None,
        f"its {count - 1} moves do not end in a win",
        "its 0 moves do not end in a win",
    ]
    assert said[3] == said[4]
    assert said[3] is not None
    assert said[3].startswith("its solution does not replay: byte")
    assert said[5] is not None
    assert "more than" in said[5]
    assert [reason is None for reason in said[:3]] == [
        wins(game.start(game.deal(cards[0]), rules), game.unpack(each)) for each in solutions[:3]
    ]


def test_the_first_wrong_move_is_named() -> None:
    game, cards, rules, (packed, *_) = copies("klondike", 1)
    (said,) = check_wins(game, cards, rules, [packed[:5] + b"\x01" + packed[5:] + b"\xff"])
    assert said == (
        "its solution does not replay: move 6, R (redeal the waste): the stock is not empty yet"
    )


@pytest.mark.parametrize("slug", GAMES)
def test_the_plain_referee_judges_a_share_and_all_that_is_refused(slug: str) -> None:
    game, cards, rules, solutions = copies(slug, 200)
    counted, started = counting(game)
    rng = np.random.default_rng(3)
    assert check_wins(counted, cards, rules, solutions, plain_share=0.1, rng=rng) == [None] * 200
    assert len(started) == (np.random.default_rng(3).random(200) < 0.1).sum()
    assert 5 < len(started) < 40
    for share, judged in ((0.0, 0), (1.0, 200)):
        started.clear()
        assert check_wins(counted, cards, rules, solutions, plain_share=share) == [None] * 200
        assert len(started) == judged
    started.clear()
    solutions[7] = solutions[9] = b""
    assert check_wins(counted, cards, rules, solutions, plain_share=0.0).count(None) == 198
    assert len(started) == 2
    started.clear()
    check_wins(replace(counted, load_checker=None), cards, rules, solutions, plain_share=0.0)
    assert len(started) == 200


def test_every_call_draws_another_share() -> None:
    game, cards, rules, solutions = copies("klondike", 64)
    liar = answer(game, *[WINS] * 64)
    no_wins = [solution[:-1] for solution in solutions]
    first_judged = set()
    for _ in range(20):
        with pytest.raises(RefereesDisagree) as caught:
            check_wins(liar, cards, rules, no_wins, plain_share=0.5, name="deal {}".format)
        first_judged.add(str(caught.value))
    # By chance the first of the deals is the one found 20 times once in a million runs.
    assert len(first_judged) > 1


@pytest.mark.parametrize(
    ("verdict", "shorter", "said"),
    [
        (WINS, 1, "the compiled one says that it wins, the plain one that it does not end in a w"),
        (-1, 0, "the compiled one says that it does not end in a win, the plain one that it wins"),
        (9, 0, "the compiled one says that move 9 is wrong, the plain one that it wins"),
        (-2, 0, "the compiled one says that its cards are no deal, the plain one that it wins"),
        (9, 1, "says that move 9 is wrong, the plain one that it does not end in a win"),
    ],
)
def test_referees_that_differ_are_an_alarm(verdict: int, shorter: int, said: str) -> None:
    game, cards, rules, (packed,) = copies("klondike", 1)
    solutions = [packed[: len(packed) - shorter]]
    liar = answer(game, verdict)
    share = 1.0 if verdict == WINS else 0.0
    with pytest.raises(RefereesDisagree, match=said) as caught:
        check_wins(liar, cards, rules, solutions, plain_share=share)
    assert f"the deal {game.deal(cards[0]).digest} under klondike-draw1" in str(caught.value)
    with pytest.raises(RefereesDisagree, match="a solution of thoughtful-1:0 under"):
        check_wins(liar, cards, rules, solutions, plain_share=share, name="thoughtful-1:{}".format)


def test_a_wrong_number_is_an_alarm() -> None:
    game, cards, rules, (packed,) = copies("klondike", 1)
    with pytest.raises(RefereesDisagree, match="that move 2 is wrong, the plain one that move 1"):
        check_wins(answer(game, 2), cards, rules, [b"\x01" + packed])


def test_shapes() -> None:
    game, cards, rules, solutions = copies("klondike", 2)
    assert check_wins(game, cards[:0], rules, []) == []
    for wrong in (cards[:1], cards[:, :51], cards.astype(np.int64)):
        with pytest.raises(ValueError, match="2 solutions of Klondike need deals uint8"):
            check_wins(game, wrong, rules, solutions)
