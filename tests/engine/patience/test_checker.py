"""Tests of the compiled checker of patience games: it agrees with the referee, its twin."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine.checkers import NO_DEAL, NO_WIN, WINS
from engine.dealing.dealers import get_dealer
from engine.games import get_game
from engine.patience.checker import check
from engine.patience.deal import PatienceDeal
from engine.patience.dealing import lay_out
from engine.patience.layout import CODES, STOCK, WASTE, layout_of
from engine.patience.moves import PatienceMove, PatienceMoves
from engine.patience.presets import game_slugs
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options, PatienceRules
from random_options import random_options, ruleset
from samples import sizes

MOST_MOVES = 60


def some_deal(options: Options, chooser: Random) -> PatienceDeal:
    deck = list(range(4 * options.max_rank)) * options.decks
    chooser.shuffle(deck)
    layout = layout_of(options)
    flat = lay_out(layout, np.array([deck], dtype=np.uint8), layout.order)
    return PatienceDeal(tuple(map(int, flat[0])), "random", layout)


def anything(position: PatiencePosition, chooser: Random, count: int) -> list[PatienceMove]:
    """Three bytes at random, most of them piles of the game."""
    o = position.rules.options
    codes = [
        *range(o.columns + 1),
        *range(128, 128 + o.cells + 1),
        *(160, 161, STOCK, WASTE, 226, 232, 233, 234, 235, 236),
        *(range(o.accordion) if o.accordion else range(o.sequences * o.max_rank)),
    ]
    return [
        PatienceMove(
            chooser.choice(codes) if chooser.random() < 0.95 else chooser.randrange(256),
            chooser.choice(codes) if chooser.random() < 0.95 else chooser.randrange(256),
            chooser.choice((1, 1, 1, 2, 3, 4, 0, o.max_rank)),
        )
        for _ in range(count)
    ]


def cases(start: PatiencePosition, chooser: Random) -> tuple[list[bytes], list[int], Counter[str]]:
    """Solutions and the referee's verdicts on them: a random game, with wrong moves at its ends."""
    moves = PatienceMoves("Random", [start.rules.options])
    packed, verdicts, seen = [], [], Counter[str]()
    position, played = start, b""
    for number in range(1, MOST_MOVES + 1):
        packed.append(played)
        verdicts.append(WINS if position.is_won else NO_WIN)
        legal = position.legal_moves()
        assert all(moves.is_move(move) for move in legal)
        for move in [*anything(position, chooser, 6), *legal[:: 1 + len(legal) // 6]]:
            is_legal = moves.is_move(move) and position.why_illegal(move) is None
            assert is_legal == (move in legal), f"{move} at\n{position}"
            packed.append(played + bytes(move))
            after = NO_WIN
            if is_legal and position.play(move).is_won:
                after = WINS
            verdicts.append(after if is_legal else number)
            seen[move.kind.name if is_legal else "illegal"] += 1
        if not legal:
            break
        kinds = {move.kind for move in legal}
        kind = chooser.choice(sorted(kinds, key=lambda each: each.name))
        move = chooser.choice([each for each in legal if each.kind is kind])
        position, played = position.play(move), played + bytes(move)
    return packed, verdicts, seen


def compare(rules: PatienceRules, deal: PatienceDeal, chooser: Random) -> Counter[str]:
    packed, verdicts, seen = cases(PatiencePosition.start(deal, rules), chooser)
    found = check(np.array([deal.cards] * len(packed), dtype=np.uint8), rules, packed)
    for solution, ours, theirs in zip(packed, verdicts, found, strict=True):
        assert ours == theirs, f"{rules.options} {deal.to_json()} {solution.hex(' ', 3)}"
    return seen


@pytest.mark.parametrize("count", sizes(150, 5_000))
def test_the_checker_agrees_with_the_referee_under_random_options(count: int) -> None:
    seen = Counter[str]()

    @settings(
        max_examples=count,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(random_options(), st.integers(0, 10**9))
    def agree(options: Options, number: int) -> None:
        chooser = Random(number)
        seen.update(compare(ruleset(options), some_deal(options, chooser), chooser))

    agree()
    assert {"TURN", "PILE", "CELL", "HOLE", "FOUNDATION", "illegal"} <= set(seen)


@pytest.mark.parametrize("slug", list(game_slugs()))
def test_the_checker_agrees_with_the_referee_on_every_preset(slug: str) -> None:
    game = get_game(slug)
    for number, rules in enumerate(game.rulesets.presets.values()):
        deal: Any = get_dealer("thoughtful-1").deal(number, game)
        assert compare(rules, deal, Random(number))["illegal"]


def test_what_is_no_deal_is_none() -> None:
    for slug in ("freecell", "beleaguered-castle", "black-hole", "canfield", "gaps"):
        game = get_game(slug)
        rules: Any = game.rulesets.presets[game.rulesets.default]
        cards = np.array(get_dealer("thoughtful-1").deal(3, game).cards, dtype=np.uint8)
        doubled, moved = cards.copy(), np.roll(cards, 1)
        doubled[0] = cards[1]
        alien = cards.copy()
        alien[0] = 52
        several = np.array([cards, doubled, alien, moved])
        wrong_start = NO_DEAL if slug in ("beleaguered-castle", "black-hole") else NO_WIN
        assert check(several, rules, [b""] * 4).tolist() == [NO_WIN, NO_DEAL, NO_DEAL, wrong_start]
        with pytest.raises(ValueError, match="deals"):
            check(several[:, :-1], rules, [b""] * 4)


def test_part_of_a_move_is_wrong() -> None:
    game = get_game("freecell")
    rules: Any = game.rulesets.presets["freecell"]
    cards = np.array([get_dealer("microsoft").deal(1, game).cards], dtype=np.uint8)
    assert check(cards, rules, [bytes([0, 128])]).tolist() == [1]
    assert CODES == 240
