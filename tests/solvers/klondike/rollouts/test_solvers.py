"""Tests of `multistage` and `nested-rollout` as solvers: wins, limits, parameters, refusals."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest

from catalogue.pipe import solve_all
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import proves_win
from engine.klondike.rules import KlondikeRules
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal
from kplus_games import DRAW3, RULES, THOUGHTFUL
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver


def achieved(outcomes: Iterable[Outcome]) -> list[tuple[Result, int, bytes | None]]:
    return [(outcome.result, outcome.nodes, outcome.moves) for outcome in outcomes]


SOLVERS = [
    "nested-rollout(n=0)",
    "nested-rollout(n=1)",
    "multistage(n0=0,n1=0)",
    "multistage(n0=0,n1=1)",
    "multistage(n0=1,n1=0)",
]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_wins_replay(solver: str, rules: KlondikeRules) -> None:
    cards = THOUGHTFUL.deal_block(140_000, 100)
    outcomes = parse_solver(solver).solve(cards, rules)
    won = 0
    for row, outcome in zip(cards, outcomes, strict=True):
        assert outcome.result in (Result.WON, Result.LOST)
        assert (outcome.moves is not None) == (outcome.result is Result.WON)
        if outcome.moves is not None:
            assert proves_win(KlondikeDeal.of(row), rules, unpack_solution(outcome.moves))
            won += 1
    assert 0 < won < 100


def test_an_outcome_depends_on_cards_and_levels_only() -> None:
    cards = THOUGHTFUL.deal_block(141_000, 60)
    for text in [*SOLVERS, "nested-rollout(n=2,seconds=3600)"]:
        solver = parse_solver(text)
        straight = achieved(solver.solve(cards, DRAW3))
        assert achieved(solver.solve(cards, DRAW3)) == straight
        assert achieved(solver.solve(cards[::-1], DRAW3)) == straight[::-1]
        with ThreadPoolExecutor(4) as pool:
            parts = pool.map(lambda row, s=solver: s.solve(row[None], DRAW3)[0], cards[:20])
            assert achieved(parts) == straight[:20]


def test_two_workers_do_what_one_does() -> None:
    given = [
        InputDeal(f"{seed}", KlondikeDeal.of(row), THOUGHTFUL.slug, seed)
        for seed, row in enumerate(THOUGHTFUL.deal_block(0, 30))
    ]
    for text in ("multistage(n0=0,n1=1)", "nested-rollout(n=1)"):
        solver = parse_solver(text)
        found = [
            achieved(solved.outcome for solved in solve_all(given, DRAW3, solver, workers=workers))
            for workers in (1, 2)
        ]
        assert found[0] == found[1]
        assert {result for result, _, _ in found[0]} == {Result.WON, Result.LOST}


def test_time_limit() -> None:
    """Games that would take hours end soon after a second, and what they win is a win."""
    cards = THOUGHTFUL.deal_block(0, 400)
    quick = parse_solver("nested-rollout(n=1)").solve(cards, DRAW3)
    hard = cards[[outcome.nodes > 15_000 for outcome in quick]][:3]
    results = set()
    for text in ("nested-rollout(n=6,seconds=1)", "multistage(n0=6,n1=4,seconds=1)"):
        for row, outcome in zip(hard, parse_solver(text).solve(hard, DRAW3), strict=True):
            assert (outcome.moves is not None) == (outcome.result is Result.WON)
            if outcome.moves is not None:
                assert proves_win(KlondikeDeal.of(row), DRAW3, unpack_solution(outcome.moves))
            assert outcome.result is Result.WON or outcome.cpu_ms >= 1_000
            assert outcome.cpu_ms < 4_000
            results.add(outcome.result)
    assert results <= {Result.WON, Result.GAVE_UP}
    assert Result.GAVE_UP in results


def test_a_game_lost_in_time_is_lost() -> None:
    cards = THOUGHTFUL.deal_block(143_000, 40)
    limited = parse_solver("multistage(n0=0,n1=1,seconds=3600)").solve(cards, DRAW3)
    assert achieved(limited) == achieved(parse_solver("multistage(n0=0,n1=1)").solve(cards, DRAW3))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nested-rollout(n=7)", "n=7 of nested-rollout is out of range: expected 0 to 6"),
        ("nested-rollout(n=-1)", "n=-1 of nested-rollout is out of range: expected 0 to 6"),
        ("nested-rollout(n0=1)", "nested-rollout has no parameter 'n0'"),
        ("nested-rollout(n=1.5)", "is not a parameter"),
        ("multistage(n0=7)", "n0=7 of multistage is out of range: expected 0 to 6"),
        ("multistage(n1=-1)", "n1=-1 of multistage is out of range: expected 0 to 6"),
        ("multistage(n=1)", "multistage has no parameter 'n'"),
        ("multistage(seconds=-1)", "seconds=-1 of multistage is out of range"),
        ("multistage(seconds=86401)", "seconds=86401 of multistage is out of range"),
    ],
)
def test_bad_parameters(text: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_solver(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("solver", ["nested-rollout", "multistage"])
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


@pytest.mark.parametrize("solver", ["nested-rollout(n={})", "multistage(n0={},n1={})"])
def test_pieces_of_work_have_a_deal_at_least(solver: str) -> None:
    chunks = [parse_solver(solver.format(n, n)).chunk for n in range(7)]
    assert chunks == sorted(chunks, reverse=True)
    assert chunks[-1] == 1
