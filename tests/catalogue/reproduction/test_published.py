"""Tests of the published figures and their comparison."""

from dataclasses import replace

import pytest
from scipy.stats import norm

from catalogue.reproduction.published import FIGURES, figures
from engine.klondike.dead_ends import KINDS
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

# Intervals printed wider than their number of games asks for.
WIDER = {
    "Solvitaire",  # theirs also covers the deals it could not decide
    "HOP 10 samples, level 0",  # ±0.34 fits 100,000 games, not the printed 1,000,000
}


def test_half_widths_fit_their_number_of_games() -> None:
    """A slip in a figure, a half width or a number of games would show here."""
    checked = 0
    for figure in FIGURES:
        if figure.half_width is None or figure.games is None:
            continue
        share = figure.percent / 100
        z = norm.ppf((1 + figure.level) / 2)
        expected = 100 * z * (share * (1 - share) / figure.games) ** 0.5
        if figure.system in WIDER:
            assert round(expected, figure.decimals) <= figure.half_width, figure.rules
        else:
            assert figure.half_width == pytest.approx(expected, rel=0.07), figure.system
        checked += 1
    assert checked > 30


def test_every_figure_names_what_exists() -> None:
    assert len({(f.system, f.ruleset, f.source, f.measures) for f in FIGURES}) == len(FIGURES)
    for figure in FIGURES:
        assert 0 <= figure.percent <= 100
        assert figure.rules
        assert figure.source
        if figure.ruleset is not None:
            assert parse_ruleset(figure.ruleset).slug == figure.ruleset
        if figure.solver is not None:
            parse_solver(figure.solver).check_plays(parse_ruleset(str(figure.ruleset)))


def test_figures_are_chosen_by_rules_and_measure() -> None:
    assert [f.system for f in figures("klondike-draw3", "winnable")] == ["Solvitaire", "lonelybot"]
    assert {f.ruleset for f in figures("klondike-yan")} == {"klondike-yan"}
    assert all(f.sees == "observation" for f in figures(sees="observation"))
    assert figures() == list(FIGURES)
    assert figures("klondike-vegas") == []


def test_a_figure_is_compared_with_its_own_precision() -> None:
    (dead,) = figures("klondike-draw3", "dead ends")
    assert dead.percent == pytest.approx(8.557, abs=0.001)
    assert dead.agreement(85_600, 914_400, 1_000_000).agrees
    assert not dead.agreement(86_600, 913_400, 1_000_000).agrees
    assert set(dead.kinds) < set(KINDS)
    (heuristic,) = (f for f in figures("klondike-yan") if f.solver == "yan-heuristic")
    assert heuristic.agreement(1380, 8620, 10_000).agrees
    assert not heuristic.agreement(1500, 8500, 10_000).agrees


@pytest.mark.parametrize(
    ("ours", "solver", "same"),
    [
        (None, "exact(nodes=5)", False),
        ("exact", "exact(nodes=5)", True),
        ("exact", "exact", True),
        ("exact", "exact-plain(nodes=5)", False),
        ("rollout(n=1)", "rollout(n=1)", True),
        ("rollout(n=1)", "rollout(n=1, random_seed=0)", True),
        ("rollout(n=1)", "rollout(n=10)", False),
        ("rollout(n=1, m=2)", "rollout(m=2, n=1)", True),
        ("rollout(n=1)", "rollout", False),
    ],
)
def test_a_figure_knows_our_solver_of_its_method(ours: str, solver: str, same: bool) -> None:
    assert replace(FIGURES[0], solver=ours).is_of(solver) is same
