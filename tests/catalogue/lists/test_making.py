"""Tests of how lists come about: stored verdicts, deals that are solved, and levels."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from catalogue import store
from catalogue.difficulty.fitting import store_model
from catalogue.difficulty.prediction import look_at
from catalogue.lists import making
from catalogue.lists.grades import (
    CATEGORIES,
    CONTRADICTED,
    UNATTEMPTED,
    UNGRADED,
    UNRESOLVED,
    UNWINNABLE,
    Grades,
)
from catalogue.lists.header import ListHeader
from catalogue.lists.making import ListRequest, make
from catalogue.lists.spool import Spool
from catalogue.outcomes.chunk import SolverKey
from catalogue.reading.levels import Rating
from engine.dealing.dealers import Sample, deal_by_id, get_dealer
from engine.errors import BadInput
from engine.games import game_of
from engine.klondike.deal import KlondikeDeal
from engine.rulesets import parse_ruleset
from graded import plausible_model, put_ratings
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver

DRAW1, DRAW3 = parse_ruleset("klondike-draw1"), parse_ruleset("klondike-draw3")


def made(
    cat: store.Catalogue | None, rules: Any, sample: Sample, **how: Any
) -> tuple[ListHeader, Grades]:
    """The header and the grades of a list."""
    with Spool(sample.first, sample.count) as spool:
        answer = make(spool, cat, ListRequest(rules, sample, **how))
        return answer, np.concatenate([grades for _, grades in spool.chunks()])


def grade_of_facts(results: set[str]) -> int:
    if {"won", "unwinnable"} <= results:
        return CONTRADICTED
    if "won" in results:
        return UNGRADED
    if "unwinnable" in results:
        return UNWINNABLE
    return UNRESOLVED if results else UNATTEMPTED


def test_stored_verdicts_are_those_of_the_facts(known: Any) -> None:
    for first, count in ((0, 2400), (1990, 150), (17, 1), (65_000, 1000)):
        answer, grades = made(
            known.catalogue, DRAW3, Sample("thoughtful-1", first, count), stored=True
        )
        facts = known.of(DRAW3.slug)
        deciders = set()
        for seed in range(first, first + count):
            mine = facts.get(f"thoughtful-1:{seed}", [])
            assert grades[seed - first] == grade_of_facts({f.outcome.result.value for f in mine})
            deciders |= {
                f"{f.solver.name} v{f.solver.version}"
                for f in mine
                if f.outcome.result in (Result.WON, Result.UNWINNABLE)
            }
        assert answer.solvers == tuple(sorted(deciders))
    assert answer.solvers == ()
    assert set(grades.tolist()) == {UNATTEMPTED}
    # Seeds that no catalogue can hold, another dealer, another ruleset.
    for rules, sample in (
        (DRAW3, Sample("pysolfc", 10**19, 3)),
        (DRAW3, Sample("greenfelt", 1, 3)),
        (parse_ruleset("klondike-yan"), Sample("thoughtful-1", 0, 3)),
    ):
        assert set(made(known.catalogue, rules, sample, stored=True)[1].tolist()) == {UNATTEMPTED}


def test_what_is_lacking_is_solved(known: Any) -> None:
    """Facts are kept though some are made up; contradictions too; the rest is what exact finds."""
    sample = Sample("thoughtful-1", 0, 60)
    stored = made(known.catalogue, DRAW3, sample, stored=True)[1]
    answer, grades = made(known.catalogue, DRAW3, sample, grade=False)
    assert {UNRESOLVED, UNGRADED, UNWINNABLE, CONTRADICTED} <= set(stored.tolist())
    exact = parse_solver("exact")
    solved = exact.solve(get_dealer("thoughtful-1").deal_block(0, 60), DRAW3)
    for was, grade, outcome in zip(stored.tolist(), grades.tolist(), solved, strict=True):
        if was in (UNRESOLVED, UNATTEMPTED):
            assert grade == (UNGRADED if outcome.result == Result.WON else UNWINNABLE)
        else:
            assert grade == was
    assert f"{exact} v{exact.method.version}" in answer.solvers


def test_no_catalogue_is_needed() -> None:
    answer, grades = made(None, DRAW1, Sample("pysolfc", 32_001, 12), grade=False)
    game = game_of(DRAW1)
    deals = [deal_by_id(f"pysolfc:{seed}", game) for seed in range(32_001, 32_013)]
    outcomes = parse_solver("exact").solve(np.stack([deal.as_array() for deal in deals]), DRAW1)
    assert [grade == UNGRADED for grade in grades.tolist()] == [
        outcome.result == Result.WON for outcome in outcomes
    ]
    assert UNWINNABLE in grades
    assert answer.dealer_version.startswith("pysol-cards ")
    assert answer.first_deal.split() == [
        f"{'A23456789TJQK'[card // 4]}{'CDSH'[card % 4]}" for card in deals[0].cards
    ]


def test_a_solver_that_gives_up_proves_nothing() -> None:
    sample = Sample("thoughtful-1", 0, 20)
    answer, grades = made(None, DRAW3, sample, solver=parse_solver("exact(nodes=30)"))
    complete = made(None, DRAW3, sample)[1]
    assert UNRESOLVED in grades
    for quick, full in zip(grades.tolist(), complete.tolist(), strict=True):
        assert quick in (full, UNRESOLVED)
    assert answer.solvers == ("exact(nodes=30, memory_mib=768) v11",)
    answer, grades = made(None, DRAW3, sample, solver=parse_solver("dead-end"))
    assert UNGRADED not in grades


def test_a_game_without_proofs_lists_its_wins() -> None:
    """A loss of a solver that decides nothing is no verdict."""
    answer, grades = made(
        None,
        parse_ruleset("spider-1"),
        Sample("thoughtful-1", 0, 6),
        solver=parse_solver("monkey(level=3)"),
        grade=False,
    )
    assert set(grades.tolist()) <= {UNGRADED, UNRESOLVED}
    assert CATEGORIES[UNRESOLVED] == "unresolved"
    assert answer.first_deal.count(" ") == 103


def rated(level: int) -> Rating:
    return Rating(level=level, difficulty=0.25, deviation=0.5, games=3)


@pytest.fixture
def graded(
    sqlite_catalogue: store.Catalogue,
    known_type: Callable[..., Any],
    solver_keys: dict[str, SolverKey],
) -> store.Catalogue:
    """A catalogue with 14 deals of draw 1, of which some have levels."""
    dealt = get_dealer("thoughtful-1").deal_block(0, 14)
    exact = solver_keys["exact"]
    outcomes = parse_solver("exact").solve(dealt, DRAW1)
    known_type(sqlite_catalogue).write(
        DRAW1,
        "thoughtful-1",
        [
            (seed, KlondikeDeal.of(dealt[seed]), {exact: Outcome(o.result, o.nodes, 1.0, o.moves)})
            for seed, o in enumerate(outcomes)
        ],
    )
    put_ratings(
        sqlite_catalogue,
        DRAW1.slug,
        "thoughtful-1",
        {0: rated(2), 2: rated(6), 3: None, 4: rated(10)},
    )
    return sqlite_catalogue


def test_levels_are_stored_ones_and_else_predicted(graded: store.Catalogue) -> None:
    sample = Sample("thoughtful-1", 0, 14)
    plain = made(graded, DRAW1, sample, grade=False)[1]
    assert [plain[seed] for seed in (0, 2, 3, 4)] == [2, 6, UNGRADED, 10]
    store_model(graded, DRAW1, plausible_model(sample))
    # The model rates all deals with features anew.
    stored = made(graded, DRAW1, sample, stored=True)[1]
    assert [stored[seed] == UNGRADED for seed in (0, 2, 3, 4)] == [False, False, False, False]
    assert {UNGRADED, UNWINNABLE} <= set(stored.tolist())
    assert made(graded, DRAW1, sample, grade=False)[1].tolist() == stored.tolist()
    answer, grades = made(graded, DRAW1, sample, levels=(3, 5))
    assert answer.levels == (3, 5)
    for seed, (was, grade) in enumerate(zip(stored.tolist(), grades.tolist(), strict=True)):
        if was == UNGRADED:
            deal = deal_by_id(f"thoughtful-1:{seed}", game_of(DRAW1))
            assert grade == look_at(graded, DRAW1, deal, "").level
        else:
            assert grade == was


def test_a_deal_that_cannot_be_looked_at_has_no_level(
    graded: store.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise BadInput("the budget is spent")

    store_model(graded, DRAW1, plausible_model(Sample("thoughtful-1", 0, 14)))
    monkeypatch.setattr(making, "predicted_level", refuse)
    sample = Sample("thoughtful-1", 5, 9)
    assert made(graded, DRAW1, sample)[1].tolist() == (
        made(graded, DRAW1, sample, stored=True)[1].tolist()
    )


@pytest.mark.thorough
def test_processes_change_nothing(graded: store.Catalogue) -> None:
    store_model(graded, DRAW1, plausible_model(Sample("thoughtful-1", 0, 14)))
    sample = Sample("thoughtful-1", 0, 70)
    alone, together = (made(graded, DRAW1, sample, workers=workers) for workers in (1, 2))
    assert alone[0] == together[0]
    assert alone[1].tolist() == together[1].tolist()


def test_what_cannot_be_listed_is_refused() -> None:
    sample = Sample("thoughtful-1", 0, 5)
    with pytest.raises(BadInput, match="there is no catalogue"):
        made(None, DRAW3, sample, stored=True)
    draw2 = parse_ruleset("klondike-draw2")
    with pytest.raises(BadInput, match="there are no levels under klondike-draw2"):
        made(None, draw2, sample, levels=(1, 2))
    with pytest.raises(BadInput, match="does not deal Spider"):
        made(None, parse_ruleset("spider-4"), Sample("greenfelt", 1, 5))
    with pytest.raises(BadInput, match="exact does not play spider-4"):
        made(None, parse_ruleset("spider-4"), sample, solver=parse_solver("exact"))
