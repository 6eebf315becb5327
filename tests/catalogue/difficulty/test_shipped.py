"""Tests of the models of difficulty that the package ships, in catalogues that have none."""

import json
import re
from collections.abc import Iterator
from datetime import datetime

import numpy as np
import pytest
from sqlalchemy import select

from catalogue import store
from catalogue.difficulty import fitting, playing, shipped
from catalogue.difficulty.features import submit
from catalogue.difficulty.fitting import fit_difficulty, store_model
from catalogue.difficulty.grading import FEATURES, features_of, player_name, trial_names
from catalogue.difficulty.playable import level_of
from catalogue.difficulty.playing import old_features
from catalogue.difficulty.prediction import look_at, predicted_level
from catalogue.difficulty.reading import DealConditions, find, model
from catalogue.difficulty.shipped import (
    model_as_json,
    shipped_model,
    shipped_provenance,
    shipped_rulesets,
    store_shipped,
)
from catalogue.jobs.queue import submit as submit_outcomes
from catalogue.jobs.runner import run
from catalogue.schema import DifficultyRow
from catalogue.verify.running import verify
from engine.dealing.dealers import Sample, deal_by_id
from engine.errors import BadInput
from engine.games import game_of
from engine.rulesets import parse_ruleset
from graded import plausible_model
from job_runs import workers_in_this_process
from samples import sizes
from solvers.choice import ladder
from solvers.features import predictors, trace
from solvers.solver import parse_solver
from solvers.trials import GAMES, trial_players, trials

RULES = parse_ruleset("klondike-draw1")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A Dask scheduler with two workers in this very process."""
    with workers_in_this_process() as address:
        yield address


@pytest.mark.parametrize("ruleset", shipped_rulesets())
def test_every_shipped_model_has_its_validation(ruleset: str) -> None:
    found = shipped_model(ruleset)
    assert found is not None
    assert found.is_shipped
    rules = parse_ruleset(ruleset)
    assert found.inputs == (trial_names(rules) if found.rests_on_trials else FEATURES)
    assert found.fitted >= 200
    # It tells deals apart better than chance, on deals and players that had no part in it.
    assert found.validation["auc"]["predicted"]["low"] > 0.5
    bins = found.validation["calibration"]["predicted"]["bins"]
    assert max(abs(each["won"] - each["expected"]) for each in bins) < 0.1
    provenance = shipped_provenance(ruleset)
    assert provenance.revision
    assert not provenance.revision.endswith("+")


@pytest.mark.parametrize(
    "ruleset", [each for each in shipped_rulesets() if ladder(parse_ruleset(each))]
)
def test_games_of_the_ladder_are_those_of_the_players_of_a_shipped_model(ruleset: str) -> None:
    """Games that are played today count for its levels."""
    found = shipped_model(ruleset)
    assert found is not None
    players = ladder(parse_ruleset(ruleset))
    today = {
        (player_name(each.method.slug, dict(each.said)), each.method.version) for each in players
    }
    assert {(each.name, each.version) for each in found.players} == today
    # Players that are no one player with several seeds have no seed in common, nor one of trials.
    seeds = [dict(each.values)["random_seed"] for each in players]
    if found.rests_on_trials:
        assert len({*seeds, *range(GAMES)}) == len(seeds) + GAMES


def test_what_predicts_a_level_is_what_the_features_say() -> None:
    """Of easy deals and of those that play at random hardly ever wins."""
    won = 0
    for seed in range(12):
        deal = deal_by_id(f"thoughtful-1:{seed}", game_of(RULES))
        try:
            quick = predictors(deal, RULES)
        except BadInput:
            continue
        full = trace(deal, RULES)
        assert features_of([quick]).tolist() == features_of([full]).tolist()
        won += 1
    assert won > 5


def test_trials_are_games_with_the_first_random_seeds() -> None:
    rules = parse_ruleset("spider-1")
    deal = deal_by_id("thoughtful-1:5", game_of(rules))
    wins = [
        sum(
            outcome.moves is not None
            for seed in range(GAMES)
            for outcome in parse_solver(f"spider-player(width={width}, random_seed={seed})").solve(
                deal.as_array()[None], rules
            )
        )
        for width in (1, 3, 10)
    ]
    assert list(trials(deal, rules)) == wins
    assert len(trial_players(rules)) == len(wins)
    assert trial_players(RULES) == []


def test_a_catalogue_without_a_model_has_the_shipped_one(
    sqlite_catalogue: store.Catalogue, scheduler: str
) -> None:
    cat = sqlite_catalogue
    known = model(cat, RULES.slug)
    assert known is not None
    assert known.is_shipped
    sample = Sample("thoughtful-1", 0, 10)
    submit_outcomes(cat, RULES.slug, sample, ["exact(nodes=100000)"])
    run(cat, scheduler=scheduler)
    submit(cat, RULES, sample)
    run(cat, scheduler=scheduler)
    # Deals with features have its levels, which are those of a deal that is only looked at.
    deals = find(cat, DealConditions(RULES.slug), 100).deals
    assert len(deals) > 5
    for each in deals:
        level = level_of(deal_by_id(each.deal, game_of(RULES)), RULES)
        assert level is not None
        assert each.level == level.number
        assert each.difficulty == pytest.approx(level.difficulty)
    first = deal_by_id(deals[0].deal, game_of(RULES))
    assert look_at(cat, RULES, first, "mine").level == deals[0].level
    assert verify(cat, resolve_share=0.0).faults == ()
    # It is stored once, with what made it; one that is fitted takes its place.
    with cat.session() as session:
        row = session.scalars(select(DifficultyRow)).one()
        assert row.limits == known.limits.tolist()
    store_model(cat, RULES, plausible_model(sample))
    store_shipped(cat, RULES)
    own = model(cat, RULES.slug)
    assert own is not None
    assert own.fitted == 10
    assert verify(cat, resolve_share=0.0).faults == ()


@pytest.mark.parametrize(("deals", "fewest"), sizes((50, 40), (130, 100)))
def test_a_model_of_trials_is_fitted_and_read_back(
    sqlite_catalogue: store.Catalogue,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    deals: int,
    fewest: int,
) -> None:
    for module in (fitting, playing):
        monkeypatch.setattr(module, "FEWEST", fewest)
    rules, sample = parse_ruleset("spider-1"), Sample("thoughtful-1", 0, deals)
    players = [parse_solver("monkey"), parse_solver("spider-player(width=2, random_seed=7)")]
    submit_outcomes(sqlite_catalogue, rules.slug, sample, [str(each) for each in players])
    run(sqlite_catalogue, scheduler=scheduler)
    fitted = fit_difficulty(sqlite_catalogue, rules, sample, players)
    assert fitted.inputs == trial_names(rules)
    assert fewest <= fitted.fitted < deals
    # Fewer trials won: harder.
    assert fitted.rests_on_trials
    assert fitted.rasch.weights.sum() > 0
    stored = model(sqlite_catalogue, rules.slug)
    assert stored is not None
    assert not stored.is_shipped
    columns = json.loads(model_as_json(stored, rules))
    monkeypatch.setattr(shipped, "_columns", lambda _: _dated(columns))
    shipped_model.cache_clear()
    again = shipped_model(rules.slug)
    shipped_model.cache_clear()
    assert again is not None
    assert np.array_equal(again.rasch.weights, fitted.rasch.weights)
    deal = deal_by_id("thoughtful-1:1", game_of(rules))
    assert predicted_level(again, deal, rules) == predicted_level(fitted, deal, rules)


def _dated(columns: dict[str, object]) -> dict[str, object]:
    return {**columns, "created_at": datetime.fromisoformat(str(columns["created_at"]))}


def test_a_model_of_other_features_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = shipped._columns(RULES.slug)
    assert columns is not None
    for change, found in (({"features_version": 1}, None), ({"limits": []}, BadInput)):
        monkeypatch.setattr(shipped, "_columns", lambda _, change=change: {**columns, **change})
        shipped_model.cache_clear()
        if found is None:
            assert shipped_model(RULES.slug) is None
        else:
            with pytest.raises(BadInput, match="damaged"):
                shipped_model(RULES.slug)
    shipped_model.cache_clear()


@pytest.mark.parametrize("ruleset", shipped_rulesets())
def test_the_advice_for_old_features_is_a_command_that_fits(ruleset: str) -> None:
    rules = parse_ruleset(ruleset)
    (command,) = re.findall(r"`(.*)`", old_features(1, rules))
    assert command.startswith(f"thoughtful difficulty fit SAMPLE --rules {ruleset}")
    # Without graded players of its own a game needs two that are named.
    assert command.count("--player") == (0 if ladder(rules) else 2)
