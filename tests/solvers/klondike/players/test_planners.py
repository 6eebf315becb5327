"""Tests of the players of Klondike with hidden cards: information barrier and wins."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catalogue.pipe import solve_all
from conformance.barrier import compare_games
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.observation import observe
from engine.klondike.referee import proves_win
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal
from klondike_tables import (
    DRAW1,
    DRAW3,
    RULES,
    THOUGHTFUL,
    deals,
    klondike_views,
    line_of,
    moves_of,
    permuted,
    players,
)
from solvers.klondike.kplus.actions import act
from solvers.klondike.players.game import FACE_DOWN, GameRunner, seen_at_start
from solvers.klondike.players.play import add_state, advance_history, clear_history
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver

# Small ones of every kind.
SOLVERS = [
    "random(random_seed=3)",
    "greedy",
    "hop(samples=2,level=0)",
    "hop(samples=1,level=1)",
    "uct(trajectories=15,c=2)",
    "sparse-uct(trajectories=15,width=2)",
    "hop-uct(trajectories=6,trees=2)",
    "ensemble-uct(trajectories=6,trees=2)",
    "ensemble-sparse-uct(trajectories=6,trees=2,width=2)",
]


@pytest.mark.parametrize("solver", SOLVERS)
def test_deals_that_look_alike_are_played_alike(solver: str) -> None:
    """Until a card that differs is turned up."""
    chooser = random.Random(solver)
    compared = parted = 0
    for rules, first in ((DRAW3, 200_000), (DRAW1, 201_000)):
        cards = THOUGHTFUL.deal_block(first, 3)
        # Few other cards are met late.
        for count in (21, 2):
            others = np.array([permuted(row, chooser, count) for row in cards])
            same, differ = compare_games(
                parse_solver(solver), rules, cards, others, line_of, partial(klondike_views, rules)
            )
            compared += same
            parted += differ
    assert compared > 100
    assert 2 < parted < 12


def test_who_sees_the_deal_is_caught() -> None:
    cards = THOUGHTFUL.deal_block(200_000, 10)
    chooser = random.Random(1)
    others = np.array([permuted(row, chooser, 2) for row in cards])
    solver = parse_solver("exact")
    both = zip(solver.solve(cards, DRAW3), solver.solve(others, DRAW3), strict=True)
    kept = [{one.result, other.result} == {Result.WON} for one, other in both]
    assert sum(kept) > 3
    with pytest.raises(AssertionError):
        compare_games(
            solver, DRAW3, cards[kept], others[kept], line_of, partial(klondike_views, DRAW3)
        )


def arrays(thing: Any) -> Iterator[NDArray[Any]]:
    """All arrays that something holds."""
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, tuple):
        for part in thing:
            yield from arrays(part)
    elif hasattr(thing, "__dict__"):
        yield from arrays(tuple(vars(thing).values()))


def test_players_share_no_memory_with_what_only_the_croupier_knows() -> None:
    game = GameRunner(DRAW3, 0)
    held = [*arrays(game.work), *arrays(tuple(players(game)))]
    assert len(held) > 30
    for secret in (game.croupier.table.below, game.croupier.level):
        assert not any(np.shares_memory(array, secret) for array in held)


def test_minds_of_deals_that_look_alike_hold_the_same() -> None:
    """All that a player has after it has been handed an observation and has chosen."""
    chooser = random.Random("minds")
    compared = 0
    for number, deal in enumerate(deals(202_000, 12)):
        games = GameRunner(DRAW3, number), GameRunner(DRAW3, number)
        rows = deal.as_array(), permuted(deal.as_array(), chooser, 2)
        truths = [game.begin(row) for game, row in zip(games, rows, strict=True)]
        rivals = [players(game) for game in games]
        for game, truth in zip(games, truths, strict=True):
            clear_history(game.work.history)
            add_state(truth, game.work.history)
        while truths[0] == truths[1]:
            handed = [observe(truths[0], game.croupier) for game in games]
            assert handed[0] == handed[1]
            chosen = []
            for game, (trees, hindsight) in zip(games, rivals, strict=True):
                chosen.append(
                    (trees.choose(handed[0], game.work), hindsight.choose(handed[0], game.work))
                )
            assert chosen[0] == chosen[1]
            for one, other in zip(
                arrays((games[0].work, *rivals[0])),
                arrays((games[1].work, *rivals[1])),
                strict=True,
            ):
                assert np.array_equal(one, other)
            compared += 1
            action = chosen[0][0]
            if action < 0:
                break
            for which, game in enumerate(games):
                after = act(truths[which], game.croupier.table, action)
                advance_history(truths[which], after, game.work.history)
                truths[which] = after
    assert compared > 100


def test_what_is_seen_at_the_start() -> None:
    for deal in deals(203_000, 20):
        seen = seen_at_start(deal.as_array())
        up = [column[-1] for column in deal.tableau]
        assert [int(card) for card in seen if card != 255] == [*up, *deal.stock]
        assert [n for n, card in enumerate(deal.cards) if card != seen[n]] == FACE_DOWN.tolist()


def achieved(outcomes: Iterable[Outcome]) -> list[tuple[Any, ...]]:
    return [(each.result, each.nodes, each.moves, each.played) for each in outcomes]


@pytest.mark.parametrize("solver", SOLVERS)
def test_wins_replay(solver: str) -> None:
    results: Counter[Result] = Counter()
    for rules, count in zip(RULES, (12, 8, 3, 3), strict=True):
        # Those that do not plan are quick, and seldom win.
        cards = THOUGHTFUL.deal_block(250_000, 4 * count if solver in SOLVERS[:2] else count)
        for row, outcome in zip(cards, parse_solver(solver).solve(cards, rules), strict=True):
            moves = unpack_solution(moves_of(outcome))
            won = proves_win(KlondikeDeal.of(row), rules, moves)
            assert outcome.result is (Result.WON if won else Result.LOST)
            assert outcome.nodes > 0 or not moves
            results[outcome.result] += 1
    assert min(results[Result.WON], results[Result.LOST]) > 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_outcome_depends_on_deal_and_parameters_only(solver: str) -> None:
    cards = THOUGHTFUL.deal_block(251_000, 5)
    method = parse_solver(solver)
    straight = achieved(method.solve(cards, DRAW3))
    assert achieved(method.solve(cards[::-1], DRAW3)) == straight[::-1]
    with ThreadPoolExecutor(4) as pool:
        parts = pool.map(lambda row: method.solve(row[None], DRAW3)[0], cards[:3])
        assert achieved(parts) == straight[:3]
    if solver != "greedy":
        name, _, rest = solver.replace(",random_seed=3", "").rstrip(")").partition("(")
        rest = rest.replace("random_seed=3", "")
        other = parse_solver(f"{name}({rest}{',' if rest else ''}random_seed=9)")
        assert achieved(other.solve(cards, DRAW3)) != straight


def test_two_workers_do_what_one_does() -> None:
    given = [
        InputDeal(f"{seed}", KlondikeDeal.of(row), THOUGHTFUL.slug, seed)
        for seed, row in enumerate(THOUGHTFUL.deal_block(0, 12))
    ]
    solver = parse_solver("ensemble-sparse-uct(trajectories=6,trees=2,width=2)")
    found = [
        achieved(solved.outcome for solved in solve_all(given, DRAW3, solver, workers=workers))
        for workers in (1, 2)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("count", [3, 10])
def test_compiled_and_interpreted_agree(
    count: int,
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    program = (
        "from engine.dealing.dealers import get_dealer\n"
        "from engine.rulesets import parse_ruleset\n"
        "from solvers.solver import parse_solver\n"
        "cards = get_dealer('thoughtful-1').deal_block(260_000, 10)\n"
        "found = []\n"
        "for slug, text, which in [\n"
        f"    ('klondike-draw3', 'random', slice({count})),\n"
        f"    ('klondike-draw1', 'greedy', slice({count})),\n"
        "    ('klondike-draw3', 'hop(samples=1,level=0)', slice(6, 7)),\n"
        "    ('klondike-draw3', 'uct(trajectories=2,c=2)', slice(1)),\n"
        "    ('klondike-yan', 'sparse-uct(trajectories=2,width=1)', slice(1)),\n"
        "    ('klondike-draw3', 'hop-uct(trajectories=1,trees=2)', slice(1)),\n"
        "]:\n"
        "    for each in parse_solver(text).solve(cards[which], parse_ruleset(slug)):\n"
        "        moves = each.moves or each.played or b''\n"
        "        found.append((each.result, each.nodes, moves.hex()))\n"
    )
    compiled, interpreted = with_and_without_compiler(program)
    assert compiled == interpreted
    assert {result for result, _, _ in compiled} == {"won", "lost"}


@pytest.mark.parametrize("solver", ["random", "greedy", "hop", "uct", "hop-uct"])
@pytest.mark.parametrize(
    "slug", ["klondike-vegas", "klondike-vegas1", "klondike-draw3-no-worrying-back"]
)
def test_other_rulesets_are_refused(solver: str, slug: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_solver(solver).solve(THOUGHTFUL.deal_block(0, 1), parse_ruleset(slug))
    said, _, others = str(caught.value).partition("; ")
    assert said == (
        f"{solver} does not play {slug}: "
        "it plays every Klondike ruleset with unlimited redeals, worrying back, alternating "
        "colours and kings alone in empty columns"
    )
    names = others.removeprefix(f"who plays {slug}: ").split(", ")
    assert "exact-plain" in names
    assert all(parse_solver(name).plays(parse_ruleset(slug)) for name in names)
